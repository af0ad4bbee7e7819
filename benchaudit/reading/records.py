"""JSON: lines, an array, or a document that wraps one. A row is the record's text, as released.

DuckDB splits the file into records and Python reads what is in them: DuckDB's own JSON functions
respell numbers (`1.50` becomes `1.5`). A file that DuckDB refuses anywhere is split by Python.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from benchaudit.errors import SourceError
from benchaudit.mapping.literal import decode_json
from benchaudit.mapping.names import families, following
from benchaudit.reading.document import BrokenDocument, Window
from benchaudit.reading.encoding import Utf8, is_text, lines_of, shown
from benchaudit.reading.engine import literal
from benchaudit.reading.outline import Place, find_records, records_at
from benchaudit.reading.spool import Fields, spool
from benchaudit.reading.table import FILES, SPOOLED, Column, Table, row_count

BLANKS = " \t\r\n\v\f"
"""What DuckDB passes over around a line's record."""

_SAMPLED = 2000
_MAX_RECORD = 16 << 20
_RECORD = Column(name="", sql="record", form="record")
"""Bytes of a record that DuckDB may read; the file of a longer one is left to Python."""


def read_lines(
    text: Utf8, name: str, place: Path, connection: duckdb.DuckDBPyConnection, *, trusting: bool = False
) -> Table:
    """Return the table of a JSON lines file; a line that is no record is a row that is left out.

    Raises SourceError where no line is one.
    """
    fast = _split_by_engine(text, name, connection, "newline_delimited", trusting=trusting)
    if fast is not None:
        return fast
    lines = (line.strip(BLANKS) for line in lines_of(text.path, name, newline="\n"))
    return _split_by_definition(filter(None, lines), text, name, place, connection)


def read_document(
    text: Utf8,
    name: str,
    place: Path,
    connection: duckdb.DuckDBPyConnection,
    pointer: str = "",
    *,
    trusting: bool = False,
) -> Table:
    """Return the table of a JSON document: an array of records, or an object that wraps one.

    `pointer` is a JSON pointer to the records; without one there must be exactly one place to choose.
    Raises SourceError where the document is broken or has no records, and MappingError where the pointer
    leads to none, or has to be set.
    """
    try:
        with text.path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
            found = find_records(Window(file), pointer, name)
        if found == Place():
            fast = _split_by_engine(text, name, connection, "array", trusting=trusting)
            if fast is not None:
                return fast
        notes = () if pointer or found == Place() else (f"{name}: {found.about}",)
        with text.path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
            records = records_at(Window(file), found, name)
            return _split_by_definition(records, text, name, place, connection, notes)
    except (BrokenDocument, RecursionError) as error:
        raise SourceError(f"is not valid JSON ({error})", where=name) from None


def _split_by_engine(
    text: Utf8, name: str, connection: duckdb.DuckDBPyConnection, layout: str, *, trusting: bool
) -> Table | None:
    """The table as DuckDB splits it, None where it refuses the file."""
    way = (
        "(SELECT json::VARCHAR AS record, CASE WHEN NOT starts_with(json::VARCHAR, '{') THEN 'no-record' END "
        f"AS unreadable, file_index::INTEGER AS file_index FROM read_json_objects({FILES}, "
        f"format={literal(layout)}, maximum_object_size={_MAX_RECORD}, compression='none'))"
    )
    whole = Table(file=name, way=way, path=text.path, columns=(_RECORD,), notes=text.notes)
    if not text.clean or not (trusting or row_count(whole, connection) is not None):
        return None
    return _named(whole, connection)


def _split_by_definition(
    records: Iterable[str],
    text: Utf8,
    name: str,
    place: Path,
    connection: duckdb.DuckDBPyConnection,
    notes: tuple[str, ...] = (),
) -> Table:
    """The table of the records that Python has split, each a row even where it is none."""
    target = spool(_fields(records), ["record", "unreadable"], place / "rows.parquet")
    whole = Table(
        file=name,
        way=SPOOLED,
        path=target,
        columns=(_RECORD,),
        notes=(*text.notes, *notes),
    )
    return _named(whole, connection)


def _fields(records: Iterable[str]) -> Iterator[Fields]:
    """The raw rows; that a record is no valid JSON shows when it is decoded, whoever has split the file."""
    for record in records:
        if not is_text(record):
            yield None, "not-unicode"
        else:
            yield (record, None) if record.startswith("{") else (None, "no-record")


def _named(whole: Table, connection: duckdb.DuckDBPyConnection) -> Table:
    """The table of whole records with a column for each name that its first records have, as they come up."""
    names: dict[str, None] = {}
    sample = connection.execute(
        f"SELECT record FROM {whole.relation} WHERE unreadable IS NULL LIMIT {_SAMPLED}"
    )
    sampled = [str(record) for (record,) in sample.fetchall()]
    for record in sampled:
        try:
            names.update(dict.fromkeys(decode_json(record)))
        except (ValueError, RecursionError):
            continue
    if not names:
        raise SourceError(
            f"holds no record{_why(sampled)}", where=whole.file, todo="a row must be a JSON object with names"
        )
    if len(sampled) == _SAMPLED:
        _add_late(names, whole.relation, connection)
    columns = tuple(replace(_RECORD, name=shown(title), path=(title,)) for title in names)
    return replace(whole, columns=columns)


def _add_late(names: dict[str, None], relation: str, connection: duckdb.DuckDBPyConnection) -> None:
    """Add the options that only later records have, such as an `option_e`: they would be read as of fewer."""
    late = [""]
    while late:
        ahead = map(following, families(list(names)))
        unknown = [name for name in ahead if name and name not in names]
        late = _later(unknown, relation, connection) if unknown else []
        names.update(dict.fromkeys(late))


def _later(names: Sequence[str], relation: str, connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Those of some names that any record has. What cannot be read is found when all rows are read."""
    has = [
        f"coalesce(bool_or(CASE WHEN contains(record, {literal(json.dumps(name, ensure_ascii=False))}) "
        f"THEN json_valid(record) AND list_contains(json_keys(record), {literal(name)}) END), false)"
        for name in names
    ]
    try:
        found = connection.execute(f"SELECT {', '.join(has)} FROM {relation} WHERE unreadable IS NULL")
        return [name for name, there in zip(names, found.fetchall()[0], strict=True) if there]
    except duckdb.Error:
        return []


def _why(records: Sequence[str]) -> str:
    """What is wrong with the first record of a file in which none can be read."""
    try:
        decode_json(records[0] if records else "{}")
    except json.JSONDecodeError as error:
        return f": the first is no valid JSON ({error.msg} at character {error.pos + 1})"
    except (ValueError, RecursionError):
        return ": the first is no valid JSON"
    return ""
