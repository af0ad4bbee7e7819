"""How much of PersonaMem v1 can be kept at most: read, counted and bounded without any of our own code."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections import Counter
from fractions import Fraction
from math import floor

import pytest
from scipy.optimize import linprog

from benchaudit.cli import main
from tests.support import SHARED, needs_shared

LEAST = 20


def items(column):
    """Value of a column and length cell of every row of the released file."""
    (path,) = (SHARED / "data" / "personamem-v1").glob("*/questions_32k.csv")
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cell = row["all_options"]
            try:
                options = json.loads(cell)
            except ValueError:
                options = ast.literal_eval(cell)
            lengths = [len(re.sub(r"^\([a-z]\) ", "", option)) for option in options]
            gold = lengths["abcdefgh".index(row["correct_answer"].strip("()"))]
            ends = tuple((lengths.count(end), gold == end) for end in (max(lengths), min(lengths)))
            yield row[column], (len(lengths), ends)


def sums(cell):
    """What a row adds to the four sums that must not be above 0: picking and avoiding either end."""
    k, ends = cell
    for tied, hit in ends:
        pick = Fraction(int(hit), tied)
        avoid = Fraction(1, k) if tied == k else Fraction(int(not hit), k - tied)
        yield from (float(right - Fraction(1, k) - Fraction(1, 100)) for right in (pick, avoid))


def most_by_slice(column):
    """A number of rows that nobody can exceed: each slice by itself, its rows cut in pieces.

    A slice that has a verdict and could only keep too few rows for one is dropped whole.
    """
    total = 0
    for value in {value for value, _ in items(column)}:
        rows = [cell for found, cell in items(column) if found == value]
        classes = Counter(rows)
        lines = list(zip(*(sums(cell) for cell in classes), strict=True))
        found = linprog(
            [-1] * len(classes), A_ub=lines, b_ub=[0] * 4, bounds=[(0, n) for n in classes.values()]
        )
        most = floor(-found.fun + 1e-6)
        total += most if most >= LEAST or len(rows) < LEAST else 0
    return total


@needs_shared
@pytest.mark.parametrize("column", ["question_type", "topic"])
def test_all_but_a_twentieth_of_the_bound_is_kept(tmp_path, capsys, column):
    (source,) = (SHARED / "data" / "personamem-v1").glob("*/questions_32k.csv")
    assert main(["balance", str(source), "--out", str(tmp_path / "out"), "--slices", column], {}) == 0
    made = json.loads((tmp_path / "out" / "balance.json").read_text(encoding="utf-8"))
    most = most_by_slice(column)
    assert made["kept"] <= made["at_most"] <= most
    assert made["kept"] * 20 >= most * 19
