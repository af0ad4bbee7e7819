"""Which item of the old revision is which of the new, and what that moved in every slice.

Two revisions are paired by the digests in their narrow rows: by equal content, then by id, then by
question, never by row number. What comes out are tallies, so that every step is an exact fraction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from benchaudit.audit import Audited
from benchaudit.checks import is_further
from benchaudit.items import Slicing, slice_values
from benchaudit.models import OUT_OF_SCOPE, SliceKey
from benchaudit.moves import PARTS, Moves, Pairs
from benchaudit.packing import column_of, unpacked
from benchaudit.reading.engine import PAIRING_LIMIT, engine, literal, literals
from benchaudit.tally import Tally
from benchaudit.verdict import Audit

MOST_NAMES = 10
"""Rows that a step names."""

_SIDES = ("old", "new")

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
    with (
        TemporaryDirectory(dir=work) as place,
        engine([old.kept_rows, new.kept_rows], work, PAIRING_LIMIT) as connection,
    ):
        _view(connection, (old, new), columns, checks)
        _join(connection, Path(place))
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
    for side, audited in zip(_SIDES, audits, strict=True):
        values = ", ".join(slice_values(tuple(columns), audited.columns))
        sides.append(f"""
            SELECT '{side}' AS side,
                   ({_SIDES.index(side)}::BIGINT << 62) | (file::BIGINT << 40) | row AS number,
                   name, left_out, gold, nullif(id, '') AS id,
                   CASE WHEN slices IS NOT NULL THEN [{values}]::VARCHAR[] END AS slices,
                   {_digest("question")} AS question, {_digest("options")} AS options,
                   {_digest("gold_text")} AS gold_text, alike, alike_gold{packed}
            FROM read_parquet({literal(str(audited.kept_rows))})""")
    connection.execute(f"CREATE TEMP VIEW both_sides AS {' UNION ALL '.join(sides)}")


def _join(connection: duckdb.DuckDBPyConnection, place: Path) -> None:
    """Pair row by row, stage by stage, and lay partners beside each other; who has none stands alone.

    Those that are joined go to files in `place`, for one table of them all is more than memory holds.
    """
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


def _dealt(connection: duckdb.DuckDBPyConnection, rows: str, by: Keys, folder: Path) -> Iterator[str]:
    """Deal rows out to parts by a hash of these keys, so that those that agree in them are in one part."""
    (number,) = _one(connection, f"SELECT count(*) FROM {rows}")
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
    if _one(connection, "SELECT count(*) FROM pairs") == (0,):
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
        for side in _SIDES
    )
    target = joined / f"{len(list(joined.iterdir()))}.parquet"
    connection.execute(
        f"COPY (WITH {sides} SELECT old, new FROM old {partners}) TO {literal(str(target))} (FORMAT parquet)"
    )


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
                arg_min(new.name, new.number, {MOST_NAMES})
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
    name, place = "coalesce(new.name, old.name)", "(new.number, old.number)"
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
