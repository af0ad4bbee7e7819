"""What several scores look at: lists that are worked out once for an item, whoever asks for them.

A score that names one of them has it at hand, with one entry for each option, in their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

WHITE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""All that Python's `str.strip` takes off."""

WORD = r"\p{Han}|(?:[^\P{L}\p{Han}]|[\pM\pN])+"
"""A word: letters and digits in a row; a Chinese character is one of its own."""


def _stripped(text: str) -> str:
    """SQL for a text without white space around it. Most have none, and looking is cheaper than cutting.

    Cheapest is to compare: what begins and ends with a printable character of ASCII has none.
    """
    plain = f"{text} BETWEEN '!' AND '~' AND {text}[-1] BETWEEN '!' AND '~'"
    white = f"(contains('{WHITE}', {text}[1]) OR contains('{WHITE}', {text}[-1]))"
    return f"CASE WHEN {plain} THEN {text} WHEN {white} THEN trim({text}, '{WHITE}') ELSE {text} END"


def _words(word: str) -> str:
    return f"list_transform(lowered, lambda text: regexp_extract_all(text, '{word}'))"


_IS_ASCII = "strlen(array_to_string(lowered, '')) = length(array_to_string(lowered, ''))"
_EDGED = r"""list_transform(lowered, lambda option:
    regexp_replace(option, '[^\pL\pM\pN\x{0}-\x{7f}]', chr(1), 'g'))"""
_EDGE = r"[\x{0}-/:-@\[-`{-\x{7f}]"
"""What is no letter, mark or number, in a text of `edged`.

In a lambda the engine compiles a pattern anew for each two thousand rows, and for each file, and classes of
Unicode take longest: as long as looking for a term in all of these rows.
"""

LISTS = {
    "lengths": "list_transform(options, lambda option: length(option))",
    "stripped": f"list_transform(options, lambda option: {_stripped('option')})",
    "lowered": "list_transform(stripped, lambda option: lower(option))",
    "edged": f"CASE WHEN {_IS_ASCII} THEN lowered ELSE {_EDGED} END",
    "keys": "list_transform(lowered, lambda text: hash(text))",
    "words": f"CASE WHEN {_IS_ASCII} THEN {_words('[0-9a-z]+')} ELSE {_words(WORD)} END",
    "vocabularies": "list_transform(words, lambda found: list_distinct(found))",
    "all_words": "flatten(vocabularies)",
    "asked": f"list_distinct(regexp_extract_all(lower(question), '{WORD}'))",
}
"""SQL by name, each over `options`, `question` and the lists before it.

`edged` has a sign of ASCII in the place of each other one, so that there words end at signs of ASCII alone.
`keys` tell texts apart within one run, with no regard to case and to white space around them.
`vocabularies` are the different words of each option; `all_words` lays them one behind the other, and
`asked` are the different words of the question: these two have no entry for each option.
"""


def lists_for(scores: Iterable[str], *, bare: bool = False) -> list[tuple[str, str]]:
    """The lists that these scores look at, and those that they are made of, in order.

    Where options are `bare`, none of them has white space around it.
    """
    texts, found = list(scores), []
    for name, sql in reversed(({**LISTS, "stripped": "options"} if bare else LISTS).items()):
        if any(re.search(rf"\b{name}\b", text) for text in texts):
            texts.append(sql)
            found.append((name, sql))
    return found[::-1]


def mentions(terms: Iterable[str]) -> str:
    """SQL for whether an option has one of these terms as words of its own, in any case of letters.

    Chinese and Japanese write no spaces: terms in their characters count wherever they stand.
    """
    spaced = sorted(term for term in terms if term.isascii() or not _is_han(term))
    joined = sorted(term for term in terms if not term.isascii() and _is_han(term))
    patterns = [rf"(?:^|{_EDGE})(?:{'|'.join(map(_escaped, spaced))})(?:$|{_EDGE})", *map(_escaped, joined)]
    return f"regexp_matches(edged[place], '{'|'.join(patterns)}')"


def _is_han(term: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in term)


def _escaped(term: str) -> str:
    return re.escape(term).replace("'", "''").replace(r"\ ", r"\s+")


SHARED_WITH_QUESTION = (
    "len(list_filter(vocabularies[place], lambda word: list_contains(asked, word)))"
    " / greatest(len(vocabularies[place]), 1)"
)
"""The share of an option's different words that the question has too."""
