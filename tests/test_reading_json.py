"""JSON in every layout: rows are what Python's decoder reads, and numbers keep their spelling."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchaudit.errors import MappingError, SourceError
from benchaudit.mapping.literal import decode_json
from benchaudit.reading import document
from tests.reading import Desk, Row, desk, is_by_engine, patient

SECOND = b'\n{"a": "' + 40 * "é".encode() + b'"}\n'
FIRST = {"id": "first", "a": None, "b": [1, "x"]}


@pytest.fixture(scope="module")
def tables() -> Iterator[Desk]:
    with desk() as opened:
        yield opened


def defined(lines: bytes) -> list[Row]:
    """What a JSON lines file is defined to hold, written down a second time."""
    rows: list[Row] = []
    for line in filter(None, map(bytes.strip, lines.split(b"\n"))):
        try:
            text = line.decode()
            rows.append(decode_json(text) if text.startswith("{") else "no-record")
        except UnicodeDecodeError:
            rows.append("not-unicode")
        except ValueError:
            rows.append("invalid-json")
    return rows


PIECES = st.sampled_from(
    [b"{", b"}", b'{"a": ', b'"b": ', b"[", b"]", b",", b'"', b"1", b"1.50", b"-0", b"1e400", b"0x1", b"01",
     b"NaN", b"-Infinity", b"-inf", b"null", b"true", b"'", b"\\", b"\\ud83d", b"\\u0000", b"\n", b"\r\n",
     b"\r", b"\t", b" ", b"\v", b"\0", b"\xff", b"\xe2\x80\xa8", b"\xc2\x85", b'{"a": 1}', b'{"a": 1,}',
     b'{"a": 1, "a": 2}', b'{"b": {"a": [1.50, "\xc3\xa9"]}}', b'"text"', b"[1]", b"9" * 5000]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=10).map(b"".join)


@patient
@given(pieces=TEXTS)
@example(pieces=b'{"a": 1,}')
@example(pieces=b'{"a": "\\ud83d"}')
@example(pieces=b'{"a": 1} {"a": 2}')
@example(pieces=b'\xff\n{"a": 1}\n[1]\n\n1')
@example(pieces=b'{"a": "\xe2\x80\xa8"}\v')
def test_any_lines_are_read_as_defined(tables: Desk, pieces: bytes) -> None:
    """Where DuckDB refuses one line, the others are rows all the same."""
    content = json.dumps(FIRST).encode() + SECOND + pieces
    assert tables.read(content, "data.jsonl") == defined(content)


@patient
@given(pieces=TEXTS.map(lambda text: text.replace(b"\v", b" ")))  # DuckDB takes more for a blank than JSON
@example(pieces=b'{"a": 1}{"a": 2}')
@example(pieces=b'{"a": 1}, 3, null')
@example(pieces=b'{"a": "\\ud83d"}')
@example(pieces=b'{"a": 1}] [')
def test_any_array_is_read_as_defined_or_refused(tables: Desk, pieces: bytes) -> None:
    content = b"[" + json.dumps(FIRST).encode() + b", " + pieces + b"]"
    try:
        expected = [row if isinstance(row, dict) else "no-record" for row in decode_json(content.decode())]
    except ValueError:
        expected = None
    try:
        rows = tables.read(content, "data.json")
    except SourceError:
        rows = None
    # DuckDB knows where a broken element ends; or a byte inside a text is all that is broken.
    survived = rows is not None and any(isinstance(row, str) for row in rows)
    assert rows == expected or (expected is None and survived)


TEXT = st.text(st.characters(codec="utf-8"), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.lists(st.dictionaries(TEXT, VALUES, min_size=1, max_size=4), min_size=2, max_size=5)
WAYS = {
    "lines": ("data.jsonl", lambda records: "\n".join(json.dumps(record) for record in records)),
    "lines, readable": (
        "data.jsonl",
        lambda records: (
            "\r\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\r\n\r\n"
        ),
    ),
    "array": ("data.json", json.dumps),
    "array, indented": ("data.json", lambda records: json.dumps(records, indent=2, ensure_ascii=False)),
    "wrapped": ("data.json", lambda records: json.dumps({"version": "1.0", "data": records, "end": [1]})),
    "wrapped twice": ("data.json", lambda records: json.dumps({"meta": {"n": 1, "rows": records}, "x": {}})),
}


@patient
@pytest.mark.parametrize("way", WAYS)
@given(records=RECORDS)
def test_what_is_written_comes_back(tables: Desk, way: str, records: list[dict[str, Any]]) -> None:
    name, write = WAYS[way]
    text = write(records)
    expected = [decode_json(json.dumps(record)) for record in records]
    assert tables.read(text.encode(), name) == expected


@patient
@given(records=RECORDS, path=st.lists(TEXT, min_size=1, max_size=3))
def test_a_pointer_leads_to_the_records(tables: Desk, records: list[dict[str, Any]], path: list[str]) -> None:
    """RFC 6901: `~` and `/` in a name are spelled `~0` and `~1`."""
    whole: Any = records
    for step in reversed(path):
        whole = {f"not {step}": [{"x": 1}], step: whole, f"{step} nor this": {"y": [{}]}}
    pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in path)
    expected = [decode_json(json.dumps(record)) for record in records]
    assert tables.read(json.dumps(whole).encode(), "data.json", pointer) == expected


def test_a_pointer_counts_in_arrays(tables: Desk) -> None:
    content = b'[{"rows": [{"a": 1}]}, {"rows": [{"a": 2}, {"a": 3}]}]'
    assert tables.read(content, "data.json", "/1/rows") == [{"a": "2"}, {"a": "3"}]


LAYOUTS = {
    "pandas, by column": pd.DataFrame.to_json,
    "pandas, by row number": lambda frame: frame.to_json(orient="index"),
    "pandas, records": lambda frame: frame.to_json(orient="records"),
    "pandas, lines": lambda frame: frame.to_json(orient="records", lines=True),
    "pandas, table": lambda frame: frame.to_json(orient="table", index=False),
    "lists by column": lambda frame: json.dumps(frame.to_dict(orient="list")),
    "records by id": lambda frame: json.dumps(
        {f"id-{n}": row for n, row in enumerate(frame.to_dict("records"))}
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_rows(tables: Desk, layout: str) -> None:
    frame = pd.DataFrame({"question": ["q1", "q2"], "choices": [["a", "b"], ["c", "d"]], "answer": [0, 1]})
    assert tables.read(LAYOUTS[layout](frame).encode(), "data.json") == [
        {"question": "q1", "choices": ["a", "b"], "answer": "0"},
        {"question": "q2", "choices": ["c", "d"], "answer": "1"},
    ]


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ('{"meta": {}, "examples": [{"a": 1}]}', "its rows are at /examples"),
        (
            '{"x": {"a": 1}, "y": {"a": 2}}',
            "its rows are in one object, one a member, whose names are not read",
        ),
        ('{"a": [1, 2], "b": [3, 4]}', "its rows are in one object, by column"),
    ],
)
def test_a_place_that_was_not_asked_for_is_said(tables: Desk, content: str, note: str) -> None:
    assert tables.open(content.encode(), "data.json").notes == (f"data.json: {note}",)


def test_documents_may_follow_one_another(tables: Desk) -> None:
    """As `jq` prints records: each over several lines, and nothing between them."""
    records = [{"a": "x", "b": [{"c": 1}]}, {"b": [], "a": "{"}]
    text = "\n".join(json.dumps(record, indent=2) for record in records).encode()
    assert tables.read(text, "data.json") == [{"a": "x", "b": [{"c": "1"}]}, {"b": [], "a": "{"}]
    assert tables.open(text, "data.json").notes == ("data.json: its rows are documents one after another",)


@pytest.mark.parametrize("spelled", ["1.50", "1e5", "-0.0", "1E+2", "12345678901234567890", "9" * 6000])
@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("a.jsonl", '{{"a": {}}}\n{{"a": 1}}'),
        ("a.json", '[{{"a": {}}}]'),
        ("a.json", '{{"x": [{{"a": {}}}]}}'),
    ],
)
def test_a_number_keeps_its_spelling(tables: Desk, name: str, frame: str, spelled: str) -> None:
    """DuckDB's own functions make 1.5 of 1.50, and options are compared by length."""
    assert tables.read(frame.format(spelled).encode(), name)[0] == {"a": spelled}


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\ufeff"])
def test_no_line_ends_inside_a_text(tables: Desk, end: str) -> None:
    """Python's `splitlines` would break a record at any of these, as JSON allows them in a text."""
    record = {"a": f"one{end}two"} if end >= " " else {"a": f"one{end!r}two"}
    lines = json.dumps({"rows": [record, record]}, ensure_ascii=False)
    assert tables.read(lines.encode(), "data.json") == [record, record]


