"""A Parquet file of which only parts are here: its footer, and the columns that were asked for.

The rest of the copy is a hole. Everything stands where it stands in the whole file, so the engine reads
the copy like any other file, and never looks where it was not asked to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from benchaudit.reading.engine import glob_escaped, literal
from benchaudit.reading.schema import Field, read_schema

Ranges = Callable[[int, int], bytes]
"""Gives the bytes of a file from one offset up to another."""

LEAST_BYTES = 4 << 20
"""A smaller file is not worth the requests that its parts would take."""

MOST_REQUESTS = 100
"""Where the parts lie further apart than that, some of what lies between them is taken too."""

_MAGIC = b"PAR1"
_TAIL = 64 << 10
_MOST_FOOTER = 64 << 20

Span = tuple[int, int]
"""From one offset up to another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    """One column of one group of rows: which top-level column it belongs to, and where it lies."""

    group: int
    rows: int
    column: int
    span: Span


@dataclass(slots=True, kw_only=True)
class Sparse:
    """A copy in the making; `fill` brings columns into it."""

    path: Path
    ranges: Ranges
    _there: set[Span] = field(default_factory=set)

    def fill(
        self, columns: Collection[int] | None, connection: duckdb.DuckDBPyConnection, rows: int | None = None
    ) -> None:
        """Bring top-level columns, by their places, and all for None: of the first `rows` rows, or of all."""
        wanted = []
        seen = 0
        for group in _groups(_chunks(self.path, connection)):
            if rows is not None and seen >= rows:
                break
            seen += group[0].rows
            wanted += [chunk.span for chunk in group if columns is None or chunk.column in columns]
        self._bring(merged([span for span in wanted if span not in self._there], MOST_REQUESTS))
        self._there.update(wanted)

    def _bring(self, spans: Sequence[Span]) -> None:
        with self.path.open("r+b") as file:
            for start, end in spans:
                file.seek(start)
                file.write(self.ranges(start, end))


def lay_out(path: Path, size: int, ranges: Ranges) -> Sparse | None:
    """Begin the copy of a Parquet file of `size` bytes; None where it is no such file."""
    tail = ranges(max(0, size - _TAIL), size)
    footer = int.from_bytes(tail[-8:-4], "little") + 8
    if not tail.endswith(_MAGIC) or footer > min(size, _MOST_FOOTER):
        return None
    if footer > len(tail):
        tail = ranges(size - footer, size)
    with path.open("wb") as file:
        file.write(_MAGIC)
        file.truncate(size)
        file.seek(size - len(tail))
        file.write(tail)
    return Sparse(path=path, ranges=ranges)


def merged(spans: Sequence[Span], most: int) -> list[Span]:
    """The spans in order, those that touch joined, across ever wider gaps until there are at most `most`."""
    gap = 0
    while True:
        joined: list[Span] = []
        for start, end in sorted(spans):
            if joined and start - joined[-1][1] <= gap:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        if len(joined) <= most:
            return joined
        gap = 2 * gap + 4096


def _chunks(path: Path, connection: duckdb.DuckDBPyConnection) -> list[_Chunk]:
    source = literal(glob_escaped(path))
    owners = [place for place, field in enumerate(read_schema(path, connection)) for _ in _leaves(field)]
    found = connection.execute(
        f"""SELECT row_group_id, row_group_num_rows, column_id, data_page_offset,
            coalesce(nullif(dictionary_page_offset, 0), data_page_offset), total_compressed_size
            FROM parquet_metadata({source}) ORDER BY row_group_id, column_id"""
    ).fetchall()
    return [
        _Chunk(
            group=group, rows=rows, column=owners[leaf], span=(min(data, start), min(data, start) + length)
        )
        for group, rows, leaf, data, start, length in found
    ]


def _leaves(field: Field) -> Iterator[Field]:
    """The columns in which a field is stored."""
    if not field.members:
        yield field
    for member in field.members:
        yield from _leaves(member)


def _groups(chunks: Sequence[_Chunk]) -> Iterator[list[_Chunk]]:
    groups: dict[int, list[_Chunk]] = {}
    for chunk in chunks:
        groups.setdefault(chunk.group, []).append(chunk)
    yield from groups.values()
