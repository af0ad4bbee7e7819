"""The definition of an item, applied to batches of raw rows inside the engine's scan."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from benchaudit.arrays import integers, lists_of_strings, strings
from benchaudit.errors import MappingError
from benchaudit.mapping.literal import Repeated, Unreadable, Value
from benchaudit.mapping.row import Item, Row, item_reader, scores_of, text_of
from benchaudit.mapping.slicing import SliceColumn, slice_column
from benchaudit.models import ColumnMapping

if TYPE_CHECKING:
    from benchaudit.reading import Column, Table

ITEM_TYPE = (
    "STRUCT(id VARCHAR, question VARCHAR, options VARCHAR[], gold INTEGER, left_out VARCHAR, "
    "marks VARCHAR[], slices VARCHAR[])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A mapping bound to the columns of one table.

    `arguments` are the distinct SQL expressions that the scan hands over, in order, before
    `unreadable`; the other fields say which column takes which role.
    """

    arguments: tuple[str, ...]
    question: tuple[Column, ...]
    options: tuple[Column, ...]
    distractors: tuple[Column, ...]
    gold: Column | None
    gold_fallback: Column | None
    id: Column | None
    slices: tuple[SliceColumn, ...]
    mapping: ColumnMapping
    file: str

    @property
    def anywhere(self) -> Binding:
        """The same without what it says of the file: tables whose rows are read alike share it."""
        slices = tuple(replace(part, place=None) for part in self.slices)
        return replace(self, slices=slices, file="")


def bind(table: Table, mapping: ColumnMapping, slice_columns: Sequence[str]) -> Binding:
    """Find the columns that a mapping names. Raises MappingError where one is not there."""

    def find(name: str) -> Column:
        return find_column(table, name)

    question, options, distractors = (
        tuple(map(find, names)) for names in (mapping.question, mapping.options, mapping.distractors)
    )
    gold = find_gold(table, mapping)
    fallback = table.column(mapping.gold_fallback) if mapping.gold_fallback else None
    id_ = find(mapping.id) if mapping.id else None
    slices = tuple(bind_slice(table, name) for name in slice_columns)
    used = [*question, *options, *distractors, gold, fallback, id_, *(part.column for part in slices)]
    return Binding(
        arguments=tuple(dict.fromkeys(column.sql for column in _single(used))),
        question=question,
        options=options,
        distractors=distractors,
        gold=gold,
        gold_fallback=fallback,
        id=id_,
        slices=slices,
        mapping=mapping,
        file=table.file,
    )


def bind_slice(table: Table, name: str) -> SliceColumn:
    """Find what a slice column's name stands for. Raises MappingError where it is not there."""
    # Of a dotted name it is not known what rows have there: a bin's width is no part of it.
    known = any(column.name == name for column in table.columns)
    return slice_column(name, table.places, lambda column: find_column(table, column), known=known)


def find_column(table: Table, name: str) -> Column:
    """Return a table's column by its exact name. Raises MappingError where it is not there."""
    column = table.column(name)
    if column is None:
        names = [column.name for column in table.columns]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise MappingError(
            f"has no column {name!r}",
            where=table.file,
            todo=f"{hint}its columns are: {', '.join(names[:60])}",
        )
    return column


def find_gold(table: Table, mapping: ColumnMapping) -> Column | None:
    """Return the gold column; None where the table need not have it.

    It need not where another one stands in for it, and where JSON records have no such name and none
    like it that has no other role: a hidden test split is released so, and its rows are unlabelled.
    Raises MappingError otherwise.
    """
    name, fallback = mapping.gold, mapping.gold_fallback
    if not name or table.column(name) is not None:
        return table.column(name) if name else None
    if fallback and table.column(fallback) is not None:
        return None
    others = {*mapping.question, *mapping.options, *mapping.distractors, mapping.id}
    free = [column.name for column in table.columns if column.name not in others]
    near = difflib.get_close_matches(name, free, n=1)
    return find_column(table, name) if table.has_schema or near else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRow:
    """An item with the names that its row goes by; `slices` is None where they could not be read."""

    item: Item
    id: str | None
    slices: tuple[str | None, ...] | None


