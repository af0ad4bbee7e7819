"""One revision from its files to its audit: the rooms in the order in which data walks through them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchaudit.accept import accept
from benchaudit.baseline import baseline
from benchaudit.checks import all_checks
from benchaudit.errors import BenchauditError, MappingError, SourceError
from benchaudit.findings import findings_of
from benchaudit.models import Origin, Snapshot
from benchaudit.privacy import nameless_audit
from benchaudit.settings import Settings
from benchaudit.sources.base import Source
from benchaudit.verdict import Audit, judge

if TYPE_CHECKING:
    from benchaudit.items import Counts
    from benchaudit.mapping import Proposal
    from benchaudit.reading import Table

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
        return tuple(sorted({column for slicing in self.slicings for column in slicing}))


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
    size = sum(blob.size for blob in snapshot.blobs)
    where = f"{source.name}@{snapshot.revision.sha[:7]}"
    if size > settings.max_bytes:
        raise SourceError(
            f"{size:,} bytes of data are more than max-bytes allows ({settings.max_bytes:,})",
            where=where,
            todo="name fewer files, or raise max-bytes",
        )
    paths = [source.fetch(snapshot.revision, blob) for blob in snapshot.blobs]
    place = work / snapshot.revision.sha
    place.mkdir(exist_ok=True)
    rows_file = place / "rows.parquet" if keep_rows else None
    with _placed(source.name, where):
        proposal, slicings, counts = _counted(paths, snapshot, settings, place, optional, rows_file)
    not_run = [slicing for slicing in settings.slices if slicing not in slicings]
    for line in proposal.evidence:
        say(f"{where}: {line}")
    if counts.rows == 0:
        raise SourceError("holds no row", where=where, todo="check --files")
    audit = Audit(
        origin=Origin(dataset=source.name, revision=snapshot.revision, blobs=snapshot.blobs),
        mapping=proposal.mapping,
        thresholds=settings.thresholds,
        check_versions={check.name: check.version for check in all_checks()},
        rows=counts.rows,
        left_out=counts.left_out,
        slices=accept(judge(counts.slices, all_checks(), settings.thresholds), settings.accept),
        baseline=baseline(
            counts.slices,
            counts.halves,
            [check.name for check in all_checks()],
            settings.baseline_column(slicings),
            settings.min_rows,
        ),
        findings=findings_of(counts.marks),
        not_run=tuple("*".join(slicing) for slicing in not_run),
        notes=counts.notes,
        acceptances=settings.accept,
        plain="cell-numpy" not in counts.marks
        and all(": the delimiter is a " in note for note in counts.notes),
    )
    if settings.samples == "none":
        audit = nameless_audit(audit)
    return Audited(audit=audit, rows_file=rows_file, slicings=tuple(slicings))


def _counted(
    paths: Sequence[Path],
    snapshot: Snapshot,
    settings: Settings,
    place: Path,
    optional: Collection[tuple[str, ...]],
    rows_file: Path | None,
) -> tuple[Proposal, list[tuple[str, ...]], Counts]:
    """Open, map and count the files of a snapshot: the mapping, the slicings that can be, the counts.

    The engine is trusted first. Where it fails amid a file, loses rows, runs out of memory or leads to an
    error, all is done again with more memory and files that have been read to their ends.
    """
    from benchaudit.reading.engine import Refused, refusals

    files = ", ".join(blob.path for blob in snapshot.blobs[:3])
    count = partial(_count, paths, snapshot, settings, place, optional, rows_file)
    try:
        with refusals(files):
            return count(trusting=True)
    except (Refused, BenchauditError):
        pass
    try:
        with refusals(files):
            return count(trusting=False)
    except Refused as error:
        raise SourceError(f"cannot be read ({error})", where=files) from None


def _count(
    paths: Sequence[Path],
    snapshot: Snapshot,
    settings: Settings,
    place: Path,
    optional: Collection[tuple[str, ...]],
    rows_file: Path | None,
    *,
    trusting: bool,
) -> tuple[Proposal, list[tuple[str, ...]], Counts]:
    from benchaudit.items import count_items
    from benchaudit.mapping import resolve
    from benchaudit.opening import open_tables
    from benchaudit.reading.engine import LEAN_LIMIT, MEMORY_LIMIT, engine

    with engine(paths, place, LEAN_LIMIT if trusting else MEMORY_LIMIT) as connection:
        tables = open_tables(snapshot, paths, settings.records, place, connection, trusting=trusting)
        proposal = resolve(tables[0], settings.mapping, connection, tables[1:])
        slicings = [
            slicing for slicing in settings.slices if slicing not in optional or _fits(tables, slicing)
        ]
        counts = count_items(tables, proposal.mapping, slicings, all_checks(), connection, rows_file)
        return proposal, slicings, counts


@contextmanager
def _placed(name: str, revision: str) -> Iterator[None]:
    """Let an error about a file say of which revision it is; a source that is one file has but one."""
    try:
        yield
    except BenchauditError as error:
        if error.where == name:
            raise
        raise type(error)(error.what, where=f"{revision} {error.where}", todo=error.todo) from None


def _fits(tables: Sequence[Table], slicing: tuple[str, ...]) -> bool:
    """Whether every table has the columns of a slicing."""
    from benchaudit.mapping.batch import bind_slice

    try:
        for table in tables:
            for name in slicing:
                bind_slice(table, name)
    except MappingError:
        return False
    return True
