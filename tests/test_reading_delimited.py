"""CSV and its kin: whatever the bytes, a table holds what Python's strict reader says, or says why not."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchaudit.errors import SourceError
from benchaudit.reading import Table, delimited
from benchaudit.reading.encoding import Utf8
from tests.reading import Desk, Row, desk, is_by_engine, patient

HEADER = ["id", "question", "gold"]
# Rows that leave no doubt of the dialect, so that a test decides what comes behind them.
CLEAR = [[str(number), f'What is "{number}", then?', "ABCD"[number % 4]] for number in range(200)]


@pytest.fixture(scope="module")
def tables() -> Iterator[Desk]:
    with desk() as opened:
        yield opened


def defined(text: str) -> list[Row]:
    """What a file is defined to hold, written down a second time and as plainly as can be."""
    rows: list[Row] = []
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return rows[1:]
        except csv.Error:
            rows += ["bad-quotes"] * (reader.line_num - lines)
            cells = []
        lines = reader.line_num
        if len(cells) == len(HEADER):
            rows.append({name: cell or None for name, cell in zip(HEADER, cells, strict=True)})
        elif cells:
            rows.append("wrong-field-count")


def written(rows: list[list[str]], **how: Any) -> str:
    file = io.StringIO(newline="")
    csv.writer(file, **{"lineterminator": "\n", **how}).writerows(rows)
    return file.getvalue()


def as_rows(cells: list[list[str]], names: list[str]) -> list[Row]:
    """An empty cell is a missing one: CSV has no other way to say so."""
    return [{name: cell or None for name, cell in zip(names, row, strict=True)} for row in cells]


ENDS = st.sampled_from(["\n", "\r\n"])
PIECES = st.sampled_from(
    ["a", "B", "", " ", "\t", ",", ";", '"', '""', "\n", "\r\n", "\r", "\0", "\u2028", "\x1a", "é", "😀",
     "1,2,A\n", "1,2,A\r\n", "1,2,\n", "1,2,A,\n", '1,"x\ny",A\n', '"",,""\n', "\n\n", "  \n", ' "x",2,A\n',
     '1,"2" ,A\n', "#1,2,A\n", "\\", "'", "NULL", "\ufeff"]
)  # fmt: skip


@patient
@given(end=ENDS, pieces=st.lists(PIECES, max_size=12).map("".join))
@example(end="\n", pieces="1,2,A,\n")
@example(end="\n", pieces="1,,,\n")
@example(end="\n", pieces='1,"2" ,A\n')
@example(end="\n", pieces=' "1",2,A\n')
@example(end="\n", pieces='1,\t"2",A\n')
@example(end="\r\n", pieces="1,2,A\n1,2,A\r")
@example(end="\n", pieces='1,2,"never closed\n1,2,A\n')
@example(end="\n", pieces='1,"x"y,A\n1,2,A\n')
@example(end="\r\n", pieces='1,"x\ny\rz",A\r\n')
def test_any_text_is_read_as_defined(tables: Desk, end: str, pieces: str) -> None:
    """The engine's reader is fast and lenient: where it would differ, it is not asked."""
    text = written([HEADER, *CLEAR], lineterminator=end) + pieces
    assert tables.read(text.encode()) == defined(text)


