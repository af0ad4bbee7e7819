r"""Items of common shapes, read in SQL. `row.py` is the definition: this agrees with it, or says nothing.

A row is *certain* where it has two or more options that are texts, differ even without their case, and
have neither white space around them nor what could be a label in front, and where gold names one of them
in the plainest way. A row that is not certain is left to the definition, whatever it holds. So a condition
may be stricter than it had to be, and never laxer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchaudit.mapping.letters import place_of, undressed
from benchaudit.mapping.recorded import with_columns
from benchaudit.mapping.row import SUBSTITUTES
from benchaudit.mapping.spelled import STYLES, form_of, texts_of
from benchaudit.reading.engine import literal

if TYPE_CHECKING:
    from benchaudit.mapping.batch import Binding
    from benchaudit.mapping.slicing import SliceColumn
    from benchaudit.reading import Column

UNCERTAIN = "?"
"""Stands in the place of a reason where a row is left to the definition."""

_MOST = 26
"""Options of a certain row: as many as there are letters to name them."""

_BLANK = r"[\s\x0b\x1c-\x1f\x85\pZ]"
"""White space as Python sees it."""

_LABEL = rf"[(\[（［【「『〈《]?{_BLANK}*[A-Za-zＡ-Ｚａ-ｚ]{_BLANK}*[)\].:、）］．：】」』〉》]"
"""What a label in front of an option could be, full-width signs too: `prefixes.py` is stricter."""

_LETTERS = (
    "((option >= 'A' AND option < '[') OR (option >= 'a' AND option < '{')) AND option[2] BETWEEN 'a' AND 'z'"
)
"""SQL for whether an option begins with two letters of ASCII, the second a small one."""

_LATE_BLANKS = "\x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""White space beyond ASCII."""

_SUBSTITUTES = ", ".join(map(literal, sorted(SUBSTITUTES)))
_WORDS = ", ".join(literal(word) for word in sorted(SUBSTITUTES) if word.isalpha())

FOLDED_ALIKE = (
    (0x00, 0xB4), (0xB6, 0xDE), (0xE0, 0xFF), (0x400, 0x481), (0x5D0, 0x6FF), (0x900, 0xE7F),
    (0x2010, 0x20CF), (0x2190, 0x245F), (0x2500, 0x2BFF), (0x3000, 0x9FFF), (0xAC00, 0xD7A3),
    (0xFF01, 0xFF60), (0x1F300, 0x1FAFF),
)  # fmt: skip
"""First and last characters of blocks in which the engine's `lower` is Python's `casefold`."""

_FOLDED_OTHERWISE = "[^" + "".join(rf"\x{{{first:x}}}-\x{{{last:x}}}" for first, last in FOLDED_ALIKE) + "]"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """Where the list of texts comes from: `cell` is SQL over the table, the rest is SQL over `cell`.

    `form` tells spellings of a cell apart, NULL where it has none of them, and `styles` names them in the
    order of their numbers. `bad` are conditions under which an `option` of this shape is not certain.
    """

    cell: str
    form: str = "1"
    texts: str = "cell"
    styles: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gold:
    """A gold cell; SQL for the place that it names, over `named` (the cell) and `options`; its marks."""

    cell: str
    place: str
    marks: tuple[str, ...] = ()


def quick_items(bindings: Sequence[Binding], relation: str) -> str | None:
    """SQL for the items of tables in their order, `UNCERTAIN` for the reason where the definition is needed.

    `relation` gives the rows of all of them, whose `bindings` differ in what they say of their files. The
    columns are `file_index`, `id`, `question`, `options`, `gold`, `left_out`, `marks` and `slices`. None
    where the mapped columns have no common shape.
    """
    binding = bindings[0]
    mapping = binding.mapping
    if mapping.last_turn or mapping.separator or mapping.options_in_question:
        return None
    if (typed := with_columns(binding, relation)) is not None:
        binding, relation = typed
    options = _distractors(binding) if mapping.gold_apart else _options(binding)
    gold = _gold(binding)
    texts = [_text(column) for column in (*binding.question, binding.id) if column is not None]
    places = zip(*([part.place for part in each.slices] for each in bindings), strict=True)
    slices = [
        _slice(part) if part.column else _by_file(named)
        for part, named in zip(binding.slices, places, strict=True)
    ]
    if options is None or gold is None or None in texts or None in slices:
        return None
    where = _by_file([f"@{each.file}" for each in bindings])
    return _sql(binding, relation, options, gold, [str(part) for part in slices], where)


