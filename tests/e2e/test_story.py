"""What happens to a dataset, and what its report issue makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchaudit.markers import comment_marker
from benchaudit.state import replaced

from .quiz import fair, leaky, quiz, with_distractors, with_letter
from .stage import DATA, Stage

LEAKY, FAIR = with_distractors(leaky()), with_distractors(fair())
HALF_LEAKY = with_distractors(quiz(["longest", "between"] * 20))


def commented(stage: Stage) -> list[str]:
    """The first lines of the comments, oldest first."""
    return [comment.body.split("\n", 1)[0] for comment in stage.issue.comments]


def test_the_first_report_says_so_and_compares_with_the_data_before(stage: Stage) -> None:
    """A dataset with a past: the newest data, at the commit that brought it, against the data before."""
    stage.repo.commit("initial commit", {".gitattributes": b"*.csv text\n"})
    old = stage.repo.commit("Upload", {DATA: LEAKY})
    stage.repo.commit("Add a card", {"README.md": b"# Quiz\n"})
    new = stage.repo.commit("Balance", {DATA: FAIR})
    seen = stage.repo.commit("Update README.md", {"README.md": b"# The quiz\n"})

    run = stage.run()

    assert run.status == 0
    assert (run.outputs["revision"], run.outputs["previous-revision"]) == (new, old)
    assert "This is the first report here" in stage.body
    assert f"/commit/{old}" in stage.body
    assert (stage.state.past.snapshot.revision.sha, stage.state.seen) == (new, seen)
    assert run.writes == ["POST issues"]
    assert stage.issue.labels == []


def test_a_first_report_of_the_first_data_has_nothing_to_compare_with(stage: Stage) -> None:
    """The first commit with data is a baseline, not an alarm about every row."""
    stage.repo.commit("initial commit", {".gitattributes": b"*.csv text\n"})
    sha = stage.repo.commit("Upload", {DATA: LEAKY})

    run = stage.run()

    assert (run.status, run.outputs["material"]) == (0, "false")
    assert (run.outputs["revision"], run.outputs["previous-revision"]) == (sha, "")
    assert "there is none to compare with" in stage.body
    assert run.report["source"]["revision"] == sha
    assert "first report" in run.summary


def test_a_commit_to_the_card_moves_the_state_and_nothing_else(reported: Stage) -> None:
    """A new commit with the same data costs the card's bytes; readers of the issue see no difference."""
    before, state = reported.body, reported.state
    sha = reported.repo.commit("Fix a typo", {"README.md": b"# The quiz\n"})

    run = reported.run()

    assert (run.status, run.outputs["changed"]) == (0, "false")
    assert run.fetched == ["README.md"]
    assert run.writes == ["PATCH 1"]
    assert reported.state.seen == sha
    assert reported.state.past == state.past
    assert reported.body.split("-->\n")[2:] == before.split("-->\n")[2:]


def test_a_material_change_is_one_comment_and_a_silent_update(reported: Stage) -> None:
    """The leak is gone: one notification, and figures that are those of the new revision."""
    sha = reported.repo.commit("Balance", {DATA: FAIR})

    run = reported.run()

    assert (run.status, run.outputs["material"], run.outputs["verdict"]) == (0, "true", "none-found")
    assert run.writes == ["POST comments", "PATCH 1"]
    assert commented(reported) == [comment_marker(sha)]
    assert run.outputs["comment-url"].endswith(f"#issuecomment-{reported.issue.comments[0].id}")
    assert "No leak found" in reported.body
    assert "first report" not in reported.body
    assert run.stderr.count("::warning") == 1


def test_an_immaterial_change_is_a_silent_update(reported: Stage) -> None:
    """One wrong option in other words: the issue is up to date, and nobody is notified."""
    assert b"self answer 003b" in LEAKY
    sha = reported.repo.commit("Reword", {DATA: LEAKY.replace(b"self answer 003b", b"self reply! 003b")})

    run = reported.run()

    assert (run.outputs["changed"], run.outputs["material"]) == ("true", "false")
    assert run.writes == ["PATCH 1"]
    assert reported.issue.comments == []
    assert reported.state.past.snapshot.revision.sha == sha