@patient
@given(
    rows=st.lists(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), min_size=3, max_size=3)),
    end=ENDS,
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
def test_what_is_written_comes_back(
    tables: Desk, rows: list[list[str]], end: str, delimiter: str, encoding: str
) -> None:
    """Quotes, delimiters and line breaks inside a cell are text, in every encoding that marks itself."""
    text = written([HEADER, *CLEAR, *rows], lineterminator=end, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    assert tables.read(text.encode(encoding)) == as_rows(CLEAR + rows, HEADER)


@patient
@given(
    rows=st.lists(st.tuples(st.integers(), st.text(st.characters(codec="utf-8", exclude_characters="\r\0"))))
)
def test_what_pandas_writes_comes_back(tables: Desk, rows: list[tuple[int, str]]) -> None:
    """The column of row numbers has no name in the file, and gets the one that pandas gives it."""
    frame = pd.DataFrame([*enumerate("ABCD" * 3), *rows], columns=["label", "a text"])
    expected = [
        {"Unnamed: 0": str(number), "label": str(label), "a text": text or None}
        for number, (label, text) in enumerate(frame.itertuples(index=False))
    ]
    assert tables.read(frame.to_csv().encode()) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(written([HEADER, *CLEAR]), id="line feeds"),
        pytest.param(written([HEADER, *CLEAR], lineterminator="\r\n"), id="carriage returns"),
        pytest.param(
            written([HEADER, ["1", "two\nlines", "A"]], lineterminator="\r\n"), id="both, one quoted"
        ),
        pytest.param(written([HEADER, ["1", 'he said, "hi"', ""]]), id="an empty last field"),
        pytest.param(written(CLEAR), id="no header"),
        pytest.param(written([HEADER, *CLEAR], delimiter="\t"), id="tabs"),
    ],
)
def test_usual_files_are_left_to_the_engine(tables: Desk, text: str) -> None:
    assert is_by_engine(tables.open(text.encode()))


@pytest.mark.parametrize(
    ("seed", "line", "buffer", "quoting"),
    [
        (600, 1500, 1500, csv.QUOTE_MINIMAL),
        (1524, 1500, 1500, csv.QUOTE_MINIMAL),
        (1126, 1500, 3000, csv.QUOTE_ALL),
        (1270, 1500, 3000, csv.QUOTE_ALL),
        (2930, 3000, 3000, csv.QUOTE_MINIMAL),
        (3848, 3000, 3000, csv.QUOTE_MINIMAL),
    ],
)
def test_no_row_is_lost_between_two_buffers(
    tables: Desk, monkeypatch: pytest.MonkeyPatch, seed: int, line: int, buffer: int, quoting: int
) -> None:
    """DuckDB can lose rows where a quoted line break is near the border; small buffers have many.

    With these seeds it did (2.0), and only the count of the rows told.
    """

    def by_small_pieces(text: Utf8, name: str, layout: Any) -> Table:
        table = by_engine(text, name, layout)
        small = f"auto_detect=false, max_line_size={line}, buffer_size={buffer}"
        return replace(table, way=table.way.replace("auto_detect=false", small))

    by_engine = delimited._by_engine
    monkeypatch.setattr(delimited, "_by_engine", by_small_pieces)
    luck = random.Random(seed)
    cells = ["".join(luck.choices('ab,\n\r";x', k=luck.choice((0, 1, 8, 30, 200)))) for _ in range(60)]
    rows = [[cells[place], cells[place + 1], "A"] for place in range(0, 60, 2)]
    text = written([HEADER, *CLEAR, *rows], lineterminator="\r\n", quoting=quoting)
    assert tables.read(text.encode()) == as_rows(CLEAR + rows, HEADER)


@pytest.mark.parametrize(
    ("delimiter", "said"),
    [(",", []), (";", ["a semicolon"]), ("\t", ["a tab"]), ("|", ["a bar"])],
)
def test_the_delimiter_is_found_and_said(tables: Desk, delimiter: str, said: list[str]) -> None:
    table = tables.open(written([HEADER, ["1", "One, two; three", "A"]], delimiter=delimiter).encode())
    assert [column.name for column in table.columns] == HEADER
    assert list(table.notes) == [f"data.csv: the delimiter is {name}" for name in said]


def test_words_after_a_mark_are_no_fields(tables: Desk) -> None:
    """Lists in a sentence separate as evenly as a delimiter does; but a blank follows there."""
    rows = [[f"Which of a; b; c is {number}?", "x", "ABCD"[number % 4]] for number in range(9)]
    assert tables.read(written(rows).encode()) == as_rows(rows, ["1", "2", "3"])


