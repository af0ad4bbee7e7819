"""The whole job through random histories: whatever happens, in whatever order, it stays one good bot.

Runs meet a fault, a kill or another runner at a random request; then one that is left alone must end
where the runs of the twin repository end, which were all left alone. Histories are the same each time:
each group has its seed. A failure prints the steps that lead to it, shortened.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import pytest
from huggingface_hub import close_session
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import HypothesisProvider
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from benchaudit.notes import notes_of
from benchaudit.report.upstream import draft_of
from tests.e2e.stage import DATA, DATASET, REPOSITORY

from .faults import KINDS, Platform, at_request, kill, strike
from .memory import Memory
from .wire import Moment, Wire
from .world import CARDS, DATASETS, LABEL, TWIN, UPSTREAMS, Ways, World

GROUPS, HISTORIES, STEPS = 4, 50, 10

data = st.sampled_from([*DATASETS, "leaky", "fair"])
tags = st.sampled_from(["v1", "v2"])
numbers = st.integers(1, 16)
moments = st.sampled_from(["before", "after"])
faults = st.sampled_from([(platform, kind) for platform in KINDS for kind in KINDS[platform]])
releases = st.sampled_from(["", "", "", "v1", "2026"])


class History(RuleBasedStateMachine):
    """One dataset, its people, its runners."""

    memory: ClassVar[Memory]
    wire: ClassVar[Wire]

    def __init__(self) -> None:
        super().__init__()
        self.place = TemporaryDirectory(prefix="history-")
        self.known: dict[str, bytes | None] = {}
        self.title = self.notes = ""
        self.renamed = False

    @initialize(close=st.booleans(), follow=st.booleans(), first=st.sampled_from(["leaky", "fair"]))
    def begin(self, close: bool, follow: bool, first: str) -> None:
        """A dataset of one commit, that nobody has looked at yet."""
        ways = Ways(close_when_clean=close, follow_up=follow)
        self.world = World(Path(self.place.name), self.memory, self.wire, ways).__enter__()
        self.commit(first)

    def teardown(self) -> None:
        """A last look, after which there is nothing left to do, and what holds at the end."""
        if not hasattr(self, "world"):
            return
        try:
            self.look("")
            self.look_again()
            self.world.close_books()
        finally:
            self.world.__exit__()
            self.place.cleanup()

    # What the authors do.

    @rule(kind=data)
    def commit(self, kind: str) -> None:
        """Publish another version of the data."""
        self.note(self.repo.commit(f"Data: {kind}", {DATA: DATASETS[kind]}))

    @rule(card=st.sampled_from(CARDS))
    def write_card(self, card: bytes) -> None:
        """Publish prose."""
        self.note(self.repo.commit("Update README.md", {"README.md": card}))

    @rule()
    def take_away(self) -> None:
        """The data file goes; a later commit may bring it back."""
        self.note(self.repo.commit("Move the data", {DATA: None}))

    @rule()
    def squash(self) -> None:
        """History becomes one commit."""
        self.note(self.repo.squash("Squash"))

    @rule()
    def go_back(self) -> None:
        """The branch is forced back to the commit before its last, where there is one."""
        commits = self.world.commits()
        self.repo.branch("main", commits[min(1, len(commits) - 1)])

    @rule(tag=tags)
    def tag(self, tag: str) -> None:
        """A tag comes, or is moved."""
        self.repo.tag(tag)

    @precondition(lambda self: not self.renamed)
    @rule()
    def rename(self) -> None:
        """The dataset moves to an organisation."""
        self.renamed = True
        self.world.stage.hub.rename(DATASET, "benchmarks/quiz")

    # What people do.

    @rule()
    def close(self) -> None:
        """Somebody has enough of it."""
        self.world.everywhere(lambda repository, issue: repository.turn(issue, "closed", by="ann"))

    @rule()
    def reopen(self) -> None:
        """Or wants it back."""
        self.world.everywhere(lambda repository, issue: repository.turn(issue, "open", by="ann"))

    @rule(title=st.sampled_from(["Our quiz leaks", "benchaudit"]))
    def retitle(self, title: str) -> None:
        """The title is people's."""
        if self.world.ours:
            self.title = title
        for issue in self.world.ours.values():
            issue.title = title

    @rule(labels=st.sampled_from([(), ("wontfix",)]))
    def label(self, labels: tuple[str, ...]) -> None:
        """Labels are taken away, or another is put there."""
        self.world.everywhere(lambda repository, issue: repository.relabel(issue, labels, by="ann"))

    @rule(text=st.sampled_from(["- [ ] told them\n- [x] asked", "- [x] told them\n- [x] asked", "*Hm.*"]))
    def write_notes(self, text: str) -> None:
        """Notes are written, a box is ticked."""
        if self.world.ours:
            self.notes = text
        self.world.write_notes(text)

    @rule()
    def delete(self) -> None:
        """Somebody deletes the report."""
        self.title = self.notes = ""
        self.world.delete_reports()

    # What runners do.

    @rule(release=releases)
    def look(self, release: str) -> None:
        """A run that is left alone, in both repositories."""
        self.made_good(release)

    @rule(fault=faults, number=numbers, release=releases)
    def trouble(self, fault: tuple[Platform, str], number: int, release: str) -> None:
        """A run with a fault at one of its requests."""
        stage = self.world.stage
        server = stage.hub if fault[0] == "hub" else stage.github
        struck = strike(server, KINDS[fault[0]][fault[1]], number)
        self.world.run(REPOSITORY, release)
        server.faults.remove(struck)
        self.world.check(self.known)
        self.made_good(release)

    @rule(number=numbers, moment=moments, release=releases)
    def killed(self, number: int, moment: Moment, release: str) -> None:
        """A run that is killed at one of its requests."""
        with self.wire.hooked(at_request(number, moment, kill)):
            self.world.run(REPOSITORY, release)
        self.world.check(self.known)
        self.made_good(release)

    @rule(number=numbers, moment=moments, release=releases, news=st.none() | data)
    def race(self, number: int, moment: Moment, release: str, news: str | None) -> None:
        """Another run does all its work amid one of the requests of this, and may know more."""
        # A first report knows of the newest data alone, and a release without a tag stands for it: with
        # news amid the run both depend on who was first.
        known = REPOSITORY in self.world.ours and not release

        def other() -> None:
            if news is not None and known:
                self.commit(news)
            self.world.run(REPOSITORY, release)

        with self.wire.hooked(at_request(number, moment, other)):
            self.world.run(REPOSITORY, release)
        self.world.check(self.known)
        self.made_good(release)

    @rule(fault=faults, number=numbers)
    def approve(self, fault: tuple[Platform, str], number: int) -> None:
        """Somebody lets the draft go that stands in the report; the run that sends it meets a fault."""
        self.made_good("")
        if all(draft_of(issue.body or "") for issue in self.world.ours.values()):
            self.world.everywhere(lambda repository, issue: repository.relabel(issue, [LABEL], by="ann"))
        self.trouble(fault, number, "")

    def made_good(self, release: str) -> None:
        """Look without trouble in both repositories: both hold the same, and all that is new is known."""
        mine, twins = (self.world.run(name, release) for name in UPSTREAMS)
        assert (type(mine.error), mine.trouble) == (type(twins.error), twins.trouble)
        assert mine.trouble == ""
        if mine.error is None and REPOSITORY in self.world.ours:
            state = self.world.state(self.world.ours[REPOSITORY])
            assert state.seen == self.repo.head
        left, meant = self.world.left(REPOSITORY), self.world.left(TWIN)
        for part in left | meant:
            assert left.get(part) == meant.get(part), part

    @rule()
    def look_again(self) -> None:
        """Where nothing is new since the last look, nothing is written."""
        self.made_good("")
        writes = len(self.world.stage.github.writes)
        self.world.run(REPOSITORY)
        assert len(self.world.stage.github.writes) == writes

    @invariant()
    def holds(self) -> None:
        """What holds at any time, and what people wrote is there."""
        if not hasattr(self, "world"):
            return
        self.world.check(self.known)
        for issue in self.world.ours.values():
            assert not self.title or issue.title == self.title
            assert not self.notes or notes_of(issue.body or "") == self.notes

    @property
    def repo(self):  # type: ignore[no-untyped-def]
        """The dataset's repository."""
        return self.world.stage.repo

    def note(self, sha: str) -> None:
        """Remember what a commit holds, whatever becomes of it."""
        self.known[sha] = self.world.data_at(sha)


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, Wire]]:
    """The wire and the memory, for all histories of a group."""
    with pytest.MonkeyPatch.context() as patch:
        # Numbers that stand in modules which happen to be loaded are tried more often than others: the same
        # seed would be another history with every other set of tests.
        patch.setattr(HypothesisProvider, "_maybe_draw_constant", lambda *_, **__: None)
        yield Memory(tmp_path_factory.mktemp("memory").resolve(), patch), Wire(patch)
        close_session()


# Who is killed amid a request leaves its connection as it is.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("group", range(GROUPS))
def test_histories(group: int, surroundings: tuple[Memory, Wire]) -> None:
    """Fifty histories, of up to a dozen events each."""
    memory, wire = surroundings
    machine = seed(group)(type("Group", (History,), {"memory": memory, "wire": wire}))
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=HISTORIES,
            stateful_step_count=STEPS,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_tag_is_told_of_whether_or_not_a_broken_revision_came_first(
    surroundings: tuple[Memory, Wire],
) -> None:
    """A history that random ones have led to: one run saw the tag before that revision, its twin after."""
    memory, wire = surroundings
    history = type("One", (History,), {"memory": memory, "wire": wire})()
    history.begin(follow=True, first="leaky", close=True)
    history.reopen()
    history.race(moment="before", news="leaky", number=13, release="")
    history.race(moment="after", news=None, number=14, release="")
    history.tag(tag="v2")
    history.race(moment="after", news="broken", number=6, release="")
    history.teardown()
