"""Pages are written: the report of an audit as one file."""

from __future__ import annotations

from pathlib import Path

from benchaudit.audit import Audited
from benchaudit.compare import Comparison
from benchaudit.history import History, point_of
from benchaudit.html import Subject, report_page, write
from benchaudit.models import Snapshot
from benchaudit.report.templates import Templates
from benchaudit.sampling import sampled
from benchaudit.settings import Settings
from benchaudit.sources.base import Source
from benchaudit.verdict import Audit


def write_report(
    name: str,
    audited: Audited,
    source: Source,
    snapshot: Snapshot,
    settings: Settings,
    work: Path,
    *,
    before: Audit | None = None,
    comparison: Comparison | None = None,
) -> None:
    """Write the page of an audit, against an earlier revision where there is one.

    Raises SettingsError where it cannot be written, and SourceError where rows cannot be read again.
    """
    audit = audited.audit
    points = tuple(point_of(item) for item in (before, audit) if item is not None)
    subject = Subject(
        audit=audit,
        comparison=comparison,
        history=History(dataset=audit.origin.dataset, points=points),
        samples=sampled(settings.samples, audited, source, snapshot, settings, work),
    )
    write(name, report_page(subject, Templates()))
