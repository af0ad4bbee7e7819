"""Parquet and Arrow: typed columns, bound by position. Texts stay texts, all else becomes JSON.

DuckDB reads the rows. Names are taken from the file's own schema, for DuckDB renames columns that
differ by case only. An Arrow file becomes Parquet on the way, a batch at a time, and so does a Parquet
file in which a text is not UTF-8: its row is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from benchaudit.errors import SourceError
from benchaudit.reading.engine import glob_escaped, literal
from benchaudit.reading.header import column_names
from benchaudit.reading.packed import refuse_bomb
from benchaudit.reading.relaid import arrow_batches, lay_down, parquet_batches
from benchaudit.reading.schema import Field, cell_of, kind_of, read_schema
from benchaudit.reading.table import FILES, Column, Table, first_line, row_count

MAX_ROWS = 100_000_000
"""Rows that a file may declare: a few bytes can stand for any number of equal ones."""


def read_parquet(
    path: Path, name: str, place: Path, connection: duckdb.DuckDBPyConnection, *, trusting: bool = False
) -> Table:
    """Return the table of a Parquet file. Raises SourceError where it is damaged, or a decompression bomb."""
    _refuse_part(path, name)
    try:
        _refuse_bomb(path, name, connection)
        fields = read_schema(path, connection)
        table = _table(path, name, fields, connection)
    except duckdb.Error as error:
        raise SourceError(f"cannot be read ({first_line(error, of=str(path))})", where=name) from None
    if trusting or row_count(table, connection) is not None:
        return table
    with parquet_batches(path, name) as batches:
        laid_down = lay_down(batches, place / "rows.parquet")
    return _laid_down_table(laid_down, name, fields, connection)


def read_arrow(path: Path, name: str, place: Path, connection: duckdb.DuckDBPyConnection) -> Table:
    """Return the table of an Arrow IPC file, in the file format or the stream format.

    Raises SourceError where it is damaged, or has a column that Parquet cannot hold.
    """
    with arrow_batches(path, name) as (titles, batches):
        laid_down = lay_down(batches, place / "rows.parquet")
    fields = read_schema(laid_down, connection)
    named = [Field(name=title, members=field.members) for title, field in zip(titles, fields, strict=False)]
    return _laid_down_table(laid_down, name, named, connection)


def _laid_down_table(
    path: Path, name: str, fields: Sequence[Field], connection: duckdb.DuckDBPyConnection
) -> Table:
    table = _table(path, name, fields, connection, unreadable=f"c{len(fields)}")
    if row_count(table, connection) is None:
        raise SourceError("has cells that cannot be read", where=name)
    return table


def _refuse_part(path: Path, name: str) -> None:
    """Raise SourceError where the file does not end as a Parquet file does: a transfer broke off."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4))
        if file.read() != b"PAR1":
            raise SourceError("is cut off, or damaged", where=name, todo="fetch or upload it once more")


def _refuse_bomb(path: Path, name: str, connection: duckdb.DuckDBPyConnection) -> None:
    source = literal(glob_escaped(path))
    found = connection.execute(
        f"SELECT (SELECT sum(total_uncompressed_size) FROM parquet_metadata({source})), "
        f"(SELECT sum(num_rows) FROM parquet_file_metadata({source}))"
    ).fetchall()
    size, rows = (int(number or 0) for number in found[0])
    refuse_bomb(path.stat().st_size, size, name)
    if rows > MAX_ROWS:
        raise SourceError(f"declares {rows:,} rows", where=name, todo=f"at most {MAX_ROWS:,} are read")


def _table(
    path: Path,
    name: str,
    fields: Sequence[Field],
    connection: duckdb.DuckDBPyConnection,
    *,
    unreadable: str = "NULL::VARCHAR",
) -> Table:
    """The table of the columns that can be read; of the others it is said why they cannot."""
    source = f"read_parquet({literal(glob_escaped(path))}, hive_partitioning=false)"
    types = connection.sql(f"FROM {source}").types
    aliases = ", ".join(f"c{place}" for place in range(len(types)))
    titles, twice = column_names([field.name for field in fields])
    notes = [f"several columns are called {title!r}, told apart by numbers here" for title in twice]
    columns = []
    for place, (title, field) in enumerate(zip(titles, fields, strict=True)):
        try:
            sql, form = cell_of(f"c{place}", field, types[place])
        except ValueError as error:
            notes.append(f"column {title!r} is not read: it {error}")
        else:
            columns.append(
                Column(name=title, sql=sql, form=form, kind=kind_of(types[place]), typed=f"c{place}")
            )
    if not columns:
        raise SourceError("has no column that can be read", where=name, todo="; ".join(notes))
    rows = f"read_parquet({FILES}, hive_partitioning=false) AS t({aliases})"
    return Table(
        file=name,
        way=f"(SELECT *, file_index::INTEGER AS file_index, {unreadable} AS unreadable FROM {rows})",
        path=path,
        schema=_schema(fields, types) or (str(path),),
        columns=tuple(columns),
        notes=tuple(f"{name}: {note}" for note in notes),
    )


def _schema(fields: Sequence[Field], types: Sequence[Any]) -> tuple[str, ...]:
    """The names and types of all columns; none where names differ by case only, which the engine renames."""
    names = [field.name.lower() for field in fields]
    if len(set(names)) < len(names):
        return ()
    return tuple(f"{field.name} {kind}" for field, kind in zip(fields, types, strict=False))
