"""Files of separated values that are regular beyond doubt, found so without looking at each field.

Cut at its quotes, a file is by turns what stands outside of them and what stands inside. It is regular
where each piece outside begins and ends at the border of a field, and where the marks in these pieces, all
else deleted, are those of one record after another. A doubled quote in a field is an empty piece outside.
What is not proven so may be regular all the same: `delimited` has the definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from benchaudit.reading.content import MAX_LINE

_AT_ONCE = 1 << 18
"""Bytes that are cut at a time: few enough for their pieces to stay near the processor."""


def regular_records(path: Path, delimiter: str, width: int, *, quoted: bool) -> int | None:
    """How many records of `width` fields a file has, a header among them; None where it is not proven.

    All lines then end alike, no line is blank, and where fields may be `quoted`, none of them holds a quote
    without being so itself, nor blanks in front of its first quote. Never proven of records of one field,
    for an empty one is a blank line.
    """
    if width < 2:
        return None
    mark, end = delimiter.encode(), line_end(path)
    record = mark * (width - 1) + end
    others = bytes(set(range(256)).difference(mark, b"\r\n"))
    records = 0
    with path.open("rb") as file:
        for lines in _lines(file, end, quoted=quoted):
            outside = _outside(lines, mark, end) if quoted else lines
            if outside is None or len(lines) > MAX_LINE:
                return None
            marks = outside.translate(None, others)
            number, rest = divmod(len(marks), len(record))
            if rest or marks != record * number or outside.count(b"\r\n") != marks.count(b"\r"):
                return None
            records += number
    return records


def line_end(path: Path) -> bytes:
    """What ends the first line of a file."""
    with path.open("rb") as file:
        return b"\r\n" if file.readline(MAX_LINE).endswith(b"\r\n") else b"\n"


def _lines(file: BinaryIO, end: bytes, *, quoted: bool) -> Iterator[bytes]:
    """Some lines at a time, each with its end; what is `quoted` and closed is never cut in two."""
    while lines := file.read(_AT_ONCE):
        lines += file.readline(MAX_LINE)
        while quoted and lines.count(b'"') % 2 and len(lines) < MAX_LINE and (more := file.read(_AT_ONCE)):
            lines += more + file.readline(MAX_LINE)
        yield lines if lines.endswith(b"\n") else lines + end


def _outside(lines: bytes, mark: bytes, end: bytes) -> bytes | None:
    """What stands outside of quotes, None where a quote stands elsewhere than at the border of a field."""
    # With the end of the line before, behind which a first field may open.
    pieces = (end + lines).split(b'"')
    outside = list(filter(None, pieces[::2]))
    before, behind = {piece[-1] for piece in outside[:-1]}, {piece[0] for piece in outside[1:]}
    if len(pieces) % 2 == 0 or not (before <= {*mark, *b"\n"} and behind <= {*mark, *b"\r\n"}):
        return None
    return b"".join(outside).removeprefix(end)
