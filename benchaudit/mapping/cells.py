"""List cells: what people write where a list of options belongs.

A cell arrives as a text (CSV, a text column of Parquet) or as a JSON value. It holds a list of
options in full, or it is unreadable: nothing is guessed together from parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchaudit.mapping.dialogue import messages
from benchaudit.mapping.literal import Repeated, Spelled, Unreadable, Value, decode_literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The options of one cell as released: a null is None and keeps its place.

    `labels`, `scores` (the higher, the better) and `ranks` (the lower, the better) are the row's own,
    one for each option, where the cell carries them; a score that is not there is None. `style` names
    the spelling, for the findings.
    """

    options: Sequence[str | None]
    labels: Sequence[str] | None = None
    scores: Sequence[float | None] | None = None
    ranks: Sequence[float | None] | None = None
    style: str = "json"


_TEXT_LISTS = ("text", "texts", "choices", "options")
_LABEL_LISTS = ("label", "labels", "key", "keys")
_TEXTS = ("text", "content", "answer", "value", "response", "output", "sentence")
_TEXTS_OR_LABELS = ("option", "choice")
_LABELS = ("label", "key", "letter", "id")
_SCORES = ("score", "correct", "is_correct", "iscorrect")
_RANKS = ("rank", "ranking")
_SPEAKERS = ("role", "from")
_LIST_OF_TEXTS = re.compile(r"""\s*(?:(?:np\.|numpy\.)?array\s*\(\s*)?\[\s*u?['"]""")


def decode_list(value: Value, separator: str = "", *, scored: bool = False) -> Cell | None:
    """Return the options that a cell holds, or None where it is empty.

    `separator` joins the options of a text cell. `scored` says that a record maps options to scores
    rather than labels to options. Raises Unreadable where the cell holds something that is not a list
    of options.
    """
    style = "json"
    if isinstance(value, str) and not isinstance(value, Spelled):
        if value == "" or value.strip() in {"None", "null"}:
            return None
        if separator and (separator in value or not _LIST_OF_TEXTS.match(value)):
            return Cell(options=split(value, separator), style="separated")
        value, style = decode_literal(value)
    if value is None or value in ([], {}):
        return None
    if isinstance(value, list):
        return _from_list(value, style)
    if isinstance(value, dict):
        return _from_record(value, style, scored=scored)
    raise Unreadable("a single value")


def split(text: str, separator: str) -> list[str]:
    """The pieces of a text between separators, stripped, the empty ones dropped."""
    return [piece for piece in (piece.strip() for piece in text.split(separator)) if piece]


def number_of(value: Value) -> float | None:
    """A score or rank as a number, None where it is null. Raises Unreadable where it is no number."""
    if value is None or isinstance(value, bool):
        return None if value is None else float(value)
    constants = {"true": 1.0, "false": 0.0}
    try:
        text = str(value).strip().lower()
        return constants[text] if text in constants else float(text)
    except ValueError:
        raise Unreadable("a score that is no number") from None


def _from_list(values: list[Value], style: str) -> Cell:
    if not any(isinstance(value, dict) for value in values):
        return Cell(options=[_option(value) for value in values], style=style)
    if not all(isinstance(value, dict) for value in values):
        raise Unreadable("a list of texts and records")
    records = [_lowered(value) for value in values]
    if all(len(record) == 1 for record in records):
        return _from_single_names(values, style)
    return _from_records(records, style)


def _from_single_names(records: Sequence[dict[str, Value]], style: str) -> Cell:
    """`[{"A": "bank"}, {"B": "shop"}]`, or `[{"text": "bank"}, …]`."""
    names = [name for record in records for name in record]
    texts = [_option(value) for record in records for value in record.values()]
    if len(set(names)) == len(names) > 1:
        return Cell(options=texts, labels=names, style=style)
    if set(names) <= {*_TEXTS, *_TEXTS_OR_LABELS} and len(set(names)) == 1:
        return Cell(options=texts, style=style)
    raise Unreadable("a list of records without text and label")


