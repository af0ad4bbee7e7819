"""What a run has to do: which commits brought data that has not been audited yet."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from benchaudit.errors import PASSING, NothingWatched, SourceError
from benchaudit.markdown import code
from benchaudit.models import Revision, Snapshot
from benchaudit.sources.base import Source
from benchaudit.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A snapshot to audit, and the newest commit that has the same data.

    `told` says that people know of its data: only the settings are others now, which notifies nobody.
    """

    snapshot: Snapshot
    seen: str
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What a run has to do: steps to audit after `start`, the earlier revision to compare with.

    `seen` is the newest commit that still has the data; `lost` says so where a later one has not.
    """

    start: Snapshot | None
    steps: tuple[Step, ...]
    seen: str
    lost: NothingWatched | None = None
    skipped: int = 0
    notices: tuple[str, ...] = ()

    def without(self, snapshot: Snapshot) -> Backlog:
        """The same, and readers are told that this one could not be audited."""
        name = code(snapshot.revision.sha[:7])
        notice = f"**Revision {name} could not be audited**: the log of the run says why."
        return replace(self, notices=(*self.notices, notice))


def first_look(source: Source, state: State | None, limit: int) -> Backlog:
    """The newest data and the data before it, each at the commit that brought it.

    At most `limit` commits are looked at. `state` is one that figures made now cannot be held against.
    """
    history = source.history(None, limit)
    looked = _looked(source, reversed(history.revisions))
    newest, lost = next(looked, (None, None))
    if newest is None:
        return Backlog(start=None, steps=(), seen="", lost=lost)
    groups = _data_groups(
        itertools.chain([newest], (snapshot for snapshot, _ in looked if snapshot is not None))
    )
    current = next(groups)
    told = state is not None and state.past.snapshot.fingerprint == current.fingerprint
    return Backlog(
        start=next(groups, None),
        steps=(Step(snapshot=current, seen=newest.revision.sha, told=told),),
        seen=newest.revision.sha,
    )


def look_anew(source: Source, state: State, limit: int) -> Backlog:
    """What to do where figures made now cannot be held against those of the state.

    Data that came since is caught up with as ever, from the revision that readers know, which is audited
    anew: like is compared with like. Where none came, or that revision is gone, it is a first look.
    """
    try:
        known = source.snapshot(state.past.snapshot.revision)
    except SourceError as error:
        if isinstance(error, PASSING):
            raise
        return first_look(source, state, limit)
    # Other settings may read other files of it.
    backlog = catch_up(source, replace(state, past=replace(state.past, snapshot=known)), limit)
    # What is told of is that the last commit seen is not in the history: another branch may be watched.
    return backlog if backlog.steps and not backlog.notices else first_look(source, state, limit)


def against_base(source: Source, base: Revision) -> Backlog:
    """The newest revision of a pull request against the one that it departs from, whatever lies between."""
    snapshot = source.snapshot(source.revision(""))
    try:
        start: Snapshot | None = source.snapshot(base)
    except NothingWatched:
        start = None
    return Backlog(
        start=start,
        steps=(Step(snapshot=snapshot, seen=snapshot.revision.sha),),
        seen=snapshot.revision.sha,
        notices=(f"A pull request, compared with {code(base.sha[:7])}, from which it departs.",),
    )


def catch_up(source: Source, state: State, limit: int) -> Backlog:
    """The new commits after the last one seen, at most `limit`; those with the same data are no step."""
    history = source.history(state.seen, limit)
    revisions, notices = history.revisions, tuple[str, ...]()
    if not history.found:
        revisions = revisions[-1:]
        notices = (_missed(code(state.seen[:7]), cut=history.cut),)
    steps: list[Step] = []
    current, seen = state.past.snapshot, state.seen
    lost: NothingWatched | None = None
    for snapshot, missing in _looked(source, revisions):
        lost = missing
        if snapshot is None:
            continue
        seen = snapshot.revision.sha
        if snapshot.fingerprint != current.fingerprint:
            steps.append(Step(snapshot=snapshot, seen=seen))
            current = snapshot
        elif steps:
            steps[-1] = replace(steps[-1], seen=seen)
    return Backlog(
        start=state.past.snapshot,
        steps=tuple(steps),
        seen=seen,
        lost=lost,
        skipped=history.skipped,
        notices=notices,
    )


def _missed(seen: str, *, cut: bool) -> str:
    """Why only the newest revision is audited: the last one seen is not in the history."""
    if cut:
        return (
            f"**The clone is shallow** and does not reach back to {seen}: only the newest is audited. "
            "With `fetch-depth: 0`, or after `git fetch --unshallow`, it would."
        )
    return f"**History was rewritten**: {seen} is gone from it; only the newest is audited."


def _looked(
    source: Source, revisions: Iterable[Revision]
) -> Iterator[tuple[Snapshot | None, NothingWatched | None]]:
    """Look at commits one at a time: the snapshot, or what it lacks."""
    for revision in revisions:
        try:
            yield source.snapshot(revision), None
        except NothingWatched as error:
            yield None, error


def _data_groups(newest_first: Iterator[Snapshot]) -> Iterator[Snapshot]:
    """Of each run of snapshots with equal data the oldest, which brought it."""
    group: Snapshot | None = None
    for snapshot in newest_first:
        if group is not None and group.fingerprint != snapshot.fingerprint:
            yield group
        group = snapshot
    if group is not None:
        yield group
