"""Quick items are those of the definition, row by row, or are left to it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.mapping.batch import bind, row_reader
from benchaudit.mapping.letters import half_width
from benchaudit.mapping.quick import FOLDED_ALIKE, UNCERTAIN, quick_items
from benchaudit.mapping.row import Item
from benchaudit.models import ColumnMapping
from benchaudit.reading.schema import Field, cell_of, kind_of
from benchaudit.reading.table import Column, Table

PIECES = (
    *("a", "b", "B", "word", "Ça", "ça", "straße", "STRASSE", "ſ", "s", "İ", "i", "ﬁ", "K", "k", "µ", "μ"),
    *("ς", "Σ", "中", "ｂ", "Ｂ", "я", "Я", "😀", "e\u0301", "é", "1", "1.50", "None", "nan", "null", "True"),
    *("#NAME?", "<NA>", "?", "finance"),
    *(" ", "  ", "\n", "\t", "\r", "\x0b", "\x1c", "\x1f", "\x85", "\xa0", "\u2028", "\u3000", "\ufeff"),
    *("'", '"', "\\", "\\n", "\\u0041", ",", ", ", "', '", '", "', "[", "]", "{", "}", "[]", '["x"]', "\0"),
    *(
        "(",
        ")",
        "A. ",
        "B. ",
        "(a) ",
        "(b) ",
        "A) ",
        "B) ",
        "Ａ．",
        "Ｂ．",
        "「a」",
        "A、",
        "[A]",
        "I'm",
        "ŉ",
    ),
)
_PLAIN = st.sampled_from(["one", "two", "three", "four", "x", "nan"])
# Most rows have to be nearly plain: where everything is odd, nothing is certain.
NEARLY_PLAIN = st.builds("{}{}{}".format, _PLAIN, st.sampled_from(["", *PIECES]), st.just("") | _PLAIN)
TEXTS = _PLAIN | NEARLY_PLAIN | st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
LISTS = st.lists(TEXTS | st.sampled_from(["yes", "no", "maybe", "never"]) | st.none(), max_size=5)


RAW = "(SELECT *, 0 AS file_index, NULL::VARCHAR AS unreadable FROM raw)"
"""The way to the rows of tests, which are in no file."""


def spelled(texts: Sequence[str | None], way: int, cut: int, put: str) -> str:
    """A list as a text: in one of the ways that programs write it, at times with something wrong in it."""
    ways = (
        repr,
        json.dumps,
        lambda value: json.dumps(value, ensure_ascii=False),
        lambda value: json.dumps(value, separators=(",", ":")),
        lambda value: " ".join(map(repr, value)),
        str,
    )
    text = ways[way](list(texts))
    return text[:cut] + put + text[cut + len(put) // 2 :] if cut >= 0 else text


CELLS = st.builds(
    spelled,
    LISTS,
    st.integers(0, 5),
    st.integers(-20, 20),
    st.sampled_from(["", "'", '"', "\\", ",", " ", "x"]),
)
GOLDS = st.sampled_from(
    [
        "A",
        "b",
        "C.",
        "(d)",
        "Z",
        "0",
        "1",
        "2",
        "03",
        "-1",
        "1.0",
        " 1",
        "٣",
        "AB",
        "",
        "yes",
        "?",
        "N/A",
        "None",
        "nan",
    ]
)
SHAPES: dict[str, tuple[ColumnMapping, dict[str, str], tuple[Any, ...]]] = {
    "list, index": (
        ColumnMapping(options=("o",), gold="g", gold_encoding="index0"),
        {"o": "VARCHAR[]", "g": "BIGINT"},
        (LISTS, st.integers(-2, 6)),
    ),
    "list, index of any size": (
        ColumnMapping(options=("o",), gold="g", gold_encoding="index1"),
        {"o": "VARCHAR[]", "g": "UBIGINT"},
        (LISTS, st.integers(0, 6) | st.just(2**64 - 1)),
    ),
    "list, text": (
        ColumnMapping(options=("o",), gold="g", gold_encoding="text"),
        {"o": "VARCHAR[]", "g": "VARCHAR"},
        (LISTS, TEXTS | GOLDS | CELLS),
    ),
    "cell, letter": (
        ColumnMapping(options=("o",), gold="g", gold_encoding="letter"),
        {"o": "VARCHAR", "g": "VARCHAR"},
        (CELLS, GOLDS),
    ),
    "cell, index": (
        ColumnMapping(options=("o",), gold="g", gold_encoding="index1"),
        {"o": "VARCHAR", "g": "VARCHAR"},
        (CELLS, GOLDS),
    ),
    "columns, letter": (
        ColumnMapping(options=("a", "b", "c"), gold="g", gold_encoding="letter"),
        {"a": "VARCHAR", "b": "VARCHAR", "c": "VARCHAR", "g": "VARCHAR"},
        (TEXTS | CELLS, TEXTS, TEXTS, GOLDS),
    ),
    "columns, text": (
        ColumnMapping(options=("a", "b"), gold="g", gold_encoding="text", gold_fallback="f"),
        {"a": "VARCHAR", "b": "VARCHAR", "g": "VARCHAR", "f": "VARCHAR"},
        (TEXTS, TEXTS, TEXTS | GOLDS | st.none(), TEXTS | st.none()),
    ),
    "distractor list": (
        ColumnMapping(distractors=("d",), gold="g", gold_encoding="text"),
        {"d": "VARCHAR[]", "g": "VARCHAR"},
        (LISTS, TEXTS | CELLS | st.none()),
    ),
    "distractor cell": (
        ColumnMapping(distractors=("d",), gold="g", gold_encoding="text", gold_fallback="f"),
        {"d": "VARCHAR", "g": "VARCHAR", "f": "VARCHAR"},
        (CELLS, TEXTS | CELLS, TEXTS | st.none()),
    ),
    "distractor columns": (
        ColumnMapping(distractors=("d", "e"), distractor_lists=False, gold="g", gold_encoding="text"),
        {"d": "VARCHAR", "e": "VARCHAR", "g": "VARCHAR"},
        (TEXTS, TEXTS | CELLS, TEXTS | CELLS),
    ),
}
"""Mapping, types of the columns, and cells of each."""


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def table_of(rows: Sequence[Sequence[Any]], types: dict[str, str], connection: Any) -> Table:
    """A table of these rows, its columns described as reading describes them."""
    fields = ", ".join(f"c{place} {kind}" for place, kind in enumerate(types.values()))
    connection.execute(f"CREATE OR REPLACE TEMP TABLE raw ({fields})")
    marks = ", ".join(f"({', '.join('?' * len(types))})" for _ in rows)
    connection.execute(f"INSERT INTO raw VALUES {marks}", [cell for row in rows for cell in row])
    kinds = connection.table("raw").types
    columns = []
    for place, name in enumerate(types):
        sql, form = cell_of(f"c{place}", Field(name=name), kinds[place])
        columns.append(Column(name=name, sql=sql, form=form, kind=kind_of(kinds[place]), typed=f"c{place}"))
    return Table(file="it's.csv", way=RAW, path=Path(), columns=tuple(columns))


def tuple_of(item: Item) -> tuple[Any, ...]:
    return item.question, list(item.options), item.gold, item.left_out, list(item.marks)


def both(
    mapping: ColumnMapping, types: dict[str, str], rows: Sequence[Sequence[Any]], connection: Any
) -> tuple[list[Any], list[Any]]:
    """The rows read quickly, and by the definition; where the quick way is not certain, both are that."""
    table = table_of(rows, {**types, "q": "VARCHAR", "s": "BIGINT"}, connection)
    return compared(table, mapping, connection)


def compared(table: Table, mapping: ColumnMapping, connection: Any) -> tuple[list[Any], list[Any]]:
    """The rows of a table read quickly, and by the definition."""
    binding = bind(table, mapping, ["@file", "s"])
    sql = quick_items([binding], table.relation)
    assert sql is not None
    quick = [row[1:] for row in connection.execute(sql).fetchall()]
    raw = connection.execute(f"SELECT {', '.join(binding.arguments)} FROM {table.relation}").fetchall()
    read = row_reader(binding)
    defined = [read(cells, None) for cells in raw]
    wanted = [(row.id, *tuple_of(row.item), list(row.slices or ())) for row in defined]
    certain = [row[4] is None for row in quick]
    return (
        [row if sure else UNCERTAIN for row, sure in zip(quick, certain, strict=True)],
        [row if sure else UNCERTAIN for row, sure in zip(wanted, certain, strict=True)],
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_a_certain_row_is_what_the_definition_makes_of_it(shape, connection):
    mapping, types, cells = SHAPES[shape]
    asked = ColumnMapping(
        **{**{f: getattr(mapping, f) for f in mapping.__slots__}, "question": ("q", "s"), "id": "q"}
    )

    @given(st.lists(st.tuples(*cells, TEXTS | st.none(), st.integers(-3, 3) | st.none()), max_size=12))
    def holds(rows: list[tuple[Any, ...]]) -> None:
        if rows:
            quick, defined = both(asked, types, rows, connection)
            assert quick == defined

    holds()


PLAIN = {
    "list, index": (["one", "two", "Three"], 2),
    "list, index of any size": (["(one", "two"], 1),
    "list, text": (["I'm one", "two"], "two"),
    "cell, letter": ("['one', 'two \"x\"', '中文']", "C"),
    "cell, index": ('["caf\\u00e9", "say \\"x\\""]', "1"),
    "columns, letter": ("one", "two", "naïve", "b"),
    "columns, text": ("one", "two", "one", None),
    "distractor list": (["one", "ONE more"], "two"),
    "distractor cell": ("""["it's", 'one']""", "two", None),
    "distractor columns": ("A. one", "B. two", "C. three"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_plain_row_is_certain(shape, connection):
    mapping, types, _ = SHAPES[shape]
    quick, defined = both(mapping, types, [(*PLAIN[shape], "q", 1)], connection)
    assert quick == defined != [UNCERTAIN]


LIST = SHAPES["list, index"][:2]


def certain(options: Sequence[Sequence[str]], connection: Any) -> list[Sequence[str]]:
    """Those lists of options whose rows are certain."""
    quick, defined = both(*LIST, [(texts, 0, None, None) for texts in options], connection)
    assert quick == defined
    return [texts for texts, row in zip(options, quick, strict=True) if row != UNCERTAIN]


def test_white_space_at_an_end_is_never_certain(connection):
    blanks = [chr(code) for code in range(sys.maxunicode) if chr(code).isspace()]
    assert len(blanks) > 20
    assert certain([["x", f"{blank}y"] for blank in blanks], connection) == []
    assert certain([["x", f"y{blank}"] for blank in blanks], connection) == []


def test_what_could_be_a_label_is_never_certain(connection):
    wide = [chr(code) for code in range(sys.maxunicode) if half_width(chr(code)) in {*"()[].:、", "A", "a"}]
    openings, closings = ["", "(", "（", "【", "〈"], [mark for mark in wide if half_width(mark) in "]).:、"]
    labels = [
        f"{opening}{blank}{letter}{blank}{closing}{blank}"
        for opening in openings
        for letter in ["A", "a", "Ａ", "ａ"]
        for closing in closings
        for blank in ("", "\u3000")
    ]
    assert certain([[f"{label}x", "y"] for label in labels], connection) == []


def test_two_letters_at_the_beginning_rule_out_nothing_else(connection):
    """Whatever two characters an option begins with, what is certain is what the definition makes of it."""
    signs = ["", *map(chr, range(1, 128)), "Ａ", "（", "\x85", "\u3000", "é"]
    beginnings = [f"{one}{other}" for one in signs for other in signs]
    letters = [f"{one}{other}" for one in "AMZamz" for other in "amz"]
    found = certain([[f"{beginning})x", "other"] for beginning in beginnings], connection)
    assert {f"{beginning})x" for beginning in letters} <= {options[0] for options in found}


def test_lengths_tell_texts_apart_or_nothing_does(connection):
    """Lengths may be equal, or fall on the same bit."""
    texts = [["x" * 1, "x" * 65], ["x" * 3, "x" * 67, "y" * 3], ["ab", "abc", "abcd"], ["ab", "cd"]]
    assert certain(texts, connection) == texts
    assert certain([["xy" * 3, "XY" * 3], ["x" * 64, "y", "X" * 64]], connection) == []


def test_lower_case_is_folded_case_in_the_blocks_that_are_trusted(connection):
    codes = [code for first, last in FOLDED_ALIKE for code in range(max(first, 1), last + 1)]
    lowered = connection.execute(
        "SELECT list_transform($codes, lambda code: lower(chr(code)))", {"codes": codes}
    ).fetchall()
    assert lowered[0][0] == [chr(code).casefold() for code in codes]


def test_texts_that_differ_in_case_only_are_never_certain(connection):
    alike = [
        ["a", "A"],
        ["straße", "STRASSE"],
        ["Я", "я"],
        ["ſ", "S"],
        ["中", "中"],
        ["K", "k"],
        ["ΑΣ", "ας"],
    ]
    assert certain(alike, connection) == []
    assert certain([["中", "文"], ["Я", "ж"], ["é", "e"]], connection) == [
        ["中", "文"],
        ["Я", "ж"],
        ["é", "e"],
    ]
