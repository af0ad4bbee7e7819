"""Parquet and Arrow: what pyarrow writes comes back, whatever its type, and nothing is respelled."""

from __future__ import annotations

import datetime
import decimal
import io
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchaudit.errors import SourceError
from benchaudit.reading import columnar
from tests.reading import Desk, Row, desk, is_by_engine, patient


@pytest.fixture(scope="module")
def tables() -> Iterator[Desk]:
    with desk() as opened:
        yield opened


def parquet(table: pa.Table, **how: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **how)
    return sink.getvalue()


def arrow_file(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def arrow_stream(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


CONTAINERS: dict[str, Callable[[pa.Table], bytes]] = {
    "parquet": parquet,
    "parquet, many groups": lambda table: parquet(table, row_group_size=1, compression="zstd"),
    "arrow file": arrow_file,
    "arrow stream": arrow_stream,
}


def spelled(value: Any) -> Any:
    """A value as it is decoded: numbers as they are spelled, all else itself."""
    if isinstance(value, dict):
        return {key: spelled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [spelled(inner) for inner in value]
    return value if value is None or isinstance(value, bool | str) else str(value)


TEXT = st.text(st.characters(codec="utf-8"), max_size=6)
WHOLE = st.integers(-(2**63), 2**63 - 1)
COLUMNS = {
    "text": (pa.string(), TEXT),
    "large text": (pa.large_string(), TEXT),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), st.sampled_from(["a", "b", "c"])),
    "dictionary of wholes": (pa.dictionary(pa.int8(), pa.int64()), st.integers(1, 3)),
    "whole": (pa.int64(), WHOLE),
    "unsigned": (pa.uint64(), st.integers(0, 2**64 - 1)),
    "double": (pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
    "truth": (pa.bool_(), st.booleans()),
    "date": (pa.date32(), st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1))),
    "decimal": (pa.decimal128(6, 2), st.decimals(-1000, 1000, places=2)),
    "texts": (pa.list_(pa.string()), st.lists(st.none() | TEXT, max_size=3)),
    "large texts": (pa.large_list(pa.large_string()), st.lists(TEXT, max_size=3)),
    "two texts": (pa.list_(pa.string(), 2), st.lists(TEXT, min_size=2, max_size=2)),
    "wholes": (pa.list_(pa.int8()), st.lists(st.integers(-128, 127), max_size=3)),
    "decimals": (pa.list_(pa.decimal128(6, 2)), st.lists(st.decimals(-1000, 1000, places=2), max_size=3)),
    "record": (
        pa.struct({"text": pa.list_(pa.string()), "label": pa.list_(pa.int64()), 'a "b"': pa.bool_()}),
        st.fixed_dictionaries(
            {"text": st.lists(TEXT, max_size=2), "label": st.lists(WHOLE, max_size=2), 'a "b"': st.booleans()}
        ),
    ),
    "records": (
        pa.list_(pa.struct({"label": pa.string(), "text": pa.string()})),
        st.lists(st.fixed_dictionaries({"label": TEXT, "text": st.none() | TEXT}), max_size=2),
    ),
}


