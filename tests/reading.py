"""Tables out of bytes, and rows out of tables, for the tests of reading."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from hypothesis import settings

from benchaudit.reading import Table, open_table
from benchaudit.reading.engine import engine

patient = settings(deadline=None)
"""For properties whose first example imports the engine."""

Row = dict[str, Any] | str
"""The cells of a row by column, or the reason why it is unreadable."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A connection and a directory of its own, on which any number of files can be opened."""

    work: Path
    connection: duckdb.DuckDBPyConnection
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def open(self, content: bytes, name: str = "data.csv", records: str = "") -> Table:
        """The table of a file with this content."""
        path = self.work / f"file-{next(self._numbers)}"
        path.write_bytes(content)
        return open_table(path, name, self.work, self.connection, records)

    def rows(self, table: Table) -> list[Row]:
        """All rows of a table, decoded as the mapping decodes them."""
        raw = list(dict.fromkeys(column.sql for column in table.columns))
        found = self.connection.execute(
            f"SELECT {', '.join([*raw, 'unreadable'])} FROM {table.relation}"
        ).fetchall()
        return [_row(table, dict(zip(raw, cells[:-1], strict=True)), cells[-1]) for cells in found]

    def read(self, content: bytes, name: str = "data.csv", records: str = "") -> list[Row]:
        """All rows of a file with this content."""
        return self.rows(self.open(content, name, records))


def _row(table: Table, cells: dict[str, str | None], unreadable: str | None) -> Row:
    if unreadable is not None:
        return unreadable
    row = {}
    for column in table.columns:
        try:
            whole = column.decode(cells[column.sql])
        except (ValueError, RecursionError):
            return "invalid-json"
        if column.form != "record" or column.name in whole:
            row[column.name] = column.follow(whole)
    return row


@contextmanager
def desk() -> Iterator[Desk]:
    """A desk that is cleared at the end."""
    with TemporaryDirectory() as name:
        work = Path(name).resolve()
        with engine([], work) as connection:
            yield Desk(work, connection)


def is_by_engine(table: Table) -> bool:
    """Whether DuckDB reads the file itself, and not what Python has read before."""
    return "rows.parquet" not in table.relation
