"""Two worlds in one: a dataset on a Hub, and two repositories that watch it.

In the one, runs meet faults, kills and races, each made good by a run that is left alone. In the other,
its twin, every run is left alone. People do the same in both; so both must end the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import huggingface_hub.constants
import pytest

from benchaudit.auditor import Auditor
from benchaudit.errors import BenchauditError
from benchaudit.hub import Hub
from benchaudit.markers import dataset_of, first_line
from benchaudit.outcome import Outcome
from benchaudit.parts import closing, opening
from benchaudit.report.templates import Templates
from benchaudit.report.upstream import Wish
from benchaudit.settings import Settings, settle
from benchaudit.sources.base import Selection
from benchaudit.sources.hub import HubSource
from benchaudit.state import State, load
from benchaudit.tracker.connection import Connection
from benchaudit.tracker.github import GitHubTracker
from benchaudit.upstream import Upstream
from benchaudit.watch import Watcher
from tests.e2e.quiz import fair, leaky, quiz, with_distractors
from tests.e2e.stage import DATA, DATASET, HUB_TOKEN, REPOSITORY, SECRETS, TOKEN, Stage
from tests.loopback.github import ACTIONS, Account, Issue, Repository
from tests.loopback.repos import blob, log, tree

from .left import left
from .memory import Memory
from .wire import Killed, Wire

DATASETS = {
    "leaky": with_distractors(leaky()),
    "fair": with_distractors(fair()),
    "shorter": with_distractors(quiz(["shortest"] * 40)),
    "more rows": with_distractors([*leaky(), *fair(24, "others")]),
    "broken": b"id,question\n1,What?\n",
}
CARDS = [b"# Quiz\n", b"# The quiz\n", b"# The best quiz\n"]
TWIN = "team/twin"
UPSTREAM_TOKEN = "ghp_token_for_upstream"
UPSTREAMS = {REPOSITORY: "authors/quiz", TWIN: "authors/twin"}
LABEL = "upstream-approved"
_OURS = "<!-- benchaudit:"


class Ended(NamedTuple):
    """How a run ended: with an outcome, an error, or a kill."""

    outcome: Outcome | None
    error: BaseException | None

    @property
    def trouble(self) -> str:
        """What could not be delivered; "" where all was."""
        return str(self.outcome.failure) if self.outcome and self.outcome.failure else ""


@dataclass(frozen=True)
class Ways:
    """How a repository is set up, for a whole history."""

    close_when_clean: bool = False
    follow_up: bool = False
    most_commits: int = 4


class World:
    """The platforms, and what people and runners do there. Use it as a context manager."""

    def __init__(self, root: Path, memory: Memory, wire: Wire, ways: Ways) -> None:
        self.stage = Stage(root=root)
        self.memory, self.wire, self.ways = memory, wire, ways
        self.said: list[str] = []
        self._runs = 0
        github = self.stage.github
        for name in (TWIN, *UPSTREAMS.values()):
            github.repositories[name] = Repository(name=name, clock=github.clock)
        for name in UPSTREAMS:
            self.repositories[name].collaborators["ann"] = "write"
        may = {"issues": "write"}
        github.accounts[TOKEN] = Account(kind="actions", can={REPOSITORY: may, TWIN: may})
        github.accounts[UPSTREAM_TOKEN] = Account("messenger")

    def __enter__(self) -> Self:
        self.stage.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.stage.__exit__(*error)

    @property
    def repositories(self) -> dict[str, Repository]:
        """Every repository, by name."""
        return self.stage.github.repositories

    @property
    def ours(self) -> dict[str, Issue]:
        """The report issue of each watching repository that has one: of several the one that counts."""
        return {name: found for name in UPSTREAMS if (found := self._report(self.repositories[name]))}

    def _report(self, repository: Repository) -> Issue | None:
        mine = [issue for issue in repository.issues.values() if issue.author == ACTIONS]
        return min(mine, key=lambda issue: (issue.state != "open", issue.number), default=None)

    # What runners do.

    def run(self, repository: str, release: str = "") -> Ended:
        """One run over the real source and tracker, and how it ended; only what may end a run does."""
        with ExitStack() as edges:
            watcher = edges.enter_context(self.watcher(repository, release))
            try:
                return Ended(watcher.run(), None)
            except (BenchauditError, Killed) as error:
                return Ended(None, error)

    @contextmanager
    def watcher(self, repository: str, release: str = "") -> Iterator[Watcher]:
        """A runner of this repository with a cold cache, ready to run."""
        self._runs += 1
        place = self.stage.root / f"run-{self._runs}"
        place.mkdir()
        settings = self._settings(release)
        hub = Hub(HUB_TOKEN, lambda _: None, self.stage.hub.url)
        tracker = GitHubTracker(self._connection(repository, TOKEN))
        there = GitHubTracker(self._connection(UPSTREAMS[repository], UPSTREAM_TOKEN))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(place / "cache"))
            try:
                yield Watcher(
                    auditor=Auditor(
                        source=HubSource(hub, DATASET, "", Selection(patterns=(DATA,))),
                        settings=settings,
                        work=place,
                        say=self.said.append,
                    ),
                    tracker=tracker,
                    templates=Templates(),
                    upstream=Upstream(
                        wish=Wish(where="github:authors/quiz", label=LABEL, follow_up=self.ways.follow_up),
                        desk=tracker,
                        there=lambda: there,
                        say=self.said.append,
                    ),
                )
            finally:
                for each in (tracker, there):
                    each._connection.api.close()

    def _settings(self, release: str) -> Settings:
        given = {
            "dataset": DATASET,
            "files": DATA,
            "slices": "who",
            "labels": "benchmark",
            "release": release,
            "close-when-clean": str(self.ways.close_when_clean).lower(),
            "max-commits": str(self.ways.most_commits),
        }
        return settle([{name: (text, name) for name, text in given.items()}])

    def _connection(self, repository: str, token: str) -> Connection:
        # An answer that asks to wait a second or more is given up, one that asks for nothing is not.
        url = self.stage.github.url
        return Connection(api=url, token=token, repository=repository, pause=0, patience=0.5)

    # What people do.

    def everywhere(self, act: Callable[[Repository, Issue], object]) -> None:
        """Do the same to the report issue of both repositories."""
        for name, issue in self.ours.items():
            act(self.repositories[name], issue)

    def write_notes(self, text: str) -> None:
        """Write between the markers of both report issues."""

        def write(_: Repository, issue: Issue) -> None:
            body = issue.body or ""
            start = body.index(opening("notes")) + len(opening("notes"))
            end = body.index(closing("notes"))
            issue.body = f"{body[:start]}\n\n{text}\n\n{body[end:]}"

        self.everywhere(write)

    def delete_reports(self) -> None:
        """Delete the reports of both repositories, one that lost a race among them."""
        for name in UPSTREAMS:
            issues = self.repositories[name].issues
            for number in [issue.number for issue in issues.values() if issue.author == ACTIONS]:
                del issues[number]

    # What holds.

    def commits(self) -> list[str]:
        """The commits of the branch, newest first."""
        return [commit.sha for commit in log(self.stage.repo.path, self.stage.repo.head)]

    def data_at(self, revision: str) -> bytes | None:
        """The data of a commit, None where it has none."""
        found = [entry for entry in tree(self.stage.repo.path, revision) if entry.path == DATA]
        return blob(self.stage.repo.path, found[0].oid) if found else None

    def state(self, issue: Issue) -> State:
        """What an issue remembers."""
        return load(issue.body or "", dataset_of(issue.body or ""))

    def check(self, known: dict[str, bytes | None]) -> None:
        """What holds after every run; `known` has the data of every commit that ever was."""
        for name, repository in self.repositories.items():
            own = [issue for issue in repository.issues.values() if (issue.body or "").startswith(_OURS)]
            assert sum(issue.state == "open" for issue in own) <= 1, f"{name} has two reports open"
            # Who lost a race to open it closed theirs as a duplicate.
            assert sum(issue.state_reason != "not_planned" for issue in own) <= 1, name
            for issue in own:
                keys = [first_line(c.body) for c in issue.comments if c.body.startswith(_OURS)]
                assert len(keys) == len(set(keys)), f"{name} says a thing twice: {keys}"
        for issue in self.ours.values():
            state = self.state(issue)
            (audited,) = state.past.snapshot.blobs
            assert state.past.snapshot.fingerprint in self.memory.audited
            for sha in (state.seen, state.past.snapshot.revision.sha):
                data = known[sha]
                assert data is not None, f"{sha} is taken for seen, and has no data"
                assert audited.size == len(data), f"{sha} is taken for seen, and was not audited"
        assert self.stage.github.violations == []

    def left(self, repository: str) -> dict[str, Any]:
        """What a reader of this repository finds of the report that counts, its address aside."""
        issue = self.ours.get(repository)
        return left(issue, self.repositories[UPSTREAMS[repository]]) if issue else {}

    def close_books(self) -> None:
        """What holds at the end of a history."""
        texts = [*self.said]
        for repository in self.repositories.values():
            for issue in repository.issues.values():
                texts += [issue.title, issue.body or "", *(comment.body for comment in issue.comments)]
        told = "\n".join(texts)
        assert not any(secret in told for secret in (*SECRETS, UPSTREAM_TOKEN))
        assert self.stage.hub.cdn_tokens == []
