"""One row becomes an item, or is left out with a reason. This is the definition; it is slow and pure.

Faster ways of reading well-behaved columns are held equal to it by property tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchaudit.mapping.cells import Cell, decode_list, split
from benchaudit.mapping.dialogue import last_turn, messages
from benchaudit.mapping.gold import (
    Unresolved,
    golds_of,
    listed,
    own_position,
    position,
    spelling,
)
from benchaudit.mapping.literal import Spelled, Unreadable, Value
from benchaudit.mapping.marked import marked_options
from benchaudit.mapping.prefixes import Prefixes, prefixes, repeated
from benchaudit.mapping.unnamed import is_hidden, is_tie, nearly_named
from benchaudit.models import ColumnMapping

MAX_OPTIONS = 1000
"""More options than this are a misread cell, and would not fit the packed tallies."""

SUBSTITUTES = frozenset({"nan", "N/A", "<NA>", "#N/A", "#NAME?", "#REF!", "#VALUE!"})
"""What pandas and spreadsheets write where an option was, or was missing."""


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
        question = _question(row, mapping)
        try:
            kept, gold = _kept(*read(row, mapping, marks))
            _check_text([question, *kept])
        except Unresolved as error:
            return Item(question=_replaced(question), left_out=error.reason, marks=tuple(marks))
        except Unreadable:
            return Item(question=_replaced(question), left_out="unreadable-options", marks=tuple(marks))
        marks += [*_repeats(kept, gold), *_substitutes(kept), *_trimmings(kept, gold)]
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
    """A nested value in one spelling, whatever container it came from; no depth is too deep for it."""
    written: list[str] = []
    entered = [_pieces(value)]
    while entered:
        piece = next(entered[-1], None)
        if piece is None:
            entered.pop()
        elif isinstance(piece, str):
            written.append(piece)
        else:
            entered.append(_pieces(piece))
    return "".join(written)


def _pieces(value: Value) -> Iterator[Value]:
    """What a value is written of: texts, and between them the lists and records that it holds."""
    if isinstance(value, dict):
        yield "{"
        for number, (key, item) in enumerate(value.items()):
            yield f"{', ' if number else ''}{_quoted(key)}: "
            yield _piece(item)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for number, item in enumerate(value):
            yield ", " if number else ""
            yield _piece(item)
        yield "]"
    else:
        yield _piece(value)


def _piece(value: Value) -> Value:
    """A list or record as it is, anything else as it is written inside of one."""
    if isinstance(value, list | dict):
        return value
    if value is None:
        return "null"
    return (
        _quoted(value) if isinstance(value, str) and not isinstance(value, Spelled) else str(text_of(value))
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _question(row: Row, mapping: ColumnMapping) -> str:
    """The question's columns, a line each; options that stand in one of them are no part of it."""
    texts = [text_of(value) or "" for value in row.question]
    if mapping.options_in_question:
        texts = [_stem(text) if text == row.options[0] else text for text in texts]
    return "\n".join(texts)


def _stem(text: str) -> str:
    try:
        return marked_options(text).stem
    except Unreadable:
        return text


def _gold_apart(row: Row, mapping: ColumnMapping, marks: list[str]) -> tuple[list[str | None], int]:
    """Gold's text in one column, the distractors in others: gold is put first, and means nothing there."""
    distractors = _distractors(row.distractors, mapping, marks)
    golds = _gold_texts(_last_turn(_gold_cell(row), mapping, marks), mapping, distractors)
    if not golds:
        raise Unresolved("unlabelled")
    if len(golds) > 1:
        raise Unresolved("several-golds")
    if not distractors:
        raise Unresolved("no-options")
    return [golds[0], *distractors], 0


def _gold_cell(row: Row) -> Value:
    empty = row.gold_fallback is not None and not golds_of(row.gold)
    return row.gold_fallback if empty else row.gold


def _gold_texts(value: Value, mapping: ColumnMapping, distractors: Sequence[str | None]) -> list[str]:
    """The golds that a cell holds: a list, or texts joined as the distractors are, is several."""
    golds = listed(value)
    if isinstance(value, str) and any((text or "").startswith("[") for text in distractors):
        # Where distractors look like `[1, 2]`, gold may as well; else it is the list that it looks like.
        golds = None
    texts = [_text(gold) for gold in ([value] if golds is None else golds)]
    if len(texts) == 1 and texts[0] and mapping.separator and mapping.separator in texts[0]:
        return split(texts[0], mapping.separator)
    return [text for text in texts if text is not None]


def _last_turn(value: Value, mapping: ColumnMapping, marks: list[str]) -> Value:
    """What is said last in a cell, with a mark where that takes more than the last of a list of messages."""
    said = last_turn(value, marked=mapping.last_turn)
    if said is not value and messages(value) is not None and not (mapping.last_turn and _is_plain(value)):
        marks.append("message")
    return said


def _is_plain(value: Value) -> bool:
    return isinstance(value, list) and isinstance(value[-1].get("content"), str)


def _distractors(values: Sequence[Value], mapping: ColumnMapping, marks: list[str]) -> list[str | None]:
    texts: list[str | None] = []
    for released in values:
        value = _last_turn(released, mapping, marks)
        if isinstance(value, list) or mapping.distractor_lists or mapping.separator:
            cell = decode_list(value, mapping.separator)
            if cell is not None:
                marks.append(f"cell-{cell.style}")
                texts.extend(cell.options)
        elif (text := _text(value)) is not None:
            texts.append(text)
    return texts


