"""The scan: rows keep their numbers, names and order, whichever way each of them was read."""

from __future__ import annotations

from hashlib import md5
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchaudit import scan as scanning
from benchaudit.checks import all_checks
from benchaudit.items import scan_sql
from benchaudit.mapping.quick import quick_items
from benchaudit.models import ColumnMapping
from benchaudit.reading import open_table
from benchaudit.reading.engine import engine

MAPPING = ColumnMapping(question=("q",), options=("o",), gold="g", gold_encoding="index0")
CERTAIN = "q{0},\"['x{0}', 'longer']\",{1},{2}\n"
ROWS = {
    "certain": CERTAIN,
    "left out": "q{0},[],0,{2}\n",
    "left to the definition": "q{0},\"['x{0}', 'x{0} ']\",{1},{2}\n",
    "unlabelled": "q{0},\"['x{0}', 'longer']\",,{2}\n",
}


def narrow(items: str, *, bare: bool = False) -> str:
    return scan_sql(items, all_checks(), bare=bare)


def narrow_rows(files: dict[str, str], work: Path, *, quick: bool) -> list[tuple[object, ...]]:
    """The narrow rows of these files, quickly where that can be or by the definition alone."""
    paths = []
    for name, content in files.items():
        paths.append((work / name).resolve())
        paths[-1].write_text(content, encoding="utf-8")
    with engine(paths, work.resolve()) as connection, pytest.MonkeyPatch.context() as patch:
        if not quick:
            patch.setattr(scanning, "quick_items", lambda *_: None)
        tables = [open_table(path, path.name, work.resolve(), connection) for path in paths]
        scanning.scan(tables, MAPPING, ["s", "@file"], connection, narrow, {})
        return connection.execute("SELECT * EXCLUDE (marks) FROM scored ORDER BY file, row").fetchall()


def csv_of(kinds: list[str], start: int = 0) -> str:
    rows = [ROWS[kind].format(start + place, place % 2, place % 3) for place, kind in enumerate(kinds)]
    return "q,o,g,s\n" + "".join(rows)


@pytest.mark.parametrize(
    "files",
    [
        {"a.csv": csv_of(["certain"] * 9)},
        {"a.csv": csv_of(["left out", "unlabelled"] * 3)},
        {"a.csv": csv_of(list(ROWS) * 5)},
        {
            "a.csv": csv_of(list(ROWS) * 2),
            "b.csv": csv_of(["certain"] * 3, 50),
            "c.csv": csv_of(["left out"] * 2),
        },
        {"a.csv": csv_of(["certain"] * 5), "b.jsonl": '{"q": "x", "o": ["a", "bb"], "g": 1, "s": 1}\n' * 2},
        {
            "a.csv": csv_of(["certain"] * 5),
            "b.jsonl": '{"q": "x", "o": ["a", "bb"], "g": 1, "s": 1}\n' * 2,
            "c.csv": csv_of(list(ROWS), 20),
            "d.jsonl": '{"q": "x", "o": ["a ", "bb"], "g": 1, "s": 1}\n' * 2,
            "e.csv": csv_of(["left to the definition"], 30)
            .replace("q,o,g,s", "q,o,g,t,s")
            .replace(",2", ",x,2"),
            "f.csv": "q,o,g,s\n",
            "g.csv": csv_of(list(ROWS), 40),
        },
        {"a.csv": csv_of(list(ROWS) * 1000), "b.csv": csv_of(list(ROWS) * 800, 20_000)},
    ],
    ids=["all certain", "none", "some", "three files", "another shape", "shapes in turns", "many"],
)
def test_both_ways_give_the_same_rows(files, tmp_path):
    quick, defined = (narrow_rows(files, tmp_path, quick=quick) for quick in (True, False))
    assert quick == defined
    assert len(quick) == sum(content.count("\n") - name.endswith(".csv") for name, content in files.items())


