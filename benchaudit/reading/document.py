"""A JSON document through a window that slides over it: memory holds one value, spelled as released.

Python's decoder finds where a value ends; what it makes of the value is thrown away, for a number
would lose its spelling. (Streaming parsers to be had convert numbers, too.)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TextIO

from benchaudit.reading.content import MAX_LINE

WINDOW = 1 << 20
"""Characters that are read at a time."""

_CUT_NUMBER = re.compile(r"[-+.\deE]*")
"""What may stand between the end of a number and that of the window where the number goes on behind it."""

_BLANK = re.compile(r"[ \t\n\r]*")
# Numbers as text: a whole number may have more digits than Python converts.
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)


class BrokenDocument(ValueError):
    """A document that is not JSON, or holds a single value too long to be one record."""


class Window:
    """The rest of a JSON document, taken from the front piece by piece."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._before = 0

    def peek(self) -> str:
        """Return the next character that is not blank, "" at the end."""
        while True:
            self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr] # matches anything
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def take(self, mark: str) -> bool:
        """Pass over `mark` if it is what comes next."""
        found = self.peek() == mark
        self._at += found
        return found

    def value(self) -> str:
        """Take the next value, whatever it is, and return its text."""
        self.peek()
        while True:
            try:
                _, end = _DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError):
                # It may only be cut by the window.
                if not self._more():
                    raise self._broken() from None
                continue
            if not _CUT_NUMBER.fullmatch(self._text, end) or not self._more():
                text, self._at = self._text[self._at : end], end
                return text

    def elements(self) -> Iterator[None]:
        """Enter the array that comes next; at each stop the caller takes or skips one element."""
        self._expect("[")
        if self.take("]"):
            return
        while True:
            yield
            if self.take("]"):
                return
            self._expect(",")

    def members(self) -> Iterator[str]:
        """Enter the object that comes next; at each name the caller takes or skips its value."""
        self._expect("{")
        if self.take("}"):
            return
        while True:
            if self.peek() != '"':
                raise self._broken()
            name: str = json.loads(self.value())
            self._expect(":")
            yield name
            if self.take("}"):
                return
            self._expect(",")

    def skip(self) -> None:
        """Pass over the next value, a part at a time."""
        mark = self.peek()
        if mark == "[":
            for _ in self.elements():
                self.value()
        elif mark == "{":
            for _ in self.members():
                self.skip()
        else:
            self.value()

    def end(self) -> None:
        """Make sure that nothing follows."""
        if self.peek():
            raise self._broken()

    def _expect(self, mark: str) -> None:
        if not self.take(mark):
            raise self._broken()

    def _more(self) -> bool:
        """Slide on; a value that does not fit doubles the window."""
        pending = len(self._text) - self._at
        if pending > MAX_LINE:
            raise BrokenDocument(
                f"a value of more than {MAX_LINE >> 20} MiB, or none, after {self._position}"
            )
        chunk = self._file.read(max(WINDOW, pending))
        self._before += self._at
        self._text, self._at = self._text[self._at :] + chunk, 0
        return bool(chunk)

    @property
    def _position(self) -> str:
        return f"character {self._before + self._at}"

    def _broken(self) -> BrokenDocument:
        return BrokenDocument(f"at {self._position}")
