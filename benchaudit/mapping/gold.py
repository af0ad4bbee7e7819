"""Gold: which option a row's gold cell names, in each encoding that people release.

Every function answers with places in the options as released, counted from 0, or raises `Unresolved`
with the reason code under which the row is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchaudit.mapping.cells import Cell, number_of, split
from benchaudit.mapping.letters import compared, joined, pieces, place_of, undressed
from benchaudit.mapping.literal import Spelled, Unreadable, Value, decode_literal
from benchaudit.mapping.prefixes import repeated
from benchaudit.mapping.unnamed import is_hidden, is_tie

ALPHABET = 26


class Unresolved(Exception):
    """The row is no single-gold item; `reason` is its code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The place that a gold cell names; `exact` is false where white space had to be overlooked."""

    place: int
    exact: bool = True


_INTEGER = re.compile(r"[+-]?\d+(?:\.0+)?")
_MARKS = re.compile(r"[\s_-]")
_LONGEST_KEY = 100
"""Characters of the longest list of letters or places that is looked at."""
_NO_LABEL = -1
"""What a place is set to where the labels of a split are hidden."""


def golds_of(value: Value) -> list[Value]:
    """The golds that a cell names: none where it is empty, several where it holds a list."""
    inner = listed(value)
    values = inner if inner is not None else [value]
    return [
        item for item in values if isinstance(item, list | dict) or (item is not None and str(item).strip())
    ]


def listed(value: Value) -> list[Value] | None:
    """The list that a cell holds or spells, None where it is none."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value, _ = decode_literal(value)
        except Unreadable:
            return None
    return value if isinstance(value, list) else None


def spelling(value: Value, encoding: str) -> str:
    """How a filled gold cell is written: `list`, `number`, `letter`, `several`, `truth` or `text`."""
    if listed(value) is not None or isinstance(value, bool):
        return "truth" if isinstance(value, bool) else "list"
    text = str(value)
    if len(text) > _LONGEST_KEY:
        return "text"
    if encoding in {"text", "labels"}:
        return "number" if isinstance(value, Spelled) else "text"
    if undressed(text) or compared(text):
        return "letter"
    keys = pieces(text)
    if len(keys) == 1:
        return "number" if _INTEGER.fullmatch(keys[0]) else "several" if joined(text) else "text"
    return "several" if all(undressed(key) or _INTEGER.fullmatch(key) for key in keys) else "text"


def position(
    value: Value,
    encoding: str,
    cell: Cell,
    bare: Sequence[str | None],
    separator: str,
    *,
    tie: bool = False,
) -> Named:
    """The one option that a gold cell names.

    `bare` are the options of `cell` without their label prefixes: a gold text may come with its label
    or without. `separator` joins the golds of a text cell, as it joins options. Where there is a `tie`, the
    last of the scores says that no option is better than the others.

    Raises Unresolved with `unlabelled`, `several-golds`, `gold-malformed`, `gold-out-of-range`,
    `gold-not-in-options` or `gold-ambiguous`.
    """
    if encoding == "text":
        named = _by_texts(value, [cell.options, bare], separator)
    elif encoding in {"scores", "ranks", "order"}:
        named = Named(place=_LIST_READERS[encoding](listed(value), len(cell.options) + tie))
        if named.place == len(cell.options):
            raise Unresolved("several-golds")
    else:
        places = [place for gold in _plain_golds(value) for place in _READERS[encoding](str(gold), cell)]
        if any(not 0 <= place < len(cell.options) for place in places):
            raise Unresolved("gold-out-of-range")
        named = Named(place=_single(places))
    if cell.options[named.place] is None:
        raise Unresolved("gold-not-in-options")
    return named


def _plain_golds(value: Value) -> list[Value]:
    golds = golds_of(value)
    if any(isinstance(gold, dict | list) for gold in golds):
        raise Unresolved("gold-malformed")
    return golds


