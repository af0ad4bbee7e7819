"""Where a history comes from: JSON reports, report issues that were saved, or revisions audited again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchaudit.audit import Audited, Say, audit_snapshot
from benchaudit.compare import Comparison, compare
from benchaudit.errors import PASSING, MappingError, NothingWatched, SourceError
from benchaudit.figures import plural
from benchaudit.history import History, Point, history_of_state, joined, point_of, point_of_document
from benchaudit.markers import dataset_of
from benchaudit.models import Revision, Snapshot
from benchaudit.past import past_of
from benchaudit.privacy import nameless_pairs
from benchaudit.progress import progress
from benchaudit.settings import Settings
from benchaudit.sources import open_source
from benchaudit.sources.base import Source
from benchaudit.state import load

_LARGEST = 256 << 20
"""Bytes of a file that may be a report; a larger one is data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """The newest audit that was made on the way, and what changed since the one before it."""

    source: Source
    snapshot: Snapshot
    audited: Audited
    comparison: Comparison | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chronicle:
    """A dataset's history. `last` is None where no data was read."""

    history: History
    last: Last | None = None


def chronicles(names: list[str], settings: Settings, work: Path, say: Say) -> list[Chronicle]:
    """The history of each dataset that the sources tell of; several of one dataset are one history.

    A source is a JSON report (a list of reports too), the saved body of a report issue, or anything
    that can be audited: then up to `max-commits` of its commits are. Raises SourceError, MappingError,
    and StateError for an issue whose state is damaged.
    """
    found: list[Chronicle] = []
    for number, name in enumerate(names):
        remembered = _remembered(Path(name))
        if remembered is None:
            place = work / str(number)
            place.mkdir()
            found.append(_audited_again(open_source(name, settings, place), settings, place, say))
        else:
            found += [Chronicle(history=history) for history in remembered]
    lasts = {chronicle.history.dataset: chronicle.last for chronicle in found if chronicle.last}
    histories = joined(chronicle.history for chronicle in found)
    return [Chronicle(history=history, last=lasts.get(history.dataset)) for history in histories]


def _remembered(path: Path) -> list[History] | None:
    """What a file tells that is a report or an issue; None for any other source."""
    if not path.is_file() or path.stat().st_size > _LARGEST:
        return None
    text = path.read_text(encoding="utf-8", errors="replace")
    if dataset := dataset_of(text):
        return [history_of_state(load(text, dataset))]
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    documents = content if isinstance(content, list) else [content]
    if not documents or not all(map(_is_report, documents)):
        return None
    try:
        return [
            History(dataset=str(document["source"]["dataset"]), points=(point_of_document(document),))
            for document in documents
        ]
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
        raise SourceError(
            "is a damaged report", where=str(path), todo="make it anew with `benchaudit audit --json`"
        ) from None


def _is_report(document: Any) -> bool:
    tool = document.get("tool") if isinstance(document, dict) else None
    return isinstance(tool, str) and tool.startswith("benchaudit ") and "source" in document


def _audited_again(source: Source, settings: Settings, work: Path, say: Say) -> Chronicle:
    """Audit every commit that brought other data, oldest first; one that cannot be audited is noted."""
    listed = source.history(None, settings.max_commits)
    notes = (
        [f"{plural(listed.skipped, 'older commit')} not looked at (max-commits)."] if listed.skipped else []
    )
    steps = list(_steps(source, listed.revisions))
    if not steps:
        raise SourceError("no commit holds the files to audit", where=source.name)
    audits: list[tuple[Snapshot, Audited]] = []
    with progress(f"Auditing {source.name}", len(steps)) as advance:
        for snapshot in steps:
            sha = snapshot.revision.sha[:7]
            try:
                audited = audit_snapshot(source, snapshot, settings, work, say, optional=settings.slices)
            except (SourceError, MappingError) as error:
                if isinstance(error, PASSING):
                    raise
                say(f"passed over: {error}")
                notes.append(f"{sha} could not be audited: {error.what}.")
            else:
                audits.append((snapshot, audited))
            advance(sha)
    if not audits:
        raise SourceError(
            "no revision could be audited", where=source.name, todo="`benchaudit inspect` says why"
        )
    # A column that some revisions lack is their history, one that all lack is a slip of the pen.
    if nowhere := set.intersection(*(set(audited.audit.not_run) for _, audited in audits)):
        raise MappingError(
            f"no revision has the columns to slice by {', '.join(map(repr, sorted(nowhere)))}",
            where=source.name,
            todo="check --slices",
        )
    points: tuple[Point, ...] = tuple(point_of(audited.audit) for _, audited in audits)
    return Chronicle(
        history=History(dataset=source.name, points=points, notes=tuple(notes)),
        last=Last(
            source=source,
            snapshot=audits[-1][0],
            audited=audits[-1][1],
            comparison=_compared(audits, settings, work),
        ),
    )


def _steps(source: Source, revisions: Iterable[Revision]) -> Iterator[Snapshot]:
    """The snapshots whose data is not that of the one before."""
    fingerprint: object = None
    for revision in revisions:
        try:
            snapshot = source.snapshot(revision)
        except NothingWatched:
            continue
        if snapshot.fingerprint != fingerprint:
            yield snapshot
            fingerprint = snapshot.fingerprint


def _compared(audits: list[tuple[Snapshot, Audited]], settings: Settings, work: Path) -> Comparison | None:
    """The last two audits compared; None where there is but one."""
    if len(audits) < 2:
        return None
    from benchaudit.pairing import pair_audits

    (before, old), (after, new) = audits[-2:]
    pairs = pair_audits(old, new, work)
    pairs = nameless_pairs(pairs) if settings.samples == "none" else pairs
    return compare(past_of(old.audit, before), new.audit, after, pairs)
