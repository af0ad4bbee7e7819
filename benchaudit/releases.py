"""Releases: one comment for each, with the figures of its very revision, against the release before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from benchaudit.auditor import Auditor
from benchaudit.errors import PASSING, MappingError, SourceError, TrackerError
from benchaudit.kept import Kept, Released
from benchaudit.markers import release_marker
from benchaudit.models import Refs, Snapshot
from benchaudit.plan import Release, Thread
from benchaudit.report.document import run_document, text_of
from benchaudit.report.release import ReleaseReport, build_release, release_notes
from benchaudit.report.templates import Templates
from benchaudit.tracker.base import Done, Tracker

MOST_AT_ONCE = 10
"""Releases that one run comments on; of a whole history of tags that arrives at once, the last ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A release to comment on. `asked` says that somebody asked for it, and no tag of the dataset did."""

    tag: str
    sha: str
    asked: bool = False


def due(refs: Refs, kept: Kept, wanted: str) -> tuple[Due, ...]:
    """Releases that nobody has commented on yet: tags that came or were moved, and the one that is wanted.

    A wanted tag that the dataset does not have stands for the newest revision, at its first run.
    """
    tags = refs.tags or {}
    found = [Due(tag=tag, sha=sha) for tag, sha in sorted(kept.new_tags(tags).items()) if tag != wanted]
    if wanted:
        before = kept.released(wanted)
        sha = tags.get(wanted) or (before.sha if before else refs.head)
        found.append(Due(tag=wanted, sha=sha, asked=True))
    return tuple(found)


class Notes(Protocol):
    """The notes of releases of the repository that watches."""

    def annotate(self, tag: str, dataset: str, section: str, report: bytes) -> bool:
        """Put a dataset's section into a release's notes, attach its report; False where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """What came of it: what is remembered now, the last comment, and what could not be delivered."""

    kept: Kept
    comment_url: str = ""
    failure: TrackerError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDesk:
    """Makes the reports of releases, and hands them out."""

    auditor: Auditor
    tracker: Tracker
    templates: Templates
    notes: Notes | None = None

    def announce(self, dues: Sequence[Due], held: Thread, kept: Kept, refs: Refs) -> Announced:
        """Comment on every release, the oldest first.

        A report that people closed stays silent but where somebody asks. Raises the errors in PASSING.
        """
        url = ""
        for one in self._in_order([one for one in dues if one.asked or held.open]):
            made = self._report(one, kept, refs)
            if made is None:
                continue
            if self.auditor.settings.dry_run:
                self.auditor.say(f"dry run: would comment on release {one.tag}")
                continue
            try:
                done = self._hand_out(one, made, held)
            except TrackerError as error:
                return Announced(kept=kept, comment_url=url, failure=error)
            url = done.comment_url
            kept = kept.with_release(Released(tag=one.tag, sha=one.sha, url=url, pinned=done.pinned))
        return Announced(kept=kept, comment_url=url)

    def _hand_out(self, one: Due, made: ReleaseReport, held: Thread) -> Done:
        release = Release(thread=held, key=release_marker(one.tag), body=made.comment)
        done = self.tracker.carry_out(release)
        if one.asked and self.notes:
            section = release_notes(one.tag, done.comment_url, made.audit)
            if not self.notes.annotate(one.tag, made.audit.origin.dataset, section, report_file(made)):
                self.auditor.say(f"there is no release {one.tag} to annotate")
        return done

    def _in_order(self, dues: Sequence[Due]) -> Sequence[Due]:
        """The oldest revision first, as far as the history says; no more than one run comments on."""
        if len(dues) > 1:
            history = self.auditor.source.history(None, self.auditor.settings.max_commits)
            place = {revision.sha: number for number, revision in enumerate(history.revisions)}
            dues = sorted(dues, key=lambda one: (one.asked, place.get(one.sha, -1)))
        for passed in dues[:-MOST_AT_ONCE]:
            self.auditor.say(f"release {passed.tag}: too many at once, no comment")
        return dues[-MOST_AT_ONCE:]

    def _report(self, one: Due, kept: Kept, refs: Refs) -> ReleaseReport | None:
        """Audit a release and write its comment; None where its revision cannot be audited.

        Raises the errors in PASSING, where a later run may find what this one does not.
        """
        auditor = self.auditor
        try:
            snapshot = self._snapshot(one.sha)
            audited = auditor.audit(snapshot, optional=auditor.settings.slices)
        except (SourceError, MappingError) as error:
            if isinstance(error, PASSING):
                raise
            auditor.say(f"release {one.tag} cannot be audited: {error}")
            return None
        previous = self._previous(one, kept, refs.tags or {})
        past, before = auditor.earlier(self._known(previous), None)
        comparison = auditor.compare(past, before, audited, snapshot)
        return build_release(
            audited.audit,
            comparison,
            tag=one.tag,
            previous=previous,
            links=auditor.links(audited.audit, [previous.sha] if previous else []),
            templates=self.templates,
        )

    def _previous(self, one: Due, kept: Kept, tags: Mapping[str, str]) -> Released | None:
        """The release before: the last that was commented on, else the nearest older tag of the dataset."""
        known = [entry for entry in kept.releases if entry.tag != one.tag]
        if known:
            return known[-1]
        named = {sha: tag for tag, sha in sorted(tags.items()) if tag != one.tag}
        history = self.auditor.source.history(None, self.auditor.settings.max_commits).revisions
        shas = [revision.sha for revision in history]
        older = shas[: shas.index(one.sha)] if one.sha in shas else []
        return next((Released(tag=named[sha], sha=sha) for sha in reversed(older) if sha in named), None)

    def _known(self, previous: Released | None) -> Snapshot | None:
        if previous is None:
            return None
        try:
            return self._snapshot(previous.sha)
        except SourceError as error:
            if isinstance(error, PASSING):
                raise
            self.auditor.say(f"the release before, {previous.tag}, is gone: {error}")
            return None

    def _snapshot(self, sha: str) -> Snapshot:
        return self.auditor.source.snapshot(self.auditor.source.revision(sha))


def report_file(made: ReleaseReport) -> bytes:
    """The JSON report of a release, as it is attached to it."""
    return text_of(run_document(made.audit, made.comparison)).encode()
