"""Which item of the old revision is which of the new, and what that moved in every slice.

Two revisions are paired by the digests in their narrow rows: by equal content, then by id, then by
question, never by row number. What comes out are tallies, so that every step is an exact fraction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from benchaudit.audit import Audited
from benchaudit.checks import is_further
from benchaudit.items import Slicing, slice_values
from benchaudit.models import OUT_OF_SCOPE, SliceKey
from benchaudit.moves import PARTS, Moves, Pairs
from benchaudit.packing import column_of, unpacked
from benchaudit.reading.engine import engine, literal, literals
from benchaudit.tally import Tally
from benchaudit.verdict import Audit

MOST_NAMES = 10
"""Rows that a step names."""

_SIDES = ("old", "new")

_PASSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("left_out IS NULL", ("question", "options", "gold_text", "slices", "id")),
    ("left_out IS NULL", ("question", "options", "gold_text", "slices")),
    ("left_out IS NULL", ("question", "options", "gold_text")),
    ("(side, id) IN (SELECT side, id FROM single_id)", ("id",)),
    ("(side, question) IN (SELECT side, question FROM single_question)", ("question",)),
    ("left_out IS NOT NULL", ("question", "left_out", "slices", "id")),
    ("left_out IS NOT NULL", ("question", "left_out")),
)
"""Which of the rows that are still alone are paired, and by what; repeats of the same go in row order.

Repeats that are alike in their slice or id too come first, so that sorting a file anew moves no item
to another slice. Of rows that are no items the content is not known; those that have neither an id
nor a question of their own are paired last, by all that is known, so that what stayed broken is not
said to have gone and come.
"""

_PAIRED = "old.number IS NOT NULL AND new.number IS NOT NULL"

# Another of the same options, but for case and white space around them. Where options were edited too it
# cannot be told whether gold is another one or the same in other words.
_REKEYED = (
    "old.alike_gold <> new.alike_gold AND old.gold_text <> new.gold_text "
    "AND (old.options = new.options OR old.alike = new.alike)"
)

_CLASSES = {
    "paired": _PAIRED,
    "added": "old.number IS NULL",
    "removed": "new.number IS NULL",
    "options_edited": "old.options <> new.options",
    "gold_changed": "old.gold_text <> new.gold_text",
    "gold_rekeyed": _REKEYED,
    "moved_slice": "old.slices <> new.slices",
    "became_left_out": f"{_PAIRED} AND old.left_out IS NULL AND new.left_out IS NOT NULL",
    "became_usable": f"{_PAIRED} AND old.left_out IS NOT NULL AND new.left_out IS NULL",
}


def pair_audits(old: Audited, new: Audited, work: Path) -> Pairs:
    """Pair the rows of two audits, and count what moved in every slicing that both have."""
    slicings = [slicing for slicing in old.slicings if slicing in new.slicings]
    columns = sorted({column for slicing in slicings for column in slicing})
    checks = [name for name in old.audit.check_versions if _is_of_interest(name, old.audit, new.audit)]
    with engine([old.kept_rows, new.kept_rows], work) as connection:
        _load(connection, (old, new), columns, checks)
        _join(connection)
        moves: dict[tuple[SliceKey, str], Moves] = {}
        for slicing in [(), *slicings]:
            moves |= _moves(connection, slicing, columns, checks)
        classes = _classes(connection)
        return Pairs(
            rows={name: number for name, (number, _) in classes.items()},
            names={name: names for name, (_, names) in classes.items()},
            moves=moves,
            shift=_shift(connection),
            reasons=_reasons(connection),
            became_defective=_became_defective(connection),
        )


def _is_of_interest(name: str, *audits: Audit) -> bool:
    """Whether what moved a check's rates is counted: of longest and shortest, and of others that leak."""
    if not all(name in audit.check_versions for audit in audits):
        return False
    found = [[part.checks[name] for part in audit.slices if name in part.checks] for audit in audits]
    if not all(any(judged.verdict != "not-applicable" for judged in side) for side in found):
        return False
    loud = any(judged.verdict in {"leak", "incomplete"} for side in found for judged in side)
    return loud or not is_further(name)


