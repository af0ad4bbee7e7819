"""Label prefixes: options that are released with `(a) `, `B. ` or `C)` in front of their text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchaudit.mapping.letters import half_width, place_of

_PREFIX = re.compile(r"\s*(?:[(\[]\s*([A-Za-z])\s*[)\]][.:、]?|([A-Za-z])\s*[.:、)\]])\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixes:
    """The labels in front of the options of a row.

    `bare` are the options without them, or None where they must stay: a label is removed only where
    every option carries its own expected one, A onwards, in front of some text, for a text that begins
    with a letter and a dot may be a name. A null has no text, but keeps its letter. `partial` says that
    two or more options carry their own label and others do not; `reordered`, that the options carry the
    expected letters in another order, so that `A` may mean the first option or the one labelled so.
    """

    bare: list[str | None] | None
    partial: bool
    reordered: bool


_NONE = Prefixes(bare=None, partial=False, reordered=False)


def prefixes(options: Sequence[str | None]) -> Prefixes:
    """Look at what stands in front of the options of a row, None where an option is null."""
    found = [None if option is None else _PREFIX.match(half_width(option)) for option in options]
    if not any(found):
        return _NONE
    places = [None if match is None else place_of(match[1] or match[2]) for match in found]
    expected = [place for place, option in enumerate(options) if option is not None]
    own = sum(place == labelled for place, labelled in enumerate(places))
    if own == len(expected):
        bare = [
            option and option[match.end() :] if match else None
            for option, match in zip(options, found, strict=True)
        ]
        # `A.`, `B.`, `C.` in front of nothing are the options themselves.
        return Prefixes(bare=bare if any(bare) else None, partial=False, reordered=False)
    there = [place for place in places if place is not None]
    return Prefixes(bare=None, partial=own >= 2, reordered=sorted(there) == expected)


def labelled(text: str) -> tuple[int, str] | None:
    """The place that a label in front of a text names, and what is behind it; None where there is none."""
    match = _PREFIX.match(half_width(text))
    return (place_of(match[1] or match[2]), text[match.end() :]) if match else None


def repeated(text: str, options: Sequence[str | None]) -> int | None:
    """The place of the option whose label and text stand in `text`, however the label is dressed.

    None where the two do not say the same: an option that begins so may be meant, or none.
    """
    place, said = labelled(text) or (len(options), "")
    option = options[place] if place < len(options) else None
    if option is None or not said.strip():
        return None
    own = labelled(option)
    bare = own[1] if own and own[0] == place else option
    return place if said.strip() in {option.strip(), bare.strip()} else None
