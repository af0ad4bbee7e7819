"""The engine is trusted first, and found out where it fails amid a file or loses rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchaudit.counting import Counting
from benchaudit.errors import MappingError, SourceError, Unavailable
from benchaudit.reading import delimited
from benchaudit.reading.table import Table
from benchaudit.sources.file import FileSource
from tests.support import audit_path

CSV = "question,options,answer\n" + "".join(f"q{n},\"['a{n}', 'bb']\",A\n" for n in range(40))


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the engine was trusted, attempt by attempt."""
    made: list[bool] = []
    count = Counting.count

    def counted(self: Counting, *given: Any, trusting: bool = True) -> Any:
        made.append(trusting)
        return count(self, *given, trusting=trusting)

    monkeypatch.setattr(Counting, "count", counted)
    return made


def test_a_sound_file_is_read_once(tmp_path: Path, attempts: list[bool]) -> None:
    (tmp_path / "a.csv").write_text(CSV, encoding="utf-8")
    assert audit_path(tmp_path / "a.csv").rows == 40
    assert attempts == [True]


def test_a_lost_row_is_missed(tmp_path: Path, attempts: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    by_engine = delimited._by_engine

    def losing(*given: Any) -> Table:
        table = by_engine(*given)
        return replace(table, way=f"(FROM {table.way} WHERE c0 <> 'q7')")

    monkeypatch.setattr(delimited, "_by_engine", losing)
    (tmp_path / "a.csv").write_text(CSV, encoding="utf-8")
    assert audit_path(tmp_path / "a.csv").rows == 40
    assert attempts == [True, False]


def test_a_text_that_is_none_leaves_out_its_row(tmp_path: Path, attempts: list[bool]) -> None:
    rows = 5000
    texts = pa.array([b"fine"] * (rows - 1) + [b"\xff"])
    table = pa.table(
        {
            "question": pa.Array.from_buffers(pa.string(), rows, texts.buffers()),
            "options": [["a", "bb"]] * rows,
            "answer": [1] * rows,
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    found = audit_path(tmp_path / "a.parquet", gold_encoding="index0")
    assert found.left_out["not-unicode"].sample == (f"row {rows}",)
    assert (found.rows, found.slices[0].n) == (rows, rows - 1)
    assert attempts == [True, False]


def test_what_is_wrong_is_said_by_the_careful_reading(tmp_path: Path, attempts: list[bool]) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(MappingError):
        audit_path(tmp_path / "a.csv")
    table = pa.table({"question": ["q"] * 9, "options": [["a", "bb"]] * 9, "answer": ["A"] * 9})
    pq.write_table(table, tmp_path / "b.parquet", compression="none")
    content = bytearray((tmp_path / "b.parquet").read_bytes())
    content[4:60] = b"\xff" * 56
    (tmp_path / "b.parquet").write_bytes(content)
    with pytest.raises(SourceError):
        audit_path(tmp_path / "b.parquet")
    assert attempts == [True, False] * 2


def test_where_a_file_cannot_be_had_nobody_asks_twice(
    tmp_path: Path, attempts: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(*_: Any) -> Path:
        raise Unavailable("does not answer")

    monkeypatch.setattr(FileSource, "fetch", fetch)
    (tmp_path / "a.csv").write_text(CSV, encoding="utf-8")
    with pytest.raises(Unavailable):
        audit_path(tmp_path / "a.csv")
    assert attempts == [True]