def _sql(
    binding: Binding, relation: str, options: _Options, gold: _Gold, slices: Sequence[str], where: str
) -> str:
    question = " || chr(10) || ".join(f"coalesce({_text(column)}, '')" for column in binding.question)
    cells = ", ".join(
        (
            f"{_text(binding.id) if binding.id else 'NULL::VARCHAR'} AS id",
            f"{question or literal('')} AS question",
            f"[{', '.join(slices)}]::VARCHAR[] AS slices",
            f"{gold.cell} AS named",
            f"{options.cell} AS cell",
            "unreadable",
            "file_index",
        )
    )
    all_options = "list_prepend(named, released)" if binding.mapping.gold_apart else "released"
    cells_as = ", ".join(literal(f"cell-{style}") for style in options.styles)
    styles = [f"[{cells_as}][form]"] if options.styles else []
    counted = f"'options-' || len(options) || {where}"
    marks = ", ".join([*styles, *map(literal, gold.marks), counted])
    return f"""
        SELECT file_index, id, question, options, CASE WHEN certain THEN gold END AS gold,
               CASE WHEN NOT certain THEN {literal(UNCERTAIN)} END AS left_out,
               CASE WHEN certain THEN [{marks}] END AS marks, slices
        FROM (SELECT *, coalesce({_certain(options)}, false) AS certain
        FROM (SELECT *, {gold.place} AS gold, array_to_string(options, '') AS joined
        FROM (SELECT *, {all_options} AS options
        FROM (SELECT *, {options.texts} AS released
        FROM (SELECT *, {options.form} AS form
        FROM (SELECT {cells} FROM {relation}))))))"""


def _certain(options: _Options) -> str:
    """SQL for whether a row is certain, NULL or false where it is not."""
    # What begins with two letters of ASCII begins neither with white space nor with a label or a bracket.
    plain = f"{_LETTERS} AND option[-1] BETWEEN '!' AND '~' AND option NOT IN ({_WORDS})"
    late = f"option[-1] > '~' AND contains({literal(_LATE_BLANKS)}, option[-1])"
    # The last character of an empty text is empty, and so no more than a space.
    bad = " OR ".join(("option[-1] <= ' '", f"({late})", f"option IN ({_SUBSTITUTES})", *options.bad))
    bad = f"CASE WHEN {plain} THEN false ELSE {bad} END"
    folded = "list_unique(list_transform(options, lambda option: lower(option))) = len(options)"
    # Texts of different lengths differ. A bit for each length tells most of those that have some.
    bits = "list_bit_or(list_transform(options, lambda option: 1::UBIGINT << (strlen(option) % 64)))"
    return f"""unreadable IS NULL AND form IS NOT NULL
        AND len(options) BETWEEN 2 AND {_MOST} AND list_count(options) = len(options)
        AND gold BETWEEN 0 AND len(options) - 1
        AND NOT list_contains(list_transform(options, lambda option: {bad}), true)
        AND CASE
            WHEN strlen(joined) <> length(joined)
            THEN {folded} AND NOT regexp_matches(joined, {literal(_FOLDED_OTHERWISE)})
            WHEN bit_count({bits}) = len(options) THEN true
            ELSE {folded} END"""


def _options(binding: Binding) -> _Options | None:
    """A list in one column, or one option a column; nothing may look like a label in front."""
    first, *others = binding.options or (None,)
    if first is None or not binding.mapping.gold:
        return None
    if others:
        return _one_a_column(binding.options, rf"^(?:{_BLANK}|{_LABEL})")
    return _list_cell(first, rf"^(?:{_BLANK}|{_LABEL})")


