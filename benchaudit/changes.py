"""One slice and check, before and after, and the steps by which its rate moved. Pure.

The change of a slice's credit is split into steps, each the difference of two rates, so that they
add up exactly to the whole (`docs/statistics.md`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from benchaudit.models import SliceKey
from benchaudit.moves import Moves, Pairs
from benchaudit.null import mcnemar_exact
from benchaudit.past import LOUD, Past
from benchaudit.tally import Tally
from benchaudit.verdict import Judged

STEPS = ("removed", "moved_out", "edited", "moved_in", "added")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A slice and check, before and after.

    `steps` are differences of rates, by name, where rows could be paired; their sum is the change of
    the credit's rate.
    """

    key: SliceKey
    check: str
    old: Past | None
    new: Judged | None
    steps: Mapping[str, Fraction] = field(default_factory=dict)
    moves: Moves | None = None
    material: bool = False

    @property
    def moved(self) -> Fraction | None:
        """The change of the credit's rate; None where one of the two has no rate."""
        if self.old is None or self.new is None or not (self.old.tally.n and self.new.tally.n):
            return None
        return rate(self.new.tally) - rate(self.old.tally)

    @property
    def is_loud(self) -> bool:
        """Whether there is, or was, a leak here or what could hide one."""
        return any(side is not None and side.verdict in LOUD for side in (self.old, self.new))

    @property
    def mcnemar_p(self) -> float | None:
        """McNemar's exact p on the flips of *among*, for information."""
        return None if self.moves is None else mcnemar_exact(self.moves.lost, self.moves.gained)


def rate(tally: Tally) -> Fraction:
    """The accuracy of *pick*. ZeroDivisionError for an empty tally, which has no rate."""
    return tally.credit / tally.n


def change_of(
    place: tuple[SliceKey, str], old: Past | None, new: Judged | None, pairs: Pairs | None
) -> Change:
    """The change of a slice and check, with its steps where both are known and rows could be paired."""
    moves = pairs.moves.get(place) if pairs else None
    key, check = place
    steps = _steps(moves.parts) if moves and old and new else {}
    return Change(key=key, check=check, old=old, new=new, steps=steps, moves=moves)


def _steps(parts: Mapping[str, Tally]) -> dict[str, Fraction]:
    """The steps from the old rate to the new; one step, `replaced`, where no item stayed."""
    stayed_old, stayed_new = parts["stayed_old"], parts["stayed_new"]
    old = parts["removed"] + parts["moved_out"] + stayed_old
    new = stayed_new + parts["moved_in"] + parts["added"]
    if not (old.n and new.n):
        return {}
    if not stayed_old.n:
        return {"replaced": rate(new) - rate(old)}
    way = [
        old,
        parts["moved_out"] + stayed_old,
        stayed_old,
        stayed_new,
        stayed_new + parts["moved_in"],
        new,
    ]
    return {
        name: rate(after) - rate(before) for name, before, after in zip(STEPS, way, way[1:], strict=False)
    }
