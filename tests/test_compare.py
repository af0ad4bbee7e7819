"""Two revisions compared: steps that add up, news that matter, and silence about the rest."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchaudit.audit import Audited, audit_snapshot
from benchaudit.changes import STEPS, rate
from benchaudit.compare import Comparison, compare
from benchaudit.models import (
    ALL,
    Blob,
    ColumnMapping,
    LeftOut,
    Origin,
    Revision,
    SliceKey,
    Snapshot,
    Thresholds,
)
from benchaudit.moves import PARTS, Moves, Pairs
from benchaudit.pairing import pair_audits
from benchaudit.past import Past, PastAudit, past_of
from benchaudit.report.document import audit_document, comparison_document
from benchaudit.settings import settle
from benchaudit.sources.file import FileSource
from benchaudit.tally import Cell, Tally
from benchaudit.verdict import Audit, Judged, Name, SliceAudit
from tests.pairs import (
    CHECKS,
    Row,
    audit_of,
    compared,
    edited,
    item,
    moved,
    no_item,
    partners,
    snapshot,
    ways,
)

TOPIC: SliceKey = (("topic", "t"),)

# --- steps ---

_cells = st.tuples(st.integers(2, 5), st.integers(1, 5), st.integers(1, 9), st.integers(0, 9)).map(
    lambda cell: (cell[0], min(cell[0], cell[1]), cell[2], min(cell[2], cell[3]))
)
_tallies = st.lists(_cells, max_size=3).map(Tally.of)


@st.composite
def some_moves(draw: st.DrawFn) -> Moves:
    """Parts of a slice, of which some are empty; as many items stayed in the new version as in the old."""
    parts = {name: draw(_tallies) for name in PARTS}
    stayed = [(k, t, n, draw(st.integers(0, n))) for k, t, n, _ in parts["stayed_old"].cells]
    return Moves(parts=parts | {"stayed_new": Tally.of(stayed)})


def swapped(moves: Moves) -> Moves:
    """The same, had the new revision been the old one."""
    other = {"removed": "added", "moved_out": "moved_in", "stayed_old": "stayed_new"}
    other |= {new: old for old, new in other.items()}
    return Moves(
        parts={other[name]: part for name, part in moves.parts.items()}, lost=moves.gained, gained=moves.lost
    )


def old_of(moves: Moves) -> Tally:
    """The slice before."""
    return moves.parts["removed"] + moves.parts["moved_out"] + moves.parts["stayed_old"]


def new_of(moves: Moves) -> Tally:
    """The slice after."""
    return moves.parts["stayed_new"] + moves.parts["moved_in"] + moves.parts["added"]


def one_change(moves: Moves):
    """The change of ALL under one check."""
    pairs = Pairs(rows={"gold_changed": 0}, names={}, moves={(ALL, "longest"): moves})
    (change,) = comparison({ALL: side(old_of(moves))}, {ALL: side(new_of(moves))}, pairs=pairs).changes
    return change


@given(some_moves())
def test_steps_add_up_to_the_change(moves):
    """Exactly, whichever parts are empty; where a rate is missing there is neither a change nor a step."""
    change = one_change(moves)
    if not (old_of(moves).n and new_of(moves).n):
        assert (change.moved, change.steps) == (None, {})
        return
    assert change.moved == rate(new_of(moves)) - rate(old_of(moves)) == sum(change.steps.values())
    assert tuple(change.steps) == (STEPS if moves.parts["stayed_old"].n else ("replaced",))


@given(some_moves())
def test_the_edited_step_is_what_happened_to_those_that_stayed(moves):
    """The sum of their credit differences, over their number; the others are what their names say."""
    change = one_change(moves)
    stayed = moves.parts["stayed_old"].n
    if "edited" in change.steps:
        gained = moves.parts["stayed_new"].credit - moves.parts["stayed_old"].credit
        assert change.steps["edited"] == gained / stayed
        for step in ("removed", "moved_out", "moved_in", "added"):
            assert moves.parts[step].n or change.steps[step] == 0


@given(some_moves())
def test_swapping_old_and_new_negates(moves):
    """Removed becomes added, moved in becomes moved out, and every step its opposite."""
    there, back = one_change(moves), one_change(swapped(moves))
    assert (there.moved is None) == (back.moved is None)
    if there.moved is not None:
        assert back.moved == -there.moved
    other = {"removed": "added", "added": "removed", "moved_out": "moved_in", "moved_in": "moved_out"}
    assert {other.get(name, name): -step for name, step in there.steps.items()} == dict(back.steps)
    assert there.mcnemar_p == back.mcnemar_p


def test_steps_of_a_slice_by_hand():
    """Six items, as in docs/statistics.md: one removed, one left, two stayed, one came, one was added."""
    alone, missed, tied = (4, 1, 1, 1), (4, 1, 1, 0), (4, 2, 1, 1)
    parts = {
        "removed": [alone],
        "moved_out": [alone],
        "stayed_old": [missed, tied],
        "stayed_new": [alone, tied],
        "moved_in": [missed],
        "added": [missed],
    }
    change = one_change(Moves(parts={name: Tally.of(cells) for name, cells in parts.items()}))
    assert change.moved == Fraction(-1, 4)
    assert change.steps == {
        "removed": Fraction(-1, 8),
        "moved_out": Fraction(-1, 4),
        "edited": Fraction(1, 2),
        "moved_in": Fraction(-1, 4),
        "added": Fraction(-1, 8),
    }


@settings(deadline=None, max_examples=20)
@given(edited())
def test_steps_of_rows_are_those_of_plain_python(revisions):
    """Of every slice and check that both revisions have, counted row by row."""
    old, new = revisions
    expected = ways(partners(old, new))
    for change in compared(old, new).comparison.changes:
        way = expected.get((change.key, change.check))
        both = change.old is not None and change.new is not None
        assert change.steps == (way.steps if both and way else {})
        assert change.moved == (sum(change.steps.values()) if change.steps else None)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_binomial_test_of_the_flips(lost, gained):
    """For information; 1 where nothing flipped."""
    moves = Moves(parts=dict.fromkeys(PARTS, Tally()), lost=lost, gained=gained)
    expected = stats.binomtest(lost, lost + gained).pvalue if lost + gained else 1.0
    assert one_change(moves).mcnemar_p == pytest.approx(expected)


def test_an_empty_slice_has_no_rate():
    """It is not 0 %."""
    with pytest.raises(ZeroDivisionError):
        rate(Tally())


# --- what is material ---


def side(cells: Tally | Sequence[Cell], verdict: Name = "none-found", *, severe: bool = False) -> Judged:
    """A tally with a verdict that is given, not found."""
    return Judged(
        tally=cells if isinstance(cells, Tally) else Tally.of(cells), verdict=verdict, severe=severe
    )


def audit(
    slices: Mapping[SliceKey, Judged],
    thresholds: Thresholds | None = None,
    rows: int = 1_000,
    mapping: ColumnMapping | None = None,
    not_run: tuple[str, ...] = (),
    **left_out: int,
) -> Audit:
    """An audit of one check."""
    reasons = {reason.replace("_", "-"): number for reason, number in left_out.items()}
    return Audit(
        origin=Origin(dataset="owner/name", revision=Revision(sha="b" * 40), blobs=()),
        mapping=mapping or ColumnMapping(question=("question",), gold="answer", gold_encoding="letter"),
        thresholds=thresholds or Thresholds(),
        check_versions={"longest": 1},
        rows=rows,
        left_out={
            reason: LeftOut(rows=number, defective=reason.startswith("gold"))
            for reason, number in reasons.items()
        },
        slices=tuple(
            SliceAudit(key=key, n=judged.tally.n, left_out={}, gold_position={}, checks={"longest": judged})
            for key, judged in slices.items()
        ),
        not_run=not_run,
    )


def pairs(**more: Any) -> Pairs:
    """Pairs in which nothing moved, but for what is given."""
    rows = {"gold_changed": more.pop("gold_changed", 0)}
    return Pairs(**({"rows": rows, "names": {}, "moves": {}} | more))


def comparison(
    old: Mapping[SliceKey, Judged] | Audit, new: Mapping[SliceKey, Judged] | Audit, **given: Any
) -> Comparison:
    """Two audits compared; `pairs` are none unless given, `old_snapshot` and `snapshot` what they read."""
    before, after = (side if isinstance(side, Audit) else audit(side) for side in (old, new))
    past = past_of(before, given.get("old_snapshot", snapshot("a")))
    return compare(past, after, given.get("snapshot", snapshot("b")), given.get("pairs"))


def kinds(compared: Comparison) -> list[str]:
    """The news, by kind."""
    return [news.kind for news in compared.material]


NOTHING = side([(4, 1, 100, 25)], "none-found")
SLIGHT = side([(4, 1, 100, 25)], "slight")
FEW = side([(4, 1, 10, 3)], "too-few")
INCOMPLETE = side([(4, 1, 100, 25)], "incomplete")
UNFIT = side([], "not-applicable")
LEAK = side([(4, 1, 100, 50)], "leak")
LEAK_AGAIN = side([(4, 1, 100, 50)], "leak")
SEVERE = side([(2, 1, 100, 90)], "leak", severe=True)
NOT_SEVERE = side([(2, 1, 100, 89)], "leak")
AVOID = side([(2, 1, 100, 49)], "leak")
PICK = side([(2, 1, 100, 50)], "leak")
FAR_AVOID = side([(4, 1, 100, 0)], "leak")

VERDICTS = {
    "nothing": (NOTHING, NOTHING, []),
    "slight to none found": (SLIGHT, NOTHING, []),
    "none found to slight": (NOTHING, SLIGHT, []),
    "slight to too few": (SLIGHT, FEW, []),
    "too few to slight": (FEW, SLIGHT, []),
    "none found to too few": (NOTHING, FEW, []),
    "too few to none found": (FEW, NOTHING, []),
    "none found to incomplete": (NOTHING, INCOMPLETE, ["verdict"]),
    "incomplete to none found": (INCOMPLETE, NOTHING, ["verdict"]),
    "incomplete to slight": (INCOMPLETE, SLIGHT, ["verdict"]),
    "too few to incomplete": (FEW, INCOMPLETE, ["verdict"]),
    "none found to leak, at the same rate": (side(LEAK.tally), LEAK, ["verdict"]),
    "leak to slight, at the same rate": (LEAK, side(LEAK.tally, "slight"), ["verdict"]),
    "leak to incomplete, at the same rate": (LEAK, side(LEAK.tally, "incomplete"), ["verdict"]),
    "none found to leak": (NOTHING, LEAK, ["verdict", "rate"]),
    "leak to none found": (LEAK, NOTHING, ["verdict", "rate"]),
    "leak to nothing at all": (LEAK, side([], "too-few"), ["verdict"]),
    "not applicable to none found": (UNFIT, NOTHING, ["verdict"]),
    "none found to not applicable": (NOTHING, UNFIT, ["verdict"]),
    "not applicable still": (UNFIT, UNFIT, []),
    "incomplete still": (INCOMPLETE, INCOMPLETE, []),
    "a leak as before": (LEAK, LEAK_AGAIN, []),
    "a leak that became severe": (NOT_SEVERE, SEVERE, ["severity"]),
    "a leak that is no longer severe": (SEVERE, NOT_SEVERE, ["severity"]),
    "none found to severe": (side(SEVERE.tally), SEVERE, ["verdict"]),
    "a leak that turned": (AVOID, PICK, ["direction"]),
    "a leak that turned back": (PICK, AVOID, ["direction"]),
    "a leak that turned and moved": (LEAK, FAR_AVOID, ["direction", "rate"]),
    "a severe leak that turned": (SEVERE, FAR_AVOID, ["severity", "direction", "rate"]),
    "no leak turned": (side(AVOID.tally), side(PICK.tally), []),
    "no leak moved, however far": (side([(4, 1, 100, 0)]), side([(4, 1, 100, 99)], "slight"), []),
    "incomplete moved": (INCOMPLETE, side([(4, 1, 100, 99)], "incomplete"), []),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), VERDICTS.values(), ids=VERDICTS.keys())
def test_verdicts_that_are_news(before, after, expected):
    """A verdict, a leak's severity, a leak's direction; the change itself bears the mark of it."""
    found = comparison({ALL: before}, {ALL: after})
    assert kinds(found) == expected
    assert [change.material for change in found.changes] == [bool(expected)]
    assert all((news.key, news.check) == (ALL, "longest") for news in found.material)


def test_rows_that_are_no_items_are_told_of_once_a_slice():
    """What became incomplete did so by the rows that all checks share; a leak is told of by each group."""
    checks = ("longest", "first", "digits", "quotes")

    def of(*verdicts: Judged) -> Audit:
        one = audit({ALL: verdicts[0]})
        slices = tuple(replace(part, checks=dict(zip(checks, verdicts, strict=True))) for part in one.slices)
        return replace(one, slices=slices)

    clean, broken = of(*[NOTHING] * 4), of(*[INCOMPLETE] * 4)
    for before, after in ((clean, broken), (broken, clean)):
        assert [news.check for news in comparison(before, after).material] == ["longest"]
    found = comparison(clean, of(NOTHING, INCOMPLETE, LEAK, INCOMPLETE)).material
    assert list(dict.fromkeys(news.check for news in found)) == ["first", "digits"]


def test_news_are_said_in_words():
    """What stood before, and what stands now."""
    texts = {
        "verdict": comparison({ALL: NOTHING}, {ALL: SEVERE}).material[0].text,
        "severity": comparison({ALL: SEVERE}, {ALL: NOT_SEVERE}).material[0].text,
        "direction": comparison({ALL: AVOID}, {ALL: PICK}).material[0].text,
        "rate": comparison({ALL: LEAK}, {ALL: NOTHING}).material[1].text,
        "gone": comparison({ALL: SEVERE}, {ALL: NOTHING}).material[0].text,
    }
    assert texts == {
        "verdict": "none-found → severe leak",
        "severity": "severe leak → leak",
        "direction": "best rule: avoid → pick",
        "rate": "the rate moved",
        "gone": "severe leak → none-found",
    }


MOVES = {
    "exactly two points up": (500, 520, 1_000, 2.0, True),
    "exactly two points down": (520, 500, 1_000, 2.0, True),
    "just less, up": (5_000, 5_199, 10_000, 2.0, False),
    "just less, down": (5_199, 5_000, 10_000, 2.0, False),
    "not at all": (500, 500, 1_000, 2.0, False),
    "not at all, where anything counts": (500, 500, 1_000, 0.0, False),
    "a little, where anything counts": (500, 501, 1_000, 0.0, True),
    "a decimal that no float holds": (500, 583, 1_000, 8.3, True),
    "just less than such a decimal": (5_000, 5_829, 10_000, 8.3, False),
    "a thousandth of a point": (50_000, 50_001, 100_000, 0.001, True),
}


@pytest.mark.parametrize(("before", "after", "n", "min_change", "news"), MOVES.values(), ids=MOVES.keys())
def test_a_leak_is_news_from_min_change_on(before, after, n, min_change, news):
    """Measured in exact points; of a leak before or after, and of nothing else."""
    old, new = side([(2, 1, n, before)], "leak"), side([(2, 1, n, after)], "leak")
    thresholds = Thresholds(min_change=min_change)
    assert kinds(comparison({ALL: old}, audit({ALL: new}, thresholds))) == (["rate"] if news else [])
    for quiet in (
        comparison(
            {ALL: replace(old, verdict="slight")}, audit({ALL: replace(new, verdict="slight")}, thresholds)
        ),
        comparison(
            {ALL: replace(old, verdict="incomplete")},
            audit({ALL: replace(new, verdict="incomplete")}, thresholds),
        ),
    ):
        assert quiet.material == ()
    became = comparison({ALL: replace(old, verdict="slight")}, audit({ALL: new}, thresholds))
    ceased = comparison({ALL: old}, audit({ALL: replace(new, verdict="slight")}, thresholds))
    assert kinds(became) == kinds(ceased) == ["verdict", *(["rate"] if news else [])]


def test_a_slice_is_judged_by_itself():
    """A leak elsewhere makes no news of a slice that is none."""
    old = {ALL: LEAK, TOPIC: side([(4, 1, 100, 10)])}
    new = {ALL: LEAK, TOPIC: side([(4, 1, 100, 90)])}
    assert comparison(old, new).material == ()
    found = comparison(old, new | {TOPIC: side([(4, 1, 100, 90)], "leak")})
    assert {news.key for news in found.material} == {TOPIC}
    assert [change.material for change in found.changes] == [False, True]


@pytest.mark.parametrize(
    ("before", "after", "worse", "cleared"),
    [
        pytest.param({ALL: NOTHING}, {ALL: NOTHING}, False, False, id="nothing"),
        pytest.param({ALL: NOTHING}, {ALL: LEAK}, True, False, id="a leak that was none"),
        pytest.param({ALL: INCOMPLETE}, {ALL: LEAK}, True, False, id="a leak that could not be shown"),
        pytest.param({ALL: LEAK}, {ALL: LEAK, TOPIC: LEAK}, True, False, id="a leak in a new slice"),
        pytest.param({ALL: NOT_SEVERE}, {ALL: SEVERE}, True, False, id="a leak that became severe"),
        pytest.param({ALL: NOTHING}, {ALL: SEVERE}, True, False, id="a severe leak that was none"),
        pytest.param({ALL: SEVERE}, {ALL: SEVERE}, False, False, id="as severe as before"),
        pytest.param({ALL: SEVERE}, {ALL: NOT_SEVERE}, False, False, id="less severe"),
        pytest.param(
            {ALL: LEAK, TOPIC: LEAK}, {ALL: LEAK, TOPIC: NOTHING}, False, False, id="one leak of two"
        ),
        pytest.param({ALL: LEAK, TOPIC: NOTHING}, {ALL: NOTHING, TOPIC: LEAK}, True, False, id="elsewhere"),
        pytest.param({ALL: NOTHING, TOPIC: LEAK}, {ALL: SLIGHT, TOPIC: FEW}, False, True, id="the only leak"),
        pytest.param({ALL: NOTHING, TOPIC: LEAK}, {ALL: NOTHING}, False, True, id="the slice is gone"),
        pytest.param({ALL: LEAK}, {ALL: INCOMPLETE}, False, False, id="it may hide"),
    ],
)
def test_worse_and_cleared(before, after, worse, cleared):
    """Worse is one leak more, or one more severe; cleared is none, and none that could hide."""
    found = comparison(before, after)
    assert (found.worse, found.cleared) == (worse, cleared)


# --- slices that come and go ---


@pytest.mark.parametrize(("n", "news"), [(19, False), (20, True), (21, True)])
def test_a_slice_that_comes_or_goes(n, news):
    """Is news from min-rows on, once, whatever its verdict; it has no change, and no rate of 0 %."""
    part = side([(4, 1, n, 5)], "too-few")
    came, went = (
        comparison({ALL: NOTHING, (("topic", "u"),): NOTHING}, {ALL: NOTHING, TOPIC: part}),
        comparison({ALL: NOTHING, TOPIC: part}, {ALL: NOTHING, (("topic", "u"),): FEW}),
    )
    assert [item.key for item in came.material if item.kind == "appeared"] == ([TOPIC] if news else [])
    assert [item.key for item in went.material if item.kind == "vanished"] == ([TOPIC] if news else [])
    for found in (came, went):
        (change,) = [change for change in found.changes if change.key == TOPIC]
        assert (change.moved, change.steps, change.material) == (None, {}, news)
        texts = {TOPIC: {"appeared": "the slice is new", "vanished": "the slice is gone"}}
        assert all(texts[item.key][item.kind] == item.text for item in found.material if item.key == TOPIC)


def test_min_rows_is_a_setting():
    """Of the new audit."""
    part = side([(4, 1, 5, 5)], "too-few")
    thresholds = Thresholds(min_rows=5)
    old = {ALL: NOTHING, (("topic", "u"),): FEW}
    new = audit({ALL: NOTHING, (("topic", "u"),): FEW, TOPIC: part}, thresholds)
    assert kinds(comparison(old, new)) == ["appeared"]
    assert kinds(comparison(new, audit(old, thresholds))) == ["vanished"]
    assert kinds(comparison(new, old)) == []


def test_a_slice_without_items_neither_comes_nor_goes():
    """Its rows may be there, and none of them an item."""
    nothing = {ALL: NOTHING, TOPIC: side([], "too-few"), (("topic", "u"),): FEW}
    rest = {key: part for key, part in nothing.items() if key != TOPIC}
    thresholds = Thresholds(min_rows=1)
    assert comparison(audit(nothing), audit(rest, thresholds)).material == ()
    assert comparison(audit(rest), audit(nothing, thresholds)).material == ()


def test_two_checks_are_one_piece_of_news():
    """A slice comes once."""
    rows = [item("*aa | b | c | d", f"question {number}", topic="t") for number in range(20)]
    more = [item("*aa | b | c | d", f"other {number}", topic="u") for number in range(20)]
    found = compared(rows, rows + more, slicings=(("topic",),)).comparison
    assert [(news.kind, news.key) for news in found.material] == [("appeared", (("topic", "u"),))]
    assert {change.check for change in found.changes if change.material} == set(CHECKS)


def test_a_check_that_only_one_revision_ran_is_no_slice():
    """The slice was there; nothing came, nothing went."""
    rows = [item("*aa | b | c | d", f"question {number}") for number in range(20)]
    both = audit_of(rows)
    one = replace(
        both,
        slices=tuple(replace(part, checks={"longest": part.checks["longest"]}) for part in both.slices),
    )
    for before, after in ((one, both), (both, one)):
        found = comparison(before, after)
        assert found.material == ()
        lonely = [change for change in found.changes if change.check == "shortest"]
        assert lonely
        assert all(change.moved is None for change in lonely)


def test_of_a_slice_that_was_not_stored_nothing_is_said():
    """It may well have been there; one that is gone was."""
    old = past_of(audit({ALL: NOTHING, (("topic", "u"),): NOTHING}), snapshot("a"))
    new = audit({ALL: NOTHING, TOPIC: NOTHING})
    found = compare(replace(old, complete=False), new, snapshot("b"))
    assert kinds(found) == ["vanished"]
    incomplete = "Not every slice of the old revision was stored: of the others no change is shown."
    assert incomplete in found.notes
    whole = compare(old, new, snapshot("b"))
    assert kinds(whole) == ["appeared", "vanished"]
    assert incomplete not in whole.notes


# --- files, the card and columns ---


def at(sha: str, *paths: str, layout: tuple[str, ...] = ()) -> Snapshot:
    """A revision of these files."""
    return Snapshot(
        revision=Revision(sha=sha * 40),
        blobs=tuple(Blob(path=path, id=sha * 40, size=1) for path in paths),
        layout=layout,
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(at("a", "x.csv"), at("b", "x.csv"), [], id="other bytes"),
        pytest.param(at("a", "x.csv"), at("b", "x.csv", "y.csv"), ["new file y.csv"], id="a file more"),
        pytest.param(at("a", "x.csv", "y.csv"), at("b", "y.csv"), ["file gone: x.csv"], id="a file less"),
        pytest.param(
            at("a", "x.csv"), at("b", "data/x.csv"), ["new file data/x.csv", "file gone: x.csv"], id="moved"
        ),
        pytest.param(
            at("a", "x.csv", layout=("test: x.csv",)),
            at("b", "x.csv", layout=("test: x.csv",)),
            [],
            id="as it was",
        ),
        pytest.param(
            at("a", "x.csv", layout=("same", "test: x.csv")),
            at("b", "x.csv", layout=("same", "train: x.csv")),
            ["the card said test: x.csv and now says train: x.csv"],
            id="a split moved",
        ),
        pytest.param(
            at("a", "x.csv"),
            at("b", "x.csv", layout=("test: x.csv", "train: x.csv")),
            ["the card said nothing and now says test: x.csv; train: x.csv"],
            id="a card that says more",
        ),
        pytest.param(
            at("a", "x.csv", layout=("test: x.csv",)),
            at("b", "x.csv"),
            ["the card said test: x.csv and now says nothing"],
            id="a card that says less",
        ),
    ],
)  # fmt: skip
def test_files_and_splits_that_the_audit_uses(before, after, expected):
    """Are news when they come, go or move, whatever the figures say; they are in no slice."""
    found = comparison({ALL: NOTHING}, {ALL: NOTHING}, old_snapshot=before, snapshot=after)
    assert [news.text for news in found.material] == expected
    kind = "layout" if before.layout != after.layout else "file"
    assert all((news.kind, news.key, news.check) == (kind, None, "") for news in found.material)


def mapped(**columns: Any) -> Audit:
    """An audit of items that these columns made."""
    return audit({ALL: NOTHING}, mapping=ColumnMapping(gold_encoding="letter", **columns))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({"gold": "answer"}, {"gold": "answer"}, [], id="as it was"),
        pytest.param({"gold": "a"}, {"gold": "b"}, ["column gone: a", "new column b"], id="renamed"),
        pytest.param({"gold": "a"}, {"gold": "a", "id": "id"}, ["new column id"], id="an id"),
        pytest.param({"question": ("q", "c")}, {"question": ("q",)}, ["column gone: c"], id="a context"),
        pytest.param({"options": ("A", "B")}, {"options": ("A", "B", "C")}, ["new column C"], id="an option"),
        pytest.param(
            {"distractors": ("d", "e")}, {"distractors": ("e",)}, ["column gone: d"], id="a distractor"
        ),
        pytest.param({"gold_fallback": "f"}, {}, ["column gone: f"], id="a fallback"),
        pytest.param(
            {"gold": "g", "gold_fallback": "f", "id": "i"},
            {"gold": "g", "id": "i"},
            ["column gone: f"],
            id="all",
        ),
        pytest.param({"question": ("q", "c")}, {"question": ("c", "q")}, [], id="another order"),
    ],
)
def test_columns_that_make_items(before, after, expected):
    """Are news when they come, go or are called otherwise, and known only of revisions that were audited."""
    found = comparison(mapped(**before), mapped(**after))
    assert [(news.kind, news.text) for news in found.material] == [("column", text) for text in expected]
    stored = replace(past_of(mapped(**before), snapshot("a")), columns=None)
    assert compare(stored, mapped(**after), snapshot("b")).material == ()


def test_a_column_that_is_gone_is_not_run():
    """Its slices did not vanish one by one, and none of them is 0 %."""
    old = audit({ALL: NOTHING, TOPIC: LEAK})
    found = comparison(old, audit({ALL: NOTHING}, not_run=("topic",)))
    assert [(news.kind, news.text) for news in found.material] == [
        ("not-run", "column gone: not sliced by topic")
    ]
    (change,) = [change for change in found.changes if change.key == TOPIC]
    assert (change.new, change.moved, change.steps, change.material) == (None, None, {}, False)
    missing_before_too = comparison(audit({ALL: NOTHING}), audit({ALL: NOTHING}, not_run=("topic",)))
    assert missing_before_too.material == ()


def test_a_crossed_slicing_goes_with_either_of_its_columns():
    """And comes with the other; it is named as it was set."""
    both = audit({ALL: NOTHING, (("kind", "k"), ("topic", "t")): NOTHING})
    found = comparison(both, audit({ALL: NOTHING}, not_run=("kind*topic",)))
    assert [news.text for news in found.material] == ["column gone: not sliced by kind*topic"]
    back = comparison(audit({ALL: NOTHING}, not_run=("kind*topic",)), both)
    assert [news.text for news in back.material] == ["new column: sliced by kind*topic"]


def test_a_column_that_comes_is_one_piece_of_news():
    """Not one for each of its values."""
    new = audit({ALL: NOTHING, TOPIC: LEAK, (("topic", "u"),): LEAK})
    found = comparison({ALL: NOTHING}, new)
    assert [(news.kind, news.text) for news in found.material] == [("column", "new column: sliced by topic")]


# --- rows ---


@pytest.mark.parametrize(
    ("before", "after", "rows", "news"),
    [
        pytest.param(0, 19, 2_000, False, id="fewer than min-rows and 1 %"),
        pytest.param(0, 20, 2_000, True, id="min-rows"),
        pytest.param(0, 1, 100, True, id="1 %"),
        pytest.param(0, 1, 101, False, id="less than 1 %"),
        pytest.param(7, 8, 100, True, id="one more"),
        pytest.param(8, 8, 100, False, id="as many"),
        pytest.param(90, 8, 100, False, id="fewer"),
        pytest.param(0, 0, 0, False, id="none"),
    ],
)
def test_defects_that_are_news(before, after, rows, news):
    """Without pairs all that is known is by how many there are more; out of scope is no defect."""
    old = audit({ALL: NOTHING}, rows=rows, gold_ambiguous=before)
    new = audit({ALL: NOTHING}, rows=rows, gold_ambiguous=after, unlabelled=900)
    found = comparison(old, new)
    assert kinds(found) == (["defects"] if news else [])
    if news:
        assert found.material[0].text == f"{after - before} more rows are defective"


@pytest.mark.parametrize(
    ("number", "rows", "news"),
    [(19, 2_000, False), (20, 2_000, True), (1, 100, True), (1, 101, False), (0, 50, False)],
)
def test_rows_that_turned_defective_or_changed_their_gold(number, rows, news):
    """With pairs it is known which rows did; those that were mended meanwhile do not hide them."""
    old, new = audit({ALL: NOTHING}, rows=rows, gold_ambiguous=50), audit({ALL: NOTHING}, rows=rows)
    found = comparison(old, new, pairs=pairs(became_defective=number, gold_changed=number))
    assert kinds(found) == (["defects", "gold"] if news else [])
    if news:
        assert found.material[1].text == (
            f"the text of gold changed in {number} rows whose options were edited; none was re-keyed"
        )


@pytest.mark.parametrize(
    ("rekeyed", "said"),
    [
        (0, "the text of gold changed in 1,200 rows whose options were edited; none was re-keyed"),
        (
            200,
            (
                "gold changed in 1,200 rows: another of the same options in 200 (re-keyed), with options "
                "edited in 1,000"
            ),
        ),
        (1_200, "gold is another of the same options in 1,200 rows (re-keyed)"),
    ],
)
def test_a_correction_of_the_key_is_told_from_one_of_the_text(rekeyed, said):
    old, new = audit({ALL: NOTHING}, rows=9_000), audit({ALL: NOTHING}, rows=9_000)
    rows = {"gold_changed": 1_200, "gold_rekeyed": rekeyed}
    assert comparison(old, new, pairs=pairs(rows=rows)).material[0].text == said


def test_min_rows_decides_how_many_rows_are_many():
    """As it does for slices."""
    old = audit({ALL: NOTHING}, rows=10_000)
    new = audit({ALL: NOTHING}, Thresholds(min_rows=5), rows=10_000)
    assert kinds(comparison(old, new, pairs=pairs(gold_changed=5))) == ["gold"]
    assert kinds(comparison(old, new, pairs=pairs(gold_changed=4))) == []


# --- notes ---


@pytest.mark.parametrize(("shift", "said"), [(1, "+1"), (-1, "-1"), (2, None), (None, None)])
def test_gold_encoded_anew_is_named(shift, said):
    """Places are counted from 0 or from 1: no other distance is an encoding."""
    note = (
        f"Gold moved by {said} in every item whose gold changed and options did not: it was likely "
        "encoded anew (counted from 0 before, from 1 now, or the other way)."
    )
    found = comparison({ALL: NOTHING}, {ALL: NOTHING}, pairs=pairs(shift=shift))
    assert found.notes == ((note,) if said else ())


def test_another_encoding_is_named():
    """Whether or not a gold changed by it."""
    old = audit({ALL: NOTHING}, mapping=ColumnMapping(gold_encoding="index0"))
    new = audit({ALL: NOTHING}, mapping=ColumnMapping(gold_encoding="index1"))
    assert comparison(old, new, pairs=pairs()).notes == ("Gold was encoded as index0, and is as index1 now.",)
    assert comparison(old, old, pairs=pairs()).notes == ()


@pytest.mark.parametrize(
    ("columns", "rows", "said"),
    [
        pytest.param({}, {"added": 1}, True, id="neither"),
        pytest.param({"question": ("q",)}, {"added": 1}, False, id="a question"),
        pytest.param({"id": "i"}, {"added": 1}, False, id="an id"),
        pytest.param({}, {"added": 0}, False, id="no row to wonder about"),
        pytest.param({}, {}, False, id="no pairs of rows"),
    ],
)
def test_rows_that_can_be_paired_by_content_alone(columns, rows, said):
    """An edited row then counts as removed and added, which the reader should know."""
    side = mapped(**columns)
    found = comparison(side, side, pairs=pairs(rows={"gold_changed": 0} | rows))
    note = "No question and no id is known: rows are paired by equal content only."
    assert found.notes == ((note,) if said else ())


def test_what_is_known_of_a_revision_that_was_audited():
    """Everything that a later comparison asks for."""
    old = audit({ALL: SEVERE, TOPIC: AVOID}, rows=500, gold_ambiguous=3, unlabelled=4)
    seen = at("a", "x.csv")
    assert past_of(old, seen) == PastAudit(
        snapshot=seen,
        rows=500,
        defects=3,
        encoding="letter",
        checks={
            (ALL, "longest"): Past(tally=SEVERE.tally, verdict="leak", severe=True, direction="pick"),
            (TOPIC, "longest"): Past(tally=AVOID.tally, verdict="leak", severe=False, direction="avoid"),
        },
        slicings=frozenset({(), ("topic",)}),
    )


def test_a_comparison_bears_what_it_was_made_of():
    """So that a report can show it."""
    old, new, moves = audit({ALL: NOTHING}), audit({ALL: LEAK}), pairs()
    found = comparison(old, new, pairs=moves)
    assert (found.new, found.pairs) == (new, moves)
    assert found.old == past_of(old, snapshot("a"))


def test_why_items_are_none_is_said():
    """By reason; it is information, and no news in itself."""
    found = comparison(
        {ALL: NOTHING}, {ALL: NOTHING}, pairs=pairs(reasons={"gold-ambiguous": 2, "unlabelled": 1_000})
    )
    assert found.notes == (
        "Items that became no items, counted as removed: 2 gold-ambiguous, 1,000 unlabelled.",
    )
    assert found.material == ()


def test_stored_tallies_are_compared_where_rows_are_gone():
    """Rates and verdicts are; steps and flips are not, and that is said."""
    old = PastAudit(
        snapshot=snapshot("a"),
        rows=1_000,
        defects=0,
        encoding="letter",
        checks={(ALL, "longest"): Past(tally=LEAK.tally, verdict="leak", severe=False, direction="pick")},
        slicings=frozenset({()}),
    )
    found = compare(old, audit({ALL: NOTHING}), snapshot("b"))
    assert kinds(found) == ["verdict", "rate"]
    assert [(change.moved, change.steps, change.moves, change.mcnemar_p) for change in found.changes] == [
        (Fraction(-1, 4), {}, None, None)
    ]
    assert found.pairs is None
    assert found.notes == (
        "The old rows could not be had: stored counts are compared, rows could not be paired.",
    )
    assert comparison_document(found)["rows"] is None


# --- from rows to news ---

FAIR = ["*aaaa | bb | c | d", "a | *bb | ccc | dddd", "aa | b | *ccc | dddd", "aaaa | bbb | cc | *d"]


def fair(n: int, start: int = 0, **names: Any) -> list[Row]:
    """Items of which as many have a longest gold as chance would have it."""
    return [item(FAIR[number % 4], f"question {number}", **names) for number in range(start, start + n)]


def test_a_revision_against_itself_is_all_zeros():
    """Whatever it holds, and however little it takes to be news."""
    rows = [
        *fair(40),
        *(item("*aaaaa | b | c | d", f"leak {number}", topic="u") for number in range(40)),
        *(item("*a | b", "repeated", topic=None) for _ in range(3)),
        *(no_item("gold-ambiguous", "") for _ in range(25)),
    ]
    both = compared(rows, rows, thresholds=Thresholds(min_change=0.0))
    assert both.comparison.material == ()
    assert both.comparison.notes == ()
    assert moved(both.pairs)
    for change in both.comparison.changes:
        assert change.moved in {0, None}
        assert set(change.steps.values()) <= {0}
        assert change.mcnemar_p in {1.0, None}
    assert any(change.old and change.old.verdict == "leak" for change in both.comparison.changes)


def test_gold_encoded_anew_is_material_and_named():
    """A file that counts from 1, read as one that counts from 0: gold moves by one, the last fall out."""
    options = ("a", "bb", "ccc", "dddd")
    old = [Row(f"question {number}", options, number % 4) for number in range(80)]
    new = [
        Row(row.question, options, row.gold + 1)
        if row.gold < 3
        else no_item("gold-out-of-range", row.question)
        for row in old
    ]
    both = compared(old, new)
    assert {"gold", "defects"} <= set(kinds(both.comparison))
    assert any("Gold moved by +1" in note for note in both.comparison.notes)
    assert any("20 gold-out-of-range" in note for note in both.comparison.notes)


def test_an_edit_of_a_leak_is_told_apart_from_rows_that_went():
    """Ten golds shortened, ten leaking rows removed: both lower the rate, by what each is worth."""
    leak = [item("*aaaaa | b | c | d", f"leak {number}") for number in range(100)]
    new = [*(row._replace(options=("a", "bbbbb", "c", "d")) for row in leak[:10]), *leak[20:], *fair(20)]
    (change,) = [c for c in compared(leak, new).comparison.changes if (c.key, c.check) == (ALL, "longest")]
    assert change.steps == {
        "removed": 0,
        "moved_out": 0,
        "edited": Fraction(-10, 90),
        "moved_in": 0,
        "added": Fraction(85, 110) - Fraction(80, 90),
    }
    assert (change.moves.lost, change.moves.gained) == (10, 0)
    assert change.mcnemar_p == pytest.approx(2 / 2**10)


# --- from files to news ---

RECORDS = [
    {
        "id": f"r{number}",
        "question": f'Which, "{number}"?\nSay one',
        "A": "a long answer" if number % 5 else "short",
        "B": f"{number}",
        "C": "neither, nor",
        "D": "ünï\u00a0",
        "answer": "ABCD"[number % 4],
        "topic": ["x", "y, z", ""][number % 3],
    }
    for number in range(90)
]
COLUMNS = list(RECORDS[0])


def as_csv(records: Sequence[Mapping[str, str]], line_end: str = "\n", delimiter: str = ",") -> bytes:
    """A CSV file; a line end inside a cell is part of the file's line ends, as editors have it."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n", delimiter=delimiter)
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().replace("\n", line_end).encode()


