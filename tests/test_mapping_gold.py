"""Gold: every encoding names the option that its release means, or a reason why it names none."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.mapping.cells import Cell
from benchaudit.mapping.gold import Named, Unresolved, own_position, position, spelling
from benchaudit.mapping.literal import Spelled, Unreadable
from benchaudit.mapping.prefixes import prefixes
from benchaudit.mapping.unnamed import nearly_named

WXYZ = ("w", "x", "y", "z")


def place(
    gold: Any, encoding: str, options: Sequence[str | None] = WXYZ, separator: str = "", **more: Any
) -> int:
    """The place that a gold cell names among some options."""
    return named(gold, encoding, options, separator, **more).place


def named(
    gold: Any, encoding: str, options: Sequence[str | None] = WXYZ, separator: str = "", **more: Any
) -> Named:
    """What a gold cell names among some options, labels taken off for the second look."""
    bare = prefixes(options).bare or options
    return position(gold, encoding, Cell(options=options, **more), bare, separator)


def reason(
    gold: Any, encoding: str, options: Sequence[str | None] = WXYZ, separator: str = "", **more: Any
) -> str:
    """Why a gold cell names no option."""
    with pytest.raises(Unresolved) as caught:
        place(gold, encoding, options, separator, **more)
    return caught.value.reason


@pytest.mark.parametrize(
    "letter",
    [
        "C",
        "c",
        "(C)",
        "(c)",
        "[C]",
        "\ufeffC",
        "C\u200b",
        "C.",
        "C)",
        "C:",
        " C ",
        "**C**",
        "`C`",
        "'C'",
        "$C$",
        "{C}",
        "<C>",
        "(C).",
        "Ｃ",
        "（Ｃ）",
        "【C】",
        "「C」",
        "C．",
        "C、",
        "Option C",
        "option_c",
        "Choice C",
        "choice: C",
        "Answer: C",
        "answer (C)",
        "model_c",
        "OptionC",
    ],
)
def test_a_letter_is_read_in_any_dress(letter):
    assert place(letter, "letter") == 2


@pytest.mark.parametrize(
    "text", ["Cat", "options", "!", "C D E F?", "C or so", "-C", "CHOICE", "Œ", "Option", "()"]
)
def test_a_word_is_no_letter(text):
    assert reason(text, "letter") in {"gold-malformed", "gold-out-of-range"}


@given(st.integers(0, 25), st.integers(2, 26))
def test_letters_count_to_z_and_never_wrap(number, k):
    letter = chr(ord("A") + number)
    options = [f"option {place}" for place in range(k)]
    if number < k:
        assert place(letter, "letter", options) == number
        assert place(letter.lower(), "letter", options) == number
    else:
        assert reason(letter, "letter", options) == "gold-out-of-range"


@pytest.mark.parametrize("text", ["AA", "[", "a", "\\"])
def test_what_stands_for_the_places_behind_z_is_not_guessed(text):
    options = [f"option {place}" for place in range(30)]
    assert reason(text, "letter", options) in {"gold-malformed", "gold-ambiguous"}


@pytest.mark.parametrize(
    ("text", "best"),
    [("A>B", 0), ("B>A", 1), ("A >> B", 0), ("a", 0), ("[[B>>A]]", 1), ("A<B", 1), ("**B > A**", 1)],
)
def test_of_two_options_a_comparison_names_the_better(text, best):
    assert place(text, "letter", ["x", "y"]) == best


def test_a_comparison_of_equals_is_a_tie_and_one_of_two_among_more_says_nothing():
    assert reason("[[A=B]]", "letter", ["x", "y"]) == "several-golds"
    assert reason("A>B", "letter", ["x", "y", "z"]) == "gold-malformed"
    assert reason("A<C", "letter", ["x", "y"]) == "gold-out-of-range"
    assert reason("A>A", "letter", ["x", "y"]) == "gold-malformed"


SEVERAL = {
    "letters run together": ("AD", "letter"),
    "letters with commas": ("A, D", "letter"),
    "letters with words": ("A and D", "letter"),
    "letters with slashes": ("a/d", "letter"),
    "letters in Chinese": ("A、D", "letter"),
    "letters in brackets": ("(A) (D)", "letter"),
    "letters in one pair of brackets": ("(A, D)", "letter"),
    "a list of letters": (["A", "D"], "letter"),
    "a list of letters in a text": ("['A', 'D']", "letter"),
    "a list of letters in json": ('["A", "D"]', "letter"),
    "a list of letters by numpy": ("['A' 'D']", "letter"),
    "places with a comma": ("0, 3", "index0"),
    "places with a semicolon": ("1;4", "index1"),
    "a list of places": ([Spelled("0"), Spelled("3")], "index0"),
    "a list of places in a text": ("[0, 3]", "index0"),
    "a list of texts": (["w", "z"], "text"),
    "a list of texts in a text": ("['w', 'z']", "text"),
    "two scores of one": ("[1, 0, 0, 1]", "scores"),
    "two first ranks": ("[1, 2, 2, 1]", "ranks"),
    "a tie": ("tie (bothbad)", "letter"),
    "two that are bad": ("both_bad", "letter"),
    "neither of two": ("Neither", "letter"),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_golds_are_several_golds(name):
    gold, encoding = SEVERAL[name]
    assert reason(gold, encoding) == "several-golds"


def test_joined_golds_are_several_where_the_separator_is_known():
    assert reason("w; z", "text", separator=";") == "several-golds"
    assert place("w; z", "text", ["w; z", "x"], separator=";") == 0
    assert place(" x ;", "text", separator=";") == 1


def test_several_labels_are_several_golds():
    assert reason("AD", "labels", labels=["A", "B", "C", "D"]) == "several-golds"
    assert reason(["1", "4"], "labels", labels=["1", "2", "3", "4"]) == "several-golds"
    assert reason("tie", "labels", labels=["model_a", "model_b"]) == "several-golds"


REASONS = {
    "no gold": (None, "letter", "unlabelled"),
    "an empty text": ("", "text", "unlabelled"),
    "white space": ("  ", "letter", "unlabelled"),
    "an empty list": ([], "letter", "unlabelled"),
    "a list of nothing": ([None, ""], "letter", "unlabelled"),
    "a place of minus one": (Spelled("-1"), "index0", "unlabelled"),
    "a place of minus one, from one": ("-1", "index1", "unlabelled"),
    "scores of nothing": ("[0, 0, 0, 0]", "scores", "unlabelled"),
    "hidden scores": ("[-1, -1, -1, -1]", "scores", "unlabelled"),
    "an empty list of scores": ([], "scores", "unlabelled"),
    "a place that is not there": ("4", "index0", "gold-out-of-range"),
    "a place before the first": ("0", "index1", "gold-out-of-range"),
    "a negative place": ("-2", "index0", "gold-out-of-range"),
    "a letter that is not there": ("E", "letter", "gold-out-of-range"),
    "one of several letters that is not there": ("AE", "letter", "gold-out-of-range"),
    "a text that is not there": ("v", "text", "gold-not-in-options"),
    "one of several texts that is not there": (["w", "v"], "text", "gold-not-in-options"),
    "the same letter twice": ("CC", "letter", "gold-malformed"),
    "a number with a fraction": ("1.5", "index0", "gold-malformed"),
    "a number of many digits": ("1" * 400, "index0", "gold-malformed"),
    "a truth value for a place": (True, "index0", "gold-malformed"),
    "a record": ({"a": 1}, "letter", "gold-malformed"),
    "a list of lists": ([["A"]], "letter", "gold-malformed"),
    "too few scores": ("[0, 1, 0]", "scores", "gold-malformed"),
    "scores that are no numbers": ('["a", "b", "c", "d"]', "scores", "gold-malformed"),
    "a single score": ("1", "scores", "gold-malformed"),
    "an order with a gap": ("[3, 1, 0, 4]", "order", "gold-malformed"),
    "an order with a repeat": ("[1, 1, 2, 3]", "order", "gold-malformed"),
    "an order of some": ("[2, 1]", "order", "gold-malformed"),
}


@pytest.mark.parametrize("name", REASONS)
def test_what_names_no_option_has_its_reason(name):
    gold, encoding, expected = REASONS[name]
    assert reason(gold, encoding) == expected


PLACES = {
    "from 0": (Spelled("2"), "index0"),
    "from 1": (Spelled("3"), "index1"),
    "as pandas writes it beside empty cells": ("2.0", "index0"),
    "in brackets": ("(2)", "index0"),
    "with a dot": ("2.", "index0"),
    "in a list": (["C"], "letter"),
    "in a list in a text": ("[2]", "index0"),
    "a number in a column of letters counts from 0": ("2", "letter"),
    "a number in a list in a column of letters": ([Spelled("2")], "letter"),
    "a letter with its text": ("C. y", "letter"),
    "a letter in brackets with its text": ("(c) y ", "letter"),
    "by its text": ("y", "text"),
    "one-hot": ("[0, 0, 1, 0]", "scores"),
    "one-hot by numpy": ("[0. 0. 1. 0.]", "scores"),
    "one-hot in truth values": ([False, False, True, False], "scores"),
    "one-hot in texts": (["0", "0", "1", "0"], "scores"),
    "the highest score": ("[-3.5, -2.0, -1.25, null]", "scores"),
    "the lowest rank": ("[3, 2, 1, 4]", "ranks"),
    "the lowest rank from 0": ("[3, 2, 0, 1]", "ranks"),
    "the first of an order": ("[2, 0, 1, 3]", "order"),
    "the first of an order from 1": ("[3, 1, 2, 4]", "order"),
    "the first of an order of letters": ("['C', 'A', 'B', 'D']", "order"),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_gold_names_its_place(name):
    gold, encoding = PLACES[name]
    assert place(gold, encoding) == 2


def test_a_text_that_is_an_option_is_gold_even_if_it_looks_like_a_list():
    assert place("[1, 2]", "text", ["[2, 1]", "[1, 2]"]) == 1
    assert place('["x"]', "text", ['["w"]', '["x"]']) == 1


@pytest.mark.parametrize("encoding", ["letter", "index0", "index1", "labels", "text"])
@pytest.mark.parametrize("gold", ["?", "-", "N/A", "nan", "NULL", " hidden ", "TBD", "Not released", "<NA>"])
def test_what_stands_for_a_hidden_gold_is_none(gold, encoding):
    labels = {"labels": ["A", "B", "C", "D"]} if encoding == "labels" else {}
    assert reason(gold, encoding, **labels) == "unlabelled"


def test_what_could_stand_for_a_hidden_gold_is_one_where_it_names_an_option():
    assert place("None", "text", ["w", "None"]) == 1
    assert place(" N/A", "text", ["w", "N/A"]) == 1
    assert place("?", "labels", labels=["!", "?", "-", "*"]) == 1
    assert reason("None", "text") == reason("unknown", "text") == "gold-not-in-options"
    assert reason("None", "letter") == "unlabelled"


@pytest.mark.parametrize(
    ("gold", "option"),
    [
        ("paris", "Paris"),
        ("Paris", "Paris."),
        ("two words", "two  words"),
        ("two words", "two\u00a0words"),
        ("café", "cafe\u0301"),
        ("ab", "a\u200bb"),
        ("2", "2.0"),
        ("3.50", "3.5"),
    ],
)
def test_a_gold_that_is_nearly_an_option_is_told_from_another_text(gold, option):
    assert reason(gold, "text", ["x", option]) == "gold-not-in-options"
    assert nearly_named([gold], ["x", option])
    assert not nearly_named([gold], ["x", f"{option} too", "", None])
    assert not nearly_named(["."], ["x", "!"])


def test_a_text_is_found_exactly_before_it_is_trimmed():
    assert named(" y", "text", ["y", " y"]) == Named(place=1)
    assert named("y ", "text", ["x", " y"]) == Named(place=1, exact=False)
    assert reason("y  ", "text", ["y", " y"]) == "gold-ambiguous"


def test_equal_options_are_one_gold_at_the_first_place():
    assert place("two", "text", ["one", "two", "three", "two"]) == 1


def test_a_text_may_come_with_its_label_or_without():
    labelled = ["(A) red", "(B) blue"]
    assert place("(B) blue", "text", labelled) == 1
    assert named("blue", "text", labelled) == Named(place=1)
    assert named("blue ", "text", labelled) == Named(place=1, exact=False)


def test_a_null_keeps_its_place_and_is_no_gold():
    assert place("C", "letter", ["w", None, "y"]) == 2
    for gold, encoding in (("B", "letter"), ("1", "index0"), ("[0, 1, 0]", "scores"), ("[1, 0, 2]", "order")):
        assert reason(gold, encoding, ["w", None, "y"]) == "gold-not-in-options"


def test_a_number_and_a_truth_value_find_their_text():
    assert place(Spelled("1992"), "text", ["1991", "1992"]) == 1
    assert reason(Spelled("1992.0"), "text", ["1991", "1992"]) == "gold-not-in-options"
    assert place(True, "text", ["No", "True"]) == 1
    assert place(False, "text", ["true", "false"]) == 1
    assert reason(True, "text", ["true", "True"]) == "gold-ambiguous"
    assert reason(True, "text", ["yes", "no"]) == "gold-not-in-options"


LABELS = {
    "a letter": ("B", ["A", "B"]),
    "a digit": ("2", ["1", "2"]),
    "a number": (Spelled("2"), ["1", "2"]),
    "a word": ("second", ["first", "second"]),
    "a dressed letter": ("(b)", ["A", "B"]),
    "a dressed label": ("B", ["(A)", "(B)"]),
    "the labels' own order": ("A", ["B", "A"]),
    "case where it counts": ("a", ["A", "a"]),
    "white space around it": (" second ", ["first", "second"]),
    "case and marks of a name": ("Response 2", ["response_1", "response_2"]),
}


@pytest.mark.parametrize("name", LABELS)
def test_a_key_belongs_to_the_labels_of_its_row(name):
    key, labels = LABELS[name]
    assert place(key, "labels", ["w", "x"], labels=labels) == 1


def test_a_letter_may_come_with_the_text_of_its_option_and_of_no_other():
    options = ["A. a heron", "B. reeds", "C. moss"]
    assert place("(b) reeds", "letter", options) == 1
    assert place("B: B. reeds", "letter", options) == 1
    for gold in ("B. moss", "D. reeds", "B. the reeds"):
        assert reason(gold, "letter", options) == "gold-malformed"
    assert place("B. ", "letter", options) == 1


def test_letters_of_a_row_in_another_order_are_its_labels():
    assert place("A", "letter", ["w", "x"], labels=["B", "A"]) == 1
    assert place("A", "letter", ["w", "x"], labels=["A", "B"]) == 0
    assert place("A", "letter", ["w", "x"], labels=["opa", "opb"]) == 0


def test_a_key_that_is_no_label_is_a_defect():
    assert reason("-1", "labels", labels=["1", "2", "3", "4"]) == "unlabelled"
    assert reason("1", "labels", labels=["A", "B", "C", "D"]) == "gold-not-in-options"
    assert reason("b", "labels", ["w", "x", "y"], labels=["A", "B", "(B)"]) == "gold-ambiguous"


def test_labels_that_are_not_there_make_the_options_unreadable():
    with pytest.raises(Unreadable):
        place("A", "labels")


def test_an_option_cell_may_carry_its_own_scores_or_ranks():
    options = ["w", "x", None]
    assert own_position(Cell(options=options, scores=[0, 1, 5]), "scores") == 1
    assert own_position(Cell(options=options, ranks=[2, 1, 0]), "ranks") == 1
    with pytest.raises(Unreadable):
        own_position(Cell(options=options, scores=[0, 1, 5]), "ranks")


SPELLINGS = {
    "letter": ("(b)", "letter"),
    "several": ("A, C", "letter"),
    "number": ("2", "letter"),
    "list": ("['A']", "letter"),
    "text": ("none of these", "letter"),
    "truth": (True, "text"),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_the_spelling_of_a_gold_is_named(name):
    assert spelling(*SPELLINGS[name]) == name


def test_a_letter_among_texts_is_a_text():
    assert spelling("A", "text") == "text"
    assert spelling(Spelled("5"), "text") == "number"


TEXTS = st.text(max_size=8) | st.integers(-3, 9).map(lambda n: Spelled(str(n))) | st.booleans() | st.none()
ENCODINGS = ("text", "letter", "index0", "index1", "labels", "scores", "ranks", "order")


@given(
    TEXTS | st.lists(TEXTS, max_size=4),
    st.sampled_from(ENCODINGS),
    st.lists(st.text(max_size=4) | st.none(), min_size=1, max_size=5),
    st.sampled_from(["", ";"]),
)
def test_any_gold_names_an_option_or_has_a_reason(gold, encoding, options, separator):
    labels = [str(number) for number in range(len(options))]
    found: int | None = None
    with contextlib.suppress(Unresolved):
        found = place(gold, encoding, options, separator, labels=labels)
    assert found is None or options[found] is not None


@given(st.lists(st.text(max_size=6), min_size=2, max_size=6), st.data())
def test_every_encoding_of_one_gold_names_one_text(options, data):
    number = data.draw(st.integers(0, len(options) - 1))
    one_hot = [Spelled(str(int(number == other))) for other in range(len(options))]
    found = {
        options[place(chr(ord("A") + number), "letter", options)],
        options[place(Spelled(str(number)), "index0", options)],
        options[place(Spelled(str(number + 1)), "index1", options)],
        options[place(one_hot, "scores", options)],
    }
    if options[number].strip():
        found.add(options[place(options[number], "text", options)])
    assert found == {options[number]}