def own_position(cell: Cell, encoding: str) -> int:
    """The option to which the scores or ranks inside an option cell give the first place."""
    numbers = cell.scores if encoding == "scores" else cell.ranks
    if numbers is None:
        raise Unreadable(f"options without {encoding}")
    there = [None if option is None else n for option, n in zip(cell.options, numbers, strict=True)]
    return _best(there, encoding)


def _single(places: Sequence[int]) -> int:
    if not places:
        raise Unresolved("unlabelled")
    if len(places) == 1:
        return places[0]
    # The same letter twice names nobody's answer: it is a slip of the pen, not a set.
    raise Unresolved("several-golds" if len(set(places)) == len(places) else "gold-malformed")


def _by_numbers(values: Sequence[Value] | None, k: int, encoding: str) -> int:
    """The option with the best of the scores or ranks that a gold cell lists, one for each option."""
    try:
        numbers = [number_of(value) for value in _complete(values, k)]
    except Unreadable:
        raise Unresolved("gold-malformed") from None
    return _best(numbers, encoding)


def _by_order(values: Sequence[Value] | None, k: int) -> int:
    """The first of a list of all places, best first; whether they count from 0 or 1 shows in the list."""
    letters = [undressed(str(value)) for value in _complete(values, k)]
    places = [
        place_of(letter) if letter else _index(str(v))
        for letter, v in zip(letters, values or (), strict=True)
    ]
    base = min(places)
    if base not in {0, 1} or sorted(places) != list(range(base, base + k)):
        raise Unresolved("gold-malformed")
    return places[0] - base


def _complete(values: Sequence[Value] | None, k: int) -> Sequence[Value]:
    if values == []:
        raise Unresolved("unlabelled")
    if values is None or len(values) != k:
        raise Unresolved("gold-malformed")
    return values


def _best(numbers: Sequence[float | None], encoding: str) -> int:
    """The place of the highest score or the lowest rank.

    Scores that are all alike and not positive name nothing: a hidden split fills its labels with 0 or -1.
    """
    there = [number for number in numbers if number is not None and not math.isnan(number)]
    if not there or (encoding == "scores" and len(set(there)) == 1 and there[0] <= 0):
        raise Unresolved("unlabelled")
    best = max(there) if encoding == "scores" else min(there)
    return _single([place for place, number in enumerate(numbers) if number == best])


def _by_texts(value: Value, views: Sequence[Sequence[str | None]], separator: str) -> Named:
    if isinstance(value, bool):
        return Named(place=_by_truth(value, views[0]))
    if isinstance(value, str) and value:
        # A text that is an option is gold, even if it could be read as a list of golds.
        exact = _exact(value, views)
        if exact is not None:
            return Named(place=exact)
        if separator and separator in value and listed(value) is None:
            value = split(value, separator)
    named = [_by_text(text_of_gold(gold), views) for gold in _plain_golds(value)]
    place = _single([name.place for name in named])
    return Named(place=place, exact=named[0].exact)


def text_of_gold(gold: Value) -> str:
    """A gold as text, spelled as its release has it."""
    return ("true" if gold else "false") if isinstance(gold, bool) else str(gold)


def _exact(text: str, views: Sequence[Sequence[str | None]]) -> int | None:
    return next((list(options).index(text) for options in views if text in options), None)


def _by_text(text: str, views: Sequence[Sequence[str | None]]) -> Named:
    """The option that equals `text`, else the one that does after trimming."""
    exact = _exact(text, views)
    if exact is not None:
        return Named(place=exact)
    for options in views:
        matches = {option for option in options if option is not None and option.strip() == text.strip()}
        if len(matches) > 1:
            raise Unresolved("gold-ambiguous")
        if matches:
            return Named(place=list(options).index(matches.pop()), exact=False)
    raise Unresolved("unlabelled" if is_hidden(text, as_text=True) else "gold-not-in-options")


def _by_truth(value: bool, options: Sequence[str | None]) -> int:
    """A truth value has no spelling of its own: it names `True` as well as `true`."""
    wanted = text_of_gold(value)
    matches = [place for place, option in enumerate(options) if option and option.casefold() == wanted]
    if not matches:
        raise Unresolved("gold-not-in-options")
    if len({options[place] for place in matches}) > 1:
        raise Unresolved("gold-ambiguous")
    return matches[0]


