"""Options inside one text: `Which? A. … B. …`, full-width marks and run-together options included.

A mark is a letter with a sign behind it. In one text all marks wear the same dress, and the options
are what stands behind the last A and the letters that follow it in order. Where that leaves more than
one way to read the text, or a letter is missing, the text is unreadable: a split in the wrong place
would be a wrong length.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from benchaudit.mapping.cells import Cell
from benchaudit.mapping.literal import Unreadable

_LETTER = "([A-ZＡ-Ｚ])"
# A letter inside a word or a formula marks nothing: the A of `DNA.`, the C of `$C:`.
_ALONE = r"(?<![A-Za-zＡ-Ｚａ-ｚ0-9_$\\{^(（\[])"
_DRESSES = (
    re.compile(rf"{_ALONE}{_LETTER}\s?[.．](?!\d)"),
    re.compile(rf"{_ALONE}{_LETTER}\s?[、]"),
    re.compile(rf"{_ALONE}{_LETTER}\s?[:：]"),
    re.compile(rf"{_ALONE}{_LETTER}\s?[)）]"),
    re.compile(rf"[(（]\s?{_LETTER}\s?[)）]"),
    re.compile(rf"[\[［【]\s?{_LETTER}\s?[\]］】]"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A text in two: the question that comes first, and the options."""

    stem: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class _Chain:
    """The marks A, B, C, … of one dress, from the last A to the end of the text."""

    marks: tuple[re.Match[str], ...]

    @property
    def start(self) -> int:
        return self.marks[0].start()

    @property
    def end(self) -> int:
        return self.marks[-1].end()

    @property
    def whole(self) -> bool:
        """Whether the letters are those of two options or more, in order and without a gap."""
        letters = [ord(unicodedata.normalize("NFKC", mark[1])) - ord("A") for mark in self.marks]
        return len(letters) >= 2 and letters == list(range(len(letters)))


def marked_options(text: str) -> Marked:
    """Split a text at its marks; options are stripped. Raises Unreadable where that cannot be done."""
    chains = [chain for dress in _DRESSES if (chain := _chain(dress, text)) and chain.whole]
    if not chains:
        raise Unreadable("no options A, B, … in order")
    chain = max(chains, key=lambda chain: chain.start)
    if any(other.end > chain.start for other in chains if other is not chain):
        raise Unreadable("options in more than one dress")
    ends = [mark.start() for mark in chain.marks[1:]] + [len(text)]
    options = [text[mark.end() : end].strip() for mark, end in zip(chain.marks, ends, strict=True)]
    if options[-1].endswith((":", "：")):
        raise Unreadable("text behind the last option that asks for an answer")
    return Marked(stem=text[: chain.start].strip(), cell=Cell(options=options, style="marked"))


def _chain(dress: re.Pattern[str], text: str) -> _Chain | None:
    marks = list(dress.finditer(text))
    first = [number for number, mark in enumerate(marks) if mark[1] in "AＡ"]
    return _Chain(tuple(marks[first[-1] :])) if first else None