@settings(patient, max_examples=20)
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", COLUMNS)
@given(data=st.data())
def test_what_is_written_comes_back(tables: Desk, container: str, kind: str, data: st.DataObject) -> None:
    type_, values = COLUMNS[kind]
    column = data.draw(st.lists(st.none() | values, min_size=1, max_size=4))
    table = pa.table({kind: pa.array(column, type_)})
    assert tables.read(CONTAINERS[container](table)) == [{kind: spelled(value)} for value in column]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        pytest.param(pa.array([0.1, 1.0], pa.float32()), ["0.1", "1.0"], id="short floats"),
        pytest.param(pa.array([[0.1]], pa.list_(pa.float32())), [["0.1"]], id="short floats in a list"),
        pytest.param(
            pa.array([{"a": 0.1}], pa.struct({"a": pa.float32()})), [{"a": "0.1"}], id="in a record"
        ),
        pytest.param(pa.array([1.5], pa.float16()), ["1.5"], id="half floats"),
        pytest.param(pa.array([1e16, 1e-7]), ["1e+16", "1e-07"], id="doubles as Python spells them"),
        pytest.param(pa.array([float("nan"), float("-inf")]), [None, "-Infinity"], id="no numbers"),
        pytest.param(pa.array([decimal.Decimal("1.50")]), ["1.50"], id="decimals"),
        pytest.param(pa.array([['é\0\u2028😀"']]), [['é\0\u2028😀"']], id="texts in a list"),
        pytest.param(pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())), [{"k": "1"}], id="a map"),
        pytest.param(pa.array([None, None]), [None, None], id="nulls"),
        pytest.param(pa.array(['{"a": 1.50}'], pa.json_()), [{"a": "1.50"}], id="JSON"),
        pytest.param(pa.array(["", None]), ["", None], id="empty is not missing"),
        pytest.param(
            pa.array([datetime.datetime(2020, 1, 2, 3)], pa.timestamp("us")),
            ["2020-01-02 03:00:00"],
            id="a time",
        ),
    ],
)
def test_a_value_is_spelled_as_people_read_it(tables: Desk, column: pa.Array, expected: list[Any]) -> None:
    """DuckDB's JSON makes doubles of short floats and decimals: 0.10000000149011612, 1.5."""
    assert tables.read(parquet(pa.table({"a": column}))) == [{"a": value} for value in expected]


@pytest.mark.parametrize("container", CONTAINERS)
def test_columns_are_bound_by_place(tables: Desk, container: str) -> None:
    """DuckDB would call the second `answer_1`, and read the first for both."""
    content = CONTAINERS[container](pa.table([["1"], ["2"], ["3"]], names=["Answer", "answer", "ANSWER"]))
    assert tables.read(content) == [{"Answer": "1", "answer": "2", "ANSWER": "3"}]


@pytest.mark.parametrize("container", CONTAINERS)
def test_equal_names_are_told_apart(tables: Desk, container: str) -> None:
    table = tables.open(CONTAINERS[container](pa.table([["1"], ["2"]], names=["a", "a"])), "data.parquet")
    assert tables.rows(table) == [{"a (1)": "1", "a (2)": "2"}]
    assert table.notes == ("data.parquet: several columns are called 'a', told apart by numbers here",)


TWICE = "it holds records with several fields called 'yes' in any case"


@pytest.mark.parametrize("container", CONTAINERS)
def test_what_cannot_be_told_as_text_is_left_out_and_said(tables: Desk, container: str) -> None:
    """Pictures are bytes; and DuckDB gives one of two fields that differ by case another name."""
    columns = {
        "question": ["q"],
        "image": [{"bytes": b"\xff\xd8", "path": "x.jpg"}],
        "scores": pa.array([{"Yes": 1, "yes": 0}], pa.struct({"Yes": pa.int64(), "yes": pa.int64()})),
    }
    table = tables.open(CONTAINERS[container](pa.table(columns)), "data.parquet")
    assert tables.rows(table) == [{"question": "q"}]
    assert table.notes == (
        "data.parquet: column 'image' is not read: it holds bytes, not text",
        f"data.parquet: column 'scores' is not read: {TWICE}",
    )


def broken(texts: list[bytes], type_: pa.DataType) -> pa.Array:
    """Texts that are not UTF-8: pyarrow takes them unseen where it is handed buffers."""
    return pa.Array.from_buffers(type_, len(texts), pa.array(texts).buffers())


def with_broken_texts() -> pa.Table:
    texts = broken([b"fine", b"\xff", b"also", b"fine too"], pa.string())
    lists = pa.ListArray.from_arrays([0, 1, 2, 3, 4], broken([b"a", b"b", b"\xc3", b"d"], pa.string()))
    return pa.table({"a": texts, "b": lists, "c": [1, 2, 3, 4]})