RAW = [["1", '"Hello" she said', "A"], ["2", '6" of it', "B"], ["3", '"what', "C"], ["4", 'else"', "D"]]


def test_quotes_that_enclose_nothing_are_text(tables: Desk) -> None:
    """A tab file that was joined without quoting would lose its quotes, or the rows between two of them."""
    text = "\n".join("\t".join(row) for row in [HEADER, *RAW])
    table = tables.open(text.encode(), "data.tsv")
    assert tables.rows(table) == as_rows(RAW, HEADER)
    assert table.notes == ("data.tsv: quotes are part of the text",)


@pytest.mark.parametrize("length", [131_073, 2_200_000, 20_000_000])
def test_a_cell_may_be_long(tables: Desk, length: int) -> None:
    """Python stops at 131,072 characters and DuckDB at two million bytes, unless told otherwise."""
    long = "x" * length
    rows = [*CLEAR, ["200", long, "A"], ["201", "short", "B"]]
    assert tables.read(written([HEADER, *rows]).encode())[-2:] == as_rows(rows, HEADER)[-2:]


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        pytest.param([" id ", "question\t", " gold"], ["id", "question", "gold"], id="blanks around"),
        pytest.param(["", "question", "gold"], ["Unnamed: 0", "question", "gold"], id="none"),
        pytest.param(["answer", "Answer", "ANSWER"], ["answer", "Answer", "ANSWER"], id="case"),
        pytest.param(["a", "b", "a"], ["a (1)", "b", "a (2)"], id="twice"),
        pytest.param(["a", "a", "a (1)"], ["a (1)'", "a (2)", "a (1)"], id="twice, and the way out is taken"),
        pytest.param(["a;b", "b,c", 'd"'], ["a;b", "b,c", 'd"'], id="marks in it"),
    ],
)
def test_each_column_has_a_name_of_its_own(tables: Desk, titles: list[str], names: list[str]) -> None:
    """DuckDB takes `answer` and `Answer` for one name: columns are bound by their place."""
    table = tables.open(written([titles, *CLEAR]).encode())
    assert [column.name for column in table.columns] == names
    assert tables.rows(table) == as_rows(CLEAR, names)


def test_a_name_that_came_twice_is_said(tables: Desk) -> None:
    notes = tables.open(written([["a", "b", "a"], *CLEAR]).encode()).notes
    assert notes == ("data.csv: several columns are called 'a', told apart by numbers here",)


QUIZ = [
    ["What is the capital of Peru?", "Lima", "Quito", "La Paz", "Bogota", "A"],
    ["Two and two make", "3", "4", "5", "6", "B"],
    ["Which of these is a mammal?", "A shark", "A trout", "A whale", "A newt", "C"],
    ["It is cold because", "wind", "ice", "snow", "the door is open", "D"],
    ["Who wrote it?", "She", "He", "They", "Nobody", "A"],
    ["Find the odd one out.", "a", "e", "i", "k", "D"],
]
NAMES = ["question", "A", "B", "C", "D", "answer"]


@pytest.mark.parametrize("count", range(2, 7))
@pytest.mark.parametrize("first", range(6))
def test_a_file_without_a_header_loses_no_row(tables: Desk, first: int, count: int) -> None:
    """Whichever row stands first: if it is taken for a header, this is said."""
    rows = (QUIZ[first:] + QUIZ[:first])[:count]
    table = tables.open(written(rows).encode())
    if "taken for one" not in " ".join(table.notes):
        assert tables.rows(table) == as_rows(rows, ["1", "2", "3", "4", "5", "6"])
        assert "data.csv: without a header line, its columns are called 1, 2, …" in table.notes


