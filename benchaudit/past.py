"""What is still known of an earlier audit: all of it that a comparison needs. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchaudit.checks import is_further
from benchaudit.models import ColumnMapping, SliceKey, Snapshot
from benchaudit.tally import Direction, Tally
from benchaudit.verdict import Audit, Name

LOUD = frozenset({"leak", "incomplete"})
"""Verdicts of a leak, or of what could hide one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What is still known of a slice and check of an earlier revision."""

    tally: Tally
    verdict: Name
    severe: bool
    direction: Direction


@dataclass(frozen=True, slots=True, kw_only=True)
class PastAudit:
    """What is still known of an earlier audit, from the audit itself or from the stored state.

    `complete` says whether every slice is known; of one that was not stored nothing can be said.
    `columns` are those that made the items, None where that is not known. The stored state does not
    hold them, so they are no part of what makes two of these equal.
    """

    snapshot: Snapshot
    rows: int
    defects: int
    encoding: str
    checks: Mapping[tuple[SliceKey, str], Past]
    slicings: frozenset[tuple[str, ...]]
    complete: bool = True
    columns: frozenset[str] | None = field(default=None, compare=False)


def past_of(audit: Audit, snapshot: Snapshot) -> PastAudit:
    """An audit as the past of a later one."""
    return PastAudit(
        snapshot=snapshot,
        rows=audit.rows,
        defects=defects(audit),
        encoding=audit.mapping.gold_encoding,
        slicings=slicings_of(audit),
        columns=columns_used(audit.mapping),
        checks={
            (part.key, name): Past(
                tally=judged.tally,
                verdict=judged.counts_as,
                severe=judged.counts_severe,
                # Of a further check that found nothing nobody asks, and the figures of thousands cost time.
                direction=judged.direction if judged.verdict in LOUD or not is_further(name) else "pick",
            )
            for part in audit.slices
            for name, judged in part.checks.items()
        },
    )


def defects(audit: Audit) -> int:
    """Rows of a revision that count against every claim."""
    return sum(left.rows for left in audit.left_out.values() if left.defective)


def slicings_of(audit: Audit) -> frozenset[tuple[str, ...]]:
    """How an audit was cut into slices, ALL among them."""
    return frozenset(tuple(name for name, _ in part.key) for part in audit.slices)


def columns_used(mapping: ColumnMapping) -> frozenset[str]:
    """The columns that made the items."""
    single = (mapping.gold_fallback, mapping.id)
    several = (*mapping.question, *mapping.options, *mapping.distractors, *mapping.gold_columns)
    return frozenset({*several, *single} - {""})
