"""The tally: one small sufficient statistic, from which every rate is computed exactly.

For a slice and a check, every item falls into one cell `(k, t)`: k options, t of them tied at the
extremum of the check's score. A tally maps `(k, t)` to `(items, hits)`; a hit is an item whose gold
is among the t. Tallies of two batches, shards or machines add. See `docs/statistics.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from benchaudit.models import SliceKey, is_defect

Direction = Literal["pick", "avoid"]
Cell = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Tally:
    """Cells `(k, t, items, hits)`, sorted, each `(k, t)` once. All sums are over items, not rates."""

    cells: tuple[Cell, ...] = ()

    @classmethod
    def of(cls, cells: Iterable[Cell]) -> Tally:
        """Add up cells in any order; equal `(k, t)` merge and empty ones vanish."""
        items: Counter[tuple[int, int]] = Counter()
        hits: Counter[tuple[int, int]] = Counter()
        for k, t, n, h in cells:
            items[k, t] += n
            hits[k, t] += h
        return cls(tuple((k, t, n, hits[k, t]) for (k, t), n in sorted(items.items()) if n))

    def __add__(self, other: Tally) -> Tally:
        return Tally.of(self.cells + other.cells)

    @property
    def n(self) -> int:
        """Items counted."""
        return sum(items for _, _, items, _ in self.cells)

    @property
    def among(self) -> int:
        """Items whose gold is at the extremum, tied or not."""
        return sum(hits for _, _, _, hits in self.cells)

    @property
    def unique(self) -> int:
        """Items whose gold is alone at the extremum."""
        return sum(hits for _, t, _, hits in self.cells if t == 1)

    @property
    def credit(self) -> Fraction:
        """Items that *pick* answers right: it takes an extreme option, ties at random."""
        return sum((Fraction(hits, t) for _, t, _, hits in self.cells), Fraction())

    @property
    def avoided(self) -> Fraction:
        """Items that *avoid* answers right: it guesses among the options not at the extremum."""
        return sum(
            (
                Fraction(items, k) if t == k else Fraction(items - hits, k - t)
                for k, t, items, hits in self.cells
            ),
            Fraction(),
        )

    @property
    def chance(self) -> Fraction:
        """Items that a blind guess answers right: the sum of 1/k."""
        return sum((Fraction(items, k) for k, _, items, _ in self.cells), Fraction())

    @property
    def expected_among(self) -> Fraction:
        """Expected `among`, were gold exchangeable over the options of its row."""
        return sum((Fraction(items * t, k) for k, t, items, _ in self.cells), Fraction())

    @property
    def expected_unique(self) -> Fraction:
        """Expected `unique`, were gold exchangeable over the options of its row."""
        return sum((Fraction(items, k) for k, t, items, _ in self.cells if t == 1), Fraction())

    @property
    def direction(self) -> Direction:
        """Which of the two rules is the better one; equal means pick."""
        return "pick" if self.credit >= self.avoided else "avoid"

    @property
    def best(self) -> Fraction:
        """Items that the better rule answers right."""
        return max(self.credit, self.avoided)

    @property
    def gain(self) -> Fraction:
        """The better rule's accuracy minus chance, as a rate; can be negative. 0 for no items."""
        return (self.best - self.chance) / self.n if self.n else Fraction()


Halves = tuple[Mapping[str, Tally], Mapping[str, Tally]]
"""Tallies by check, for the rows of each half; a row's half is decided by its content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """One slice before judgement: tallies by check, and the rows that are no items.

    A check that `tallies` does not name has no meaning in this slice.
    """

    key: SliceKey
    left_out: Mapping[str, int]
    gold_position: Mapping[int, int]
    tallies: Mapping[str, Tally]

    @property
    def n(self) -> int:
        """Usable items."""
        return sum(self.gold_position.values())

    @property
    def defects(self) -> int:
        """Rows that count against every claim."""
        return sum(rows for reason, rows in self.left_out.items() if is_defect(reason))
