"""The loop: every new revision, oldest first, from the source to the tracker."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from benchaudit.audit import Audited, Say, audit_snapshot
from benchaudit.backlog import Backlog, Step, catch_up, first_look
from benchaudit.checks import all_checks
from benchaudit.compare import Comparison, PastAudit, compare, past_of
from benchaudit.errors import MappingError, SourceError, StateError, TrackerError, Unavailable
from benchaudit.models import Snapshot
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
        limit = self.settings.max_commits
        backlog = catch_up(self.source, like, limit) if like else first_look(self.source, state, limit)
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
        backlog = Backlog(
            start=None,
            steps=(Step(snapshot=snapshot, seen=sha, told=True),),
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

    def _move_on(self, state: State, held: Thread, seen: str) -> Outcome:
        """New commits, the same data: the state notes it in silence."""
        self.say(f"{self.source.name}@{seen[:7]}: data unchanged")
        moved = replace(state, seen=seen)
        return self._deliver(
            [Update(thread=held, body=replaced(held.body, moved))], _nothing_new(moved, held)
        )

    def _walk(
        self,
        backlog: Backlog,
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

    def _advance(self, at: _Position, step: Step, backlog: Backlog, *, first: bool) -> _Position:
        """One step: audit, compare, report, deliver."""
        # A column that a new revision has dropped is news, one that never was is a slip of the pen.
        audited = self._audit(step.snapshot, optional=at.past.slicings if at.past else ())
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
            before = self._audit(start, optional=self.settings.slices)
        except (SourceError, MappingError) as error:
            if isinstance(error, Unavailable):
                raise
            self.say(f"the earlier revision cannot be audited: {error}")
            return (state.past if state else None), None
        return past_of(before.audit, start), before

    def _audit(self, snapshot: Snapshot, *, optional: Collection[tuple[str, ...]]) -> Audited:
        return audit_snapshot(self.source, snapshot, self.settings, self.work, self.say, optional=optional)

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
