"""Texts that would act if a report let them, and the reader that sees whether one did.

A dataset, a commit or a person can bring any of these. They are made of parts, so that what is tried
is each way to act in each surrounding that could set it free.
"""

from __future__ import annotations

import html.parser
import json
import re
from collections import Counter
from dataclasses import dataclass, field

import cmarkgfm
from cmarkgfm.cmark import Options
from markdown_it import MarkdownIt

from benchaudit.markers import marker
from tests.support import SHARED

SHA = "395df8f7c51f007019cb30201c49e884b46b92fa"

# Many short texts, many to a line.
# fmt: off
REFERENCES = (
    "@user", "@example-org/team", "@everyone", "#12", "GH-7", "gh-7", "o/r#3", f"o/r@{SHA}", SHA, "fixes #5",
    "Closes: o/r#5", "https://example.org/o/r/issues/9", "http://example.org", "www.example.org", ":tada:",
    "a@example.org", "mailto:a@example.org", "ftp://example.org/x", "<https://example.org>",
    "<a@example.org>",
)
"""What notifies somebody, refers to something or becomes a link where it stands as plain text."""

MARKDOWN = (
    "[ok](https://example.org)", "![i](https://example.org/p.png)", "[x]: https://example.org", "[x][y]",
    "[^1]", "# Heading", "## ✅ No leak found", "Heading\n===", "Heading\n---", "***", "* * *", "> quoted",
    "- [x] done", "1. one", "**bold**", "__bold__", "~~struck~~", "_it_", "\\", "\\\\", "\\|", "\\`", "a\\",
    "$x^2$", "$`x`$", "&lt;b&gt;", "&#64;user", "&commat;user", "&NewLine;# x", "$$\nx\n$$", "line  \nbreak",
    "tab\there", "    code",
)
"""What Markdown makes something of."""

HTML = (
    "<b>", "</b>", "<img src=x>", "<img\nsrc=x>", "<script>alert(1)</script>", "<a href='//x'>y</a>",
    "foo<T>(): T", "<svg/onload=x>", "<details>", "</details>", "</details>\n\n# No findings", "<summary>",
    "</summary>", "</code>", "</td></tr></table>", "<table>", "<style>*{display:none}</style>",
    "<iframe src=x>", "<input type=checkbox>", "<!--", "-->", "a --> b", "<!-- open comment", "<!-->",
    "<!--->", "<![CDATA[", "]]>", "<?php", "?>", "<br>", "<!DOCTYPE x>", "<pre>", "</pre>", "<textarea>",
    "<plaintext>", "<xmp>", "<h1>x</h1>", "<base href=//x>", "<wbr>",
)
"""What HTML makes something of."""

OURS = (
    marker("example-org/evil"), marker("owner/name"), "<!-- benchaudit:v1 dataset=",
    "<!-- benchaudit:notes -->", "<!-- benchaudit:state:v1\nAAAA\n-->", "<!-- benchaudit:state:v9 QUJD -->",
    "<!-- benchaudit:comment revision=0 -->", f"{marker('owner/name')}\n<!-- benchaudit:state:v1\nAAAA\n-->",
    "**Severe leak.**", "**ALL**",
)
"""What this project writes itself."""

BREAKERS = (
    "```", "```\nnot code\n```", "````md\n# Heading\n````", "~~~\nz\n~~~", "`", "``", "` `", "`a`", "|",
    "| a | b |", "a|b", "| --- |", "\n\n# x", "\r", "\r\n# x", "a\rb", "\n| x |", "\0", "\x1b[31m",
    "\x1b]8;;x\x07", "\x85", "\u2028# x", "\u2029", "\u202e", "\u2066", "\u200b", "\u00ad", "\ufeff",
    "\U000e0041", "\u3000", "\u00a0", "\ud800", "\u0300" * 30, "\uffff", "\U0010ffff", "\ufdd0", "\u115f",
    "\u2800", "👩‍👩‍👧", "🇪🇺", "❤️", "é", "שלום", "مرحبا", "日本語", "", " ", "  a ", "a  b",
)
"""What ends, hides, reorders or splits the place in which it stands."""

