"""A damaged state is no fresh start: it is said, nothing is written, and one command mends it."""

from __future__ import annotations

from benchaudit.markers import first_line, marker

from .quiz import fair, with_distractors
from .stage import DATA, DATASET, Stage


def test_a_damaged_state_is_said_and_rebuilt_on_request(reported: Stage) -> None:
    """Somebody's edit cost the state a line; the report still shows what it is about."""
    good = reported.body
    lines = good.split("\n")
    reported.issue.body = damaged = "\n".join([*lines[:2], *lines[3:]])

    run = reported.run()

    assert run.status == 4
    assert "rebuild-state" in run.errors[0]
    assert (reported.body, run.writes) == (damaged, [])
    assert "picking the longest" in run.summary

    run = reported.run(command="rebuild-state")

    assert (run.status, run.writes) == (0, ["PATCH 1"])
    assert reported.state.seen == reported.repo.head
    assert "state was rebuilt" in reported.body
    assert reported.run().writes == []

    reported.repo.commit("Balance", {DATA: with_distractors(fair())})
    assert reported.run().writes == ["POST comments", "PATCH 1"]


def test_a_damaged_state_of_a_dataset_that_was_renamed_is_rebuilt_under_its_new_name(
    reported: Stage,
) -> None:
    """The issue has the old one as yet: without its state it could not be given another."""
    lines = reported.body.split("\n")
    reported.issue.body = "\n".join([*lines[:2], *lines[3:]])
    reported.hub.rename(DATASET, "new-org/quiz-bench")
    run = reported.run()
    assert (run.status, run.writes) == (4, [])
    assert "rebuild-state" in run.errors[0]

    run = reported.run(command="rebuild-state")

    assert (run.status, run.writes) == (0, ["PATCH 1"])
    assert first_line(reported.body) == marker("new-org/quiz-bench")
    assert reported.run().writes == []


def test_a_report_without_its_revision_cannot_be_rebuilt(reported: Stage) -> None:
    reported.issue.body = reported.body.split("\n", 1)[0] + "\n\nnothing else is left"
    run = reported.run(command="rebuild-state")
    assert (run.status, run.writes) == (4, [])
    assert "does not show its revision" in run.errors[0]


def test_a_report_from_a_later_version_is_left_alone(reported: Stage) -> None:
    reported.issue.body = later = reported.body.replace("benchaudit:state:v1", "benchaudit:state:v2", 1)
    run = reported.run()
    assert (run.status, run.writes, reported.body) == (4, [], later)
    assert "later version" in run.errors[0]
