"""How a narrow row holds what a check found in its item: one integer, of (k, t, hit). Pure.

The last bit says whether gold was hit, so that revisions can be compared by it alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchaudit.mapping.row import MAX_OPTIONS
from benchaudit.tally import Cell

_BASE = MAX_OPTIONS + 1


def column_of(check: str) -> str:
    """The column that holds a check's integers, as SQL names it."""
    return f'"{check}"'


def code_sql(k: str, tied: str, hit: str) -> str:
    """SQL for the integer of an item; four bytes hold it, and a row has one for each check."""
    return f"(({k} * {_BASE} + {tied}) * 2 + {hit})::INTEGER"


def right_sql(check: str, hit: int) -> str:
    """SQL for whether an item's gold was hit, or was not, by a rule that told its options apart."""
    code = column_of(check)
    return f"{code} % 2 = {hit} AND {code} // 2 % {_BASE} < {code} // 2 // {_BASE}"


def unpacked(packed: Mapping[int, int]) -> list[Cell]:
    """The cells of a histogram of packed integers."""
    cells = []
    for code, items in packed.items():
        rest, hit = divmod(code, 2)
        k, t = divmod(rest, _BASE)
        cells.append((k, t, items, hit * items))
    return cells
