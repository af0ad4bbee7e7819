"""Types of a Parquet file: what its fields are called, and how a cell becomes text without losing any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from benchaudit.reading.engine import glob_escaped, literal
from benchaudit.reading.table import Form, Kind

_INTEGERS = {
    "tinyint", "smallint", "integer", "bigint", "hugeint",
    "utinyint", "usmallint", "uinteger", "ubigint", "uhugeint",
}  # fmt: skip
_NUMBERS = {"boolean", "decimal", *_INTEGERS}
_NESTED = {"list", "array", "struct", "map", "union"}
_BYTES = {"blob", "bit"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field as the file spells it, with those inside it."""

    name: str
    members: tuple[Field, ...] = ()


def read_schema(path: Path, connection: duckdb.DuckDBPyConnection) -> list[Field]:
    """Return the columns of a Parquet file, in order. Raises duckdb.Error where it is damaged."""
    rows = connection.execute(
        f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({literal(glob_escaped(path))})"
    ).fetchall()
    return list(_field(iter(rows)).members)


def _field(rows: Iterator[tuple[str, int]]) -> Field:
    """The field that comes next in a schema written out depth first."""
    name, members = next(rows)
    return Field(name=name, members=tuple([_field(rows) for _ in range(members)]))


def cell_of(column: str, field: Field, kind: Any) -> tuple[str, Form]:
    """Return SQL for the raw cell of a column of a DuckDB type, and the form of that text.

    Raises ValueError, with the end of a sentence, where its cells cannot be told as text.
    """
    if _BYTES & _leaves(kind):
        raise ValueError("holds bytes, not text")
    _refuse_look_alikes(field)
    if kind.id in _NESTED:
        return f"to_json({_exact(column, kind)})::VARCHAR", "json"
    if kind.id in {"float", "double"}:
        # As Python spells it, and as JSON where it is no number.
        return (
            f"CASE WHEN isfinite({column}) THEN {column}::VARCHAR ELSE to_json({column})::VARCHAR END",
            "json",
        )
    if kind.id in _NUMBERS or str(kind) == "JSON":
        return f"{column}::VARCHAR", "json"
    return (column if kind.id == "varchar" else f"{column}::VARCHAR"), "text"


def kind_of(kind: Any) -> Kind:
    """What the cells of a column of a DuckDB type are, "" where that needs a closer look."""
    if kind.id in _INTEGERS:
        return "integer"
    kinds: dict[str, Kind] = {"VARCHAR": "text", "VARCHAR[]": "texts"}
    return kinds.get(str(kind), "")


def _leaves(kind: Any) -> set[str]:
    if kind.id not in _NESTED:
        return {kind.id}
    return set().union(*(_leaves(inner) for _, inner in _inside(kind)))


def _inside(kind: Any) -> list[tuple[str, Any]]:
    """The types inside a nested one; the length of an array is among DuckDB's children of it."""
    return [(name, inner) for name, inner in kind.children if not isinstance(inner, int)]


def _refuse_look_alikes(field: Field) -> None:
    """Where the names in a record differ by case only, DuckDB gives one of them another name."""
    for name, count in Counter(member.name.lower() for member in field.members).items():
        if count > 1:
            raise ValueError(f"holds records with several fields called {name!r} in any case")
    for member in field.members:
        _refuse_look_alikes(member)


def _exact(column: str, kind: Any) -> str:
    """A nested column whose numbers come out of DuckDB's `to_json` as they are spelled.

    It makes doubles of them, which changes short floats (0.1) and decimals (1.50). A short float is
    read again from its shortest spelling; a decimal becomes a text.
    """
    if not {"float", "decimal"} & _leaves(kind):
        return column
    spelled = _retyped(kind, {"float": "VARCHAR", "decimal": "VARCHAR"})
    return f"{column}::{spelled}::{_retyped(kind, {'float': 'DOUBLE', 'decimal': 'VARCHAR'})}"


def _retyped(kind: Any, leaves: Mapping[str, str]) -> str:
    """The SQL name of a type with other leaves."""
    if kind.id not in _NESTED:
        return leaves.get(kind.id, str(kind))
    inside = [(name, _retyped(inner, leaves)) for name, inner in _inside(kind)]
    if kind.id in {"list", "array"}:
        return f"{inside[0][1]}[]"
    if kind.id == "map":
        return f"MAP({inside[0][1]}, {inside[1][1]})"
    members = ", ".join(f"{_identifier(name)} {inner}" for name, inner in inside)
    return f"{kind.id.upper()}({members})"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
