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

from benchaudit.reading.encoding import shown

_SHAPES = {
    "number": re.compile(r"[-+]?(\d[\d.,_]*|\.\d+)([eE][-+]?\d+)?%?"),
    "letter": re.compile(r"[(\[]?[A-Za-z][)\].:]?"),
    "truth": re.compile(r"true|false|yes|no", re.IGNORECASE),
    "list": re.compile(r"[\[{(].*[\]})]", re.DOTALL),
    "question": re.compile(r".*\?", re.DOTALL),
}
_TELLING = {"number", "truth", "list", "question"}
"""Shapes that a name does not have where the values below it do."""

_LONG = 64
"""Characters that no name of a column has."""

_PHRASE = 16
"""Characters from which on a cell is more than a word or two."""

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
    numbered = _numbered(first)
    if not rest or (numbered and numbered == [cell for cell in first if cell]):
        # pandas writes such a header where columns have no names.
        return Header(present=True, clear=True)
    votes = {
        _vote(cell, [row[place].strip() for row in rest], numbered=cell in numbered)
        for place, cell in enumerate(first)
    }
    looks = _looks_like_names([cell for cell in first if cell not in numbered])
    if (True in votes) == (False in votes):
        return Header(present=looks, clear=False)
    present = True in votes
    clear = len(rest) >= _FEW or present == looks
    return Header(present=present and (clear or looks), clear=clear)


def _vote(first: str, column: Iterable[str], *, numbered: bool) -> bool | None:
    """Whether the first cell of a column is its name (True) or one of its values (False)."""
    cells = [cell for cell in column if cell]
    if not cells or not first:
        return None
    shape, shapes, values = _shape(first), Counter(map(_shape, cells)), set(cells)
    again = len(cells) >= _FEW and len(values) * 3 <= len(cells)
    is_long = len(first) > _LONG or "\n" in first
    is_known = first in values and (again or set(shapes) == {"letter"})
    is_alike = not numbered and shape in _TELLING and shapes[shape] * 2 > len(cells)
    if is_long or is_known or is_alike:
        return False
    unlike = shape not in shapes and not {"text", "question"} & shapes.keys()
    unknown = again and (shape == "text" or shape not in shapes)
    short = len(cells) >= _FEW and min(map(len, cells)) > max(2 * len(first), _PHRASE)
    return True if not numbered and (unlike or unknown or short) else None


def _numbered(first: Sequence[str]) -> list[str]:
    """The cells of a line that count up from 0 or 1; columns may be called so, whatever they hold."""
    numbers = [cell for cell in first if cell.isdecimal()]
    counted = [[str(start + place) for place in range(len(numbers))] for start in (0, 1)]
    return numbers if len(numbers) > 1 and numbers in counted else []


def _shape(cell: str) -> str:
    return next((name for name, pattern in _SHAPES.items() if pattern.fullmatch(cell)), "text")


def _looks_like_names(cells: Sequence[str]) -> bool:
    """Whether the cells are short, different, on one line, and neither values nor sentences."""
    named = [cell for cell in cells if cell]
    return len(set(named)) == len(named) >= len(cells) - 1 and all(
        _shape(cell) in {"text", "letter"}
        and len(cell) <= _LONG
        and "\n" not in cell
        and cell[-1] not in ".!"
        for cell in named
    )


def column_names(first: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names of the columns under these titles, each once, and the titles that came more than once.

    Blanks around a title are dropped. A column without one is called as pandas calls it, by its place
    counted from 0; equal titles are told apart by a number, so that none is taken for the other.
    """
    titles = [shown(title.strip().strip("\ufeff").strip()) for title in first]
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
