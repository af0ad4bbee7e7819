"""The no-model baseline: chosen on one half, scored on the other, against every rule tried by hand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchaudit.baseline import Baseline, Rule, baseline
from benchaudit.checks import all_checks, by_name
from benchaudit.models import ALL, SliceKey
from benchaudit.tally import Cell, Counted, Halves, Tally
from benchaudit.verdict import Audit
from tests.pairs import CHECKS, Row, item, workplace
from tests.support import SHARED, audit_path, needs_shared
from tests.test_checks import DEFINITIONS, cell, prior_cells

DIRECTIONS = ("pick", "avoid")
RULES = [
    (check.name, direction) for check in all_checks() if not check.reads_question for direction in DIRECTIONS
]
"""All there are, in the order in which equal ones go."""


class Guessed(NamedTuple):
    """An item with what each check sees of it: k options, t of them at the extremum, gold hit or not."""

    row: Row
    cells: Mapping[str, tuple[int, int, int]]

    def answered(self, check: str, direction: str) -> Fraction:
        """How often the rule's guess is right: one of the t, or one of the others where there are any."""
        k, t, hit = self.cells[check]
        if direction == "pick":
            return Fraction(hit, t)
        return Fraction(1 - hit, k - t) if t < k else Fraction(1, k)


def guessed(rows: Sequence[Row]) -> list[Guessed]:
    """Items as every check's definition in plain Python sees them, what is learnt from all of them too."""
    prior = prior_cells(rows, list(map(half_of, rows)))
    items = []
    for row, learnt in zip(rows, prior, strict=True):
        assert row.gold is not None
        cells = {"option-prior": learnt}
        for name, definition in DEFINITIONS.items():
            extremum = max if by_name()[name].extremum == "max" else min
            cells[name] = cell(definition(row.question, row.options), row.gold, extremum)
        items.append(Guessed(row, cells))
    return items


def half_of(row: Row) -> int:
    """Which half an item is in, by what it says; neither white space nor the order of options counts."""
    question = " ".join(row.question.split())
    options = json.dumps(sorted(row.options), separators=(",", ":"), ensure_ascii=False)
    digests = [hashlib.md5(text.encode()).hexdigest() for text in (question, options)]
    return int(hashlib.sha256("".join(digests).encode()).hexdigest() >= "8")


def chosen(items: Sequence[Guessed]) -> list[tuple[str, str]]:
    """The best rule of each half, the first of equals."""
    scores = [
        {rule: sum(item.answered(*rule) for item in items if half_of(item.row) == half) for rule in RULES}
        for half in (0, 1)
    ]
    return [max(RULES, key=lambda rule, score=score: score[rule]) for score in scores]


def right(items: Sequence[Guessed], rules: Sequence[tuple[str, str]]) -> Fraction:
    """Items answered right, each half by the other's rule."""
    return sum((item.answered(*rules[1 - half_of(item.row)]) for item in items), Fraction())


def named(rules: Sequence[Rule]) -> list[tuple[str, str]]:
    """Rules as they are called here."""
    return [(rule.check, rule.direction) for rule in rules]


def audit_rows(rows: Sequence[Row], folder: Path, **given: str) -> Audit:
    """Write rows as JSON lines and audit them."""
    path = folder / "data.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {
                    "question": row.question,
                    "options": row.options,
                    "answer": "ABCDE"[row.gold or 0],
                    "topic": row.topic,
                }
            )
            + "\n"
            for row in rows
        ),
        encoding="utf-8",
    )
    return audit_path(path, gold_encoding="letter", **given)


_questions = st.text("pq é\n", min_size=1, max_size=4).filter(str.strip)
_items = st.builds(
    lambda question, options, gold, topic: Row(question, options, gold % len(options), topic=topic),
    _questions,
    st.lists(st.sampled_from(["x", "yy", "zz", "vvv", 'w"é']), min_size=2, max_size=4).map(tuple),
    st.integers(0, 3),
    st.sampled_from(["t", "u", None]),
)


