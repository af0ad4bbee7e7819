"""One row becomes an item, or is left out with a reason. This is the definition; it is slow and pure.

Faster ways of reading well-behaved columns are held equal to it by property tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchaudit.mapping.cells import Cell, decode_list, split
from benchaudit.mapping.dialogue import last_turn
from benchaudit.mapping.gold import Unresolved, golds_of, own_position, position, spelling, without_labels
from benchaudit.mapping.letters import place_of, prefix
from benchaudit.mapping.literal import Spelled, Unreadable, Value
from benchaudit.mapping.marked import Marked, marked_options
from benchaudit.models import ColumnMapping

MAX_OPTIONS = 1000
"""More options than this are a misread cell, and would not fit the packed tallies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item, or the reason why its row is none.

    `options` are the texts that are scored, nulls and label prefixes gone; `gold` is a position in
    them. `marks` are what `benchaudit.findings` counts, such as `gold-trimmed`.
    """

    question: str = ""
    options: tuple[str, ...] = ()
    gold: int | None = None
    left_out: str | None = None
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The mapped cells of one raw row, in the order in which the mapping names their columns."""

    question: Sequence[Value]
    options: Sequence[Value]
    distractors: Sequence[Value]
    gold: Value
    gold_fallback: Value = None


def item_reader(mapping: ColumnMapping) -> Callable[[Row], Item]:
    """Return the function that reads rows under this mapping."""
    read = _gold_apart if mapping.gold_apart else _gold_among

    def item_of(row: Row) -> Item:
        marks: list[str] = []
        question = "\n".join(text_of(value) or "" for value in row.question)
        try:
            if mapping.options_in_question:
                marked = _marked(row)
                question = question.replace(str(row.options[0]), marked.stem) if marked else question
            options, gold = read(row, mapping, marks)
            kept, gold = _kept(options, gold)
            _check_text([question, *kept])
        except Unresolved as error:
            return Item(question=_replaced(question), left_out=error.reason, marks=tuple(marks))
        except Unreadable:
            return Item(question=_replaced(question), left_out="unreadable-options", marks=tuple(marks))
        marks.extend(_marks_of(kept, gold))
        return Item(question=question, options=kept, gold=gold, marks=tuple(marks))

    return item_of
