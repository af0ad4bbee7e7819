"""Text files become UTF-8: by their byte order mark, as they are, or by detection, which is said.

What is no character stays a byte. Python's `surrogateescape` carries it through as a lone surrogate,
and the row that holds it is left out: neither a file nor a row is ever read with letters made up.
"""

from __future__ import annotations

import codecs
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchaudit.errors import SourceError
from benchaudit.reading.content import MAX_LINE, read_head

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # The mark of UTF-32 begins like that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CANDIDATES = ["cp1252", "mac_roman", "cp1251", "gb18030", "big5", "shift_jis", "euc_jp", "cp949"]
_TITLES = {"cp1252": "cp1252 (Latin-1)", "mac_roman": "Mac Roman"}
_SAMPLE = 64 << 10
_ESCAPED = re.compile("[\udc80-\udcff]")
_FOREIGN = re.compile("[\x80-\ud7ff\ue000-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Utf8:
    """A text file in UTF-8 without a byte order mark. `clean` says that every byte of it is valid."""

    path: Path
    clean: bool
    notes: tuple[str, ...] = ()


def as_utf8(path: Path, name: str, place: Path) -> Utf8:
    """Return the file, or a copy in `place`, in UTF-8; `notes` say how it was read.

    Raises SourceError where it is not in the encoding that it marks itself with.
    """
    head = read_head(path, 4)
    encoding = next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)
    notes = []
    if encoding is not None:
        path = _transcoded(path, encoding, name, place)
        if encoding != "utf-8-sig":
            notes.append(f"{name}: read as {encoding.upper()}")
    bad = first_bad_byte(path)
    if bad is not None and encoding is None:
        encoding = None if _is_mostly_utf8(path) else _guess(path, bad)
        read_as = f", read as {_TITLES.get(encoding, encoding)}" if encoding else ""
        notes.append(f"{name}: byte {bad} is not UTF-8{read_as}")
        if encoding is not None:
            path = _transcoded(path, encoding, name, place)
            bad = first_bad_byte(path)
    if bad is not None:
        notes.append(f"{name}: rows with bytes that are no characters are left out")
    return Utf8(path=path, clean=bad is None, notes=tuple(notes))


def first_bad_byte(path: Path) -> int | None:
    """Return the offset of the first byte that is not UTF-8, None where all are."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = 0
    with path.open("rb") as file:
        while True:
            chunk = file.read(1 << 20)
            pending = len(decoder.getstate()[0])
            if pending or not chunk.isascii():  # which takes a fifth of what decoding does
                try:
                    decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    return offset - pending + error.start
            if not chunk:
                return None
            offset += len(chunk)


def is_text(text: str) -> bool:
    """Whether a text is characters only, without a byte that was none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(text: str) -> str:
    """A text that can be printed: what is no character becomes a question mark."""
    return text.encode(errors="replace").decode()


def lines_of(path: Path, name: str, *, newline: str) -> Iterator[str]:
    r"""Yield the lines of a file in UTF-8 with their ends, `newline` as `open` takes it.

    Raises SourceError for a line that would not fit into memory.
    """
    with path.open(encoding="utf-8", errors="surrogateescape", newline=newline) as file:
        for line in iter(partial(file.readline, MAX_LINE), ""):
            if len(line) == MAX_LINE:
                raise SourceError(f"has a line of more than {MAX_LINE >> 20} MiB", where=name)
            yield line


def _is_mostly_utf8(path: Path) -> bool:
    """Whether more characters beyond ASCII are sound UTF-8 than bytes are not.

    No text in another encoding looks like that; one broken byte must not turn all the others' letters.
    """
    sound = broken = 0
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        for chunk in iter(partial(file.read, 1 << 20), ""):
            if not chunk.isascii():
                sound += len(_FOREIGN.findall(chunk))
                broken += len(_ESCAPED.findall(chunk))
    return sound > broken


def _guess(path: Path, offset: int) -> str | None:
    """Let a well-kept library guess the encoding of a text whose byte at `offset` is not UTF-8.

    It chooses among the encodings that released files have, for a short text looks like many more.
    """
    from charset_normalizer import from_bytes

    with path.open("rb") as file:
        file.seek(max(0, offset - _SAMPLE))
        sample = file.read(2 * _SAMPLE)
    best = from_bytes(sample, cp_isolation=_CANDIDATES).best()
    return best.encoding if best is not None and best.encoding in _CANDIDATES else None


def _transcoded(path: Path, encoding: str, name: str, place: Path) -> Path:
    target = place / "utf8"
    try:
        with (
            path.open(encoding=encoding, errors="surrogateescape", newline="") as source,
            target.open("w", encoding="utf-8", errors="surrogateescape", newline="") as sink,
        ):
            shutil.copyfileobj(source, sink, 1 << 20)
    except UnicodeError as error:
        raise SourceError(f"cannot be read as {encoding.upper()} ({error})", where=name) from None
    return target
