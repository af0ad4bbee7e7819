"""Letters that name options, in any dress: `(c)`, `[A]`, `B.`, `Option D`, full-width signs too."""

from __future__ import annotations

import re
from functools import lru_cache

_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    ord(wide): half for wide, half in zip("【】「」『』〈〉《》", "[][][][][]", strict=True)
}


def half_width(text: str) -> str:
    """The text with its full-width ASCII signs and brackets made plain, character for character."""
    return text if text.isascii() else text.translate(_HALF_WIDTH)


_UNSEEN = r"\u200b-\u200f\u2060\ufeff"
_OPENING, _CLOSING = rf"[\s{_UNSEEN}(\[{{<\"'`*$]*", rf"[\s{_UNSEEN})\]}}>\"'`*$.:、。]*"
_WORD = r"(?i:option|choice|answer|response|model|assistant|candidate|output)"
_LETTER = re.compile(rf"{_OPENING}(?:{_WORD}(?:[\s_:-]+{_OPENING}|(?=[A-Z])))?([A-Za-z]){_CLOSING}")
_JOINED = re.compile(rf"{_OPENING}([A-Z]{{2,}}){_CLOSING}")
_COMPARED = re.compile(rf"{_OPENING}([A-Z])\s*(>{{1,3}}|<{{1,3}}|=)\s*([A-Z]){_CLOSING}")
_LONGEST = 40
"""Characters of the most elaborate dress; a longer text is not looked at."""

_BETWEEN = re.compile(r"\s*(?:[,;、/&+|]|\b(?:and|or)\b|[和与])\s*|\s+", re.IGNORECASE)


def place_of(letter: str) -> int:
    """The place of a letter in the alphabet, A and a at 0. It never wraps: Z is the last there is."""
    return ord(letter.upper()) - ord("A")


def undressed(text: str) -> str | None:
    """The one letter that a text consists of, as it is written; None where it is more than that."""
    return _undressed(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=4096)
def _undressed(text: str) -> str | None:
    match = _LETTER.fullmatch(half_width(text))
    return match[1] if match else None


def compared(text: str) -> list[str]:
    """The letters that are best by a text such as `A>B`, `B << A` or `[[A=B]]`, if any."""
    match = _COMPARED.fullmatch(half_width(text)) if len(text) <= _LONGEST else None
    if match is None or match[1] == match[3]:
        return []
    first, sign, second = match.groups()
    return [first, second] if sign == "=" else [first if ">" in sign else second]


def joined(text: str) -> list[str]:
    """The letters of a text such as `ACD`; none where it is no run of capitals."""
    match = _JOINED.fullmatch(half_width(text))
    return list(match[1]) if match else []


def pieces(text: str) -> list[str]:
    """The parts of `A, D`, `A and D`, `1;3` or `(A) (B)`: one where nothing stands between."""
    core = half_width(text).strip(" ()[]{}\"'.:、\t\r\n")
    return [piece for piece in _BETWEEN.split(core) if piece]
