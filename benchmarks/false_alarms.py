"""How often a benchmark without a leak is accused, and how often one with a leak is caught.

    python benchmarks/false_alarms.py            2,000 benchmarks without a leak, a few minutes
    python benchmarks/false_alarms.py --quick    200 of them

False alarms are counted by family: a benchmark counts if any slice and check of it is a `leak` or `slight`.
Beside that stands a naive test of the same counts, which is in wide use: a binomial test of "gold is among
the longest" against 1/k, corrected by Holm alike. It knows nothing of ties. The exit status is 1 where a
promise of `docs/statistics.md` is not kept.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchaudit.checks import all_checks
from benchaudit.intervals import wilson
from benchaudit.models import ALL, Thresholds
from benchaudit.null import holm, null_p
from benchaudit.tally import Cell, Counted, Tally
from benchaudit.verdict import Judged, judge

SEED = 20_260_101
THRESHOLDS = Thresholds()
STYLES = {
    "1-3 characters": (1, 3),
    "words": (3, 12),
    "sentences": (20, 120),
    "long text": (100, 3_000),
}
"""Shortest and longest option, in characters, by the name of the kind of text."""

_MOST_OPTIONS = 10
_SLICES = 10  # of a benchmark with a leak


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`count` of `of` runs; printed with the 95 % interval that so many runs leave open."""

    count: int
    of: int

    @property
    def rate(self) -> float:
        """The share as a fraction of 1."""
        return self.count / self.of

    def __str__(self) -> str:
        low, high = wilson(self.count, self.of)
        return f"{self.count:>5} of {self.of:<5} {self.rate:>7.2%} ({low:.2%} to {high:.2%})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clean:
    """A benchmark without a leak: its kind of text, and who accused it."""

    style: str
    accused: bool
    naively_accused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """Items as arrays: `lengths` is (items, 10), of which `present` are options; `gold` is a position."""

    lengths: np.ndarray
    present: np.ndarray
    gold: np.ndarray

    def tallies(self) -> dict[str, Tally]:
        """What the two checks on length count."""
        longest = self._tally(np.where(self.present, self.lengths, -math.inf))
        return {"longest": longest, "shortest": self._tally(np.where(self.present, -self.lengths, -math.inf))}

    def _tally(self, scores: np.ndarray) -> Tally:
        tied = scores == scores.max(axis=1, keepdims=True)
        hits = tied[np.arange(len(tied)), self.gold]
        cells = zip(self.present.sum(axis=1).tolist(), tied.sum(axis=1).tolist(), hits.tolist(), strict=True)
        return Tally.of((k, t, 1, int(hit)) for k, t, hit in cells)


def draw(
    rng: np.random.Generator, n: int, options: tuple[int, int], lengths: tuple[int, int], moved: float = 0.0
) -> Items:
    """Items without a leak; then, with probability `moved`, an item's gold is one of its longest options.

    The numbers of options and of characters are drawn evenly from ranges that include both ends.
    """
    k = rng.integers(*options, size=n, endpoint=True)
    present = np.arange(_MOST_OPTIONS) < k[:, None]
    characters = rng.integers(*lengths, size=(n, _MOST_OPTIONS), endpoint=True)
    gold = (rng.random(n) * k).astype(int)
    longest = np.where(present, characters, 0).argmax(axis=1)
    gold = np.where(rng.random(n) < moved, longest, gold)
    return Items(lengths=characters, present=present, gold=gold)


def counted(slices: Sequence[dict[str, Tally]]) -> list[Counted]:
    """ALL, then the slices, as a scan would have counted them."""
    names = slices[0].keys()
    pooled = {name: Tally.of(cell for tallies in slices for cell in tallies[name].cells) for name in names}
    keys = [ALL, *((("slice", str(number)),) for number in range(len(slices)))]
    return [
        Counted(key=key, left_out={}, gold_position={0: tallies["longest"].n}, tallies=tallies)
        for key, tallies in zip(keys, [pooled, *slices], strict=True)
    ]


def judged(slices: Sequence[Counted]) -> list[dict[str, Judged]]:
    """The verdicts of each slice, by check."""
    return [dict(audit.checks) for audit in judge(slices, all_checks(), THRESHOLDS)]


def clean_benchmark(rng: np.random.Generator) -> Clean:
    """One benchmark whose golds are exchangeable, of 1 to 60 slices of 10 to 1,000 items, judged both ways.

    Numbers of slices and of items are even on a logarithmic scale: most benchmarks are small. Half of the
    benchmarks have one number of options, the others mix them.
    """
    style = rng.choice(list(STYLES))
    fewest = int(rng.integers(2, 10, endpoint=True))
    most = fewest if rng.random() < 0.5 else int(rng.integers(fewest, _MOST_OPTIONS, endpoint=True))
    sizes = [_even_logarithm(rng, 10, 1_000) for _ in range(_even_logarithm(rng, 1, 60))]
    slices = counted([draw(rng, n, (fewest, most), STYLES[style]).tallies() for n in sizes])
    verdicts = {item.verdict for checks in judged(slices) for item in checks.values()}
    return Clean(
        style=style, accused=bool(verdicts & {"leak", "slight"}), naively_accused=naive_alarm(slices)
    )


