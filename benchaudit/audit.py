"""One revision from its files to its audit: the rooms in the order in which data walks through them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING

from benchaudit.accept import accept
from benchaudit.baseline import baseline
from benchaudit.cache import Cache
from benchaudit.checks import all_checks
from benchaudit.errors import PASSING, BenchauditError, SourceError
from benchaudit.findings import findings_of, missing_parts
from benchaudit.models import Finding, Origin, Snapshot, columns_of
from benchaudit.privacy import nameless_audit
from benchaudit.settings import Settings
from benchaudit.sources.base import Source
from benchaudit.speech import detail
from benchaudit.verdict import Audit, judge

if TYPE_CHECKING:
    from benchaudit.counting import Helpers

Say = Callable[[str], None]
"""Where a line for people goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """An audit with what pairing needs: the file of its narrow rows, and how its slices were cut.

    `rows_file` is None where they were not kept.
    """

    audit: Audit
    rows_file: Path | None
    slicings: tuple[tuple[str, ...], ...]

    @property
    def kept_rows(self) -> Path:
        """The file of the narrow rows. Raises ValueError where it was not asked for."""
        if self.rows_file is None:
            raise ValueError("the rows of this audit were not kept")
        return self.rows_file

    @property
    def columns(self) -> tuple[str, ...]:
        """The slice columns, in the order in which a narrow row holds their values."""
        return columns_of(self.slicings)


@contextmanager
def workspace() -> Iterator[Path]:
    """A directory for copies, spilled batches and narrow rows, gone at the end."""
    with TemporaryDirectory(prefix="benchaudit-") as name:
        yield Path(name).resolve()


def audit_snapshot(
    source: Source,
    snapshot: Snapshot,
    settings: Settings,
    work: Path,
    say: Say,
    *,
    optional: Collection[tuple[str, ...]] = (),
    keep_rows: bool = True,
) -> Audited:
    """Read, map, count and judge one revision.

    A slicing of `optional` whose columns are not there is left out and named; any other is an error.
    Without `keep_rows` it costs less, and no row can be paired or shown.

    Raises SourceError and MappingError.
    """
    from benchaudit.counting import Counting

    size = sum(blob.size for blob in snapshot.blobs)
    where = f"{source.name}@{snapshot.revision.sha[:7]}"
    if size > settings.max_bytes:
        raise SourceError(
            f"{size:,} bytes of data are more than max-bytes allows ({settings.max_bytes:,})",
            where=where,
            todo="name fewer files, or raise max-bytes",
        )
    place = work / snapshot.revision.sha
    place.mkdir(exist_ok=True)
    rows_file = place / "rows.parquet" if keep_rows else None
    for blob in snapshot.blobs:
        detail(f"{where}: {blob.path}, {blob.size:,} bytes")
    began = monotonic()
    with placed(source, snapshot, settings):
        counted = Counting(
            source=source,
            snapshot=snapshot,
            settings=settings,
            place=place,
            optional=optional,
            rows_file=rows_file,
            cache=Cache(Path(settings.cache)) if settings.cache else None,
            helpers=_helpers(source, snapshot, settings),
        ).counted()
    proposal, slicings, counts = counted.proposal, counted.slicings, counted.counts
    checks = all_checks(probe=settings.probe)
    not_run = [slicing for slicing in settings.slices if slicing not in slicings]
    for line in proposal.evidence:
        say(f"{where}: {line}")
    detail(f"{source.name}: {counts.rows:,} rows in {monotonic() - began:.1f} s")
    if counts.rows == 0:
        raise SourceError("holds no row", where=where, todo="check --files")
    audit = Audit(
        origin=Origin(dataset=source.name, revision=snapshot.revision, blobs=snapshot.blobs),
        mapping=proposal.mapping,
        thresholds=settings.thresholds,
        check_versions={check.name: check.version for check in checks},
        rows=counts.rows,
        left_out=counts.left_out,
        slices=accept(judge(counts.slices, checks, settings.thresholds, counts.halves), settings.accept),
        baseline=baseline(
            counts.slices,
            counts.halves,
            [check.name for check in checks if not (check.reads_question or check.is_model)],
            settings.baseline_column(slicings),
            settings.min_rows,
        ),
        findings=(*_missing(snapshot, settings), *findings_of(counts.marks), *counted.findings),
        not_run=tuple("*".join(slicing) for slicing in not_run),
        notes=counts.notes,
        acceptances=settings.accept,
        plain=counts.marks.keys().isdisjoint({"cell-numpy", "gold-with-text", "message"})
        and all(": the delimiter is a " in note for note in counts.notes),
    )
    if settings.samples == "none":
        audit = nameless_audit(audit)
    return Audited(audit=audit, rows_file=rows_file, slicings=tuple(slicings))


def _missing(snapshot: Snapshot, settings: Settings) -> Iterator[Finding]:
    """Parts that are not there; who names files one by one has left the others out on purpose."""
    if not settings.files or any(set("*?[") & set(pattern) for pattern in settings.files):
        yield from missing_parts([blob.path for blob in snapshot.blobs])


def _helpers(source: Source, snapshot: Snapshot, settings: Settings) -> Helpers | None:
    """The workers of a cluster where one is set; a single file is not worth the way there."""
    if not settings.scheduler or len(snapshot.blobs) < 2:
        return None
    from benchaudit.spread import Spread

    return Spread(address=source.address, snapshot=snapshot, settings=settings)


@contextmanager
def placed(source: Source, snapshot: Snapshot, settings: Settings) -> Iterator[None]:
    """Let an error about a file say of which revision it is; a source that is one file has but one.

    Where all files that look like data are read, it says how to name those that are meant.
    """
    try:
        yield
    except BenchauditError as error:
        if error.where == source.name:
            raise
        place = f"{source.name}@{snapshot.revision.sha[:7]}"
        where = error.where if error.where.startswith(place) else f"{place} {error.where}"
        guessed = len(snapshot.blobs) > 1 and not settings.files and not isinstance(error, PASSING)
        hint = "if this file is no part of the benchmark, name those that are with --files" if guessed else ""
        todo = "; ".join(filter(None, [error.todo, hint]))
        raise type(error)(error.what, where=where, todo=todo) from None
