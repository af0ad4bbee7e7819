"""A trial: a candidate mapping on the rows of the sample, by the audit's own definition of an item."""

from __future__ import annotations

from dataclasses import dataclass

from benchaudit.mapping.candidates import Candidate
from benchaudit.mapping.encodings import Sample
from benchaudit.mapping.row import Item, Row, item_reader
from benchaudit.models import ColumnMapping, is_defect

LEAST_USABLE = 0.5
"""Share of the labelled rows of the sample in which a proposed mapping must find gold among the options."""

LEAST_READ = 0.8
"""Share of the labelled rows with options in the sample whose gold it must be able to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A candidate and what became of each row of the sample."""

    candidate: Candidate
    items: tuple[Item, ...]

    @property
    def mapping(self) -> ColumnMapping:
        """The mapping that was tried."""
        return self.candidate.mapping

    @property
    def usable(self) -> int:
        """Rows that became items."""
        return self.left_out(None)

    @property
    def misses(self) -> int:
        """Rows that are defective under the mapping."""
        return sum(item.left_out is not None and is_defect(item.left_out) for item in self.items)

    @property
    def labelled(self) -> int:
        """Rows in which gold names something, be it several options or none that is there."""
        return self.usable + self.misses + self.left_out("several-golds")

    def left_out(self, *reasons: str | None) -> int:
        """Rows left out for one of some reasons; None stands for the items."""
        return sum(item.left_out in reasons for item in self.items)

    @property
    def holds(self) -> bool:
        """Whether the rows speak for it: most golds can be read, and those that can name an option."""
        named = self.left_out(None, "several-golds") - self.repeated
        read = named + self.left_out("gold-out-of-range") + self._nearly
        # Of a row without options it cannot be said whether its gold names one.
        asked = self.labelled - self.left_out("unreadable-options", "one-option", "repeated-name")
        # A text that stands apart from the distractors is gold; a list of places may be anything.
        some = self.usable > 0 or (self.mapping.gold_apart and named > 0)
        return some and named >= LEAST_USABLE * self.labelled and read >= LEAST_READ * asked

    @property
    def repeated(self) -> int:
        """Rows whose gold stands apart, and among its own distractors too: two columns that say the same."""
        return sum(self.mapping.gold_apart and "gold-duplicated" in item.marks for item in self.items)

    @property
    def _nearly(self) -> int:
        """Rows whose gold is read: its option is empty or spelled otherwise, or its label stands twice."""
        by_label = self.mapping.gold_encoding == "labels"
        by_place = self.mapping.gold_encoding != "text" and not by_label
        return sum(
            (item.left_out == "gold-not-in-options" and (by_place or "gold-nearly" in item.marks))
            or (item.left_out == "gold-ambiguous" and by_label)
            for item in self.items
        )

    @property
    def unlabelled(self) -> bool:
        """Whether the options are there in every row and gold is in none, as in a hidden test split."""
        return bool(self.items) and self.left_out("unlabelled") == len(self.items)

    def agrees(self, other: Trial) -> bool:
        """Whether both name the same options and the same gold wherever both have an item."""
        return all(
            a.gold is None
            or b.gold is None
            or (a.options[a.gold] == b.options[b.gold] and sorted(a.options) == sorted(b.options))
            for a, b in zip(self.items, other.items, strict=True)
        )


def tried(candidate: Candidate, sample: Sample) -> Trial:
    """Read the rows of the sample under a candidate."""
    mapping = candidate.mapping
    item_of = item_reader(mapping)
    return Trial(
        candidate=candidate,
        items=tuple(
            item_of(
                Row(
                    question=[row.get(name) for name in mapping.question],
                    options=[row.get(name) for name in mapping.options],
                    distractors=[row.get(name) for name in mapping.distractors],
                    gold=row.get(mapping.gold),
                    gold_fallback=row.get(mapping.gold_fallback),
                )
            )
            for row in sample
        ),
    )
