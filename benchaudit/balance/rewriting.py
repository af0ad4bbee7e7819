"""Which rows to rewrite first, so that every slice that gets a verdict is balanced and none is lost. Pure.

A rewritten row is one of which length says nothing any more, as where all its options are equally
long: it adds nothing to any gain. A row's contribution is what its slices' gains would lose by that,
in points, added up over those gains that are too large. The rows are chosen one after the other: of
those that help the gains that are still too large, the one that contributes most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from benchaudit.balance.problem import LIMIT, Problem
from benchaudit.models import SliceKey

_Gain = tuple[SliceKey, int, int]
"""A slice, the number of a check, and 0 for *pick* or 1 for *avoid*."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """How many rows of a class to rewrite, and what each of them contributes to gains, as a rate."""

    place: int
    rows: int
    contribution: Fraction


def rewrites(problem: Problem) -> list[Rewrite]:
    """The classes of which rows have to be rewritten, those with the largest contribution first."""
    book = _Book(problem)
    first = {place: book.contribution(place) for place in range(len(problem.classes))} if book.large else {}
    chosen: dict[int, int] = {}
    while book.large:
        # What a row contributes changes only when one of these gains is small enough, or another is not.
        before = set(book.large)
        order = sorted(
            ((book.contribution(place), place) for place in book.candidates()),
            key=lambda item: (-item[0], -first[item[1]], item[1]),
        )
        for value, place in order:
            if value <= 0 or set(book.large) != before:
                break
            chosen[place] = chosen.get(place, 0) + book.rewrite(place)
    made = [Rewrite(place=place, rows=rows, contribution=first[place]) for place, rows in chosen.items()]
    return sorted(made, key=lambda item: (-item.contribution, item.place))


class _Book:
    """What every gain amounts to while rows are rewritten; `large` are those over the limit."""

    def __init__(self, problem: Problem) -> None:
        self._classes = problem.classes
        self._gains = [part.gains for part in problem.classes]
        self._left = list(problem.everything)
        sizes = {key: problem.size(key, problem.everything) for key in problem.members}
        self._sizes = {key: rows for key, rows in sizes.items() if rows >= problem.min_rows}
        self._members = problem.members
        self._excess: dict[_Gain, Fraction] = {
            (key, check, direction): sum(
                (self._gains[place][check][direction] * self._left[place] for place in self._members[key]),
                Fraction(),
            )
            - LIMIT * rows
            for key, rows in self._sizes.items()
            for check in range(len(problem.checks))
            for direction in (0, 1)
        }
        self.large: Mapping[_Gain, None] = dict.fromkeys(
            gain for gain, excess in self._excess.items() if excess > 0
        )

    def candidates(self) -> list[int]:
        """The classes that still have rows in a slice with a large gain."""
        places = {place for key, _, _ in self.large for place in self._members[key]}
        return sorted(place for place in places if self._left[place])

    def contribution(self, place: int) -> Fraction:
        """What the large gains would lose, in all, by rewriting one row of a class."""
        return sum(
            (
                gain / self._sizes[key]
                for key in self._classes[place].slices
                for check, gains in enumerate(self._gains[place])
                for direction, gain in enumerate(gains)
                if (key, check, direction) in self.large
            ),
            Fraction(),
        )

    def rewrite(self, place: int) -> int:
        """Rewrite rows of a class until a gain changes sides or none is left; say how many."""
        moves = {
            (key, check, direction): gain
            for key in self._classes[place].slices
            if key in self._sizes
            for check, gains in enumerate(self._gains[place])
            for direction, gain in enumerate(gains)
            if gain
        }
        rows = self._left[place]
        for gain, step in moves.items():
            excess = self._excess[gain]
            if excess > 0 and step > 0:
                rows = min(rows, -(-excess // step))
            elif excess <= 0 and step < 0:
                rows = min(rows, max(1, -excess // -step + 1))
        self._left[place] -= rows
        for gain, step in moves.items():
            self._excess[gain] -= step * rows
        changed = {gain: None for gain in moves if self._excess[gain] > 0}
        self.large = {gain: None for gain in self.large if gain not in moves} | changed
        return rows
