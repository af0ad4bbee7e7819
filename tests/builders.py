"""Revisions in memory: an item is one line, `"*aaaa | bb | c"`, and the starred option is gold.

old = release({"maths": ["*aaaa | bb | c | d"] * 30})
new = release({"maths": ["*a | bb | ccc | dddd"] * 30}, sha=NEW)
report = reported(old, new)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchaudit.baseline import baseline
from benchaudit.checks import EXTREMA, all_checks
from benchaudit.compare import Comparison, compare
from benchaudit.headlines import headline
from benchaudit.models import (
    ALL,
    Blob,
    ColumnMapping,
    Finding,
    LeftOut,
    Origin,
    Revision,
    SliceKey,
    Snapshot,
    Thresholds,
)
from benchaudit.moves import PARTS, Moves, Pairs
from benchaudit.past import past_of
from benchaudit.report.issue import build
from benchaudit.report.nouns import Links, Occasion, Report
from benchaudit.report.templates import Templates
from benchaudit.tally import Cell, Counted, Tally
from benchaudit.verdict import Audit, judge

OLD, NEW = "0123abc" + "0" * 33, "4567def" + "1" * 33
LONGEST = "*aaaa | bbb | cc | d"
SHORTEST = "*a | bb | ccc | dddd"
BETWEEN = "*bb | a | ccc | dddd"
FAIR = [LONGEST, BETWEEN, SHORTEST, BETWEEN]
"""Four items of which one has the longest gold and one the shortest, as by chance."""

Items = Mapping[SliceKey, Sequence[str]]


def cell(item: str, check: str) -> Cell:
    """The cell of a tally into which an item falls."""
    options = [option.strip() for option in item.split("|")]
    lengths = [len(option.removeprefix("*")) for option in options]
    gold = next(place for place, option in enumerate(options) if option.startswith("*"))
    extreme = max(lengths) if check == "longest" else min(lengths)
    return len(options), lengths.count(extreme), 1, int(lengths[gold] == extreme)


def tallied(items: Sequence[str]) -> dict[str, Tally]:
    """The tally of these items for every check."""
    return {check.name: Tally.of([cell(item, check.name) for item in items]) for check in EXTREMA}


def position(item: str) -> int:
    """At which place gold stands, from 0."""
    return item[: item.index("*")].count("|")


def halved(items: Sequence[str]) -> tuple[dict[str, Tally], dict[str, Tally]]:
    """The tallies of two halves: four items go to the one, the next four to the other."""
    one, other = ([item for place, item in enumerate(items) if place // 4 % 2 == half] for half in (0, 1))
    return tallied(one), tallied(other)


def counted(key: SliceKey, items: Sequence[str], left_out: Mapping[str, int] | None = None) -> Counted:
    """One slice before judgement."""
    return Counted(
        key=key,
        left_out=left_out or {},
        gold_position=dict(sorted(Counter(map(position, items)).items())),
        tallies=tallied(items),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One revision: its audit, what it read, and its items by slice, ALL left out."""

    audit: Audit
    snapshot: Snapshot
    items: Items


def release(
    slices: Mapping[str | None, Sequence[str]],
    *,
    column: str = "topic",
    sha: str = OLD,
    dataset: str = "owner/name",
    path: str = "data/test.csv",
    title: str = "Upload",
    committed_at: str = "2026-03-01T12:00:00Z",
    layout: tuple[str, ...] = (),
    left_out: Mapping[str, LeftOut] | None = None,
    findings: Sequence[Finding] = (),
    notes: Sequence[str] = (),
    not_run: Sequence[str] = (),
    mapping: ColumnMapping | None = None,
    thresholds: Thresholds | None = None,
) -> Release:
    """Audit a revision whose items are sliced by one column; `slices` has them by its values."""
    thresholds, left_out = thresholds or Thresholds(), dict(left_out or {})
    items: dict[SliceKey, Sequence[str]] = {((column, value),): lines for value, lines in slices.items()}
    every = [item for lines in slices.values() for item in lines]
    defective = {reason: left.rows for reason, left in left_out.items()}
    counts = [counted(ALL, every, defective), *(counted(key, lines) for key, lines in items.items())]
    halves = {part: halved(lines) for part, lines in {ALL: every, **items}.items()}
    revision = Revision(sha=sha, committed_at=committed_at, title=title)
    blobs = (Blob(path=path, id=sha[::-1], size=1_000),)
    audit = Audit(
        origin=Origin(dataset=dataset, revision=revision, blobs=blobs),
        mapping=mapping
        or ColumnMapping(question=("question",), options=("options",), gold="answer", gold_encoding="letter"),
        thresholds=thresholds,
        check_versions={check.name: check.version for check in all_checks()},
        rows=len(every) + sum(defective.values()),
        left_out=left_out,
        slices=judge(counts, all_checks(), thresholds),
        baseline=baseline(
            counts, halves, [check.name for check in all_checks()], (column,), thresholds.min_rows
        ),
        findings=tuple(findings),
        not_run=tuple(not_run),
        notes=tuple(notes),
    )
    return Release(audit=audit, snapshot=Snapshot(revision=revision, blobs=blobs, layout=layout), items=items)