def test_a_burst_of_commits_with_equal_data_is_one_audit(reported: Stage) -> None:
    """Ten uploads of which one has new bytes: each file is read once, and one comment speaks of it."""
    sha = reported.repo.commit("Upload dataset", {DATA: FAIR})
    for number in range(8):
        reported.repo.commit("Upload dataset", {"stats.txt": b"%d" % number})
    last = reported.repo.commit("Upload dataset", {DATA: FAIR})

    run = reported.run()

    assert run.fetched.count(DATA) == 2  # the new data, and the data before for the comparison
    assert run.writes == ["POST comments", "PATCH 1"]
    assert commented(reported) == [comment_marker(sha)]
    assert reported.state.seen == last


def test_a_backlog_is_caught_up_oldest_first(reported: Stage) -> None:
    """Three revisions since the last run: a comment each in their order, and the issue shows the last."""
    shas = [reported.repo.commit("Change", {DATA: data}) for data in (HALF_LEAKY, FAIR, LEAKY)]

    run = reported.run()

    assert commented(reported) == [comment_marker(sha) for sha in shas]
    assert run.writes == ["POST comments", "PATCH 1"] * 3
    assert run.outputs["revision"] == shas[-1]
    assert [entry.sha for entry in reported.state.history][1:] == shas


@pytest.mark.parametrize("anew", ["a check's version", "a setting"])
def test_a_backlog_is_caught_up_where_figures_are_made_anew(reported: Stage, anew: str) -> None:
    """The revision that people know is audited again first: the leak that went with the first is news."""
    known = reported.state
    inputs = {"min_effect": "6"} if anew == "a setting" else {}
    if anew == "a check's version":
        before = replace(known, checks={**known.checks, "longest": 0})
        reported.issue.body = replaced(reported.body, before)
    reworded = FAIR.replace(b"self 3?", b"self three?")
    shas = [reported.repo.commit("Change", {DATA: data}) for data in (FAIR, reworded)]

    run = reported.run(**inputs)

    assert (run.outputs["revision"], run.outputs["previous-revision"]) == (shas[1], shas[0])
    assert run.outputs["material"] == "true"
    assert commented(reported) == [comment_marker(shas[0])]
    assert [entry.sha for entry in reported.state.history] == [known.past.snapshot.revision.sha, *shas]
    assert reported.run(**inputs).writes == []


def test_where_figures_are_made_anew_of_the_same_data_nobody_is_notified(reported: Stage) -> None:
    """Nor of data before it, which was told of when it came."""
    reported.repo.commit("Balance", {DATA: FAIR})
    reported.run()
    told = commented(reported)

    run = reported.run(min_effect="6")

    assert (run.outputs["material"], run.writes) == ("false", ["PATCH 1"])
    assert commented(reported) == told


def test_where_new_settings_cannot_read_the_old_data_stored_figures_are_compared(reported: Stage) -> None:
    """Columns have other names now, and the settings say so: a leak that went with them is news."""
    old = reported.state.past.snapshot.revision.sha
    sha = reported.repo.commit("Rename columns", {DATA: with_letter(fair())})

    run = reported.run(options="options", gold="answer", gold_encoding="letter")

    assert (run.status, run.outputs["material"], run.outputs["previous-revision"]) == (0, "true", old)
    assert commented(reported) == [comment_marker(sha)]
    assert "no longer leaks" in reported.issue.comments[0].body
    assert "rows could not be paired" in reported.body
    assert "could not be audited" not in reported.body


