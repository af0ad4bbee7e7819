"""Audits of one dataset under one set of settings, and how two of them compare."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from benchaudit.audit import Audited, Say, audit_snapshot
from benchaudit.checks import all_checks
from benchaudit.compare import Comparison, compare
from benchaudit.errors import PASSING, MappingError, SourceError
from benchaudit.models import Snapshot
from benchaudit.past import PastAudit, past_of
from benchaudit.privacy import nameless_pairs
from benchaudit.report.nouns import Links
from benchaudit.settings import Settings
from benchaudit.sources.base import Source
from benchaudit.state import State
from benchaudit.verdict import Audit

if TYPE_CHECKING:
    from benchaudit.chronicle import Last
    from benchaudit.history import History

_ONE_AT_A_TIME = Lock()
"""The engine uses all cores and as much memory as one audit may: several datasets take turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Auditor:
    """A source with the settings to audit it by; `work` holds what a run needs no longer than it runs."""

    source: Source
    settings: Settings
    work: Path
    say: Say

    def is_like(self, state: State) -> bool:
        """Whether figures made now can be held against those of a state."""
        return state.settings == self.settings.digest and self.has_checks_of(state)

    def has_checks_of(self, state: State) -> bool:
        """Whether the figures of a state are those of the same checks, whatever the settings were."""
        versions = {check.name: check.version for check in all_checks(probe=self.settings.probe)}
        return dict(state.checks) == versions

    def audit(self, snapshot: Snapshot, *, optional: Collection[tuple[str, ...]]) -> Audited:
        """Audit one revision; a slicing of `optional` may lack its columns.

        Raises SourceError and MappingError.
        """
        with _ONE_AT_A_TIME:
            return audit_snapshot(
                self.source, snapshot, self.settings, self.work, self.say, optional=optional
            )

    def earlier(
        self, start: Snapshot | None, stored: PastAudit | None
    ) -> tuple[PastAudit | None, Audited | None]:
        """The revision to compare with, audited again; where that cannot be, what is stored of it.

        Raises the errors in PASSING, where a later run may find what this one does not.
        """
        if start is None:
            return None, None
        try:
            before = self.audit(start, optional=self.settings.slices)
        except (SourceError, MappingError) as error:
            if isinstance(error, PASSING):
                raise
            self.say(f"the earlier revision cannot be audited: {error}")
            return stored, None
        return past_of(before.audit, start), before

    def compare(
        self, past: PastAudit | None, before: Audited | None, audited: Audited, snapshot: Snapshot
    ) -> Comparison | None:
        """Compare with the earlier revision; rows are paired where they could be had."""
        if past is None:
            return None
        pairs = None
        if before is not None:
            from benchaudit.pairing import pair_audits

            with _ONE_AT_A_TIME:
                pairs = pair_audits(before, audited, self.work)
            if self.settings.samples == "none":
                pairs = nameless_pairs(pairs)
        return compare(past, audited.audit, snapshot, pairs)

    def page(self, history: History, last: Last | None) -> str:
        """The page of the dataset; without rows where they cannot be read again."""
        from benchaudit.chronicle import Chronicle
        from benchaudit.pages import page_of

        with _ONE_AT_A_TIME:
            try:
                return page_of(Chronicle(history=history, last=last), self.settings, self.work)
            except SourceError as error:
                self.say(f"the page has figures only: {error}")
                return page_of(Chronicle(history=history), self.settings, self.work)

    def links(self, audit: Audit, shas: Iterable[str]) -> Links:
        """Where the files of an audit and these revisions are to be seen."""
        sha = audit.origin.revision.sha
        return Links(
            revision={name: self.source.revision_url(name) for name in sorted({sha, *shas})},
            file={blob.path: self.source.file_url(sha, blob.path) for blob in audit.origin.blobs},
        )
