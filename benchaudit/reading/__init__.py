"""Reading: the blobs of one revision become relations of raw rows. Knows formats, not benchmarks."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

from benchaudit.reading.columnar import read_arrow, read_parquet
from benchaudit.reading.content import binary_kind, text_kind
from benchaudit.reading.delimited import read_delimited
from benchaudit.reading.encoding import as_utf8
from benchaudit.reading.packed import unpacked
from benchaudit.reading.records import read_document, read_lines
from benchaudit.reading.table import SPOOLED, Column, Table, relation_of

__all__ = ["SPOOLED", "Column", "Table", "open_table", "relation_of"]


def open_table(
    path: Path,
    name: str,
    work: Path,
    connection: duckdb.DuckDBPyConnection,
    records: str = "",
    *,
    trusting: bool = False,
) -> Table:
    """Return the table of one file, which has been read to its end: asking it for its rows will not fail.

    `name` is what messages call it, `work` a directory for copies, `records` a JSON pointer to the
    records of a wrapped document. A `trusting` caller spares the engine that first reading: the rows may
    then fail to come, or be other than `Table.rows`, and the file has to be opened again without trust.
    Raises SourceError where the file holds no table.
    """
    # Files of one name in different directories of a dataset must not share their copies.
    place = Path(tempfile.mkdtemp(dir=work))
    path = unpacked(path, name, place)
    binary = binary_kind(path, name)
    if binary == "parquet":
        return read_parquet(path, name, place, connection, trusting=trusting)
    if binary == "arrow":
        return read_arrow(path, name, place, connection)
    text = as_utf8(path, name, place)
    kind = text_kind(text.path, name)
    if kind == "jsonl":
        return read_lines(text, name, place, connection, trusting=trusting)
    if kind == "json":
        return read_document(text, name, place, connection, records, trusting=trusting)
    return read_delimited(text, name, place, connection, trusting=trusting)
