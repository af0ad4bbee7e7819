"""Field reports about containers, each as it was reported and as a kind."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchaudit.errors import SourceError
from tests.reading import Desk, desk, patient
from tests.support import SHARED, audit_path, needs_shared, shared_json

CASES = SHARED / "cases"


@pytest.fixture(scope="module")
def tables() -> Iterator[Desk]:
    with desk() as opened:
        yield opened


def read(tables: Desk, *parts: str) -> list[Any]:
    path = CASES.joinpath(*parts)
    return tables.read(path.read_bytes(), path.name)


# R13 · lists written as numpy repr in a CSV


@needs_shared
def test_r13_a_wrapped_list_is_one_cell(tables: Desk) -> None:
    """What the cell means is for the mapping to say; it must get all of it."""
    rows = read(tables, "R13", "test.csv")
    assert [row["id"] for row in rows] == ["n1", "n2", "n3", "n4", "n5", "n6"]
    assert (
        rows[1]["choices"]
        == "['a long option here'\n 'a second long option'\n \"it's the third\"\n 'fourth']"
    )


@patient
@given(
    lists=st.lists(
        st.lists(st.text("ab '\"\n,", min_size=1, max_size=40), min_size=2, max_size=6),
        min_size=1,
        max_size=5,
    )
)
def test_arrays_in_cells_come_back_as_they_were_printed(tables: Desk, lists: list[list[str]]) -> None:
    arrays = [np.array(texts, dtype=object) for texts in lists]
    text = pd.DataFrame({"id": range(len(lists)), "choices": arrays}).to_csv(index=False)
    assert [row["choices"] for row in tables.read(text.encode()) if isinstance(row, dict)] == list(
        map(str, arrays)
    )


# R27 · a converted copy that lags behind


@needs_shared
def test_r27_the_named_file_is_audited_and_no_copy_of_it(tmp_path: Path) -> None:
    expected = shared_json("cases", "R27", "expect.json")
    audit = audit_path(
        CASES / "R27" / "main" / "test.csv", options="A,B", gold="answer", gold_encoding="letter"
    )
    assert (audit.rows, [blob.path for blob in audit.origin.blobs]) == (
        expected["rows_at_main"],
        ["test.csv"],
    )
    assert audit.all.gold_position[0] == expected["gold_A_at_main"]
    shutil.copytree(CASES / "R27", tmp_path / "both")
    beside = audit_path(
        tmp_path / "both", files="main/test.csv", options="A,B", gold="answer", gold_encoding="letter"
    )
    assert beside.slices == audit.slices


@pytest.mark.parametrize("named", ["new/*.csv", "old/*.csv"])
def test_files_that_are_not_named_change_nothing(tmp_path: Path, named: str) -> None:
    for place, rows in (("new", 40), ("old", 30)):
        (tmp_path / place).mkdir()
        lines = [f"question {number}?,long answer,no,{'AB'[number % 2]}" for number in range(rows)]
        (tmp_path / place / "test.csv").write_text("\n".join(["question,A,B,answer", *lines]))
    audit = audit_path(tmp_path, files=named, options="A,B", gold="answer", gold_encoding="letter")
    assert audit.rows == {"new/*.csv": 40, "old/*.csv": 30}[named]


# R29 · a very long field, a line break inside quotes


@needs_shared
def test_r29_records_are_rows_and_lines_are_not(tables: Desk) -> None:
    expected = shared_json("cases", "R29", "expect.json")
    rows = read(tables, "R29", "long.csv")
    assert len(rows) == expected["rows"]
    assert len(rows[0]["context"]) == expected["context_length_l1"]
    assert "\n" in rows[1]["context"]
    assert "\r\n" in rows[1]["context"]


@settings(patient, max_examples=25)
@given(
    length=st.sampled_from([1, 131_071, 131_072, 131_073, 300_000]),
    breaks=st.lists(st.sampled_from(["\n", "\r\n", "\r", '"', '""', ",", "\n\n"]), max_size=6).map("".join),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_a_field_of_any_length_keeps_its_breaks(tables: Desk, length: int, breaks: str, end: str) -> None:
    long = breaks + "x" * length + breaks
    sink = io.StringIO(newline="")
    rows = [["1", long, "A"], ["2", "short", "B"], ["3", long, "A"]]
    csv.writer(sink, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(
        [["id", "context", "answer"], *rows]
    )
    found = tables.read(sink.getvalue().encode())
    assert [list(row.values()) for row in found if isinstance(row, dict)] == rows


# R31 · byte order mark, carriage returns, blanks in the header, gzip, Latin-1, tabs


@needs_shared
@pytest.mark.parametrize("name", ["bom_crlf.csv", "same.csv.gz"])
def test_r31_marks_and_blanks_are_no_part_of_a_name(tables: Desk, name: str) -> None:
    expected = shared_json("cases", "R31", "expect.json")["bom_crlf.csv"]
    rows = read(tables, "R31", name)
    assert [list(row) for row in rows] == [expected["columns"]] * expected["rows"]
    assert rows[0] == {"question": "Q1, part", "A": "x", "B": "yy", "answer": "B"}


@needs_shared
def test_r31_latin_1_is_said_with_file_and_byte(tables: Desk) -> None:
    table = tables.open((CASES / "R31" / "latin1.csv").read_bytes(), "latin1.csv")
    assert tables.rows(table) == [{"question": "Café?", "A": "oui", "B": "non", "answer": "A"}]
    assert table.notes == ("latin1.csv: byte 23 is not UTF-8, read as cp1252 (Latin-1)",)


@needs_shared
def test_r31_tabs_are_found_and_said(tables: Desk) -> None:
    table = tables.open((CASES / "R31" / "tabs.csv").read_bytes(), "tabs.csv")
    assert tables.rows(table) == [{"question": "Q1", "A": "x", "B": "yy", "answer": "B"}]
    assert table.notes == ("tabs.csv: the delimiter is a tab",)


DRESSES = list(
    itertools.product(["utf-8", "utf-8-sig", "utf-16"], ["\n", "\r\n"], ",;\t|", ["", " "], [False, True])
)


@pytest.mark.parametrize(("encoding", "end", "delimiter", "blank", "packed"), DRESSES)
def test_the_same_table_in_any_dress(
    tables: Desk, encoding: str, end: str, delimiter: str, blank: str, packed: bool
) -> None:
    """Two rows are enough to tell all of it."""
    rows = [["Naïve, or not; that is", "x\ny", 'a "b"', "A"], ["Say 😀", "c|d", "\tz", "B"]]
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, lineterminator=end, delimiter=delimiter)
    writer.writerows([[f"{blank}{name}{blank}" for name in ("question", "A", "B", "answer")], *rows])
    content = sink.getvalue().encode(encoding)
    found = tables.read(gzip.compress(content) if packed else content, "data.csv")
    assert [list(row.items()) for row in found if isinstance(row, dict)] == [
        list(zip(("question", "A", "B", "answer"), row, strict=True)) for row in rows
    ]


# Containers of the real data


def _derived(tables: Desk, name: str) -> list[Any]:
    path = SHARED / "data" / "derived" / f"csqa_dev200.{name}"
    return tables.read(path.read_bytes(), path.name)


@needs_shared
def test_one_set_of_rows_is_the_same_in_seven_containers(tables: Desk) -> None:
    """As far as the container goes: list cells in text are left to the mapping."""
    parquet, arrow = _derived(tables, "hfshape.parquet"), _derived(tables, "hfshape.arrow")
    assert arrow == parquet
    assert len(parquet) == 200
    plain = _derived(tables, "mmlushape.parquet")
    assert _derived(tables, "mmlushape.json.gz") == plain
    assert [row["question"] for row in plain] == [row["question"] for row in parquet]
    assert [row["choices"] for row in plain] == [row["choices"]["text"] for row in parquet]
    columns = [f"option_{number}" for number in range(1, 6)]
    assert [[row[name] for name in columns] for row in _derived(tables, "tsv")] == [
        row["choices"] for row in plain
    ]
    assert [row["question"] for row in _derived(tables, "numpyrepr.csv")] == [
        row["question"] for row in plain
    ]
    assert [row["question"] for row in _derived(tables, "dictrepr.csv")] == [row["question"] for row in plain]


@needs_shared
def test_a_pointer_in_place_of_data_is_said(tables: Desk) -> None:
    path = next((SHARED / "data" / "hh-rlhf" / "f956116").iterdir())
    with pytest.raises(SourceError, match="is a Git LFS pointer"):
        tables.open(path.read_bytes(), path.name)


@needs_shared
def test_every_real_file_is_read_in_full(tables: Desk) -> None:
    """No row of them is unreadable, and nothing but a delimiter or an encoding needs to be said."""
    expected = json.loads((SHARED / "data" / "expected.json").read_text())
    for name, entry in expected.items():
        path = SHARED / "data" / entry["path"]
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            table = tables.open(file.read_bytes(), file.name)
            assert not [row for row in tables.rows(table) if isinstance(row, str)], name
            assert all("the delimiter is" in note or "read as" in note for note in table.notes), table.notes
