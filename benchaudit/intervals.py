"""How far a rate can be trusted: its confidence interval, and the smallest leak a slice could have shown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from statistics import NormalDist

from benchaudit.null import Groups, checked, deviation, log_upper_tail
from benchaudit.tally import Cell

_POWER = 0.8
_NORMAL = NormalDist()
_JUMPS = 8
_STEPS = 2**16  # of the bracket around the answer; puts the gain within a few hundred-thousandths of itself


def wilson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a rate of `hits` in `n`, as `(low, high)` within [0, 1].

    Wilson 1927, Journal of the American Statistical Association 22. The end at a rate of exactly 0 or 1 is
    that number. ValueError for n = 0, which has no rate, for hits outside of 0..n and for a confidence
    outside of (0, 1).
    """
    if n < 1 or not 0 <= hits <= n or not 0 < confidence < 1:
        raise ValueError(f"no interval for {hits} of {n} at confidence {confidence}")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = hits + z * z / 2
    half = z * math.sqrt(hits * (n - hits) / n + z * z / 4)
    low = 0.0 if hits == 0 else (centre - half) / (n + z * z)
    high = 1.0 if hits == n else (centre + half) / (n + z * z)
    return low, high


def detectable_gain(cells: Iterable[Cell], alpha: float) -> float | None:
    """The smallest gain of *pick* that these items could have shown at 80 % power, or None if none could.

    The model of a leak: with probability `moved` an item's gold is moved among the t options at the extremum,
    else it is exchangeable, so that a hit has probability t/k + moved (1 - t/k). The test is one-sided: it
    rejects from the smallest number of hits that exchangeability reaches with probability <= `alpha`. Power
    grows with `moved`; at the smallest `moved` where it is 0.8 the expected gain, credit minus chance, is

        moved * sum of items (1/t - 1/k) / n.

    That is a fraction of 1, not points. None where even `moved` = 1 would not be rejected: too few items, or
    ties in all of them. The cells' hits play no part: this is a property of the slice, not of its golds.
    ValueError for an impossible cell or an `alpha` outside of (0, 1).
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, not at {alpha}")
    present = [cell for cell in map(checked, cells) if cell[2] > 0]
    return _detectable_gain(tuple((k, t, items) for k, t, items, _ in present), alpha)


@lru_cache(maxsize=4096)
def _detectable_gain(present: tuple[tuple[int, int, int], ...], alpha: float) -> float | None:
    """The same for cells without hits. Slices are often alike in size: each kind is worked out once."""
    merged: Counter[float] = Counter()
    for k, t, items in present:
        if t < k:
            merged[t / k] += items
    groups = sorted(merged.items())
    critical = _critical_count(groups, alpha)
    if critical > merged.total():
        return None
    reachable = math.fsum(items * (1 / t - 1 / k) for k, t, items in present)
    return _needed_move(groups, critical) * reachable / sum(items for _, _, items in present)


def _critical_count(groups: Groups, alpha: float) -> int:
    """The smallest c with P(S >= c) <= alpha; one more than there are items if no count is that rare.

    The normal approximation is a count or two off at any size, so the walk from there is short.
    """
    items = sum(count for _, count in groups)
    mean = math.fsum(count * p for p, count in groups)
    spread = math.sqrt(math.fsum(count * p * (1 - p) for p, count in groups))
    critical = min(max(math.ceil(mean - NormalDist().inv_cdf(alpha) * spread), 0), items + 1)
    log_alpha = math.log(alpha)
    while log_upper_tail(groups, critical) > log_alpha:
        critical += 1
    while log_upper_tail(groups, critical - 1) <= log_alpha:
        critical -= 1
    return critical


def _needed_move(groups: Groups, critical: int) -> float:
    """The smallest `moved` with P(S >= critical) >= 0.8, to the step of a bracket that is sure to hold it.

    Where the mean is critical - 1, so is the median, and power is at most 1/2; where the mean is beyond that
    by Bernstein's distance, at the largest variance there is, power is at least 0.8.
    """
    items = sum(count for _, count in groups)
    mean = math.fsum(count * p for p, count in groups)
    margin = deviation(items / 4, -math.log(1 - _POWER))
    low = max(0.0, (critical - 1 - mean) / (items - mean))
    high = min(1.0, (critical - 1 + margin - mean) / (items - mean))
    width = (high - low) / _STEPS

    def moved(step: int) -> Groups:
        return [(p + (low + width * step) * (1 - p), count) for p, count in groups]

    def power(step: int) -> float:
        return math.exp(log_upper_tail(moved(step), critical))

    spread = math.sqrt(math.fsum(count * p * (1 - p) for p, count in moved(_STEPS // 2)))
    slope = width * (items - mean) / spread if spread else 0.0
    return low + width * _first_step(power, slope)


def _first_step(power: Callable[[int], float], slope: float) -> int:
    """The smallest of the steps at which power suffices; it grows with them.

    As a normal deviate power is nearly a line of this slope, so a few jumps along it come to the place; the
    rest is bisection, and so is all where there is no slope.
    """
    low, high, step, jumps = -1, _STEPS, _STEPS // 2, 0
    while high - low > 1:
        reached = power(step)
        low, high = (step, high) if reached < _POWER else (low, step)
        if slope and jumps < _JUMPS:
            missing = _NORMAL.inv_cdf(_POWER) - _NORMAL.inv_cdf(min(max(reached, 1e-15), 1 - 1e-15))
            step += round(math.copysign(max(1.0, abs(missing / slope)), missing))
            jumps += 1
        else:
            step = low
        if not low < step < high:
            step = (low + high) // 2
    return high
