"""The frame of a page: head, Content-Security-Policy, style, script and data around a main part."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from markupsafe import Markup, escape

from benchaudit import __version__, markdown
from benchaudit.markdown import shown
from benchaudit.report.templates import Templates

_ENDS_A_SCRIPT = re.compile(r"<(?=/?script|!--)", re.IGNORECASE)


def page(
    title: str, about: str, main: Markup, templates: Templates, data: Mapping[str, Any] | None = None
) -> str:
    """A page that asks for nothing: what it may run and how it looks is named by digests in its policy.

    `data` is what the script shows. Raises SettingsError for a template that cannot be filled.
    """
    style, script = templates.text("report.css"), templates.text("report.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    text = templates.fill_text(
        "report.html",
        templates.text("report.html"),
        policy=policy,
        title=escape(f"benchaudit: {shown(title)}"),
        heading=escape(shown(title)),
        about=escape(shown(about)),
        main=main,
        footer=escape(f"benchaudit {__version__}"),
        style=style,
        script=script,
        data=_data(data or {}),
    )
    # A lone surrogate, as in a file name that is no UTF-8, cannot be written.
    return text.encode(errors="replace").decode()


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _data(content: Mapping[str, Any]) -> str:
    """JSON that neither ends the element that holds it nor opens another inside."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return _ENDS_A_SCRIPT.sub(r"\\u003c", text)


def from_markdown(text: str) -> Markup:
    """Markdown of ours as HTML; what it quotes of a dataset is code already, and inert."""
    return Markup(markdown.html(text))  # noqa: S704 - `markdown.code` and `prose` have made it safe


def each(template: str, entries: Iterable[Mapping[str, Any]]) -> Markup:
    """A piece of HTML for each of several entries; values go in escaped."""
    piece = Markup(template)  # noqa: S704 - templates are constants of this room
    return Markup("").join(piece.format(**entry) for entry in entries)


def head(titles: Iterable[str], numbers: frozenset[str] = frozenset()) -> Markup:
    """The head of a small table; the columns of `numbers` stand to the right."""
    cells = each(
        '<th scope="col" class="{kind}">{title}</th>',
        ({"title": title, "kind": "number" if title in numbers else "text"} for title in titles),
    )
    return Markup("<thead><tr>{}</tr></thead>").format(cells)


def scrolling(inside: Markup, label: str) -> Markup:
    """A part that scrolls sideways where it is too wide, with the keyboard too."""
    return Markup('<div class="scroll" tabindex="0" role="region" aria-label="{}">{}</div>').format(
        label, inside
    )
