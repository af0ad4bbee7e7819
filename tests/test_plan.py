"""What is to be written about a report, and when nothing is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchaudit.gate import fails, leaks
from benchaudit.markers import comment_marker
from benchaudit.models import ALL
from benchaudit.notes import notes_of, with_notes
from benchaudit.plan import Close, Comment, Create, Policy, Reopen, Thread, Update, plan, same_text
from tests.builders import FAIR, LONGEST, NEW, OLD, release, reported

CALM = {"a": FAIR * 10, "b": FAIR * 10}
LEAKY = {"a": [LONGEST] * 40, "b": FAIR * 10}


def thread(body: str, **fields) -> Thread:
    """The issue that a tracker holds, with this body."""
    return Thread(
        number=7, url="https://tracker.example/7", title="a title of somebody's", body=body, **fields
    )


def test_without_an_issue_one_is_created():
    report = reported(None, release(LEAKY), first=True)
    (operation,) = plan(report, None, Policy(labels=("leak",), assignees=("somebody",)))
    assert operation == Create(
        dataset="owner/name", title=report.title, body=report.body, labels=("leak",), assignees=("somebody",)
    )


def test_the_same_report_is_written_once():
    """Whatever line ends and blanks at the end the platform made of it."""
    report = reported(None, release(LEAKY))
    for held in (report.body, report.body.replace("\n", "\r\n"), report.body.rstrip()):
        assert plan(report, thread(held)) == ()


def test_a_change_that_does_not_matter_is_an_update_in_silence():
    report = reported(release(CALM), release({**CALM, "a": FAIR * 11}, sha=NEW))
    held = thread("old body")
    assert plan(report, held) == (Update(thread=held, body=report.body),)


def test_a_change_that_matters_is_a_comment_first():
    """Who is interrupted between the two finds the comment there; the other way round it would be lost."""
    report = reported(release(CALM), release(LEAKY, sha=NEW))
    held = thread("old body")
    comment, update = plan(report, held)
    assert comment == Comment(thread=held, key=comment_marker(NEW), body=report.comment)
    assert update == Update(thread=held, body=report.body)
    assert report.comment.split("\n", 1)[0] == comment.key


def test_interrupted_after_the_update_the_comment_is_planned_again():
    """The tracker knows it by its first line, so that it is not written twice."""
    report = reported(release(CALM), release(LEAKY, sha=NEW))
    assert [type(operation) for operation in plan(report, thread(report.body))] == [Comment]


def test_a_first_report_has_no_comment():
    """There is nobody yet who would have to hear of a change."""
    report = reported(release(CALM), release(LEAKY, sha=NEW), first=True)
    assert report.comment == ""
    assert [type(operation) for operation in plan(report, None)] == [Create]


def test_labels_and_title_of_an_issue_are_its_readers():
    """An issue that was retitled, closed or relabelled is updated as it stands."""
    report = reported(None, release(LEAKY))
    (operation,) = plan(report, thread("old", open=False), Policy(labels=("leak",)))
    assert operation == Update(thread=thread("old", open=False), body=report.body)


def test_a_closed_issue_is_kept_up_to_date_in_silence():
    """Somebody closed it: a leak that was known is no reason to speak."""
    grown = {**LEAKY, "a": [LONGEST] * 38 + FAIR * 10}
    report = reported(release(LEAKY), release(grown, sha=NEW))
    assert report.comment
    (operation,) = plan(report, thread("old", open=False))
    assert isinstance(operation, Update)


def test_a_new_leak_opens_a_closed_issue_and_says_why():
    report = reported(release(CALM), release(LEAKY, sha=NEW))
    held = thread("old", open=False)
    comment, reopen, update = plan(report, held)
    assert (type(comment), reopen, type(update)) == (Comment, Reopen(thread=held), Update)


def test_the_last_leak_gone_closes_the_issue_on_request_only():
    report = reported(release(LEAKY), release(CALM, sha=NEW))
    assert report.cleared
    assert not report.worse
    held = thread("old")
    assert [type(operation) for operation in plan(report, held)] == [Comment, Update]
    wished = plan(report, held, Policy(close_when_clean=True))
    assert [type(operation) for operation in wished] == [Comment, Close, Update]


def test_what_people_wrote_is_kept():
    """Ticked boxes, fences and all; the rest of the body is ours."""
    mine = "- [x] looked at\n- [ ] told the authors\n\n```md\n<!-- /benchaudit:notes -->\n```"
    report = reported(release(CALM), release(LEAKY, sha=NEW))
    held = thread(with_notes("old", mine).replace("\n", "\r\n"))
    *_, update = plan(report, held)
    assert notes_of(update.body).replace("\r\n", "\n") == mine
    assert plan(report, thread(update.body))[:-1] == ()


def test_a_fence_that_people_left_open_costs_them_nothing():
    mine = "see\n```\nan example"
    body = with_notes("text", mine)
    assert notes_of(body) == mine
    assert notes_of(with_notes("another text", notes_of(body))) == mine


def test_a_body_that_lost_its_notes_gets_an_empty_part():
    report = reported(None, release(LEAKY))
    (update,) = plan(report, thread(report.body.split("<!-- benchaudit:notes", 1)[0]))
    assert update.body == report.body


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a\nb", "a\r\nb\r\n", True),
        (" a", "a ", True),
        ("a\nb", "a\n\nb", False),
        ("a b", "a  b", False),
        ("", "", True),
    ],
)
def test_same_text(one, other, same):
    assert same_text(one, other) == same
    assert same_text(other, one) == same


# --- the gate ---

CONDITIONS = {
    "": (),
    "severe": ("severe",),
    "leak": ("severe", "leak"),
    "incomplete": ("severe", "leak", "incomplete"),
}
"""What fails each condition."""


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "verdict", ["severe", "leak", "incomplete", "slight", "none-found", "too-few", "not-applicable", ""]
)
def test_a_condition_fails_on_its_verdict_and_worse(condition, verdict):
    severe = verdict == "severe"
    assert fails(condition, "leak" if severe else verdict, severe=severe) == (
        verdict in CONDITIONS[condition]
    )


def test_a_new_leak_is_one_that_was_none():
    assert fails("new-leak", "none-found", severe=False, new_leaks=[(ALL, "longest")])
    assert not fails("new-leak", "leak", severe=True, new_leaks=[])
    assert not fails("leak", "none-found", severe=False, new_leaks=[(ALL, "longest")])


def test_leaks_are_named_by_slice_and_check():
    audit = release(LEAKY).audit
    a = (("topic", "a"),)
    assert {(a, "longest"), (a, "shortest")} <= leaks(audit)
    assert all(key != (("topic", "b"),) for key, _ in leaks(audit))
    assert leaks(release(CALM).audit) == set()
    assert leaks(replace(audit, slices=())) == set()


def test_the_revision_before_is_named_in_the_history():
    """The tables of plan's input rest on it: the report of a comparison knows both revisions."""
    report = reported(release(CALM), release(LEAKY, sha=NEW))
    assert [entry.sha for entry in report.state.history] == [OLD, NEW]
