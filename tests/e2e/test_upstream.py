"""Reports upstream: a draft that waits, one person's word that lets it go, and one report for ever."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from benchaudit.markers import upstream_marker
from benchaudit.report.upstream import draft_of
from tests.loopback.base import Fault, status
from tests.loopback.github import ACTIONS, Account, Repository

from .quiz import fair, leaky, quiz, with_distractors
from .stage import DATA, DATASET, HUB_TOKEN, Run, Stage

LEAKY, FAIR = with_distractors(leaky()), with_distractors(fair())
SHORT = with_distractors(quiz(["shortest"] * 40))
UPSTREAM, UPSTREAM_TOKEN = "authors/quiz", "ghp_token_for_upstream"
LABEL = "upstream-approved"


@pytest.fixture
def drafted(stage: Stage) -> Iterator[Stage]:
    """A stage with a leaking dataset, whose first report holds a draft for its authors' repository."""
    stage.github.repositories[UPSTREAM] = Repository(name=UPSTREAM, clock=stage.github.clock)
    stage.github.accounts[UPSTREAM_TOKEN] = Account("messenger", can={})
    stage.watch.collaborators |= {"ann": "write", "tim": "triage"}
    stage.repo.commit("Upload", {DATA: LEAKY})
    assert look(stage).status == 0
    yield stage
    assert all(seen.authorization != f"token {UPSTREAM_TOKEN}" for run in stage.runs for seen in at_home(run))


def look(stage: Stage, **inputs: str) -> Run:
    """A run that wishes for a report upstream."""
    given = {"upstream": f"github:{UPSTREAM}", "upstream_token": UPSTREAM_TOKEN} | inputs
    return stage.run(**given)


def at_home(run: Run):
    """The requests of a run to the repository that watches."""
    return [seen for seen in run.github if UPSTREAM not in seen.path and seen.path != "/user"]


def upstream(stage: Stage) -> Repository:
    """The authors' repository."""
    return stage.github.repositories[UPSTREAM]


def approve(stage: Stage, by: str = "ann") -> None:
    """Somebody adds the label."""
    stage.watch.relabel(stage.issue, [*stage.issue.labels, LABEL], by=by)


def test_nothing_is_sent_unasked(drafted: Stage) -> None:
    """The draft stands in our own issue, and waits for ever."""
    assert draft_of(drafted.body) is not None
    drafted.repo.commit("Add more of the same", {DATA: with_distractors(leaky(44))})
    look(drafted)

    assert look(drafted).writes == []
    assert upstream(drafted).issues == {}
    assert f"github:{UPSTREAM}" in drafted.body


def test_what_was_drafted_is_sent_once_somebody_lets_it_go(drafted: Stage) -> None:
    """As it stood there when it was approved, though the data is another by now."""
    title, text = draft_of(drafted.body) or ("", "")
    approve(drafted)
    drafted.repo.commit("Shorten", {DATA: SHORT})

    run = look(drafted)

    assert run.status == 0
    (issue,) = upstream(drafted).issues.values()
    assert (issue.author, issue.title) == ("messenger", title)
    assert issue.body == f"{upstream_marker(DATASET)}\n\n{text}"
    assert "Hello, and thank you for `team/quiz`" in text
    assert "python" in text
    assert drafted.state.kept.sent is not None
    assert issue.number == 1
    assert "/authors/quiz/issues/1" in drafted.body
    assert draft_of(drafted.body) is None

    drafted.repo.commit("Revert", {DATA: LEAKY})
    look(drafted)
    assert (len(upstream(drafted).issues), issue.comments) == (1, [])
    assert "/authors/quiz/issues/1" in drafted.body


def test_a_label_is_the_same_in_another_case(drafted: Stage) -> None:
    """GitHub has one of them, whatever the case in which a setting names it."""
    approve(drafted)

    look(drafted, approval_label=LABEL.upper())

    assert len(upstream(drafted).issues) == 1


@pytest.mark.parametrize("who", ["tim", "a stranger", ACTIONS])
def test_only_those_who_may_write_let_it_go(drafted: Stage, who: str) -> None:
    """A label can be added by people who triage, and by what a workflow does in our name."""
    approve(drafted, by=who)

    run = look(drafted)

    assert (run.status, run.writes) == (0, [])
    assert "may not write here" in run.stderr
    assert upstream(drafted).issues == {}


