"""Golds that name no option, and what they say all the same: hidden, a tie, or nearly an option."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal

from benchaudit.mapping.literal import Value

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{0,30})?")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")

_WORDS = frozenset({"na", "nil", "none", "private", "unknown"})
_HIDDEN = _WORDS | {
    "?", "??", "???", "*", "-", "--", "---", "_", "-1", "n/a", "<na>", "nan", "null", "tbd", "hidden",
    "<hidden>", "[hidden]", "withheld", "unlabeled", "unlabelled", "not available", "not released",
}  # fmt: skip
"""What stands in the place of a gold that a release keeps to itself, where it names no option.

The words among them may as well be an answer: as a text that is no option they are one that is missed.
"""
_LEVEL = frozenset({"both", "bothbad", "bothgood", "neither", "draw", "equal"})
"""What else than a tie is said of answers none of which is better, marks left out."""


def is_hidden(gold: Value, *, as_text: bool = False) -> bool:
    """Whether a gold says that there is none to be had, such as the `?` of a hidden test split.

    `as_text` says that it would have to be the text of an option, which a word such as `none` may be.
    """
    return isinstance(gold, str) and gold.strip().casefold() in (_HIDDEN - _WORDS if as_text else _HIDDEN)


def is_tie(gold: Value) -> bool:
    """Whether a gold says that no answer is better than the others, such as `tie (bothbad)` or `both_bad`."""
    said = re.sub(r"[\W_]", "", gold).casefold() if isinstance(gold, str) else ""
    return said.startswith("tie") or said in _LEVEL


def nearly_named(golds: Sequence[Value], options: Sequence[str | None]) -> bool:
    """Whether a gold would be an option if case, signs at its ends and what is unseen did not count."""
    alike = {_bare(option) for option in options if option is not None} - {""}
    return any(isinstance(gold, str) and _bare(gold) in alike for gold in golds)


def _bare(text: str) -> str:
    if _NUMBER.fullmatch(text.strip()):
        return str(Decimal(text.strip()).normalize())
    seen = _UNSEEN.sub("", unicodedata.normalize("NFC", text))
    return " ".join(seen.split()).strip(" .,;:!?'\"`。").casefold()
