"""Candidates: the mappings that names and the look of the cells allow, before any of them is tried.

A known name is enough for a column to be looked at. A column with an unknown name must speak by its
contents: pairs of texts with a label of 0 or 1 are no options, however well they would read as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchaudit.mapping.cells import Cell, decode_list
from benchaudit.mapping.dialogue import has_turns
from benchaudit.mapping.encodings import Sample, filled, most, ways
from benchaudit.mapping.gold import golds_of, spelling
from benchaudit.mapping.letters import undressed
from benchaudit.mapping.literal import Unreadable, Value
from benchaudit.mapping.marked import marked_options
from benchaudit.mapping.names import (
    DISTRACTORS,
    GOLD,
    GOLD_TEXTS,
    OPTION_LISTS,
    Family,
    by_rank,
    families,
    gold_families,
    is_listed,
    is_preferred,
    is_rejected,
    plain,
    rank,
)
from benchaudit.models import ColumnMapping, together

SEPARATORS = (";", "|")
"""What joins texts in one cell so often that a cell full of them is doubtful."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A mapping to try. `known` says whether the names of its option columns speak for it."""

    mapping: ColumnMapping
    known: bool = True

    @property
    def tier(self) -> tuple[bool, bool]:
        """Smaller is plainer: known names before unknown ones, a column before a place inside one."""
        places = (*self.mapping.options, *self.mapping.distractors)
        return not self.known, any("." in name for name in places)


def candidates(sample: Sample, columns: Sequence[str], asked: ColumnMapping) -> Iterator[Candidate]:
    """Every mapping that completes what was asked for, whether it fits the rows or not."""
    golds = [asked.gold] if asked.gold else [*by_rank(columns, GOLD), *gold_families(columns)]
    if not asked.options and not asked.options_in_question:
        yield from _apart(sample, columns, asked)
    if not asked.distractors:
        yield from _among(sample, columns, golds, asked)


# --- Gold apart from the distractors -------------------------------------------------------------


def _apart(sample: Sample, columns: Sequence[str], asked: ColumnMapping) -> Iterator[Candidate]:
    """Gold's text in one column, distractors in another, or in several."""
    if asked.gold_encoding not in {"", "text"}:
        return
    for distractors in [asked.distractors] if asked.distractors else _distractors(columns):
        lists = len(distractors) == 1 and _holds_lists(sample, distractors[0])
        for gold in [asked.gold] if asked.gold else by_rank(columns, GOLD_TEXTS):
            if gold in distractors or not (asked.gold or _goes_with(sample, gold, distractors)):
                continue
            mapping = replace(
                asked,
                distractors=distractors,
                distractor_lists=lists,
                gold=gold,
                gold_encoding="text",
                last_turn=asked.last_turn or (not asked.gold and _dialogues(sample, gold)),
            )
            if lists or asked.option_separator:
                yield Candidate(mapping=mapping)
                continue
            # An answer that was rejected is one, whatever signs are in it.
            marks = () if is_rejected(distractors[0]) else SEPARATORS
            for separator in ["", *separators(sample, distractors, marks)]:
                yield Candidate(mapping=replace(mapping, option_separator=separator))


def _dialogues(sample: Sample, column: str) -> bool:
    """Whether the cells of a column are dialogues of several turns, of which the last is the answer."""
    cells = filled(sample, column)
    return bool(cells) and all(map(has_turns, cells))


def _distractors(columns: Sequence[str]) -> list[tuple[str, ...]]:
    several = [family for family in families(columns) if rank(family.stem, DISTRACTORS) is not None]
    return [*(family.columns for family in several), *((name,) for name in by_rank(columns, DISTRACTORS))]


def _goes_with(sample: Sample, gold: str, distractors: tuple[str, ...]) -> bool:
    """Whether a gold column holds texts of the kind that its distractors are: no letters beside sentences."""
    if is_rejected(distractors[0]) != is_preferred(gold):
        return False

    def keys(column: str) -> bool:
        cells = filled(sample, column)
        return most(
            sum(spelling(cell, "letter") in {"letter", "number", "truth"} for cell in cells), len(cells)
        )

    return not keys(gold) or all(map(keys, distractors))


def separators(sample: Sample, columns: tuple[str, ...], marks: Sequence[str]) -> list[str]:
    """The separators that would split most cells: whether they do is for a person to say."""
    cells = [str(cell) for name in columns for cell in filled(sample, name)]
    return [mark for mark in marks if most(sum(mark in cell for cell in cells), len(cells))]


def _holds_lists(sample: Sample, column: str) -> bool:
    """Whether most cells of a column are lists; it holds lists or texts, never now one, now the other."""
    cells = filled(sample, column)
    return most(sum(list_cell(cell) is not None for cell in cells), len(cells))


def list_cell(value: Value, separator: str = "", *, scored: bool = False) -> Cell | None:
    """The options of a cell, None where it holds none."""
    try:
        return decode_list(value, separator, scored=scored)
    except Unreadable:
        return None


# --- Gold among the options ----------------------------------------------------------------------


def _among(
    sample: Sample, columns: Sequence[str], golds: Sequence[str], asked: ColumnMapping
) -> Iterator[Candidate]:
    """A list of options, or a column for each, and a gold that names one of them."""
    if asked.options_in_question:
        for options in [asked.options] if asked.options else _marked_columns(sample, asked):
            for encoding in ways(sample, golds, asked, ()):
                yield Candidate(mapping=replace(encoding, options=options))
        return
    chosen = [Family(stem="", columns=asked.options, lettered=False)] if len(asked.options) > 1 else []
    for family in chosen if asked.options else families(columns):
        yield from _columns(sample, family, golds, asked)
    # Who names several columns means no list beside them, however well one would fit.
    lists = [] if chosen else asked.options or by_rank(columns, OPTION_LISTS)
    for column in lists:
        yield from _list(sample, column, golds, asked)
    if not asked.options and not asked.gold:
        yield from _by_number(sample, columns, asked)