def as_jsonl(records: Sequence[Mapping[str, str | None]]) -> bytes:
    """A JSON object a line; a CSV's empty cell is a null."""
    return "".join(
        json.dumps({name: value or None for name, value in record.items()}) + "\n" for record in records
    ).encode()


def as_parquet(records: Sequence[Mapping[str, str]]) -> bytes:
    """A Parquet file of small row groups."""
    sink = pa.BufferOutputStream()
    rows = [{name: value or None for name, value in record.items()} for record in records]
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), sink, row_group_size=17)
    return sink.getvalue().to_pybytes()


def audit_folder(folder: Path, files: Mapping[str, bytes], **given: str) -> tuple[Snapshot, Audited]:
    """Write these files into a folder and audit it, as a later revision is audited."""
    source_folder, work = folder / "data", folder / "work"
    for path in (source_folder, work):
        path.mkdir(parents=True)
    for name, content in files.items():
        (source_folder / name).write_bytes(content)
    layer = {name.replace("_", "-"): (text, f"--{name}") for name, text in given.items()}
    source = FileSource(source_folder)
    seen = source.snapshot(source.revision(""))
    settings = settle([layer])
    return seen, audit_snapshot(source, seen, settings, work, lambda _: None, optional=settings.slices)


def compare_folders(
    tmp_path: Path, old: Mapping[str, bytes], new: Mapping[str, bytes], **given: str
) -> tuple[Comparison, Pairs]:
    """Audit, pair and compare two folders of files."""
    (seen, before), (seen_now, after) = (
        audit_folder(tmp_path / name, files, **given) for name, files in (("old", old), ("new", new))
    )
    found = pair_audits(before, after, tmp_path)
    return compare(past_of(before.audit, seen), after.audit, seen_now, found), found


