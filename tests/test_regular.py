"""What is said to be regular is, by Python's own reader, wherever the file is cut."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchaudit.reading import regular

END = st.sampled_from(["\n", "\r\n"])


def found(text: str, width: int, *, quoted: bool = True, at_once: int = 1 << 18) -> int | None:
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(regular, "_AT_ONCE", at_once)
        path = Path(place, "file.csv")
        path.write_bytes(text.encode())
        return regular.regular_records(path, ",", width, quoted=quoted)


def defined(text: str, width: int, *, quoted: bool) -> int | None:
    """The number of records by Python's strict reader, None where not all have as many fields."""
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), strict=True, quoting=quoting))
    except csv.Error:
        return None
    return len(records) if {len(record) for record in records} == {width} else None


@given(
    pieces=st.lists(
        st.sampled_from(["a", "é", ",", ",", '"', '"', '""', "\n", "\r", "\r\n", " ", "\t", "\0"])
    ),
    quoted=st.booleans(),
    at_once=st.integers(1, 9),
)
@example(pieces=["a", ",", '""', "a", "\n"], quoted=True, at_once=9)
@example(pieces=["a", ",", '"', "\n"], quoted=True, at_once=9)
@example(pieces=["a", ",", "a", "\r", '"', "a", '"', "\n"], quoted=True, at_once=9)
@example(pieces=["a", ",", '"', "\n", '"', "\n", "a", ",", "a"], quoted=True, at_once=1)
def test_what_is_proven_is_so(pieces: list[str], quoted: bool, at_once: int) -> None:
    text = "".join(pieces)
    for width in (1, 2, 3):
        records = found(text, width, quoted=quoted, at_once=at_once)
        assert records in {None, 0, defined(text, width, quoted=quoted)}
        assert records != 0 or not text


@given(
    cells=st.lists(st.tuples(*[st.text(alphabet='ab,"é\n\r ')] * 3), min_size=1),
    end=END,
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    at_once=st.integers(1, 99),
    ended=st.booleans(),
)
def test_what_a_writer_writes_is_proven(
    cells: list[tuple[str, ...]], end: str, quoting: int, at_once: int, ended: bool
) -> None:
    file = io.StringIO(newline="")
    # A writer may leave `\r` bare, which its reader takes for the end of a line.
    if quoting == csv.QUOTE_MINIMAL:
        cells = [tuple(cell.replace("\r", "") for cell in record) for record in cells]
    csv.writer(file, lineterminator=end, quoting=quoting).writerows([("x", "y", "z"), *cells])
    text = file.getvalue() if ended else file.getvalue().removesuffix(end)
    assert found(text, 3, at_once=at_once) == len(cells) + 1


@pytest.mark.parametrize(
    "text",
    [
        'a,b\nc, "d"\n',
        'a,b\nc\t,d"e\n',
        'a,b\nc,"d" \n',
        'a,b\nc,"d"e"\n',
        'a,b\nc,"d\n',
        "a,b\nc\n",
        "a,b\nc,d,e\n",
        "a,b\n\nc,d\n",
        "a,b\nc,d\r\n",
        "a,b\r\nc,d\n",
        "a,b\nc\r,d\n",
    ],
)
def test_what_may_be_read_otherwise_is_not_proven(text: str) -> None:
    assert found(text, 2) is None


def test_a_field_that_is_too_long_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f'a,b\nc,"{"d" * 50}"\n'
    assert found(text, 2) == 2
    monkeypatch.setattr(regular, "MAX_LINE", 50)
    assert found(text, 2) is None
    assert found(text, 2, at_once=5) is None
