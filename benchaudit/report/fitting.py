"""A filled template that fits where it goes, and that says nothing but what was meant.

Markdown has no types, so the promise is held the other way round: what each placeholder may bring
is written down here, and the finished text is parsed and counted before anybody sees it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchaudit.errors import RenderError
from benchaudit.markdown import structure
from benchaudit.report.templates import Templates

_TABLE = Counter(table_open=1)
_FOLD = Counter(html_block=2)
_MAY_BRING: Mapping[str, Counter[str]] = {
    "chart": Counter(fence=1),
    "slices": _TABLE,
    "quiet": _TABLE + _FOLD,
    "left_out": _TABLE,
    "findings": _TABLE + Counter(heading_open=1),
    "measured": _TABLE,
    "snippet": _FOLD + Counter(fence=1),
    "history": _TABLE + _TABLE,
    "steps": _TABLE,
    "rows": _TABLE,
}
"""What a placeholder may bring beside paragraphs, lists and quotations; rows come with a table."""

_MAKE_ROOM = ("snippet", "history", "findings", "chart", "left_out", "measured")
"""Placeholders that go, in this order, where a text is too long even without a row."""

_NO_ROOM = "*There is no room for this here; the JSON report of the run (output `report`) has it all.*"
_LEAST_ROW = 40
"""Characters that no row of a slice table can do without: its frame and eleven cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A template to be filled below a head of our own, to at most so many characters in all."""

    template: str
    templates: Templates
    most: int
    head: str = ""

    def fill(self, parts: Mapping[str, str], rows: Callable[[int], Mapping[str, str]], total: int) -> str:
        """Fill the template with as many rows as fit; where none does, without the parts that make room.

        `rows` makes the placeholders that hold rows from the number of rows that may be shown, of
        `total`. Raises RenderError where the text stays too long or is not what was meant.
        """
        shown, gone = min(total, self.most // _LEAST_ROW), 0
        while True:
            values = {**parts, **rows(shown), **self._dropped(parts, gone)}
            text = self.head + self.templates.fill(self.template, **values)
            if len(text) <= self.most:
                self._check(text, values)
                return text
            if shown:
                shown = min(shown - 1, shown * self.most // len(text))
            elif gone < len(_MAKE_ROOM):
                gone += 1
            else:
                raise RenderError(
                    f"the text is {len(text):,} characters long, {self.most:,} are the most",
                    where=self.template,
                    todo="name fewer files, or shorten the template",
                )

    @staticmethod
    def _dropped(parts: Mapping[str, str], gone: int) -> dict[str, str]:
        return dict.fromkeys((name for name in _MAKE_ROOM[:gone] if parts.get(name)), _NO_ROOM)

    def _check(self, text: str, values: Mapping[str, str]) -> None:
        """Refuse a text in which a value brought, opened or swallowed more than it may."""
        empty = self.templates.fill(self.template, **dict.fromkeys(values, ""))
        meant = structure(self.head) + structure(empty)
        for name, times in self.templates.uses(self.template).items():
            brought = structure(values[name])
            rows = Counter(tr_open=brought["tr_open"])
            if brought - _MAY_BRING.get(name, Counter()) - rows:
                self._refuse(f"${name} brought {_said(brought)}")
            for kind, count in brought.items():
                meant[kind] += times * count
        if structure(text) != meant:
            self._refuse(f"the text has {_said(structure(text))} where {_said(meant)} were meant")

    def _refuse(self, what: str) -> None:
        raise RenderError(what, where=self.template, todo="report this; nothing was written")


def _said(counted: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counted.items())) or "no structure"
