"""Copying rows of a released file: each keeps its bytes, and the copy is read as the original was."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.balance.files import copy_rows
from benchaudit.errors import SourceError

RECORDS = [
    '{"q": "a", "n": 1.50}',
    '{"q":"b,\\n]", "n":2}',
    '{ "q": "\\u00e9{", "n": 3 }',
    '{"q": "", "n": 4}',
]


def copied(tmp_path: Path, data: bytes, keep: str, name: str = "data.csv", **more) -> bytes:
    """The copy of a file with these bytes; `keep` has a 1 for each row that is kept."""
    path = tmp_path / name
    path.write_bytes(data)
    flags = bytearray(int(mark) for mark in keep)
    copy_rows(path, name, flags, tmp_path / "made" / name, tmp_path / "place", **more)
    return (tmp_path / "made" / name).read_bytes()


@pytest.mark.parametrize(
    ("data", "keep", "expected"),
    [
        (b"a,b\n1,x\n2,y\n3,z\n", "101", b"a,b\n1,x\n3,z\n"),
        (b"a,b\r\n1,x\r\n2,y\r\n", "01", b"a,b\r\n2,y\r\n"),
        (b'\xef\xbb\xbfa,b\n1,"x\n""y"""\n2, z', "11", b'\xef\xbb\xbfa,b\n1,"x\n""y"""\n2, z'),
        (b"a;b\n1;x\n\n2;y\n", "01", b"a;b\n\n2;y\n"),
        (b'a,b\n1,"x"x\n2,y\n3,z\n', "011", b"a,b\n2,y\n3,z\n"),
        (b"1,x,0.5\n2,y,0.25\n", "10", b"1,x,0.5\n"),
        (b"a,b\n1,\xff\n2,y\n", "01", b"a,b\n2,y\n"),
    ],
    ids=["plain", "crlf", "bom-quotes-no-end", "blank-line", "bad-quotes", "no-header", "broken-byte"],
)
def test_rows_of_a_table_keep_their_bytes(tmp_path, data, keep, expected):
    assert copied(tmp_path, data, keep) == expected


@given(
    st.lists(
        st.lists(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=2, max_size=2
        ),
        min_size=2,
        max_size=6,
    )
)
def test_a_copy_of_all_rows_of_a_table_is_the_table(tmp_path_factory, rows):
    data = "".join(
        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n" for row in [["a", "b"], *rows]
    ).encode()
    assert copied(tmp_path_factory.mktemp("copy"), data, "1" * len(rows)) == data


def test_lines_of_json_keep_their_bytes(tmp_path):
    data = "\n".join([RECORDS[0], "", RECORDS[1], RECORDS[2]]).encode()
    assert copied(tmp_path, data, "101", "data.jsonl").decode().splitlines() == [RECORDS[0], RECORDS[2]]


@pytest.mark.parametrize(
    ("before", "names", "after", "more"),
    [
        ("[", False, "]", {}),
        ("[\n  ", False, "\n]\n", {}),
        ('{"version": "1,[", "data": [ ', False, ' ], "more": {"a": [1, 2]}}', {}),
        ('{"x": [{"a": 1}], "y": {"z": [', False, "]}}", {"records": "/y/z"}),
        ('{ "k{": {"b": [3]}, "rows": {', True, "}}", {"records": "/rows"}),
        ("{\n", True, "\n}\n", {}),
    ],
    ids=["array", "spaced", "wrapped", "pointer", "members-below", "members"],
)
@pytest.mark.parametrize("keep", ["1111", "0101", "1000", "0001"])
def test_a_document_keeps_its_records_and_what_wraps_them(tmp_path, before, names, after, more, keep):
    named = [f'"r{number}" : {record}' if names else record for number, record in enumerate(RECORDS)]
    data = before + ",\n  ".join(named) + after
    made = copied(tmp_path, data.encode(), keep, "data.json", **more).decode()
    chosen = [piece for piece, mark in zip(named, keep, strict=True) if mark == "1"]
    assert made.startswith(before.rstrip())
    assert made.endswith(after)
    assert all(piece in made for piece in chosen)
    expected = before + ",".join(chosen) + after
    assert json.loads(made) == json.loads(expected)


