"""One story as processes under ten weathers: a fault at every boundary of one kind, and two runs at once.

The story has a first report, a change that closes it with a release, a rename with a leak that comes
back, and a report upstream. Whatever the weather, runs are repeated until one is content; what is left
then is what fair weather leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from werkzeug.wrappers import Request

from tests.e2e.quiz import fair, leaky, quiz, with_distractors
from tests.e2e.stage import DATA, PROBE, Run, Stage
from tests.loopback.base import Answer, Fault, Loopback, cut, status
from tests.loopback.github import WRITING, Account, Issue, Repository, secondary_limit
from tests.loopback.hub import rate_limited

from .left import left

LEAKY, FAIR, SHORT = map(with_distractors, (leaky(), fair(), quiz(["shortest"] * 40)))
UPSTREAM, UPSTREAM_TOKEN = "authors/quiz", "ghp_token_for_upstream"
LABEL = "upstream-approved"
MOST_RUNS = 60
"""Runs that a story may need: each request is struck once, and a run that fails was struck at least once."""

KILLED = -9

GIVEN = {
    "upstream": f"github:{UPSTREAM}",
    "upstream_token": UPSTREAM_TOKEN,
    "upstream_follow_up": "true",
    "close_when_clean": "true",
}


@dataclass(frozen=True)
class Weather:
    """What befalls each request that matches, the first time that it is made.

    With `killed` the run is killed there instead; `patience` is what a run waits for a rate limit.
    """

    server: str
    matches: Callable[[Request], bool]
    before: Answer | None = None
    after: Answer | None = None
    killed: bool = False
    patience: str = "0"
    struck: set[tuple[str, str, bytes]] = field(default_factory=set)

    def platform(self, stage: Stage) -> Loopback:
        """The server that it is about."""
        return stage.hub if self.server == "hub" else stage.github

    def strikes(self, request: Request) -> bool:
        """Whether it strikes this request, which it then has."""
        key = (request.method, request.url, request.get_data())
        if not self.matches(request) or key in self.struck:
            return False
        self.struck.add(key)
        return True


def writes(request: Request) -> bool:
    """Whether a request writes."""
    return request.method in WRITING


def made_good(request: Request) -> bool:
    """Whether it writes, and a later run does it where this could not: all but a follow-up upstream."""
    return writes(request) and request.path != f"/repos/{UPSTREAM}/issues/1/comments"


def reads(request: Request) -> bool:
    """Whether a request reads."""
    return request.method not in WRITING


def anything(request: Request) -> bool:
    """Every request of the program's own."""
    return request.path != PROBE


WEATHERS: dict[str, Callable[[], Weather]] = {
    "502 after every write": lambda: Weather("github", writes, after=status(502, "<html>Unicorn</html>")),
    "cut after every write": lambda: Weather("github", writes, after=cut),
    "500 at every write": lambda: Weather("github", made_good, before=status(500, "{}")),
    "cut at every read": lambda: Weather("github", reads, before=cut),
    "slow down at every write": lambda: Weather(
        "github", writes, before=secondary_limit(retry_after=0), patience="5"
    ),
    "give up at every write": lambda: Weather("github", made_good, before=secondary_limit(retry_after=60)),
    "killed after every write": lambda: Weather("github", writes, killed=True),
    "429 at every call to the Hub": lambda: Weather("hub", anything, before=rate_limited(0)),
    "cut at every call to the Hub": lambda: Weather("hub", anything, before=cut),
}


def begun(root: Path) -> Stage:
    """A stage with a repository upstream, and somebody who may approve."""
    stage = Stage(root=root)
    stage.github.repositories[UPSTREAM] = Repository(name=UPSTREAM, clock=stage.github.clock)
    stage.github.accounts[UPSTREAM_TOKEN] = Account("messenger")
    stage.watch.collaborators["ann"] = "write"
    return stage


def story(stage: Stage) -> Iterator[str]:
    """What authors and people do; after each part there is a look."""
    stage.repo.commit("Upload", {DATA: LEAKY, "README.md": b"# Quiz\n"})
    yield "a first report"
    stage.repo.commit("Balance", {DATA: FAIR})
    stage.repo.tag("v1.0")
    yield "the last leak is gone, and released"
    stage.hub.rename("team/quiz", "benchmarks/quiz")
    stage.repo.commit("Revert", {DATA: LEAKY})
    stage.repo.tag("v1.1")
    yield "it has another name, and the leak is back"
    stage.watch.relabel(report(stage), [LABEL], by="ann")
    yield "its maintainers are told"
    stage.repo.commit("Shorten", {DATA: SHORT})
    yield "and of another leak too"


def report(stage: Stage) -> Issue:
    """The report issue: of several the one that was not closed as a duplicate."""
    (issue,) = (one for one in stage.watch.issues.values() if one.state_reason != "not_planned")
    return issue


def ending(stage: Stage) -> dict[str, Any]:
    """What is there at the end, and that nothing is left to do."""
    assert look(stage).writes == []
    stage.check()
    return left(report(stage), stage.github.repositories[UPSTREAM])


def look(stage: Stage, patience: str = "0") -> Run:
    """One run of the job."""
    return stage.run(environment={"BENCHAUDIT_PATIENCE": patience}, **GIVEN)


@pytest.fixture(scope="module")
def meant(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What fair weather leaves."""
    with begun(tmp_path_factory.mktemp("fair-weather")) as stage:
        for _ in story(stage):
            run = look(stage)
            assert run.status == 0, run.stderr
        return ending(stage)


@pytest.mark.parametrize("weather", WEATHERS)
def test_a_story_ends_the_same_whatever_the_weather(
    weather: str, tmp_path: Path, meant: dict[str, Any]
) -> None:
    """Runs are repeated as a schedule would; each leaves the next one less to do."""
    now = WEATHERS[weather]()
    with begun(tmp_path) as stage:
        befall(stage, now)
        for part in story(stage):
            statuses = list(iter(lambda: weathered(stage, now), 0))
            assert set(statuses) <= {3, 4, KILLED}, part
        stage.github.faults.clear()
        stage.hub.faults.clear()
        end = ending(stage)
    assert len(now.struck) > 8
    for part, there in meant.items():
        assert end[part] == there, part


def test_a_story_ends_the_same_where_two_runs_are_at_it(tmp_path: Path, meant: dict[str, Any]) -> None:
    """They begin at one time, over one repository; a later one finds nothing left to do."""
    with begun(tmp_path) as stage, ThreadPoolExecutor(max_workers=2) as pool:
        other = copy(stage)
        other.root, other.runs = tmp_path / "other", []
        for part in story(stage):
            statuses = [run.status for run in pool.map(look, (stage, other))]
            assert set(statuses) <= {0, 4}, part
            assert look(stage).status == 0
        end = ending(stage)
        other.check()
    for part, there in meant.items():
        assert end[part] == there, part


def befall(stage: Stage, weather: Weather) -> None:
    """Let it strike from now on; who is to be killed is to be named run by run."""
    if not weather.killed:
        fault = Fault(matches=weather.strikes, before=weather.before, after=weather.after, times=10_000)
        weather.platform(stage).faults.append(fault)


def weathered(stage: Stage, weather: Weather) -> int:
    """The exit status of one run in this weather."""
    if weather.killed:
        stage.kill(weather.platform(stage), 1, after=True, at=weather.strikes)
    assert len(stage.runs) < MOST_RUNS
    return look(stage, weather.patience).status