def paired(old: Release, new: Release) -> Pairs:
    """Pair the items of each slice by their places; what one revision has more of was removed or added."""
    keys = list(dict.fromkeys([*old.items, *new.items]))
    parts = {key: _parts(old.items.get(key, ()), new.items.get(key, ())) for key in keys}
    whole = {name: [item for key in keys for item in parts[key][name]] for name in PARTS}
    named = {
        "paired": [name for key in keys for name, _, _ in _stayed(key, parts[key])],
        "added": [f"{key[0][1]}-new{n}" for key in keys for n in range(len(parts[key]["added"]))],
        "removed": [f"{key[0][1]}-old{n}" for key in keys for n in range(len(parts[key]["removed"]))],
        "options_edited": [name for key in keys for name, was, is_ in _stayed(key, parts[key]) if was != is_],
        "gold_changed": [
            name
            for key in keys
            for name, was, is_ in _stayed(key, parts[key])
            if position(was) != position(is_)
        ],
        **{name: [] for name in ("gold_rekeyed", "moved_slice", "became_left_out", "became_usable")},
    }
    return Pairs(
        rows={name: len(rows) for name, rows in named.items()},
        names={name: tuple(rows[:10]) for name, rows in named.items()},
        moves={
            (key, check.name): Moves(
                parts={name: tallied(items)[check.name] for name, items in split.items()}
            )
            for key, split in {ALL: whole, **parts}.items()
            for check in EXTREMA
        },
    )


def _parts(before: Sequence[str], after: Sequence[str]) -> dict[str, list[str]]:
    stayed = min(len(before), len(after))
    return {name: list[str]() for name in PARTS} | {
        "removed": list(before[stayed:]),
        "stayed_old": list(before[:stayed]),
        "stayed_new": list(after[:stayed]),
        "added": list(after[stayed:]),
    }


def _stayed(key: SliceKey, parts: Mapping[str, Sequence[str]]) -> list[tuple[str, str, str]]:
    """The name of each item that stayed, with what it was and what it is."""
    both = zip(parts["stayed_old"], parts["stayed_new"], strict=True)
    return [(f"{key[0][1]}-{number}", was, is_) for number, (was, is_) in enumerate(both)]


def compared(old: Release, new: Release, pairs: Pairs | None) -> Comparison:
    """Compare two revisions."""
    return compare(past_of(old.audit, old.snapshot), new.audit, new.snapshot, pairs)


def reported(
    old: Release | None,
    new: Release,
    *,
    templates: Templates | None = None,
    comparison: Comparison | None = None,
    **more: Any,
) -> Report:
    """The report on a revision, compared with an earlier one; `more` are fields of the `Occasion`."""
    if comparison is None and old is not None:
        comparison = compared(old, new, paired(old, new))
    occasion = {
        "snapshot": new.snapshot,
        "seen": new.snapshot.revision.sha,
        "settings": "0123456789ab",
        "links": Links(),
        "slicings": tuple({tuple(name for name, _ in key): None for key in new.items}),
        "history": (headline(old.audit),) if old else (),
    }
    return build(new.audit, comparison, Occasion(**(occasion | more)), templates or Templates())