COMMANDS = (
    "::error::x", " ::error::x", "\t::warning file=a::x", "##[error]x", "x ##[group]y",
    "::set-output name=a::b", "::add-mask::a", "::stop-commands::t", "::endgroup::", "a\n::error::x",
    "a\r::error::x", "%0A::error::x", "%25", "${{ secrets.GITHUB_TOKEN }}", "$placeholder", "${verdict}",
    "$$", "$", "$(id)", "`id`", "{{ x }}", "{% x %}", "<%= x %>", "{0}", "{x!r}", "%s", "%", "%(x)s", "EOF",
    "verdict<<EOF\nleak\nEOF", "verdict=none-found", "';--",
)
"""What a runner, a template or a shell makes something of."""
# fmt: on

_SURROUNDINGS = ("\n{}", "a`{}", "|{}", "<i>{}")
"""Texts in which a careless escape leaves the rest alone."""

PARTS = (*REFERENCES, *MARKDOWN, *HTML, *OURS, *BREAKERS, *COMMANDS)


def corpus() -> list[str]:
    """Every part by itself, and the parts that act by themselves in each surrounding."""
    acting = (*REFERENCES, *HTML[:12], *BREAKERS[:8], "::error::x", "##[error]x")
    wrapped = [around.format(part) for part in acting for around in _SURROUNDINGS]
    return list(dict.fromkeys([*PARTS, *wrapped, *_shared()]))


def _shared() -> list[str]:
    """The samples of the field reports, where they are beside this checkout."""
    files = [SHARED / "cases" / case / "test.jsonl" for case in ("R37", "R39")]
    lines = [
        line for file in files if file.is_file() for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return [json.loads(line)["question"] for line in lines if line.strip()]


_ACTS = re.compile(
    r"@[\w-]|(?<!&)#\d|\bgh-\d|\b[0-9a-f]{40}\b|https?:|www\.|mailto:|:\w+:|\w@\w", re.IGNORECASE
)
"""What GitHub would act on in text that is no code."""


@dataclass
class Seen(html.parser.HTMLParser):
    """What a browser is given: tags by name, addresses, comments, and text in code and elsewhere."""

    tags: Counter[str] = field(default_factory=Counter)
    addresses: set[str] = field(default_factory=set)
    comments: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "wbr":
            return
        self.tags[tag] += 1
        self.addresses |= {value or "" for name, value in attrs if name in {"href", "src"}}
        self.open.append(tag)
        if tag == "code":
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_decl(self, decl: str) -> None:
        self.tags[f"!{decl}"] += 1

    def unknown_decl(self, data: str) -> None:
        self.tags[f"!{data}"] += 1

    def handle_pi(self, data: str) -> None:
        self.tags[f"?{data}"] += 1

    def handle_data(self, data: str) -> None:
        if "code" in self.open:
            self.code[-1] += data
        else:
            self.prose.append(data)

    @property
    def acting(self) -> list[str]:
        """What stands outside code and would act on GitHub."""
        return [found[0] for found in map(_ACTS.search, self.prose) if found]


def _with_cmark(markdown: str) -> str:
    return cmarkgfm.markdown_to_html_with_extensions(
        markdown,
        options=Options.CMARK_OPT_UNSAFE,
        extensions=["table", "autolink", "strikethrough", "tasklist"],
    )


def _with_markdown_it(markdown: str) -> str:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)


RENDERERS = {"cmark-gfm": _with_cmark, "markdown-it": _with_markdown_it}
"""GitHub's own renderer, which links addresses too, and an independent one."""


def seen(markdown: str, renderer: str) -> Seen:
    """What a reader is given of a text. AssertionError where tags do not close what they opened."""
    reader = Seen()
    reader.feed(RENDERERS[renderer](markdown))
    reader.close()
    assert not reader.open, f"left open: {reader.open}"
    return reader