@pytest.mark.parametrize("count", range(1, 7))
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(NAMES, id="letters"),
        pytest.param(["question", "1", "2", "3", "4", "answer"], id="numbers"),
        pytest.param(["prompt", "opa", "opb", "opc", "opd", "cop"], id="words"),
        pytest.param(["0", "1", "2", "3", "4", "5"], id="as pandas numbers them"),
    ],
)
def test_a_header_is_no_row(tables: Desk, names: list[str], count: int) -> None:
    assert tables.read(written([names, *QUIZ[:count]]).encode()) == as_rows(QUIZ[:count], names)


def test_a_doubt_is_said(tables: Desk) -> None:
    notes = tables.open(b"this,that\nsome words,other words\n").notes
    assert notes == ("data.csv: whether its first line is a header is not clear, it is taken for one",)


def test_a_header_without_rows_is_an_empty_table(tables: Desk) -> None:
    """One shard of several may be empty; that a whole revision is, is said elsewhere."""
    table = tables.open(b"question,A,B,answer\n")
    assert [column.name for column in table.columns] == ["question", "A", "B", "answer"]
    assert tables.rows(table) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        pytest.param("A poem,\nof many lines, some long,\nsome\nnot\nso\n", "most of its lines", id="prose"),
        pytest.param("a,b,c\n1,2,3,\n4,5,6,\n7,8,9,\n", "most of its lines", id="a field too many"),
        pytest.param('"a\nb\n', "quotes of its first line", id="a header that does not end"),
    ],
)
def test_what_is_no_table_is_refused(tables: Desk, text: str, what: str) -> None:
    with pytest.raises(SourceError, match=f"^data.csv: .*{what}"):
        tables.open(text.encode())


def test_quotes_may_be_escaped_by_backslashes(tables: Desk) -> None:
    """As Spark and MySQL write them. A backslash before anything else is a letter like any other."""
    texts = '"is \\"x\\", or $\\frac{1}{2}$, so?","C:\\\\"'
    lines = ["id,question,gold", *(f"{n},{texts}" for n in range(5))]
    table = tables.open("\n".join(lines).encode())
    expected = {"question": 'is "x", or $\\frac{1}{2}$, so?', "gold": "C:\\\\"}
    assert tables.rows(table) == [{"id": str(n), **expected} for n in range(5)]
    assert table.notes == ("data.csv: quotes in its texts are escaped by backslashes",)


def test_a_backslash_at_the_end_of_a_text_escapes_nothing(tables: Desk) -> None:
    rows = [[str(n), 'of "C:\\"', "D:\\"] for n in range(5)]
    table = tables.open(written([HEADER, *rows], quoting=csv.QUOTE_ALL).encode())
    assert (tables.rows(table), table.notes) == (as_rows(rows, HEADER), ())


@pytest.mark.parametrize("hint", ["sep=;\n", '"sep=;"\r\n', "SEP=;\r\n"])
def test_a_line_that_tells_excel_the_delimiter_is_no_row(tables: Desk, hint: str) -> None:
    table = tables.open(f"{hint}{written([HEADER, *CLEAR], delimiter=';')}".encode("utf-8-sig"))
    assert tables.rows(table) == as_rows(CLEAR, HEADER)
    assert "data.csv: its first line says the delimiter" in table.notes


def test_a_single_column_is_a_table(tables: Desk) -> None:
    """DuckDB would take the blank line for a row."""
    assert tables.read(b"record\n1\n\n2\n") == [{"record": "1"}, {"record": "2"}]


def test_a_row_with_broken_bytes_is_left_out(tables: Desk) -> None:
    """One stray byte makes no mojibake of a file whose letters are UTF-8."""
    text = written([HEADER, ["1", "für", "A"], ["2", "?", "B"], ["3", "größer", "C"]]).encode()
    table = tables.open(text.replace(b"?", b"\xff"))
    assert tables.rows(table) == [
        {"id": "1", "question": "für", "gold": "A"},
        "not-unicode",
        {"id": "3", "question": "größer", "gold": "C"},
    ]
    assert table.notes == (
        "data.csv: byte 28 is not UTF-8",
        "data.csv: rows with bytes that are no characters are left out",
    )
