"""CSV and its kin: the dialect is read off the head, the rows are left to DuckDB where that is safe.

The definition is Python's strict CSV reader: a record whose quotes are no CSV, or whose fields are not
as many as the first line's, is a row that is left out; blank lines are none. DuckDB is lenient in a
few places without a word, so files with one of those are read by the definition, and so is every file
that it refuses anywhere. Columns are bound by position: DuckDB takes `answer` and `Answer` for one name.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import duckdb

from benchaudit.errors import SourceError
from benchaudit.reading.content import HEAD, bare_name, read_head
from benchaudit.reading.encoding import MAX_LINE, Utf8, is_text
from benchaudit.reading.engine import glob_escaped, literal
from benchaudit.reading.header import column_names, find_header
from benchaudit.reading.spool import Fields, spool
from benchaudit.reading.table import Column, Table, readable

_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_SNIFFED_ROWS = 200
_LEAST_FITTING = 0.5
"""Share of the first rows that must have as many fields as the first line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a file separates its fields, and whether quotes enclose some; without, a quote is a text."""

    delimiter: str
    quoted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    dialect: Dialect
    header: bool
    columns: tuple[Column, ...]
    notes: tuple[str, ...]


def read_delimited(text: Utf8, name: str, place: Path, connection: duckdb.DuckDBPyConnection) -> Table:
    """Return the table of a delimited text file. Raises SourceError where it is none."""
    layout = _layout(text.path, name)
    line_end = _plain_line_end(text.path, layout) if text.clean else None
    if line_end is not None:
        table = _by_engine(text, name, layout, line_end)
        if readable(table, connection):
            return table
    return _by_definition(text, name, layout, place)


def records(lines: Iterable[str], dialect: Dialect) -> Iterator[list[str] | None]:
    """The definition: the records of these lines, blank ones passed over.

    None stands for each line of a record whose quotes are no CSV, for what was a row in it is lost.
    """
    csv.field_size_limit(sys.maxsize)
    quoting = csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=dialect.delimiter, quoting=quoting, strict=True)
    read = 0
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield from [None] * (reader.line_num - read)
        else:
            if record:
                yield record
        read = reader.line_num


def find_dialect(head: str, *, cut: bool) -> tuple[Dialect, list[list[str]]]:
    """Choose the dialect in which the first records most evenly have as many fields as the first one.

    Returns it with those of the first records that do. `cut` says that `head` ends amid the file.
    Raises SourceError where no dialect makes a table of it.
    """
    dialects = [Dialect(delimiter=mark, quoted=quoted) for quoted in (True, False) for mark in _NAMES]
    best = max(dialects, key=lambda dialect: _fit(_first(head, dialect, cut=cut)))
    found = _first(head, best, cut=cut)
    width = len(found[0] or ()) if found else 0
    rows = [record for record in found if record is not None and len(record) == width]
    if not rows or len(rows) < _LEAST_FITTING * len(found):
        raise SourceError(
            "is no table: most of its lines differ from the first in the number of fields"
            if width
            else "is no table: the quotes of its first line are no CSV"
        )
    return best, rows


def _first(head: str, dialect: Dialect, *, cut: bool) -> list[list[str] | None]:
    found = list(islice(records(io.StringIO(head, newline=""), dialect), _SNIFFED_ROWS))
    # The last record of a head that is cut is not whole, and may be as many broken lines.
    while cut and len(found) < _SNIFFED_ROWS and len(found) > 1 and found[-1] is None:
        found.pop()
    return found


def _fit(found: list[list[str] | None]) -> tuple[float, bool, int, int]:
    """How well a dialect fits: evenness first, then fields that do not begin like words of a sentence.

    More records are better than fewer: stray quotes join lines that are records each on its own.
    """
    if not found or found[0] is None or len(found[0]) < 2:
        return 0.0, False, 0, 0
    width = len(found[0])
    even = [record for record in found if record is not None and len(record) == width]
    spaced = sum(cell.startswith(" ") for record in even for cell in record[1:])
    return len(even) / len(found), spaced * 2 < len(even) * (width - 1), len(even), width


def _layout(path: Path, name: str) -> _Layout:
    head = read_head(path)
    text = head.decode(errors="surrogateescape")
    cut = len(head) == HEAD and "\n" in text
    try:
        dialect, rows = find_dialect(text[: text.rindex("\n") + 1] if cut else text, cut=cut)
    except SourceError as error:
        raise SourceError(error.what, where=name, todo="check that it is CSV") from None
    header = find_header(rows)
    names, twice = column_names(rows[0])
    if not header.present:
        names, twice = [str(place + 1) for place in range(len(rows[0]))], []
    columns = tuple(Column(name=title, sql=f"c{place}", form="text") for place, title in enumerate(names))
    said = _remarks(dialect, name, twice)
    if not header.present:
        said.append("has no header line, its columns are called 1, 2, …")
    if not header.clear:
        said.append(f"it is not clear whether its first line is a header, taken for {_TAKEN[header.present]}")
    notes = tuple(f"{name}: {remark}" for remark in said)
    return _Layout(dialect=dialect, header=header.present, columns=columns, notes=notes)


_TAKEN = {True: "one", False: "a row"}


def _remarks(dialect: Dialect, name: str, twice: list[str]) -> list[str]:
    said = []
    if dialect.delimiter != ("\t" if bare_name(name).endswith(".tsv") else ","):
        said.append(f"the delimiter is {_NAMES[dialect.delimiter]}")
    if not dialect.quoted:
        said.append("quotes are part of the text")
    said += [f"several columns are called {title!r}, told apart by numbers here" for title in twice]
    return said


def _plain_line_end(path: Path, layout: _Layout) -> str | None:
    r"""The line end of a file that DuckDB reads as it is defined, spelled `\n` or `\r\n`; else None.

    DuckDB loses rows where line ends are mixed, inside quotes or out; it takes a blank first line for the
    header, drops an empty field too many at the end of a line, and blanks around quotes.
    """
    width, mark = len(layout.columns), re.escape(layout.dialect.delimiter.encode())
    if width < 2 or read_head(path, 1) in (b"\r", b"\n"):
        return None
    blanks = re.compile(
        rb'(?:^|%b)[ \t]+"(?:[^"]|"(?:%b|\r?$))|"[ \t]+(?:%b|\r?$)' % (mark, mark, mark), re.MULTILINE
    )
    open_end = re.compile(rb".*%b\r?$" % mark, re.MULTILINE)
    returns = feeds = pairs = 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            # Up to a line end, so that each line is looked at in one piece.
            chunk += file.readline(MAX_LINE)
            if (layout.dialect.quoted and blanks.search(chunk)) or any(
                not _is_as_wide(match[0], layout) for match in open_end.finditer(chunk)
            ):
                return None
            returns, feeds, pairs = (
                total + chunk.count(end)
                for total, end in ((returns, b"\r"), (feeds, b"\n"), (pairs, b"\r\n"))
            )
    if returns == 0:
        return r"\n"
    return r"\r\n" if returns == feeds == pairs else None


def _is_as_wide(line: bytes, layout: _Layout) -> bool:
    """Whether a line that ends in a delimiter has just the fields it should; not so in case of doubt."""
    quotes = layout.dialect.quoted and b'"' in line
    return not quotes and line.count(layout.dialect.delimiter.encode()) == len(layout.columns) - 1


def _by_engine(text: Utf8, name: str, layout: _Layout, line_end: str) -> Table:
    types = ", ".join(f"'{column.sql}': 'VARCHAR'" for column in layout.columns)
    quote = literal('"' if layout.dialect.quoted else "")
    relation = (
        f"(SELECT *, NULL::VARCHAR AS unreadable FROM read_csv({literal(glob_escaped(text.path))}, "
        f"auto_detect=false, header={layout.header}, delim={literal(layout.dialect.delimiter)}, "
        f"quote={quote}, escape={quote}, columns={{{types}}}, new_line={literal(line_end)}))"
    )
    return Table(file=name, relation=relation, columns=layout.columns, notes=layout.notes)


def _by_definition(text: Utf8, name: str, layout: _Layout, place: Path) -> Table:
    width = len(layout.columns)

    def fields() -> Iterator[Fields]:
        for record in islice(records(_lines(text.path, name), layout.dialect), int(layout.header), None):
            unreadable = _unreadable(record, width, clean=text.clean)
            if record is None or unreadable:
                yield [*[None] * width, unreadable]
            else:
                yield [*(cell or None for cell in record), None]

    target = spool(fields(), [*(column.sql for column in layout.columns), "unreadable"], place / "rows.parquet")
    return Table(
        file=name,
        relation=f"read_parquet({literal(str(target))})",
        columns=layout.columns,
        notes=layout.notes,
    )


def _unreadable(record: list[str] | None, width: int, *, clean: bool) -> str | None:
    if record is None:
        return "bad-quotes"
    if len(record) != width:
        return "wrong-field-count"
    return None if clean or all(map(is_text, record)) else "not-unicode"


def _lines(path: Path, name: str) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        for line in iter(partial(file.readline, MAX_LINE), ""):
            if len(line) == MAX_LINE:
                raise SourceError(f"has a line of more than {MAX_LINE >> 20} MiB", where=name)
            yield line
