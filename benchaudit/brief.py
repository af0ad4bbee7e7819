"""What a report remembers of further checks: a verdict each, and figures only of a leak. Pure.

The figures of all of them would fill a body many times over, and of those that found nothing nobody asks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from benchaudit.checks import is_further
from benchaudit.models import SliceKey
from benchaudit.past import Past, PastAudit
from benchaudit.tally import Tally
from benchaudit.verdict import WORST_FIRST, Name

_UNKNOWN = "-"


def remembered(past: PastAudit) -> PastAudit:
    """An audit as a state holds it."""
    return replace(
        past,
        checks={
            place: entry if is_whole(place[1], entry) else _verdict_only(entry.verdict)
            for place, entry in past.checks.items()
        },
    )


def is_whole(check: str, entry: Past) -> bool:
    """Whether the figures are kept, and not the verdict only."""
    return not is_further(check) or entry.verdict in {"leak", "incomplete"}


def _verdict_only(verdict: Name) -> Past:
    return Past(tally=Tally(), verdict=verdict, severe=False, direction="pick")


def brief_verdicts(past: PastAudit, keys: Collection[SliceKey]) -> dict[str, Any]:
    """The verdicts of further checks in these slices: a digit each, in the order of `further`."""
    names = sorted({name for _, name in past.checks if is_further(name)})
    verdicts = [
        [list(map(list, key)), "".join(_digit(past, key, name) for name in names)]
        for key in sorted(keys, key=repr)
    ]
    return {"further": names, "verdicts": verdicts}


def _digit(past: PastAudit, key: SliceKey, name: str) -> str:
    entry = past.checks.get((key, name))
    return _UNKNOWN if entry is None else str(WORST_FIRST.index(entry.verdict))


def read_verdicts(content: Mapping[str, Any]) -> dict[tuple[SliceKey, str], Past]:
    """The same read back; a report from before there were further checks has none.

    Raises ValueError, KeyError, TypeError or IndexError where it was not written so.
    """
    return {
        (tuple((name, value) for name, value in key), check): _verdict_only(WORST_FIRST[int(digit)])
        for key, text in content.get("verdicts", ())
        for check, digit in zip(content["further"], text, strict=True)
        if digit != _UNKNOWN
    }