WRITTEN: dict[str, Callable[[], tuple[str, bytes]]] = {
    "the same": lambda: ("data.csv", as_csv(RECORDS)),
    "CRLF": lambda: ("data.csv", as_csv(RECORDS, "\r\n")),
    "a byte order mark": lambda: ("data.csv", b"\xef\xbb\xbf" + as_csv(RECORDS)),
    "tabs": lambda: ("data.tsv", as_csv(RECORDS, delimiter="\t")),
    "JSON lines": lambda: ("data.jsonl", as_jsonl(RECORDS)),
    "Parquet": lambda: ("data.parquet", as_parquet(RECORDS)),
    "columns in another order": lambda: (
        "data.csv",
        as_csv([{name: record[name] for name in reversed(COLUMNS)} for record in RECORDS]),
    ),
    "rows in another order": lambda: ("data.csv", as_csv(RECORDS[::-1])),
    "other ids": lambda: ("data.csv", as_csv([record | {"id": f"new {record['id']}"} for record in RECORDS])),
}


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_file_that_was_written_anew_is_no_change(tmp_path, write):
    """No row, no figure and no verdict; that a file has another name is all the news there may be."""
    name, content = write()
    found, pairs = compare_folders(
        tmp_path, {"data.csv": as_csv(RECORDS)}, {name: content}, options="A,B,C,D", slices="topic"
    )
    assert moved(pairs)
    assert pairs.rows["paired"] == len(RECORDS)
    assert set(kinds(found)) == (set() if name == "data.csv" else {"file"})
    assert {change.moved for change in found.changes} == {0}
    assert {step for change in found.changes for step in change.steps.values()} == {0}
    assert found.old.checks.keys() == {
        (part.key, check) for part in found.new.slices for check in part.checks
    }


