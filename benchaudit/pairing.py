"""Two revisions paired: what became of the old rows, and what that moved in every slice.

`partners` lays the rows of both side by side. What comes out are tallies, so that every step is an exact
fraction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from benchaudit.audit import Audited
from benchaudit.checks import is_further
from benchaudit.items import Slicing, slice_values
from benchaudit.models import OUT_OF_SCOPE, SliceKey
from benchaudit.moves import PARTS, Moves, Pairs
from benchaudit.packing import column_of, unpacked
from benchaudit.partners import SIDES, lay_side_by_side, only_row
from benchaudit.reading.engine import PAIRING_LIMIT, engine, literals
from benchaudit.tally import Tally
from benchaudit.verdict import Audit

MOST_NAMES = 10
"""Rows that a step names."""

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
    work.mkdir(exist_ok=True)
    with (
        TemporaryDirectory(dir=work) as place,
        engine([old.kept_rows, new.kept_rows], work, PAIRING_LIMIT) as connection,
    ):
        lay_side_by_side(connection, (old, new), columns, checks, Path(place))
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
    values = {of: slice_values(slicing, columns, of) for of in SIDES}
    # A partner that is no item is none here; one that is has its place in every slicing.
    usable = {of: f"({of}.number IS NOT NULL AND {of}.left_out IS NULL)" for of in SIDES}
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
    row = only_row(connection, f"SELECT {figures} FROM joined")
    return {
        name: (number, tuple(names or ()))
        for name, number, names in zip(_CLASSES, row[::2], row[1::2], strict=True)
    }


def _shift(connection: duckdb.DuckDBPyConnection) -> int | None:
    """The distance by which gold moved in most items whose options are the same, if it is one for all."""
    alike = "old.options = new.options"
    changed = f"{alike} AND old.gold_text <> new.gold_text"
    distance = "new.gold - old.gold"
    least, most, moved, all_ = only_row(
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
    defective = {of: f"coalesce({of}.left_out NOT IN {literals(OUT_OF_SCOPE)}, false)" for of in SIDES}
    turned, came, went = only_row(
        connection,
        f"SELECT count(*) FILTER ({_PAIRED} AND {defective['new']} AND NOT {defective['old']}), "
        f"count(*) FILTER ({_CLASSES['added']} AND {defective['new']}), "
        f"count(*) FILTER ({_CLASSES['removed']} AND {defective['old']}) FROM joined",
    )
    return int(turned + max(0, came - went))
