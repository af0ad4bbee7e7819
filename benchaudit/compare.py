"""Two revisions compared: what changed, why, and what of it is worth a notification. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchaudit.changes import Change, change_of
from benchaudit.checks import group_of, is_further
from benchaudit.material import Material, of_existence, of_layout, of_rows, of_verdict
from benchaudit.models import SliceKey, Snapshot
from benchaudit.moves import Pairs
from benchaudit.past import PastAudit
from benchaudit.verdict import Audit

_RECOUNTED = frozenset({1, -1})
"""How far gold moves where places are counted from 1 instead of 0, or the other way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything that changed from one revision to the next; `material` is what people should hear of.

    `pairs` is None where the old rows could not be had.
    """

    old: PastAudit
    new: Audit
    changes: tuple[Change, ...]
    material: tuple[Material, ...]
    notes: tuple[str, ...] = ()
    pairs: Pairs | None = None

    @property
    def worse(self) -> bool:
        """Whether a slice leaks that did not, or leaks severely that did not."""
        return any(
            change.new is not None
            and change.new.counts_as == "leak"
            and (
                change.old is None
                or change.old.verdict != "leak"
                or (change.new.severe and not change.old.severe)
            )
            for change in self.changes
        )

    @property
    def cleared(self) -> bool:
        """Whether there was a leak before, and there is none now, nor a slice that could hide one."""
        before = any(past.verdict == "leak" for past in self.old.checks.values())
        return before and self.new.verdict not in {"leak", "incomplete"}


def compare(old: PastAudit, new: Audit, snapshot: Snapshot, pairs: Pairs | None = None) -> Comparison:
    """Compare an audit with what is known of an earlier one; `snapshot` is what the new one read.

    Of further checks only those are compared that leak, or are incomplete, before or after. Several of
    one group say one thing, and so do all that only became incomplete or no longer are: of a slice the
    first that has news tells it, longest and shortest before all.
    """
    current = {(part.key, name): judged for part in new.slices for name, judged in part.checks.items()}
    keys = list(current) + [place for place in old.checks if place not in current]
    existence = of_existence(old, new)
    changes, material = [], [*of_layout(old, new, snapshot), *of_rows(old, new, pairs)]
    told: set[tuple[SliceKey, str]] = set()
    for place in keys:
        change = change_of(place, old.checks.get(place), current.get(place), pairs)
        if is_further(change.check) and not change.is_loud:
            continue
        if change.old is None or change.new is None:
            reasons = [existence[change.key]] if change.key in existence else []
        else:
            reasons = of_verdict(change, change.old, change.new, new.thresholds)
        aspect = (change.key, _aspect(change))
        if is_further(change.check) and aspect in told:
            reasons = []
        told |= {aspect} if reasons else set()
        material += reasons
        changes.append(replace(change, material=True) if reasons else change)
    return Comparison(
        old=old,
        new=new,
        changes=tuple(changes),
        material=tuple(_once(material)),
        notes=tuple(_notes(old, new, pairs)),
        pairs=pairs,
    )


def _aspect(change: Change) -> str:
    """What it tells of: rows that are no items, which all checks share, or what a group of them sees."""
    verdicts = {side.verdict for side in (change.old, change.new) if side is not None}
    unsure = "incomplete" in verdicts and "leak" not in verdicts
    return "incomplete" if unsure else group_of(change.check)


def _notes(old: PastAudit, new: Audit, pairs: Pairs | None) -> list[str]:
    notes = []
    if pairs is None:
        notes.append("The old rows could not be had: stored counts are compared, rows could not be paired.")
    if not old.complete:
        notes.append("Not every slice of the old revision was stored: of the others no change is shown.")
    if pairs and pairs.shift in _RECOUNTED:
        notes.append(
            f"Gold moved by {pairs.shift:+d} in every item whose gold changed and options did not: it was "
            "likely encoded anew (counted from 0 before, from 1 now, or the other way)."
        )
    if pairs and pairs.rows.get("added") and not (new.mapping.question or new.mapping.id):
        notes.append("No question and no id is known: rows are paired by equal content only.")
    if pairs and pairs.reasons:
        reasons = ", ".join(f"{rows:,} {reason}" for reason, rows in pairs.reasons.items())
        notes.append(f"Items that became no items, counted as removed: {reasons}.")
    if old.encoding != new.mapping.gold_encoding:
        notes.append(f"Gold was encoded as {old.encoding}, and is as {new.mapping.gold_encoding} now.")
    return notes


def _once(material: Sequence[Material]) -> list[Material]:
    """A slice that came or went is one piece of news, not one for each check."""
    return list(dict.fromkeys(material))
