"""One snapshot from its files to its counts: what has to be read is read once, what was read never again.

The engine is trusted first. Where it fails amid a file, loses rows, runs out of memory or leads to an error,
all is done again with more memory, without the cache, and with files that were read to their ends.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

from benchaudit.cache import Cache, name_of
from benchaudit.checks import all_checks
from benchaudit.errors import MappingError, SourceError
from benchaudit.files import Files, Slicings, columns_of
from benchaudit.findings import Asked, findings_of_rows
from benchaudit.items import Counts, asking, count_items
from benchaudit.mapping import SAMPLED_ROWS, Proposal, resolve
from benchaudit.mapping.batch import bind_slice
from benchaudit.models import ColumnMapping, Finding, Snapshot
from benchaudit.reading import Column, Table
from benchaudit.reading.engine import (
    LEAN_LIMIT,
    MEMORY_LIMIT,
    Refused,
    engine,
    glob_escaped,
    literal,
    refusals,
)
from benchaudit.settings import Settings
from benchaudit.sources.base import Source
from benchaudit.sources.card import labels_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The mapping, the slicings that every file has the columns for, and what was counted.

    `findings` are those that several rows make together.
    """

    proposal: Proposal
    slicings: Slicings
    counts: Counts
    findings: tuple[Finding, ...]


class _Lacking(Exception):
    """Of these files the first rows are kept and the narrow rows are not."""

    def __init__(self, files: Collection[int]) -> None:
        super().__init__()
        self.files = files


