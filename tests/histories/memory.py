"""What is made once: equal files give equal figures, and histories hold the same few over and over.

So does equal Markdown give an equal structure; reports are parsed a few times in each run.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import benchaudit.auditor
import benchaudit.pairing
from benchaudit.audit import Audited, Say, audit_snapshot
from benchaudit.errors import MappingError, SourceError, Unavailable
from benchaudit.models import Origin, Snapshot
from benchaudit.moves import Pairs
from benchaudit.pairing import pair_audits
from benchaudit.settings import Settings
from benchaudit.sources.base import Source

Key = tuple[object, ...]


class Memory:
    """Stands in front of the audit and of the pairing; a file is fetched each time, as it would be."""

    def __init__(self, work: Path, patch: pytest.MonkeyPatch) -> None:
        self._work = work
        self._audits: dict[Key, Audited | SourceError | MappingError] = {}
        self._pairs: dict[tuple[Path, Path], Pairs] = {}
        self.audited: set[Key] = set()
        """Fingerprints of what was audited with success."""
        patch.setattr(benchaudit.auditor, "audit_snapshot", self._audit)
        # Runners are processes of their own, which take no turns; here one runs amid a request of another.
        patch.setattr(benchaudit.auditor, "_ONE_AT_A_TIME", nullcontext())
        patch.setattr(benchaudit.pairing, "pair_audits", self._pair)
        patch.setattr(MarkdownIt, "parse", lru_cache(maxsize=4096)(MarkdownIt.parse))

    def _audit(
        self,
        source: Source,
        snapshot: Snapshot,
        settings: Settings,
        work: Path,  # noqa: ARG002 - what is remembered outlives a run
        say: Say,
        *,
        optional: Collection[tuple[str, ...]] = (),
    ) -> Audited:
        for blob in snapshot.blobs:
            source.fetch(snapshot.revision, blob)
        key = (snapshot.fingerprint, frozenset(optional), settings.digest)
        if key not in self._audits:
            try:
                self._audits[key] = audit_snapshot(
                    source, snapshot, settings, self._work, say, optional=optional
                )
            except Unavailable:
                raise
            except (SourceError, MappingError) as error:
                self._audits[key] = error
        known = self._audits[key]
        if not isinstance(known, Audited):
            raise type(known)(known.what, where=known.where, todo=known.todo)
        self.audited.add(snapshot.fingerprint)
        origin = Origin(dataset=source.name, revision=snapshot.revision, blobs=snapshot.blobs)
        return replace(known, audit=replace(known.audit, origin=origin))

    def _pair(self, old: Audited, new: Audited, work: Path) -> Pairs:
        key = (old.kept_rows, new.kept_rows)
        if key not in self._pairs:
            self._pairs[key] = pair_audits(old, new, work)
        return self._pairs[key]
