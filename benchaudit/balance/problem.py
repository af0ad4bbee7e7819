"""What balanced means: a bound on every slice's gain, linear in how many rows are kept of each class. Pure.

Rows that lie in the same slices and in the same cell of every check are one class: keeping one or
another of them changes no figure. A rule's gain over chance is a sum over kept rows divided by their
number, so that "at most one point" is, for each slice, check and direction,

    sum over classes of kept * (gain of one row - 1/100)  <=  0

and that every such sum is at most 0 is all there is to it. Where a check that sees the same thing from
another side, such as length in words, would leak after all, it is held to a wider limit there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property

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
        return tuple(map(_gains, self.cells))


@cache
def _gains(cell: Cell) -> Gains:
    row = Tally.of([cell])
    return row.credit - row.chance, row.avoided - row.chance


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The classes of one revision, and which rows may be kept of them: those that leave it balanced.

    `checks` names the checks in the order of the classes' cells, `limits` the gain that each may have, as
    a rate; one that `only` names is held to it in those slices alone. A slice that has `min_rows` rows must
    keep as many, or none: with fewer its gain would only be hidden. A smaller one has never had a
    verdict, and may keep any number that balances it.
    """

    classes: tuple[RowClass, ...]
    checks: tuple[str, ...]
    limits: tuple[Fraction, ...]
    min_rows: int
    only: Mapping[str, Collection[SliceKey]] = field(default_factory=dict)

    @property
    def everything(self) -> tuple[int, ...]:
        """How many rows there are of each class."""
        return tuple(part.rows for part in self.classes)

    @cached_property
    def members(self) -> Mapping[SliceKey, tuple[int, ...]]:
        """The classes of each slice that is held to something, by their place; slices as they come up."""
        return _members(self.classes)

    def size(self, key: SliceKey, kept: Sequence[int]) -> int:
        """How many of the kept rows lie in a slice."""
        return sum(kept[place] for place in self.members[key])

    def floor(self, key: SliceKey) -> int:
        """How many rows a slice has to keep, if it keeps any."""
        return self.min_rows if self.size(key, self.everything) >= self.min_rows else 1

    def load(self, place: int) -> tuple[Fraction, ...]:
        """What one kept row of a class adds to each sum of its slices; by check, *pick* before *avoid*."""
        pairs = zip(self.classes[place].gains, self.limits, strict=True)
        return tuple(gain - limit for gains, limit in pairs for gain in gains)

    def limit(self, key: SliceKey, check: int) -> Fraction | None:
        """The gain that the check of this number may have in a slice; None where it may have any."""
        name = self.checks[check]
        return self.limits[check] if name not in self.only or key in self.only[name] else None

    def most(self, key: SliceKey) -> tuple[Fraction | None, ...]:
        """What each sum of a slice may be at most, in the order of `load`; None where it may be anything."""
        limits = (self.limit(key, check) for check in range(len(self.checks)))
        return tuple(None if limit is None else Fraction() for limit in limits for _ in ("pick", "avoid"))

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
        found = []
        for key, tallies in self.tallies(kept).items():
            hidden = 0 < self.size(key, kept) < self.floor(key)
            over = (
                limit is not None and tallies[name].gain > limit
                for name, limit in ((name, self.limit(key, check)) for check, name in enumerate(self.checks))
            )
            if hidden or any(over):
                found.append(key)
        return found


class Rewriting(Problem):
    """Which rows may be kept as they are, if all others stay too, rewritten so that they add to no gain.

    Only slices that get a verdict are held to anything, and none of them becomes smaller.
    """

    @cached_property
    def members(self) -> Mapping[SliceKey, tuple[int, ...]]:
        """The classes of each slice that gets a verdict."""
        return {
            key: places
            for key, places in _members(self.classes).items()
            if sum(self.classes[place].rows for place in places) >= self.min_rows
        }

    def floor(self, key: SliceKey) -> int:  # noqa: ARG002 - it is the same for all
        """A slice keeps its rows, whatever is rewritten."""
        return 0

    def load(self, place: int) -> tuple[Fraction, ...]:
        """What one row adds to its slices' gains, times their rows."""
        return tuple(gain for gains in self.classes[place].gains for gain in gains)

    def most(self, key: SliceKey) -> tuple[Fraction | None, ...]:
        """What the gains of a slice may be, times its rows."""
        rows = self.size(key, self.everything)
        limits = (self.limit(key, check) for check in range(len(self.checks)))
        return tuple(None if limit is None else limit * rows for limit in limits for _ in ("pick", "avoid"))

    def excesses(self, kept: Sequence[int]) -> dict[SliceKey, tuple[Fraction, ...]]:
        """By how much each sum of each slice is over its limit; exact."""
        loads = [self.load(place) for place in range(len(self.classes))]
        return {
            key: tuple(
                sum((loads[place][number] * kept[place] for place in places), -most)
                if most is not None
                else Fraction()
                for number, most in enumerate(self.most(key))
            )
            for key, places in self.members.items()
        }

    def unbalanced(self, kept: Sequence[int]) -> list[SliceKey]:
        """The slices that are not balanced where the others of their rows are rewritten."""
        return [key for key, sums in self.excesses(kept).items() if any(excess > 0 for excess in sums)]


def _times(cell: Cell, rows: int) -> Cell:
    k, t, _, hit = cell
    return k, t, rows, hit * rows


def _members(classes: Sequence[RowClass]) -> dict[SliceKey, tuple[int, ...]]:
    places: dict[SliceKey, list[int]] = {}
    for place, part in enumerate(classes):
        for key in part.slices:
            places.setdefault(key, []).append(place)
    return {key: tuple(found) for key, found in places.items()}