def _gold_among(row: Row, mapping: ColumnMapping, marks: list[str]) -> tuple[list[str | None], int]:
    """A list of options and a gold that names one of them."""
    cell = _option_cell(row, mapping, marks)
    if cell is None or all(option is None for option in cell.options):
        raise Unresolved("no-options")
    if len(row.options) == 1:
        marks.append(f"cell-{cell.style}")
        if cell.labels is not None:
            marks.append(f"labels-as-{_label_style(cell.labels)}")
    labels = prefixes(cell.options)
    gold = _gold(row, mapping, cell, labels, marks)
    if labels.bare is not None or labels.partial:
        marks.append("label-prefix-partial" if labels.bare is None else "label-prefix")
    return list(cell.options) if labels.bare is None else labels.bare, gold


def _option_cell(row: Row, mapping: ColumnMapping, marks: list[str]) -> Cell | None:
    if mapping.options_in_question:
        text = _text(row.options[0])
        return None if text is None else marked_options(text).cell
    if len(row.options) == 1:
        return decode_list(row.options[0], mapping.separator, scored=not mapping.gold)
    # One option a column: an empty cell is no option there, and keeps its place for the gold. Its
    # label is the name of its column.
    texts = [_text(_last_turn(value, mapping, marks)) for value in row.options]
    labels = [name.rsplit(".", 1)[-1] for name in mapping.options]
    return Cell(options=texts, labels=labels, style="columns")


def _text(value: Value) -> str | None:
    """The text of a cell that holds one; None where it is empty."""
    if isinstance(value, list | dict):
        raise Unreadable("a list or a record where one text belongs")
    if isinstance(value, str):
        return value or None
    return text_of(value)


def _label_style(labels: Sequence[str]) -> str:
    if all(len(label) == 1 and label.isalpha() for label in labels):
        return "letters"
    return "digits" if all(label.isdecimal() for label in labels) else "names"


def _gold(row: Row, mapping: ColumnMapping, cell: Cell, labels: Prefixes, marks: list[str]) -> int:
    encoding = mapping.gold_encoding
    if not mapping.gold:
        return own_position(cell, encoding)
    value = _gold_cell(row)
    if _is_spelled(value, encoding):
        marks.append(f"gold-as-{spelling(value, encoding)}")
    if encoding == "letter" and labels.reordered:
        raise Unresolved("gold-ambiguous")
    tie = len(mapping.gold_columns) > max(1, len(cell.options))
    try:
        named = position(value, encoding, cell, labels.bare or cell.options, mapping.separator, tie=tie)
    except Unresolved as error:
        if error.reason == "gold-not-in-options" and nearly_named(
            golds_of(value), labels.bare or cell.options
        ):
            marks.append("gold-nearly")
        raise
    if not named.exact:
        marks.append("gold-trimmed")
    if encoding == "letter" and any(
        repeated(str(gold), cell.options) is not None for gold in golds_of(value)
    ):
        marks.append("gold-with-text")
    if encoding == "text" and _is_no_text(value) and not isinstance(cell.options[named.place], Spelled):
        marks.append("gold-type")
    return named.place


def scores_of(cells: Sequence[Value]) -> Value:
    """The cells of several columns as one list of scores, however their numbers are spelled."""
    return [None if cell == "" else Spelled(cell) if isinstance(cell, str) else cell for cell in cells]


def _is_spelled(value: Value, encoding: str) -> bool:
    """Whether a gold cell is written in some way; what stands for a hidden gold or a tie is none."""
    golds = golds_of(value)
    return bool(golds) and (
        encoding in {"text", "labels"} or not all(is_hidden(gold) or is_tie(gold) for gold in golds)
    )


def _is_no_text(value: Value) -> bool:
    return any(isinstance(gold, Spelled | bool) for gold in golds_of(value))


def _kept(options: Sequence[str | None], gold: int) -> tuple[tuple[str, ...], int]:
    """The options without nulls, and where gold is among them."""
    kept = tuple(str(option) for option in options if option is not None)
    if len(kept) > MAX_OPTIONS:
        raise Unreadable("too many options")
    if len(kept) < 2:
        raise Unresolved("one-option")
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


def _repeats(options: Sequence[str], gold: int) -> list[str]:
    """Marks of options that say the same, or would if white space and case did not count, or say nothing."""
    alike = [option.strip().casefold() for option in options]
    if len(set(alike)) == len(alike) and "" not in alike:
        return []
    same = options.count(options[gold])
    said = {
        "gold-duplicated": same > 1,
        "duplicate-options": len(set(options)) < len(options),
        "gold-duplicated-normalised": alike.count(alike[gold]) > same,
        "duplicate-options-normalised": len(set(alike)) < len(set(options)),
        "empty-option": "" in alike,
        "gold-empty": alike[gold] == "",
    }
    return [mark for mark, holds in said.items() if holds]


def _substitutes(options: Sequence[str]) -> list[str]:
    """The mark of options that are what a program prints where it has no text."""
    return [] if SUBSTITUTES.isdisjoint(options) else ["substitute-option"]


def _trimmings(options: Sequence[str], gold: int) -> list[str]:
    """Marks of what the white space around options does to the figures of the longest and the shortest."""
    trimmed = [option.strip() for option in options]
    if trimmed == list(options):
        return []
    marks = []
    for name, extreme in (("longest", max), ("shortest", min)):
        now, then = (_standing([len(text) for text in texts], gold, extreme) for texts in (options, trimmed))
        for figure, before, after in zip(("among", "alone"), now, then, strict=True):
            if before != after:
                marks.append(f"trimmed-{name}-{figure}-{'more' if after else 'fewer'}")
    return marks


def _standing(
    lengths: Sequence[int], gold: int, extreme: Callable[[Sequence[int]], int]
) -> tuple[bool, bool]:
    """Whether gold is at the extreme, and whether it is there alone."""
    among = lengths[gold] == extreme(lengths)
    return among, among and lengths.count(lengths[gold]) == 1