@pytest.mark.parametrize("size", [17 << 20, 33 << 20])
def test_a_record_may_be_long(tables: Desk, size: int) -> None:
    """DuckDB stops at sixteen million bytes, unless told otherwise."""
    records = [{"a": "x" * size}, {"a": "y"}]
    lines = "\n".join(map(json.dumps, records)).encode()
    assert tables.read(lines, "data.jsonl") == records
    assert tables.read(json.dumps(records).encode(), "data.json") == records


def test_a_value_is_found_wherever_the_window_cuts(tables: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers, escapes and letters of several bytes may lie across two pieces of the file."""
    records = [{"a": 'é\\"😀' * number, "b": [number / 7, None, True]} for number in range(1, 9)]
    text = json.dumps({"n": 1234567, "rows": records, "end": -1.5e-7}, ensure_ascii=False)
    for size in range(1, 40):
        monkeypatch.setattr(document, "WINDOW", size)
        expected = [decode_json(json.dumps(record)) for record in records]
        assert tables.read(text.encode(), "data.json") == expected


@pytest.mark.parametrize(
    ("content", "records", "what"),
    [
        pytest.param("[]", "", "holds no record", id="an empty array"),
        pytest.param("[1, 2]", "", "holds no record", id="an array of numbers"),
        pytest.param('[["a"], ["b"]]', "", "holds no record", id="an array of arrays"),
        pytest.param('[{"a": 1}', "", "not valid JSON", id="an array that does not end"),
        pytest.param('[{"a": 1}] x', "", "not valid JSON", id="something behind an array"),
        pytest.param('{"a": [{"b": 1}]', "", "not valid JSON", id="a document that does not end"),
        pytest.param('{"a": 1}', "", "wraps no array", id="one record"),
        pytest.param('{\n"a": [{}]}\n{\n"b": 1}', "", "documents that are not alike", id="two documents"),
        pytest.param('{\n"a": 1}\n{\n"a":', "", "not valid JSON", id="documents that are cut off"),
        pytest.param("{" + '"a": {' * 5000, "", "not valid JSON", id="nested without end"),
        pytest.param('[{"a": ' + "[" * 200_000 + "]" * 200_000 + "}]", "", "", id="nested too deeply"),
    ],
)
def test_a_document_without_records_is_refused(tables: Desk, content: str, records: str, what: str) -> None:
    with pytest.raises(SourceError, match=f"^data.json: .*{what}"):
        tables.open(content.encode(), "data.json", records)


@pytest.mark.parametrize(
    ("content", "records", "what"),
    [
        pytest.param('{"a": [{}], "b": [{}]}', "", r"several arrays of records \(/a, /b\)", id="two arrays"),
        pytest.param('{"a": [{}]}', "/b", "nothing at /b ", id="a pointer to nothing"),
        pytest.param('{"a": [{}]}', "a", "cannot look up 'a'", id="a pointer without a slash"),
        pytest.param('{"a": 5, "b": [{}]}', "/a", "no records at /a", id="a pointer to a number"),
    ],
)
def test_where_records_are_is_a_matter_of_mapping(
    tables: Desk, content: str, records: str, what: str
) -> None:
    """The file is well: the flag has to be set, or set otherwise, as that of a column."""
    with pytest.raises(MappingError, match=f"^data.json: .*{what}.*--records") as caught:
        tables.open(content.encode(), "data.json", records)
    assert caught.value.exit_status == 2


def test_lines_are_told_from_documents(tables: Desk) -> None:
    """One line is a document, unless the name says that it is one of many."""
    line = b'{"question": "q", "choices": [{"label": "A", "text": "x"}], "answer": "A"}'
    assert tables.read(line, "data.json") == [{"label": "A", "text": "x"}]
    assert [row["question"] for row in tables.read(line, "data.jsonl.zst") if isinstance(row, dict)] == ["q"]
    assert len(tables.read(b"\n \n" + line + b"\n\n" + line, "data.json")) == 2
    assert tables.read(b'{"cut": "o\n{"a": "b"}\n', "data.jsonl") == ["invalid-json", {"a": "b"}]
    assert tables.read(b'{"a": "b"}\n[]\n', "data.json") == [{"a": "b"}, "no-record"]


def test_lines_are_records_whatever_their_first_line_is(tables: Desk) -> None:
    assert tables.read(b'# canary\n{"a": "b"}\n{"a": "c"}\n', "data.jsonl") == [
        "no-record",
        {"a": "b"},
        {"a": "c"},
    ]


@pytest.mark.parametrize(
    ("content", "name", "what"),
    [
        ("{'a': 'b'}\n{'a': 'c'}\n", "data.jsonl", "is called JSON and is none .* in double quotes"),
        ('// canary\n[{"a": "b"}]\n', "data.json", "is called JSON and is none .* no comments"),
        (
            '{"a": "b"},\n{"a": "c"},\n',
            "data.jsonl",
            r"no valid JSON \(Extra data at character 11\)",
        ),
    ],
)
def test_what_is_called_json_and_is_none_is_no_table(
    tables: Desk, content: str, name: str, what: str
) -> None:
    with pytest.raises(SourceError, match=what.replace("none ", "none: ")):
        tables.open(content.encode(), name)


def test_usual_files_are_left_to_the_engine(tables: Desk) -> None:
    assert is_by_engine(tables.open(b'{"a": 1}\n{"a": 2}\n', "data.jsonl"))
    assert is_by_engine(tables.open(b'[{"a": 1},\n{"a": 2}]\n', "data.json"))
