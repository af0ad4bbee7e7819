"""The numbers in `docs/statistics.md` are those of the code."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from benchaudit.baseline import baseline
from benchaudit.checks.form import Check
from benchaudit.figures import MINUS, percent, rounded
from benchaudit.intervals import detectable_gain, wilson
from benchaudit.models import ALL, OUT_OF_SCOPE, Thresholds
from benchaudit.null import PValue, exact_upper_tail, holm, mcnemar_exact, null_p
from benchaudit.tally import Cell, Counted, Tally
from benchaudit.verdict import WORST_FIRST, Judged, judge, with_defects

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "statistics.md").read_text(encoding="utf-8")

Row = dict[str, str]

CHECKS = ("longest", "shortest")

_OPERATORS = {ast.Add: operator.add, ast.Mult: operator.mul, ast.Div: operator.truediv}


def tables(page: str) -> Iterator[list[Row]]:
    """Every table of a page, as rows by the names of their columns; backticks are dropped."""
    names: list[str] = []
    cells: list[str] = []
    rows: list[Row] = []
    for token in MarkdownIt("commonmark").enable("table").parse(page):
        if token.type == "table_open":
            names, rows = [], []
        elif token.type == "tr_open":
            cells = []
        elif token.type == "inline":
            cells.append(token.content.replace("`", ""))
        elif token.type == "tr_close" and not names:
            names = cells
        elif token.type == "tr_close":
            rows.append(dict(zip(names, cells, strict=True)))
        elif token.type == "table_close":
            yield rows


def table(*columns: str) -> list[Row]:
    """The one table of the page that has these columns and no others."""
    (found,) = [rows for rows in tables(PAGE) if list(rows[0]) == list(columns)]
    return found


def worked(text: str) -> Fraction:
    """An expression of +, * and /, in fractions."""

    def value(node: ast.expr) -> Fraction:
        if isinstance(node, ast.BinOp):
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        assert isinstance(node, ast.Constant)
        return Fraction(str(node.value))

    return value(ast.parse(text, mode="eval").body)


@pytest.fixture(scope="module")
def tally() -> Tally:
    """The tally of the page's seven items."""
    rows = table("k", "t", "items", "hits")
    return Tally.of((int(row["k"]), int(row["t"]), int(row["items"]), int(row["hits"])) for row in rows)


# --- the tally ---


def cell_of(lengths: str) -> Cell:
    """The cell of one item written as `5 [8] 5 1`, counted by hand."""
    options = lengths.split()
    sizes = [int(option.strip("[]")) for option in options]
    (gold,) = [int(option.strip("[]")) for option in options if option.startswith("[")]
    return len(sizes), sizes.count(max(sizes)), 1, int(gold == max(sizes))


def test_the_items_are_counted_right(tally):
    """Each row's k, t and hit are those of its lengths, and the tally is their sum."""
    rows = table("item", "lengths", "k", "t", "hit")
    for row in rows:
        assert cell_of(row["lengths"]) == (int(row["k"]), int(row["t"]), 1, int(row["hit"]))
    assert Tally.of(cell_of(row["lengths"]) for row in rows) == tally


def test_every_figure_is_worked_right(tally):
    """The sum worked by hand, the sum printed and the code agree; so does the rate."""
    rows = table("figure", "meaning", "formula, a sum over cells", "worked", "sum", "rate")
    for row in rows:
        expected = getattr(tally, row["figure"])
        assert worked(row["worked"]) == Fraction(row["sum"]) == expected, row["figure"]
        assert row["rate"] == percent(Fraction(expected) / tally.n), row["figure"]
    assert len(rows) == 7


def test_the_gain_is_worked_right(tally):
    """The sentence under the table, and the two extremes of four options."""
    assert tally.gain == Fraction(29, 84) == (Fraction(9, 2) - Fraction(25, 12)) / 7
    sentence = f"(9/2 {MINUS} 25/12) / 7 = 29/84, or {rounded(tally.gain * 100)} points"
    assert sentence in " ".join(PAGE.split())
    never, always = (Tally.of([(4, 1, 9, hits)]).gain for hits in (0, 9))
    assert f"worth {rounded(never * 100)} points, one that always is {always * 100}:" in PAGE


# --- p, families, intervals ---


def test_p_is_worked_right(tally):
    """Tails by hand, and the p that the code gives."""
    rows = table("tail", "worked", "value")
    for row in rows:
        assert worked(row["worked"]) == Fraction(row["value"]), row["tail"]
    hits, unique, *_, p = (Fraction(row["value"]) for row in rows)
    assert exact_upper_tail({Fraction(1, 4): 4, Fraction(1, 2): 1, Fraction(2, 3): 1}, 5) == hits
    assert exact_upper_tail({Fraction(1, 4): 4}, 3) == unique
    assert null_p(tally.cells).p == pytest.approx(float(p), rel=1e-12)


def test_holm_is_worked_right():
    """In the order of the table."""
    rows = table("p", "worked", "adjusted")
    ps = [float(row["p"]) for row in rows]
    adjusted = [float(row["adjusted"]) for row in rows]
    assert [float(worked(row["worked"])) for row in rows] == pytest.approx(adjusted)
    assert [p.p for p in holm([PValue(p, math.log10(p)) for p in ps])] == pytest.approx(adjusted)


