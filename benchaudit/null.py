"""How surprising a tally is if the gold option were exchangeable with its distractors.

In a cell `(k, t, items, hits)` of a tally every item has k options of which t tie at the extremum. Without a
leak its gold is any of the k alike, so the hits are Binomial(items, t/k), cells are independent, and every
p-value here is a tail of a sum of independent binomials. See "Null" in `docs/statistics.md`.

Two ways lead to that tail and agree to about twelve digits: convolution in exact integers while that is the
cheaper one (to sixty or eighty items), and beyond it exponential tilting and a windowed Fourier sum, which
costs the same at a hundred items and at ten million. Both end in a logarithm, because p can be 1e-378.
"""

from __future__ import annotations

import cmath
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchaudit.tally import Cell

Groups = Sequence[tuple[float, int]]
"""Independent binomials as `(probability, items)`; their sum is the random count."""

_LOG_2 = math.log(2)
_EXACT_BITS = 20_000  # size of the generating function at which the two ways take equal time
_NATS = 40.0  # parts of the sum below exp(-40) of the whole, 4e-18, are beyond a float's precision
_LEAST_TILT = 1e-12  # no tilt at all would make the geometric series 0/0


@dataclass(frozen=True, slots=True)
class PValue:
    """A probability and its decimal logarithm: where `p` has underflowed to 0.0, `log10_p` still counts."""

    p: float
    log10_p: float

    @classmethod
    def from_log10(cls, log10_p: float) -> PValue:
        """The p-value with this logarithm; anything above 0, that is p above 1, is taken as p = 1."""
        capped = min(0.0, log10_p)
        return cls(p=10.0**capped, log10_p=capped)

    def times(self, factor: int) -> PValue:
        """`min(1, factor * p)`, the Bonferroni step; ValueError unless factor is at least 1."""
        if factor < 1:
            raise ValueError(f"a p-value is corrected for at least one test, not for {factor}")
        return PValue.from_log10(self.log10_p + math.log10(factor))


def null_p(cells: Iterable[Cell]) -> PValue:
    """The two-sided p of a tally under exchangeability.

    Two counts are tested, each by `min(1, 2 * smaller tail)`: all hits, and the unique hits (those at
    t = 1). The result is `min(1, 2 * the smaller p)`, or the first p alone where no item is tied, since the
    counts are then the same. Both are needed: fifty misses too few among untied items and fifty too many
    among tied ones cancel in the first count.

    A tally without items, or of cells that are all t = k, has p = 1: nothing could have surprised.
    ValueError for a cell that no item can fall into.
    """
    present = [cell for cell in map(checked, cells) if cell[2] > 0]
    among = _two_sided(present)
    untied = [cell for cell in present if cell[1] == 1]
    if len(untied) == len(present):
        return among
    return min(among, _two_sided(untied), key=lambda p: p.log10_p).times(2)


def holm(ps: Sequence[PValue]) -> list[PValue]:
    """Holm's step-down adjusted p-values, in the order given.

    The i-th smallest of m is multiplied by m - i + 1, and none is smaller than the one before it
    (Holm 1979, Scandinavian Journal of Statistics 6). Computed on the logarithms, so that 1e-400 adjusts too.
    """
    adjusted: list[PValue] = list(ps)
    floor = -math.inf
    for rank, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i].log10_p)):
        floor = max(floor, ps[index].times(len(ps) - rank).log10_p)
        adjusted[index] = PValue.from_log10(floor)
    return adjusted


def mcnemar_exact(b: int, c: int) -> float:
    """McNemar's exact two-sided p for `b` flips one way and `c` the other; 1.0 where nothing flipped.

    Under the null each flip goes either way like a fair coin, so b is Binomial(b + c, 1/2).
    ValueError for a negative count.
    """
    return _two_sided([checked((2, 1, b + c, b))]).p


def log_upper_tail(groups: Groups, at_least: int) -> float:
    """Natural logarithm of P(S >= at_least), S the sum of independent Binomial(items, probability).

    Good to about 1e-12 of P below the middle of the distribution, and of 1 - P above it, at a cost that
    depends on the number of groups alone.
    """
    random = [(p, items) for p, items in groups if 0 < p < 1 and items]
    at_least -= sum(items for p, items in groups if p >= 1)
    items = sum(count for _, count in random)
    if at_least <= 0:
        return 0.0
    if at_least > items:
        return -math.inf
    if at_least == items:
        return math.fsum(count * math.log(p) for p, count in random)
    if at_least > math.fsum(count * p for p, count in random):
        return _far_tail(random, at_least)
    lower = log_upper_tail([(1 - p, count) for p, count in random], items - at_least + 1)
    return math.log1p(-math.exp(lower))