@settings(deadline=None, max_examples=12)
@given(st.lists(_items, min_size=1, max_size=30), st.integers(1, 8))
def test_the_baseline_is_every_rule_tried(rows, min_rows):
    """Of ALL, of every slice and of the pool; a slice below min-rows goes by ALL's rule."""
    with workplace() as folder:
        found = audit_rows(rows, folder, slices="topic", min_rows=str(min_rows)).baseline
    assert found is not None
    assert found.column == ("topic",)
    items = guessed(rows)
    slices: dict[SliceKey, list[Guessed]] = {ALL: items}
    for each in items:
        slices.setdefault(each.row.key(["topic"]), []).append(each)
    assert found.slices.keys() == slices.keys()
    for key, part in slices.items():
        rules = chosen(part if len(part) >= min_rows else items)
        scored = found.slices[key]
        assert (scored.n, named(scored.rules), scored.right) == (len(part), rules, right(part, rules))
        assert scored.chance == sum(Fraction(1, len(each.row.options)) for each in part)
    parts = [scored for key, scored in found.slices.items() if key != ALL]
    assert found.n == len(rows)
    assert found.pooled.right == sum(scored.right for scored in parts)
    assert found.pooled.chance == found.slices[ALL].chance


def test_options_in_another_order_and_line_ends_change_no_half(tmp_path):
    """A file that was written anew, or whose options were shuffled, has the baseline that it had."""
    rows = [item("*aaaa | bb | c", f"question {number}\nof two lines") for number in range(12)]
    rows += [item("aaaa | *bb | c", f"another {number}\nof two lines") for number in range(12)]
    anew = [
        Row(row.question.replace("\n", "\r\n"), row.options[::-1], len(row.options) - 1 - row.gold)
        for row in rows
    ]
    before, after = (audit_rows(some, tmp_path).baseline for some in (rows, anew))
    assert before == after
    assert 0 < sum(map(half_of, rows)) < len(rows)


# --- the choice of a rule, from tallies ---


def counted(key: SliceKey, *halves: Mapping[str, Sequence[Cell]]) -> tuple[Counted, Halves]:
    """A slice of two halves, each with the cells of its checks."""
    first, second = ({check: Tally.of(cells) for check, cells in half.items()} for half in halves)
    n = next(iter(first.values())).n + next(iter(second.values())).n
    tallies = {check: first[check] + second[check] for check in first}
    return Counted(key=key, left_out={}, gold_position={0: n}, tallies=tallies), (first, second)


def found(*slices: tuple[Counted, Halves], column: tuple[str, ...] = (), min_rows: int = 1) -> Baseline:
    """The baseline of these slices by both checks."""
    made = baseline(
        [part for part, _ in slices],
        {part.key: halves for part, halves in slices},
        list(CHECKS),
        column,
        min_rows,
    )
    assert made is not None
    return made


PICKS = {"longest": [(4, 1, 10, 9)], "shortest": [(4, 1, 10, 0)]}
AVOIDS = {"longest": [(2, 1, 10, 1)], "shortest": [(2, 1, 10, 5)]}


def test_a_rule_is_scored_where_it_was_not_chosen():
    """Two halves that lean opposite ways make a guesser who learned from either look foolish."""
    made = found(counted(ALL, PICKS, AVOIDS)).pooled
    assert named(made.rules) == [("longest", "pick"), ("longest", "avoid")]
    assert made.right == Fraction(1, 3) + 1
    assert (made.n, made.chance) == (20, Fraction(10, 4) + Fraction(10, 2))


@pytest.mark.parametrize(
    ("half", "rule"),
    [
        ({"longest": [(2, 1, 10, 5)], "shortest": [(2, 1, 10, 5)]}, ("longest", "pick")),
        ({"longest": [(2, 1, 10, 4)], "shortest": [(2, 1, 10, 6)]}, ("longest", "avoid")),
        ({"longest": [(2, 2, 10, 10)], "shortest": [(2, 1, 10, 6)]}, ("shortest", "pick")),
        ({"longest": [(2, 2, 10, 10)], "shortest": [(2, 1, 10, 4)]}, ("shortest", "avoid")),
        ({"longest": [], "shortest": []}, ("longest", "pick")),
    ],
    ids=["all equal", "avoid before the next check", "the next check", "its opposite", "no items"],
)
def test_of_equal_rules_the_first_is_chosen(half, rule):
    """In the order of the registry, and pick before avoid."""
    made = found(counted(ALL, half, PICKS)).pooled
    assert named(made.rules) == [rule, ("longest", "pick")]


