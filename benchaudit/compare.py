"""Two revisions compared: what changed, why, and what of it is worth a notification. Pure.

The change of a slice's credit is split into steps, each the difference of two rates, so that they
add up exactly to the whole (`docs/statistics.md`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from benchaudit.checks import group_of, is_further
from benchaudit.models import ColumnMapping, SliceKey, Snapshot, Thresholds
from benchaudit.moves import Moves, Pairs
from benchaudit.null import mcnemar_exact
from benchaudit.tally import Direction, Tally
from benchaudit.verdict import Audit, Judged, Name

STEPS = ("removed", "moved_out", "edited", "moved_in", "added")

_QUIET = frozenset({"slight", "none-found", "too-few"})
"""Verdicts between which a change is no news."""

_LOUD = frozenset({"leak", "incomplete"})

_RECOUNTED = frozenset({1, -1})
"""How far gold moves where places are counted from 1 instead of 0, or the other way."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A slice and check, before and after.

    `steps` are differences of rates, by name, where rows could be paired; their sum is the change of
    the credit's rate.
    """

    key: SliceKey
    check: str
    old: Past | None
    new: Judged | None
    steps: Mapping[str, Fraction] = field(default_factory=dict)
    moves: Moves | None = None
    material: bool = False

    @property
    def moved(self) -> Fraction | None:
        """The change of the credit's rate; None where one of the two has no rate."""
        if self.old is None or self.new is None or not (self.old.tally.n and self.new.tally.n):
            return None
        return rate(self.new.tally) - rate(self.old.tally)

    @property
    def is_loud(self) -> bool:
        """Whether there is, or was, a leak here or what could hide one."""
        return any(side is not None and side.verdict in _LOUD for side in (self.old, self.new))

    @property
    def mcnemar_p(self) -> float | None:
        """McNemar's exact p on the flips of *among*, for information."""
        return None if self.moves is None else mcnemar_exact(self.moves.lost, self.moves.gained)


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """One reason for a notification."""

    kind: str
    text: str
    key: SliceKey | None = None
    check: str = ""


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


def rate(tally: Tally) -> Fraction:
    """The accuracy of *pick*. ZeroDivisionError for an empty tally, which has no rate."""
    return tally.credit / tally.n


def past_of(audit: Audit, snapshot: Snapshot) -> PastAudit:
    """An audit as the past of a later one."""
    return PastAudit(
        snapshot=snapshot,
        rows=audit.rows,
        defects=defects(audit),
        encoding=audit.mapping.gold_encoding,
        slicings=_slicings(audit),
        columns=_columns(audit.mapping),
        checks={
            (part.key, name): Past(
                tally=judged.tally,
                verdict=judged.counts_as,
                severe=judged.counts_severe,
                # Of a further check that found nothing nobody asks, and the figures of thousands cost time.
                direction=judged.direction if judged.verdict in _LOUD or not is_further(name) else "pick",
            )
            for part in audit.slices
            for name, judged in part.checks.items()
        },
    )


def defects(audit: Audit) -> int:
    """Rows of a revision that count against every claim."""
    return sum(left.rows for left in audit.left_out.values() if left.defective)


def _slicings(audit: Audit) -> frozenset[tuple[str, ...]]:
    """How an audit was cut into slices, ALL among them."""
    return frozenset(tuple(name for name, _ in part.key) for part in audit.slices)


def _columns(mapping: ColumnMapping) -> frozenset[str]:
    """The columns that made the items."""
    single = (mapping.gold, mapping.gold_fallback, mapping.id)
    return frozenset({*mapping.question, *mapping.options, *mapping.distractors, *single} - {""})


def compare(old: PastAudit, new: Audit, snapshot: Snapshot, pairs: Pairs | None = None) -> Comparison:
    """Compare an audit with what is known of an earlier one; `snapshot` is what the new one read.

    Of further checks only those are compared that leak, or are incomplete, before or after. Several of
    one group say one thing, and so do all that only became incomplete or no longer are: of a slice the
    first that has news tells it, longest and shortest before all.
    """
    current = {(part.key, name): judged for part in new.slices for name, judged in part.checks.items()}
    keys = list(current) + [place for place in old.checks if place not in current]
    existence = _of_existence(old, new)
    changes, material = [], [*_of_layout(old, new, snapshot), *_of_rows(old, new, pairs)]
    told: set[tuple[SliceKey, str]] = set()
    for place in keys:
        change = _change(place, old.checks.get(place), current.get(place), pairs)
        if is_further(change.check) and not change.is_loud:
            continue
        if change.old is None or change.new is None:
            reasons = [existence[change.key]] if change.key in existence else []
        else:
            reasons = _of_verdict(change, change.old, change.new, new.thresholds)
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


def _change(place: tuple[SliceKey, str], old: Past | None, new: Judged | None, pairs: Pairs | None) -> Change:
    moves = pairs.moves.get(place) if pairs else None
    key, check = place
    steps = _steps(moves.parts) if moves and old and new else {}
    return Change(key=key, check=check, old=old, new=new, steps=steps, moves=moves)


def _steps(parts: Mapping[str, Tally]) -> dict[str, Fraction]:
    """The steps from the old rate to the new; one step, `replaced`, where no item stayed."""
    stayed_old, stayed_new = parts["stayed_old"], parts["stayed_new"]
    old = parts["removed"] + parts["moved_out"] + stayed_old
    new = stayed_new + parts["moved_in"] + parts["added"]
    if not (old.n and new.n):
        return {}
    if not stayed_old.n:
        return {"replaced": rate(new) - rate(old)}
    way = [
        old,
        parts["moved_out"] + stayed_old,
        stayed_old,
        stayed_new,
        stayed_new + parts["moved_in"],
        new,
    ]
    return {
        name: rate(after) - rate(before) for name, before, after in zip(STEPS, way, way[1:], strict=False)
    }


def _of_verdict(change: Change, before: Past, after: Judged, thresholds: Thresholds) -> list[Material]:
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


def _of_existence(old: PastAudit, new: Audit) -> dict[SliceKey, Material]:
    """Slices that appeared or vanished, where both revisions were cut that way.

    Of an old slice that is not known it cannot be said that it was not there.
    """
    before: dict[SliceKey, int] = {}
    for (key, _), past in old.checks.items():
        before[key] = max(past.tally.n, before.get(key, 0))
    now = {part.key: part.n for part in new.slices}
    cut = _slicings(new) & old.slicings
    ways = [(before, now, "vanished", "the slice is gone")]
    if old.complete:
        ways.append((now, before, "appeared", "the slice is new"))
    return {
        key: Material(kind=kind, text=text, key=key)
        for here, there, kind, text in ways
        for key, n in here.items()
        if key not in there and n >= new.thresholds.min_rows and tuple(name for name, _ in key) in cut
    }


def _of_layout(old: PastAudit, new: Audit, snapshot: Snapshot) -> list[Material]:
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
    now = _columns(new.mapping)
    before = now if old.columns is None else old.columns
    cut = sorted("*".join(slicing) for slicing in _slicings(new) - old.slicings)
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


def _of_rows(old: PastAudit, new: Audit, pairs: Pairs | None) -> list[Material]:
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


def _said(verdict: str, severe: bool) -> str:
    return f"severe {verdict}" if severe else verdict
