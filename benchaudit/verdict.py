"""Counts of one revision become an audit: for every slice and check, a verdict.

Pure: no file, clock or network. The definitions, their order and their reasons are in
`docs/statistics.md`; the tails and intervals in `null` and `intervals`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from benchaudit.baseline import Baseline
from benchaudit.checks.form import Check
from benchaudit.intervals import detectable_gain, wilson
from benchaudit.models import Acceptance, ColumnMapping, Finding, LeftOut, Origin, SliceKey, Thresholds
from benchaudit.null import PValue, holm, null_p
from benchaudit.tally import Counted, Direction, Halves, Tally

Name = Literal["leak", "incomplete", "slight", "none-found", "too-few", "not-applicable"]

WORST_FIRST: tuple[Name, ...] = ("leak", "incomplete", "slight", "none-found", "too-few", "not-applicable")
"""The order in which one verdict outweighs another; a severe leak outweighs a leak."""

SEVERE = Fraction(9, 10)
"""Accuracy of the better rule from which a leak is severe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A tally with its verdict. What a verdict has no use for is None: `p` where rows are too few.

    `detectable_gain` is the smallest gain that so many rows could have shown, as a rate; given with
    none-found, and None there too if no gain could have been shown. `tally` is empty where the check
    does not apply. `acceptance` is what people accept of a leak here.
    """

    tally: Tally
    verdict: Name
    severe: bool = False
    p: PValue | None = None
    p_adjusted: PValue | None = None
    detectable_gain: float | None = None
    acceptance: Acceptance | None = None

    @property
    def accepted(self) -> bool:
        """Whether this is a leak within what people accept."""
        return (
            self.verdict == "leak"
            and self.acceptance is not None
            and self.acceptance.covers(self.gain, self.direction)
        )

    @property
    def counts_as(self) -> Name:
        """The verdict that decides notifications, gates and the verdict of the whole."""
        return "slight" if self.accepted else self.verdict

    @property
    def counts_severe(self) -> bool:
        """Whether it counts as a severe leak: one that people accept does not."""
        return self.severe and not self.accepted

    @property
    def gain(self) -> Fraction:
        """The better rule's accuracy minus chance, as a rate."""
        return self.tally.gain

    @property
    def direction(self) -> Direction:
        """The better rule."""
        return self.tally.direction

    @property
    def rank(self) -> tuple[int, bool]:
        """Smaller is worse."""
        return WORST_FIRST.index(self.counts_as), not self.counts_severe

    def interval(self, count: int) -> tuple[float, float] | None:
        """Wilson's 95 % interval of a count of this tally, as if rows were drawn from the same process."""
        return wilson(count, self.tally.n) if self.tally.n else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceAudit:
    """One slice, judged."""

    key: SliceKey
    n: int
    left_out: Mapping[str, int]
    gold_position: Mapping[int, int]
    checks: Mapping[str, Judged]


@dataclass(frozen=True, kw_only=True)
class Audit:
    """One revision, judged. `slices` begins with ALL.

    `check_versions` and `mapping` say how the figures came about, `not_run` names slicings that the
    revision has no columns for, `notes` how its files were read. `plain` says whether all of them
    are of the everyday kind that a short script can read too. `acceptances` are all known leaks that
    people accept, those that this revision does not have too.
    """

    origin: Origin
    mapping: ColumnMapping
    thresholds: Thresholds
    check_versions: Mapping[str, int]
    rows: int
    left_out: Mapping[str, LeftOut]
    slices: tuple[SliceAudit, ...]
    baseline: Baseline | None = None
    findings: tuple[Finding, ...] = ()
    not_run: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    plain: bool = True
    acceptances: tuple[Acceptance, ...] = ()

    @property
    def all(self) -> SliceAudit:
        """The slice that holds every row."""
        return self.slices[0]

    @cached_property
    def worst(self) -> Judged | None:
        """The worst verdict present, the first of equals; None where no check was run."""
        judged = [item for audit in self.slices for item in audit.checks.values()]
        return min(judged, key=lambda item: item.rank, default=None)

    @property
    def verdict(self) -> Name:
        """The verdict of the whole."""
        return self.worst.counts_as if self.worst else "not-applicable"

    @property
    def severe(self) -> bool:
        """Whether the worst verdict is a severe leak."""
        return self.worst is not None and self.worst.counts_severe


