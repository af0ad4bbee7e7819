r"""List cells in SQL: the plain spellings of a list of texts, told by regular expressions that match in full.

`literal.py` is the definition. What is decoded here is spelled so plainly that JSON or a Python literal can
mean but one thing by it: texts between quotes, `, ` between texts, nothing else. A text may hold no
backslash, but in JSON the escapes that stand for one character.
"""

from __future__ import annotations

from benchaudit.reading.engine import literal

_SINGLE, _DOUBLE = r"'[^'\\\r\n]*'", r'"[^"\\\r\n]*"'
_PLAIN = r'"[^"\\\x00-\x1f]*"'
_CODE = r"(?:[1-9a-cefA-CEF][0-9a-fA-F]{3}|0[1-9a-fA-F][0-9a-fA-F]{2}|00[2-9a-fA-F][0-9a-fA-F])"
"""The number of a character that is no half of a surrogate pair and no control character."""

_JSON = rf'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u{_CODE}))*"'
_ANY = f"(?:{_SINGLE}|{_DOUBLE})"

STYLES = ("python", "json", "json", "python")
"""How each form is spelled, in the words of `cells.Cell`: what can be JSON is."""


def form_of(cell: str) -> str:
    """SQL for the form of a list cell, counted from 1; NULL where the definition has to read it."""
    patterns = (
        rf"\[{_SINGLE}(?:, {_SINGLE})*\]",
        rf"\[{_PLAIN}(?:, {_PLAIN})*\]",
        rf"\[{_JSON}(?:, ?{_JSON})*\]",
        rf"\[{_ANY}(?:, {_ANY})*\]",
    )
    cases = " ".join(
        f"WHEN regexp_full_match({cell}, {literal(pattern)}) THEN {form}"
        for form, pattern in enumerate(patterns, start=1)
    )
    return f"CASE {cases} END"


def texts_of(cell: str, form: str) -> str:
    """SQL for the texts of a list cell of a known form."""
    # Between two texts, and nowhere in one, stand their quotes with a comma: what is left of the cell
    # without its ends can be split there.
    return f"""CASE {form}
        WHEN 1 THEN string_split({cell}[3:-3], {literal("', '")})
        WHEN 2 THEN string_split({cell}[3:-3], {literal('", "')})
        WHEN 3 THEN from_json({cell}, '["VARCHAR"]')
        WHEN 4 THEN list_transform(regexp_extract_all({cell}, {literal(_ANY)}), lambda text: text[2:-2])
        END"""
