"""Arrays made from buffers are those that Arrow itself makes, and pandas stays where it is."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.arrays import integers, lists_of_strings, strings

TEXTS = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=20)


def same(made: pa.Array, meant: pa.Array) -> None:
    made.validate(full=True)
    assert made.type == meant.type
    assert made.null_count == meant.null_count
    assert made.equals(meant)


@given(TEXTS)
def test_texts(values: list[str | None]) -> None:
    same(strings(values), pa.array(values, pa.string()))


@given(st.lists(st.none() | st.integers(-(2**31), 2**31 - 1), max_size=20))
def test_integers(values: list[int | None]) -> None:
    same(integers(values), pa.array(values, pa.int32()))


@given(st.lists(st.none() | TEXTS, max_size=20))
def test_lists_of_texts(values: list[list[str | None] | None]) -> None:
    same(lists_of_strings(values), pa.array(values, pa.list_(pa.string())))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(OverflowError):
        integers([2**31])
    with pytest.raises(UnicodeEncodeError):
        strings(["\ud800"])


def test_pandas_is_not_imported() -> None:
    code = (
        "import sys; from benchaudit.arrays import *; strings(['a', None]); integers([1]); "
        "lists_of_strings([['a'], None]); print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
