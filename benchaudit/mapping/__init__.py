"""Mapping: raw rows become items, or are left out with a reason. Knows benchmarks, not files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from benchaudit.errors import MappingError
from benchaudit.mapping.batch import find_column, find_gold
from benchaudit.mapping.detect import Proposal, propose
from benchaudit.mapping.encodings import Sample
from benchaudit.mapping.literal import Repeated, Unreadable, Value, decode_literal
from benchaudit.mapping.names import GOLD, by_rank, gold_families
from benchaudit.mapping.row import scores_of
from benchaudit.models import ColumnMapping, together

if TYPE_CHECKING:
    import duckdb

    from benchaudit.reading import Column, Table

__all__ = ["Proposal", "resolve", "sample_rows"]

SAMPLED_ROWS = 2000
"""Rows that are looked at, of all files together."""

MOST_FILES = 100
"""Files that are looked at."""

LEAST_SHARE = 0.05
"""Share of those rows that must have a place inside a record for it to be a candidate unasked."""

_DEPTH = 2


def resolve(
    table: Table, asked: ColumnMapping, connection: duckdb.DuckDBPyConnection, others: Sequence[Table] = ()
) -> Proposal:
    """Propose the mapping of a table from what was asked for and from its first rows.

    `others` are further files of the same revision, whose first rows are looked at as well: a test
    split may come without labels, and a small file may not show from where its places count.

    Raises MappingError where a named column is not there, nothing fits, or more than one thing does.
    """
    for name in (*asked.question, *asked.options, *asked.distractors, asked.id):
        if name:
            find_column(table, name)
    find_gold(table, asked)
    sample, names = sample_rows(table, asked, connection, others)
    proposal = propose(sample, names, asked, table.file)
    if not asked.gold:
        _check_golds([table, *others], proposal.mapping)
    return proposal


def _check_golds(tables: Sequence[Table], mapping: ColumnMapping) -> None:
    """Raise MappingError where a file lacks the gold column, and has what may be it and no other file has.

    A hidden split lacks it as well, but has nothing in its place.
    """
    names = {table.file: [column.name for column in table.columns] for table in tables}
    labelled = {name for table in tables if table.column(mapping.gold) for name in names[table.file]}
    for table in tables if mapping.gold else ():
        known = {*labelled, mapping.gold_fallback}
        others = [name for name in by_rank(names[table.file], GOLD) if name not in known]
        if table.column(mapping.gold) is None and others:
            raise MappingError(
                f"has no column {mapping.gold!r}, which is gold elsewhere, but {others[0]!r}",
                where=table.file,
                todo=f"look at each on its own, or set --gold {mapping.gold!r} if it is not gold here",
            )


def sample_rows(
    table: Table, asked: ColumnMapping, connection: duckdb.DuckDBPyConnection, others: Sequence[Table] = ()
) -> tuple[Sample, list[str]]:
    """The first rows, decoded, and the names that a mapping can take: columns and places inside records."""
    tables = (table, *others)
    looked_at = tables[:MOST_FILES]
    limit = SAMPLED_ROWS // len(looked_at)
    rows = [row for one in looked_at for row in _sample(one, asked, connection, limit)]
    columns = [column.name for one in tables for column in one.columns]
    rows_with = Counter(place for row in rows for place in row)
    # Of a map from texts to scores, each text is a place of its own in one row or two.
    common = [place for place, number in rows_with.items() if number >= LEAST_SHARE * len(rows)]
    names = list(dict.fromkeys([*columns, *common]))
    for name in (asked.gold,) if asked.gold else gold_families(names):
        # A column may have commas in its own name.
        for row in rows if name not in names and (parts := together(name)) else ():
            row.setdefault(name, scores_of([row.get(part) for part in parts]))
    return rows, names


def _sample(
    table: Table, asked: ColumnMapping, connection: duckdb.DuckDBPyConnection, limit: int
) -> list[dict[str, Value]]:
    """The first rows of a table: its columns, and the places inside records."""
    expressions = list(dict.fromkeys(column.sql for column in table.columns))
    raw = connection.execute(
        f"SELECT {', '.join(expressions)} FROM {table.relation} WHERE unreadable IS NULL LIMIT {limit}"
    ).fetchall()
    rows = [dict(_decoded(table, dict(zip(expressions, cells, strict=True)))) for cells in raw]
    several = (*asked.question, *asked.options, *asked.distractors, *asked.gold_columns)
    places = (*several, asked.gold_fallback, asked.id)
    for place in places:
        column, owner = table.column(place), table.owner(place)
        if column is not None and owner is not None and not any(place in row for row in rows):
            # A place deeper than those that are looked at unasked.
            steps = replace(column, path=column.path[len(owner.path) :])
            for row in rows:
                row[place] = _followed(steps, row.get(owner.name))
    return rows


def _decoded(table: Table, cells: Mapping[str, str | None]) -> Iterator[tuple[str, Value]]:
    whole: dict[str, Value] = {}
    for column in table.columns:
        if column.sql not in whole:
            try:
                whole[column.sql] = column.decode(cells[column.sql])
            except (ValueError, RecursionError):
                whole[column.sql] = None
        value = _followed(column, whole[column.sql])
        yield column.name, value
        yield from _places(column.name, value, _DEPTH)


def _followed(column: Column, value: Value) -> Value:
    try:
        return column.follow(value)
    except Unreadable:
        return None


def _places(name: str, value: Value, depth: int) -> Iterator[tuple[str, Value]]:
    """The named places inside a record, whether it is one or is spelled in a text."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value, _ = decode_literal(value)
        except Unreadable:
            return
    if isinstance(value, dict) and not isinstance(value, Repeated) and depth:
        for key, inner in value.items():
            yield f"{name}.{key}", inner
            yield from _places(f"{name}.{key}", inner, depth - 1)
