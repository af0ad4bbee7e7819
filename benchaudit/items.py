"""The items relation and the one scan over it.

The scan writes a narrow row for each raw row: its names, why it was left out or, for every check,
one packed integer of (k, t, hit). All that is counted afterwards is counted from those. The narrow
rows of a revision are kept as a file, so that two revisions can be paired without their text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from benchaudit.checks.form import Check
from benchaudit.mapping.batch import ITEM_TYPE, batch_reader, bind
from benchaudit.mapping.row import MAX_OPTIONS
from benchaudit.models import ColumnMapping, LeftOut, is_defect
from benchaudit.reading import Table
from benchaudit.reading.engine import arrow_function, literal
from benchaudit.tally import Cell, Counted, Tally

_BASE = MAX_OPTIONS + 1

Slicing = tuple[str, ...]
"""The columns that a set of slices fixes; `()` is ALL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Everything counted in one revision. `slices` begins with ALL; `marks` are rows by finding.

    `notes` say how the files were read; `rows_file` holds the narrow rows.
    """

    rows: int
    left_out: Mapping[str, LeftOut]
    marks: Mapping[str, LeftOut]
    slices: tuple[Counted, ...]
    notes: tuple[str, ...]
    rows_file: Path


def count_items(
    tables: Sequence[Table],
    mapping: ColumnMapping,
    slicings: Sequence[Slicing],
    checks: Sequence[Check],
    connection: duckdb.DuckDBPyConnection,
    rows_file: Path,
) -> Counts:
    """Scan the tables once and count. A file that the fast way cannot read in full is read carefully."""
    columns = sorted({column for slicing in slicings for column in slicing})
    try:
        _scan(tables, mapping, columns, checks, connection, "fast")
    except duckdb.Error:
        tables = [table.careful() if table.careful else table for table in tables]
        _scan(tables, mapping, columns, checks, connection, "careful")
    connection.execute(f"COPY scored TO {literal(str(rows_file))} (FORMAT parquet)")
    return Counts(
        rows=_integer(connection, "SELECT count(*) FROM scored"),
        left_out=_named_rows(connection, tables, "left_out", "left_out IS NOT NULL"),
        marks=_named_rows(connection, tables, "unnest(marks)", "true"),
        slices=tuple(
            counts for slicing in [(), *slicings] for counts in _slices(connection, slicing, columns, checks)
        ),
        notes=tuple(note for table in tables for note in table.notes),
        rows_file=rows_file,
    )


def _scan(
    tables: Sequence[Table],
    mapping: ColumnMapping,
    columns: Sequence[str],
    checks: Sequence[Check],
    connection: duckdb.DuckDBPyConnection,
    way: str,
) -> None:
    parts = []
    for number, table in enumerate(tables):
        binding = bind(table, mapping, columns)
        function = f"item_{number}_{way}"
        arrow_function(connection, function, batch_reader(binding), "VARCHAR[]", ITEM_TYPE)
        cells = ", ".join([*binding.arguments, "unreadable"])
        parts.append(
            f"SELECT {number} AS file, row, item.* FROM "
            f"(SELECT row_number() OVER () AS row, {function}([{cells}]) AS item FROM {table.relation})"
        )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE scored AS {scan_sql(' UNION ALL '.join(parts), checks)}"
    )


def scan_sql(items: str, checks: Sequence[Check]) -> str:
    """SQL that turns an items relation into narrow rows; each score is computed once for all checks.

    `content` is a digest of what makes two items the same: question, set of options, gold's text.
    """
    scores = {score: f"score_{number}" for number, score in enumerate(dict.fromkeys(c.score for c in checks))}
    scored = "".join(
        f", list_transform(options, lambda option: {score}) AS {name}" for score, name in scores.items()
    )
    packed = "".join(f", {_packed(check, scores[check.score])} AS {check.name}" for check in checks)
    return f"""
        SELECT file, row, id, left_out, marks, slices, gold,
               md5(to_json([question])::VARCHAR) AS question,
               CASE WHEN left_out IS NULL
                    THEN md5(to_json([question, options[gold + 1]])::VARCHAR || to_json(list_sort(options))::VARCHAR)
               END AS content{packed}
        FROM (SELECT *{scored} FROM ({items}))"""


def _packed(check: Check, scores: str) -> str:
    extreme = f"list_{check.extremum}({scores})"
    tied = f"len(list_filter({scores}, lambda score: score = {extreme}))"
    hit = f"({scores}[gold + 1] = {extreme})::INTEGER"
    return f"CASE WHEN left_out IS NULL THEN (len({scores}) * {_BASE} + {tied}) * 2 + {hit} END"


def unpacked(packed: Mapping[int, int]) -> list[Cell]:
    """The cells of a histogram of packed integers."""
    cells = []
    for code, items in packed.items():
        rest, hit = divmod(code, 2)
        k, t = divmod(rest, _BASE)
        cells.append((k, t, items, hit * items))
    return cells


def _slices(
    connection: duckdb.DuckDBPyConnection, slicing: Slicing, columns: Sequence[str], checks: Sequence[Check]
) -> list[Counted]:
    """The slices of one slicing, by value, the missing value last. ALL is there even if it is empty."""
    values = [f"slices[{columns.index(column) + 1}]" for column in slicing]
    group = f"GROUP BY {', '.join(values)}" if values else ""
    histograms = "".join(f", histogram({check.name})" for check in checks)
    usable = connection.execute(
        f"SELECT {', '.join([*values, 'histogram(gold)'])}{histograms} FROM scored WHERE left_out IS NULL {group}"
    ).fetchall()
    others = connection.execute(
        f"SELECT {', '.join([*values, 'left_out', 'count(*)'])} FROM scored WHERE left_out IS NOT NULL "
        f"GROUP BY ALL"
    ).fetchall()
    width = len(values)
    counted = {row[:width]: row[width:] for row in usable}
    left_out: dict[tuple[str | None, ...], dict[str, int]] = {}
    for row in others:
        left_out.setdefault(row[:width], {})[row[width]] = row[width + 1]
    keys = sorted({*counted, *left_out}, key=lambda key: [(value is None, value or "") for value in key])
    return [
        Counted(
            key=tuple(zip(slicing, key, strict=True)),
            left_out=dict(sorted(left_out.get(key, {}).items())),
            gold_position=dict(sorted((counted[key][0] or {}).items())) if key in counted else {},
            tallies={
                check.name: Tally.of(unpacked(counted[key][number] or {})) if key in counted else Tally()
                for number, check in enumerate(checks, start=1)
            },
        )
        for key in keys
    ]


def _named_rows(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[Table], code: str, condition: str
) -> dict[str, LeftOut]:
    """Rows by code, each with up to five names: the id where there is one, else the place in its file."""
    rows = connection.execute(
        f"SELECT code, count(*), arg_min((file, row, id), (file, row), 5) FROM "
        f"(SELECT {code} AS code, file, row, id FROM scored WHERE {condition}) GROUP BY code ORDER BY code"
    ).fetchall()
    return {
        name: LeftOut(
            rows=number,
            defective=is_defect(name),
            sample=tuple(row_name(tables[file].file, row, id_) for file, row, id_ in sample),
        )
        for name, number, sample in rows
    }


def row_name(file: str, row: int, id_: str | None) -> str:
    """What a row is called in reports: its id, else file and number, counted from 1."""
    return id_ if id_ else f"{file}:{row}"


def _integer(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    row = connection.execute(sql).fetchone()
    assert row is not None
    return int(row[0])
