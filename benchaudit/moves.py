"""What became of the items between two revisions: nouns that pairing fills and comparing reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchaudit.models import SliceKey
from benchaudit.tally import Tally

PARTS = ("removed", "moved_out", "stayed_old", "stayed_new", "moved_in", "added")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """What happened to the items of one slice under one check, as a tally for each part.

    `stayed_old` and `stayed_new` are the same items before and after. `lost` and `gained` count those
    of them whose gold left the extremum or came to it; `flips` names up to ten.
    """

    parts: Mapping[str, Tally]
    lost: int = 0
    gained: int = 0
    flips: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """How the rows of two revisions correspond.

    `rows` counts rows by what became of them; `names` gives up to ten of each. `shift` is the distance
    by which the position of gold moved in every item whose gold changed and options did not, where
    that is one distance for all, and they are more than half of the items: gold was likely encoded
    anew. `reasons` says why items became no items. `became_defective` counts rows that were not
    defective and are; of rows without a partner, by how many more defective ones came than went.
    """

    rows: Mapping[str, int]
    names: Mapping[str, tuple[str, ...]]
    moves: Mapping[tuple[SliceKey, str], Moves]
    shift: int | None = None
    reasons: Mapping[str, int] = field(default_factory=dict)
    became_defective: int = 0
