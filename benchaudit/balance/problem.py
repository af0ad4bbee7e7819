"""What balanced means: a bound on every slice's gain, linear in how many rows are kept of each class. Pure.

Rows that lie in the same slices and in the same cell of every check are one class: keeping one or
another of them changes no figure. A rule's gain over chance is a sum over kept rows divided by their
number, so that "at most one point" is, for each slice, check and direction,

    sum over classes of kept * (gain of one row - 1/100)  <=  0

and that every such sum is at most 0 is all there is to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from benchaudit.models import SliceKey
from benchaudit.tally import Cell, Tally

LIMIT = Fraction(1, 100)
"""The gain over chance, as a rate, that picking or avoiding by a check may have in a balanced slice."""

Gains = tuple[Fraction, Fraction]
"""What one row adds to the gain of *pick* and of *avoid*: its expected score less 1/k."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowClass:
    """Rows that no figure tells apart: the slices they lie in, their cell `(k, t, 1, hit)` for each check."""

    slices: tuple[SliceKey, ...]
    cells: tuple[Cell, ...]
    rows: int

    @property
    def gains(self) -> tuple[Gains, ...]:
        """What one of these rows adds to the gains of each check."""
        return tuple(_gains(Tally.of([cell])) for cell in self.cells)


def _gains(row: Tally) -> Gains:
    return row.credit - row.chance, row.avoided - row.chance


def _times(cell: Cell, rows: int) -> Cell:
    k, t, _, hit = cell
    return k, t, rows, hit * rows


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The classes of one revision, under checks named in the order of their cells.

    A slice that has `min_rows` rows must keep as many, or none: with fewer its gain would only be
    hidden. A smaller one has never had a verdict, and may keep any number that balances it.
    """

    classes: tuple[RowClass, ...]
    checks: tuple[str, ...]
    min_rows: int

    @property
    def everything(self) -> tuple[int, ...]:
        """How many rows there are of each class."""
        return tuple(part.rows for part in self.classes)

    @cached_property
    def members(self) -> Mapping[SliceKey, tuple[int, ...]]:
        """The classes of each slice, by their place; slices in the order in which they come up."""
        places: dict[SliceKey, list[int]] = {}
        for place, part in enumerate(self.classes):
            for key in part.slices:
                places.setdefault(key, []).append(place)
        return {key: tuple(found) for key, found in places.items()}

    def size(self, key: SliceKey, kept: Sequence[int]) -> int:
        """How many of the kept rows lie in a slice."""
        return sum(kept[place] for place in self.members[key])

    def floor(self, rows: int) -> int:
        """How many rows a slice of so many rows has to keep, if it keeps any."""
        return self.min_rows if rows >= self.min_rows else 1

    def tallies(self, kept: Sequence[int]) -> dict[SliceKey, dict[str, Tally]]:
        """The tallies of every slice, were so many rows of each class kept."""
        return {
            key: {
                check: Tally.of(_times(self.classes[place].cells[number], kept[place]) for place in places)
                for number, check in enumerate(self.checks)
            }
            for key, places in self.members.items()
        }

    def unbalanced(self, kept: Sequence[int]) -> list[SliceKey]:
        """The slices that are not balanced, were so many rows of each class kept; exact."""
        whole = self.tallies(self.everything)
        found = []
        for key, tallies in self.tallies(kept).items():
            rows, before = (next(iter(each.values())).n for each in (tallies, whole[key]))
            hidden = 0 < rows < self.floor(before)
            if hidden or any(tally.gain > LIMIT for tally in tallies.values()):
                found.append(key)
        return found
