"""The no-model baseline: the score of the best rule that reads no question. Pure.

Choosing the best of many rules flatters it, so the rule is chosen on one half of the rows and scored
on the other, both ways. A row's half is decided by its content (`docs/statistics.md`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchaudit.models import ALL, SliceKey
from benchaudit.tally import Counted, Direction, Halves, Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Pick, or avoid, the options at the extremum of one check."""

    check: str
    direction: Direction

    def score(self, half: Mapping[str, Tally]) -> Fraction:
        """Items of one half that the rule answers right."""
        tally = half[self.check]
        return tally.credit if self.direction == "pick" else tally.avoided


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Items answered right out of n, against the sum of 1/k, and the rule chosen on each half."""

    n: int
    right: Fraction
    chance: Fraction
    rules: tuple[Rule, Rule]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The best rule of each slice, and pooled over the values of one column.

    `column` is the slicing whose values each have a rule of their own, () where ALL has the one rule.
    """

    column: tuple[str, ...]
    pooled: Scored
    slices: Mapping[SliceKey, Scored]

    @property
    def n(self) -> int:
        """Items that were scored."""
        return self.pooled.n


def baseline(
    slices: Sequence[Counted],
    halves: Mapping[SliceKey, Halves],
    checks: Sequence[str],
    column: tuple[str, ...],
    min_rows: int,
) -> Baseline | None:
    """The baseline of a revision; None where nothing was counted.

    A slice below `min_rows` is scored by ALL's rule. A rule that was chosen on a half without items is
    the first of the registry. A check that has no meaning in the revision gives no rule.
    """
    counted = {part.key: part for part in slices if part.n}
    if ALL not in counted or not (applicable := [check for check in checks if check in counted[ALL].tallies]):
        return None
    common = _rules(halves[ALL], applicable)
    scored = {
        key: _scored(part, halves[key], _rules(halves[key], applicable) if part.n >= min_rows else common)
        for key, part in counted.items()
    }
    members = [key for key in scored if column and tuple(name for name, _ in key) == column]
    shares = [scored[key] for key in members or [ALL]]
    pooled = Scored(
        n=sum(item.n for item in shares),
        right=sum((item.right for item in shares), Fraction()),
        chance=sum((item.chance for item in shares), Fraction()),
        rules=common,
    )
    return Baseline(column=column if members else (), pooled=pooled, slices=scored)


def _rules(halves: Halves, checks: Sequence[str]) -> tuple[Rule, Rule]:
    """The best rule of each half; of equals the first in the order of the registry, pick before avoid."""
    directions: tuple[Direction, ...] = ("pick", "avoid")
    rules = [Rule(check=check, direction=direction) for check in checks for direction in directions]
    first, second = halves
    return max(rules, key=lambda rule: rule.score(first)), max(rules, key=lambda rule: rule.score(second))


def _scored(part: Counted, halves: Halves, rules: tuple[Rule, Rule]) -> Scored:
    """Each half is scored by the rule that was chosen on the other."""
    (chosen_on_first, chosen_on_second), (first, second) = rules, halves
    return Scored(
        n=part.n,
        right=chosen_on_second.score(first) + chosen_on_first.score(second),
        chance=next(iter(part.tallies.values())).chance,
        rules=rules,
    )