def _load(
    connection: duckdb.DuckDBPyConnection,
    audits: Sequence[Audited],
    columns: Sequence[str],
    checks: Sequence[str],
) -> None:
    """What pairing needs of both revisions' narrow rows; of slice values those that both revisions have.

    A row's `number` tells it from all others and grows in row order. Which ids and questions stand once is
    asked of them alone: a window over whole rows would hold them all.
    """
    packed = "".join(f", {column_of(check)}" for check in checks)
    sides = []
    for side, audited in zip(_SIDES, audits, strict=True):
        values = ", ".join(slice_values(tuple(columns), audited.columns))
        sides.append(f"""
            SELECT '{side}' AS side,
                   ({_SIDES.index(side)}::BIGINT << 62) | (file::BIGINT << 40) | row AS number,
                   file, row, name, left_out, gold, nullif(id, '') AS id,
                   CASE WHEN slices IS NOT NULL THEN [{values}]::VARCHAR[] END AS slices,
                   {_digest("question")} AS question, {_digest("options")} AS options,
                   {_digest("gold_text")} AS gold_text, alike, alike_gold{packed}
            FROM read_parquet({literal(str(audited.kept_rows))})""")
    connection.execute(f"CREATE TEMP TABLE both_sides AS {' UNION ALL '.join(sides)}")
    for key, empty in (("id", "NULL"), ("question", _digest("md5('')"))):
        connection.execute(f"""
            CREATE TEMP TABLE single_{key} AS SELECT side, {key} FROM both_sides
            WHERE {key} IS DISTINCT FROM {empty} GROUP BY ALL HAVING count(*) = 1""")


def _digest(column: str) -> str:
    """SQL for an md5 in half the bytes of its spelling."""
    return f"{column}::UUID"


def _join(connection: duckdb.DuckDBPyConnection) -> None:
    """Pair row by row, pass by pass, and lay partners beside each other; who has none stands alone."""
    connection.execute("CREATE TEMP TABLE pairs (old_number BIGINT, new_number BIGINT)")
    alone = "both_sides"
    for number, (which, keys) in enumerate(_PASSES):
        names = ", ".join(keys)
        equal = " AND ".join(f"old.{key} IS NOT DISTINCT FROM new.{key}" for key in [*keys, "repeat"])
        connection.execute(f"""
            INSERT INTO pairs
            WITH numbered AS (
                SELECT side, number, {names},
                       row_number() OVER (PARTITION BY side, {names} ORDER BY number) AS repeat
                FROM {alone} WHERE {which})
            SELECT old.number, new.number
            FROM (FROM numbered WHERE side = 'old') AS old
            JOIN (FROM numbered WHERE side = 'new') AS new ON {equal}""")
        # Most rows are paired at once, and no later pass looks at those again.
        connection.execute(f"""
            CREATE TEMP TABLE alone_{number} AS
            SELECT {alone}.* FROM {alone} ANTI JOIN (
                SELECT old_number AS number FROM pairs UNION ALL SELECT new_number FROM pairs
            ) AS paired ON {alone}.number = paired.number""")
        alone = f"alone_{number}"
    connection.execute("""
        CREATE TEMP TABLE joined AS SELECT old, new
        FROM (FROM both_sides WHERE side = 'old') AS old
        FULL JOIN pairs ON old.number = pairs.old_number
        FULL JOIN (FROM both_sides WHERE side = 'new') AS new ON new.number = pairs.new_number""")


def _moves(
    connection: duckdb.DuckDBPyConnection, slicing: Slicing, columns: Sequence[str], checks: Sequence[str]
) -> dict[tuple[SliceKey, str], Moves]:
    """The parts of every slice of one slicing, and the flips among the items that stayed."""
    parts: dict[tuple[SliceKey, str], dict[str, Tally]] = {}
    flips: dict[tuple[SliceKey, str], tuple[int, int, tuple[str, ...]]] = {}
    for sql in _parts(slicing, columns, [column_of(check) for check in checks]):
        for row in connection.execute(sql).fetchall():
            key, (kind, *figures) = tuple(zip(slicing, row, strict=False)), row[len(slicing) :]
            for check, (packed, lost, gained, names) in zip(checks, figures, strict=True):
                parts.setdefault((key, check), {})[kind] = Tally.of(unpacked(packed))
                if kind == "stayed_new":
                    flips[key, check] = lost, gained, tuple(names or ())
    moves = {}
    for place, tallies in parts.items():
        lost, gained, names = flips.get(place, (0, 0, ()))
        moves[place] = Moves(
            parts={name: tallies.get(name, Tally()) for name in PARTS}, lost=lost, gained=gained, flips=names
        )
    return moves


