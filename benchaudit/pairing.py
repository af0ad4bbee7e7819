"""Which item of the old revision is which of the new, and what that moved in every slice.

Two revisions are paired by the digests in their narrow rows: by equal content, then by id, then by
question, never by row number. What comes out are tallies, so that every step is an exact fraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from benchaudit.audit import Audited
from benchaudit.items import Slicing, in_slices, slice_values, unpacked
from benchaudit.models import SliceKey
from benchaudit.moves import PARTS, Moves, Pairs
from benchaudit.reading.engine import engine, literal
from benchaudit.tally import Tally

MOST_NAMES = 10
"""Rows that a step names."""

_JOIN = """
CREATE TEMP TABLE pairs AS
WITH numbered AS (
    SELECT *, row_number() OVER (PARTITION BY side, question, options, gold_text ORDER BY file, row) AS repeat,
           count(*) OVER (PARTITION BY side, id) AS same_id,
           count(*) OVER (PARTITION BY side, question) AS same_question
    FROM both_sides),
old AS (SELECT * FROM numbered WHERE side = 0),
new AS (SELECT * FROM numbered WHERE side = 1),
by_content AS (
    SELECT old.number AS old_number, new.number AS new_number FROM old JOIN new
    ON old.question = new.question AND old.options = new.options AND old.gold_text = new.gold_text
    AND old.repeat = new.repeat),
by_id AS (
    SELECT old.number AS old_number, new.number AS new_number FROM old JOIN new ON old.id = new.id
    WHERE old.same_id = 1 AND new.same_id = 1
    AND old.number NOT IN (SELECT old_number FROM by_content) AND new.number NOT IN (SELECT new_number FROM by_content)),
sure AS (SELECT * FROM by_content UNION ALL SELECT * FROM by_id),
by_question AS (
    SELECT old.number AS old_number, new.number AS new_number FROM old JOIN new ON old.question = new.question
    WHERE old.same_question = 1 AND new.same_question = 1 AND old.question <> md5('')
    AND old.number NOT IN (SELECT old_number FROM sure) AND new.number NOT IN (SELECT new_number FROM sure))
SELECT * FROM sure UNION ALL SELECT * FROM by_question;

