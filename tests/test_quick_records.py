"""JSON records read quickly are those of the definition, or are left to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.mapping.quick import UNCERTAIN
from benchaudit.models import ColumnMapping
from benchaudit.reading.table import Column, Table
from tests.test_quick import CELLS, GOLDS, LISTS, RAW, TEXTS, compared


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def recorded(pairs: Sequence[tuple[str, str]], cut: int, put: str) -> str:
    """A JSON record of names and spelled values, at times with something wrong in it."""
    text = "{" + ", ".join(f"{name}: {value}" for name, value in pairs) + "}"
    return text[:cut] + put + text[cut:] if cut > 0 else text


def as_json(value: Any, *, plainly: bool) -> str:
    return json.dumps(value, ensure_ascii=plainly)


VALUES = st.builds(as_json, TEXTS | LISTS | st.none() | st.integers(-2, 5) | GOLDS, plainly=st.booleans())
ODD = st.sampled_from(
    [
        "1.0",
        "-0",
        "1e2",
        "NaN",
        "-Infinity",
        "inf",
        '"\\ud83d"',
        '"\\ud83d\\ude00"',
        '"\\u0000"',
        "[1,]",
        "{}",
        "true",
    ]
)
NAMES = st.sampled_from(['"o"', '"g"', '"q"', '"s"', '"a"', '"b"', '"\\u006f"', '"O"'])
LISTED = st.builds(as_json, st.lists(TEXTS, min_size=1, max_size=4), plainly=st.booleans())
PAIRS = st.tuples(
    st.tuples(st.just('"o"'), LISTED | VALUES | CELLS.map(json.dumps)),
    st.tuples(st.just('"g"'), VALUES | st.sampled_from(["0", "1", '"A"', '"b"'])),
    st.tuples(st.just('"q"'), VALUES),
    st.tuples(st.just('"a"'), TEXTS.map(json.dumps)),
    st.tuples(st.just('"b"'), TEXTS.map(json.dumps)),
).map(list)
RECORDS = st.builds(
    recorded,
    st.builds(
        lambda pairs, more: [*pairs, *more], PAIRS, st.lists(st.tuples(NAMES, VALUES | ODD), max_size=1)
    ),
    st.integers(-60, 60),
    st.sampled_from(["", ",", "}", '"', "\\", " ", "\n", "[", ":"]),
)
RECORD_SHAPES = {
    "list, index": ColumnMapping(options=("o",), gold="g", gold_encoding="index0"),
    "list, letter": ColumnMapping(options=("o",), gold="g", gold_encoding="letter"),
    "list, text": ColumnMapping(options=("o",), gold="g", gold_encoding="text"),
    "columns, letter": ColumnMapping(options=("a", "b"), gold="g", gold_encoding="letter"),
    "distractor list": ColumnMapping(distractors=("o",), gold="a", gold_encoding="text"),
    "distractor columns": ColumnMapping(
        distractors=("a", "b"), distractor_lists=False, gold="g", gold_encoding="text"
    ),
}


def of_records(
    records: Sequence[str], mapping: ColumnMapping, connection: Any
) -> tuple[list[Any], list[Any]]:
    """Records read quickly and by the definition, as `both` has them."""
    connection.execute("CREATE OR REPLACE TEMP TABLE raw (record VARCHAR)")
    marks = ", ".join("(?)" for _ in records)
    connection.execute(f"INSERT INTO raw VALUES {marks}", list(records))
    names = ("o", "g", "q", "s", "a", "b")
    columns = tuple(Column(name=name, sql="record", form="record", path=(name,)) for name in names)
    table = Table(file="it's.jsonl", way=RAW, path=Path(), columns=columns)
    return compared(table, mapping, connection)


@pytest.mark.parametrize("shape", RECORD_SHAPES)
def test_a_certain_record_is_what_the_definition_makes_of_it(shape, connection):
    asked = replace(RECORD_SHAPES[shape], question=("q",), id="q")

    @given(st.lists(RECORDS, min_size=1, max_size=10))
    def holds(records: list[str]) -> None:
        quick, defined = of_records(records, asked, connection)
        assert quick == defined

    holds()


def test_plain_records_are_certain_and_odd_ones_are_not(connection):
    mapping = replace(RECORD_SHAPES["list, index"], question=("q",), id="s")
    plain = [
        '{"q": "Why?", "o": ["one", "say \\"x\\""], "g": 1, "s": 12}',
        '{"q":"caf\\u00e9 \\ud83d\\ude00, 2020-01-05","o":["中文","två"],"g":"0"}',
        '{"other": {"a": [1.50, {}]}, "o": ["one", "two"], "g": 0, "s": null}',
    ]
    odd = [
        '{"o": ["one", "two"], "g": 0, "g": 1}',
        '{"o": ["one", "two"], "g": 0, "x": 1,}',
        '{"o": ["one", "two"], "g": 0, "s": -0}',
        '{"o": ["one", "two"], "g": 0, "s": 1.50}',
        '{"o": ["one", "two"], "g": 0, "x": inf}',
        '{"o": ["one", 2], "g": 0}',
        '{"o": ["one", "two"], "g": 0, "x": ' + "[" * 2000 + "]" * 2000 + "}",
        '{"o": ["one", "two"], "g": 0',
    ]
    quick, defined = of_records([*plain, *odd], mapping, connection)
    assert quick == defined
    assert [row != UNCERTAIN for row in quick] == [True] * len(plain) + [False] * len(odd)
