"""Options inside one text: `Which? A. … B. …`, full-width marks and run-together options included.

A mark is a letter with a sign behind it. In one text all marks wear the same dress, and the options
are what stands behind the last A and the letters that follow it in order. Where that leaves more than
one way to read the text, or a letter is missing, the text is unreadable: a split in the wrong place
would be a wrong length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchaudit.mapping.cells import Cell
from benchaudit.mapping.letters import half_width, place_of
from benchaudit.mapping.literal import Unreadable

_ALONE = r"(?<![A-Za-z0-9_$\\{^(\[])"
"""What a mark does not stand behind: a letter inside a word or a formula marks nothing."""

_DRESSES = tuple(
    re.compile(dress)
    for dress in (
        rf"{_ALONE}([A-Z])\s?\.",
        rf"{_ALONE}([A-Z])\s?、",
        rf"{_ALONE}([A-Z])\s?:",
        rf"{_ALONE}([A-Z])\s?\)",
        rf"{_ALONE}([a-z])\s?\)",
        r"\(\s?([A-Z])\s?\)",
        r"\(\s?([a-z])\s?\)",
        r"\[\s?([A-Z])\s?\]",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A text in two: the question that comes first, and the options."""

    stem: str
    cell: Cell


def marked_options(text: str) -> Marked:
    """Split a text at its marks; options are stripped. Raises Unreadable where that cannot be done."""
    plain = half_width(text)
    chains = [chain for dress in _DRESSES if (chain := _chain(list(dress.finditer(plain))))]
    if len(chains) != 1:
        raise Unreadable("options in more than one dress" if chains else "no options A, B, … in order")
    marks = chains[0]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    options = [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
    _check_last(options, marks[0][1])
    return Marked(stem=text[: marks[0].start()].strip(), cell=Cell(options=_listed(options), style="marked"))


def _chain(marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """The marks from the last A to the end, if they are A, B, … without a gap; else none."""
    starts = [number for number, mark in enumerate(marks) if place_of(mark[1]) == 0]
    chain: list[re.Match[str]] = []
    for mark in marks[starts[-1] :] if starts else ():
        if place_of(mark[1]) == len(chain):
            chain.append(mark)
        elif mark[1] not in "IVX" or place_of(mark[1]) < len(chain):
            # `A. I. only` holds a Roman numeral; any other letter out of turn is one too many.
            return []
    return chain if len(chain) >= 2 else []


def _check_last(options: list[str], first: str) -> None:
    """What stands behind the last mark may be more than the last option."""
    following = re.escape(chr(ord(first) + len(options)))
    last = half_width(options[-1])
    if re.search(rf"{following}\s?[.、:)]", last):
        raise Unreadable("a mark that could be one more option")
    if last.endswith(":"):
        raise Unreadable("text behind the last option that asks for an answer")
    if not all(options):
        raise Unreadable("a mark with nothing behind it")


def _listed(options: list[str]) -> list[str]:
    """The options without the comma that joins each to the next."""
    joints = {half_width(option[-1]) for option in options[:-1]}
    if joints in ({","}, {";"}):
        return [option[:-1].rstrip() for option in options[:-1]] + options[-1:]
    return options