def _distractors(binding: Binding) -> _Options | None:
    """One column of lists, or of one text each, beside gold; labels in front stay there."""
    columns = binding.distractors
    if len(columns) == 1 and (binding.mapping.distractor_lists or columns[0].kind == "texts"):
        return _list_cell(columns[0], rf"^{_BLANK}")
    return None if binding.mapping.distractor_lists else _one_a_column(columns, rf"^{_BLANK}")


def _list_cell(column: Column, beginning: str) -> _Options | None:
    bad = (f"regexp_matches(option, {literal(beginning)})",)
    if column.kind == "texts":
        return _Options(cell=column.typed, styles=("json",), bad=bad)
    if column.kind == "text":
        return _Options(
            cell=column.sql, form=form_of("cell"), texts=texts_of("cell", "form"), styles=STYLES, bad=bad
        )
    return None


def _one_a_column(columns: Sequence[Column], beginning: str) -> _Options | None:
    """A text that begins with a bracket could be a dialogue."""
    if any(column.kind != "text" for column in columns):
        return None
    bad = (f"regexp_matches(option, {literal(beginning)})", "starts_with(option, '[')")
    return _Options(cell=f"[{', '.join(column.sql for column in columns)}]", bad=bad)


def _gold(binding: Binding) -> _Gold | None:
    """Gold as an integer, or as a text in one of the plain encodings."""
    column, encoding = binding.gold, binding.mapping.gold_encoding
    if column is None or column.kind not in {"integer", "text"}:
        return None
    if encoding.startswith("index"):
        number = "CASE WHEN regexp_full_match(named, '[0-9]{1,3}') THEN named::INTEGER END"
        place = f"{number if column.kind == 'text' else 'TRY_CAST(named AS INTEGER)'} - {encoding[-1]}"
        return _Gold(cell=column.typed, place=place, marks=("gold-as-number",))
    return _gold_text(binding, column) if column.kind == "text" else None


def _gold_text(binding: Binding, column: Column) -> _Gold | None:
    """Gold as a text or as a letter; a text that begins with a bracket could be a list of golds."""
    encoding = binding.mapping.gold_encoding
    if binding.mapping.gold_apart:
        return _Gold(cell=column.sql, place="CASE WHEN NOT starts_with(named, '[') THEN 0 END")
    if encoding == "text":
        place = "CASE WHEN NOT starts_with(named, '[') THEN list_position(options, named) - 1 END"
        return _Gold(cell=column.sql, place=place, marks=("gold-as-text",))
    if encoding == "letter" and not _letters_of_their_own(binding.options):
        place = "CASE WHEN regexp_full_match(named, '[A-Za-z]') THEN ascii(upper(named)) - ascii('A') END"
        return _Gold(cell=column.sql, place=place, marks=("gold-as-letter",))
    return None


def _letters_of_their_own(options: Sequence[Column]) -> bool:
    """Whether columns with one option each are called by letters that are not those of their places."""
    letters = [undressed(column.name.rsplit(".", 1)[-1]) for column in options]
    places = [place_of(letter) for letter in letters if letter]
    return len(options) > 1 and len(places) == len(letters) and places != list(range(len(places)))


def _slice(part: SliceColumn) -> str | None:
    """SQL for the value of a slice that a column has, None where it has to be worked out."""
    return _text(part.column) if part.column and part.width is None else None


def _by_file(texts: Sequence[str | None]) -> str:
    """SQL for the text of a row's file, of which NULL is none."""
    told = ["NULL" if text is None else literal(text) for text in texts]
    return told[0] if len(set(told)) == 1 else f"[{', '.join(told)}][file_index + 1]"


def _text(column: Column) -> str | None:
    """SQL for a cell as text, None where its spelling may not be the one that the definition gives."""
    return column.sql if column.kind in {"text", "integer"} else None
