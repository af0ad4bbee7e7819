"""Slices that hold the same rows: one within another, two that are equal, a column of one value.

Figures of such slices are no two pieces of evidence, and a reader who does not know would take them for two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations

from benchaudit.findings.asking import Asked, Fetch
from benchaudit.findings.marks import SAMPLED
from benchaudit.models import Finding

Value = str | None
Crossed = Mapping[tuple[Value, Value], int]
"""Rows by their values in two columns."""

Totals = Mapping[Value, int]
Slice = tuple[str, Value]


def overlaps(fetch: Fetch, asked: Asked) -> Iterator[Finding]:
    """What the slice columns have in common, for every two of them."""
    constant = set()
    for number, name in enumerate(asked.columns, start=1):
        values = fetch(f"SELECT slices[{number}], count(*) FROM scored WHERE slices IS NOT NULL GROUP BY ALL")
        if len(values) == 1 and not name.startswith("@"):
            constant.add(name)
            ((value, rows),) = values
            yield _note("constant-column", rows, f"every row has {_said((name, value))}")
    for (i, one), (j, other) in combinations(enumerate(asked.columns, start=1), 2):
        if not constant & {one, other}:
            crossed = {
                (a, b): rows
                for a, b, rows in fetch(
                    f"SELECT slices[{i}], slices[{j}], count(*) FROM scored "
                    "WHERE slices IS NOT NULL GROUP BY ALL ORDER BY ALL"
                )
            }
            yield from compared(one, other, crossed, asked.thresholds.min_rows, asked.thresholds.alpha)


def compared(one: str, other: str, crossed: Crossed, min_rows: int, alpha: float = 0.01) -> Iterator[Finding]:
    """What two columns have in common.

    Slices below `min_rows` say nothing, nor do those that lie within another with a probability of `alpha`
    or more if rows were dealt out at random.
    """
    rows = sum(crossed.values())
    ones, others = _totals(crossed, 0), _totals(crossed, 1)
    if min(len(ones), len(others)) < 2:
        return
    if len(crossed) == len(ones) == len(others):
        yield _note("equal-slices", rows, f"{one} and {other} cut the rows into the same slices")
        return
    for name, totals, outer in ((one, ones, other), (other, others, one)):
        if len(crossed) == len(totals):
            yield _note("nested-slices", rows, f"every slice of {name} lies within one of {outer}")
            return
    yield from _equal_or_apart(one, other, crossed, min_rows)
    turned = {(b, a): n for (a, b), n in crossed.items()}
    yield from _contained(one, other, crossed, min_rows, alpha)
    yield from _contained(other, one, turned, min_rows, alpha)


def _totals(crossed: Crossed, side: int) -> Totals:
    totals: dict[Value, int] = defaultdict(int)
    for values, rows in crossed.items():
        totals[values[side]] += rows
    return totals


def _equal_or_apart(one: str, other: str, crossed: Crossed, min_rows: int) -> Iterator[Finding]:
    """Pairs of slices that hold the same rows, and pairs that hold all rows but share none.

    Where a column has two values the second kind follows from the first.
    """
    ones, others = _totals(crossed, 0), _totals(crossed, 1)
    rows = sum(ones.values())
    for a, n in ones.items():
        for b, m in others.items():
            if min(n, m) < min_rows:
                continue
            shared = crossed.get((a, b), 0)
            names = f"{_said((one, a))} and {_said((other, b))}"
            if shared == n == m:
                yield _note("equal-slices", n, f"{names} hold the same {n:,} rows")
            elif not shared and n + m == rows and min(len(ones), len(others)) > 2:
                yield _note(
                    "complementary-slices", rows, f"{names} share no row, and hold all rows between them"
                )


def _contained(one: str, other: str, crossed: Crossed, min_rows: int, alpha: float) -> Iterator[Finding]:
    """Slices of the one column that lie whole within a slice of the other, one finding for each of those."""
    ones, others = _totals(crossed, 0), _totals(crossed, 1)
    rows = sum(ones.values())
    within: dict[Value, list[tuple[int, Value]]] = defaultdict(list)
    for (a, b), shared in crossed.items():
        surprising = (others[b] / rows) ** shared < alpha
        if min_rows <= shared == ones[a] < others[b] and surprising:
            within[b].append((-shared, a))
    for b, found in within.items():
        found.sort(key=lambda entry: (entry[0], entry[1] or ""))
        named = [f"all {-n:,} rows of {_said((one, a))}" for n, a in found[:SAMPLED]]
        rest = [f"and those of {len(found) - SAMPLED:,} more slices"] if len(found) > SAMPLED else []
        yield _note(
            "contained-slices",
            -sum(n for n, _ in found),
            f"within {_said((other, b))} ({others[b]:,} rows) lie {', '.join([*named, *rest])}",
        )


def _said(part: Slice) -> str:
    name, value = part
    return f"{name}={'(missing)' if value is None else value}"


def _note(check: str, count: int, message: str) -> Finding:
    return Finding(check=check, severity="note", count=count, message=message)
