"""Gold: which option a row's gold cell names, in each encoding that people release.

Every function answers with positions in the options as released, or raises `Unresolved` with the
reason code under which the row is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchaudit.mapping.cells import Spelled, Unreadable, Value, decode_literal

ENCODINGS = ("text", "letter", "index0", "index1", "labels", "scores")


class Unresolved(Exception):
    """The row is no single-gold item; `reason` is its code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


_DRESSED_LETTER = re.compile(r"\s*[(\[（【]?\s*([A-Za-z])\s*[)\]）】]?\s*[.:．、：]?\s*")
_SEVERAL_LETTERS = re.compile(r"[A-Z]{2,}|[A-Za-z](?:\s*[,;、/&+]\s*[A-Za-z])+")
_INTEGER = re.compile(r"[+-]?\d+(?:\.0+)?")


def golds_of(value: Value) -> list[Value]:
    """The golds that a cell names: none where it is empty, several where it holds a list."""
    if isinstance(value, str) and not isinstance(value, Spelled) and value.lstrip()[:1] == "[":
        try:
            inner, _ = decode_literal(value)
        except Unreadable:
            inner = value
        value = inner if isinstance(inner, list) else value
    values = value if isinstance(value, list) else [value]
    return [item for item in values if item is not None and str(item).strip()]


def position(value: Value, encoding: str, options: Sequence[str | None], labels: Sequence[str] | None) -> int:
    """The one position that a gold cell names. `options` are the released texts, None where null.

    Raises Unresolved with `unlabelled`, `several-golds`, `gold-malformed`, `gold-out-of-range`,
    `gold-not-in-options` or `gold-ambiguous`.
    """
    golds = golds_of(value)
    if not golds:
        raise Unresolved("unlabelled")
    positions = []
    for gold in golds:
        if isinstance(gold, dict | list):
            raise Unresolved("gold-malformed")
        positions.extend(_positions(gold, encoding, options, labels))
    if len(positions) == 1:
        return positions[0]
    # The same letter twice names nobody's answer: it is a slip of the pen, not a set.
    raise Unresolved("several-golds" if len(set(positions)) == len(positions) else "gold-malformed")


def _positions(
    gold: Value, encoding: str, options: Sequence[str | None], labels: Sequence[str] | None
) -> list[int]:
    text = str(gold)
    if encoding == "text":
        return [by_text(text, options)]
    if encoding == "labels":
        if labels is None:
            raise Unresolved("unreadable-options")
        return [_by_label(text, labels)]
    if encoding == "letter":
        return [_in_range(number, len(options)) for number in _letters(text)]
    return [_in_range(_index(text) - (encoding == "index1"), len(options))]


def by_text(text: str, options: Sequence[str | None]) -> int:
    """The position of the option that equals `text`, else of the one that does after trimming."""
    if text in options:
        return options.index(text)
    trimmed = text.strip()
    matches = {option for option in options if option is not None and option.strip() == trimmed}
    if len(matches) > 1:
        raise Unresolved("gold-ambiguous")
    if not matches:
        raise Unresolved("gold-not-in-options")
    return options.index(matches.pop())


def by_scores(scores: Sequence[float]) -> int:
    """The position of the one option whose score is 1 (true), among scores of 0 and 1."""
    positions = [number for number, score in enumerate(scores) if score == 1]
    if not positions:
        raise Unresolved("unlabelled")
    if len(positions) > 1:
        raise Unresolved("several-golds")
    return positions[0]


def _by_label(text: str, labels: Sequence[str]) -> int:
    """A key belongs to the row's own labels, whatever their style; `(b)` and `b` are label `B`."""
    for wanted in (text, text.strip(), _plain(text)):
        matches = [number for number, label in enumerate(labels) if label == wanted]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise Unresolved("gold-ambiguous")
    raise Unresolved("gold-not-in-options")


def _plain(text: str) -> str:
    match = _DRESSED_LETTER.fullmatch(text)
    return match[1].upper() if match else text


def _letters(text: str) -> list[int]:
    if match := _DRESSED_LETTER.fullmatch(text):
        return [ord(match[1].upper()) - ord("A")]
    if _SEVERAL_LETTERS.fullmatch(text.strip()):
        return [ord(letter) - ord("A") for letter in text.upper() if "A" <= letter <= "Z"]
    if _INTEGER.fullmatch(text.strip()):
        # A column of letters with a number in it: released sets count such numbers from 0.
        return [_index(text)]
    raise Unresolved("gold-malformed")


def _index(text: str) -> int:
    if not _INTEGER.fullmatch(text.strip()) or len(text) > 9:
        raise Unresolved("gold-malformed")
    return int(float(text))


def _in_range(number: int, k: int) -> int:
    if not 0 <= number < k:
        raise Unresolved("gold-out-of-range")
    return number


_LABEL = re.compile(r"\s*[(\[（【]?\s*([A-Za-z])\s*(?:[)\]）】][.:．、：]?|[.:．、：)])\s*")


def without_labels(options: Sequence[str | None]) -> list[str | None] | None:
    """The options without the label prefix (`(a) `, `B. `, `C)`), or None where it must stay.

    It is removed only where every option of the row carries its own expected label, A onwards: a
    text that begins with a letter and a dot may be a name.
    """
    bare: list[str | None] = []
    for number, option in enumerate(options):
        match = _LABEL.match(option) if option is not None else None
        if option is None or match is None or ord(match[1].upper()) - ord("A") != number:
            return None
        bare.append(option[match.end() :])
    return bare