def _from_records(records: Sequence[dict[str, Value]], style: str) -> Cell:
    """`[{"label": "A", "text": "bank"}, …]`, with labels, scores or ranks, whichever there are."""
    if any(name in record for record in records for name in _SPEAKERS):
        raise Unreadable("a dialogue, not options")
    texts = _common(records, _TEXTS) or _ending(records, _TEXTS) or _common(records, _TEXTS_OR_LABELS)[:1]
    if len(texts) != 1:
        raise Unreadable("a list of records without one text each")
    text = texts[0]
    akin = [beginning + name for beginning in (*_beginnings(text), f"{text}_") for name in _LABELS]
    names = [name for name in (*_LABELS, *akin, *_TEXTS_OR_LABELS) if name != text]
    label = next(iter(_common(records, names)), "")
    return Cell(
        options=[_option(record[text]) for record in records],
        labels=[str(record[label]) for record in records] if label else None,
        scores=_numbers([record.get(name) for record in records] for name in _common(records, _SCORES)),
        ranks=_numbers([record.get(name) for record in records] for name in _common(records, _RANKS)),
        style=style,
    )


def _common(records: Sequence[dict[str, Value]], names: Iterable[str]) -> list[str]:
    """Those of some names that all records have."""
    return [name for name in names if all(name in record for record in records)]


def _ending(records: Sequence[dict[str, Value]], endings: Sequence[str]) -> list[str]:
    """Those that end so and that all records have, such as `atext` or `option_text`."""
    return _common(records, [name for name in records[0] if name.endswith(tuple(endings))])


def _beginnings(text: str) -> list[str]:
    """What comes before `text` and its like in the name of a text: its label's name begins so too."""
    return [text.removesuffix(ending) for ending in _TEXTS if text.endswith(ending) and text != ending]


def _numbers(lists: Iterable[Sequence[Value]]) -> list[float | None] | None:
    """The first of some lists, if its values are numbers or null; what is none is no score."""
    for values in lists:
        try:
            return [number_of(value) for value in values]
        except Unreadable:
            return None
    return None


def _from_record(value: dict[str, Value], style: str, *, scored: bool) -> Cell:
    if isinstance(value, Repeated):
        raise Unreadable("a record in which a name stands twice")
    if messages(value) is not None:
        raise Unreadable("a message, not options")
    lists = [name for name in value if name.lower() in _TEXT_LISTS and isinstance(value[name], list)]
    if lists:
        return _from_parallel(_lowered(value), style)
    if scored:
        there = {name: score for name, score in value.items() if score is not None}
        return Cell(options=list(there), scores=[number_of(score) for score in there.values()], style=style)
    if all(isinstance(item, Spelled | bool) for item in value.values()) and max(map(len, value)) > 2:
        raise Unreadable("a map of scores, which goes without a gold column")
    return Cell(options=[_option(item) for item in value.values()], labels=list(value), style=style)


def _from_parallel(value: dict[str, Value], style: str) -> Cell:
    """`{"text": ["bank", …], "label": ["A", …]}`; labels of 0 and 1 may be scores as well."""
    texts = [name for name in _TEXT_LISTS if isinstance(value.get(name), list)]
    if len(texts) > 1:
        raise Unreadable("more than one list of texts")
    options = [_option(text) for text in value[texts[0]]]
    labels = _beside(value, _LABEL_LISTS, len(options))
    scores = _beside(value, _SCORES, len(options))
    if not scores and labels and {str(label) for label in labels[0]} <= {"0", "1"}:
        scores = labels
    return Cell(
        options=options,
        labels=[str(label) for label in labels[0]] if labels else None,
        scores=_numbers(scores),
        style=style,
    )


def _beside(value: dict[str, Value], names: Iterable[str], length: int) -> list[list[Value]]:
    """The one list under some names that goes with the options one by one, if there is any."""
    found = [value[name] for name in names if name in value][:1]
    if any(not isinstance(values, list) or len(values) != length for values in found):
        raise Unreadable("labels that do not go with the options one by one")
    return found


def _lowered(record: dict[str, Value]) -> dict[str, Value]:
    lowered = {name.lower(): value for name, value in record.items()}
    if isinstance(record, Repeated) or len(lowered) < len(record):
        raise Unreadable("a record in which a name stands twice")
    return lowered


def _option(value: Value) -> str | None:
    """One option as text: nothing is cast, a JSON `true` stays `true`."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    raise Unreadable("an option that is itself a list or a record")
