"""Pages are written: the report of an audit as one file, or the histories of several datasets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchaudit.audit import Audited
from benchaudit.chronicle import Chronicle
from benchaudit.compare import Comparison
from benchaudit.errors import SettingsError
from benchaudit.history import History, point_of
from benchaudit.html import Subject, report_page
from benchaudit.html.site import BACK, folders, history_page, index_page
from benchaudit.models import Snapshot
from benchaudit.report.templates import Templates
from benchaudit.sampling import sampled
from benchaudit.settings import Settings
from benchaudit.sources.base import Source
from benchaudit.verdict import Audit


def write(name: str, text: str) -> None:
    """Write a page to a file. Raises SettingsError where it cannot be written."""
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"cannot be written ({error.strerror})", where=name, todo="name another file"
        ) from None


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
        samples=sampled(audited, source, snapshot, settings, work),
    )
    write(name, report_page(subject, Templates()))


def write_site(folder: Path, chronicles: Sequence[Chronicle], settings: Settings, work: Path) -> None:
    """Write an index and a page for each dataset, as GitHub Pages and any other web server serve them.

    Raises SettingsError where they cannot be written, and SourceError where rows cannot be read again.
    """
    texts = (page_of(chronicle, settings, work) for chronicle in chronicles)
    write_pages(folder, [chronicle.history for chronicle in chronicles], texts)


def write_pages(folder: Path, histories: Sequence[History], texts: Iterable[str]) -> None:
    """Write the pages of some datasets, and their index. Raises SettingsError where that cannot be."""
    places = folders([history.dataset for history in histories])
    try:
        for place in places:
            (folder / place).mkdir(parents=True, exist_ok=True)
        # Without this file GitHub Pages hides what begins with an underscore.
        (folder / ".nojekyll").touch()
    except OSError as error:
        raise SettingsError(
            f"cannot be written ({error.strerror})", where=str(folder), todo="name another folder"
        ) from None
    write(str(folder / "index.html"), index_page(histories, Templates()))
    for place, text in zip(places, texts, strict=True):
        write(str(folder / place / "index.html"), text)


def page_of(chronicle: Chronicle, settings: Settings, work: Path) -> str:
    """The page of one dataset: the report of its last audit, or what is known without one.

    Raises SourceError where rows cannot be read again.
    """
    last, templates = chronicle.last, Templates()
    if last is None:
        return history_page(chronicle.history, templates)
    subject = Subject(
        audit=last.audited.audit,
        comparison=last.comparison,
        history=chronicle.history,
        samples=sampled(last.audited, last.source, last.snapshot, settings, work),
        above=BACK,
    )
    return report_page(subject, templates)