def _by_number(sample: Sample, columns: Sequence[str], asked: ColumnMapping) -> Iterator[Candidate]:
    """A table without a header: a question, its options and a letter, if the letters are all there are.

    This is how MMLU is released as CSV. Nothing else is guessed of columns called 1, 2, 3, ….
    """
    if len(columns) < 4 or list(columns) != [str(number) for number in range(1, len(columns) + 1)]:
        return
    question, *options, gold = columns
    letters = {(undressed(str(cell)) or str(cell)).upper() for cell in filled(sample, gold)}
    if letters == {chr(ord("A") + place) for place in range(len(options))}:
        yield Candidate(
            mapping=replace(
                asked,
                question=asked.question or (question,),
                options=tuple(options),
                gold=gold,
                gold_encoding="letter",
            )
        )


def _marked_columns(sample: Sample, asked: ColumnMapping) -> list[tuple[str, ...]]:
    """Of the question's columns, the one whose texts hold most options; there must be some."""
    counts = {name: marked_texts(sample, name) for name in asked.question}
    best = max(counts, key=lambda name: counts[name], default="")
    return [(best,)] if best and counts[best] else []


def marked_texts(sample: Sample, column: str) -> int:
    """How many texts of a column hold options behind marks."""
    return sum(_is_marked(cell) for cell in filled(sample, column))


def _is_marked(value: Value) -> bool:
    try:
        marked_options(value if isinstance(value, str) else "")
    except Unreadable:
        return False
    return True


def _columns(
    sample: Sample, family: Family, golds: Sequence[str], asked: ColumnMapping
) -> Iterator[Candidate]:
    leaves = {name.rsplit(".", 1)[-1] for name in family.columns}
    if all(map(undressed, leaves)):
        leaves = set()
    others = [gold for gold in golds if {gold, *together(gold)}.isdisjoint(family.columns)]
    known = bool(asked.options) or family.known
    asking = [row for row in sample if any(row.get(name) not in (None, "") for name in family.columns)]
    for gold in others:
        mappings = list(ways(asking or sample, [gold], asked, leaves))
        places = [mapping for mapping in mappings if mapping.gold_encoding.startswith("index")]
        if asked.options or not places or any(_are_places(sample, mapping, family) for mapping in places):
            for mapping in mappings:
                yield Candidate(mapping=replace(mapping, options=family.columns), known=known)


def _are_places(sample: Sample, mapping: ColumnMapping, family: Family) -> bool:
    """Whether numbers are to be taken for places among these columns.

    Where the names do not say so, all places must occur and nothing else: that is rarely chance, but
    for two columns it is.
    """
    k = len(family.columns)
    if k == 2:
        return family.known and bool(family.stem)
    return family.known or _every_place(sample, mapping, k)


def _every_place(sample: Sample, mapping: ColumnMapping, k: int) -> bool:
    """Whether each of k places is gold in some row and no other is: so telling a coincidence is rare."""
    base = mapping.gold_encoding == "index1"
    values = {
        str(gold).strip().removesuffix(".0")
        for cell in filled(sample, mapping.gold)
        for gold in golds_of(cell)
    }
    return values == {str(place + base) for place in range(k)}


def _list(sample: Sample, column: str, golds: Sequence[str], asked: ColumnMapping) -> Iterator[Candidate]:
    # Of a question without options, gold is no letter: it says nothing of how the others are written.
    asking = [(row, cell) for row in sample if (cell := list_cell(row.get(column), asked.separator))]
    there = [cell for _, cell in asking]
    known = bool(asked.options) or is_listed(column, OPTION_LISTS)
    own = () if asked.gold else [way for way in ("scores", "ranks") if _carries(sample, column, way, asked)]
    for encoding in own:
        yield Candidate(mapping=replace(asked, options=(column,), gold_encoding=encoding), known=known)
    if there and asked.gold_encoding not in own:
        labels = {label for cell in there for label in cell.labels or ()}
        others = [
            gold
            for gold in golds
            if gold != column and (asked.options or not _are_aliases(sample, column, gold))
        ]
        for mapping in ways([row for row, _ in asking], others, asked, labels):
            yield Candidate(mapping=replace(mapping, options=(column,)), known=known)


def _carries(sample: Sample, column: str, encoding: str, asked: ColumnMapping) -> bool:
    """Whether most cells give each option a rank, or a score that is 0 or 1 if nobody asked for scores."""
    cells = [list_cell(value, scored=encoding == "scores") for value in filled(sample, column)]
    numbers = [getattr(cell, encoding) for cell in cells if getattr(cell, encoding, None)]
    if encoding == "scores" and not asked.gold_encoding:
        numbers = [scores for scores in numbers if set(scores) <= {0, 1} and 1 in scores]
    return asked.gold_encoding in {"", encoding} and most(len(numbers), len(cells))


def _are_aliases(sample: Sample, column: str, gold: str) -> bool:
    """Whether a list called answers is rather all the right ones: gold is the first of each, and no place.

    Of an open question that is what `answers` are, and there is nothing to choose among them.
    """
    if plain(column.rpartition(".")[2]) != "answers":
        return False
    cells = [(row.get(gold), list_cell(row.get(column))) for row in sample if row.get(gold) not in (None, "")]
    return all(cell is None or text == cell.options[0] for text, cell in cells)
