"""Seconds for the p-value of one tally and for its detectable gain, by number of items.

    python benchmarks/null.py

Each time is the best of seven. The tally has five cells: ties of four and of five options.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from benchaudit.intervals import detectable_gain
from benchaudit.null import null_p
from benchaudit.tally import Cell

SHARES = ((4, 1, 0.5), (4, 2, 0.2), (4, 3, 0.1), (5, 1, 0.15), (5, 2, 0.05))


def tally(n: int, surplus: float) -> list[Cell]:
    """About n items with hits at `surplus` standard deviations of the whole above expectation."""
    push = surplus * 0.45 / n**0.5
    return [
        (k, t, items, min(items, round(items * (t / k + push))))
        for k, t, items in ((k, t, round(n * share)) for k, t, share in SHARES)
    ]


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of seven runs."""
    times = []
    for _ in range(7):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the table."""
    print(f"{'items':>11}  {'log10 p':>9}  {'null_p, s':>10}  {'detectable_gain, s':>18}")
    for n in (10, 100, *(10**power for power in range(3, 8))):
        cells = tally(n, surplus=5)
        p_seconds = best(lambda cells=cells: null_p(cells))
        gain_seconds = best(lambda cells=cells: detectable_gain(cells, 1e-4))
        print(f"{n:>11,}  {null_p(cells).log10_p:>9.2f}  {p_seconds:>10.5f}  {gain_seconds:>18.5f}")


if __name__ == "__main__":
    main()