def _parts(slicing: Slicing, columns: Sequence[str], checks: Sequence[str]) -> Iterator[str]:
    """SQL for the parts of the old slices, and for those of the new: values, part, figures of each check.

    They are its histogram, how many golds left the extremum, how many came to it, and up to ten rows
    where one did. In a packed integer a hit is the last bit.
    """
    values = {of: slice_values(slicing, columns, of) for of in _SIDES}
    # A partner that is no item is none here; one that is has its place in every slicing.
    usable = {of: f"({of}.number IS NOT NULL AND {of}.left_out IS NULL)" for of in _SIDES}
    alike = [f"{a} IS NOT DISTINCT FROM {b}" for a, b in zip(*values.values(), strict=True)]
    for of, other, gone, moved in (
        ("old", "new", "removed", "moved_out"),
        ("new", "old", "added", "moved_in"),
    ):
        figures = [
            f"""(
                histogram({of}.{check}),
                count(*) FILTER (old.{check} % 2 > new.{check} % 2),
                count(*) FILTER (old.{check} % 2 < new.{check} % 2),
                arg_min(new.name, (new.file, new.row), {MOST_NAMES})
                    FILTER (old.{check} % 2 <> new.{check} % 2)
            )"""
            for check in checks
        ]
        kind = (
            f"CASE WHEN NOT {usable[other]} THEN '{gone}' "
            f"WHEN {' AND '.join(alike) or 'true'} THEN 'stayed_{of}' ELSE '{moved}' END"
        )
        yield (
            f"SELECT {', '.join([*values[of], kind, *figures])} FROM joined WHERE {usable[of]} GROUP BY ALL"
        )


def _classes(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[int, tuple[str, ...]]]:
    """How many rows are of each class, and up to ten of their names, the new ones where there are any."""
    name, place = "coalesce(new.name, old.name)", "(new.file, new.row, old.file, old.row)"
    figures = ", ".join(
        f"count(*) FILTER ({which}), arg_min({name}, {place}, {MOST_NAMES}) FILTER ({which})"
        for which in _CLASSES.values()
    )
    row = _one(connection, f"SELECT {figures} FROM joined")
    return {
        name: (number, tuple(names or ()))
        for name, number, names in zip(_CLASSES, row[::2], row[1::2], strict=True)
    }


def _shift(connection: duckdb.DuckDBPyConnection) -> int | None:
    """The distance by which gold moved in most items whose options are the same, if it is one for all."""
    alike = "old.options = new.options"
    changed = f"{alike} AND old.gold_text <> new.gold_text"
    distance = "new.gold - old.gold"
    least, most, moved, all_ = _one(
        connection,
        f"SELECT min({distance}) FILTER ({changed}), max({distance}) FILTER ({changed}), "
        f"count(*) FILTER ({changed}), count(*) FILTER ({alike}) FROM joined",
    )
    return (least or None) if least == most and 2 * moved > all_ else None


def _reasons(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Why items became no items."""
    became = _CLASSES["became_left_out"]
    return dict(
        connection.execute(
            f"SELECT new.left_out, count(*) FROM joined WHERE {became} GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    )


def _became_defective(connection: duckdb.DuckDBPyConnection) -> int:
    """Rows that turned defective, and by how many the defective rows that came outnumber those that went."""
    defective = {of: f"coalesce({of}.left_out NOT IN {literals(OUT_OF_SCOPE)}, false)" for of in _SIDES}
    turned, came, went = _one(
        connection,
        f"SELECT count(*) FILTER ({_PAIRED} AND {defective['new']} AND NOT {defective['old']}), "
        f"count(*) FILTER ({_CLASSES['added']} AND {defective['new']}), "
        f"count(*) FILTER ({_CLASSES['removed']} AND {defective['old']}) FROM joined",
    )
    return int(turned + max(0, came - went))


def _one(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    """The only row of a result."""
    (row,) = connection.execute(sql).fetchall()
    return tuple(row)