ORDER = {"gold-run", "gold-transitions"}
"""Findings about the order of rows within a file."""


def test_shards_and_order_change_no_byte_of_the_report(tmp_path):
    """But in the block that says which files were read, and where it is told of the order in each of them."""
    documents = []
    cut = {"a.jsonl": RECORDS[60:], "b.jsonl": RECORDS[:7], "c.jsonl": RECORDS[7:60]}
    for number, files in enumerate(({"data.jsonl": RECORDS}, cut)):
        _, audited = audit_folder(
            tmp_path / str(number),
            {name: as_jsonl(records) for name, records in files.items()},
            options="A,B,C,D",
            slices="topic",
        )
        documents.append(audit_document(audited.audit))
    sources = [document.pop("source") for document in documents]
    assert [len(source["files"]) for source in sources] == [1, 3]
    for document in documents:
        document["findings"] = [one for one in document["findings"] if one["check"] not in ORDER]
    one, other = (json.dumps(document, ensure_ascii=False) for document in documents)
    assert one == other


def test_a_slice_column_that_is_gone_is_not_run(tmp_path):
    """From file to JSON: the other figures are compared, and of the column's slices nothing is said."""
    without = [{name: record[name] for name in COLUMNS if name != "topic"} for record in RECORDS]
    found, pairs = compare_folders(
        tmp_path,
        {"data.csv": as_csv(RECORDS)},
        {"data.csv": as_csv(without)},
        options="A,B,C,D",
        slices="topic",
    )
    assert found.new.not_run == ("topic",)
    assert [(news.kind, news.key) for news in found.material] == [("not-run", None)]
    assert moved(pairs)
    document = comparison_document(found)
    for part in document["slices"]:
        for change in part["checks"].values():
            if part["slice"]:
                assert (change["new"], change["change"], change["steps"]) == (None, None, {})
            else:
                assert change["change"] == 0
    back, _ = compare_folders(
        tmp_path / "back",
        {"data.csv": as_csv(without)},
        {"data.csv": as_csv(RECORDS)},
        options="A,B,C,D",
        slices="topic",
    )
    assert [news.text for news in back.material] == ["new column: sliced by topic"]


def test_gold_counted_from_one_is_named_from_the_file_on(tmp_path):
    """Read as before, every gold is one further and the last are out of range; read right, none moved."""
    places = [record | {"answer": str("ABCD".index(record["answer"]))} for record in RECORDS]
    later = [record | {"answer": str(int(record["answer"]) + 1)} for record in places]
    files = {"data.csv": as_csv(places)}, {"data.csv": as_csv(later)}
    wrong, _ = compare_folders(tmp_path / "a", *files, options="A,B,C,D", gold_encoding="index0")
    assert any("Gold moved by +1" in note for note in wrong.notes)
    assert {"gold", "defects"} <= set(kinds(wrong))
    right, pairs = compare_folders(tmp_path / "b", *files, options="A,B,C,D")
    assert moved(pairs)
    assert right.notes == ("Gold was encoded as index0, and is as index1 now.",)
