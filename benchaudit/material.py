"""What of a comparison is worth a notification (`docs/statistics.md`); all else is told in silence. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from benchaudit.changes import Change
from benchaudit.models import SliceKey, Snapshot, Thresholds
from benchaudit.moves import Pairs
from benchaudit.past import Past, PastAudit, columns_used, defects, slicings_of
from benchaudit.verdict import Audit, Judged

_QUIET = frozenset({"slight", "none-found", "too-few"})
"""Verdicts between which a change is no news."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """One reason for a notification."""

    kind: str
    text: str
    key: SliceKey | None = None
    check: str = ""


def of_verdict(change: Change, before: Past, after: Judged, thresholds: Thresholds) -> list[Material]:
    """What of a slice and check that both revisions have is worth a notification."""
    found = []
    verdict = after.counts_as
    if before.verdict != verdict and not _QUIET.issuperset((before.verdict, verdict)):
        words = f"{_said(before.verdict, before.severe)} → {_said(verdict, after.counts_severe)}"
        exceeds = ", more than was accepted" if verdict == "leak" and after.acceptance else ""
        found.append(("verdict", words + exceeds))
    elif before.verdict == verdict == "leak":
        if before.severe != after.severe:
            found.append(("severity", f"{_said('leak', before.severe)} → {_said('leak', after.severe)}"))
        if before.direction != after.direction:
            found.append(("direction", f"best rule: {before.direction} → {after.direction}"))
    if "leak" in (before.verdict, verdict) and _far(change.moved, thresholds):
        found.append(("rate", "the rate moved"))
    return [Material(kind=kind, text=text, key=change.key, check=change.check) for kind, text in found]


def _far(moved: Fraction | None, thresholds: Thresholds) -> bool:
    """Whether a rate moved by what was set: the exact decimal, not the float nearest it. No move is none."""
    return moved is not None and moved != 0 and abs(moved) * 100 >= Fraction(str(thresholds.min_change))


def of_existence(old: PastAudit, new: Audit) -> dict[SliceKey, Material]:
    """Slices that appeared or vanished, where both revisions were cut that way.

    Of an old slice that is not known it cannot be said that it was not there.
    """
    before: dict[SliceKey, int] = {}
    for (key, _), past in old.checks.items():
        before[key] = max(past.tally.n, before.get(key, 0))
    now = {part.key: part.n for part in new.slices}
    cut = slicings_of(new) & old.slicings
    ways = [(before, now, "vanished", "the slice is gone")]
    if old.complete:
        ways.append((now, before, "appeared", "the slice is new"))
    return {
        key: Material(kind=kind, text=text, key=key)
        for here, there, kind, text in ways
        for key, n in here.items()
        if key not in there and n >= new.thresholds.min_rows and tuple(name for name, _ in key) in cut
    }


def of_layout(old: PastAudit, new: Audit, snapshot: Snapshot) -> list[Material]:
    """Files, splits and columns that the audit uses and that appeared, vanished or moved."""
    before, after = ({blob.path for blob in side.blobs} for side in (old.snapshot, snapshot))
    found = [Material(kind="file", text=f"new file {path}") for path in sorted(after - before)]
    found += [Material(kind="file", text=f"file gone: {path}") for path in sorted(before - after)]
    gone, come = (
        sorted(set(one.layout) - set(other.layout))
        for one, other in ((old.snapshot, snapshot), (snapshot, old.snapshot))
    )
    if gone or come:
        was, is_ = ("; ".join(lines) or "nothing" for lines in (gone, come))
        found.append(Material(kind="layout", text=f"the card said {was} and now says {is_}"))
    return found + _of_columns(old, new)


def _of_columns(old: PastAudit, new: Audit) -> list[Material]:
    """Columns that made the items or cut the slices, and no longer do, or do now."""
    now = columns_used(new.mapping)
    before = now if old.columns is None else old.columns
    cut = sorted("*".join(slicing) for slicing in slicings_of(new) - old.slicings)
    return [
        *(Material(kind="column", text=f"column gone: {name}") for name in sorted(before - now)),
        *(Material(kind="column", text=f"new column {name}") for name in sorted(now - before)),
        *(
            Material(kind="not-run", text=f"column gone: not sliced by {name}")
            for name in new.not_run
            if tuple(name.split("*")) in old.slicings
        ),
        *(Material(kind="column", text=f"new column: sliced by {name}") for name in cut),
    ]


def of_rows(old: PastAudit, new: Audit, pairs: Pairs | None) -> list[Material]:
    """Many rows that became defective, or whose gold changed."""
    found = []
    became = pairs.became_defective if pairs else defects(new) - old.defects
    if _many(became, new):
        found.append(Material(kind="defects", text=f"{became:,} more rows are defective"))
    changed = pairs.rows["gold_changed"] if pairs else 0
    if pairs and _many(changed, new):
        found.append(Material(kind="gold", text=_of_gold(changed, pairs.rows.get("gold_rekeyed", 0))))
    return found


def _of_gold(changed: int, rekeyed: int) -> str:
    """How gold changed: another of the same options is gold now, or options were edited too."""
    edited = changed - rekeyed
    if not edited:
        return f"gold is another of the same options in {changed:,} rows (re-keyed)"
    if not rekeyed:
        return f"the text of gold changed in {changed:,} rows whose options were edited; none was re-keyed"
    return (
        f"gold changed in {changed:,} rows: another of the same options in {rekeyed:,} (re-keyed), with "
        f"options edited in {edited:,}"
    )


def _many(rows: int, audit: Audit) -> bool:
    return rows > 0 and (rows >= audit.thresholds.min_rows or rows * 100 >= audit.rows)


def _said(verdict: str, severe: bool) -> str:
    return f"severe {verdict}" if severe else verdict
