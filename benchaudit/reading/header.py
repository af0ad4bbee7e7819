"""Whether the first line of a delimited file names its columns, and what the columns are called.

Where a file has no header, its first line is a row like any other: it has the shapes that the cells
below it have. Each column votes. Where the votes do not settle it, the look of the line does, and it
is said so: a line that could be a row is never eaten in silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_SHAPES = {
    "number": re.compile(r"[-+]?(\d[\d.,_]*|\.\d+)([eE][-+]?\d+)?%?"),
    "letter": re.compile(r"[(\[]?[A-Za-z][)\].:]?"),
    "truth": re.compile(r"true|false|yes|no", re.IGNORECASE),
    "list": re.compile(r"[\[{(].*[\]})]", re.DOTALL),
    "question": re.compile(r".*\?", re.DOTALL),
}
_LONG = 64
"""Characters that no name of a column has."""

_FEW = 6
"""Rows from which on the values of a column can be said to come again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Whether the first line is one, and whether that is clear."""

    present: bool
    clear: bool


def find_header(rows: Sequence[Sequence[str]]) -> Header:
    """Judge from the first rows of a file, all of one width, whether the first one is a header."""
    first, rest = [cell.strip() for cell in rows[0]], rows[1:]
    if not rest or _counts_up(first):
        return Header(present=True, clear=True)
    votes = {_vote(cell, [row[place].strip() for row in rest], len(first)) for place, cell in enumerate(first)}
    looks = _looks_like_names(first)
    if (True in votes) == (False in votes):
        return Header(present=looks, clear=False)
    present = True in votes
    clear = len(rest) >= _FEW or present == looks
    return Header(present=present and (clear or looks), clear=clear)


def _vote(first: str, column: Iterable[str], width: int) -> bool | None:
    """Whether the first cell of a column is its name (True) or one of its values (False)."""
    cells = [cell for cell in column if cell]
    # Columns may be numbered, which says nothing where they hold numbers.
    if not cells or not first or first in map(str, range(width + 1)):
        return None
    if len(first) > _LONG or "\n" in first:
        return False
    shape, shapes, values = _shape(first), Counter(map(_shape, cells)), set(cells)
    if shape in {"number", "list", "truth", "question"} and shapes[shape] * 2 > len(cells):
        return False
    again = len(cells) >= _FEW and len(values) * 3 <= len(cells)
    if first in values and (again or set(shapes) == {"letter"}):
        return False
    unlike = shape not in shapes and "text" not in shapes
    short = len(cells) >= _FEW and min(map(len, cells)) > 2 * len(first)
    if unlike or short or (again and (shape == "text" or shape not in shapes)):
        return True
    return None


def _shape(cell: str) -> str:
    return next((name for name, pattern in _SHAPES.items() if pattern.fullmatch(cell)), "text")


def _counts_up(first: Sequence[str]) -> bool:
    """Whether a line is 0, 1, 2, … or 1, 2, 3, …: pandas names columns so that have no name."""
    named = [cell for cell in first if cell]
    return len(named) > 1 and any(
        named == [str(start + place) for place in range(len(named))] for start in (0, 1)
    )


def _looks_like_names(first: Sequence[str]) -> bool:
    """Whether the cells are short, different, on one line, and neither numbers nor sentences."""
    named = [cell for cell in first if cell]
    return len(set(named)) == len(named) >= len(first) - 1 and all(
        _shape(cell) in {"text", "letter"} and len(cell) <= _LONG and "\n" not in cell and cell[-1] not in ".!"
        for cell in named
    )


def column_names(first: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names of the columns under these titles, each once, and the titles that came more than once.

    Blanks around a title are dropped. A column without one is called as pandas calls it, by its place
    counted from 0; equal titles are told apart by a number, so that none is taken for the other.
    """
    titles = [title.strip().strip("\ufeff").strip() for title in first]
    titles = [title or f"Unnamed: {place}" for place, title in enumerate(titles)]
    counts = Counter(titles)
    names: list[str] = []
    for title in titles:
        number = 1 + sum(title == earlier for earlier in titles[: len(names)])
        name = title if counts[title] == 1 else f"{title} ({number})"
        while name in names or (name != title and name in counts):
            name += "'"
        names.append(name)
    return names, [title for title, count in counts.items() if count > 1]
