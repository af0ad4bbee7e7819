"""A text file taken apart into its rows, so that those that are kept can be put together again.

What stands in front of the first row, between rows and behind the last one is kept too. Splitting
follows the readers in `reading`, and counts the rows; it never looks into one.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchaudit.errors import SourceError
from benchaudit.reading.content import text_kind
from benchaudit.reading.delimited import Dialect, read_dialect, records
from benchaudit.reading.document import BrokenDocument, Window
from benchaudit.reading.encoding import Utf8, lines_of
from benchaudit.reading.outline import Place, find_records, records_at
from benchaudit.reading.records import BLANKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Texts that make a file: a head, rows with something between them, and a tail.

    A byte that is no UTF-8 is a lone surrogate in them, as `surrogateescape` has it.
    """

    rows: Iterable[str]
    head: str = ""
    between: str = ""
    tail: str = ""
    notes: tuple[str, ...] = ()


def split(text: Utf8, name: str, rows: int, pointer: str = "") -> Pieces:
    """Take a text file apart into so many rows; whether it has as many shows when they are gone through.

    Raises SourceError where its rows cannot be told.
    """
    kind = text_kind(text.path, name)
    if kind == "csv":
        return _split_table(text, name, rows)
    if kind == "jsonl":
        lines = lines_of(text.path, name, newline="\n")
        return Pieces(rows=(line for line in lines if line.strip(BLANKS)))
    return _split_document(text, name, pointer)


def _split_table(text: Utf8, name: str, rows: int) -> Pieces:
    """Rows of a table: the first one is its header where there is one more than was audited."""
    dialect, _ = read_dialect(text.path, name)
    pieces = sum(1 for _ in _records(lines_of(text.path, name, newline=""), dialect))
    found = _records(lines_of(text.path, name, newline=""), dialect)
    return Pieces(head=next(found) if pieces == rows + 1 else "", rows=found)


def _records(lines: Iterator[str], dialect: Dialect) -> Iterator[str]:
    """The lines of each record of a table; of a broken one they come with its first line."""
    taken: list[str] = []

    def noted() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line

    for _ in records(noted(), dialect):
        yield "".join(taken)
        taken.clear()


class _Marked(Window):
    """A window on a text that is held in full, and knows where in it it is."""

    def __init__(self, text: str) -> None:
        super().__init__(io.StringIO(text, newline=""))
        self.opened = 0

    @property
    def at(self) -> int:
        """How many characters have been taken."""
        return self._before + self._at

    def _expect(self, mark: str) -> None:
        super()._expect(mark)
        if mark in "[{":
            self.opened = self.at


def _split_document(text: Utf8, name: str, pointer: str) -> Pieces:
    """Records of a JSON document, each with what stands between it and the comma in front of it.

    Documents one after another have nothing between them but blanks, which come with the one behind them.
    """
    with text.path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        whole = file.read()
    try:
        place = find_records(_Marked(whole), pointer, name)
        if place.layout == "columns":
            return _by_row(whole, place, name)
        ends = []
        window = _Marked(whole)
        opened = 0
        for _ in records_at(window, place, name):
            opened = opened or window.opened
            ends.append(window.at)
    except (BrokenDocument, RecursionError) as error:
        raise SourceError(f"is not valid JSON ({error})", where=name) from None
    between = "" if place.layout == "documents" else ","
    last = ends[-1] if ends else opened
    starts = [opened, *(whole.index(between, end) + len(between) for end in ends[:-1])]
    rows = (whole[start:end] for start, end in zip(starts, ends, strict=False))
    return Pieces(head=whole[:opened], rows=rows, between=between, tail=whole[last:])


def _by_row(whole: str, place: Place, name: str) -> Pieces:
    if place.path:
        raise SourceError(
            "stores its records by column inside a document, and cannot be cut there",
            where=name,
            todo="store it by row, as JSON lines do",
        )
    rows = records_at(_Marked(whole), place, name)
    note = f"{name}: was stored by column, and is written by row"
    return Pieces(head="[\n", rows=rows, between=",\n", tail="\n]\n", notes=(note,))
