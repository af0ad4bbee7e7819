"""List cells: what people write where a list of options belongs.

A cell arrives as a text (CSV, a text column of Parquet) or as a JSON value. JSON is tried before
Python, so that surrogate pairs are one character. What is not a list of options in full is no list
at all: adjacent string literals never become one option, an elided list never becomes a short one.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


class Spelled(str):
    """A JSON number, kept as the release spells it (`1.50` stays `1.50`)."""

    __slots__ = ()


Value = Any
"""None, str, Spelled, bool, list or dict: a JSON value whose numbers kept their spelling."""

_DECODER = json.JSONDecoder(parse_float=Spelled, parse_int=Spelled, parse_constant=Spelled)


def decode_json(text: str) -> Value:
    """Return the JSON value of `text`; ValueError (or RecursionError) where it is none."""
    return _DECODER.decode(text)


class Unreadable(ValueError):
    """A cell that is not what its column holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The options of one cell as released: a null is None and keeps its place.

    `labels` are the row's own labels and `scores` its own scores, where the cell carries them.
    `style` names the spelling, for the findings.
    """

    options: list[str | None]
    labels: list[str] | None = None
    scores: list[float] | None = None
    style: str = "json"


def decode_list(value: Value, separator: str = "") -> Cell | None:
    """Return the options that a cell holds, or None where it is empty.

    Raises Unreadable where the cell holds something that is not a list of options.
    """
    if value is None or (isinstance(value, str) and not value):
        return None
    if isinstance(value, str):
        return _decode_text(value, separator)
    if isinstance(value, list):
        return _from_list(value, "json") if value else None
    if isinstance(value, dict):
        return _from_dict(value, "json") if value else None
    raise Unreadable("a single value")


def _decode_text(text: str, separator: str) -> Cell | None:
    if separator:
        pieces = [piece.strip() for piece in text.split(separator)]
        return Cell(options=[piece for piece in pieces if piece], style="separated")
    value, style = decode_literal(text)
    if value is None or value in ([], {}):
        return None
    if isinstance(value, list):
        return _from_list(value, style)
    if isinstance(value, dict):
        return _from_dict(value, style)
    raise Unreadable("not a list")


def decode_literal(text: str) -> tuple[Value, str]:
    """Return the value that a text spells as JSON, as a Python literal or as a numpy array.

    The second part names the spelling. Raises Unreadable for anything else.
    """
    try:
        return decode_json(text), "json"
    except (ValueError, RecursionError):
        pass
    try:
        return _Literal(text).parse()
    except (ValueError, SyntaxError, RecursionError) as error:
        raise Unreadable(str(error)) from None


def _from_list(values: list[Value], style: str) -> Cell:
    if all(isinstance(value, dict) for value in values):
        return _from_records(values, style)
    return Cell(options=[_option(value) for value in values], style=style)


def _from_records(records: list[dict[str, Value]], style: str) -> Cell:
    """`[{"label": "A", "text": "bank"}, …]`, as ARC and CommonsenseQA have it."""
    texts, labels = [], []
    for record in records:
        named = {key.lower(): value for key, value in record.items()}
        if not {"text", "label"} <= named.keys():
            raise Unreadable("a list of records without text and label")
        texts.append(_option(named["text"]))
        labels.append(str(named["label"]))
    return Cell(options=texts, labels=labels, style=style)


def _from_dict(value: dict[str, Value], style: str) -> Cell:
    named = {key.lower(): item for key, item in value.items()}
    texts = named.get("text")
    if isinstance(texts, list):
        labels, options = named.get("label"), [_option(text) for text in texts]
        if labels is None:
            return Cell(options=options, style=style)
        if not isinstance(labels, list) or len(labels) != len(options):
            raise Unreadable("as many labels as options are needed")
        return Cell(options=options, labels=[str(label) for label in labels], style=style)
    if all(isinstance(item, Spelled | bool) for item in value.values()):
        return Cell(options=list(value), scores=[_score(item) for item in value.values()], style=style)
    if all(isinstance(item, str) for item in value.values()):
        return Cell(options=list(value.values()), labels=list(value), style=style)
    raise Unreadable("a record that is no list of options")


def _option(value: Value) -> str | None:
    """One option as text: nothing is cast, a JSON `true` stays `true`."""
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    raise Unreadable("an option that is itself a list or a record")


def _score(value: Spelled | bool) -> float:
    return {"True": 1.0, "False": 0.0}[str(value)] if str(value) in {"True", "False"} else float(value)


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<string>[rbuRBU]{0,2}(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))
    | (?P<number>[-+]?(?:\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?))(?![\w.])
    | (?P<word>[A-Za-z_][\w.]*)
    | (?P<mark>\.\.\.|[\[\](){},:=])
    )""",
    re.VERBOSE | re.DOTALL,
)
_CONSTANTS: dict[str, Value] = {
    "None": None,
    "null": None,
    "nan": None,
    "True": Spelled("True"),
    "False": Spelled("False"),
}
_CLOSING = {"[": "]", "(": ")"}
_MAX_DEPTH = 8


