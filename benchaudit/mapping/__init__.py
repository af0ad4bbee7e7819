"""Mapping: raw rows become items, or are left out with a reason. Knows benchmarks, not files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from benchaudit.mapping.batch import find_column, find_gold
from benchaudit.mapping.cells import Unreadable, Value, decode_literal
from benchaudit.mapping.detect import Proposal, Sample, propose
from benchaudit.models import ColumnMapping

if TYPE_CHECKING:
    import duckdb

    from benchaudit.reading import Table

__all__ = ["Proposal", "resolve"]

SAMPLED_ROWS = 2000
_DEPTH = 2


def resolve(table: Table, asked: ColumnMapping, connection: duckdb.DuckDBPyConnection) -> Proposal:
    """Propose the mapping of a table from what was asked for and from its first rows.

    Raises MappingError where a named column is not there, nothing fits, or more than one thing does.
    """
    for name in (*asked.question, *asked.options, *asked.distractors, asked.id):
        if name:
            find_column(table, name)
    if asked.gold:
        find_gold(table, asked.gold)
    sample, names = _sample(table, asked, connection)
    return propose(sample, names, asked, table.file)


def _sample(
    table: Table, asked: ColumnMapping, connection: duckdb.DuckDBPyConnection
) -> tuple[Sample, list[str]]:
    """The first rows, decoded, and the names that a mapping can take: columns and places inside records."""
    expressions = list(dict.fromkeys(column.sql for column in table.columns))
    raw = connection.execute(
        f"SELECT {', '.join(expressions)} FROM {table.relation} WHERE unreadable IS NULL LIMIT {SAMPLED_ROWS}"
    ).fetchall()
    rows = [dict(_decoded(table, dict(zip(expressions, cells, strict=True)))) for cells in raw]
    names = [column.name for column in table.columns]
    names += list(dict.fromkeys(place for row in rows for place in row if place not in names))
    asked_places = [*asked.question, *asked.options, *asked.distractors, asked.gold, asked.id]
    for place in asked_places:
        column = table.column(place) if place and place not in names else None
        if column is not None:
            owner = next(item for item in table.columns if place.startswith(f"{item.name}."))
            steps = replace(column, path=column.path[len(owner.path) :])
            for row in rows:
                row[place] = steps.follow(row.get(owner.name))
    return rows, names


def _decoded(table: Table, cells: Mapping[str, str | None]) -> Iterator[tuple[str, Value]]:
    whole: dict[str, Value] = {}
    for column in table.columns:
        if column.sql not in whole:
            try:
                whole[column.sql] = column.decode(cells[column.sql])
            except (ValueError, RecursionError):
                whole[column.sql] = None
        value = column.follow(whole[column.sql])
        yield column.name, value
        yield from _places(column.name, value, _DEPTH)


def _places(name: str, value: Value, depth: int) -> Iterator[tuple[str, Value]]:
    """The named places inside a record, whether it is one or is spelled in a text."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value, _ = decode_literal(value)
        except Unreadable:
            return
    if isinstance(value, dict) and depth:
        for key, inner in value.items():
            yield f"{name}.{key}", inner
            yield from _places(f"{name}.{key}", inner, depth - 1)