def test_intervals_are_wilsons():
    """Rounded to one decimal."""
    for row in table("hits", "n", "low", "high"):
        ends = wilson(int(row["hits"]), int(row["n"]))
        assert [row["low"], row["high"]] == [percent(Fraction(end)) for end in ends]


def test_detectable_gains_are_the_codes():
    """Of untied items with four options."""
    for row in table("n", "alpha / family", "smallest gain, points"):
        gain = detectable_gain([(4, 1, int(row["n"]), 0)], float(row["alpha / family"]))
        assert gain is not None
        assert row["smallest gain, points"] == rounded(Fraction(gain) * 100)


def test_mcnemar_is_worked_right():
    """By hand and by the code."""
    for row in table("came", "left", "worked", "p"):
        assert worked(row["worked"]) == Fraction(row["p"])
        assert mcnemar_exact(int(row["came"]), int(row["left"])) == pytest.approx(float(Fraction(row["p"])))


# --- verdicts ---


def test_settings_have_the_defaults_of_the_code():
    """Every threshold, and no other."""
    rows = table("setting", "default", "meaning")
    defaults = {row["setting"].replace("-", "_"): float(row["default"]) for row in rows}
    assert defaults == {field.name: field.default for field in fields(Thresholds)}


def test_out_of_scope_reasons_are_all_named():
    """The page names those of the code, in any order."""
    sentence = PAGE[PAGE.index("items with one gold:") :].split(".", 1)[0]
    assert set(sentence.split("`")[1::2]) == OUT_OF_SCOPE


def test_verdicts_are_listed_in_their_order():
    """The order of the rules, and the order of the worst."""
    rules = [line.split("`")[1] for line in PAGE.splitlines() if line[:1].isdigit() and ". `" in line]
    assert rules == ["not-applicable", "too-few", "leak", "incomplete", "slight", "none-found"]
    listed = " ".join(PAGE[PAGE.index("is its worst:") :].split()).split(".", 1)[0]
    assert listed == f"is its worst: severe leak, {', '.join(WORST_FIRST)}"


def verdict_of(cells: list[Cell], defects: int) -> Judged:
    """The verdict of one check in a family of one."""
    check = Check(name="x", score="", version=1, about="", picks="", group="")
    tallies = {"x": Tally.of(cells)}
    counted = Counted(
        key=ALL,
        left_out={"gold-not-in-options": defects},
        gold_position={0: tallies["x"].n},
        tallies=tallies,
    )
    return judge([counted], [check], Thresholds())[0].checks["x"]


def test_the_worst_case_is_worked_right():
    """117 of 250 rows, as dropped, as the worst case has them and as they should be read."""
    dropped, worst, whole = table("rows", "items", "hits", "best rule", "right", "verdict")
    for row in (dropped, worst, whole):
        tally = Tally.of([(2, 1, int(row["items"]), int(row["hits"]))])
        assert (row["best rule"], row["right"]) == (tally.direction, percent(tally.best / tally.n))
    matched: list[Cell] = [(2, 1, int(dropped["items"]), int(dropped["hits"]))]
    assert verdict_of(matched, 133).verdict == dropped["verdict"]
    assert with_defects(Tally.of(matched), 133, hits=False).cells == (
        (2, 1, int(worst["items"]), int(worst["hits"])),
    )
    assert verdict_of([(2, 1, int(whole["items"]), int(whole["hits"]))], 0).verdict == whole["verdict"]


# --- the baseline ---


def test_the_baseline_is_worked_right():
    """Each rule's score, the rule of each half, and the halves scored by each other's rule."""
    scores = [f"{direction} {name}" for name in CHECKS for direction in ("pick", "avoid")]
    rows = table("half", "items", *scores, "chosen here", "right by the other half's rule")
    first, second = (
        {name: Tally.of([(4, 1, int(row["items"]), int(row[f"pick {name}"]))]) for name in CHECKS}
        for row in rows
    )
    for row, half in zip(rows, (first, second), strict=True):
        for name in CHECKS:
            assert half[name].avoided == Fraction(row[f"avoid {name}"])
    whole = {name: first[name] + second[name] for name in CHECKS}
    counted = Counted(key=ALL, left_out={}, gold_position={0: 18}, tallies=whole)
    found = baseline([counted], {ALL: (first, second)}, CHECKS, (), min_rows=1)
    assert found is not None
    rules = [f"{rule.direction} {rule.check}" for rule in found.pooled.rules]
    assert rules == [row["chosen here"] for row in rows]
    assert found.pooled.right == sum(Fraction(row["right by the other half's rule"]) for row in rows)
    right, chance = (percent(part / found.n) for part in (found.pooled.right, found.pooled.chance))
    assert f"{found.pooled.right} of {found.n}, or {right}, and chance {chance}." in PAGE
    flattered = sum(Fraction(row[row["chosen here"]]) for row in rows)
    assert f"would have claimed {flattered} of {found.n}." in " ".join(PAGE.split())


# --- two revisions ---


def test_steps_add_up():
    """Each rate is the mean of its credits, each change a difference, and their sum is the whole."""
    rows = table("step", "credits of the items in the slice", "rate", "change")
    rates = [Fraction(row["rate"]) for row in rows]
    for row, rate in zip(rows, rates, strict=True):
        total = row["credits of the items in the slice"]
        assert worked(total) / len(total.split("+")) == rate, row["step"]
    changes = [Fraction(row["change"]) for row in rows[1:]]
    assert changes == [after - before for before, after in pairwise(rates)]
    assert sum(changes) == rates[-1] - rates[0]
