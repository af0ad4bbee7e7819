"""Whoever is killed at any request and runs again ends where one run would have ended."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from tests.loopback.base import Loopback
from tests.loopback.github import WRITING

from .quiz import fair, leaky, with_distractors
from .stage import DATA, Run, Stage


class Moment(NamedTuple):
    """When a run is killed: at its request `number` to a platform, before or after the work of it."""

    platform: Literal["hub", "github"]
    number: int
    after: bool

    def server(self, stage: Stage) -> Loopback:
        """The server whose request it is."""
        return stage.hub if self.platform == "hub" else stage.github


class Left(NamedTuple):
    """What a reader of the repository finds."""

    titles: list[str]
    bodies: list[str | None]
    comments: list[str]


def test_a_first_report_survives_a_kill_at_every_request(tmp_path: Path) -> None:
    """One issue with the body that it would have had."""

    def begin(stage: Stage) -> None:
        stage.repo.commit("Upload", {DATA: with_distractors(leaky(24))})

    left = _killed_everywhere(tmp_path, begin, first_write="POST issues")
    assert (len(left.titles), left.comments) == (1, [])


def test_a_material_change_survives_a_kill_at_every_request(tmp_path: Path, first_report: Stage) -> None:
    """One comment, not two, and the body that it would have had."""

    def begin(stage: Stage) -> None:
        stage.repo.commit("Upload", {DATA: with_distractors(leaky()), "README.md": b"# Quiz\n"})
        stage.take_over(first_report)
        stage.repo.commit("Balance", {DATA: with_distractors(fair())})

    left = _killed_everywhere(tmp_path, begin, first_write="POST comments")
    assert (len(left.titles), len(left.comments)) == (1, 1)


def _killed_everywhere(root: Path, begin: Callable[[Stage], None], first_write: str) -> Left:
    """Kill a run at each of its requests, and return what one ends with that is left alone."""
    with _begun(root / "whole", begin) as stage:
        run = stage.run()
        meant = _left(stage)
    assert run.writes[0] == first_write
    harmless, others = _moments(run)
    trials = [*harmless, *([moment] for moment in others)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        found = pool.map(partial(_killed_at, root, begin), trials)
        assert [trial for trial, left in zip(trials, found, strict=True) if left != meant] == []
    return meant


def _moments(run: Run) -> tuple[list[list[Moment]], list[Moment]]:
    """The moments of this run: those before it wrote anything, by platform, and then each of the rest.

    A moment is before each request, and after each write: nothing else has done any work by then.
    """
    first = next(number for number, seen in enumerate(run.github) if seen.method in WRITING)
    hub = [Moment("hub", number, after=False) for number in range(1, len(run.hub) + 1)]
    github = [
        Moment("github", number, after)
        for number, seen in enumerate(run.github, start=1)
        for after in ((False, True) if seen.method in WRITING else (False,))
    ]
    return [hub, github[: first + 1]], github[first + 1 :]


def _killed_at(root: Path, begin: Callable[[Stage], None], moments: list[Moment]) -> Left:
    """Kill one run at each of these moments, let the next one be, and return what there is then.

    Several runs are killed one after the other on the same stage where none of them gets to write.
    """
    with _begun(root / "-".join(map(str, moments[0])), begin) as stage:
        before = _left(stage)
        for moment in moments:
            stage.kill(moment.server(stage), moment.number, after=moment.after)
            assert stage.run().status == -9
            assert len(moments) == 1 or _left(stage) == before
        assert stage.run().status == 0
        stage.check()
        return _left(stage)


def _begun(place: Path, begin: Callable[[Stage], None]) -> Stage:
    place.mkdir()
    stage = Stage(root=place)
    begin(stage)
    return stage


def _left(stage: Stage) -> Left:
    """What there is, the port of the Hub aside."""
    issues = list(stage.watch.issues.values())
    return Left(
        titles=[issue.title for issue in issues],
        bodies=[stage.without_port(issue.body or "") for issue in issues],
        comments=[stage.without_port(comment.body) for issue in issues for comment in issue.comments],
    )
