"""The loop: every new revision, oldest first, from the source to the tracker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from benchaudit.audit import Audited, Say
from benchaudit.auditor import Auditor
from benchaudit.backlog import Backlog, Step, against_base, catch_up, first_look, look_anew
from benchaudit.chronicle import Last
from benchaudit.errors import PASSING, MappingError, SourceError, StateError, TrackerError
from benchaudit.headlines import Headline, headline
from benchaudit.kept import Kept
from benchaudit.markers import marker
from benchaudit.models import Refs, Snapshot
from benchaudit.notes import notes_of
from benchaudit.outcome import Outcome, nothing_new
from benchaudit.parts import part_of, with_part
from benchaudit.past import PastAudit, past_of
from benchaudit.plan import Operation, Policy, Update, plan
from benchaudit.progress import progress
from benchaudit.releases import Due, Notes, ReleaseDesk, due
from benchaudit.report.issue import build
from benchaudit.report.listing import RELEASES, release_list
from benchaudit.report.nouns import Occasion, Report
from benchaudit.report.templates import Templates
from benchaudit.report.upstream import PART as UPSTREAM
from benchaudit.report.upstream import sent_part
from benchaudit.settings import Settings
from benchaudit.sources.base import Source
from benchaudit.standing import Courier, Standing, approved, renamed, standing
from benchaudit.state import State, load, replaced, shown_revision
from benchaudit.tracker.base import Tracker
from benchaudit.upstream import Upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class _Position:
    """Where a walk through the backlog stands: the last audit, what is remembered, what came of it.

    `approved` is the draft for upstream that was let go and could not be sent.
    """

    past: PastAudit | None
    before: Audited | None
    history: tuple[Headline, ...]
    kept: Kept
    outcome: Outcome
    approved: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watcher:
    """One dataset's auditor and tracker, brought together for a run.

    `upstream` is the way to its maintainers, `notes` that to the notes of releases; None where neither
    is wished for.
    """

    auditor: Auditor
    tracker: Tracker
    templates: Templates
    upstream: Upstream | None = None
    notes: Notes | None = None

    @property
    def source(self) -> Source:
        """The dataset."""
        return self.auditor.source

    @property
    def settings(self) -> Settings:
        """What is set."""
        return self.auditor.settings

    @property
    def say(self) -> Say:
        """Where a line for people goes."""
        return self.auditor.say

    @property
    def courier(self) -> Courier:
        """Who carries out what was planned."""
        return Courier(tracker=self.tracker, say=self.say, dry_run=self.settings.dry_run)

    def run(self) -> Outcome:
        """Look at every new commit, audit those that changed the data, and deliver what came of it.

        Raises SourceError and MappingError; of a report that cannot be delivered the outcome tells.
        """
        configured = self.source.name
        known = standing(self.courier, configured)
        refs = self.source.refs()
        if refs.name != configured:
            known = renamed(self.courier, known, configured, refs.name)
        known = approved(self.courier, known, self.upstream, configured)
        outcome = self._catch_up(known, refs)
        return replace(outcome, failure=outcome.failure or known.trouble or outcome.trouble)

    def _catch_up(self, known: Standing, refs: Refs) -> Outcome:
        held, state = known.thread, known.state
        kept = state.kept if state else Kept().with_tags(refs.tags)
        dues = due(refs, kept, self.settings.release)
        if state is not None and state.seen == refs.head and self.auditor.is_like(state):
            if not dues:
                self.say(f"{self.source.name}@{refs.head[:7]}: nothing new")
            return self._release(nothing_new(state, known), dues, refs)
        like = state if state is not None and self.auditor.is_like(state) else None
        limit = self.settings.max_commits
        base = self.source.base(limit)
        if base is not None:
            backlog = against_base(self.source, base)
        elif like is not None:
            backlog = catch_up(self.source, like, limit)
        elif state is not None:
            backlog = look_anew(self.source, state, limit)
        else:
            backlog = first_look(self.source, None, limit)
        outcome = Outcome(dataset=self.source.name, revision="", thread=held, failure=known.failure)
        broken: SourceError | MappingError | None = None
        if backlog.steps:
            outcome, broken = self._walk(backlog, like, known, kept)
        elif like is not None and held is not None and backlog.seen != like.seen:
            outcome = self._move_on(like, known, backlog.seen)
        else:
            broken = SourceError("no commit holds the files to audit", where=self.source.name)
        # A revision that cannot be audited holds up no release of another.
        outcome = self._release(outcome, dues, refs)
        broken = backlog.lost or broken
        if broken is not None:
            raise broken
        return outcome

    def rebuild(self) -> Outcome:
        """Audit the revision again that the report shows, and write its state anew.

        For a report whose state is damaged or was edited. Raises TrackerError where there is none, and
        StateError where it does not show its revision any more.
        """
        configured = self.source.name
        refs = self.source.refs()
        # An issue whose state is damaged could not be given the new name of a dataset that was renamed.
        held = self.tracker.find(*map(marker, dict.fromkeys((refs.name, configured))))
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
        outcome, broken = self._walk(backlog, None, Standing(thread=held), Kept().with_tags(refs.tags))
        if broken is not None:
            raise broken
        return outcome

    def _move_on(self, state: State, known: Standing, seen: str) -> Outcome:
        """New commits, the same data: the state notes it in silence."""
        self.say(f"{self.source.name}@{seen[:7]}: data unchanged")
        moved = replace(state, seen=seen)
        outcome = nothing_new(moved, known)
        if known.thread is None:
            return outcome
        return self._deliver([Update(thread=known.thread, body=replaced(known.thread.body, moved))], outcome)

    def _walk(
        self, backlog: Backlog, state: State | None, known: Standing, kept: Kept
    ) -> tuple[Outcome, SourceError | MappingError | None]:
        """Audit and deliver step by step, each against the one before; and why the last one is not.

        Raises the errors in PASSING, where a later run may find what this one does not.
        """
        past, before = self.auditor.earlier(backlog.start, self._stored(known.state, backlog.start))
        if backlog.start is not None and past is None:
            backlog = backlog.without(backlog.start)
        at = _Position(
            past=past,
            before=before,
            history=state.history if state else (headline(before.audit),) if before else (),
            kept=kept,
            outcome=Outcome(
                dataset=self.source.name,
                revision="",
                changed=True,
                began=past,
                thread=known.thread,
                failure=known.failure,
            ),
            approved=part_of(known.thread.body, UPSTREAM) if known.thread and known.trouble else "",
        )
        first = known.thread is None and not self.settings.pull_request
        with progress(f"Auditing {self.source.name}", len(backlog.steps)) as advance:
            for step in backlog.steps:
                try:
                    at = self._advance(at, step, backlog, first=first and at.outcome.revision == "")
                except (SourceError, MappingError) as error:
                    if isinstance(error, PASSING):
                        raise
                    if step is backlog.steps[-1]:
                        return at.outcome, error
                    # The next commit may have mended what this one broke: it must not block for ever.
                    self.say(f"passed over: {error}")
                    backlog = backlog.without(step.snapshot)
                advance(step.snapshot.revision.sha[:7])
        return at.outcome, None

    def _stored(self, state: State | None, start: Snapshot | None) -> PastAudit | None:
        """What is remembered of the revision to compare with; None where that says nothing of it.

        Whatever the settings were: that they are others may be why it cannot be audited any more.
        """
        if state is None or start is None or not self.auditor.has_checks_of(state):
            return None
        return state.past if state.past.snapshot.revision.sha == start.revision.sha else None

    def _advance(self, at: _Position, step: Step, backlog: Backlog, *, first: bool) -> _Position:
        """One step: audit, compare, report, deliver."""
        # A column that a new revision has dropped is news, one that never was is a slip of the pen.
        audited = self.auditor.audit(step.snapshot, optional=at.past.slicings if at.past else ())
        audit = audited.audit
        comparison = self.auditor.compare(at.past, at.before, audited, step.snapshot)
        shas = [step.seen, *(entry.sha for entry in at.history)]
        if comparison:
            shas.append(comparison.old.snapshot.revision.sha)
        occasion = Occasion(
            snapshot=step.snapshot,
            seen=step.seen,
            settings=self.settings.digest,
            links=self.auditor.links(audit, shas),
            slicings=self.settings.slices,
            history=at.history,
            first=first,
            skipped=backlog.skipped,
            notices=backlog.notices,
            notes=notes_of(at.outcome.thread.body) if at.outcome.thread else "",
            kept=at.kept,
            wish=self.upstream.wish if self.upstream else None,
            approved=at.approved,
        )
        report = build(audit, comparison, occasion, self.templates)
        news = comparison is not None and bool(comparison.material) and not step.told
        report = report if news else replace(report, comment="")
        kept, report, followed = self._followed(at.kept, report, at.outcome)
        outcome = replace(
            followed,
            revision=audit.origin.revision.sha,
            previous=comparison.old.snapshot.revision.sha if comparison else "",
            material=news or at.outcome.material,
            verdict=audit.verdict,
            severe=audit.severe,
            baseline=headline(audit).baseline,
            audit=audit,
            comparison=comparison,
            # What other settings see in data that people know of was there before.
            began=past_of(audit, step.snapshot) if step.told else followed.began,
            report=report,
            last=Last(source=self.source, snapshot=step.snapshot, audited=audited, comparison=comparison),
        )
        if outcome.failure is None:
            policy = Policy(
                labels=self.settings.labels,
                assignees=self.settings.assignees,
                close_when_clean=self.settings.close_when_clean,
            )
            outcome = self._deliver(plan(report, outcome.thread, policy), outcome)
        return _Position(
            past=past_of(audit, step.snapshot),
            before=audited,
            history=report.state.history,
            kept=kept,
            outcome=outcome,
            approved=at.approved,
        )

    def _followed(self, kept: Kept, report: Report, outcome: Outcome) -> tuple[Kept, Report, Outcome]:
        """Tell the maintainers upstream of a material change; a close there ends it, which is remembered.

        Before our own report knows of the change: who is interrupted between the two does it again.
        """
        sent = kept.sent
        if not (self.upstream and sent and report.comment) or outcome.failure or self.settings.dry_run:
            return kept, report, outcome
        try:
            now = self.upstream.follow(sent, report)
        except TrackerError as error:
            return kept, report, replace(outcome, trouble=error)
        if now == sent:
            return kept, report, outcome
        kept = replace(kept, sent=now)
        state = replace(report.state, kept=kept)
        body = with_part(replaced(report.body, state), UPSTREAM, sent_part(now))
        return kept, replace(report, body=body, state=state), outcome

    def _release(self, outcome: Outcome, dues: tuple[Due, ...], refs: Refs) -> Outcome:
        """Comment on releases, and remember the tags that were seen."""
        held = outcome.thread
        if held is None or outcome.failure is not None:
            return outcome
        desk = ReleaseDesk(
            auditor=self.auditor, tracker=self.tracker, templates=self.templates, notes=self.notes
        )
        state = load(held.body, self.source.name)
        said = desk.announce(dues, held, state.kept, refs)
        kept = said.kept.with_tags(refs.tags) if said.failure is None else said.kept
        if kept != state.kept:
            body = replaced(held.body, replace(state, kept=kept))
            if kept.releases:
                body = with_part(body, RELEASES, release_list(kept.releases))
            outcome = self._deliver([Update(thread=held, body=body)], outcome)
        return replace(
            outcome,
            failure=outcome.failure or said.failure,
            comment_url=said.comment_url or outcome.comment_url,
        )

    def _deliver(self, operations: Iterable[Operation], outcome: Outcome) -> Outcome:
        """Carry a plan out; of what fails the outcome tells, and what was made stays made."""
        done = self.courier.deliver(operations, outcome.thread)
        return replace(
            outcome,
            thread=done.thread,
            comment_url=done.comment_url or outcome.comment_url,
            remark=done.remark or outcome.remark,
            failure=outcome.failure or done.failure,
        )