def test_killed_on_the_way_it_is_sent_once(drafted: Stage) -> None:
    """Before or after any request of the run that sends it."""
    approve(drafted)
    number, after = 1, False
    while True:
        drafted.kill(drafted.github, number, after=after)
        status = look(drafted).status
        drafted.github.faults.clear()
        if status == 0:
            break
        number, after = (number + after, not after)
    assert number > 6
    assert look(drafted).writes == []
    assert len(upstream(drafted).issues) == 1
    assert draft_of(drafted.body) is None


def test_more_is_said_only_where_it_is_wished_and_until_they_close(drafted: Stage) -> None:
    approve(drafted)
    look(drafted)
    (issue,) = upstream(drafted).issues.values()

    drafted.repo.commit("Balance", {DATA: FAIR})
    assert look(drafted, upstream_follow_up="true").status == 0
    assert len(issue.comments) == 1
    assert "no longer leaks" in issue.comments[0].body

    issue.state = "closed"
    drafted.repo.commit("Shorten", {DATA: SHORT})
    assert look(drafted, upstream_follow_up="true").status == 0
    assert (issue.state, len(issue.comments)) == ("closed", 1)
    assert "It was closed there" in drafted.body

    issue.state = "open"
    drafted.repo.commit("Balance again", {DATA: FAIR})
    asked = look(drafted, upstream_follow_up="true")
    assert not any(UPSTREAM in seen.path for seen in asked.github)


def test_a_dataset_that_is_renamed_keeps_its_report_upstream(drafted: Stage) -> None:
    """Which was sent by the name of then."""
    approve(drafted)
    look(drafted)
    drafted.hub.rename(DATASET, "benchmarks/quiz")
    drafted.repo.commit("Balance", {DATA: FAIR})

    assert look(drafted, upstream_follow_up="true").status == 0

    (issue,) = upstream(drafted).issues.values()
    assert len(issue.comments) == 1
    assert "/authors/quiz/issues/1" in drafted.body


def test_what_was_sent_is_not_sent_again_after_a_rename_and_a_loss(drafted: Stage) -> None:
    """Our issue was deleted, and with it what we knew; the report upstream has the name of then."""
    approve(drafted)
    look(drafted)
    drafted.hub.rename(DATASET, "benchmarks/quiz")
    del drafted.watch.issues[drafted.issue.number]
    assert look(drafted).status == 0
    approve(drafted)

    assert look(drafted).status == 0

    assert len(upstream(drafted).issues) == 1
    assert "/authors/quiz/issues/1" in drafted.body
    assert look(drafted).writes == []


def test_where_it_cannot_be_sent_our_own_report_goes_on(drafted: Stage) -> None:
    """What was approved stays as it is, and is what goes out when it can."""
    approved = draft_of(drafted.body)
    upstream(drafted).has_issues = False
    approve(drafted)
    sha = drafted.repo.commit("Shorten", {DATA: SHORT})

    run = look(drafted)

    assert (run.status, run.outputs["revision"]) == (4, sha)
    assert any("issues are switched off" in line for line in run.errors)
    assert drafted.state.past.snapshot.revision.sha == sha
    assert draft_of(drafted.body) == approved

    upstream(drafted).has_issues = True
    assert look(drafted).status == 0
    (issue,) = upstream(drafted).issues.values()
    assert approved is not None
    assert (issue.body or "").endswith(approved[1])


def test_a_dataset_without_a_leak_has_no_draft(stage: Stage) -> None:
    stage.repo.commit("Upload", {DATA: FAIR})
    assert look(stage).status == 0
    assert draft_of(stage.body) is None


def test_the_maintainers_of_a_dataset_can_be_told_on_the_hub(stage: Stage) -> None:
    """Where it has no repository of its own: a discussion on the dataset."""
    stage.watch.collaborators["ann"] = "write"
    stage.repo.commit("Upload", {DATA: LEAKY})
    given = {"upstream": "hub", "upstream_token": HUB_TOKEN}
    stage.run(**given)
    assert stage.dataset.discussions == []
    approve(stage)

    assert stage.run(**given).status == 0
    assert stage.run(**given).writes == []
    (discussion,) = stage.dataset.discussions
    assert discussion.title.startswith("Some answers of team/quiz")
    assert "/discussions/" in stage.body


