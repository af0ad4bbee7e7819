"""The scan: rows keep their numbers, names and order, whichever way each of them was read."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from benchaudit import scan as scanning
from benchaudit.checks import all_checks
from benchaudit.items import scan_sql
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
        {"a.csv": csv_of(list(ROWS) * 1000), "b.csv": csv_of(list(ROWS) * 800, 20_000)},
    ],
    ids=["all certain", "none", "some", "three files", "another shape", "many"],
)
def test_both_ways_give_the_same_rows(files, tmp_path):
    quick, defined = (narrow_rows(files, tmp_path, quick=quick) for quick in (True, False))
    assert quick == defined
    assert len(quick) == sum(content.count("\n") - name.endswith(".csv") for name, content in files.items())


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
