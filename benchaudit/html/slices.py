"""The table of slices of a page: each row as finished HTML, with what it is filtered and sorted by."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from markupsafe import Markup

from benchaudit.figures import change as moved
from benchaudit.figures import integer, plural, points, rounded, share
from benchaudit.html import svg
from benchaudit.html.page import each, from_markdown, scrolling
from benchaudit.markdown import MISSING, shown
from benchaudit.models import SliceKey
from benchaudit.report.tables import CHANGE_LEGEND, Line
from benchaudit.verdict import WORST_FIRST, Judged

PAGE_ROWS = 100
"""Rows that are shown at a time."""

_COLUMNS = (
    ("Slice", "name", False),
    ("Items", "n", True),
    ("Gold is", "check", False),
    ("Verdict", "rank", False),
    ("Best rule", "score", True),
    ("Chance", "chance", True),
    ("Gain", "gain", True),
    ("Among (95 %)", "among", True),
    ("Change", "change", True),
)
"""Columns: what stands at the head, the key to sort by, and whether the largest comes first."""


def slice_name(key: SliceKey) -> Markup:
    """What a slice is called."""
    named = Markup("<code>{}</code> = {}")
    parts = [
        named.format(shown(name), MISSING if v is None else Markup("<code>{}</code>").format(shown(v)))
        for name, v in key
    ]
    return Markup(", ").join(parts) if parts else Markup("<strong>ALL</strong>")


def plain_name(key: SliceKey) -> str:
    """The same without markup."""
    return ", ".join(f"{shown(name)} = {MISSING if v is None else shown(v)}" for name, v in key) or "ALL"


def words(judged: Judged) -> str:
    """A verdict as people read it."""
    said = judged.verdict.replace("-", " ")
    said = f"severe {said}" if judged.severe else said
    said = f"{said}, accepted" if judged.accepted else said
    if judged.detectable_gain is not None:
        return f"{said} (≥\N{NO-BREAK SPACE}{rounded(Fraction(judged.detectable_gain) * 100)})"
    return said


def row(line: Line, place: int, number: int) -> dict[str, Any]:
    """One slice and check; `place` decides between equals, `number` is that of the slice's details."""
    judged, tally, n = line.judged, line.judged.tally, line.judged.tally.n
    change = line.change.moved if line.change else None
    name = plain_name(line.key).lower()
    return {
        "html": _html(line, number),
        "place": place,
        "name": f"{name} {line.check}",
        "check": line.check,
        "verdict": judged.counts_as,
        "sort": {
            "name": name,
            "n": line.n,
            "check": line.check,
            "rank": judged.rank[0] * 2 + judged.rank[1],
            "score": _rate(tally.best, n),
            "chance": _rate(tally.chance, n),
            "gain": float(judged.gain) if n else None,
            "among": _rate(tally.among, n),
            "change": None if change is None else float(change),
        },
    }


def _rate(count: Fraction | int, n: int) -> float | None:
    return round(float(Fraction(count, n)), 9) if n else None


_ROW = Markup(
    '<tr class="{kind}"><td class="name"><button type="button" class="more" aria-expanded="false" '
    'aria-label="Details of {plain}, {check}" data-slice="{number}">▸</button> {name}</td>'
    '<td class="number">{items}</td><td>{check}</td><td class="badge">{words}</td>'
    '<td class="number">{rule} {score}</td><td class="number">{chance}</td><td class="number">{gain}</td>'
    '<td class="nowrap">{among}</td><td class="number">{change}</td></tr>'
)


def _html(line: Line, number: int) -> Markup:
    judged, tally, n = line.judged, line.judged.tally, line.judged.tally.n
    out = f" ({integer(line.left_out)} out)" if line.left_out else ""
    return _ROW.format(
        kind=judged.counts_as,
        plain=plain_name(line.key),
        name=slice_name(line.key),
        number=number,
        items=f"{integer(line.n)}{out}",
        check=line.check,
        words=words(judged),
        rule=judged.direction if n else "",
        score=share(tally.best, n),
        chance=share(tally.chance, n),
        gain=points(judged.gain) if n else "–",
        among=_among(judged),
        change=_change(line),
    )


def _change(line: Line) -> str:
    if line.change is None:
        return "–"
    return "new" if line.change.old is None else moved(line.change.moved)


def _among(judged: Judged) -> Markup:
    tally, interval = judged.tally, judged.interval(judged.tally.among)
    if interval is None:
        return Markup("–")
    drawn = svg.small(tally.among / tally.n, interval, float(tally.expected_among / tally.n))
    ends = "–".join(rounded(Fraction(end) * 100) for end in interval)
    return Markup("{}{} ({})").format(drawn, share(tally.among, tally.n), ends)


_SECTION = Markup(
    '<section aria-labelledby="slices"><h2 id="slices" tabindex="-1">Slices</h2>'
    '<form id="filters" class="filters" hidden>'
    '<label>Find <input type="search" name="words" autocomplete="off"></label>'
    "<label>Verdict {verdicts}</label><label>Gold is {checks}</label>"
    '<output name="count" aria-live="polite"></output></form>{table}{legend}{without}'
    '<p class="pager"><button type="button" id="more" class="more" hidden>Show more</button></p></section>'
)
_HEAD = (
    '<th scope="col" class="{kind}" data-key="{key}" data-down="{down}">'
    '<button type="button">{title}</button></th>'
)


def section(lines: Sequence[Line], rows: Sequence[dict[str, Any]]) -> Markup:
    """The filters and the table, which has its first rows without JavaScript too."""
    heads = each(
        _HEAD,
        (
            {
                "title": title,
                "key": key,
                "down": str(down).lower(),
                "kind": "number" if down and key != "among" else "text",
            }
            for title, key, down in _COLUMNS
        ),
    )
    body = Markup("").join(row["html"] for row in rows[:PAGE_ROWS])
    table = Markup('<table id="rows"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>').format(heads, body)
    missing = f"{plural(len(rows) - PAGE_ROWS, 'more row')} need JavaScript; the JSON report has them all."
    present = {line.judged.counts_as for line in lines}
    moved_at_all = any(line.change and line.change.moved for line in lines)
    legend = Markup('<div class="hint">{}</div>').format(from_markdown(CHANGE_LEGEND)) if moved_at_all else ""
    return _SECTION.format(
        legend=legend,
        verdicts=_select("verdict", [name for name in WORST_FIRST if name in present]),
        checks=_select("check", list(dict.fromkeys(line.check for line in lines))),
        table=scrolling(table, "Table of slices"),
        without=Markup("<noscript><p>{}</p></noscript>").format(missing) if len(rows) > PAGE_ROWS else "",
    )


def _select(name: str, values: Sequence[str]) -> Markup:
    options = each(
        '<option value="{value}">{said}</option>',
        ({"value": value, "said": value.replace("-", " ")} for value in values),
    )
    return Markup('<select name="{}"><option value="">any</option>{}</select>').format(name, options)
