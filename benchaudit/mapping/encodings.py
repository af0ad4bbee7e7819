"""Encodings: what the cells of a gold column look like, and so how they may name an option."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from benchaudit.mapping.gold import golds_of, listed, spelling, unmarked
from benchaudit.mapping.letters import joined, pieces, undressed
from benchaudit.mapping.literal import Spelled, Value
from benchaudit.mapping.prefixes import labelled
from benchaudit.mapping.unnamed import is_hidden, is_tie
from benchaudit.models import ColumnMapping

Sample = Sequence[Mapping[str, Value]]
"""Rows of decoded cells by column name, nested places by their dotted names."""


def filled(sample: Sample, column: str) -> list[Value]:
    """The cells of a column that hold something."""
    return [row[column] for row in sample if row.get(column) not in (None, "", [], {})]


def most(numerator: int, denominator: int) -> bool:
    """Whether it is more than half."""
    return numerator * 2 > denominator


def ways(
    sample: Sample, golds: Sequence[str], asked: ColumnMapping, labels: Sequence[str] | set[str]
) -> Iterator[ColumnMapping]:
    """What was asked for with each gold column, in each encoding that its cells look like."""
    for gold in golds:
        cells = filled(sample, gold) or filled(sample, asked.gold_fallback)
        for encoding in [asked.gold_encoding] if asked.gold_encoding else _encodings(cells, set(labels)):
            yield replace(asked, gold=gold, gold_encoding=encoding)


def _encodings(cells: Sequence[Value], labels: set[str]) -> list[str]:
    """The encodings that most of the cells could be in; all that need no list where there are no cells.

    `labels` are those that options have, other than the letters of their places.
    """
    labels = labels.union(map(unmarked, labels))
    there = [gold for cell in cells for gold in golds_of(cell) if not is_hidden(gold)]
    # A tie says nothing of how the others are written, unless all are texts that begin so.
    golds = [gold for gold in there if not is_tie(gold)] or there
    kinds = Counter(spelling(gold, "letter") for gold in golds)
    found = []
    if labels and (not golds or most(sum(_is_label(gold, labels) for gold in golds), len(golds))):
        found.append("labels")
    elif most(kinds["letter"] + kinds["several"], len(golds)) or _are_both(golds, kinds):
        found.append("letter")
    if not golds or kinds["number"] * 2 >= len(golds):
        found += ["index0", "index1"]
    if most(sum(_one_hot(cell) for cell in cells), len(cells)):
        found.append("scores")
    found.append("text")
    if "letter" not in found and most(sum(labelled(str(gold)) is not None for gold in golds), len(golds)):
        found.append("letter")
    return found


def _are_both(golds: Sequence[Value], kinds: Mapping[str, int]) -> bool:
    """Whether letters and numbers stand beside each other, a nought among them: the numbers count from 0."""
    counted = kinds["letter"] > 0 and any(str(gold).strip() in {"0", "0.0"} for gold in golds)
    return counted and most(kinds["letter"] + kinds["several"] + kinds["number"], len(golds))


def _is_label(gold: Value, labels: set[str]) -> bool:
    """Whether a gold is one of the labels in use, or several; the letters of labels may be dressed."""
    text = str(gold).strip()
    if text in labels or unmarked(text) in labels:
        return True
    letters = {letter.upper() for label in labels if (letter := undressed(label))}
    return all((undressed(piece) or "").upper() in letters for piece in joined(text) or pieces(text))


def _one_hot(cell: Value) -> bool:
    values = listed(cell) or []
    return len(values) > 1 and all(
        isinstance(value, Spelled | bool) and str(value).lower() in {"0", "1", "0.0", "1.0", "true", "false"}
        for value in values
    )