def test_what_nobody_has_read_is_not_let_go(stage: Stage) -> None:
    """A label from before there was a draft is taken off, and has to be added anew."""
    stage.github.repositories[UPSTREAM] = Repository(name=UPSTREAM, clock=stage.github.clock)
    stage.github.accounts[UPSTREAM_TOKEN] = Account("messenger", can={})
    stage.watch.collaborators["ann"] = "write"
    stage.repo.commit("Upload", {DATA: FAIR})
    look(stage)
    approve(stage)
    stage.repo.commit("Lengthen", {DATA: LEAKY})

    assert look(stage).status == 0
    assert look(stage).writes == []
    assert (stage.issue.labels, upstream(stage).issues) == ([], {})
    assert draft_of(stage.body) is not None
    approve(stage)
    look(stage)
    assert len(upstream(stage).issues) == 1


@pytest.mark.parametrize("channel", ["folder", "none"])
def test_where_nobody_can_approve_nothing_can_be_wished_for(stage: Stage, channel: str) -> None:
    stage.repo.commit("Upload", {DATA: LEAKY})
    run = look(stage, channel=channel)
    assert run.status == 2
    assert "upstream is approved by a label" in run.errors[0]


def is_refused(stage: Stage, status_: int, said: str) -> None:
    """The next post to the authors' repository is refused in these words."""
    answer = status(status_, json.dumps({"message": said}), {"Content-Type": "application/json"})
    stage.github.faults.append(
        Fault(matches=lambda r: UPSTREAM in r.path and r.method == "POST", before=answer)
    )


@pytest.mark.parametrize("how", ["locked", "archived", "blocked", "switched off"])
def test_who_takes_no_comments_any_more_has_closed_it(drafted: Stage, how: str) -> None:
    """A lock is as much of an answer as a close: nothing more is sent, and no run fails of it."""
    approve(drafted)
    look(drafted)
    (issue,) = upstream(drafted).issues.values()
    if how == "blocked":
        is_refused(drafted, 403, "User is blocked")
    elif how == "switched off":
        is_refused(drafted, 410, "Issues are disabled for this repo")
    else:
        issue.locked, upstream(drafted).archived = how == "locked", how == "archived"
    drafted.repo.commit("Shorten", {DATA: SHORT})

    run = look(drafted, upstream_follow_up="true")

    assert (run.status, run.errors) == (0, [])
    assert "nothing more is sent upstream" in run.stderr
    assert "takes no comments any more" in drafted.body
    issue.locked = upstream(drafted).archived = False
    drafted.repo.commit("Balance", {DATA: FAIR})
    look(drafted, upstream_follow_up="true")
    assert issue.comments == []


@pytest.mark.parametrize(
    ("token", "says"),
    [
        ("", ("may not write issues there", "upstream-token", "own repository only")),
        ("ghp_other", ("not accepted", "check upstream-token")),
    ],
)
def test_what_is_wrong_upstream_is_said_of_its_own_inputs(
    drafted: Stage, token: str, says: tuple[str, ...]
) -> None:
    """Not of the token and the permissions of the workflow, which are well."""
    approve(drafted)

    run = look(drafted, upstream_token=token)

    (line,) = run.errors
    assert run.status == 4
    assert [words for words in says if words not in line] == []


def test_the_authors_repository_is_found_under_its_new_name(drafted: Stage) -> None:
    """A write to the old name is led on, which the client does not follow: it would be lost."""
    new = Repository(name=f"{UPSTREAM}-bench", clock=drafted.github.clock)
    drafted.github.repositories[f"{UPSTREAM}-bench"] = new
    drafted.github.renamed[UPSTREAM] = f"{UPSTREAM}-bench"
    approve(drafted)

    assert look(drafted).status == 0

    assert len(new.issues) == 1
    assert f"/{UPSTREAM}-bench/issues/1" in drafted.body
