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
from typing import TYPE_CHECKING

from benchaudit.errors import RenderError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MISSING = "(missing)"
_ACTIVE = re.compile(r"[`|]|\]:")
"""What ends a code span, splits a table's cell, or makes a definition of a line that begins with a link."""

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""What Unicode counts as letters, marks and symbols, and fonts draw as nothing."""

_STRUCTURE = frozenset(
    {
        "heading_open",
        "table_open",
        "tr_open",
        "html_block",
        "html_inline",
        "fence",
        "code_block",
        "hr",
        "image",
    }
)
_OUR_TAGS = frozenset({"<code>", "</code>", "<wbr>", "<sub>", "</sub>"})
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # for bodies alone: most who show text never read one

    return MarkdownIt("commonmark").enable("table")


@cache
def _blocks() -> MarkdownIt:
    """A parser that tells blocks apart and does not look into their lines, which takes most of the time."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


def code(text: str, most: int = 120) -> str:
    """`text` as inline code, at most so many characters of it, inert wherever it stands.

    A code span where that is enough, else a `code` element with every mark as a character reference.
    There GitHub would still find an e-mail address, which it looks for last of all; so the text is
    parted in front of an `@`.
    """
    text = _cut(shown(text), most)
    if text and not _ACTIVE.search(text) and text == text.strip():
        return f"`{text}`"
    referenced = "".join(
        character
        if ord(character) > 127 or (character.isascii() and character.isalnum())
        else f"&#{ord(character)};"
        for character in text
    )
    return f"<code>{referenced.replace('&#64;', '<wbr>&#64;')}</code>"


def prose(text: str, most: int = 500) -> str:
    """`text` as words where it is nothing but words; as code where anything in it could mean more."""
    words = re.fullmatch(r"(?:[\w ,.;()'’–%-]|:(?= ))*", text)
    if words and not re.search(r"_|(?i:gh-|www\.)|[0-9a-f]{7}", text):
        return _cut(shown(text), most)
    return code(text, most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def shown(text: str) -> str:
    r"""`text` with what cannot be seen spelled out, so that nothing reorders or hides the rest.

    A line end is `⏎`, a tab `⇥`; controls, formatting and unassigned characters, surrogates, white
    space other than the blank, and fillers are `\u200b` or `\U000e0001`. All else stays as it is.
    """
    return "".join(_spelled(character) if _unseen(character) else character for character in text)


def _unseen(character: str) -> bool:
    if character == " ":
        return False
    return unicodedata.category(character)[0] in "CZ" or character in _INVISIBLE


def _spelled(character: str) -> str:
    number = ord(character)
    escape = f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
    return {"\n": "⏎", "\t": "⇥"}.get(character, escape)


def plain(text: str, most: int = 200) -> str:
    """At most so many characters of `text` for a place that takes no Markdown, such as a title.

    What could refer to anybody, to an issue, a commit or an address is broken by spaces without width.
    """
    return re.sub(
        r"[@#]|\bGH(?=-\d)|:(?=//)|\b[0-9a-f]{7}(?=[0-9a-f]{33}\b)",
        lambda match: f"{match[0]}\u200b",
        _cut(shown(text), most),
        flags=re.IGNORECASE,
    )


def link(name: str, address: str) -> str:
    """A name that is Markdown already, linked where the address cannot end its link or spell a character."""
    safe = re.fullmatch(r"https?://(?:[\w.~:/?#@!$&*+,=-]|%[\dA-Fa-f]{2})+", address, re.ASCII)
    return f"[{name}]({address})" if safe else name


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; numbers stand to the right.

    Raises RenderError for a cell that would break out of its place.
    """
    rows = list(rows)
    for cell in (cell for row in [header, *rows] for cell in row):
        if not {"|", "\n", "\r"}.isdisjoint(cell):
            raise RenderError(f"a cell would break its table: {cell!r}", todo="report this")
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


def words(markdown: str) -> str:
    """A text of ours as its words alone, a line for each paragraph and each entry of a list."""
    return "\n".join(_visible(token) for token in _parser().parse(markdown) if token.type == "inline")


def html(markdown: str) -> str:
    """A text of ours as HTML. What in it comes from a dataset must have gone through `code` or `prose`.

    Cells that stand to the right have the class `number`: a page with a strict policy has no styles
    in its elements.
    """
    tokens = _parser().parse(markdown)
    for token in tokens:
        if token.attrs.pop("style", None) == "text-align:right":
            token.attrs["class"] = "number"
    return str(_parser().renderer.render(tokens, _parser().options, {}))


def fence(text: str, language: str = "") -> str:
    """`text` as a block of code whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def folded(summary: str, inside: str) -> str:
    """A part that is closed until somebody opens it."""
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def comment_places(markdown: str) -> list[slice]:
    """Where HTML comments stand as blocks of their own, each with its whole lines.

    A copy inside a fence or a list is none.
    """
    starts = [0, *(line.end() for line in _LINE.finditer(markdown))]
    return [
        slice(starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)])
        for token in _blocks().parse(markdown)
        if token.type == "html_block" and token.level == 0 and token.map and token.content.startswith("<!--")
    ]


def structure(markdown: str) -> Counter[str]:
    """How many headings, tables, rows, fences, pictures and pieces of HTML a text has.

    The tags of which a report makes use inside a line are not counted.
    """
    tokens = _parser().parse(markdown)
    inline = [child for token in tokens for child in token.children or ()]
    return Counter(
        token.type
        for token in [*tokens, *inline]
        if token.type in _STRUCTURE and token.content not in _OUR_TAGS
    )


def code_blocks(markdown: str, language: str) -> list[str]:
    """The contents of the fences with this language."""
    return [
        token.content
        for token in _parser().parse(markdown)
        if token.type == "fence" and token.info == language
    ]
