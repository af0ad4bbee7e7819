"""One snapshot from its files to its counts: what has to be read is read once, what was read never again.

The engine is trusted first. Where it fails amid a file, loses rows, runs out of memory or leads to an error,
all is done again with more memory, without the cache, and with files that were read to their ends.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import duckdb

from benchaudit.cache import Cache, name_of
from benchaudit.checks import all_checks
from benchaudit.checks.form import Check
from benchaudit.errors import MappingError, SourceError
from benchaudit.files import Files, Slicings
from benchaudit.findings import Asked, findings_of_rows
from benchaudit.heads import copy_rows, find_head, keep_head
from benchaudit.items import Counts, asking, count_items, narrow_rows
from benchaudit.mapping import Proposal, resolve
from benchaudit.mapping.batch import bind, bind_slice
from benchaudit.models import ColumnMapping, Finding, Snapshot, columns_of
from benchaudit.reading import Table
from benchaudit.reading.engine import (
    LEAN_LIMIT,
    MEMORY_LIMIT,
    Refused,
    engine,
    last_resort,
    refusals,
)
from benchaudit.settings import Settings
from benchaudit.sources.base import Source
from benchaudit.sources.card import labels_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedSnapshot:
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


class Helpers(Protocol):
    """Others who read files."""

    def fill(self, counting: Counting, cache: Cache, *, trusting: bool) -> None:
        """Let `cache` hold what a count needs of each file. What it then lacks is read here.

        Raises Refused, SourceError and MappingError as a count here would.
        """


@dataclass(slots=True, kw_only=True)
class Counting:
    """The files of one snapshot, to be counted in the working directory `place`.

    The narrow rows of all files are kept in `rows_file`, if there is to be one. A slicing of `optional`
    whose columns are not there is left out. Where there are `helpers`, they read the files.
    """

    source: Source
    snapshot: Snapshot
    settings: Settings
    place: Path
    optional: Collection[tuple[str, ...]]
    rows_file: Path | None
    cache: Cache | None
    helpers: Helpers | None = None
    files: Files = field(init=False)

    def __post_init__(self) -> None:
        self.files = Files(
            source=self.source, snapshot=self.snapshot, settings=self.settings, place=self.place
        )

    def counted(self) -> CountedSnapshot:
        """Open, map and count. Raises SourceError and MappingError."""
        files = ", ".join(blob.path for blob in self.snapshot.blobs[:3])
        try:
            with refusals(files):
                return self._attempt(self.cache, trusting=True)
        except Refused:
            if self.cache is not None:
                self.cache.forget()
        except (SourceError, MappingError) as error:
            if type(error) not in {SourceError, MappingError}:
                # It comes from where the files are, and not from what is in them.
                raise
        with last_resort(files):
            return self._attempt(None, trusting=False)

    def _attempt(self, cache: Cache | None, *, trusting: bool) -> CountedSnapshot:
        if self.helpers is not None:
            cache = cache or Cache(self.place / ("trusted" if trusting else "untrusted"))
            self.helpers.fill(self, cache, trusting=trusting)
        try:
            return self.count(cache, trusting=trusting)
        except _Lacking as lacking:
            return self.count(cache, lacking.files, trusting=trusting)

    def count(
        self, cache: Cache | None, wanted: Collection[int] = (), *, trusting: bool = True
    ) -> CountedSnapshot:
        """One attempt; the files in `wanted` are read, whatever is kept of them."""
        kept = {
            number: table
            for number in range(len(self.snapshot.blobs))
            if cache is not None and number not in wanted and (table := self.kept_head(cache, number))
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
                kept.get(number) or self._labelled(number, opened(number))
                for number in range(len(self.snapshot.blobs))
            ]
            proposal, slicings = self._mapped(tables, connection)
            names = {
                number: self._rows_name(number, table, proposal.mapping, slicings)
                for number, table in enumerate(tables)
                if cache is not None
            }
            rows = {n: path for n, name in names.items() if cache and (path := cache.find(name))}
            if lacking := kept.keys() - rows.keys():
                raise _Lacking(lacking)
            self.files.fill(dict(enumerate(tables)), paths, proposal.mapping, slicings, connection)
            counts = count_items(
                tables,
                proposal.mapping,
                slicings,
                self._checks_of(proposal.mapping),
                connection,
                self.rows_file,
                rows if cache else None,
            )
            found = tuple(findings_of_rows(asking(connection), self._asked(proposal.mapping, slicings)))
            if cache is not None:
                for number in sorted(set(range(len(tables))) - kept.keys()):
                    keep_head(cache, self._head_name(number), tables[number], connection)
                    _keep_rows(cache, names[number], number, connection)
        return CountedSnapshot(proposal=proposal, slicings=slicings, counts=counts, findings=found)

    def _mapped(
        self, tables: Sequence[Table], connection: duckdb.DuckDBPyConnection
    ) -> tuple[Proposal, Slicings]:
        """The mapping, and the slicings that every file has the columns for."""
        proposal = resolve(tables[0], self.settings.mapping, connection, tables[1:])
        slicings = [
            slicing
            for slicing in self.settings.slices
            if slicing not in self.optional or _fits(tables, slicing)
        ]
        return proposal, slicings

    def mapped_as_kept(self, cache: Cache) -> tuple[ColumnMapping, Slicings, Mapping[int, str]] | None:
        """The mapping and the slicings by what is kept of the first rows; None where some are not kept.

        With them comes what the narrow rows of each file are called that are not kept yet. Raises
        MappingError where no mapping is clear or a file lacks one of its columns.
        """
        tables = [
            table
            for number in range(len(self.snapshot.blobs))
            if (table := self.kept_head(cache, number)) is not None
        ]
        if len(tables) < len(self.snapshot.blobs):
            return None
        with engine([], self.place, LEAN_LIMIT, cache.folder) as connection:
            proposal, slicings = self._mapped(tables, connection)
        for table in tables:
            bind(table, proposal.mapping, columns_of(slicings))
        names = {
            number: self._rows_name(number, table, proposal.mapping, slicings)
            for number, table in enumerate(tables)
        }
        lacking = {number: name for number, name in names.items() if cache.find(name) is None}
        return proposal.mapping, slicings, lacking

    def keep_part(
        self,
        number: int,
        cache: Cache,
        mapping: ColumnMapping | None,
        slicings: Slicings = (),
        *,
        trusting: bool,
    ) -> tuple[str, ...]:
        """Keep the first rows of one file, or with a mapping its narrow rows, as a count of all would.

        Returns the names of the entries. Raises Refused, SourceError and MappingError.
        """
        path = self.files.part(number) if trusting else self.files.whole(number)
        limit = LEAN_LIMIT if trusting else MEMORY_LIMIT
        with (
            refusals(self.snapshot.blobs[number].path),
            engine([path], self.place, limit, cache.folder) as connection,
        ):
            opened = self.files.opened(number, path, connection, trusting=trusting)
            table = self._labelled(number, opened)
            if mapping is None:
                return keep_head(cache, self._head_name(number), table, connection)
            self.files.fill({number: table}, {number: path}, mapping, slicings, connection)
            several = len(self.snapshot.blobs) > 1
            narrow_rows([table], mapping, slicings, self._checks_of(mapping), connection, several=several)
            name = self._rows_name(number, table, mapping, slicings)
            _keep_rows(cache, name, 0, connection)
            return (name,)

    def _labelled(self, number: int, table: Table) -> Table:
        return replace(table, labels=labels_of(self.snapshot.blobs[number].path, self.snapshot.layout))

    def _checks_of(self, mapping: ColumnMapping) -> list[Check]:
        return [check for check in all_checks(probe=self.settings.probe) if check.applies(mapping)]

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
        checks = [asdict(check) for check in all_checks(probe=self.settings.probe)]
        parts = [
            *self._parts(number),
            asdict(mapping),
            columns_of(slicings),
            checks,
            several,
            dict(table.places),
        ]
        return f"{name_of('rows', parts)}.parquet"

    def kept_head(self, cache: Cache, number: int) -> Table | None:
        """The table of the first rows of a file, for finding the mapping; None where they are not kept."""
        table = find_head(cache, self._head_name(number), self.snapshot.blobs[number].path)
        return table and self._labelled(number, table)

    def _head_name(self, number: int) -> str:
        return name_of("head", self._parts(number))


def _keep_rows(cache: Cache, name: str, number: int, connection: duckdb.DuckDBPyConnection) -> None:
    cache.keep(name, lambda path: copy_rows(f"FROM scored WHERE file = {number}", path, connection))


def _fits(tables: Sequence[Table], slicing: tuple[str, ...]) -> bool:
    """Whether every table has the columns of a slicing."""
    try:
        for table in tables:
            for name in slicing:
                bind_slice(table, name)
    except MappingError:
        return False
    return True