def _by_label(text: str, cell: Cell) -> list[int]:
    """A key belongs to the row's own labels, whatever their style; `(b)` and `b` are label `B`."""
    if cell.labels is None:
        raise Unreadable("options without labels")
    place = _label(text, cell.labels)
    if place is not None:
        return [place]
    several = [_label(piece, cell.labels) for piece in joined(text) or pieces(text)]
    found = [place for place in several if place is not None]
    if len(found) < max(2, len(several)):
        raise _unnamed(text, "gold-not-in-options")
    return found


def _label(text: str, labels: Sequence[str]) -> int | None:
    for same in (str, str.strip, _plain, unmarked):
        wanted = same(text)
        matches = [place for place, label in enumerate(labels) if same(label) == wanted]
        if len(matches) > 1:
            raise Unresolved("gold-ambiguous")
        if matches:
            return matches[0]
    return None


def unmarked(text: str) -> str:
    """A label that begins with a letter, without case and marks: `Response 1` is the column `response_1`."""
    text = text.strip()
    return _MARKS.sub("", text).casefold() if text[:1].isalpha() else text


def _plain(text: str) -> str:
    letter = undressed(text)
    return letter.upper() if letter else text.strip()


def _by_letter(text: str, cell: Cell) -> list[int]:
    letters = [undressed(label) or "" for label in cell.labels or ()]
    if all(letters) and [place_of(letter) for letter in letters] != list(range(len(letters))):
        # The row has letters of its own, in an order of its own.
        return _by_label(text, cell)
    if is_hidden(text):
        # `N/A` and `TBD` are no sets of letters.
        raise Unresolved("unlabelled")
    if letter := undressed(text):
        return [_place(letter, len(cell.options))]
    if (place := repeated(text, cell.options)) is not None:
        return [place]
    if _INTEGER.fullmatch(text.strip()):
        # A column of letters with a number in it: released sets count such numbers from 0.
        return [_index(text)]
    if len(cell.options) == 2 and (best := compared(text)):
        # Of more options a comparison of two would leave the others open.
        return [_place(letter, 2) for letter in best]
    several = joined(text) or pieces(text)
    if len(several) < 2:
        raise _unnamed(text, "gold-malformed")
    return [place for piece in several for place in _by_letter(piece, cell)]


def _place(letter: str, k: int) -> int:
    if k > ALPHABET and letter.islower():
        # Behind Z some go on with a, others with [ or AA.
        raise Unresolved("gold-ambiguous")
    return place_of(letter)


def _unnamed(text: str, reason: str) -> Unresolved:
    """Why a gold names no option: it is hidden, or a tie between answers says that more than one is gold."""
    if is_hidden(text):
        return Unresolved("unlabelled")
    return Unresolved("several-golds" if is_tie(text) else reason)


def _by_index(text: str, base: int) -> list[int]:
    if is_hidden(text):
        raise Unresolved("unlabelled")
    parts = [text] if _INTEGER.fullmatch(text.strip()) else pieces(text) or [text]
    return [_index(part) - base for part in parts]


def _index(text: str) -> int:
    if not _INTEGER.fullmatch(text.strip()) or len(text.strip()) > 9:
        raise _unnamed(text, "gold-malformed")
    number = int(float(text))
    if number == _NO_LABEL:
        raise Unresolved("unlabelled")
    return number


_READERS: dict[str, Callable[[str, Cell], list[int]]] = {
    "letter": _by_letter,
    "labels": _by_label,
    "index0": lambda text, _: _by_index(text, 0),
    "index1": lambda text, _: _by_index(text, 1),
}
_LIST_READERS: dict[str, Callable[[Sequence[Value] | None, int], int]] = {
    "scores": lambda values, k: _by_numbers(values, k, "scores"),
    "ranks": lambda values, k: _by_numbers(values, k, "ranks"),
    "order": _by_order,
}
