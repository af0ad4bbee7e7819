"""Values as people spell them: JSON, else a Python literal or numpy's print of an array.

JSON is tried first, so that surrogate pairs are one character. Nothing is evaluated, and what is not
a value in full is none: adjacent string literals never become one text, an elided list never a
short one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any


class Spelled(str):
    """A number or a Python constant, kept as the release spells it (`1.50` stays `1.50`)."""

    __slots__ = ()


class Repeated(dict[str, Any]):
    """An object in which a name stands twice. It holds the last of them, as Python's json does."""

    __slots__ = ()


Value = Any
"""None, str, Spelled, bool, list or dict: a JSON value whose numbers kept their spelling."""


class Unreadable(ValueError):
    """A cell that is not what its column holds."""


def _object(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    record = dict(pairs)
    return record if len(record) == len(pairs) else Repeated(record)


def _constant(name: str) -> Value:
    # NaN is how numpy and pandas write a missing value into JSON.
    return None if name == "NaN" else Spelled(name)


_DECODER = json.JSONDecoder(
    parse_float=Spelled, parse_int=Spelled, parse_constant=_constant, object_pairs_hook=_object
)


def decode_json(text: str) -> Value:
    """Return the JSON value of `text`; ValueError (or RecursionError) where it is none."""
    return _DECODER.decode(text)


_CONTAINER = re.compile(r"\s*(?:[\[({]|(?:np\.|numpy\.)?array\s*\()")


def decode_literal(text: str) -> tuple[Value, str]:
    """Return the list or record that a text spells, and how: `json`, `python` or `numpy`.

    Nobody may change it: it is the same one for the same text. Raises Unreadable for anything else.
    """
    if not _CONTAINER.match(text):
        raise Unreadable("neither a list nor a record")
    return _remembered(text) if len(text) <= _MEMORABLE else _decoded(text)


def _decoded(text: str) -> tuple[Value, str]:
    try:
        return decode_json(text), "json"
    except (ValueError, RecursionError):
        return _Literal(text).parse()


_MEMORABLE = 2000
"""Characters of the longest text that is remembered."""

_remembered = lru_cache(4096)(_decoded)
"""Detection reads each of its rows once for every candidate, in all of which most cells are the same."""

_TOKEN = re.compile(
    r"""(?P<space>\s*)(?:
      (?P<string>u?(?:'(?:[^'\\\r\n]|\\.)*'|"(?:[^"\\\r\n]|\\.)*"))
    | (?P<number>[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?))(?![\w.])
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
    "np.True_": Spelled("True"),
    "np.False_": Spelled("False"),
}
_CLOSING = {"[": "]", "(": ")"}
_ARRAYS = {"array", "np.array", "numpy.array"}
_SCALAR = re.compile(r"(?:np|numpy)\.(?:str_|u?int\d+|float\d+)")
_MAX_DEPTH = 8

Token = tuple[str, str, bool]
"""Kind, text, and whether white space stands before it."""


class _Literal:
    """A reader of Python literals and numpy's print of arrays.

    A Python list has a comma between all its items, numpy's print has white space alone. A list that
    mixes them is neither: Python would join the texts that stand side by side.
    """

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._style = "python"

    def parse(self) -> tuple[Value, str]:
        value = self._value(0)
        if self._at != len(self._tokens):
            raise Unreadable("text after the end of the list")
        return value, self._style

    def _peek(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "", False)

    def _next(self) -> Token:
        if self._at == len(self._tokens):
            raise Unreadable("the list does not end")
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, mark: str) -> None:
        if self._next()[:2] != ("mark", mark):
            raise Unreadable(f"{mark} is missing")

    def _value(self, depth: int) -> Value:
        kind, spelling, _ = self._next()
        if depth > _MAX_DEPTH:
            raise Unreadable("nested too deeply")
        if kind == "string":
            return _unescaped(spelling)
        if kind == "number":
            return Spelled(spelling)
        if kind == "word":
            return self._word(spelling, depth)
        if spelling in _CLOSING:
            return self._items(_CLOSING[spelling], depth)
        if spelling == "{":
            return self._pairs(depth)
        raise Unreadable("an elided list" if spelling == "..." else f"{spelling} is no value")

    def _word(self, word: str, depth: int) -> Value:
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if word in _ARRAYS:
            return self._array(depth)
        if not _SCALAR.fullmatch(word):
            raise Unreadable(f"{word} is no value")
        self._expect("(")
        value = self._value(depth + 1)
        self._expect(")")
        self._style = "numpy"
        return value

    def _items(self, closing: str, depth: int) -> list[Value]:
        items: list[Value] = []
        joints: list[str] = []
        while self._peek()[1] != closing:
            if items and len(joints) < len(items):
                # Nothing but white space joins the items of a print.
                if not self._peek()[2]:
                    raise Unreadable("two items side by side")
                joints.append(" ")
            items.append(self._value(depth + 1))
            if self._peek()[:2] == ("mark", ","):
                self._next()
                joints.append(",")
        self._next()
        self._check_joints(joints, len(items), closing)
        return items

    def _check_joints(self, joints: list[str], items: int, closing: str) -> None:
        kinds = set(joints)
        if len(kinds) > 1:
            raise Unreadable("a comma is missing between two items")
        if closing == ")" and items and kinds != {","}:
            raise Unreadable("a value in brackets is no list")
        if kinds == {" "}:
            self._style = "numpy"

    def _pairs(self, depth: int) -> dict[str, Value]:
        pairs: dict[str, Value] = {}
        while self._peek()[:2] != ("mark", "}"):
            key = self._value(depth + 1)
            if not isinstance(key, str) or key in pairs:
                raise Unreadable("a record whose names are no texts, or not distinct")
            self._expect(":")
            pairs[key] = self._value(depth + 1)
            if self._peek()[:2] != ("mark", "}"):
                self._expect(",")
        self._next()
        return pairs

    def _array(self, depth: int) -> Value:
        self._expect("(")
        value = self._value(depth + 1)
        while self._peek()[:2] == ("mark", ","):
            self._next()
            if self._next()[1] not in {"dtype", "shape"}:
                raise Unreadable("an array of more than its items")
            self._expect("=")
            if self._peek()[1] == "(":
                self._value(depth + 1)
            else:
                self._next()
        self._expect(")")
        self._style = "numpy"
        return value


def _tokens(text: str) -> Iterator[Token]:
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise Unreadable("neither JSON nor a Python literal")
        yield match.lastgroup, match[match.lastgroup], bool(match["space"])
        position = match.end()


_ESCAPE = re.compile(r"\\(?:([\\'\"nrt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|.)", re.DOTALL)
_SHORT = {"n": "\n", "r": "\r", "t": "\t"}


def _unescaped(token: str) -> str:
    body = token.removeprefix("u")[1:-1]
    return _ESCAPE.sub(_character, body) if "\\" in body else body


def _character(match: re.Match[str]) -> str:
    r"""The character of an escape that Python writes.

    It reads more of them (`\f`, `\b`), but where such a one stands, a person wrote LaTeX by hand.
    """
    short, *codes = match.groups()
    if short:
        return _SHORT.get(short, short)
    code = next((code for code in codes if code), None)
    if code is None or int(code, 16) > 0x10FFFF:
        raise Unreadable(f"{match[0]} is no escape that Python writes")
    return chr(int(code, 16))
