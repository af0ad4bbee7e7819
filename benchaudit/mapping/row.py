"""One row becomes an item, or is left out with a reason. This is the definition; it is slow and pure.

Faster ways of reading well-behaved columns are held equal to it by property tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchaudit.mapping.cells import Cell, Spelled, Unreadable, Value, decode_list
from benchaudit.mapping.gold import Unresolved, by_scores, golds_of, position, without_labels
from benchaudit.models import ColumnMapping

MAX_OPTIONS = 1000
"""More options than this are a misread cell, and would not fit the packed tallies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item, or the reason why its row is none.

    `options` are the texts that are scored, nulls and label prefixes gone; `gold` is a position in
    them. `marks` are findings about the row, such as `gold-trimmed`.
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


def item_reader(mapping: ColumnMapping) -> Callable[[Row], Item]:
    """Return the function that reads rows under this mapping."""
    read = _gold_apart if mapping.gold_apart else _gold_among

    def item_of(row: Row) -> Item:
        marks: list[str] = []
        question = "\n".join(text_of(value) or "" for value in row.question)
        try:
            options, gold = read(row, mapping, marks)
            kept, gold = _without_nulls(options, gold)
            if len(kept) < 2:
                raise Unresolved("one-option")
            _check_text([question, *kept])
        except Unresolved as error:
            return Item(question=_replaced(question), left_out=error.reason, marks=tuple(marks))
        except Unreadable:
            return Item(question=_replaced(question), left_out="unreadable-options", marks=tuple(marks))
        if kept.count(kept[gold]) > 1:
            marks.append("gold-duplicated")
        if len(set(kept)) < len(kept):
            marks.append("duplicate-options")
        if "" in kept:
            marks.append("empty-option")
        return Item(question=question, options=kept, gold=gold, marks=tuple(marks))

    return item_of


def text_of(value: Value) -> str | None:
    """A cell as text: as released, None where it is missing."""
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return _compact(value)


def _compact(value: Value) -> str:
    """A nested value in one spelling, whatever container it came from."""
    if isinstance(value, dict):
        inner = ", ".join(f"{_quoted(key)}: {_compact(item)}" for key, item in value.items())
        return "{" + inner + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_compact(item) for item in value) + "]"
    if value is None:
        return "null"
    return (
        _quoted(value) if isinstance(value, str) and not isinstance(value, Spelled) else str(text_of(value))
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _gold_apart(row: Row, mapping: ColumnMapping, marks: list[str]) -> tuple[list[str | None], int]:
    """Gold's text in one column, the distractors in others: gold is put first, and means nothing there."""
    if mapping.last_turn:
        row = replace(
            row, gold=last_turn(row.gold), distractors=[last_turn(cell) for cell in row.distractors]
        )
    golds = golds_of(row.gold) if isinstance(row.gold, list) else [row.gold]
    gold = text_of(golds[0]) if golds else None
    distractors = _distractors(row.distractors, mapping, marks)
    if not gold:
        raise Unresolved("unlabelled")
    if len(golds) > 1:
        raise Unresolved("several-golds")
    if not distractors:
        raise Unresolved("no-options")
    return [gold, *distractors], 0


_TURN = "\n\nAssistant:"


def last_turn(value: Value) -> Value:
    """What the assistant says last in a dialogue: the shared turns before it tell nothing.

    A dialogue is a list of messages with a `content`, or one text with marked turns.
    """
    if isinstance(value, list) and value and isinstance(value[-1], dict):
        return value[-1].get("content")
    return value.rsplit(_TURN, 1)[-1] if isinstance(value, str) else value


def _distractors(values: Sequence[Value], mapping: ColumnMapping, marks: list[str]) -> list[str | None]:
    texts: list[str | None] = []
    for value in values:
        if isinstance(value, list) or mapping.distractor_lists or mapping.separator:
            cell = decode_list(value, mapping.separator)
            if cell is not None:
                marks.append(f"cell-{cell.style}")
                texts.extend(cell.options)
        elif (text := text_of(value)) is not None and text != "":
            texts.append(text)
    return texts


def _gold_among(row: Row, mapping: ColumnMapping, marks: list[str]) -> tuple[list[str | None], int]:
    """A list of options and a gold that names one of them."""
    cell = _option_cell(row, mapping)
    if cell is None or all(option is None for option in cell.options):
        raise Unresolved("no-options")
    if len(row.options) == 1:
        marks.append(f"cell-{cell.style}")
    bare = without_labels(cell.options)
    options = cell.options if bare is None else bare
    return options, _gold(row.gold, cell, options, mapping.gold_encoding, marks)


def _gold(value: Value, cell: Cell, options: list[str | None], encoding: str, marks: list[str]) -> int:
    if encoding == "scores":
        if cell.scores is None:
            return by_scores([float(text_of(item) == "1") for item in golds_of(value)])
        return by_scores(cell.scores)
    if encoding != "text":
        found = position(value, encoding, cell.options, cell.labels)
        if options[found] is None:
            raise Unresolved("gold-not-in-options")
        return found
    try:
        found = position(value, encoding, cell.options, None)
    except Unresolved as error:
        # Gold may be released without the label that its options carry.
        if error.reason != "gold-not-in-options" or options is cell.options:
            raise
        found = position(value, encoding, options, None)
    gold = golds_of(value)[0]
    if isinstance(gold, Spelled):
        marks.append("gold-type")
    if str(gold) not in (cell.options[found], options[found]):
        marks.append("gold-trimmed")
    return found


def _option_cell(row: Row, mapping: ColumnMapping) -> Cell | None:
    if len(row.options) == 1:
        return decode_list(row.options[0], mapping.separator)
    # One option a column: an empty cell is no option there, and keeps its place for the gold.
    texts = [text_of(value) or None for value in row.options]
    return Cell(options=list(texts), style="columns")


def _without_nulls(options: Sequence[str | None], gold: int) -> tuple[tuple[str, ...], int]:
    kept = tuple(option for option in options if option is not None)
    if len(kept) > MAX_OPTIONS:
        raise Unreadable("too many options")
    return kept, gold - sum(option is None for option in options[:gold])


def _check_text(texts: Sequence[str]) -> None:
    """A lone surrogate is no character: its row is left out, for no length of it would be right."""
    for text in texts:
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise Unresolved("not-unicode") from None


def _replaced(text: str) -> str:
    return text.encode(errors="replace").decode()
