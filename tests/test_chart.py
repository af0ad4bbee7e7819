"""The chart of the worst slices: which it shows, what it says in words, and that names stay names."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.markdown import code_blocks
from benchaudit.models import ALL
from benchaudit.report.chart import MOST_NAME, MOST_SLICES, chart, plain_label, worst_of
from benchaudit.report.tables import lines_of
from tests.builders import BETWEEN, FAIR, LONGEST, NEW, SHORTEST, compared, paired, release
from tests.hostile import corpus


def drawn(before, after) -> dict[str, tuple[float, str]]:
    """What each row of a chart says: its value and its series."""
    old, new = release(before) if before else None, release(after, sha=NEW)
    comparison = compared(old, new, paired(old, new)) if old else None
    text = chart(lines_of(new.audit, comparison))
    return rows_of(text)


def rows_of(text: str) -> dict[str, tuple[float, str]]:
    """The rows of a chart, each in the series where it has a bar."""
    (block,) = code_blocks(text, "mermaid")
    labels = re.findall(r'"([^"]*)"', next(line for line in block.splitlines() if "x-axis" in line))
    series = [json.loads(line.split(maxsplit=1)[1]) for line in block.splitlines() if "  bar " in line]
    assert all(len(values) == len(labels) for values in series)
    assert len(set(labels)) == len(labels)
    names = ("now", "before")
    return {
        label: max(zip(values, names, strict=False)) for label, *values in zip(labels, *series, strict=True)
    }


CALM = {"maths": FAIR * 15, "art": FAIR * 15}
LEAKY = {"maths": [LONGEST] * 60, "art": FAIR * 15}


def test_a_leak_that_appeared_has_two_bars():
    assert drawn(CALM, LEAKY) == {
        "ALL, pick longest: 62.5 % ▲ +37.5": (62.5, "now"),
        "ALL, before: 25.0 %": (25.0, "before"),
        "maths, pick longest: 100.0 % ▲ +75.0": (100.0, "now"),
        "maths, before: 25.0 %": (25.0, "before"),
    }


def test_a_leak_that_is_gone_is_still_shown_by_the_rule_that_leaked():
    rows = drawn({"maths": [BETWEEN] * 60}, {"maths": FAIR * 15})
    assert rows["maths, avoid longest: 25.0 % ▼ −8.3"] == (25.0, "now")
    assert rows["maths, before: 33.3 %"] == (33.3, "before")


def test_what_did_not_move_by_much_has_one_bar():
    assert drawn(LEAKY, LEAKY) == drawn(None, LEAKY)
    nearly = LEAKY | {"maths": [LONGEST] * 59 + [BETWEEN]}
    assert list(drawn(nearly, LEAKY)) == list(drawn(None, LEAKY))


def test_without_a_leak_there_is_no_chart():
    assert chart(lines_of(release(CALM).audit, None)) == ""


def test_chance_goes_with_the_number_of_options():
    two = {"maths": ["*aa | b"] * 40, "art": [LONGEST] * 40}
    text = chart(lines_of(release(two).audit, None))
    (line,) = [line for line in text.splitlines() if line.startswith("  line ")]
    rows = list(rows_of(text))
    assert dict(
        zip((row.split(",")[0] for row in rows), json.loads(line.split(maxsplit=1)[1]), strict=True)
    ) == {
        "ALL": 37.5,
        "maths": 50.0,
        "art": 25.0,
    }


def test_the_worst_of_many_with_both_directions_among_them():
    slices = {f"long {number}": [LONGEST] * 80 for number in range(20)} | {"short": [SHORTEST] * 30}
    worst = worst_of(lines_of(release(slices).audit, None))
    assert worst[0].key == ALL
    assert len(worst) == 1 + MOST_SLICES
    assert "short" in {line.key[0][1] for line in worst[1:]}
    assert len({line.key for line in worst}) == len(worst)
    sizes = [line.judged.gain for line in worst[1:]]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == Fraction(3, 4)


def test_names_that_say_little_have_their_column():
    """Numbers, truth values and nothing; and each where slices of several columns meet."""
    for value, said in [
        ("17", "topic: 17"),
        ("True", "topic: True"),
        (None, "topic: (missing)"),
        ("x", "topic: x"),
    ]:
        assert any(row.startswith(f"{said}, ") for row in drawn(None, {value: [LONGEST] * 40})), value


def test_names_that_are_cut_alike_stay_apart():
    rows = drawn(None, {"x" * 50 + str(number): [LONGEST] * 40 for number in range(3)})
    cut = "x" * (MOST_NAME - 1) + "…"
    assert [row.split(", ")[0] for row in rows] == ["ALL", cut, f"{cut} (2)", f"{cut} (3)"]


@given(st.one_of(st.text(), st.sampled_from(corpus())))
def test_a_name_holds_no_mark_of_mermaid(text):
    """Nor a line end, a quotation mark, an entity, a directive or a comment."""
    label = plain_label(text)
    assert len(label) <= MOST_NAME
    assert not set(label) & set("\"`#;<>&%{}[]|\\\n\r\t$@*'~!?")


@pytest.mark.parametrize("text", ["ab 12", "a_b-c.d/e", "日本語", "שאלות", "café"])
def test_an_everyday_name_stays_as_it_is(text):
    assert plain_label(text) == text