CREATE TEMP TABLE joined AS
SELECT old, new FROM (SELECT * FROM both_sides WHERE side = 0) AS old
FULL JOIN pairs ON old.number = pairs.old_number
FULL JOIN (SELECT * FROM both_sides WHERE side = 1) AS new ON new.number = pairs.new_number;
"""

_CLASSES = {
    "paired": "old.number IS NOT NULL AND new.number IS NOT NULL",
    "added": "old.number IS NULL",
    "removed": "new.number IS NULL",
    "options_edited": "old.options <> new.options",
    "gold_changed": "old.gold_text <> new.gold_text",
    "moved_slice": "old.number IS NOT NULL AND new.number IS NOT NULL AND old.slices IS DISTINCT FROM new.slices",
    "became_left_out": "old.left_out IS NULL AND old.number IS NOT NULL AND new.left_out IS NOT NULL",
    "became_usable": "old.left_out IS NOT NULL AND new.left_out IS NULL AND new.number IS NOT NULL",
}


def pair_audits(old: Audited, new: Audited, work: Path) -> Pairs:
    """Pair the rows of two audits, and count what moved in every slicing that both have."""
    columns = old.columns, new.columns
    slicings = [slicing for slicing in old.slicings if slicing in new.slicings]
    checks = [name for name in old.audit.check_versions if name in new.audit.check_versions]
    with engine([old.rows_file, new.rows_file], work) as connection:
        connection.execute(
            f"CREATE TEMP TABLE both_sides AS "
            f"SELECT *, row_number() OVER (ORDER BY side, file, row) AS number FROM ("
            f"SELECT 0 AS side, * FROM read_parquet({literal(str(old.rows_file))}) UNION ALL BY NAME "
            f"SELECT 1 AS side, * FROM read_parquet({literal(str(new.rows_file))}))"
        )
        connection.execute(_JOIN)
        moves: dict[tuple[SliceKey, str], Moves] = {}
        for slicing in [(), *slicings]:
            moves |= _moves(connection, slicing, columns, checks)
        return Pairs(
            rows={name: _count(connection, condition) for name, condition in _CLASSES.items()},
            names={name: _names(connection, condition) for name, condition in _CLASSES.items()},
            moves=moves,
            shift=_shift(connection),
        )


def _moves(
    connection: duckdb.DuckDBPyConnection,
    slicing: Slicing,
    columns: tuple[Sequence[str], Sequence[str]],
    checks: Sequence[str],
) -> dict[tuple[SliceKey, str], Moves]:
    """The parts of every slice of one slicing, and the flips among the items that stayed."""
    old, new = (slice_values(slicing, side, of) for side, of in zip(columns, ("old", "new"), strict=True))
    same = " AND ".join(
        [in_slices(slicing, "old"), in_slices(slicing, "new"), "old.left_out IS NULL", "new.left_out IS NULL"]
        + [f"{a} IS NOT DISTINCT FROM {b}" for a, b in zip(old, new, strict=True)]
    )
    other = {"old": "new", "new": "old"}
    # A partner that is no item, or has no place in this slicing, is none here.
    usable = {
        of: f"({of}.number IS NOT NULL AND {of}.left_out IS NULL AND {in_slices(slicing, of)})"
        for of in other
    }

    def part(of: str, values: list[str], gone: str, moved: str) -> str:
        histograms = ", ".join(f"histogram({of}.{check})" for check in checks)
        kind = f"CASE WHEN NOT {usable[other[of]]} THEN '{gone}' WHEN {same} THEN 'stayed_{of}' ELSE '{moved}' END"
        keys = "".join(f"{value}, " for value in values)
        return f"SELECT {keys}{kind}, {histograms} FROM joined WHERE {usable[of]} GROUP BY ALL"

    parts: dict[tuple[SliceKey, str], dict[str, Tally]] = {}
    for sql in (part("old", old, "removed", "moved_out"), part("new", new, "added", "moved_in")):
        for row in connection.execute(sql).fetchall():
            key = tuple(zip(slicing, row, strict=False))
            kind, *histograms = row[len(slicing) :]
            for check, histogram in zip(checks, histograms, strict=True):
                parts.setdefault((key, check), {})[kind] = Tally.of(unpacked(histogram))
    flips = {
        (tuple(zip(slicing, row, strict=False)), check): row[len(slicing) :]
        for check in checks
        for row in connection.execute(
            f"SELECT {''.join(f'{value}, ' for value in new)}count(*) FILTER (new.{check} % 2 = 0), "
            f"count(*) FILTER (new.{check} % 2 = 1), arg_min(new.name, (new.file, new.row), {MOST_NAMES}) "
            f"FROM joined WHERE {same} AND old.{check} % 2 <> new.{check} % 2 GROUP BY ALL"
        ).fetchall()
    }
    moves = {}
    for place, tallies in parts.items():
        lost, gained, names = flips.get(place, (0, 0, ()))
        moves[place] = Moves(
            parts={name: tallies.get(name, Tally()) for name in PARTS},
            lost=lost,
            gained=gained,
            flips=tuple(names or ()),
        )
    return moves


def _count(connection: duckdb.DuckDBPyConnection, condition: str) -> int:
    ((number,),) = connection.execute(f"SELECT count(*) FROM joined WHERE {condition}").fetchall()
    return int(number)


def _names(connection: duckdb.DuckDBPyConnection, condition: str) -> tuple[str, ...]:
    rows = connection.execute(
        f"SELECT coalesce(new.name, old.name) FROM joined WHERE {condition} "
        f"ORDER BY new.file, new.row, old.file, old.row LIMIT {MOST_NAMES}"
    ).fetchall()
    return tuple(name for (name,) in rows)


def _shift(connection: duckdb.DuckDBPyConnection) -> int | None:
    rows = connection.execute(
        "SELECT DISTINCT new.gold - old.gold FROM joined WHERE old.options = new.options "
        "AND old.gold_text <> new.gold_text LIMIT 2"
    ).fetchall()
    return (int(rows[0][0]) or None) if len(rows) == 1 else None
