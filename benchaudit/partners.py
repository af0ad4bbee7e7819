"""Who is whose partner: the rows of two revisions are paired, part by part, and laid side by side.

Rows are paired by the digests in their narrow rows, by equal content, then by id, then by question, and
never by row number. Of more rows than memory holds those that could be partners are looked at together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from benchaudit.audit import Audited
from benchaudit.items import slice_values
from benchaudit.packing import column_of
from benchaudit.reading.engine import literal, literals

SIDES = ("old", "new")

AT_ONCE = 1_000_000
"""Rows of both revisions that are paired at a time, about: few enough to be held in memory."""

Keys = tuple[str, ...]


def _single(key: str) -> str:
    """SQL for whether a row's key is not missing and stands in no other row of its side."""
    return f"""(side, {key}) IN (
        SELECT side, {key} FROM both_sides WHERE {key} IN (SELECT {key} FROM part)
        GROUP BY ALL HAVING count(*) = 1)"""


def _digest(column: str) -> str:
    """SQL for an md5 in half the bytes of its spelling."""
    return f"{column}::UUID"


_NO_QUESTION = _digest("md5('')")

_STAGES: Mapping[Keys, Sequence[tuple[str, Keys]]] = {
    ("question", "options", "gold_text"): (
        ("left_out IS NULL", ("question", "options", "gold_text", "slices", "id")),
        ("left_out IS NULL", ("question", "options", "gold_text", "slices")),
        ("left_out IS NULL", ("question", "options", "gold_text")),
    ),
    ("id",): ((_single("id"), ("id",)),),
    ("question",): (
        (f"question <> {_NO_QUESTION} AND {_single('question')}", ("question",)),
        ("left_out IS NOT NULL", ("question", "left_out", "slices", "id")),
        ("left_out IS NOT NULL", ("question", "left_out")),
    ),
}
"""Which of the rows that are still alone are paired, and by what; repeats of the same go in row order.

Repeats that are alike in their slice or id too come first, so that sorting a file anew moves no item
to another slice. Of rows that are no items the content is not known; those that have neither an id
nor a question of their own are paired last, by all that is known, so that what stayed broken is not
said to have gone and come.

What all passes of a stage pair by is its name: rows that agree in it are looked at together, and no
others have to be.
"""


def lay_side_by_side(
    connection: duckdb.DuckDBPyConnection,
    audits: Sequence[Audited],
    columns: Sequence[str],
    checks: Sequence[str],
    place: Path,
) -> None:
    """Make the view `joined` of two revisions' rows, `old` beside `new`; one without a partner stands alone.

    Both are records of what is counted of a row: its number and name, why it was left out, gold, the values
    of these slice columns, digests, and the packed integers of these checks. Rows are paired stage by stage.
    Those that are joined go to files in `place`, for one table of them all is more than memory holds.
    """
    _view(connection, audits, columns, checks)
    joined = place / "joined"
    joined.mkdir()
    alone = "both_sides"
    for number, (by, passes) in enumerate(_STAGES.items()):
        left = f"alone_{number}"
        connection.execute(f"CREATE TEMP TABLE {left} AS FROM {alone} LIMIT 0")
        for part in _dealt(connection, alone, by, place / left):
            connection.execute(f"CREATE OR REPLACE TEMP TABLE part AS FROM {part}")
            for which, keys in passes:
                _pair(connection, which, keys, joined)
            connection.execute(f"INSERT INTO {left} FROM part")
        alone = left
    # Numbers of two sides are never equal.
    _lay_down(connection, alone, "FULL JOIN new ON old.number = new.number", joined)
    connection.execute(f"CREATE TEMP VIEW joined AS FROM {_files(joined)}")