class _Literal:
    """A reader of Python literals and numpy's print of arrays; it evaluates nothing.

    A Python list has a comma between all its items, numpy's print has none at all. A list that has
    some is neither: Python would join the strings that stand side by side.
    """

    def __init__(self, text: str) -> None:
        self._tokens = list(self._scan(text))
        self._at = 0
        self._style = "python"

    @staticmethod
    def _scan(text: str) -> Iterator[tuple[str, str]]:
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None or match.lastgroup is None:
                raise Unreadable("neither JSON nor a Python literal")
            yield match.lastgroup, match.group(match.lastgroup)
            position = match.end()

    def parse(self) -> tuple[Value, str]:
        value = self._value(0)
        if self._at != len(self._tokens):
            raise Unreadable("text after the end of the list")
        return value, self._style

    def _next(self) -> tuple[str, str]:
        if self._at == len(self._tokens):
            raise Unreadable("the list does not end")
        self._at += 1
        return self._tokens[self._at - 1]

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _value(self, depth: int) -> Value:
        kind, token = self._next()
        if depth > _MAX_DEPTH:
            raise Unreadable("nested too deeply")
        if kind == "string":
            value = ast.literal_eval(token)
            if not isinstance(value, str):
                raise Unreadable("bytes, not text")
            return value
        if kind == "number":
            return Spelled(token)
        if token in _CLOSING:
            return self._items(_CLOSING[token], depth)
        if token == "{":
            return self._pairs(depth)
        if kind == "word" and token in {"array", "np.array", "numpy.array"}:
            return self._array(depth)
        if kind == "word" and token in _CONSTANTS:
            return _CONSTANTS[token]
        raise Unreadable("an elided list" if token == "..." else f"{token!r} is no value")

    def _items(self, closing: str, depth: int) -> list[Value]:
        items: list[Value] = []
        commas = 0
        while self._peek() != closing:
            items.append(self._value(depth + 1))
            if self._peek() == ",":
                commas += 1
                self._next()
        self._next()
        if commas == 0 and len(items) > 1:
            self._style = "numpy"
        elif commas not in {len(items), len(items) - 1} and items:
            raise Unreadable("a comma is missing between two items")
        return items

    def _pairs(self, depth: int) -> dict[str, Value]:
        pairs: dict[str, Value] = {}
        while self._peek() != "}":
            key = self._value(depth + 1)
            if not isinstance(key, str) or self._next()[1] != ":":
                raise Unreadable("a record whose names are no texts")
            pairs[key] = self._value(depth + 1)
            if self._peek() != "}" and self._next()[1] != ",":
                raise Unreadable("a comma is missing between two fields")
        self._next()
        return pairs

    def _array(self, depth: int) -> Value:
        if self._next()[1] != "(":
            raise Unreadable("array without its items")
        value = self._value(depth + 1)
        self._style = "numpy"
        while self._next()[1] != ")":
            if self._at >= len(self._tokens):
                raise Unreadable("the array does not end")
        return value