def test_a_small_slice_goes_by_the_rule_of_all():
    """From min-rows on it has one of its own."""
    small = counted((("topic", "t"),), {"longest": [(4, 1, 2, 0)], "shortest": [(4, 1, 2, 2)]}, AVOIDS)
    whole = counted(ALL, PICKS, PICKS)
    key = small[0].key
    own, common = (found(whole, small, column=("topic",), min_rows=n).slices[key] for n in (12, 13))
    assert named(own.rules) == [("shortest", "pick"), ("longest", "avoid")]
    assert own.right == Fraction(2, 3) + 5
    assert named(common.rules) == [("longest", "pick")] * 2
    assert common.right == 0 + 1
    for min_rows, scored in ((12, own), (13, common)):
        assert found(whole, small, column=("topic",), min_rows=min_rows).pooled.right == scored.right


def test_only_one_column_is_pooled():
    """Slices of other columns, crossed ones among them, have figures of their own."""
    keys: list[SliceKey] = [
        ALL,
        (("topic", "t"),),
        (("topic", None),),
        (("kind", "k"),),
        (("kind", "k"), ("topic", "t")),
    ]
    slices = [counted(key, PICKS, PICKS) for key in keys]
    assert found(*slices, column=("topic",)).n == 40
    assert found(*slices, column=("kind",)).n == 20
    assert found(*slices, column=("kind", "topic")).n == 20
    assert found(*slices).n == 20
    assert set(found(*slices).slices) == set(keys)


@pytest.mark.parametrize("column", [(), ("topic",)], ids=["none", "one without slices"])
def test_without_a_column_all_is_the_pool(column):
    """And the baseline says so."""
    made = found(counted(ALL, PICKS, PICKS), column=column)
    assert (made.column, made.pooled) == ((), made.slices[ALL])


def test_slices_without_items_have_no_baseline():
    """Nor has a revision; a slice of rows that are no items is left out of it."""
    nothing = {"longest": [], "shortest": []}
    empty = counted((("topic", "t"),), nothing, nothing)
    assert found(counted(ALL, PICKS, PICKS), empty, column=("topic",)).slices.keys() == {ALL}
    whole, halves = counted(ALL, nothing, nothing)
    assert baseline([whole], {ALL: halves}, list(CHECKS), (), 1) is None


def test_a_check_that_has_no_meaning_gives_no_rule():
    """And where none has, there is no baseline."""
    part, halves = counted(ALL, {"longest": [(4, 1, 10, 1)]}, {"longest": [(4, 1, 10, 1)]})
    made = baseline([part], {ALL: halves}, ["position", "longest"], (), 1)
    assert made is not None
    assert named(made.pooled.rules) == [("longest", "avoid")] * 2
    assert baseline([part], {ALL: halves}, ["position"], (), 1) is None


# --- a real file ---


@needs_shared
def test_personamem():
    """Longest alone scores 50.5 %, the best rule of each question type 66.1 %, chance is 25 %."""
    audit = audit_path(SHARED / "data/personamem-v1/b90e91a/questions_32k.csv", slices="question_type,topic")
    assert audit.baseline is not None
    longest, pooled = audit.all.checks["longest"].tally, audit.baseline.pooled
    assert round(100 * longest.credit / audit.all.n, 1) == Fraction("50.5")
    types = [part for part in audit.slices if [name for name, _ in part.key] == ["question_type"]]
    uncorrected = sum(max(part.checks[check].tally.best for check in CHECKS) for part in types)
    assert round(100 * uncorrected / audit.all.n, 1) == Fraction("66.1")
    assert (audit.baseline.column, pooled.n) == (("question_type",), 589)
    assert round(100 * pooled.right / pooled.n, 1) == Fraction("66.1")
    assert pooled.chance / pooled.n == Fraction(1, 4)


@needs_shared
def test_a_rule_that_reads_the_question_is_none_of_the_guessers():
    """In BBQ's ambiguous rows the option that shares least with the question is always gold."""
    path = SHARED / "data/bbq/9eba1ba/Physical_appearance.jsonl"
    given = {"options": "ans0,ans1,ans2", "gold": "label", "gold_encoding": "index0"}
    audit = audit_path(path, slices="context_condition", **given)
    assert audit.baseline is not None
    (part,) = [part for part in audit.slices if part.key == (("context_condition", "ambig"),)]
    assert part.checks["least-overlap"].tally.credit == part.n
    assert part.n > audit.baseline.slices[part.key].right
