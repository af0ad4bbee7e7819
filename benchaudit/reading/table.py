"""A table: one file of one revision as a relation of raw rows, whatever its container was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import duckdb

from benchaudit.errors import SourceError
from benchaudit.mapping.literal import Repeated, Unreadable, Value, decode_json, decode_literal
from benchaudit.models import together
from benchaudit.reading.engine import glob_escaped, literal

FILES = "\x1ffiles\x1f"
"""Stands in SQL where the files belong that are read."""

SPOOLED = f"(SELECT *, file_index::INTEGER AS file_index FROM read_parquet({FILES}))"
"""The way to rows that were written down with `unreadable` among their columns."""

LARGE = 4 << 20
"""Bytes of a file that is read on its own: planning is little of that, and its parts need the memory."""

Form = Literal["text", "json", "record"]
Kind = Literal["", "text", "integer", "texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column, or a place inside one.

    `sql` gives the raw cell as VARCHAR. `form` says what that text is: the cell itself (`text`), a
    JSON value, or a whole JSON record of which `path` names the part. `kind` says that every cell is
    a text, an integer or a list of texts, or missing; `typed` gives it as what it is. Where there are
    `parts`, this is several columns as one that holds a list of their cells, and `sql` gives nothing.
    """

    name: str
    sql: str
    form: Form
    path: tuple[str, ...] = ()
    kind: Kind = ""
    typed: str = ""
    parts: tuple[Column, ...] = ()

    def decode(self, raw: str | None) -> Value:
        """Return what the raw cell holds before `path` is followed; ValueError where it is broken."""
        return raw if raw is None or self.form == "text" else decode_json(raw)

    def follow(self, value: Value) -> Value:
        """Return the part of a decoded cell that `path` names, None where it has none.

        Raises Unreadable where that is a part of a record in which a name stands twice: either may be meant.
        """
        for depth, step in enumerate(self.path):
            if isinstance(value, str):
                try:
                    value, _ = decode_literal(value)
                except Unreadable:
                    return None
            # A whole row of that kind is left out before it is asked for its parts.
            if isinstance(value, Repeated) and (depth or self.form != "record"):
                raise Unreadable("a record in which a name stands twice")
            value = value.get(step) if isinstance(value, dict) else None
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Raw rows in release order.

    `way` is SQL for a FROM clause over `FILES`, here `path` alone. It gives the columns that `Column.sql`
    names, `file_index`, which counts the files from 0, and `unreadable`, the reason code of a row that
    could not be read at all (else NULL). `schema` are the names and types that a container declares. `notes`
    say how the bytes were read. `labels` are names that the dataset gives the file, such as `@split`. `rows`
    is how many there have to be, None where that is not known beforehand.
    """

    file: str
    way: str
    path: Path
    columns: tuple[Column, ...]
    schema: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    labels: Mapping[str, str | None] = field(default_factory=dict)
    rows: int | None = None

    @property
    def relation(self) -> str:
        """SQL for a FROM clause that gives the rows of this file."""
        return relation_of([self])

    @property
    def company(self) -> tuple[object, ...]:
        """Tables with an equal one are read together: small ones of one way and one schema."""
        alone = self.path if self.path.stat().st_size >= LARGE else None
        return self.way, self.schema, alone

    @property
    def places(self) -> Mapping[str, str | None]:
        """What slices by place read: the file's path, its directory, and its labels."""
        return {"@file": self.file, "@dir": self.file.rpartition("/")[0] or ".", **self.labels}

    @property
    def has_schema(self) -> bool:
        """Whether the container declares its columns; JSON records may lack any name in any row."""
        return not any(column.form == "record" for column in self.columns)

    def column(self, name: str) -> Column | None:
        """Return the column called `name`, else what it names in a longer way.

        Names between commas are several columns as one; a dotted name reaches a place inside a column.
        """
        for column in self.columns:
            if column.name == name:
                return column
        parts = [self.column(part) for part in together(name)]
        if parts and None not in parts:
            return Column(name=name, sql="", form="text", parts=tuple(part for part in parts if part))
        owner = self.owner(name)
        if owner is None:
            return None
        rest = tuple(name.removeprefix(f"{owner.name}.").split("."))
        return Column(name=name, sql=owner.sql, form=owner.form, path=(*owner.path, *rest))

    def owner(self, place: str) -> Column | None:
        """Return the column inside of which a dotted name reaches a place: the one with the longest name."""
        owners = [column for column in self.columns if place.startswith(f"{column.name}.")]
        return max(owners, key=lambda column: len(column.name), default=None)


def relation_of(tables: Sequence[Table]) -> str:
    """SQL for the rows of tables that are read in one way, table by table."""
    files = ", ".join(literal(glob_escaped(table.path)) for table in tables)
    return tables[0].way.replace(FILES, f"[{files}]")


def row_count(table: Table, connection: duckdb.DuckDBPyConnection) -> int | None:
    """Return how many rows a table has, once every cell of it has been read; None where one cannot be.

    The engine says what it cannot read only when it gets there, which may be late and on any thread; so
    a table is handed on after it has been read to its end. Parsing alone costs little of an audit.
    Raises SourceError where there is not the memory for it.
    """
    expressions = dict.fromkeys([*(column.sql for column in table.columns), "unreadable"])
    # A digest needs the value itself; a count is answered from the statistics of a Parquet file.
    touched = ", ".join(f"min(hash({expression}))" for expression in expressions)
    try:
        found = connection.execute(f"SELECT count(*), {touched} FROM {table.relation}").fetchall()
    except duckdb.OutOfMemoryException:
        raise SourceError("takes more memory than is allowed", where=table.file, todo="split it") from None
    except duckdb.Error:
        return None
    return int(found[0][0])


def first_line(error: Exception, *, of: str) -> str:
    """What an engine says of a file, without its advice; `of` is the path that it names, and nobody knows."""
    return str(error).partition("\n")[0].replace(of, "it")
