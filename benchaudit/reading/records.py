"""JSON: lines, an array, or a document that wraps one. A row is the record's text, as released.

DuckDB splits the file into records and Python reads what is in them: DuckDB's own JSON functions
respell numbers (`1.50` becomes `1.5`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchaudit.errors import SourceError
from benchaudit.mapping.cells import decode_json
from benchaudit.reading.engine import glob_escaped, literal
from benchaudit.reading.spool import Fields, spool
from benchaudit.reading.table import Column, Table

_SAMPLED = 2000
_MAX_RECORD = 64 << 20


def read_lines(path: Path, name: str, work: Path, connection: duckdb.DuckDBPyConnection) -> Table:
    """Return the table of a JSON lines file."""
    return _table(path, name, work, connection, "newline_delimited")


def read_document(
    path: Path, name: str, work: Path, connection: duckdb.DuckDBPyConnection, pointer: str = ""
) -> Table:
    """Return the table of a JSON document: an array of records, or an object that wraps one.

    `pointer` is a JSON pointer to the array; without one there must be exactly one to choose.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        start = _records_start(text, name, pointer)
        lines = work / f"{path.name}.lines"
        with lines.open("w", encoding="utf-8", newline="\n") as file:
            for record in _elements(text, start):
                file.write(" ".join(record.splitlines()) + "\n")
    except UnicodeDecodeError as error:
        raise SourceError(f"byte {error.start} is not UTF-8", where=name, todo="save it as UTF-8") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise SourceError(f"is not valid JSON ({error})", where=name) from None
    return _table(lines, name, work, connection, "newline_delimited")


def _table(path: Path, name: str, work: Path, connection: duckdb.DuckDBPyConnection, layout: str) -> Table:
    size = min(_MAX_RECORD, max(16 << 20, path.stat().st_size + 1))
    relation = (
        f"(SELECT json::VARCHAR AS record, NULL::VARCHAR AS unreadable FROM read_json_objects("
        f"{literal(glob_escaped(path))}, format={literal(layout)}, maximum_object_size={size}, compression='none'))"
    )

    def careful() -> Table:
        target = spool(_careful_lines(path), ["record", "unreadable"], work / f"{path.name}.careful.parquet")
        return Table(
            file=name,
            relation=f"read_parquet({literal(str(target))})",
            columns=_columns(connection, f"read_parquet({literal(str(target))})"),
            notes=(f"{name}: read line by line",),
        )

    try:
        return Table(file=name, relation=relation, columns=_columns(connection, relation), careful=careful)
    except duckdb.Error:
        return careful()


def _columns(connection: duckdb.DuckDBPyConnection, relation: str) -> tuple[Column, ...]:
    """The names that the first records have, in the order in which they come up."""
    names: dict[str, None] = {}
    sample = connection.execute(f"SELECT record FROM {relation} WHERE unreadable IS NULL LIMIT {_SAMPLED}")
    for (text,) in sample.fetchall():
        try:
            record = decode_json(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            names.update(dict.fromkeys(record))
    return tuple(Column(name=name, sql="record", form="record", path=(name,)) for name in names)


def _careful_lines(path: Path) -> Iterator[Fields]:
    with path.open("rb") as file:
        for line in file:
            if not line.strip():
                continue
            try:
                text = line.decode("utf-8-sig").strip()
                record = decode_json(text)
            except UnicodeDecodeError:
                yield None, "not-unicode"
            except (ValueError, RecursionError):
                yield None, "invalid-json"
            else:
                yield (text, None) if isinstance(record, dict) else (None, "no-record")


_DECODER = json.JSONDecoder()


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Names and value offsets of the object at `at`; JSONDecodeError where it is broken."""
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":" or not isinstance(key, str):
            raise json.JSONDecodeError("a name and a colon are expected", text, at)
        at = _skip(text, at + 1)
        yield key, at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "}":
            raise json.JSONDecodeError("a comma is expected", text, at)


def _elements(text: str, at: int) -> Iterator[str]:
    """The elements of the array at `at`, each as it is spelled."""
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield text[at:end]
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "]":
            raise json.JSONDecodeError("a comma is expected", text, at)


def _opens_records(text: str, at: int) -> bool:
    return text[at] == "[" and text.startswith("{", _skip(text, at + 1))


def _records_start(text: str, name: str, pointer: str) -> int:
    """The offset of the array that holds the records."""
    at = _skip(text, 0)
    for step in [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]:
        found = dict(_members(text, at)) if text[at : at + 1] == "{" else {}
        if step not in found:
            raise SourceError(f"has nothing at {pointer}", where=name, todo="check --records")
        at = found[step]
    if text[at : at + 1] == "[":
        return at
    arrays = {key: place for key, place in _members(text, at) if _opens_records(text, place)}
    if len(arrays) == 1:
        return next(iter(arrays.values()))
    said = ", ".join(f"/{key}" for key in arrays) or "none"
    raise SourceError(f"wraps {len(arrays)} arrays ({said})", where=name, todo="name one with --records")
