"""Reading: the blobs of one revision become relations of raw rows. Knows formats, not benchmarks."""

from __future__ import annotations

from pathlib import Path

import duckdb

from benchaudit.errors import SourceError
from benchaudit.reading.columnar import read_parquet
from benchaudit.reading.content import container_of, unpacked
from benchaudit.reading.delimited import read_delimited
from benchaudit.reading.records import read_document, read_lines
from benchaudit.reading.table import Column, Table

__all__ = ["Column", "Table", "open_table"]


def open_table(
    path: Path, name: str, work: Path, connection: duckdb.DuckDBPyConnection, records: str = ""
) -> Table:
    """Return the table of one file.

    `name` is what messages call it, `work` a directory for copies, `records` a JSON pointer to the
    records of a wrapped document. Raises SourceError where the file holds no table.
    """
    path = unpacked(path, name, work)
    container = container_of(path, name)
    if container == "parquet":
        return read_parquet(path, name, connection)
    if container == "jsonl":
        return read_lines(path, name, work, connection)
    if container == "json":
        return read_document(path, name, work, connection, records)
    if container == "csv":
        return read_delimited(path, name, work)
    raise SourceError(f"is {container}, which is not read yet", where=name, todo="give CSV, JSON or Parquet")