@pytest.mark.parametrize("container", ["parquet", "parquet, many groups"])
def test_a_row_with_a_broken_text_is_left_out(tables: Desk, container: str) -> None:
    """DuckDB and pyarrow both give up the whole file."""
    assert tables.read(CONTAINERS[container](with_broken_texts())) == [
        {"a": "fine", "b": ["a"], "c": "1"},
        "not-unicode",
        "not-unicode",
        {"a": "fine too", "b": ["d"], "c": "4"},
    ]


@pytest.mark.parametrize("container", ["arrow file", "arrow stream"])
def test_an_arrow_file_with_a_broken_text_is_refused(tables: Desk, container: str) -> None:
    """Its arrays come as they lie in the file: to work with broken ones can end the process."""
    with pytest.raises(SourceError, match="cannot be read"):
        tables.open(CONTAINERS[container](with_broken_texts()))


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_table_without_rows_is_empty(tables: Desk, container: str) -> None:
    table = tables.open(CONTAINERS[container](pa.table({"a": pa.array([], pa.string())})))
    assert ([column.name for column in table.columns], tables.rows(table)) == (["a"], [])


def test_what_pandas_writes_comes_back(tables: Desk) -> None:
    frame = pd.DataFrame(
        {
            "choices": [["a", "b"], ["c"]],
            "who": pd.Categorical(["x", None]),
            "n": pd.array([1, None], "Int64"),
        },
        index=pd.Index(["r1", "r2"], name="row"),
    )
    sink = io.BytesIO()
    frame.to_parquet(sink)
    expected: list[Row] = [
        {"choices": ["a", "b"], "who": "x", "n": "1", "row": "r1"},
        {"choices": ["c"], "who": None, "n": None, "row": "r2"},
    ]
    assert tables.read(sink.getvalue()) == expected


TABLE = pa.table({"a": ["x"] * 50, "b": [["y"]] * 50})


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_file_that_is_cut_off_is_refused(tables: Desk, container: str, share: float) -> None:
    content = CONTAINERS[container](TABLE)
    with pytest.raises(SourceError, match=r"^data.parquet: (cannot be read \(|is cut off)"):
        tables.open(content[: int(len(content) * share)], "data.parquet")


def test_a_stream_that_lost_its_last_batch_is_refused(tables: Desk) -> None:
    """The end of the file would pass for that of the stream."""
    with pytest.raises(SourceError, match="cut off"):
        tables.open(arrow_stream(TABLE)[:-8])


def test_a_file_without_its_end_is_to_be_fetched_anew(tables: Desk) -> None:
    with pytest.raises(SourceError, match=r"^data\.parquet: is cut off, or damaged - fetch"):
        tables.open(parquet(TABLE)[:-10], "data.parquet")


def test_a_damaged_page_is_refused(tables: Desk) -> None:
    content = bytearray(parquet(TABLE, compression="none", use_dictionary=False))
    content[4:60] = b"\xff" * 56
    with pytest.raises(SourceError, match=r"^data.parquet: cannot be read \("):
        tables.open(bytes(content), "data.parquet")


def test_a_bomb_of_pages_is_refused(tables: Desk) -> None:
    """A hundred and more times its size, and more than 64 MiB: no table of texts packs like that."""
    table = pa.table({"a": ["x" * (1 << 20)] * 100})
    content = parquet(table, compression="zstd", use_dictionary=False)
    with pytest.raises(SourceError, match="bomb"):
        tables.open(content, "data.parquet")


def test_a_bomb_of_rows_is_refused(tables: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columnar, "MAX_ROWS", 49)
    with pytest.raises(SourceError, match="declares 50 rows"):
        tables.open(parquet(TABLE), "data.parquet")


def test_a_table_of_pictures_only_is_refused(tables: Desk) -> None:
    with pytest.raises(SourceError, match="no column that can be read"):
        tables.open(parquet(pa.table({"image": [b"\x00"]})))


def test_usual_files_are_left_to_the_engine(tables: Desk) -> None:
    assert is_by_engine(tables.open(parquet(TABLE)))
