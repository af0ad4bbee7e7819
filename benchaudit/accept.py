"""Known leaks that somebody has accepted, up to a gain and for a reason. Pure.

A leak that is accepted counts like a slight one: it is shown, notifies nobody and fails no gate. One
that exceeds what was accepted is a leak like any other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from benchaudit.checks import EXTREMA, group_of, is_further
from benchaudit.models import Acceptance, SliceKey

if TYPE_CHECKING:
    from benchaudit.verdict import SliceAudit

_FORM = "must be: slice | check | points of gain | reason"
_DIRECTIONS = ("pick", "avoid")


def slice_text(key: SliceKey) -> str:
    """A slice as people write it in a setting: `ALL`, `who=others*updated=True`, `who=` where missing."""
    return "*".join(f"{name}={value or ''}" for name, value in key) or "ALL"


def read_acceptances(text: str, checks: Collection[str]) -> tuple[Acceptance, ...]:
    """The entries of a text, one a line: `slice | check | points | reason`; a check may follow pick or avoid.

    Raises ValueError with what is wrong.
    """
    return tuple(_entry(line.strip(), checks) for line in text.splitlines() if line.strip())


def _entry(line: str, checks: Collection[str]) -> Acceptance:
    # A slice or a reason may hold the separator: the middle two say where they end and begin.
    names = "|".join(map(re.escape, sorted(checks, key=len, reverse=True)))
    middle = rf"\|\s*(?:({'|'.join(_DIRECTIONS)})\s+)?({names})\s*\|\s*(\d+(?:\.\d+)?)\s*\|"
    match = re.fullmatch(rf"(.*?)\s*{middle}\s*(.*\S)", line, re.ASCII)
    if not match or not match[1]:
        raise ValueError(f"{_FORM}; checks are {', '.join(checks)}")
    return Acceptance(
        slice=match[1], direction=match[2] or "", check=match[3], gain=Fraction(match[4]), reason=match[5]
    )


def accept(slices: Iterable[SliceAudit], acceptances: Sequence[Acceptance]) -> tuple[SliceAudit, ...]:
    """The slices, with every leak that an entry speaks of carrying that entry; the first one holds."""
    entries: dict[tuple[str, str], Acceptance] = {}
    for entry in acceptances:
        entries.setdefault((entry.slice, entry.check), entry)
    return tuple(
        replace(
            part,
            checks={
                name: replace(judged, acceptance=_entry_for(slice_text(part.key), name, entries))
                for name, judged in part.checks.items()
            },
        )
        for part in slices
    )


def _entry_for(slice_: str, name: str, entries: Mapping[tuple[str, str], Acceptance]) -> Acceptance | None:
    """The entry that speaks of a check; one for longest or shortest speaks of all checks on length."""
    names = [name, *(check.name for check in EXTREMA if is_further(name) and check.group == group_of(name))]
    return next((entries[slice_, known] for known in names if (slice_, known) in entries), None)


def idle(slices: Iterable[SliceAudit], acceptances: Iterable[Acceptance]) -> tuple[Acceptance, ...]:
    """Entries that speak of no leak: a slip of the pen, or of a leak that is gone."""
    leaks = {
        (slice_text(part.key), name)
        for part in slices
        for name, judged in part.checks.items()
        if judged.verdict == "leak"
    }
    return tuple(entry for entry in acceptances if (entry.slice, entry.check) not in leaks)
