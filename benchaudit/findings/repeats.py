"""The same item in several rows: as it is, in other spelling, with its options reordered, with another gold.

Items are matched by content and never by id. Without a question nothing tells two items apart that have
the same options, so rows without one are left aside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import starmap

from benchaudit.findings.asking import Asked, Fetch
from benchaudit.findings.marks import SAMPLED, Severity
from benchaudit.models import Finding

_ASKING = "scored WHERE left_out IS NULL AND asks"
_ITEMS = f"(FROM {_ASKING} AND alike IN (SELECT alike FROM {_ASKING} GROUP BY alike HAVING count(*) > 1))"
"""Items that are alike at least: of each kind it is some of these, and most releases have none."""

_MOST_NAMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """Rows that agree in `same`, and of which `differ` has several values, where it is given.

    Counted are the rows, or values, beyond the first of each group; or all its rows.
    """

    check: str
    severity: Severity
    same: str
    differ: str = ""
    all_rows: bool = False
    sign: str
    message: str


_REPEATS = (
    _Kind(
        check="duplicate-items",
        severity="warning",
        same="content, ordered",
        sign="=",
        message="rows repeat an item that stands before them: question, options and gold are equal",
    ),
    _Kind(
        check="reordered-items",
        severity="note",
        same="content",
        differ="ordered",
        sign="=",
        message="the same item stands elsewhere with its options reordered",
    ),
    _Kind(
        check="near-duplicate-items",
        severity="note",
        same="alike, alike_gold",
        differ="content",
        sign="≈",
        message="the same item stands elsewhere but for the case of letters and white space",
    ),
)
_CONTRADICTIONS = _Kind(
    check="contradictions",
    severity="warning",
    same="alike",
    differ="alike_gold",
    all_rows=True,
    sign="≠",
    message="the same question and options have another gold elsewhere: either is wrong, or the rows differ "
    "in a column that is not mapped as a part of the question",
)


def repeats(fetch: Fetch, asked: Asked) -> Iterator[Finding]:
    """Items that stand in several rows; where that was said to be intended, only those that contradict."""
    if not fetch(f"SELECT 1 FROM {_ASKING} GROUP BY alike HAVING count(*) > 1 LIMIT 1"):
        return
    kinds = (_CONTRADICTIONS,) if asked.repeats else (*_REPEATS, _CONTRADICTIONS)
    for kind in kinds:
        found = _found(fetch, kind)
        if found is not None and kind is _REPEATS[0]:
            yield from _with_places(fetch, asked, found)
        elif found is not None:
            yield found


def _found(fetch: Fetch, kind: _Kind) -> Finding | None:
    counted = "count(*)" if kind.all_rows else f"count(DISTINCT {kind.differ or '(file, row)'}) - 1"
    ((number, groups),) = fetch(f"""
        SELECT sum(rows)::BIGINT, arg_min(names, first, {SAMPLED}) FROM (
            SELECT {counted} AS rows, min((file, row)) AS first,
                   arg_min(name, (file, row), {_MOST_NAMES}) AS names
            FROM {_ITEMS} GROUP BY {kind.same}
            HAVING count({f"DISTINCT {kind.differ}" if kind.differ else "*"}) > 1)""")
    if not number:
        return None
    return Finding(
        check=kind.check,
        severity=kind.severity,
        count=number,
        sample=tuple(f" {kind.sign} ".join(names) for names in groups),
        message=kind.message,
    )


def _with_places(fetch: Fetch, asked: Asked, found: Finding) -> Iterator[Finding]:
    """Repeats with the slices that they go across, and one finding for those that go across files."""
    across = [_across(fetch, f"slices[{number}]") for number in range(1, len(asked.columns) + 1)]
    said = [
        f"{rows:,} items stand in several slices of {name}"
        for name, rows in zip(asked.columns, across, strict=True)
        if rows
    ]
    yield Finding(
        check=found.check,
        severity=found.severity,
        count=found.count,
        sample=found.sample,
        message="; ".join([found.message, *said]),
    )
    pairs = fetch(f"""
        WITH placed AS (
            SELECT DISTINCT content, ordered, file FROM {_ITEMS}
            QUALIFY count(DISTINCT file) OVER (PARTITION BY content, ordered) > 1)
        SELECT one.file, other.file, count(*) AS items
        FROM placed AS one JOIN placed AS other USING (content, ordered)
        WHERE one.file < other.file GROUP BY ALL ORDER BY items DESC, one.file, other.file""")
    if pairs:
        yield _shared(asked, pairs, _across(fetch, "file"))


def _across(fetch: Fetch, place: str) -> int:
    """Items that stand in several of these places."""
    ((number,),) = fetch(f"""
        SELECT count(*) FROM (
            SELECT content FROM {_ITEMS} GROUP BY content, ordered
            HAVING count(DISTINCT coalesce({place}::VARCHAR, '')) > 1)""")
    return int(number)


def _shared(asked: Asked, pairs: list[tuple[int, int, int]], items: int) -> Finding:
    def said(one: int, other: int, shared: int) -> str:
        return f"{asked.files[one]} and {asked.files[other]} share {shared:,}"

    named = list(starmap(said, pairs[:SAMPLED]))
    rest = [f"and so on for {len(pairs) - SAMPLED:,} more pairs of files"] if len(pairs) > SAMPLED else []
    return Finding(
        check="shared-items",
        severity="warning",
        count=items,
        message=f"the same items stand in several files: {', '.join([*named, *rest])}",
    )
