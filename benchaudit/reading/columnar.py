"""Parquet: typed columns, bound by position. Texts stay texts, all else becomes JSON."""

from __future__ import annotations

from pathlib import Path

import duckdb

from benchaudit.errors import SourceError
from benchaudit.reading.engine import glob_escaped, literal
from benchaudit.reading.table import Column, Table


def read_parquet(path: Path, name: str, connection: duckdb.DuckDBPyConnection) -> Table:
    """Return the table of a Parquet file; only the columns that are asked for are read."""
    source = f"read_parquet({literal(glob_escaped(path))})"
    try:
        described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    except duckdb.Error as error:
        raise SourceError(f"cannot be read as Parquet ({error})", where=name) from None
    columns = tuple(
        Column(
            name=title,
            sql=f"c{number}" if kind == "VARCHAR" else f"to_json(c{number})::VARCHAR",
            form="text" if kind == "VARCHAR" else "json",
        )
        for number, (title, kind, *_) in enumerate(described)
    )
    aliases = ", ".join(f"c{number}" for number in range(len(columns)))
    relation = f"(SELECT *, NULL::VARCHAR AS unreadable FROM {source} AS t({aliases}))"
    return Table(file=name, relation=relation, columns=columns)
