"""The files of one snapshot: fetched when they are needed, and of a large Parquet file no more than that."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb

from benchaudit.mapping import SAMPLED_ROWS
from benchaudit.mapping.batch import bind
from benchaudit.models import Blob, ColumnMapping, Snapshot, columns_of
from benchaudit.reading import Column, Table, open_table
from benchaudit.reading.sparse import LEAST_BYTES, Sparse, lay_out
from benchaudit.settings import Settings
from benchaudit.sources.base import Ranged, Source

Slicings = Sequence[tuple[str, ...]]


@dataclass(slots=True, kw_only=True)
class Files:
    """The files of a snapshot by their numbers; copies of parts are made in `place`."""

    source: Source
    snapshot: Snapshot
    settings: Settings
    place: Path
    _paths: dict[int, Path] = field(default_factory=dict)
    _sparse: dict[int, Sparse] = field(default_factory=dict)

    def whole(self, number: int) -> Path:
        """The whole of a file."""
        if number not in self._paths:
            self._paths[number] = self.source.fetch(self.snapshot.revision, self.snapshot.blobs[number])
        return self._paths[number]

    def part(self, number: int) -> Path:
        """A file, or of a large one that is read by column the part of it that is needed."""
        blob = self.snapshot.blobs[number]
        if number not in self._sparse and number not in self._paths and self._is_by_column(blob):
            ranges = (
                self.source.ranges(self.snapshot.revision, blob) if isinstance(self.source, Ranged) else None
            )
            sparse = lay_out(self.place / f"{number}.part", blob.size, ranges) if ranges else None
            if sparse is not None:
                self._sparse[number] = sparse
        return self._sparse[number].path if number in self._sparse else self.whole(number)

    def _is_by_column(self, blob: Blob) -> bool:
        return blob.path.lower().endswith(".parquet") and blob.size >= LEAST_BYTES

    def opened(
        self, number: int, path: Path, connection: duckdb.DuckDBPyConnection, *, trusting: bool
    ) -> Table:
        """The table of a file; of one that is here in part, its first rows are here then."""
        name = self.snapshot.blobs[number].path
        records = self.settings.records
        table = open_table(path, name, self.place, connection, records, trusting=trusting)
        if (sparse := self._sparse.get(number)) is None or sparse.path != path:
            return table
        if (named := self.named) is not None:
            columns = [column for column in table.columns if _is_owner(column, named)]
            table = replace(table, columns=tuple(columns))
        sparse.fill(None if named is None else _places(table.columns), connection, SAMPLED_ROWS)
        return table

    def fill(
        self,
        tables: Mapping[int, Table],
        paths: Mapping[int, Path],
        mapping: ColumnMapping,
        slicings: Slicings,
        connection: duckdb.DuckDBPyConnection,
    ) -> None:
        """Bring what the scan will read into the files that are here in part."""
        for number, sparse in self._sparse.items():
            if paths.get(number) == sparse.path:
                arguments = bind(tables[number], mapping, columns_of(slicings)).arguments
                used = [column for column in tables[number].columns if column.sql in arguments]
                sparse.fill(_places(used), connection)

    @property
    def named(self) -> set[str] | None:
        """The columns that are named, where no other has to be looked at; else None."""
        asked = self.settings.mapping
        gold = asked.distractors or (asked.options and asked.gold_encoding)
        if not (asked.question and asked.id and asked.gold and gold):
            return None
        sliced = columns_of(self.settings.slices)
        bins = [name.rpartition("%")[0] for name in sliced]
        columns = (
            *asked.question,
            *asked.options,
            *asked.distractors,
            asked.gold,
            *asked.gold_columns,
            asked.gold_fallback,
            asked.id,
        )
        return {name for name in (*columns, *sliced, *bins) if name}


def _places(columns: Sequence[Column]) -> set[int]:
    """The places of columns in their Parquet file, which their names in SQL tell."""
    return {int(column.typed.removeprefix("c")) for column in columns}


def _is_owner(column: Column, named: Collection[str]) -> bool:
    """Whether a column is named, or a place inside it."""
    return any(name == column.name or name.startswith(f"{column.name}.") for name in named)
