"""Whose the report issue is, where it is, and what GitHub refuses of it without refusing it."""

from __future__ import annotations

import pytest

from tests.loopback.base import Fault, status
from tests.loopback.github import ACTIONS, GRAPHQL, Account

from .quiz import leaky, quiz, with_distractors
from .stage import DATA, REPOSITORY, TOKEN, Stage

LEAKY, SHORT = with_distractors(leaky()), with_distractors(quiz(["shortest"] * 40))
WRITE = {REPOSITORY: {"issues": "write"}}


@pytest.fixture
def app(stage: Stage) -> Stage:
    """A stage whose workflow has the token of another app than that of workflows."""
    stage.github.accounts[TOKEN] = Account("our-app[bot]", "bot", can=WRITE)
    stage.repo.commit("Upload", {DATA: LEAKY})
    return stage


@pytest.mark.parametrize("others", [False, True])
def test_the_issue_of_an_app_is_found_again(app: Stage, *, others: bool) -> None:
    """It may not be asked who it is in the way of people; there may be issues of workflows, too."""
    if others:
        app.watch.open("Another dataset", "<!-- benchaudit:v1 dataset=team/other -->", by=ACTIONS)
    assert app.run().status == 0
    app.repo.commit("Shorten", {DATA: SHORT})

    run = app.run()

    assert (run.status, run.writes) == (0, ["POST comments", f"PATCH {1 + others}"])
    assert [issue.author for issue in app.watch.issues.values()] == [ACTIONS] * others + ["our-app[bot]"]
    assert app.run().writes == []


def test_where_nobody_says_whose_a_token_is_a_second_issue_is_not_made_in_silence(app: Stage) -> None:
    """A server of an enterprise that knows no such question."""
    unknown = Fault(matches=lambda request: request.path == GRAPHQL, before=status(404), times=99)
    app.github.faults.append(unknown)

    run = app.run()

    (line,) = run.errors
    assert (run.status, "set `author` to our-app[bot]" in line) == (4, True)
    assert run.outputs["verdict"] == "leak"
    assert app.run(author="our-app[bot]").writes == []
    assert len(app.watch.issues) == 1


def test_an_author_that_the_token_is_not_of_is_said(reported: Stage) -> None:
    run = reported.run(author="somebody")

    (line,) = run.errors
    assert run.status == 4
    assert all(words in line for words in (f"opened by {ACTIONS}", "those of somebody", "`author`"))


def test_a_repository_is_known_by_its_new_name(reported: Stage) -> None:
    """An issue that is closed is found there too, and what is written is not lost on the way."""
    reported.watch.turn(reported.issue, "closed", by="ann")
    reported.github.repositories["team/lookout"] = reported.github.repositories.pop(REPOSITORY)
    reported.watch.name = "team/lookout"
    reported.github.accounts[TOKEN] = Account(kind="actions", can={"team/lookout": {"issues": "write"}})
    reported.github.renamed[REPOSITORY] = "team/lookout"
    reported.repo.commit("Shorten", {DATA: SHORT})

    run = reported.run(repository=REPOSITORY)

    assert (run.status, run.writes) == (0, ["POST comments", "PATCH 1", "PATCH 1"])
    assert (reported.issue.state, len(reported.issue.comments)) == ("open", 1)
    assert "/team/lookout/issues/1" in run.outputs["issue-url"]


@pytest.mark.parametrize(
    ("inputs", "left"),
    [
        ({"assignees": "who-left"}, ["leak"]),
        ({"labels": f"leak,{'x' * 51}"}, []),
        ({"labels": "x" * 51, "assignees": "who-left"}, []),
    ],
)
def test_what_is_refused_of_labels_and_assignees_does_not_cost_the_report(
    stage: Stage, inputs: dict[str, str], left: list[str]
) -> None:
    """Somebody has left, or a label is too long: the issue is opened without, and that is said."""
    stage.repo.commit("Upload", {DATA: LEAKY})

    run = stage.run(**{"labels": "leak"} | inputs)

    assert (run.status, run.writes, run.errors) == (0, ["POST issues"], [])
    assert (stage.issue.labels, stage.issue.assignees) == (left, [])
    (line,) = (line for line in run.stderr.splitlines() if line.startswith("::warning"))
    assert "opened without what is refused" in line
    assert run.outputs["issue-number"] == "1"