def exact_upper_tail(groups: Mapping[Fraction, int], at_least: int) -> Fraction:
    """P(S >= at_least) without rounding, S the sum of independent Binomial(items, probability).

    The generating function, the product of `(miss + hit * x) ** items` over a common denominator, is
    evaluated at a power of two beyond the sum of its coefficients, so that each coefficient keeps bits of its
    own in one big integer and Python's multiplication is the convolution. A shift drops the coefficients
    below `at_least`; the sum of the rest is, as casting out nines has it, the remainder modulo base - 1.
    """
    common = math.lcm(*(p.denominator for p in groups))
    whole: int = common ** sum(groups.values())
    width = whole.bit_length() + 1
    packed = 1
    for p, items in groups.items():
        hit = p.numerator * (common // p.denominator)
        packed *= ((common - hit) + (hit << width)) ** items
    return Fraction((packed >> width * at_least) % ((1 << width) - 1), whole)


def checked(cell: Cell) -> Cell:
    """The cell itself; ValueError where no set of items could have made it."""
    k, t, items, hits = cell
    if not (1 <= t <= k and 0 <= hits <= items and (t < k or hits == items)):
        raise ValueError(f"no items can make the cell (k={k}, t={t}, items={items}, hits={hits})")
    return cell


def _two_sided(cells: Iterable[Cell]) -> PValue:
    """`min(1, 2 * smaller tail)` of the number of hits.

    Only the tail away from the mean is computed. The median of a sum of independent trials is one of the two
    integers next to its mean (Jogdeo and Samuels 1968, Annals of Mathematical Statistics 39), so the tail
    that holds the mean is at least 1/2 and, doubled, cannot be the smaller one below 1.
    """
    groups: Counter[Fraction] = Counter()
    hits = 0
    for k, t, items, among in cells:
        groups[Fraction(t, k)] += items
        hits += among
    excess = hits - sum(p * items for p, items in groups.items())
    if excess == 0:
        return PValue.from_log10(0.0)
    if excess < 0:  # as few hits is as many misses
        hits = groups.total() - hits
        groups = Counter({1 - p: items for p, items in groups.items()})
    return PValue.from_log10((_LOG_2 + _log_tail(groups, hits)) / math.log(10))


def _log_tail(groups: Counter[Fraction], at_least: int) -> float:
    """`log_upper_tail`, exact where that is cheap."""
    common = math.lcm(*(p.denominator for p in groups))
    if groups.total() ** 2 * common.bit_length() > _EXACT_BITS:
        # in sorted order, so that the order of the cells does not reach the last digit
        return log_upper_tail([(float(p), items) for p, items in sorted(groups.items())], at_least)
    tail = exact_upper_tail(groups, at_least)
    return math.log(tail.numerator) - math.log(tail.denominator)


def _far_tail(groups: Groups, at_least: int) -> float:
    """Log of P(S >= at_least) for mean < at_least < items, by tilting and Fourier inversion.

    With tilt a and K(a) = log E exp(a S), the tilted law Q(s) = P(s) exp(a s - K(a)) has its mean at
    h = at_least, where nothing is small any more, and

        P(S >= h) = exp(K(a) - a h) * sum over s >= h of Q(s) exp(-a (s - h)).

    Q is taken modulo a window around h, outside of which it has no weight that a float could show. There it
    is a finite Fourier sum of its characteristic function, and under each frequency the sum over s is a
    geometric series. A fast transform of the whole window would give every Q(s) first; but the
    characteristic function fades like a Gaussian, so a few dozen frequencies carry the result at any size.
    """
    tilt = _tilt(groups, at_least)
    growth = math.exp(tilt)
    tilted = [(p * growth / (1 - p + p * growth), items) for p, items in groups]
    reach = math.ceil(deviation(math.fsum(items * q * (1 - q) for q, items in tilted), _NATS)) + 1
    points, terms = 2 * reach + 1, reach + 1
    series = [math.expm1(-tilt * terms) / math.expm1(-tilt)]
    for index in range(1, terms):
        angle = 2 * math.pi * index / points
        size, phase = _log_characteristic(tilted, angle)
        if size < -_NATS:
            break
        ratio = cmath.exp(complex(-tilt, -angle))
        centred = cmath.exp(complex(size, phase - at_least * angle))
        series.append(2 * (centred * (1 - ratio**terms) / (1 - ratio)).real)
    cumulant = math.fsum(items * math.log1p(p * math.expm1(tilt)) for p, items in groups)
    return math.log(math.fsum(series) / points) + cumulant - tilt * at_least


def _log_characteristic(groups: Groups, angle: float) -> tuple[float, float]:
    """Real and imaginary part of log E exp(i angle S); the modulus of one trial is 1 - 4pq sin²(angle/2)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    dip = 4 * math.sin(angle / 2) ** 2
    size = phase = 0.0
    for p, items in groups:
        size += items * math.log1p(-dip * p * (1 - p))
        phase += items * math.atan2(p * sine, 1 - p + p * cosine)
    return size / 2, phase


def _tilt(groups: Groups, target: int) -> float:
    """A tilt a > 0 that moves the mean of the sum to within half an item of `target` (mean < target < items).

    Half an item is near enough: the identity holds for every tilt, and the window has room for one more.
    The solution lies between those for all items at the lowest and all at the highest probability.
    """
    items = sum(count for _, count in groups)
    odds = math.log(target / (items - target))
    low, high = (odds - math.log(p / (1 - p)) for p in (max(groups)[0], min(groups)[0]))
    tilt = high
    for _ in range(64):
        growth = math.exp(tilt)
        surplus = math.fsum(count * p * growth / (1 - p + p * growth) for p, count in groups) - target
        if abs(surplus) <= 0.5:
            break
        low, high = (low, tilt) if surplus > 0 else (tilt, high)
        tilt = (low + high) / 2
    return max(tilt, _LEAST_TILT)


def deviation(variance: float, nats: float) -> float:
    """The distance from its mean that a sum of independent trials exceeds with P <= exp(-nats), either way.

    From Bernstein's inequality, P(S - mean >= x) <= exp(-x² / (2 (variance + x / 3))), solved for x.
    """
    return nats / 3 + math.sqrt((nats / 3) ** 2 + 2 * nats * variance)