def test_max_commits_bounds_a_backlog_and_the_issue_says_so(reported: Stage) -> None:
    """Of five commits the two newest are looked at, and readers are told of the three."""
    for data in (HALF_LEAKY, FAIR, HALF_LEAKY):
        reported.repo.commit("Change", {DATA: data})
    shas = [reported.repo.commit("Change", {DATA: data}) for data in (FAIR, LEAKY)]

    run = reported.run(max_commits="2")

    assert commented(reported) == [comment_marker(sha) for sha in shas]
    assert "3 older commits" in reported.body
    assert "3 older commits" in run.summary


def test_data_that_is_gone_is_an_error_and_data_that_is_back_is_compared_with_the_last(
    reported: Stage,
) -> None:
    """A commit without the data says nothing of leaks; the next one with data follows on the last one."""
    old = reported.repo.head
    before = reported.body
    reported.repo.commit("Move", {DATA: None})

    gone = reported.run()

    assert (gone.status, len(gone.errors), gone.writes) == (3, 1, [])
    assert reported.body == before
    new = reported.repo.commit("Move back", {DATA: FAIR})

    back = reported.run()

    assert back.status == 0
    assert (back.outputs["previous-revision"], back.outputs["revision"]) == (old, new)
    assert commented(reported) == [comment_marker(new)]


BROKEN = {"without a byte": b"", "no benchmark": b"a,b\n1,2\n"}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_first_report_does_without_an_earlier_revision_that_cannot_be_audited(
    stage: Stage, data: bytes
) -> None:
    """What was wrong in the past is no reason to say nothing of the present."""
    broken = stage.repo.commit("Upload", {DATA: data})
    sha = stage.repo.commit("Mend", {DATA: LEAKY})

    run = stage.run()

    assert (run.status, run.outputs["revision"], run.outputs["previous-revision"]) == (0, sha, "")
    assert f"Revision `{broken[:7]}` could not be audited" in stage.body
    assert broken[:7] in run.stderr


def test_a_revision_that_cannot_be_audited_holds_up_only_until_it_is_mended(reported: Stage) -> None:
    """While it is the newest it is an error; after that it is passed over, and readers are told."""
    old, before = reported.repo.head, reported.body
    broken = reported.repo.commit("Break", {DATA: b"a,b\n1,2\n"})
    assert (reported.run().status, reported.body) == (2, before)
    sha = reported.repo.commit("Mend", {DATA: FAIR})

    run = reported.run()

    assert (run.status, run.outputs["previous-revision"], run.outputs["revision"]) == (0, old, sha)
    assert commented(reported) == [comment_marker(sha)]
    assert f"Revision `{broken[:7]}` could not be audited" in reported.body


def test_a_squashed_history_with_the_same_data_is_no_news(reported: Stage) -> None:
    """The last commit looked at is gone, its bytes are not: the state moves on in silence."""
    sha = reported.repo.squash("Squash")

    run = reported.run()

    assert (run.status, run.outputs["changed"]) == (0, "false")
    assert (run.writes, reported.issue.comments) == (["PATCH 1"], [])
    assert DATA not in run.fetched
    assert reported.state.seen == sha


def test_a_squashed_history_with_other_data_is_compared_with_the_stored_figures(reported: Stage) -> None:
    """The old rows cannot be had any more: the stored counts are compared, and the issue says so."""
    reported.repo.commit("Balance", {DATA: FAIR})
    sha = reported.repo.squash("Squash")

    run = reported.run()

    assert (run.status, run.outputs["material"]) == (0, "true")
    assert "History was rewritten" in reported.body
    assert "rows could not be paired" in reported.body
    assert commented(reported) == [comment_marker(sha)]


def test_a_tag_can_be_watched(stage: Stage) -> None:
    """What came after the tag is none of its business."""
    sha = stage.repo.commit("Upload", {DATA: LEAKY})
    stage.repo.tag("v1.0")
    stage.repo.commit("Balance", {DATA: FAIR})

    run = stage.run(revision="v1.0")

    assert (run.outputs["revision"], run.outputs["verdict"]) == (sha, "leak")