def parquet(path: Path, columns: dict[str, pa.Array]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def columns_of(names: str, start: int = 0, *, gold: Any = None, options: Any = None) -> dict[str, pa.Array]:
    """Columns of three rows in this order."""
    cells = {
        "q": pa.array([f"q{start + n}" for n in range(3)]),
        "o": pa.array([["x", f"longer {n}", "it"] for n in range(3)], options),
        "g": pa.array([1, 0, 2], gold or pa.int64()),
        "s": pa.array(["a", "b", None]),
        "S": pa.array([start] * 3),
        "t": pa.array([start] * 3),
    }
    return {name: cells[name] for name in names.split()}


@pytest.mark.parametrize(
    ("second", "alike"),
    [
        (columns_of("q o g s t", 50), True),
        (columns_of("o q g s t", 50), False),
        (columns_of("q o g s S", 50), False),
        (columns_of("q o g s t", 50, gold=pa.int32()), False),
        (columns_of("q o g s t", 50, options=pa.large_list(pa.string())), True),
        (columns_of("q o g s", 50), False),
    ],
    ids=["alike", "another order", "another name", "another type", "a type that is the same here", "fewer"],
)
def test_files_are_scanned_as_one_where_they_are_read_alike(second, alike, tmp_path, monkeypatch):
    paths = [
        parquet(tmp_path / "k=v" / "a.parquet", columns_of("q o g s t")),
        parquet(tmp_path / "k=v" / "b.parquet", second),
        parquet(tmp_path / "k=v" / "c.parquet", columns_of("q o g s t", 90)),
    ]
    groups = []

    def seen(*given: Any) -> Any:
        groups.append(len(given[0]))
        return quick_items(*given)

    work = tmp_path.resolve()
    monkeypatch.setattr(scanning, "quick_items", seen)
    with engine([path.resolve() for path in paths], work) as connection:
        tables = [open_table(path.resolve(), f"it's {path.name}", work, connection) for path in paths]
        scanning.scan(tables, MAPPING, ["s", "@file"], connection, narrow, {})
        rows = connection.execute(
            "SELECT file, row, name, slices, gold, question FROM scored ORDER BY file, row"
        ).fetchall()
    assert groups == ([3] if alike else [2, 1])
    assert [row[:2] for row in rows] == [(file, row) for file in range(3) for row in (1, 2, 3)]
    for place, (file, row, name, slices, gold, question) in enumerate(rows):
        called = f"it's {'abc'[file]}.parquet"
        assert name == f"{called}:{row}"
        assert slices == [("a", "b", None)[place % 3], called]
        assert gold == (1, 0, 2)[place % 3]
        assert question == md5(f"q{(0, 50, 90)[file] + row - 1}".encode()).hexdigest()


def test_a_large_file_is_scanned_on_its_own(tmp_path, monkeypatch):
    """Several at once took more memory than a scan may have."""
    groups = []
    monkeypatch.setattr("benchaudit.reading.table.LARGE", 100)
    monkeypatch.setattr(scanning, "quick_items", lambda bindings, _: groups.append(len(bindings)))
    narrow_rows(
        {"a.csv": csv_of(["certain"]), "b.csv": csv_of(["certain"] * 9), "c.csv": csv_of(["certain"])},
        tmp_path,
        quick=True,
    )
    assert groups == [2, 1]


def test_names_that_differ_by_case_only_are_no_reason_to_mix_columns_up(tmp_path):
    """The engine gives such columns other names, which it would look for in the next file."""
    work = tmp_path.resolve()
    paths = [parquet(work / name, columns_of("q o g s S", start)) for name, start in (("a", 0), ("b", 9))]
    with engine(paths, work) as connection:
        tables = [open_table(path, f"{path.name}.parquet", work, connection) for path in paths]
        scanning.scan(tables, MAPPING, ["s", "S"], connection, narrow, {})
        found = connection.execute("SELECT slices FROM scored ORDER BY file, row").fetchall()
    assert [slices for (slices,) in found] == [[s, n] for n in ("0", "9") for s in ("a", "b", None)]


def test_white_space_is_told_from_one_space_without_replacing_it():
    """What is left as it is must be what replacing would have left as it is."""
    blanks = [chr(code) for code in range(0x3100) if chr(code).isspace()]
    questions = ["a b", "a  b", *(f"a{blank}b" for blank in blanks), *(f"{blank}a" for blank in blanks)]
    items = """SELECT 0 AS file, 1 AS row, '' AS place, '' AS id, unnest($questions) AS question,
        NULL::VARCHAR[] AS options, NULL AS gold, 'x' AS left_out, NULL AS marks, NULL AS slices"""
    plain = r"md5(trim(regexp_replace(question, '[\s\pZ]+', ' ', 'g')))"
    with duckdb.connect() as connection:
        given = {"questions": questions}
        quick = connection.execute(f"SELECT question FROM ({narrow(items)})", given).fetchall()
        assert quick == connection.execute(f"SELECT {plain} FROM ({items})", given).fetchall()
