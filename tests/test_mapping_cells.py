"""List cells: every spelling is read in full, or not at all."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.mapping.cells import Cell, decode_list
from benchaudit.mapping.dialogue import has_turns, last_turn
from benchaudit.mapping.literal import Repeated, Spelled, Unreadable, decode_json, decode_literal
from benchaudit.mapping.marked import marked_options

LISTS = {
    "json": ('["a", "b"]', ["a", "b"]),
    "json with a null": ('["a", null]', ["a", None]),
    "json with numbers as spelled": ("[1.50, 2, 1e3]", ["1.50", "2", "1e3"]),
    "json with truth values": ("[true, false]", ["true", "false"]),
    "json with NaN, a missing value": ('["a", NaN]', ["a", None]),
    "json with a surrogate pair": (r'["\ud83d\ude00", "b"]', ["\U0001f600", "b"]),
    "python": ("['a', 'b']", ["a", "b"]),
    "python with both quotes": ("""["it's", 'a "b"']""", ["it's", 'a "b"']),
    "python with escapes": (
        r"['a\n\'b\'', 'tab\t', '\x41\u00e9\U0001f600', 'c\\d']",
        ["a\n'b'", "tab\t", "Aé\U0001f600", r"c\d"],
    ),
    "python of old": ("[u'a', u'b']", ["a", "b"]),
    "python with constants": ("[True, None, 'None']", ["True", None, "None"]),
    "python tuple": ("('a', 'b')", ["a", "b"]),
    "python with a comma at the end": ("['a', 'b',]", ["a", "b"]),
    "python of one": ("['a']", ["a"]),
    "numpy": ("['a' 'b']", ["a", "b"]),
    "numpy in lines": ("['a'\n 'b'\n \"c's\"]", ["a", "b", "c's"]),
    "numpy numbers": ("[1. 2.5 -3.]", ["1.", "2.5", "-3."]),
    "numpy array": ("array(['a', 'b'], dtype='<U1')", ["a", "b"]),
    "numpy array of objects": ("np.array(['a', None], dtype=object)", ["a", None]),
    "numpy scalars": ("[np.str_('a'), np.str_('b')]", ["a", "b"]),
    "words that say nothing are texts": (
        '["None", "NA", "null", "nan", ""]',
        ["None", "NA", "null", "nan", ""],
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_spelling_is_read(name):
    text, options = LISTS[name]
    cell = decode_list(text)
    assert cell is not None
    assert list(cell.options) == options


UNREADABLE = {
    "texts side by side, which Python would join": "['a''b']",
    "texts side by side with a comma at the end": "['a' 'b',]",
    "a comma missing": "['a', 'b' 'c']",
    "a comma too many": "['a',, 'b']",
    "a triple quote": "['''a''']",
    "a text in brackets": "('a')",
    "texts in brackets": "('a' 'b')",
    "elided by numpy": "['a' 'b' ... 'y' 'z']",
    "elided in json": '["a", ..., "z"]',
    "cut off": "['a', 'b'",
    "cut off in a text": "['a', 'b",
    "bytes": "[b'a', b'b']",
    "a raw text": r"[r'a\n', 'b']",
    "latex by hand": r"['\frac{1}{2}', '\beta']",
    "a name": "[a, b]",
    "a call": "[print('a'), 'b']",
    "a set, which has no order": "{'a', 'b'}",
    "a formatted text": "[f'a', 'b']",
    "text behind the list": "['a', 'b'] and more",
    "a single text": "a; b",
    "a single number": "5",
    "a text in json": '"a"',
    "lists in a list": "[['a'], ['b']]",
    "too deep": "[" * 50 + "]" * 50,
    "far too deep for json": "[" * 100_000,
    "an array of more": "array(['a'], 'b')",
    "a code point that is none": r"['\U00110000', 'b']",
    "records without text": '[{"score": 1, "n": 2}, {"score": 0, "n": 2}]',
    "records with two texts": '[{"text": "a", "answer": "b", "n": 1}, {"text": "c", "answer": "d", "n": 2}]',
    "records and texts": '[{"text": "a"}, "b"]',
    "a dialogue": '[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]',
    "an option named twice": '{"A": "a", "A": "b"}',
    "a scored option named twice": '{"red": 1, "red": 0}',
    "a name twice but for its case": '[{"text": "a", "Text": "b"}, {"text": "c", "Text": "d"}]',
    "labels that do not match": '{"text": ["a", "b"], "label": ["A"]}',
    "scores without being asked for": '{"red": 1, "blue": 0}',
    "two lists of texts": '{"text": ["a"], "choices": ["b"]}',
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_list_in_full_is_unreadable(name):
    with pytest.raises(Unreadable):
        decode_list(UNREADABLE[name])


@pytest.mark.parametrize("value", [None, "", "[]", "{}", [], {}, "None", "null"])
def test_an_empty_cell_has_no_options(value):
    assert decode_list(value) is None


LABELLED = {
    "parallel lists": ({"text": ["a", "b"], "label": ["A", "B"]}, ["A", "B"]),
    "parallel lists, capital": ({"Text": ["a", "b"], "Label": ["1", "2"]}, ["1", "2"]),
    "records": ([{"label": "A", "text": "a"}, {"label": "B", "text": "b"}], ["A", "B"]),
    "records with keys": ([{"key": "x", "value": "a"}, {"key": "y", "value": "b"}], ["x", "y"]),
    "records with numbers": (
        [{"id": Spelled("7"), "text": "a"}, {"id": Spelled("9"), "text": "b"}],
        ["7", "9"],
    ),
    "records of an option and its text": (
        [{"option": "A", "text": "a"}, {"option": "B", "text": "b"}],
        ["A", "B"],
    ),
    "records whose names begin alike": (
        [{"aid": "1", "atext": "a"}, {"aid": "2", "atext": "b"}],
        ["1", "2"],
    ),
    "records of a choice": (
        [{"choice_id": "x", "choice_text": "a"}, {"choice_id": "y", "choice_text": "b"}],
        ["x", "y"],
    ),
    "records of answers": (
        [{"answer_id": "x", "answer": "a"}, {"answer_id": "y", "answer": "b"}],
        ["x", "y"],
    ),
    "records of one": ([{"A": "a"}, {"B": "b"}], ["A", "B"]),
    "a record": ({"A": "a", "B": "b"}, ["A", "B"]),
    "a record in another order": ({"B": "a", "A": "b"}, ["B", "A"]),
}


@pytest.mark.parametrize("name", LABELLED)
def test_a_cell_keeps_its_own_labels(name):
    value, labels = LABELLED[name]
    cell = decode_list(value)
    assert cell == decode_list(json.dumps(value)) or "numbers" in name
    assert cell is not None
    assert (list(cell.options), cell.labels) == (["a", "b"], labels)


def test_a_record_of_numbers_under_short_names_is_options_by_label():
    cell = decode_list('{"A": 1990, "B": 2.50, "C": null}')
    assert cell is not None
    assert (list(cell.options), cell.labels) == (["1990", "2.50", None], ["A", "B", "C"])


def test_scores_come_with_their_options():
    cell = decode_list('{"red": 1, "blue": 0, "not in this row": null}', scored=True)
    assert cell is not None
    assert (list(cell.options), cell.scores) == (["red", "blue"], [1.0, 0.0])


def test_labels_of_zero_and_one_may_be_scores():
    cell = decode_list('{"choices": ["red", "blue"], "labels": [1, 0]}')
    assert cell is not None
    assert (cell.labels, cell.scores) == (["1", "0"], [1.0, 0.0])


def test_records_may_carry_scores_and_ranks():
    records = [{"text": "red", "correct": True, "rank": 2}, {"text": "blue", "correct": False, "rank": 1}]
    cell = decode_list(json.dumps(records))
    assert cell is not None
    assert (cell.scores, cell.ranks) == ([1.0, 0.0], [2.0, 1.0])


def test_a_remark_that_is_no_number_is_no_score():
    records = [{"text": "red", "correct": "yes"}, {"text": "blue", "correct": "no"}]
    assert decode_list(records) == Cell(options=["red", "blue"])


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("w|x|y|z", ["w", "x", "y", "z"]),
        (" w | x|| y ", ["w", "x", "y"]),
        ("only one", ["only one"]),
        ('["w", "x"]', ["w", "x"]),
        ('["w|", "x"]', ['["w', '", "x"]']),
        ("[1]", ["[1]"]),
    ],
)
def test_a_separator_splits_texts_and_leaves_lists(text, options):
    cell = decode_list(text, "|")
    assert cell is not None
    assert list(cell.options) == options


def test_a_name_that_stands_twice_is_remembered():
    assert isinstance(decode_json('{"a": 1, "a": 2}'), Repeated)
    assert type(decode_json('{"a": 1, "b": 2}')) is dict


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_whatever_json_writes_reads_back(options):
    for text in (json.dumps(options), json.dumps(options, ensure_ascii=False, indent=1)):
        cell = decode_list(text)
        assert cell is not None
        assert list(cell.options) == options


@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_whatever_python_writes_reads_back(options):
    cell = decode_list(repr(options))
    assert cell is not None
    assert list(cell.options) == options


@given(st.lists(TEXTS, min_size=2, max_size=6), st.integers(10, 200))
def test_whatever_numpy_writes_reads_back(options, width):
    for array in (np.array(options, dtype=object), np.array(options)):
        with np.printoptions(linewidth=width, threshold=10**9):
            # A trailing NUL does not survive a fixed-width array.
            expected = array.tolist()
            for text in (str(array), repr(array)):
                cell = decode_list(text)
                assert cell is not None
                assert list(cell.options) == expected


@given(st.lists(TEXTS, min_size=20, max_size=30))
def test_what_numpy_elides_is_unreadable(options):
    with np.printoptions(threshold=5), pytest.raises(Unreadable):
        decode_list(str(np.array(options, dtype=object)))


@given(st.lists(st.floats(allow_nan=False) | st.integers(), min_size=1, max_size=6))
def test_numbers_keep_their_spelling(numbers):
    texts = [json.dumps(number) for number in numbers]
    if not any(math.isinf(number) for number in numbers):
        cell = decode_list("[" + ",".join(texts) + "]")
        assert cell is not None
        assert list(cell.options) == texts


@given(st.text(max_size=60))
def test_any_text_is_read_or_unreadable(text):
    for way in (decode_list, decode_literal):
        try:
            way(text)
        except Unreadable:
            continue


@given(st.text("['\"\\, ab1.()u{}:", max_size=40))
def test_a_python_list_is_never_read_otherwise(text):
    """Where Python and this reader both read a list of texts, they read the same."""
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError):
        return
    try:
        value, style = decode_literal(text)
    except Unreadable:
        return
    if style == "python" and isinstance(expected, list) and all(isinstance(item, str) for item in expected):
        assert value == expected
    assert style != "numpy" or not isinstance(expected, list) or len(expected) < len(value)


MARKED = {
    "one line": ("Which? A. red B. blue", "Which?", ["red", "blue"]),
    "lines": ("Which?\nA. red\nB. blue\nC. green\n", "Which?", ["red", "blue", "green"]),
    "brackets": ("Which? (A) red (B) blue", "Which?", ["red", "blue"]),
    "small letters in brackets": ("Which? (a) red (b) blue", "Which?", ["red", "blue"]),
    "half brackets": ("Which? A) red B) blue", "Which?", ["red", "blue"]),
    "full width": ("哪个?\nＡ．红  Ｂ．蓝", "哪个?", ["红", "蓝"]),
    "full width sign": ("哪个（　）\nA．红\nB．蓝", "哪个（　）", ["红", "蓝"]),
    "run together": ("哪个\nA．红\nB．蓝色的C．绿", "哪个", ["红", "蓝色的", "绿"]),
    "Chinese commas": ("哪个\nA、红 B、RNA、蓝", "哪个", ["红", "RNA、蓝"]),
    "a vitamin before": ("Vitamin A. Which? A. red B. blue", "Vitamin A. Which?", ["red", "blue"]),
    "a formula": ("Let $C: x=1$. Then A. 1 B. 2", "Let $C: x=1$. Then", ["1", "2"]),
    "Roman numerals": (
        "Which? A. I. only B. II. only C. I. and X. too",
        "Which?",
        ["I. only", "II. only", "I. and X. too"],
    ),
    "a list with commas": ("a ) 38 , b ) 27.5 , c ) none of these", "", ["38", "27.5", "none of these"]),
    "a comma of its own": ("Which? A. red, B. blue; C. a, b", "Which?", ["red,", "blue;", "a, b"]),
}


@pytest.mark.parametrize("name", MARKED)
def test_options_inside_a_text_are_found(name):
    text, stem, options = MARKED[name]
    marked = marked_options(text)
    assert (marked.stem, list(marked.cell.options)) == (stem, options)


UNMARKED = {
    "none": "Which of them?",
    "one": "Which? A. red",
    "a letter missing": "Which? A. red B. blue D. green",
    "a letter that could be one more": "Which? A.1 B.2C.3",
    "a letter twice": "Which? A. red B. blue B. green",
    "an option that ends in a mark": "Which? A. red B. vitamin C.",
    "two dresses": "Is (A) before (B)? A. yes B. no",
    "a dress in the last option": "Which? A. red B. blue C. A) and B) are right",
    "an empty option": "Which? A. B. blue C. green",
    "a cue for the answer": "Which? A. red B. blue\nAnswer:",
    "a cue in full width": "哪个？A．红 B．蓝\n答案：",
}


@pytest.mark.parametrize("name", UNMARKED)
def test_a_doubtful_text_is_unreadable(name):
    with pytest.raises(Unreadable):
        marked_options(UNMARKED[name])


@given(st.lists(st.text("abc xyz,;", min_size=1).map(str.strip).filter(bool), min_size=2, max_size=26))
def test_marked_options_read_back(options):
    plain = [option.strip(" ,;") or "x" for option in options]
    text = "Which?" + "".join(f"\n{chr(ord('A') + place)}. {option}" for place, option in enumerate(plain))
    assert list(marked_options(text).cell.options) == plain


DIALOGUES = {
    "messages": ([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}], False, "Ho"),
    "messages of another kind": (
        [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Ho"}],
        False,
        "Ho",
    ),
    "messages in a text": (
        '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]',
        False,
        "Ho",
    ),
    "parts": (
        [{"role": "assistant", "content": [{"type": "text", "text": "H"}, {"type": "text", "text": "o"}]}],
        False,
        "Ho",
    ),
    "marked turns": ("\n\nHuman: Hi\n\nAssistant: Ho", True, " Ho"),
    "marked turns that are not asked for": (
        "\n\nHuman: Hi\n\nAssistant: Ho",
        False,
        "\n\nHuman: Hi\n\nAssistant: Ho",
    ),
    "a plain text": ("Ho", True, "Ho"),
    "nothing": (None, True, None),
    "a list of texts": (["Hi", "Ho"], True, ["Hi", "Ho"]),
}


@pytest.mark.parametrize("name", DIALOGUES)
def test_the_last_turn_of_a_dialogue(name):
    value, marked, said = DIALOGUES[name]
    assert last_turn(value, marked=marked) == said


@pytest.mark.parametrize(
    "content",
    [[{"type": "image"}], [{"type": "text", "text": "a"}, {"type": "image"}], [], {"text": "a"}],
    ids=["an image", "a text and an image", "no parts", "a record"],
)
def test_a_turn_that_is_more_than_text_is_unreadable(content):
    with pytest.raises(Unreadable):
        last_turn([{"role": "assistant", "content": content}], marked=False)


@pytest.mark.parametrize(
    ("value", "several"),
    [
        ([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}], True),
        ([{"role": "assistant", "content": "Ho"}], False),
        ("\n\nHuman: Hi\n\nAssistant: Ho", True),
        ("Ho", False),
        (None, False),
    ],
)
def test_several_turns_are_seen(value, several):
    assert has_turns(value) is several
