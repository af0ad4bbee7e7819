r"""JSON records as columns, for the shapes that `quick.py` reads in SQL; what is not certain is marked.

The engine takes more for JSON than the definition does (a comma too many, `nan`, a name that stands twice)
and respells numbers, so a record that could be of that kind is uncertain, and of numbers only whole ones
that have one spelling are taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from benchaudit.reading.engine import literal

if TYPE_CHECKING:
    from benchaudit.mapping.batch import Binding
    from benchaudit.reading import Column
    from benchaudit.reading.table import Kind

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_ -]*")
"""Names that need no thought in a JSON path."""

_LENIENT = r",\s*[\]}]|[:,\[]\s*(?:[-+]?(?i:nan|inf)|-0)|\\u0000"
"""What the engine reads otherwise than the definition, wherever it stands."""

_SHORT = 1800
"""A record of fewer bytes cannot be nested too deeply for Python to read."""

_TEXTS = r'\[(?:"(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*")*)?\]'
"""A list of texts, as the engine writes it."""

_WHOLE = ("UBIGINT", "BIGINT")


def with_columns(binding: Binding, relation: str) -> tuple[Binding, str] | None:
    """The binding and the relation with a column for each place that is mapped.

    A row whose record or cells are not of the plainest kind has a reason in `unreadable` there. None where
    a column is none of the names of a record.
    """
    used = _used(binding)
    if any(column.form != "record" or len(column.path) != 1 for column in used):
        return None
    names = list(dict.fromkeys(column.path[0] for column in used))
    if not all(map(_NAME.fullmatch, names)):
        return None
    paths = "[" + ", ".join(literal(f'$."{name}"') for name in names) + "]"
    lists, texts = _lists(binding), _texts(binding)
    if lists & texts:
        return None
    fits = [
        _fits(place, is_list=name in lists, is_text=name in texts)
        for place, name in enumerate(names, start=1)
    ]
    cells = [_cell(place, is_list=name in lists) for place, name in enumerate(names, start=1)]
    columns = ", ".join(f"{cell} AS v{place}" for place, cell in enumerate(cells, start=1))
    typed = f"""(SELECT {columns}, file_index,
        CASE WHEN unreadable IS NULL AND coalesce({" AND ".join(fits)}, false) THEN NULL ELSE 'uncertain' END
        AS unreadable
        FROM (SELECT file_index, unreadable,
              CASE WHEN plain THEN json_type(record, {paths}) END AS kinds,
              CASE WHEN plain THEN json_extract_string(record, {paths}) END AS found
        FROM (SELECT *, coalesce({_plain()}, false) AS plain FROM {relation})))"""

    def typed_column(column: Column) -> Column:
        place = f"v{names.index(column.path[0]) + 1}"
        kind: Kind = "texts" if column.path[0] in lists else "text"
        return replace(column, sql=place, typed=place, form="text", path=(), kind=kind)

    return _replaced(binding, typed_column), typed


def _used(binding: Binding) -> list[Column]:
    single = (binding.gold, binding.gold_fallback, binding.id, *(part.column for part in binding.slices))
    several = (*binding.question, *binding.options, *binding.distractors)
    return [column for column in (*several, *single) if column is not None]


def _lists(binding: Binding) -> set[str]:
    """Names under which a list has to be."""
    one = len(binding.options) == 1 or (len(binding.distractors) == 1 and binding.mapping.distractor_lists)
    return {column.path[0] for column in (*binding.options, *binding.distractors)} if one else set()


def _texts(binding: Binding) -> set[str]:
    """Names under which a text has to be, if anything is there; elsewhere a whole number will do."""
    named = [] if _lists(binding) else [*binding.options, *binding.distractors]
    if binding.gold is not None and not binding.mapping.gold_encoding.startswith("index"):
        named.append(binding.gold)
    return {column.path[0] for column in named}


def _plain() -> str:
    """SQL for whether the definition reads a record as the engine does."""
    depth = "length(record) - length(replace(replace(record, '[', ''), '{', ''))"
    # Asking for the names in what is no JSON would be an error.
    return f"""CASE WHEN unreadable IS NULL AND json_valid(record)
        THEN NOT regexp_matches(record, {literal(_LENIENT)})
             AND CASE WHEN strlen(record) < {_SHORT} THEN true ELSE {depth} < 500 END
             AND list_unique(json_keys(record)) = len(json_keys(record))
        END"""


def _fits(place: int, *, is_list: bool, is_text: bool) -> str:
    """SQL for whether a cell is of the kind that its column is taken for, or missing."""
    kind, found = f"kinds[{place}]", f"found[{place}]"
    if is_list:
        return f"({kind} = 'ARRAY' AND regexp_full_match({found}, {literal(_TEXTS)}))"
    kinds = ["NULL", "VARCHAR", *([] if is_text else _WHOLE)]
    return f"({kind} IS NULL OR {kind} IN ({', '.join(map(literal, kinds))}))"


def _cell(place: int, *, is_list: bool) -> str:
    kind, found = f"kinds[{place}]", f"found[{place}]"
    if is_list:
        texts = f"CASE WHEN regexp_full_match({found}, {literal(_TEXTS)}) THEN {found} END"
        return f"CASE WHEN {kind} = 'ARRAY' THEN from_json({texts}, '[\"VARCHAR\"]') END"
    return found


def _replaced(binding: Binding, typed: Callable[[Column], Column]) -> Binding:
    def each(columns: Sequence[Column]) -> tuple[Column, ...]:
        return tuple(map(typed, columns))

    def one(column: Column | None) -> Column | None:
        return None if column is None else typed(column)

    return replace(
        binding,
        question=each(binding.question),
        options=each(binding.options),
        distractors=each(binding.distractors),
        gold=one(binding.gold),
        gold_fallback=one(binding.gold_fallback),
        id=one(binding.id),
        slices=tuple(replace(part, column=one(part.column)) for part in binding.slices),
    )