def row_reader(binding: Binding) -> Callable[[Sequence[str | None], str | None], ReadRow]:
    """Return the function that reads one raw row: its cells in the order of `arguments`, `unreadable`."""
    item_of = item_reader(binding.mapping)
    where = {sql: number for number, sql in enumerate(binding.arguments)}
    forms = {column.sql: column for column in _columns(binding)}
    decoders = [forms[sql].decode for sql in binding.arguments]
    records = [where[column.sql] for column in forms.values() if column.form == "record"]

    def read(cells: Sequence[str | None], unreadable: str | None) -> ReadRow:
        if unreadable is not None:
            return ReadRow(item=Item(left_out=unreadable), id=None, slices=None)
        try:
            decoded = [decode(cell) for decode, cell in zip(decoders, cells, strict=True)]
        except (ValueError, RecursionError):
            return ReadRow(item=Item(left_out="invalid-json"), id=None, slices=None)
        for number in records:
            if type(decoded[number]) is not dict:
                broken = isinstance(decoded[number], Repeated)
                item = Item(left_out="repeated-name" if broken else "no-record")
                return ReadRow(item=item, id=None, slices=None)

        def value(column: Column | None) -> Value:
            if column is None or not column.parts:
                return None if column is None else column.follow(decoded[where[column.sql]])
            return scores_of([value(part) for part in column.parts])

        return ReadRow(
            item=_counted(_item(binding, value, item_of), binding.file),
            id=_or_none(lambda: _printable(value(binding.id))),
            slices=tuple(_or_none(partial(part.value, value)) for part in binding.slices),
        )

    return read


def _item(binding: Binding, value: Callable[[Column | None], Value], item_of: Callable[[Row], Item]) -> Item:
    """The item of a row whose cells `value` gives."""
    try:
        row = Row(
            question=[value(column) for column in binding.question],
            options=[value(column) for column in binding.options],
            distractors=[value(column) for column in binding.distractors],
            gold=value(binding.gold),
            gold_fallback=value(binding.gold_fallback),
        )
    except Unreadable:
        return Item(left_out="repeated-name")
    return item_of(row)


def _or_none(read: Callable[[], str | None]) -> str | None:
    """What is read for a name of a row, None where it stands in a record that cannot be read."""
    try:
        return read()
    except Unreadable:
        return None


def _counted(item: Item, file: str) -> Item:
    """The item with the mark from which findings count items by their options, and splits without labels."""
    if item.left_out is None:
        return replace(item, marks=(*item.marks, f"options-{len(item.options)}@{file}"))
    if item.left_out == "unlabelled":
        return replace(item, marks=(*item.marks, f"unlabelled@{file}"))
    return item


def _columns(binding: Binding) -> list[Column]:
    roles = [
        *binding.question,
        *binding.options,
        *binding.distractors,
        binding.gold,
        binding.gold_fallback,
        binding.id,
        *(part.column for part in binding.slices),
    ]
    return list(_single(roles))


def _single(columns: Sequence[Column | None]) -> Iterator[Column]:
    """The columns of a table that columns are made of."""
    for column in columns:
        if column is not None:
            yield from column.parts or (column,)


def _printable(value: Value) -> str | None:
    text = text_of(value)
    return None if text is None else text.encode(errors="replace").decode()


def batch_reader(bindings: Sequence[Binding]) -> Callable[..., Any]:
    """Return the function over Arrow arrays that DuckDB calls: lists of cells in, items out.

    A list holds the number of the row's binding, the cells of its `arguments` and, at the end, `unreadable`.
    """
    readers = {str(number): row_reader(binding) for number, binding in enumerate(bindings)}

    def read_batch(raw: Any) -> Any:
        import pyarrow as pa

        rows = [readers[number](cells, unreadable) for number, *cells, unreadable in raw.to_pylist()]
        items = [row.item for row in rows]
        return pa.StructArray.from_arrays(
            [
                strings([row.id for row in rows]),
                strings([item.question for item in items]),
                lists_of_strings([item.options for item in items]),
                integers([item.gold for item in items]),
                strings([item.left_out for item in items]),
                lists_of_strings([item.marks for item in items]),
                lists_of_strings([row.slices for row in rows]),
            ],
            names=["id", "question", "options", "gold", "left_out", "marks", "slices"],
        )

    return read_batch
