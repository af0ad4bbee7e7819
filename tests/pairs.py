"""Revisions made of rows, counted twice: by the package, and here in plain Python.

Rows enter where the mapping leaves off, as an items relation, so that these tests hold for whatever
file the rows came from.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
from hypothesis import strategies as st

from benchaudit.audit import Audited
from benchaudit.checks import all_checks
from benchaudit.compare import Comparison, compare
from benchaudit.items import scan_sql
from benchaudit.models import (
    ALL,
    ColumnMapping,
    LeftOut,
    Origin,
    Revision,
    SliceKey,
    Snapshot,
    Thresholds,
    is_defect,
)
from benchaudit.moves import PARTS, Pairs
from benchaudit.pairing import pair_audits
from benchaudit.past import past_of
from benchaudit.tally import Counted, Tally
from benchaudit.verdict import Audit, judge

CHECKS = {"longest": max, "shortest": min}
"""What each check looks for in the lengths of the options, said once more."""

COLUMNS = ("kind", "topic")
SLICINGS: tuple[tuple[str, ...], ...] = (("topic",), ("kind", "topic"))


class Row(NamedTuple):
    """One row: an item, or the reason why it is none. `slices` are its kind and its topic."""

    question: str = ""
    options: tuple[str, ...] = ()
    gold: int | None = None
    id: str | None = None
    kind: str | None = "k"
    topic: str | None = "t"
    left_out: str | None = None

    @property
    def content(self) -> tuple[object, ...]:
        """What makes two items the same: question, multiset of option texts, gold text."""
        assert self.gold is not None
        return " ".join(self.question.split()), tuple(sorted(self.options)), self.options[self.gold]

    def key(self, slicing: Sequence[str]) -> SliceKey:
        """The slice that the row is in."""
        return tuple((name, getattr(self, name)) for name in slicing)

    def tied(self, check: str) -> list[int]:
        """Positions of the options at the extremum."""
        lengths = [len(option) for option in self.options]
        return [place for place, length in enumerate(lengths) if length == CHECKS[check](lengths)]

    def hit(self, check: str) -> bool:
        """Whether gold is among the options at the extremum."""
        return self.gold in self.tied(check)

    def credit(self, check: str) -> Fraction:
        """What picking scores on this item."""
        return Fraction(int(self.hit(check)), len(self.tied(check)))


def item(text: str, question: str = "q", **names: Any) -> Row:
    """An item in one line: `"*aaaa | bb | c"`, the starred option is gold."""
    options = text.split(" | ")
    gold = next(place for place, option in enumerate(options) if option.startswith("*"))
    return Row(question, tuple(option.lstrip("*") for option in options), gold, **names)


def no_item(reason: str, question: str = "q", **names: Any) -> Row:
    """A row that is left out."""
    return Row(question, left_out=reason, **names)


# --- the package's way ---


@contextmanager
def workplace() -> Iterator[Path]:
    """A directory for one example of a property test."""
    with TemporaryDirectory() as work:
        yield Path(work).resolve()


_numbers = count()
_connection = cache(duckdb.connect)


def audited(
    rows: Sequence[Row],
    work: Path,
    slicings: tuple[tuple[str, ...], ...] = SLICINGS,
    files: Sequence[int] = (),
    thresholds: Thresholds | None = None,
    mapping: ColumnMapping | None = None,
) -> Audited:
    """An audit of these rows, with its narrow rows written; `files` are the rows in each of several files."""
    path = work / f"rows-{next(_numbers)}.parquet"
    columns = sorted({column for slicing in slicings for column in slicing})
    connection = _connection()
    connection.register("items_table", relation(rows, columns, files))
    scan = scan_sql("SELECT * FROM items_table", all_checks())
    connection.execute(f"COPY ({scan}) TO '{path}' (FORMAT parquet)")
    return Audited(audit=audit_of(rows, slicings, thresholds, mapping), rows_file=path, slicings=slicings)


def relation(rows: Sequence[Row], columns: Sequence[str] = (), files: Sequence[int] = ()) -> pa.Table:
    """The items relation of these rows, as the mapping hands it over; `files` are the rows in each file."""
    places = [(file, row + 1) for file, size in enumerate(files or [len(rows)]) for row in range(size)]
    assert len(places) == len(rows)
    texts = pa.list_(pa.string())
    return pa.table(
        {
            "file": pa.array([file for file, _ in places], pa.int32()),
            "row": pa.array([row for _, row in places], pa.int64()),
            "place": pa.array([f"{file}:{row}" for file, row in places], pa.string()),
            "id": pa.array([row.id for row in rows], pa.string()),
            "question": pa.array([row.question for row in rows], pa.string()),
            "options": pa.array([row.options for row in rows], texts),
            "gold": pa.array([row.gold for row in rows], pa.int32()),
            "left_out": pa.array([row.left_out for row in rows], pa.string()),
            "marks": pa.array([() for _ in rows], texts),
            "slices": pa.array([[getattr(row, column) for column in columns] for row in rows], texts),
        }
    )


def audit_of(
    rows: Sequence[Row],
    slicings: tuple[tuple[str, ...], ...] = SLICINGS,
    thresholds: Thresholds | None = None,
    mapping: ColumnMapping | None = None,
) -> Audit:
    """The audit of these rows, counted here and judged by the package."""
    thresholds = thresholds or Thresholds()
    slices: dict[SliceKey, list[Row]] = {ALL: list(rows)}
    for slicing in slicings:
        for row in rows:
            slices.setdefault(row.key(slicing), []).append(row)
    reasons = Counter(row.left_out for row in rows if row.left_out)
    return Audit(
        origin=Origin(dataset="owner/name", revision=Revision(sha="0" * 40), blobs=()),
        mapping=mapping or ColumnMapping(gold_encoding="letter"),
        thresholds=thresholds,
        check_versions=dict.fromkeys(CHECKS, 1),
        rows=len(rows),
        left_out={reason: LeftOut(rows=n, defective=is_defect(reason)) for reason, n in reasons.items()},
        slices=judge([_counted(key, part) for key, part in slices.items()], all_checks(), thresholds),
    )


def _counted(key: SliceKey, rows: Sequence[Row]) -> Counted:
    items = [row for row in rows if row.gold is not None]
    return Counted(
        key=key,
        left_out=Counter(row.left_out for row in rows if row.left_out),
        gold_position=Counter(row.gold for row in items if row.gold is not None),
        tallies={check: tally_of(items, check) for check in CHECKS},
    )


def tally_of(items: Iterable[Row], check: str) -> Tally:
    """Count one item after the other."""
    return Tally.of((len(row.options), len(row.tied(check)), 1, row.hit(check)) for row in items)


def snapshot(sha: str = "0") -> Snapshot:
    """A revision of which only the name matters."""
    return Snapshot(revision=Revision(sha=sha * 40), blobs=())


@dataclass(frozen=True)
class Both:
    """Two revisions paired and compared."""

    pairs: Pairs
    comparison: Comparison


def compared(old: Sequence[Row], new: Sequence[Row], **given: Any) -> Both:
    """Pair and compare two revisions made of rows."""
    with workplace() as work:
        before, after = audited(old, work, **given), audited(new, work, **given)
        pairs = pair_audits(before, after, work)
        past = past_of(before.audit, snapshot("a"))
        return Both(pairs, compare(past, after.audit, snapshot("b"), pairs))


_CHANGES = (
    *("added", "removed", "options_edited", "gold_changed", "gold_rekeyed"),
    *("moved_slice", "became_left_out", "became_usable"),
)


def moved(pairs: Pairs, **expected: int) -> bool:
    """Whether these classes hold so many rows, and all others but the paired none."""
    return {name: pairs.rows[name] for name in _CHANGES} == dict.fromkeys(_CHANGES, 0) | expected


# --- the same in plain Python ---

Partners = list[tuple[Row | None, Row | None]]


def partners(old: Sequence[Row], new: Sequence[Row]) -> Partners:
    """Who is whose partner: by content, then by id, then by question; None for one who has none."""
    left, right = dict(enumerate(old)), dict(enumerate(new))
    found: list[tuple[int, int]] = []

    def pair(key: Callable[[Row], Any], *, alone: bool = False) -> None:
        """Pair what is left by equal keys that are not None: repeats in row order, or only what has none."""
        groups: dict[Any, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, rows in enumerate((left, right)):
            for number, row in rows.items():
                groups[key(row)][side].append(number)
        unique = [{key for key, n in Counter(map(key, rows)).items() if n == 1} for rows in (old, new)]
        for value, (ours, theirs) in groups.items():
            if value is None or (alone and not all(value in values for values in unique)):
                continue
            for a, b in zip(ours, theirs, strict=False):
                found.append((a, b))
                del left[a], right[b]

    def content(row: Row, *more: object) -> tuple[object, ...] | None:
        return None if row.left_out else (row.content, *more)

    def broken(row: Row, *more: object) -> tuple[object, ...] | None:
        return (" ".join(row.question.split()), row.left_out, *more) if row.left_out else None

    pair(lambda row: content(row, row.kind, row.topic, row.id or None))
    pair(lambda row: content(row, row.kind, row.topic))
    pair(content)
    pair(lambda row: row.id or None, alone=True)
    pair(lambda row: " ".join(row.question.split()) or None, alone=True)
    pair(lambda row: broken(row, row.kind, row.topic, row.id or None))
    pair(broken)
    return [
        *((old[a], new[b]) for a, b in sorted(found)),
        *((row, None) for row in left.values()),
        *((None, row) for row in right.values()),
    ]


class Way(NamedTuple):
    """How the rate of one slice and check got from the old value to the new; tallies and flips beside it."""

    steps: dict[str, Fraction]
    parts: dict[str, Tally]
    lost: int
    gained: int


def ways(pairs: Partners, slicings: Sequence[Sequence[str]] = SLICINGS) -> dict[tuple[SliceKey, str], Way]:
    """Every slice and check that either revision has items in."""
    found = {}
    for slicing in ((), *slicings):
        rows = [row for pair in pairs for row in pair if row is not None and not row.left_out]
        for key in {row.key(slicing) for row in rows}:
            for check in CHECKS:
                found[key, check] = _way(pairs, slicing, key, check)
    return found


def _way(pairs: Partners, slicing: Sequence[str], key: SliceKey, check: str) -> Way:
    parts: dict[str, list[Row]] = defaultdict(list)
    lost = gained = 0
    for before, after in pairs:
        old = before if before and not before.left_out else None
        new = after if after and not after.left_out else None
        was, is_ = (row is not None and row.key(slicing) == key for row in (old, new))
        if was and is_:
            parts["stayed_old"].append(old)
            parts["stayed_new"].append(new)
            lost += old.hit(check) and not new.hit(check)
            gained += new.hit(check) and not old.hit(check)
        elif was:
            parts["moved_out" if new else "removed"].append(old)
        elif is_:
            parts["moved_in" if old else "added"].append(new)
    return Way(_steps(parts, check), {name: tally_of(parts[name], check) for name in PARTS}, lost, gained)


def _steps(parts: dict[str, list[Row]], check: str) -> dict[str, Fraction]:
    def rate(*names: str) -> Fraction:
        rows = [row for name in names for row in parts[name]]
        return sum((row.credit(check) for row in rows), Fraction()) / len(rows)

    old, new = ("removed", "moved_out", "stayed_old"), ("stayed_new", "moved_in", "added")
    if not (any(parts[name] for name in old) and any(parts[name] for name in new)):
        return {}
    if not parts["stayed_old"]:
        return {"replaced": rate(*new) - rate(*old)}
    return {
        "removed": rate("moved_out", "stayed_old") - rate(*old),
        "moved_out": rate("stayed_old") - rate("moved_out", "stayed_old"),
        "edited": rate("stayed_new") - rate("stayed_old"),
        "moved_in": rate("stayed_new", "moved_in") - rate("stayed_new"),
        "added": rate(*new) - rate("stayed_new", "moved_in"),
    }


# --- random revisions, from words so few that everything collides ---

_options = st.lists(st.sampled_from(["a", "b", "bb", "cc", "ccc"]), min_size=2, max_size=3).map(tuple)
_names = {
    "question": st.sampled_from(["", "p", "q", "q r", "q\n  r "]),
    "id": st.sampled_from([None, "", "1", "2", "3", "4"]),
    "kind": st.sampled_from(["k", "l"]),
    "topic": st.sampled_from([None, "t", "u"]),
}
_items = st.fixed_dictionaries(_names | {"options": _options}).flatmap(
    lambda names: st.integers(0, len(names["options"]) - 1).map(lambda gold: Row(**names, gold=gold))
)
_broken = st.fixed_dictionaries(_names | {"left_out": st.sampled_from(["unlabelled", "gold-ambiguous"])}).map(
    lambda names: Row(**names)
)
some_rows = st.lists(st.one_of(_items, _items, _items, _broken), min_size=1, max_size=16)
_edits: dict[str, st.SearchStrategy[dict[str, object]]] = {
    "keep": st.just({}),
    "options": _options.map(lambda options: {"options": options, "gold": 0, "left_out": None}),
    "id": st.fixed_dictionaries({"id": _names["id"]}),
    "topic": st.fixed_dictionaries({"topic": _names["topic"]}),
    "break": st.just({"options": (), "gold": None, "left_out": "gold-ambiguous"}),
}


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """A revision and what a maintainer made of it: rows edited, dropped, added and shuffled."""
    old = draw(some_rows)
    edits = [draw(_edits[draw(st.sampled_from(["keep", "keep", *_edits]))]) for _ in old]
    new = [row._replace(**edit) for row, edit in zip(old, edits, strict=True)]
    new = new[draw(st.integers(0, 2)) :] + draw(st.lists(_items, max_size=3))
    return old, draw(st.permutations(new))
