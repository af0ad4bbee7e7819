"""CSV and its kin: the dialect is read off the head, the rows are left to DuckDB where that is safe.

The definition is Python's strict CSV reader: a record whose quotes are no CSV, or whose fields are not
as many as the first line's, is a row that is left out; blank lines are none. DuckDB is lenient without
a word, so it reads only files in which the definition finds nothing amiss, and must find as many rows.
Columns are bound by position: DuckDB takes `answer` and `Answer` for one name.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb

from benchaudit.errors import SourceError
from benchaudit.reading.content import HEAD, MAX_LINE, bare_name, read_head
from benchaudit.reading.encoding import Utf8, is_text, lines_of
from benchaudit.reading.engine import literal
from benchaudit.reading.header import Header, column_names, find_header
from benchaudit.reading.regular import line_end, regular_records
from benchaudit.reading.spool import Fields, spool
from benchaudit.reading.table import FILES, SPOOLED, Column, Table, row_count

_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_TAKEN = {True: "one", False: "a row"}
_HINT = re.compile(rb'"?sep=[,;\t|]"?\r?\n', re.IGNORECASE)
_SNIFFED_ROWS = 200
_LEAST_FITTING = 0.5
"""Share of the first rows that must have as many fields as the first line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a file separates its fields, and whether quotes enclose some; without, a quote is a text.

    A quote inside of quotes is doubled, or `escaped` by a backslash, as Spark and MySQL write it.
    """

    delimiter: str
    quoted: bool = True
    escaped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    dialect: Dialect
    header: bool
    columns: tuple[Column, ...]
    notes: tuple[str, ...]


def read_delimited(
    text: Utf8, name: str, place: Path, connection: duckdb.DuckDBPyConnection, *, trusting: bool = False
) -> Table:
    """Return the table of a delimited text file. Raises SourceError where it is none."""
    text = _without_hint(text, name, place)
    layout = _layout(text, name)
    rows = _regular_rows(text, layout)
    if rows is not None:
        table = replace(_by_engine(text, name, layout), rows=rows)
        if trusting or row_count(table, connection) == rows:
            return table
    return _by_definition(text, name, layout, place)


def _without_hint(text: Utf8, name: str, place: Path) -> Utf8:
    """The file without the line `sep=;` that tells Excel the delimiter, and is no part of the table."""
    hint = _HINT.match(read_head(text.path, 64))
    if hint is None:
        return text
    target = place / "table"
    with text.path.open("rb") as source, target.open("wb") as sink:
        source.seek(hint.end())
        shutil.copyfileobj(source, sink, 1 << 20)
    return replace(text, path=target, notes=(*text.notes, f"{name}: its first line says the delimiter"))


def records(lines: Iterable[str], dialect: Dialect) -> Iterator[list[str] | None]:
    """The definition: the records of these lines, blank ones passed over.

    None stands for each line of a record whose quotes are no CSV, for what was a row in it is lost.
    """
    reader = _strict_reader(map(_doubled, lines) if dialect.escaped else lines, dialect)
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


_ESCAPED = re.compile(r'(?<!\\)((?:\\\\)*)\\"')
"""A quote behind an odd number of backslashes."""


def _doubled(line: str) -> str:
    """A line with its escaped quotes doubled. Other backslashes stay: in LaTeX they are the text."""
    return _ESCAPED.sub(r'\1""', line)


def _strict_reader(lines: Iterable[str], dialect: Dialect) -> Any:
    # A quote that is never closed must not take the rest of the file into memory.
    csv.field_size_limit(MAX_LINE)
    return csv.reader(
        lines,
        delimiter=dialect.delimiter,
        quoting=csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE,
        strict=True,
    )


def find_dialect(head: str, name: str, *, cut: bool = False) -> tuple[Dialect, list[list[str]]]:
    """Choose the dialect in which the first records most evenly have as many fields as the first one.

    Returns it with those of the first records that do. `cut` says that `head` ends amid the file.
    Raises SourceError where no dialect makes a table of it.
    """
    ways = [(True, False), (False, False), *([(True, True)] if '\\"' in head else [])]
    dialects = [
        Dialect(delimiter=mark, quoted=quoted, escaped=escaped) for quoted, escaped in ways for mark in _NAMES
    ]
    best = max(dialects, key=lambda dialect: _fit(_first(head, dialect, cut=cut), dialect))
    found = _first(head, best, cut=cut)
    if not found or found[0] is None:
        raise SourceError("is no table: the quotes of its first line are no CSV", where=name)
    rows = [record for record in found if record is not None and len(record) == len(found[0])]
    if len(rows) < _LEAST_FITTING * len(found):
        raise SourceError(
            "is no table: most of its lines differ from the first in the number of fields",
            where=name,
            todo="begin it with the line that names the columns, and quote texts that hold the delimiter",
        )
    return best, rows


def _first(head: str, dialect: Dialect, *, cut: bool) -> list[list[str] | None]:
    found = list(islice(records(io.StringIO(head, newline=""), dialect), _SNIFFED_ROWS))
    # The last record of a head that is cut is not whole, and may be as many broken lines.
    while cut and len(found) < _SNIFFED_ROWS and len(found) > 1 and found[-1] is None:
        found.pop()
    return found


def _fit(found: list[list[str] | None], dialect: Dialect) -> tuple[float, bool, int, int]:
    """How well a dialect fits: evenness first, then fields that do not begin like words of a sentence.

    More records are better than fewer: stray quotes join lines that are records each on its own.
    """
    if not found or found[0] is None or len(found[0]) < 2:
        return 0.0, False, 0, 0
    width = len(found[0])
    even = [record for record in found if record is not None and len(record) == width]
    opened = [cell for record in even for cell in record if cell[:1] == '"']
    if not dialect.quoted and sum(cell[1:].endswith('"') for cell in opened) * 2 > len(opened):
        return 0.0, False, 0, 0
    spaced = sum(cell.startswith(" ") for record in even for cell in record[1:])
    return len(even) / len(found), spaced * 2 < len(even) * (width - 1), len(even), width


def read_dialect(path: Path, name: str) -> tuple[Dialect, list[list[str]]]:
    """The dialect of a file in UTF-8, with its first records, as `find_dialect` says."""
    head = read_head(path)
    cut = len(head) == HEAD and b"\n" in head
    lines = (head[: head.rindex(b"\n") + 1] if cut else head).decode(errors="surrogateescape")
    return find_dialect(lines, name, cut=cut)


def _layout(text: Utf8, name: str) -> _Layout:
    dialect, rows = read_dialect(text.path, name)
    header = find_header(rows)
    names, twice = column_names(rows[0])
    if not header.present:
        names, twice = [str(place + 1) for place in range(len(rows[0]))], []
    columns = tuple(
        Column(name=title, sql=f"c{place}", form="text", kind="text", typed=f"c{place}")
        for place, title in enumerate(names)
    )
    return _Layout(
        dialect=dialect,
        header=header.present,
        columns=columns,
        notes=(*text.notes, *(f"{name}: {remark}" for remark in _remarks(dialect, name, header, twice))),
    )


def _remarks(dialect: Dialect, name: str, header: Header, twice: list[str]) -> list[str]:
    said = []
    if dialect.delimiter != ("\t" if bare_name(name).endswith(".tsv") else ","):
        said.append(f"the delimiter is {_NAMES[dialect.delimiter]}")
    if not dialect.quoted:
        said.append("quotes are part of the text")
    if dialect.escaped:
        said.append("quotes in its texts are escaped by backslashes")
    if not header.clear:
        said.append(
            f"whether its first line is a header is not clear, it is taken for {_TAKEN[header.present]}"
        )
    if not header.present:
        said.append("without a header line, its columns are called 1, 2, …")
    return said + [f"several columns are called {title!r}, told apart by numbers here" for title in twice]


def _regular_rows(text: Utf8, layout: _Layout) -> int | None:
    """How many rows there are by the definition, None where the engine might read one of them otherwise."""
    if not text.clean or layout.dialect.escaped:
        return None
    dialect, width = layout.dialect, len(layout.columns)
    records = regular_records(text.path, dialect.delimiter, width, quoted=dialect.quoted)
    if records is None and not _has_blanks_before_quotes(text.path, dialect):
        records = _counted_records(text.path, dialect, width)
    return records and records - layout.header


def _counted_records(path: Path, dialect: Dialect, width: int) -> int | None:
    """How many records there are by the definition, None where one of them has not `width` fields."""
    with path.open(encoding="utf-8", newline="") as file:
        # A line that is too long comes in pieces here, and the engine will not have so many rows.
        reader = _strict_reader(iter(partial(file.readline, MAX_LINE), ""), dialect)
        try:
            widths = Counter(map(len, reader))
        except csv.Error:
            return None
    del widths[0]
    return widths.total() if set(widths) == {width} else None


def _has_blanks_before_quotes(path: Path, dialect: Dialect) -> bool:
    """Whether a quote may follow blanks at the beginning of a field: DuckDB drops both, as text they are not.

    Quotes inside a text are doubled there, which tells most of them apart.
    """
    mark = dialect.delimiter.encode()
    ending = rb'[ \t]+"(?:[^"]|"[\r\n%b])' % re.escape(mark)
    openings = [(start, re.compile(re.escape(start) + ending)) for start in (mark, b"\n")]
    with path.open("rb") as file:
        while dialect.quoted and (chunk := file.read(1 << 20)):
            # Up to a line end, so that each line is looked at in one piece.
            chunk = b"\n" + chunk + file.readline(MAX_LINE)
            for start, opening in openings:
                # Looking for two bytes is much faster, and no line of most files begins with a blank.
                if (start + b" " in chunk or start + b"\t" in chunk) and opening.search(chunk):
                    return True
    return False


def _by_engine(text: Utf8, name: str, layout: _Layout) -> Table:
    """The table as DuckDB reads it, whose rows have to be counted.

    Several threads can lose rows where a quoted line break lies between their parts; one alone drops an
    unfinished last row, and holds the whole file in memory. Told the end of the first line, DuckDB
    refuses or miscounts a file with others outside of quotes.
    """
    end = r"\r\n" if line_end(text.path) == b"\r\n" else r"\n"
    quote = literal('"' if layout.dialect.quoted else "")
    types = ", ".join(f"'{column.sql}': 'VARCHAR'" for column in layout.columns)
    way = (
        f"(SELECT *, file_index::INTEGER AS file_index, NULL::VARCHAR AS unreadable FROM read_csv({FILES}, "
        f"auto_detect=false, header={layout.header}, "
        f"delim={literal(layout.dialect.delimiter)}, quote={quote}, escape={quote}, "
        f"new_line={literal(end)}, columns={{{types}}}))"
    )
    return Table(file=name, way=way, path=text.path, columns=layout.columns, notes=layout.notes)


def _by_definition(text: Utf8, name: str, layout: _Layout, place: Path) -> Table:
    names = [column.sql for column in layout.columns]
    lines = lines_of(text.path, name, newline="")
    rows = islice(records(lines, layout.dialect), int(layout.header), None)
    fields = (_fields(record, len(names), clean=text.clean) for record in rows)
    target = spool(fields, [*names, "unreadable"], place / "rows.parquet")
    return Table(
        file=name,
        way=SPOOLED,
        path=target,
        columns=layout.columns,
        notes=layout.notes,
    )


def _fields(record: list[str] | None, width: int, *, clean: bool) -> Fields:
    """The cells of a record and, behind them, why it is unreadable. An empty cell is a missing one."""
    if record is None:
        reason = "bad-quotes"
    elif len(record) != width:
        reason = "wrong-field-count"
    elif not clean and not all(map(is_text, record)):
        reason = "not-unicode"
    else:
        return [*(cell or None for cell in record), None]
    return [*[None] * width, reason]
