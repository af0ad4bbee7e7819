"""CSV and its kin: the dialect is read off the head, the rows are left to DuckDB.

Columns are bound by position: DuckDB takes `answer` and `Answer` for one name. Where a row does not
fit, the file is read again by Python's reader, and the row is left out instead of the file.
"""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchaudit.errors import SourceError
from benchaudit.reading.content import (
    HEAD,
    encoding_by_content,
    encoding_by_mark,
    read_head,
    survey,
    transcoded,
)
from benchaudit.reading.engine import glob_escaped, literal
from benchaudit.reading.spool import Fields, spool
from benchaudit.reading.table import Column, Table

DELIMITERS = ",;\t|"
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SNIFFED_ROWS = 200
_MAX_LINE = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialect:
    delimiter: str
    header: list[str]


def read_delimited(path: Path, name: str, work: Path) -> Table:
    """Return the table of a delimited text file."""
    path, notes = _as_utf8(path, name, work)
    dialect = _sniff(path, name)
    usual = "\t" if name.lower().removesuffix(".gz").endswith(".tsv") else ","
    if dialect.delimiter != usual:
        notes.append(f"{name}: the delimiter is a {_NAMES[dialect.delimiter]}")
    line_end = survey(path).line_end
    if line_end is None:
        # DuckDB loses rows of such a file in silence.
        return _read_carefully(path, name, work, dialect, tuple(notes))
    columns = tuple(
        Column(name=title, sql=f"c{number}", form="text") for number, title in enumerate(dialect.header)
    )
    types = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(columns)))
    relation = (
        f"(SELECT *, NULL::VARCHAR AS unreadable FROM read_csv({literal(glob_escaped(path))}, auto_detect=false, "
        f"header=true, delim={literal(dialect.delimiter)}, quote='\"', escape='\"', columns={{{types}}}, "
        f"new_line={literal(line_end)}, max_line_size={min(_MAX_LINE, max(2 << 20, path.stat().st_size + 1))}))"
    )

    def careful() -> Table:
        return _read_carefully(path, name, work, dialect, tuple(notes))

    return Table(file=name, relation=relation, columns=columns, notes=tuple(notes), careful=careful)


def _as_utf8(path: Path, name: str, work: Path) -> tuple[Path, list[str]]:
    """The file, or a copy in UTF-8, and what was done to it."""
    encoding, notes = encoding_by_mark(read_head(path, 4)), list[str]()
    if encoding is None:
        bad = survey(path).first_bad
        if bad is None:
            return path, notes
        encoding = encoding_by_content(path, bad)
        notes.append(f"{name}: byte {bad} is not UTF-8, read as {encoding}")
    elif encoding != "utf-8-sig":
        notes.append(f"{name}: read as {encoding}")
    try:
        return transcoded(path, encoding, work / f"{path.name}.utf8"), notes
    except UnicodeError as error:
        raise SourceError(f"cannot be read as {encoding} ({error})", where=name) from None


def _sniff(path: Path, name: str) -> _Dialect:
    """Choose the delimiter under which the rows of the head have most evenly many fields."""
    head = read_head(path)
    text = head.decode(errors="ignore")
    if len(head) == HEAD and "\n" in text:
        text = text[: text.rindex("\n") + 1]
    best = max(DELIMITERS, key=lambda delimiter: _evenness(text, delimiter))
    rows = _rows(io.StringIO(text, newline=""), best)
    header = [title.strip() for title in next(rows, [])]
    if not any(header):
        raise SourceError("has no header line", where=name)
    twice = [title for title, count in Counter(header).items() if count > 1 and title]
    if twice:
        raise SourceError(f"has two columns called {twice[0]!r}", where=name, todo="rename one of them")
    return _Dialect(delimiter=best, header=header)


def _evenness(text: str, delimiter: str) -> tuple[float, int]:
    """The share of rows that have as many fields as the first (which must be several), and how many."""
    widths = []
    for row in _rows(io.StringIO(text, newline=""), delimiter):
        widths.append(len(row))
        if len(widths) > _SNIFFED_ROWS:
            break
    if not widths or widths[0] < 2:
        return 0.0, 0
    return sum(width == widths[0] for width in widths) / len(widths), widths[0]


def _rows(lines: io.TextIOBase, delimiter: str) -> Iterator[list[str]]:
    """Records as Python's reader sees them, blank lines passed over."""
    csv.field_size_limit(sys.maxsize)
    return (row for row in csv.reader(lines, delimiter=delimiter) if row)


def _read_carefully(path: Path, name: str, work: Path, dialect: _Dialect, notes: tuple[str, ...]) -> Table:
    width = len(dialect.header)

    def fields() -> Iterator[Fields]:
        with path.open(encoding="utf-8", newline="") as file:
            rows = _rows(file, dialect.delimiter)
            next(rows)
            for row in rows:
                if len(row) == width:
                    yield [*(cell.replace("\0", "\ufffd") or None for cell in row), None]
                else:
                    yield [*[None] * width, "wrong-field-count"]

    names = [f"c{number}" for number in range(width)]
    target = spool(fields(), [*names, "unreadable"], work / f"{path.name}.careful.parquet")
    columns = tuple(
        Column(name=title, sql=column, form="text")
        for title, column in zip(dialect.header, names, strict=True)
    )
    relation = f"read_parquet({literal(str(target))})"
    return Table(file=name, relation=relation, columns=columns, notes=(*notes, f"{name}: read row by row"))
