"""The first rows of a file in a cache: enough to find the mapping by, without the file."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb

from benchaudit.cache import Cache
from benchaudit.mapping import SAMPLED_ROWS
from benchaudit.reading import SPOOLED, Column, Table
from benchaudit.reading.engine import literal


def find_head(cache: Cache, name: str, file: str) -> Table | None:
    """The table of the first rows that are kept by this name; None where they are not, or not in full."""
    about, rows = cache.find(f"{name}.json"), cache.find(f"{name}.parquet")
    if about is None or rows is None:
        return None
    try:
        told = json.loads(about.read_text(encoding="utf-8"))
        columns = [Column(**{**column, "path": tuple(column["path"])}) for column in told["columns"]]
        notes = tuple(told["notes"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Table(file=file, way=SPOOLED, path=rows, columns=tuple(columns), notes=notes)


def keep_head(
    cache: Cache, name: str, table: Table, connection: duckdb.DuckDBPyConnection
) -> tuple[str, ...]:
    """Keep the first rows of a table by this name, and return what the entries are called."""
    cells = {column.sql: f"e{place}" for place, column in enumerate(table.columns)}
    columns = [
        {"name": column.name, "sql": cells[column.sql], "form": column.form, "path": column.path}
        for column in table.columns
    ]
    told = json.dumps({"columns": columns, "notes": table.notes})
    selected = ", ".join(f"{sql} AS {cell}" for sql, cell in cells.items())
    rows = f"FROM {table.relation} WHERE unreadable IS NULL LIMIT {SAMPLED_ROWS}"
    first = f"SELECT {selected}, unreadable {rows}"
    cache.keep(f"{name}.parquet", lambda path: copy_rows(first, path, connection))
    cache.keep(f"{name}.json", lambda path: path.write_text(told, encoding="utf-8"))
    return f"{name}.parquet", f"{name}.json"


def copy_rows(rows: str, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """Write the rows that a query gives to a file, small rather than quickly.

    Raises OSError where it cannot be written.
    """
    try:
        connection.execute(f"COPY ({rows}) TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd)")
    except duckdb.IOException as error:
        # The engine has an error of its own for a full disk.
        raise OSError(str(error)) from None