@dataclass(slots=True, kw_only=True)
class Counting:
    """The files of one snapshot, to be counted in the working directory `place`.

    The narrow rows of all files are kept in `rows_file`, if there is to be one. A slicing of `optional`
    whose columns are not there is left out.
    """

    source: Source
    snapshot: Snapshot
    settings: Settings
    place: Path
    optional: Collection[tuple[str, ...]]
    rows_file: Path | None
    cache: Cache | None
    files: Files = field(init=False)

    def __post_init__(self) -> None:
        self.files = Files(
            source=self.source, snapshot=self.snapshot, settings=self.settings, place=self.place
        )

    def counted(self) -> Counted:
        """Open, map and count. Raises SourceError and MappingError."""
        files = ", ".join(blob.path for blob in self.snapshot.blobs[:3])
        try:
            with refusals(files):
                try:
                    return self.count(self.cache)
                except _Lacking as lacking:
                    return self.count(self.cache, lacking.files)
        except Refused:
            if self.cache is not None:
                self.cache.forget()
        except (SourceError, MappingError) as error:
            if type(error) not in {SourceError, MappingError}:
                # It comes from where the files are, and not from what is in them.
                raise
        try:
            with refusals(files):
                return self.count(None, trusting=False)
        except Refused as error:
            raise SourceError(f"cannot be read ({error})", where=files) from None

    def count(self, cache: Cache | None, wanted: Collection[int] = (), *, trusting: bool = True) -> Counted:
        """One attempt; the files in `wanted` are read, whatever is kept of them."""
        kept = {
            number: table
            for number in range(len(self.snapshot.blobs))
            if cache is not None and number not in wanted and (table := self._kept_head(cache, number))
        }
        paths = {
            number: self.files.part(number) if trusting else self.files.whole(number)
            for number in range(len(self.snapshot.blobs))
            if number not in kept
        }
        limit = LEAN_LIMIT if trusting else MEMORY_LIMIT
        with engine(paths.values(), self.place, limit, cache.folder if cache else None) as connection:

            def opened(number: int) -> Table:
                return self.files.opened(number, paths[number], connection, trusting=trusting)

            tables = [
                replace(
                    kept.get(number) or opened(number),
                    labels=labels_of(blob.path, self.snapshot.layout),
                )
                for number, blob in enumerate(self.snapshot.blobs)
            ]
            proposal = resolve(tables[0], self.settings.mapping, connection, tables[1:])
            slicings = [
                slicing
                for slicing in self.settings.slices
                if slicing not in self.optional or _fits(tables, slicing)
            ]
            names = [
                self._rows_name(number, table, proposal.mapping, slicings)
                for number, table in enumerate(tables)
            ]
            rows = {n: path for n, name in enumerate(names) if cache and (path := cache.find(name))}
            if lacking := kept.keys() - rows.keys():
                raise _Lacking(lacking)
            self.files.fill(tables, paths, proposal.mapping, slicings, connection)
            counts = count_items(
                tables,
                proposal.mapping,
                slicings,
                [check for check in all_checks() if check.applies(proposal.mapping)],
                connection,
                self.rows_file,
                rows if cache else None,
            )
            found = tuple(findings_of_rows(asking(connection), self._asked(proposal.mapping, slicings)))
            if cache is not None:
                for number in sorted(set(range(len(tables))) - kept.keys()):
                    self._keep_head(cache, number, tables[number], connection)
                    _keep_rows(cache, names[number], number, connection)
        return Counted(proposal=proposal, slicings=slicings, counts=counts, findings=found)

    def _asked(self, mapping: ColumnMapping, slicings: Slicings) -> Asked:
        return Asked(
            files=[blob.path for blob in self.snapshot.blobs],
            columns=columns_of(slicings),
            thresholds=self.settings.thresholds,
            ordered=not mapping.gold_apart,
            repeats=self.settings.repeats,
        )

    def _parts(self, number: int) -> list[Any]:
        """What the table of a file depends on."""
        blob = self.snapshot.blobs[number]
        return [blob.id, blob.path, self.settings.records, sorted(self.files.named or ())]

    def _rows_name(self, number: int, table: Table, mapping: ColumnMapping, slicings: Slicings) -> str:
        """What the narrow rows of a file are called."""
        # A row without an id is called by its file too where there are several.
        several = len(self.snapshot.blobs) > 1
        checks = [asdict(check) for check in all_checks()]
        parts = [
            *self._parts(number),
            asdict(mapping),
            columns_of(slicings),
            checks,
            several,
            dict(table.places),
        ]
        return f"{name_of('rows', parts)}.parquet"

    def _kept_head(self, cache: Cache, number: int) -> Table | None:
        """The table of the first rows of a file, for finding the mapping; None where they are not kept."""
        name = name_of("head", self._parts(number))
        about, rows = cache.find(f"{name}.json"), cache.find(f"{name}.parquet")
        if about is None or rows is None:
            return None
        try:
            told = json.loads(about.read_text(encoding="utf-8"))
            columns = [Column(**{**column, "path": tuple(column["path"])}) for column in told["columns"]]
            notes = tuple(told["notes"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        relation = f"read_parquet({literal(glob_escaped(rows))})"
        return Table(
            file=self.snapshot.blobs[number].path, relation=relation, columns=tuple(columns), notes=notes
        )

    def _keep_head(
        self, cache: Cache, number: int, table: Table, connection: duckdb.DuckDBPyConnection
    ) -> None:
        cells = {column.sql: f"e{place}" for place, column in enumerate(table.columns)}
        columns = [
            {"name": column.name, "sql": cells[column.sql], "form": column.form, "path": column.path}
            for column in table.columns
        ]
        told = json.dumps({"columns": columns, "notes": table.notes})
        selected = ", ".join(f"{sql} AS {name}" for sql, name in cells.items())
        rows = f"FROM {table.relation} WHERE unreadable IS NULL LIMIT {SAMPLED_ROWS}"
        first = f"SELECT {selected}, unreadable {rows}"
        name = name_of("head", self._parts(number))
        cache.keep(f"{name}.parquet", lambda path: _copy(first, path, connection))
        cache.keep(f"{name}.json", lambda path: path.write_text(told, encoding="utf-8"))


def _keep_rows(cache: Cache, name: str, number: int, connection: duckdb.DuckDBPyConnection) -> None:
    cache.keep(name, lambda path: _copy(f"FROM scored WHERE file = {number}", path, connection))


def _copy(rows: str, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(f"COPY ({rows}) TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd)")


def _fits(tables: Sequence[Table], slicing: tuple[str, ...]) -> bool:
    """Whether every table has the columns of a slicing."""
    try:
        for table in tables:
            for name in slicing:
                bind_slice(table, name)
    except MappingError:
        return False
    return True