def _even_logarithm(rng: np.random.Generator, low: int, high: int) -> int:
    return int(math.exp(rng.uniform(math.log(low), math.log(high + 1))))


def naive_alarm(slices: Sequence[Counted]) -> bool:
    """Whether binomial tests of "gold is at the extremum" against 1/k accuse any slice, ties or not."""
    tested = [
        [_untied(cell) for cell in tally.cells]
        for counts in slices
        if counts.n >= THRESHOLDS.min_rows
        for tally in counts.tallies.values()
    ]
    return any(p.p < THRESHOLDS.alpha for p in holm([null_p(cells) for cells in tested]))


def _untied(cell: Cell) -> Cell:
    k, _, items, hits = cell
    return k, 1, items, hits


def false_alarms(sets: int, seed: int = SEED) -> list[Clean]:
    """So many benchmarks without a leak; each has its own stream of the seed."""
    return [clean_benchmark(rng) for rng in streams(sets, seed)]


def streams(runs: int, seed: int) -> Iterator[np.random.Generator]:
    """Independent generators, so that a run does not depend on the runs before it."""
    return (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(runs))


def share(happened: Sequence[bool]) -> Share:
    """Count them."""
    return Share(count=sum(happened), of=len(happened))


def caught_in_one_slice(rng: np.random.Generator) -> bool:
    """Whether +10 points in one slice of ten are found in that slice; each has 800 items of 4 options."""
    slices = [draw(rng, 800, (4, 4), (1, 10**6), moved) for moved in [_MOVED, *[0.0] * (_SLICES - 1)]]
    return _found(judged(counted([items.tallies() for items in slices]))[1])


def caught_in_all(rng: np.random.Generator) -> bool:
    """Whether +10 points in 800 items of 4 options, ten slices of 80, are found in ALL."""
    slices = [draw(rng, 80, (4, 4), (1, 10**6), _MOVED) for _ in range(_SLICES)]
    return _found(judged(counted([items.tallies() for items in slices]))[0])


_MOVED = 0.1 / (1 - 1 / 4)  # a gold moved to the longest of four was there already once in four


def _found(checks: dict[str, Judged]) -> bool:
    return checks["longest"].verdict == "leak" and checks["longest"].direction == "pick"


def severe_when_always_shortest(rng: np.random.Generator) -> bool:
    """Whether 52 of 52 golds at the shortest of four, among nine slices without a leak, are `leak severe`."""
    options, lengths = (4, 4), STYLES["sentences"]
    always = {"longest": Tally.of([(4, 1, 52, 0)]), "shortest": Tally.of([(4, 1, 52, 52)])}
    others = [draw(rng, 52, options, lengths).tallies() for _ in range(_SLICES - 1)]
    shortest = judged(counted([always, *others]))[1]["shortest"]
    return shortest.verdict == "leak" and shortest.severe


def power(runs: int, caught: Callable[[np.random.Generator], bool], seed: int = SEED) -> Share:
    """In how many of so many runs the leak was caught."""
    return share([caught(rng) for rng in streams(runs, seed)])


def allowed(sets: int) -> float:
    """The share that must not be passed: alpha and three standard errors of a share of alpha."""
    alpha = THRESHOLDS.alpha
    return alpha + 3 * math.sqrt(alpha * (1 - alpha) / sets)


def report_false_alarms(sets: int) -> bool:
    """Print the table; True if the promise is kept."""
    outcomes = false_alarms(sets)
    print(f"Benchmarks without a leak that are accused of one (alpha {THRESHOLDS.alpha:.0%}, seed {SEED})\n")
    print(f"{'options':<15} {'benchaudit':<40} {'binomial test against 1/k':<40}")
    for style in [*STYLES, "all"]:
        chosen = [outcome for outcome in outcomes if style in {outcome.style, "all"}]
        ours = share([outcome.accused for outcome in chosen])
        naive = share([outcome.naively_accused for outcome in chosen])
        print(f"{style:<15} {ours!s:<40} {naive!s:<40}")
    print(f"\nallowed: {allowed(sets):.2%}, which is alpha and three standard errors\n")
    return share([outcome.accused for outcome in outcomes]).rate <= allowed(sets)


def report_power(runs: int) -> bool:
    """Print how often leaks are found; True if the promises are kept."""
    wanted = [
        ("+10 points in one slice of 800, of ten slices", caught_in_one_slice, 0.95),
        ("+10 points in ten slices of 80, found in ALL", caught_in_all, 0.95),
        ("52 of 52 at the shortest, `leak severe`", severe_when_always_shortest, 1.0),
    ]
    print("Leaks that are found\n")
    kept = True
    for name, caught, least in wanted:
        found = power(runs, caught)
        print(f"{name:<48} {found}, at least {least:.0%} wanted")
        kept = kept and found.rate >= least
    return kept


def main() -> int:
    """Print both tables; 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="200 benchmarks instead of 2,000")
    sets = 200 if parser.parse_args().quick else 2_000
    kept = [report_false_alarms(sets), report_power(sets // 5)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
