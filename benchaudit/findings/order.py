"""Where gold stands from row to row: the longest run at one place, and how often it stays where it was.

A model that is asked row by row, or a reader, learns the next answer from the last ones. The null is that
the places of gold in a file, as often as each occurs, are in random order; items with different numbers of
options are looked at apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchaudit.figures import share
from benchaudit.findings.asking import Asked, Fetch
from benchaudit.models import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """The golds of the items of one file with so many options, in row order.

    `places` counts items by the place of gold, `stays` those whose gold stands where that of the item
    before stood. `run` is the length of the longest run, at `place` from 0, from the row `start` on, which
    is a number.
    """

    number: int
    file: str
    places: Sequence[int]
    stays: int
    run: int
    place: int
    start: int

    @property
    def n(self) -> int:
        """Items."""
        return sum(self.places)


def orders(fetch: Fetch, asked: Asked) -> Iterator[Finding]:
    """Files in which the place of gold follows from the rows before, the most surprising first."""
    if not asked.ordered:
        return
    limits = asked.thresholds
    walks = [walk for walk in walks_of(fetch, asked) if walk.n >= limits.min_rows]
    runs = sorted((run_p(walk.places, walk.run), number) for number, walk in enumerate(walks))
    stays = sorted((stays_p(walk.places, walk.stays), number) for number, walk in enumerate(walks))
    level = limits.alpha / (2 * max(1, len(walks)))
    found = [walks[number] for p, number in runs if p < level]
    if found:
        worst = found[0]
        yield Finding(
            check="gold-run",
            severity="note",
            count=worst.run,
            sample=_name(fetch, worst.number, worst.start),
            message=f"gold stands at place {worst.place + 1} in {worst.run:,} items one after the other, in "
            f"{worst.file}{_others(len(found))}",
        )
    found = [walks[number] for p, number in stays if p < level]
    if found:
        worst, pairs = found[0], found[0].n - 1
        yield Finding(
            check="gold-transitions",
            severity="note",
            count=worst.stays,
            message=f"gold stands where that of the row before stood in {share(worst.stays, pairs)} of rows, "
            f"{share(expected_stays(worst.places), pairs)} expected, in {worst.file}{_others(len(found))}",
        )


def _others(files: int) -> str:
    return f", and likewise in {files - 1:,} more parts" if files > 1 else ""


def _name(fetch: Fetch, file: int, row: int) -> tuple[str, ...]:
    """What a row is called."""
    return tuple(name for (name,) in fetch(f"SELECT name FROM scored WHERE file = {file} AND row = {row}"))


def walks_of(fetch: Fetch, asked: Asked) -> list[Walk]:
    """The walks of all files, by file and number of options."""
    # A run goes from an item whose gold is not where the last one was to the next such item.
    items = "SELECT file, k, count(*) AS items FROM scored WHERE left_out IS NULL GROUP BY ALL"
    steps = """
        SELECT file, k, gold, row, lag(gold) OVER walk AS before, row_number() OVER walk AS number
        FROM scored WHERE left_out IS NULL WINDOW walk AS (PARTITION BY file, k ORDER BY row)"""
    runs = f"""
        SELECT file, k, gold, row AS start,
               coalesce(lead(number) OVER (PARTITION BY file, k ORDER BY number), items + 1) - number AS run
        FROM ({steps}) JOIN ({items}) USING (file, k)
        WHERE before IS DISTINCT FROM gold"""
    by_place = f"""
        SELECT file, k, gold, sum(run)::BIGINT AS items, count(*) AS runs, max(run) AS run,
               arg_min(start, (-run, start)) AS start
        FROM ({runs}) GROUP BY file, k, gold"""
    rows = fetch(f"""
        SELECT file, list(items ORDER BY gold), sum(items - runs)::BIGINT, max(run),
               arg_min(gold, (-run, start)), arg_min(start, (-run, start))
        FROM ({by_place}) GROUP BY file, k ORDER BY file, k""")
    return [
        Walk(
            number=number,
            file=asked.files[number],
            places=places,
            stays=stays,
            run=run,
            place=gold,
            start=start,
        )
        for number, places, stays, run, gold, start in rows
    ]


def run_p(places: Sequence[int], run: int) -> float:
    """A bound on the probability that the longest run is as long: the sum over all where it could begin.

    Each of n - run + 1 places begins a run of place i with probability n_i (n_i - 1) … / n (n - 1) …, run
    factors above and below. Never below the true probability, and near it where it is small.
    """
    n = sum(places)
    total = math.fsum(
        math.exp(_log_falling(count, run) - _log_falling(n, run)) for count in places if count >= run
    )
    return min(1.0, (n - run + 1) * total)


def _log_falling(n: int, factors: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(n - factors + 1)


def expected_stays(places: Sequence[int]) -> Fraction:
    """How many items stand where the one before stands, were the order random: sum n_i (n_i - 1) / n."""
    return Fraction(sum(count * (count - 1) for count in places), sum(places))


def variance_of_stays(places: Sequence[int]) -> Fraction:
    """The variance of that number over all orders, which is that of the number of runs.

    Barton and David 1957, Journal of the Royal Statistical Society B 19. 0 for fewer than two items.
    """
    n = sum(places)
    if n < 2:
        return Fraction()
    squares, cubes = (sum(count**power for count in places) for power in (2, 3))
    return Fraction(squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3, n * n * (n - 1))


def stays_p(places: Sequence[int], stays: int) -> float:
    """The two-sided p of so many stays, by the normal approximation; 1 where none or all must stay."""
    variance = variance_of_stays(places)
    if not variance:
        return 1.0
    return math.erfc(abs(stays - expected_stays(places)) / math.sqrt(2 * variance))