@pytest.mark.parametrize(
    "records", [RECORDS, ['{\n "q": 1\n}', '{\n "q": "a, b"\n}', '{"q": 2}', '{"q":\n3}']]
)
@pytest.mark.parametrize("keep", ["1111", "0101", "1000", "0001"])
def test_documents_one_after_another_keep_their_bytes(tmp_path, records, keep):
    made = copied(tmp_path, ("\n " + "\n\n".join(records) + "\n").encode(), keep, "data.json").decode()
    chosen = [record for record, mark in zip(records, keep, strict=True) if mark == "1"]
    assert "".join(made.split()) == "".join("".join(chosen).split())
    assert made.endswith(f"{chosen[-1]}\n")


def test_a_document_by_column_is_written_by_row(tmp_path):
    path, target = tmp_path / "data.json", tmp_path / "made" / "data.json"
    path.write_text('{"q": ["a", "b"], "n": [1.50, 2]}', encoding="utf-8")
    notes = copy_rows(path, "data.json", bytearray([0, 1]), target, tmp_path / "place")
    assert target.read_text(encoding="utf-8") == '[\n{"q": "b", "n": 2}\n]\n'
    assert notes == ["data.json: was stored by column, and is written by row"]


def test_a_text_in_another_encoding_becomes_utf8_and_that_is_said(tmp_path):
    path, target = tmp_path / "data.csv", tmp_path / "made.csv"
    path.write_bytes("a,b\n1,é\n2,ü\n".encode("utf-16"))
    notes = copy_rows(path, "data.csv", bytearray([0, 1]), target, tmp_path / "place")
    assert target.read_bytes() == "a,b\n2,ü\n".encode()
    assert notes == ["data.csv: written as UTF-8"]


def test_what_was_packed_is_packed_again_and_the_same_twice(tmp_path):
    data = gzip.compress(b"a,b\n1,x\n2,y\n")
    made = copied(tmp_path, data, "01", "data.csv.gz")
    assert gzip.decompress(made) == b"a,b\n2,y\n"
    assert made == copied(tmp_path, data, "01", "data.csv.gz")


def test_zstandard_is_packed_again(tmp_path):
    made = copied(tmp_path, pa.compress(b"a,b\n1,x\n2,y\n", "zstd", asbytes=True), "10", "data.csv.zst")
    with pa.input_stream(pa.BufferReader(made), compression="zstd") as stream:
        assert stream.read() == b"a,b\n1,x\n"


TABLE = pa.table(
    {"q": ["a", None, "c"], "options": [["x", "y"], [], ["é"]], "n": pa.array([1, 2, 3], pa.int8())},
    schema=pa.schema(
        [("q", pa.string()), ("options", pa.list_(pa.string())), ("n", pa.int8())],
        metadata={"huggingface": "{}"},
    ),
)


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_a_parquet_file_keeps_its_schema_and_what_is_noted_in_it(tmp_path, compression):
    pq.write_table(TABLE, tmp_path / "original", compression=compression, row_group_size=2)
    made = copied(tmp_path, (tmp_path / "original").read_bytes(), "101", "data.parquet")
    found = pq.ParquetFile(pa.BufferReader(made))
    assert found.read().equals(pq.read_table(tmp_path / "original").take([0, 2]), check_metadata=True)
    assert found.metadata.row_group(0).column(0).compression == compression.upper().replace(
        "NONE", "UNCOMPRESSED"
    )


@pytest.mark.parametrize("opened", [pa.ipc.new_file, pa.ipc.new_stream])
def test_an_arrow_file_keeps_its_layout(tmp_path, opened):
    sink = pa.BufferOutputStream()
    with opened(sink, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=2)
    data = sink.getvalue().to_pybytes()
    made = copied(tmp_path, data, "011", "data.arrow")
    assert made[:6] == data[:6]
    reader = pa.ipc.open_file if data[:6] == b"ARROW1" else pa.ipc.open_stream
    assert reader(made).read_all().equals(TABLE.slice(1), check_metadata=True)


@pytest.mark.parametrize(
    ("name", "data"), [("data.csv", b"a,b\n1,x\n"), ("data.jsonl", b'{"a": 1}\n{"a": 2}\n{"a": 3}\n')]
)
def test_a_file_that_has_other_rows_than_were_audited_is_not_copied(tmp_path, name, data):
    with pytest.raises(SourceError, match="rows here"):
        copied(tmp_path, data, "11111", name)


def test_a_parquet_file_that_has_other_rows_is_not_copied(tmp_path):
    pq.write_table(TABLE, tmp_path / "original")
    with pytest.raises(SourceError, match="3 rows here, and 2"):
        copied(tmp_path, (tmp_path / "original").read_bytes(), "11", "data.parquet")