def _view(
    connection: duckdb.DuckDBPyConnection,
    audits: Sequence[Audited],
    columns: Sequence[str],
    checks: Sequence[str],
) -> None:
    """What pairing needs of both revisions' narrow rows; of slice values those that both revisions have.

    A row's `number` tells it from all others and grows in row order.
    """
    packed = "".join(f", {column_of(check)}" for check in checks)
    sides = []
    for side, audited in zip(SIDES, audits, strict=True):
        values = ", ".join(slice_values(tuple(columns), audited.columns))
        sides.append(f"""
            SELECT '{side}' AS side,
                   ({SIDES.index(side)}::BIGINT << 62) | (file::BIGINT << 40) | row AS number,
                   name, left_out, gold, nullif(id, '') AS id,
                   CASE WHEN slices IS NOT NULL THEN [{values}]::VARCHAR[] END AS slices,
                   {_digest("question")} AS question, {_digest("options")} AS options,
                   {_digest("gold_text")} AS gold_text, alike, alike_gold{packed}
            FROM read_parquet({literal(str(audited.kept_rows))})""")
    connection.execute(f"CREATE TEMP VIEW both_sides AS {' UNION ALL '.join(sides)}")


def _dealt(connection: duckdb.DuckDBPyConnection, rows: str, by: Keys, folder: Path) -> Iterator[str]:
    """Deal rows out to parts by a hash of these keys, so that those that agree in them are in one part."""
    (number,) = only_row(connection, f"SELECT count(*) FROM {rows}")
    if number <= AT_ONCE:
        yield rows
        return
    connection.execute(f"""
        COPY (SELECT *, hash({", ".join(by)}) % {number // AT_ONCE + 1} AS part FROM {rows})
        TO {literal(str(folder))} (FORMAT parquet, PARTITION_BY (part))""")
    for part in folder.iterdir():
        yield _files(part)


def _files(folder: Path) -> str:
    """SQL for the rows of all files in a folder of our own."""
    # Named one by one: a star would make a pattern of all that stands before it.
    return f"read_parquet({literals(map(str, folder.iterdir()))}, hive_partitioning = false)"


def _pair(connection: duckdb.DuckDBPyConnection, which: str, keys: Keys, joined: Path) -> None:
    """Take those of the rows of one part that have partners by these keys out of it, and join them."""
    names = ", ".join(keys)
    equal = " AND ".join(f"old.{key} IS NOT DISTINCT FROM new.{key}" for key in [*keys, "repeat"])
    connection.execute(f"""
        CREATE OR REPLACE TEMP TABLE pairs AS
        WITH numbered AS (
            SELECT side, number, {names},
                   row_number() OVER (PARTITION BY side, {names} ORDER BY number) AS repeat
            FROM part WHERE {which})
        SELECT old.number AS old_number, new.number AS new_number
        FROM (FROM numbered WHERE side = 'old') AS old
        JOIN (FROM numbered WHERE side = 'new') AS new ON {equal}""")
    if only_row(connection, "SELECT count(*) FROM pairs") == (0,):
        return
    _lay_down(
        connection,
        "part",
        "JOIN pairs ON old.number = old_number JOIN new ON new.number = new_number",
        joined,
    )
    connection.execute("""
        CREATE OR REPLACE TEMP TABLE part AS SELECT part.* FROM part ANTI JOIN (
            SELECT old_number AS number FROM pairs UNION ALL SELECT new_number FROM pairs
        ) AS paired ON part.number = paired.number""")


def _lay_down(connection: duckdb.DuckDBPyConnection, rows: str, partners: str, joined: Path) -> None:
    """Write a file of old rows beside new ones. What only pairing needed is left out."""
    sides = ", ".join(
        f"{side} AS (SELECT * EXCLUDE (side, id, question) FROM {rows} WHERE side = '{side}')"
        for side in SIDES
    )
    target = joined / f"{len(list(joined.iterdir()))}.parquet"
    connection.execute(
        f"COPY (WITH {sides} SELECT old, new FROM old {partners}) TO {literal(str(target))} (FORMAT parquet)"
    )


def only_row(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    """The only row of a result."""
    (row,) = connection.execute(sql).fetchall()
    return tuple(row)
