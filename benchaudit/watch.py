"""The loop: every new revision, oldest first, from the source to the tracker."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benchaudit.audit import Audited, Say, audit_snapshot
from benchaudit.checks import all_checks
from benchaudit.compare import Comparison, PastAudit, compare, past_of
from benchaudit.errors import MappingError, NothingWatched, SourceError, StateError, TrackerError, Unavailable
from benchaudit.markdown import code
from benchaudit.models import Revision, Snapshot
from benchaudit.notes import notes_of
from benchaudit.plan import Operation, Policy, Thread, Update, plan
from benchaudit.report import Links, Occasion, Report, build
from benchaudit.report.templates import Templates
from benchaudit.settings import Settings
from benchaudit.sources.base import Source
from benchaudit.state import Headline, State, headline, load, replaced, shown_revision
from benchaudit.tracker.base import Tracker
from benchaudit.verdict import Audit


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one run found for one dataset. `audit` is None where nothing was new.

    `failure` says why a report that was made could not be delivered; `began` is the revision that all
    new ones follow, where `comparison` has the one just before the last.
    """

    dataset: str
    revision: str
    previous: str = ""
    changed: bool = False
    material: bool = False
    verdict: str = ""
    severe: bool = False
    baseline: str = ""
    audit: Audit | None = None
    comparison: Comparison | None = None
    began: PastAudit | None = None
    report: Report | None = None
    thread: Thread | None = None
    comment_url: str = ""
    failure: TrackerError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A snapshot to audit, and the newest commit that has the same data.

    `told` says that people know of its data: only the settings are others now, which notifies nobody.
    """

    snapshot: Snapshot
    seen: str
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Backlog:
    """What a run has to do: steps to audit after `start`, the earlier revision to compare with.

    `seen` is the newest commit that still has the data; `lost` says so where a later one has not.
    """

    start: Snapshot | None
    steps: tuple[_Step, ...]
    seen: str
    lost: NothingWatched | None = None
    skipped: int = 0
    notices: tuple[str, ...] = ()

    def without(self, snapshot: Snapshot) -> _Backlog:
        """The same, and readers are told that this one could not be audited."""
        notice = (
            f"**Revision `{snapshot.revision.sha[:7]}` could not be audited**: the log of the run says why."
        )
        return replace(self, notices=(*self.notices, notice))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Position:
    """Where a walk through the backlog stands: the last audit, the headlines so far, what came of it."""

    past: PastAudit | None
    before: Audited | None
    history: tuple[Headline, ...]
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Watcher:
    """One dataset's source, tracker and settings, brought together for a run."""

    source: Source
    tracker: Tracker
    settings: Settings
    templates: Templates
    work: Path
    say: Say

    def run(self) -> Outcome:
        """Look at every new commit, audit those that changed the data, and deliver what came of it.

        Raises SourceError and MappingError; of a report that cannot be delivered the outcome tells.
        """
        held, state, failure = self._known()
        head = self.source.head()
        if state is not None and state.seen == head and self._is_like(state):
            self.say(f"{self.source.name}@{head[:7]}: nothing new")
            return _nothing_new(state, held)
        like = state if state is not None and self._is_like(state) else None
        backlog = self._catch_up(like) if like else self._first(state)
        if backlog.steps:
            outcome = self._walk(backlog, like, held, failure, first=state is None)
        elif like is not None and held is not None and backlog.seen != like.seen:
            outcome = self._move_on(like, held, backlog.seen)
        else:
            outcome = None
        if backlog.lost is not None or outcome is None:
            raise backlog.lost or SourceError("no commit holds the files to audit", where=self.source.name)
        return outcome

    def rebuild(self) -> Outcome:
        """Audit the revision again that the report shows, and write its state anew.

        For a report whose state is damaged or was edited. Raises TrackerError where there is none, and
        StateError where it does not show its revision any more.
        """
        held = self.tracker.find(self.source.name)
        if held is None:
            raise TrackerError("has no report issue", where=self.source.name, todo="run `benchaudit watch`")
        sha = shown_revision(held.body)
        if not sha:
            raise StateError(
                "the report does not show its revision any more",
                where=held.url,
                todo="close the issue and remove its first line; the next run opens a new one",
            )
        snapshot = self.source.snapshot(self.source.revision(sha))
        backlog = _Backlog(
            start=None,
            steps=(_Step(snapshot=snapshot, seen=sha, told=True),),
            seen=sha,
            notices=("**The state was rebuilt**: what was known of earlier revisions is lost.",),
        )
        return self._walk(backlog, None, held, None, first=False)

    def _known(self) -> tuple[Thread | None, State | None, TrackerError | None]:
        """What the tracker holds. Where it cannot be asked, the audit is made all the same."""
        try:
            held = self.tracker.find(self.source.name)
            return held, load(held.body, self.source.name) if held else None, None
        except TrackerError as error:
            return None, None, error

    def _is_like(self, state: State) -> bool:
        """Whether figures made now can be held against those of the state."""
        versions = {check.name: check.version for check in all_checks()}
        return state.settings == self.settings.digest and dict(state.checks) == versions

    def _first(self, state: State | None) -> _Backlog:
        """The newest data and the data before it, each at the commit that brought it."""
        history = self.source.history(None, self.settings.max_commits)
        looked = self._looked(reversed(history.revisions))
        newest, lost = next(looked, (None, None))
        if newest is None:
            return _Backlog(start=None, steps=(), seen="", lost=lost)
        groups = _data_groups(
            itertools.chain([newest], (snapshot for snapshot, _ in looked if snapshot is not None))
        )
        current = next(groups)
        told = state is not None and state.past.snapshot.fingerprint == current.fingerprint
        return _Backlog(
            start=next(groups, None),
            steps=(_Step(snapshot=current, seen=newest.revision.sha, told=told),),
            seen=newest.revision.sha,
        )

    def _catch_up(self, state: State) -> _Backlog:
        """The new commits after the last one seen; those with the same data are no step."""
        history = self.source.history(state.seen, self.settings.max_commits)
        revisions, notices = history.revisions, tuple[str, ...]()
        if not history.found:
            revisions = revisions[-1:]
            gone = code(state.seen[:7])
            notices = (f"**History was rewritten**: {gone} is gone from it; only the newest is audited.",)
        steps: list[_Step] = []
        current, seen = state.past.snapshot, state.seen
        lost: NothingWatched | None = None
        for snapshot, missing in self._looked(revisions):
            lost = missing
            if snapshot is None:
                continue
            seen = snapshot.revision.sha
            if snapshot.fingerprint != current.fingerprint:
                steps.append(_Step(snapshot=snapshot, seen=seen))
                current = snapshot
            elif steps:
                steps[-1] = replace(steps[-1], seen=seen)
        return _Backlog(
            start=state.past.snapshot,
            steps=tuple(steps),
            seen=seen,
            lost=lost,
            skipped=history.skipped,
            notices=notices,
        )

    def _looked(
        self, revisions: Iterable[Revision]
    ) -> Iterator[tuple[Snapshot | None, NothingWatched | None]]:
        """Look at commits one at a time: the snapshot, or what it lacks."""
        for revision in revisions:
            try:
                yield self.source.snapshot(revision), None
            except NothingWatched as error:
                yield None, error

    def _move_on(self, state: State, held: Thread, seen: str) -> Outcome:
        """New commits, the same data: the state notes it in silence."""
        self.say(f"{self.source.name}@{seen[:7]}: data unchanged")
        moved = replace(state, seen=seen)
        return self._deliver(
            [Update(thread=held, body=replaced(held.body, moved))], _nothing_new(moved, held)
        )

    def _walk(
        self,
        backlog: _Backlog,
        state: State | None,
        held: Thread | None,
        failure: TrackerError | None,
        *,
        first: bool,
    ) -> Outcome:
        """Audit and deliver step by step, each against the one before."""
        past, before = self._past(backlog.start, state)
        if backlog.start is not None and past is None:
            backlog = backlog.without(backlog.start)
        at = _Position(
            past=past,
            before=before,
            history=state.history if state else (headline(before.audit),) if before else (),
            outcome=Outcome(
                dataset=self.source.name, revision="", changed=True, began=past, thread=held, failure=failure
            ),
        )
        for step in backlog.steps:
            try:
                at = self._advance(at, step, backlog, first=first and at.outcome.revision == "")
            except (SourceError, MappingError) as error:
                if isinstance(error, Unavailable) or step is backlog.steps[-1]:
                    raise
                # The next commit may have mended what this one broke: it must not stand in the way for ever.
                self.say(f"passed over: {error}")
                backlog = backlog.without(step.snapshot)
        return at.outcome

    def _advance(self, at: _Position, step: _Step, backlog: _Backlog, *, first: bool) -> _Position:
        """One step: audit, compare, report, deliver."""
        audited = self._audit(step.snapshot, lenient=at.past is not None)
        audit, comparison = audited.audit, self._compare(at.past, at.before, audited, step.snapshot)
        occasion = Occasion(
            snapshot=step.snapshot,
            seen=step.seen,
            settings=self.settings.digest,
            links=self._links(audit, comparison, at.history, step.seen),
            slicings=self.settings.slices,
            history=at.history,
            first=first,
            skipped=backlog.skipped,
            notices=backlog.notices,
            notes=notes_of(at.outcome.thread.body) if at.outcome.thread else "",
        )
        report = build(audit, comparison, occasion, self.templates)
        news = comparison is not None and bool(comparison.material) and not step.told
        report = report if news else replace(report, comment="")
        outcome = replace(
            at.outcome,
            revision=audit.origin.revision.sha,
            previous=comparison.old.snapshot.revision.sha if comparison else "",
            material=news or at.outcome.material,
            verdict=audit.verdict,
            severe=audit.severe,
            baseline=headline(audit).baseline,
            audit=audit,
            comparison=comparison,
            report=report,
        )
        if outcome.failure is None:
            policy = Policy(
                labels=self.settings.labels,
                assignees=self.settings.assignees,
                close_when_clean=self.settings.close_when_clean,
            )
            outcome = self._deliver(plan(report, outcome.thread, policy), outcome)
        return _Position(
            past=past_of(audit, step.snapshot), before=audited, history=report.state.history, outcome=outcome
        )

    def _past(self, start: Snapshot | None, state: State | None) -> tuple[PastAudit | None, Audited | None]:
        """The revision to compare with, audited again; where that cannot be, what is stored of it."""
        if start is None:
            return None, None
        try:
            before = self._audit(start, lenient=True)
        except (SourceError, MappingError) as error:
            if isinstance(error, Unavailable):
                raise
            self.say(f"the earlier revision cannot be audited: {error}")
            return (state.past if state else None), None
        return past_of(before.audit, start), before

    def _audit(self, snapshot: Snapshot, *, lenient: bool) -> Audited:
        return audit_snapshot(self.source, snapshot, self.settings, self.work, self.say, lenient=lenient)

    def _compare(
        self, past: PastAudit | None, before: Audited | None, audited: Audited, snapshot: Snapshot
    ) -> Comparison | None:
        if past is None:
            return None
        pairs = None
        if before is not None:
            from benchaudit.pairing import pair_audits

            pairs = pair_audits(before, audited, self.work)
        return compare(past, audited.audit, snapshot, pairs)

    def _links(
        self, audit: Audit, comparison: Comparison | None, history: tuple[Headline, ...], seen: str
    ) -> Links:
        sha = audit.origin.revision.sha
        named = {sha, seen, *(entry.sha for entry in history)}
        if comparison:
            named.add(comparison.old.snapshot.revision.sha)
        return Links(
            revision={name: self.source.revision_url(name) for name in sorted(named)},
            file={blob.path: self.source.file_url(sha, blob.path) for blob in audit.origin.blobs},
        )

    def _deliver(self, operations: Iterable[Operation], outcome: Outcome) -> Outcome:
        """Carry a plan out; of what fails the outcome tells, and what was made stays made."""
        if self.settings.dry_run:
            for operation in operations:
                self.say(f"dry run: would {type(operation).__name__.lower()} the report issue")
            return outcome
        try:
            for operation in operations:
                done = self.tracker.carry_out(operation)
                outcome = replace(
                    outcome, thread=done.thread, comment_url=done.comment_url or outcome.comment_url
                )
        except TrackerError as error:
            return replace(outcome, failure=error)
        return outcome


def _data_groups(newest_first: Iterator[Snapshot]) -> Iterator[Snapshot]:
    """Of each run of snapshots with equal data the oldest, which brought it."""
    group: Snapshot | None = None
    for snapshot in newest_first:
        if group is not None and group.fingerprint != snapshot.fingerprint:
            yield group
        group = snapshot
    if group is not None:
        yield group


def _nothing_new(state: State, held: Thread | None) -> Outcome:
    last = state.history[-1] if state.history else None
    return Outcome(
        dataset=state.dataset,
        revision=state.past.snapshot.revision.sha,
        previous=state.history[-2].sha if len(state.history) > 1 else "",
        verdict=last.verdict if last else "",
        severe=last.severe if last else False,
        baseline=last.baseline if last else "",
        thread=held,
    )
