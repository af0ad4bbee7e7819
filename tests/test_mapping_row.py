"""Rows: what becomes an item, what is left out, and what is marked for the findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.errors import MappingError
from benchaudit.findings import findings_of
from benchaudit.mapping.batch import bind, find_gold, row_reader
from benchaudit.mapping.literal import Spelled
from benchaudit.mapping.prefixes import prefixes
from benchaudit.mapping.row import MAX_OPTIONS, Item, Row, item_reader, text_of
from benchaudit.models import ColumnMapping, LeftOut
from benchaudit.reading.table import Column, Table

LIST = ColumnMapping(options=("options",), gold="gold", gold_encoding="letter")
APART = ColumnMapping(distractors=("wrong",), gold="gold", gold_encoding="text")


def read(
    mapping: ColumnMapping, options: list[Any], gold: Any, fallback: Any = None, question: str = "?"
) -> Item:
    """The item of a row; `options` are the cells of the option or distractor columns."""
    apart = mapping.gold_apart
    row = Row(
        question=[question],
        options=[] if apart else options,
        distractors=options if apart else [],
        gold=gold,
        gold_fallback=fallback,
    )
    return item_reader(mapping)(row)


def columns(k: int, encoding: str = "letter", **more: Any) -> ColumnMapping:
    """A mapping with one option a column."""
    return ColumnMapping(
        options=tuple(f"option_{'abcdefgh'[place]}" for place in range(k)),
        gold="gold",
        gold_encoding=encoding,
        **more,
    )


def gold_text(item: Item) -> str | None:
    return None if item.gold is None else item.options[item.gold]


LEFT_OUT = {
    "a cell that is no list": (LIST, ["a; b"], "A", "unreadable-options"),
    "a cell of lists": (LIST, [[["a"], ["b"]]], "A", "unreadable-options"),
    "more options than can be": (LIST, [["x"] * (MAX_OPTIONS + 1)], "A", "unreadable-options"),
    "no options": (LIST, [None], "A", "no-options"),
    "an empty list": (LIST, ["[]"], "A", "no-options"),
    "a list of nothing": (LIST, [[None, None]], "A", "no-options"),
    "no option in any column": (columns(2), [None, ""], "A", "no-options"),
    "a list in an option's column": (columns(2), [["a"], "b"], "A", "unreadable-options"),
    "one option": (LIST, [["a"]], "A", "one-option"),
    "one option and a null": (LIST, [["a", None]], "A", "one-option"),
    "no gold": (LIST, [["a", "b"]], None, "unlabelled"),
    "several golds": (LIST, [["a", "b"]], "AB", "several-golds"),
    "a gold that is not there": (LIST, [["a", "b"]], "C", "gold-out-of-range"),
    "a gold that is null": (LIST, [["a", None, "c"]], "B", "gold-not-in-options"),
    "a gold in an empty column": (columns(3), ["a", "", "c"], "B", "gold-not-in-options"),
    "a lone surrogate": (LIST, [["a\ud800", "b"]], "A", "not-unicode"),
    "labels in another order": (LIST, [["B. one", "A. two"]], "A", "gold-ambiguous"),
    "no gold apart": (APART, [["a", "b"]], "", "unlabelled"),
    "no distractors": (APART, [[]], "a", "no-options"),
    "several golds apart": (APART, [["a", "b"]], ["c", "d"], "several-golds"),
    "several golds apart in a text": (APART, [["a", "b"]], '["c", "d"]', "several-golds"),
    "a record for a gold": (APART, [["a", "b"]], {"text": "c"}, "unreadable-options"),
    "distractors that are no list": (APART, ["a and b"], "c", "unreadable-options"),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_row_is_left_out_for_its_reason(name):
    mapping, options, gold, reason = LEFT_OUT[name]
    assert read(mapping, options, gold).left_out == reason


def test_options_stay_as_released():
    item = read(LIST, [["  a ", "None", "b\n", "1.50"]], "A")
    assert item.options == ("  a ", "None", "b\n", "1.50")


def test_a_null_is_no_option_and_moves_the_gold_up():
    item = read(LIST, [["a", None, "c", "d"]], "C")
    assert (item.options, item.gold) == (("a", "c", "d"), 1)


def test_an_empty_cell_is_no_option_but_an_empty_text_in_a_list_is():
    assert read(columns(3), ["a", "", "c"], "C").options == ("a", "c")
    assert read(LIST, [["a", "", "c"]], "C").options == ("a", "", "c")


def test_a_column_is_named_by_its_letter_or_by_its_name():
    mapping = columns(3, "labels")
    assert gold_text(read(mapping, ["x", "y", "z"], "option_b")) == "y"
    assert gold_text(read(columns(3), ["x", "y", "z"], "B")) == "y"


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["(A) x", "(B) y"], ("x", "y")),
        (["A. x", "B. y", "C. z"], ("x", "y", "z")),
        (["A．x", "B．y"], ("x", "y")),
        ([" a) x", "b)y"], ("x", "y")),
        (["(A) x", None, "(C) z"], ("x", "z")),
        (["A. Smith", "J. Jones"], ("A. Smith", "J. Jones")),
        (["A. x", "B. y", "z"], ("A. x", "B. y", "z")),
        (["(B) x", "(C) y"], ("(B) x", "(C) y")),
        (["A.", "B."], ("A.", "B.")),
        (["1. x", "2. y"], ("1. x", "2. y")),
    ],
)
def test_a_label_is_removed_where_every_option_carries_its_own(options, kept):
    assert read(LIST, [options], "A").options == kept


def test_labels_do_not_wrap_behind_z():
    options = [f"{chr(ord('A') + place % 26)}. text" for place in range(28)]
    assert prefixes(options).bare is None


def test_gold_apart_comes_first_and_is_a_text():
    item = read(APART, [["b", "c"]], "a")
    assert (item.options, item.gold) == (("a", "b", "c"), 0)


@pytest.mark.parametrize(
    ("gold", "distractors", "options"),
    [
        ('["a"]', ["b", "c"], ("a", "b", "c")),
        (["a"], ["b", "c"], ("a", "b", "c")),
        ("[1, 2]", ["[2, 1]", "[3]"], ("[1, 2]", "[2, 1]", "[3]")),
        (Spelled("14"), [Spelled("12"), Spelled("15")], ("14", "12", "15")),
        (True, [False], ("true", "false")),
        ("  ", ["b", "c"], ("  ", "b", "c")),
    ],
    ids=[
        "a list in a text",
        "a list",
        "texts that look like lists",
        "numbers",
        "truth values",
        "white space",
    ],
)
def test_a_gold_that_stands_apart(gold, distractors, options):
    assert read(APART, [distractors], gold).options == options


def test_a_text_that_looks_like_a_list_is_one_distractor_in_a_column_of_texts():
    mapping = ColumnMapping(
        distractors=("w1", "w2"), distractor_lists=False, gold="gold", gold_encoding="text"
    )
    assert read(mapping, ["[1, 2]", "x"], "[2]").options == ("[2]", "[1, 2]", "x")


def test_the_fallback_counts_where_the_gold_cell_is_empty():
    mapping = columns(2, gold_fallback="other")
    assert read(mapping, ["a", "b"], None, "B").gold == 1
    assert read(mapping, ["a", "b"], "", ["B"]).gold == 1
    assert read(mapping, ["a", "b"], "A", "B").gold == 0
    assert read(mapping, ["a", "b"], "E", "B").left_out == "gold-out-of-range"
    assert read(mapping, ["a", "b"], None, None).left_out == "unlabelled"


def test_options_in_the_question_are_no_part_of_it():
    mapping = ColumnMapping(
        question=("question",),
        options=("question",),
        options_in_question=True,
        gold="gold",
        gold_encoding="letter",
    )
    text = "Which?\nA. red\nB. blue"
    item = read(mapping, [text], "B", question=text)
    assert (item.question, item.options, item.gold) == ("Which?", ("red", "blue"), 1)
    odd = "Which?\nA. red\nC. blue"
    item = read(mapping, [odd], "B", question=odd)
    assert (item.question, item.left_out) == (odd, "unreadable-options")


def test_a_pair_of_message_lists_is_compared_by_its_last_turns():
    def messages(answer: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": "Hi, what is it?"}, {"role": "assistant", "content": answer}]

    mapping = ColumnMapping(
        distractors=("rejected",), distractor_lists=False, gold="chosen", gold_encoding="text"
    )
    assert read(mapping, [messages("no")], messages("yes")).options == ("yes", "no")
    assert read(columns(2), [messages("no"), messages("yes")], "B").options == ("no", "yes")


def test_marked_turns_are_cut_where_that_is_asked():
    mapping = ColumnMapping(
        distractors=("rejected",), distractor_lists=False, gold="chosen", gold_encoding="text", last_turn=True
    )
    dialogue = "\n\nHuman: Hi\n\nAssistant:"
    assert read(mapping, [f"{dialogue} no"], f"{dialogue} yes").options == (" yes", " no")


def test_options_may_carry_their_own_scores_or_ranks():
    scored = ColumnMapping(options=("target_scores",), gold_encoding="scores")
    assert gold_text(read(scored, [{"red": Spelled("0"), "blue": Spelled("1")}], None)) == "blue"
    ranked = ColumnMapping(options=("answers",), gold_encoding="ranks")
    answers = [{"answer": "red", "rank": Spelled("2")}, {"answer": "blue", "rank": Spelled("1")}]
    assert gold_text(read(ranked, [answers], None)) == "blue"


MARKED = {
    "gold twice": (["a", "b", "a"], "A", {"gold-duplicated", "duplicate-options"}),
    "a distractor twice": (["a", "b", "b"], "A", {"duplicate-options"}),
    "gold twice but for case": (
        ["a", "b", "A"],
        "A",
        {"gold-duplicated-normalised", "duplicate-options-normalised"},
    ),
    "a distractor twice but for white space": (["aaa", "b", " b"], "A", {"duplicate-options-normalised"}),
    "an empty option": (["a", "bb", ""], "B", {"empty-option"}),
    "an empty option as gold": (["a", "bb", ""], "C", {"empty-option", "gold-empty"}),
    "what pandas wrote for an option": (["a", "nan", "ccc"], "A", {"substitute-option"}),
    "what a release writes for no option": (["a", "bb", "N/A"], "A", {"substitute-option"}),
    "what a spreadsheet wrote for an option": (["a", "bb", "#NAME?"], "A", {"substitute-option"}),
    "an option that is called None": (["a", "None", "ccc"], "A", set()),
    "labels on some": (["A. x", "B. y", "zz"], "A", {"label-prefix-partial"}),
    "labels on all": (["A. x", "B. y", "C. zz"], "A", {"label-prefix"}),
    "white space that makes gold the longest": (
        [" aa", "bb", "c"],
        "A",
        {"trimmed-longest-alone-fewer"},
    ),
    "white space that makes gold no longest": (
        ["aa", "bb ", "c"],
        "A",
        {"trimmed-longest-among-more"},
    ),
    "white space that hides the shortest": (
        [" a", "bb", "cc"],
        "A",
        {"trimmed-shortest-alone-more", "trimmed-longest-among-fewer"},
    ),
    "white space that changes nothing": ([" a", " b", " c"], "A", set()),
}


@pytest.mark.parametrize("name", MARKED)
def test_a_row_is_marked(name):
    options, gold, marks = MARKED[name]
    item = read(LIST, [options], gold)
    assert set(item.marks) - {"cell-json", "gold-as-letter"} == marks


def test_a_gold_is_marked_for_its_spelling_and_for_what_was_overlooked():
    text = ColumnMapping(options=("options",), gold="gold", gold_encoding="text")
    assert "gold-trimmed" in read(text, [["ring", "cube"]], "ring ").marks
    assert "gold-type" in read(text, [["1991", "1992"]], Spelled("1992")).marks
    assert "gold-type" not in read(text, ["[1991, 1992]"], Spelled("1992")).marks
    assert "gold-with-text" in read(LIST, [["ring", "cube"]], "(b) cube").marks
    assert "gold-with-text" not in read(LIST, [["ring", "cube"]], "(b)").marks
    assert "gold-as-list" in read(LIST, [["a", "b"]], ["A"]).marks
    assert "gold-nearly" in read(text, [["Ring", "cube"]], "ring.").marks
    assert "gold-nearly" not in read(text, [["Rings", "cube"]], "ring.").marks
    for neither in ("N/A", "?", "tie"):
        assert not {"gold-as-text", "gold-as-several"} & set(read(LIST, [["a", "b"]], neither).marks)


@given(st.lists(st.text(max_size=5) | st.none(), min_size=1, max_size=6), st.integers(0, 7))
def test_gold_keeps_its_text_whatever_nulls_there_are(options, number):
    mapping = ColumnMapping(options=("options",), gold="gold", gold_encoding="index0")
    item = read(mapping, [options], Spelled(str(number)))
    if item.left_out is None:
        bare = prefixes(options).bare or options
        assert gold_text(item) == bare[number]
        assert list(item.options) == [option for option in bare if option is not None]
    else:
        there = [option for option in options if option is not None]
        assert number >= len(options) or options[number] is None or len(there) < 2


@given(st.permutations(["a", "bb", "ccc", "ccc ", ""]), st.integers(0, 4))
def test_the_order_of_options_changes_no_mark(options, number):
    mapping = ColumnMapping(options=("options",), gold="gold", gold_encoding="index0")
    item = read(mapping, [options], Spelled(str(number)))
    turned = read(mapping, [options[::-1]], Spelled(str(4 - number)))
    assert gold_text(item) == gold_text(turned)
    assert item.marks == turned.marks


JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=6) | st.integers(-2, 5).map(lambda n: Spelled(str(n))),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(
    JSON, JSON, st.sampled_from(["text", "letter", "index0", "index1", "labels", "scores", "ranks", "order"])
)
def test_any_cells_become_an_item_or_are_left_out(options, gold, encoding):
    """Nothing that a dataset can hold ends the program."""
    mappings = [
        ColumnMapping(options=("o",), gold="g", gold_encoding=encoding),
        ColumnMapping(options=("o",), gold="g", gold_encoding=encoding, option_separator=";"),
        ColumnMapping(options=("o", "p"), gold="g", gold_encoding=encoding),
        ColumnMapping(options=("o",), gold="g", gold_encoding=encoding, options_in_question=True),
        ColumnMapping(distractors=("o",), gold="g", gold_encoding="text"),
    ]
    for mapping in mappings:
        cells = [options] * max(len(mapping.options), len(mapping.distractors))
        item = read(mapping, cells, gold)
        assert (item.left_out is None) == (item.gold is not None)
        assert item.gold is None or (len(item.options) >= 2 and 0 <= item.gold < len(item.options))


def test_a_value_is_one_text_whatever_container_it_came_from():
    assert text_of(None) is None
    assert text_of(True) == "true"
    assert text_of(Spelled("1.50")) == "1.50"
    assert text_of({"a": [Spelled("1"), None, 'x"\\']}) == '{"a": [1, null, "x\\"\\\\"]}'


def test_no_cell_is_nested_too_deeply_to_be_a_text():
    nested: object = {"a": []}
    for _ in range(2000):
        nested = [nested, Spelled("1")]
    assert text_of(nested) == "[" * 2000 + '{"a": []}' + ", 1]" * 2000


RECORDS = Table(
    file="test.jsonl",
    way="rows",
    path=Path(),
    columns=tuple(
        Column(name=name, sql="record", form="record", path=(name,)) for name in ("options", "gold", "meta")
    ),
)
CELLS = Table(
    file="test.csv",
    way="rows",
    path=Path(),
    columns=tuple(Column(name=name, sql=name, form="text") for name in ("options", "gold", "meta")),
)


def slices(record: str, *names: str) -> tuple[str | None, ...] | None:
    """The values of slice columns in a JSON record."""
    return row_reader(bind(RECORDS, LIST, names))([record], None).slices


def test_slices_reach_into_records_and_keep_their_spelling():
    meta = '{"hard": true, "year": 1.50, "tags": ["x", null], "who": null}'
    record = f'{{"options": ["a", "b"], "gold": "A", "meta": {meta}}}'
    names = ("meta.hard", "meta.year", "meta.tags", "meta.who", "meta.none", "meta.hard.deeper", "@file")
    assert slices(record, *names) == ("true", "1.50", '["x", null]', None, None, None, "test.jsonl")


def test_slices_reach_into_records_that_are_spelled_in_a_text():
    read_row = row_reader(bind(CELLS, LIST, ("meta.hard", "meta")))
    row = read_row(["['a', 'b']", "A", "{'hard': True}"], None)
    assert (row.slices, row.item.gold) == (("True", "{'hard': True}"), 0)
    assert read_row(["['a', 'b']", "A", None], None).slices == (None, None)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ("[1, 2]", "no-record"),
        ("5", "no-record"),
        ("{", "invalid-json"),
        ('{"gold": "A", "gold": "B", "options": ["a", "b"]}', "repeated-name"),
    ],
)
def test_what_is_no_record_is_a_row_left_out_everywhere(record, reason):
    row = row_reader(bind(RECORDS, LIST, ("meta.hard",)))([record], None)
    assert (row.item.left_out, row.slices) == (reason, None)


def test_a_row_is_counted_by_its_options_or_as_unlabelled():
    read_row = row_reader(bind(CELLS, LIST, ()))
    assert "options-2@test.csv" in read_row(["['a', 'b']", "A", None][:2], None).item.marks
    assert "unlabelled@test.csv" in read_row(["['a', 'b']", None], None).item.marks


def test_a_gold_column_may_be_missing_where_another_stands_in_or_records_may_lack_it():
    assert find_gold(CELLS, ColumnMapping(gold="answer", gold_fallback="gold")) is None
    assert find_gold(RECORDS, ColumnMapping(gold="answer")) is None
    for table, name in ((CELLS, "answer"), (RECORDS, "golds")):
        with pytest.raises(MappingError, match=f"has no column '{name}'"):
            find_gold(table, ColumnMapping(gold=name))


def test_a_column_of_another_role_is_no_other_spelling_of_gold():
    """Of `opd` and `cop` two letters are the same, as many as of a slip of the pen."""
    names = ("opc", "opd")
    columns = tuple(Column(name=name, sql="record", form="record", path=(name,)) for name in names)
    table = Table(file="test.jsonl", way="rows", path=Path(), columns=columns)
    assert find_gold(table, ColumnMapping(options=names, gold="cop")) is None
    with pytest.raises(MappingError, match="did you mean 'opd'"):
        find_gold(table, ColumnMapping(gold="cop"))


def marks(**rows: int) -> dict[str, LeftOut]:
    """Rows by mark; `_` stands for `-`, `__` for `@`."""
    return {
        name.replace("__", "@").replace("_", "-"): LeftOut(
            rows=number, defective=False, sample=(f"row of {name}",)
        )
        for name, number in rows.items()
    }


def found(**rows: int) -> dict[str, tuple[int, str]]:
    """Findings of some marks: rows and message by name."""
    return {finding.check: (finding.count, finding.message) for finding in findings_of(marks(**rows))}


def test_one_spelling_is_no_finding_and_two_are():
    assert found(cell_json=5, gold_as_letter=5, labels_as_letters=5, options_4__a=5) == {}
    assert found(cell_json=5, cell_numpy=2) == {
        "mixed-list-cells": (
            2,
            "lists of options are written in more than one way: 5 as JSON, 2 as numpy's print",
        )
    }
    assert found(gold_as_letter=1, gold_as_list=3)["mixed-gold-encodings"][0] == 1
    assert found(labels_as_letters=4, labels_as_digits=2)["mixed-label-styles"][0] == 2


def test_mixed_option_counts_come_with_their_histogram():
    count, message = found(options_3__a=1, options_4__a=1, options_4__b=2, options_11__a=1)[
        "mixed-option-counts"
    ]
    assert count == 2
    assert message.endswith("3 (1), 4 (3), 11 (1)")


def test_labels_in_front_of_some_items_are_a_finding():
    assert found(label_prefix=3, options_4__a=5)["mixed-label-prefixes"][0] == 2
    assert "mixed-label-prefixes" not in found(label_prefix=5, options_4__a=5)


def test_trimmed_figures_are_told_as_steps():
    message = found(trimmed_longest_among_fewer=3, trimmed_longest_alone_fewer=2)["trimmed-longest"][1]
    assert message.endswith(
        "gold would be among the longest in 3 rows fewer; alone the longest in 2 rows fewer"
    )


def test_a_split_without_labels_is_one_note():
    assert found(unlabelled__a=3, unlabelled__b=2, options_4__b=7) == {
        "unlabelled-split": (3, "no item names its gold, so there are no figures: 3 rows in a"),
        "unlabelled-rows": (2, "rows that name no gold are in no figure: 2 rows in b"),
    }
