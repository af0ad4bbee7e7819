"""The nouns that several rooms share. Each is frozen, and knows nothing of files, networks or print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

SliceKey = tuple[tuple[str, str | None], ...]
"""Column and value of each column that a slice fixes; `()` is ALL. A missing value is None."""

ALL: SliceKey = ()


def columns_of(slicings: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The columns by which rows are sliced, in the order in which narrow rows hold their values."""
    return tuple(sorted({column for slicing in slicings for column in slicing}))


def together(name: str) -> tuple[str, ...]:
    """The columns that one name with commas in it stands for, () where it stands for itself."""
    return tuple(part.strip() for part in name.split(",")) if "," in name else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One commit of a dataset. `sha` is the full object name; a plain file has its content's id."""

    sha: str
    committed_at: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refs:
    """Where a dataset stands: what it is called now, its newest revision, and tags by name.

    `tags` is None where it was not asked for them.
    """

    name: str
    head: str
    tags: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """One file of one revision. Equal ids mean equal bytes: an LFS object's sha256, else git's id."""

    path: str
    id: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What an audit depends on at one revision: the watched files, and what the card says of them.

    `layout` holds what the card's YAML says of configs and splits, a line each; editing the card's
    prose does not change it. Two snapshots with equal `fingerprint` give the same figures.
    """

    revision: Revision
    blobs: tuple[Blob, ...]
    layout: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> tuple[object, ...]:
        """What must be equal for two revisions to be one audit."""
        return (tuple((blob.path, blob.id) for blob in self.blobs), self.layout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Which bytes an audit read: the `source` block of the JSON report."""

    dataset: str
    revision: Revision
    blobs: tuple[Blob, ...]


GOLD_ENCODINGS = ("text", "letter", "index0", "index1", "labels", "scores", "ranks", "order")
"""How a gold cell names an option: by its text, its letter, its place from 0 or from 1, its label in the
row; by a score for each option (the highest is gold) or a rank (the lowest is); or as the first of a list
of places, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMapping:
    """Which columns make an item, in the words of `docs/reference.md`.

    `options` is one column that holds a list, or several that hold one option each; with
    `options_in_question` it is the one whose text holds them behind the marks A, B, … With
    `distractors`, `gold` holds the gold's text. `distractor_lists` says whether a single distractor
    column holds lists or one text a row; it is read off the data, for a column is one or the other.
    `gold_fallback` is the column that counts where the cell of `gold` is empty. Without `gold`, the
    options carry their own scores or ranks. `gold` may be several columns between commas, with a score
    for each option and, where there is one column more, one for a tie.
    """

    question: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    distractors: tuple[str, ...] = ()
    distractor_lists: bool = True
    gold: str = ""
    gold_fallback: str = ""
    gold_encoding: str = ""
    option_separator: str = ""
    options_in_question: bool = False
    last_turn: bool = False
    id: str = ""

    @property
    def separator(self) -> str:
        """What joins the options of a text cell; "" where nothing does (`none` says so outright)."""
        return "" if self.option_separator == "none" else self.option_separator

    @property
    def gold_columns(self) -> tuple[str, ...]:
        """The columns of gold: one, several, or none where options carry their own scores."""
        return together(self.gold) or ((self.gold,) if self.gold else ())

    @property
    def gold_apart(self) -> bool:
        """Whether gold is stored apart from the distractors, so that its position means nothing."""
        return bool(self.distractors)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Rows that are no item, for one reason; `sample` names up to five of them."""

    rows: int
    defective: bool
    sample: tuple[str, ...] = ()


OUT_OF_SCOPE = frozenset({"several-golds", "unlabelled", "no-options"})
"""Reasons that say nothing about single-gold items; every other reason is a defect."""


def is_defect(reason: str) -> bool:
    """Whether rows left out for `reason` count against every claim (`docs/statistics.md`)."""
    return reason not in OUT_OF_SCOPE


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something a maintainer would want to know of, that is not a rate."""

    check: str
    severity: str
    count: int
    sample: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What decides verdicts and notifications; meanings and defaults are in `docs/statistics.md`.

    `alpha` is the family-wise error rate; `min_effect` and `min_change` are points (hundredths).
    """

    min_rows: int = 20
    alpha: float = 0.01
    min_effect: float = 5.0
    min_change: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """A known leak that somebody has accepted: which one, up to which gain in points, and why.

    `slice` is the slice as `accept.slice_text` writes it; `direction` is "" where either will do.
    """

    slice: str
    check: str
    gain: Fraction
    reason: str
    direction: str = ""

    def covers(self, gain: Fraction, direction: str) -> bool:
        """Whether a leak of this slice and check stays within what was accepted; `gain` is a share."""
        return gain * 100 <= self.gain and self.direction in {"", direction}
