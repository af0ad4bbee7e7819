"""Markdown: text that is shown and never acts, and what a finished body really says.

Everything that comes from a dataset, a commit or a person is untrusted. It is shown as code: there
GitHub makes no mention, reference, link or tag of it. A body is parsed again before it is sent.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

MISSING = "(missing)"
_ACTIVE = re.compile(r"[`|\\\n\r]")
_STRUCTURE = frozenset({"heading_open", "table_open", "html_block", "fence", "tr_open", "hr", "code_block"})


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def code(text: str, most: int = 120) -> str:
    """`text` as inline code, at most so many characters of it, inert wherever it stands.

    A code span where that is enough; where the text has what ends one or splits a table's cell, a
    `code` element with every mark as a character reference.
    """
    text = shown(text)
    if len(text) > most:
        text = text[: most - 1] + "…"
    if text and not _ACTIVE.search(text) and text == text.strip():
        return f"`{text}`"
    referenced = "".join(
        character
        if character.isalnum() and character.isascii() or ord(character) > 127
        else f"&#{ord(character)};"
        for character in text
    )
    return f"<code>{referenced}</code>"


def shown(text: str) -> str:
    """`text` with what cannot be seen spelled out, so that nothing reorders or hides the rest."""
    return "".join(
        character
        if character == " " or unicodedata.category(character)[0] not in "CZ"
        else _spelled(character)
        for character in text
    )


def _spelled(character: str) -> str:
    return {"\n": "⏎", "\t": "⇥"}.get(character, f"\\u{ord(character):04x}")


def plain(text: str, most: int = 200) -> str:
    """`text` for a place that takes no Markdown, such as a title: what could refer to anybody is broken."""
    text = shown(text)[:most]
    return re.sub(
        r"([@#])|\b(GH)(-)(?=\d)", lambda match: "\u200b".join(filter(None, match.groups())) + "\u200b", text
    )


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; numbers stand to the right."""
    rows = list(rows)
    columns = range(len(header))
    numeric = [bool(rows) and all(_is_figure(row[column]) for row in rows) for column in columns]
    rule = ["---:" if number else "---" for number in numeric]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, rule, *rows])


def _is_figure(cell: str) -> bool:
    return re.match(r"[\d+−▲▼=–]", cell) is not None


def tables(markdown: str) -> list[list[list[str]]]:
    """The tables of a text: rows of cells, as a reader sees them."""
    found: list[list[list[str]]] = []
    for token in _parser().parse(markdown):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and found and found[-1] and token.level >= 3:
            found[-1][-1].append(_visible(token))
    return found


def _visible(inline: Token) -> str:
    return "".join(
        child.content for child in inline.children or () if child.type not in {"html_inline", "softbreak"}
    )


def fence(text: str, language: str = "") -> str:
    """`text` as a block of code whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def folded(summary: str, inside: str) -> str:
    """A part that is closed until somebody opens it."""
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def comments(markdown: str) -> list[str]:
    """The HTML comments that stand as blocks of their own; a copy inside a fence or a list is none."""
    return [
        token.content.strip()
        for token in _parser().parse(markdown)
        if token.type == "html_block" and token.level == 0 and token.content.startswith("<!--")
    ]


def structure(markdown: str) -> Counter[str]:
    """How many headings, tables, rows, fences and HTML blocks a text has."""
    return Counter(token.type for token in _parser().parse(markdown) if token.type in _STRUCTURE)


def code_blocks(markdown: str, language: str) -> list[str]:
    """The contents of the fences with this language."""
    return [
        token.content
        for token in _parser().parse(markdown)
        if token.type == "fence" and token.info == language
    ]