def judge(
    slices: Sequence[Counted],
    checks: Sequence[Check],
    thresholds: Thresholds,
    halves: Mapping[SliceKey, Halves] | None = None,
) -> tuple[SliceAudit, ...]:
    """Give every slice and check its verdict, each family of checks corrected over all its slices.

    `halves` are the tallies of each half of a slice, which a learnt check is tested by.
    """
    judged: dict[tuple[SliceKey, str], Judged] = {}
    for family in dict.fromkeys(check.family for check in checks):
        members = [check for check in checks if check.family == family]
        judged |= _judge_family(slices, members, thresholds, halves or {})
    return tuple(
        SliceAudit(
            key=counted.key,
            n=counted.n,
            left_out=counted.left_out,
            gold_position=counted.gold_position,
            checks={check.name: judged[counted.key, check.name] for check in checks},
        )
        for counted in slices
    )


def _judge_family(
    slices: Sequence[Counted],
    checks: Sequence[Check],
    thresholds: Thresholds,
    halves: Mapping[SliceKey, Halves],
) -> dict[tuple[SliceKey, str], Judged]:
    learnt = {check.name for check in checks if check.learnt}
    pairs = [(counted, check.name) for counted in slices for check in checks]
    tested = [
        (counted, name)
        for counted, name in pairs
        if name in counted.tallies and counted.n >= thresholds.min_rows
    ]
    ps = [
        _learnt_p(name, halves[counted.key])
        if name in learnt and counted.key in halves
        else null_p(counted.tallies[name].cells)
        for counted, name in tested
    ]
    judged = {(counted.key, name): _untested(counted, name) for counted, name in pairs}
    bar = _Bar(tests=len(tested), thresholds=thresholds)
    for (counted, name), p, adjusted in zip(tested, ps, holm(ps), strict=True):
        judged[counted.key, name] = _verdict(counted.tallies[name], counted.defects, p, adjusted, bar)
    return judged


def _learnt_p(name: str, halves: Halves) -> PValue:
    """The p of a check that was learnt on each half and scored on the other.

    Given the one half, the golds of the other are exchangeable, and its p is exact. The two are not
    independent: what halves happen to share helps, or harms, both. So no p is taken of their sum.
    """
    return min((null_p(half[name].cells) for half in halves), key=lambda p: p.log10_p).times(2)


def _untested(counted: Counted, name: str) -> Judged:
    """What stands where nothing is tested: the check has no meaning here, or there are too few rows."""
    if name not in counted.tallies:
        return Judged(tally=Tally(), verdict="not-applicable")
    return Judged(tally=counted.tallies[name], verdict="too-few")


@dataclass(frozen=True, slots=True)
class _Bar:
    """What a claim is held to: the thresholds, and how many tests share their alpha."""

    tests: int
    thresholds: Thresholds

    def large(self, tally: Tally) -> bool:
        """Whether the gain is one that matters: the exact decimal that was set, not the float nearest it."""
        return tally.gain * 100 >= Fraction(str(self.thresholds.min_effect))

    def leaks(self, tally: Tally) -> bool:
        """Whether a tally that was not observed, so has no place in Holm's order, would be a leak."""
        return self.large(tally) and null_p(tally.cells).times(self.tests).p < self.thresholds.alpha


def _verdict(tally: Tally, defects: int, p: PValue, adjusted: PValue, bar: _Bar) -> Judged:
    alpha = bar.thresholds.alpha
    significant = adjusted.p < alpha
    name: Name
    if significant and bar.large(tally):
        name = "leak" if _survives(tally, defects, bar) else "incomplete"
    elif _hidden(tally, defects, bar):
        name = "incomplete"
    elif significant and tally.gain > 0:
        name = "slight"
    else:
        name = "none-found"
    return Judged(
        tally=tally,
        verdict=name,
        severe=name == "leak" and tally.best >= SEVERE * tally.n,
        p=p,
        p_adjusted=adjusted,
        detectable_gain=detectable_gain(tally.cells, alpha / bar.tests) if name == "none-found" else None,
    )


def _survives(tally: Tally, defects: int, bar: _Bar) -> bool:
    """Whether a leak stands, and points the same way, were all defective rows evidence against it.

    Without such rows there is no worse case: Holm's p, which has decided, is not held to Bonferroni's.
    """
    if not defects:
        return True
    worst = with_defects(tally, defects, hits=tally.direction == "avoid")
    return worst.direction == tally.direction and bar.leaks(worst)


def _hidden(tally: Tally, defects: int, bar: _Bar) -> bool:
    """Whether the defective rows could hide a leak."""
    return defects > 0 and any(bar.leaks(with_defects(tally, defects, hits=hits)) for hits in (True, False))


def with_defects(tally: Tally, defects: int, *, hits: bool) -> Tally:
    """The tally with defective rows added as untied items of its most common k, the smaller if tied."""
    sizes: Counter[int] = Counter()
    for k, _, items, _ in tally.cells:
        sizes[k] += items
    usual = min(sizes, key=lambda k: (-sizes[k], k))
    return tally + Tally.of([(usual, 1, defects, defects if hits else 0)])
