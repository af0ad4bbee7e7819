"""Pictures of a page, as SVG that is made once: rates with their intervals, histories, lengths of options.

All of a picture's looks come from the page's style sheet by classes, so that it follows dark mode and
paper, and a strict Content-Security-Policy has nothing to forbid. Text goes in escaped.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

Rate = float
"""A rate from 0 to 1; a picture needs no more digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One row of a chart: a rate, its interval, what was to be expected, and what it was before."""

    label: str
    said: str
    rate: Rate
    interval: tuple[Rate, Rate]
    expected: Rate
    before: Rate | None = None
    kind: str = ""


_ROW, _LEFT, _PLOT, _RIGHT, _TOP = 26, 340, 460, 100, 30
_TICKS = (0, 25, 50, 75, 100)
_AXIS = Markup(
    '<line class="grid" x1="{x}" x2="{x}" y1="{top}" y2="{foot}"/>'
    '<text class="tick" x="{x}" y="{y}">{tick} %</text>'
)


def chart(bars: Sequence[Bar], title: str) -> Markup:
    """A chart of many rates, one to a row, over an axis from 0 to 100 per cent."""
    height = _TOP + _ROW * len(bars) + 6
    axis = Markup("").join(
        _AXIS.format(x=_x(tick / 100), top=_TOP - 8, foot=height - 6, y=_TOP - 14, tick=tick)
        for tick in _TICKS
    )
    rows = Markup("").join(_row(bar, _TOP + _ROW * number) for number, bar in enumerate(bars))
    return Markup(
        '<svg class="chart" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">{axis}{rows}</svg>'
    ).format(width=_LEFT + _PLOT + _RIGHT, height=height, title=title, axis=axis, rows=rows)


def clipped(text: str, most: int) -> str:
    """A text that is at most so many Latin letters wide; what is wide in the East counts twice."""
    room = most
    for place, character in enumerate(text):
        room -= 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if room < 0 or (room == 0 and place < len(text) - 1):
            return f"{text[:place]}…"
    return text


def _x(rate: Rate) -> str:
    return f"{_LEFT + _PLOT * rate:.1f}"


def _row(bar: Bar, top: int) -> Markup:
    middle = top + _ROW / 2
    before = (
        Markup('<circle class="before" cx="{}" cy="{}" r="5"/>').format(_x(bar.before), middle)
        if bar.before is not None
        else ""
    )
    low, high = bar.interval
    return Markup(
        '<g class="row {kind}"><title>{label}: {said}</title>'
        '<text class="name" x="{name_x}" y="{text_y}">{label}</text>'
        '<line class="expected" x1="{expected}" x2="{expected}" y1="{y1}" y2="{y2}"/>'
        '<line class="interval" x1="{low}" x2="{high}" y1="{middle}" y2="{middle}"/>{before}'
        '<circle class="rate" cx="{rate}" cy="{middle}" r="5"/>'
        '<text class="said" x="{said_x}" y="{text_y}">{said}</text></g>'
    ).format(
        kind=bar.kind,
        label=bar.label,
        said=bar.said,
        name_x=_LEFT - 10,
        said_x=_LEFT + _PLOT + 10,
        text_y=middle + 4,
        expected=_x(bar.expected),
        y1=top + 3,
        y2=top + _ROW - 3,
        low=_x(low),
        high=_x(high),
        middle=middle,
        before=before,
        rate=_x(bar.rate),
    )


_SMALL = 140


def small(rate: Rate, interval: tuple[Rate, Rate], expected: Rate) -> Markup:
    """A rate with its interval for a cell of a table, beside the figures that it draws."""
    low, high = (f"{2 + (_SMALL - 4) * end:.1f}" for end in interval)
    return Markup(
        '<svg class="small" viewBox="0 0 {width} 16" aria-hidden="true">'
        '<line class="track" x1="0" x2="{width}" y1="8" y2="8"/>'
        '<line class="expected" x1="{expected}" x2="{expected}" y1="1" y2="15"/>'
        '<line class="interval" x1="{low}" x2="{high}" y1="8" y2="8"/>'
        '<circle class="rate" cx="{rate}" cy="8" r="3.5"/></svg>'
    ).format(
        width=_SMALL,
        expected=f"{2 + (_SMALL - 4) * expected:.1f}",
        low=low,
        high=high,
        rate=f"{2 + (_SMALL - 4) * rate:.1f}",
    )


_SPARK_WIDTH, _SPARK_HEIGHT = 160, 32


def sparkline(rates: Sequence[Rate | None], chance: Sequence[Rate | None], title: str) -> Markup:
    """Rates over revisions, from 0 to 100 per cent, and chance; where one is missing, the line is broken."""
    step = (_SPARK_WIDTH - 8) / max(1, len(rates) - 1)

    def at(number: int) -> str:
        return f"{4 + step * number:.1f}"

    def high(rate: Rate) -> str:
        return f"{_SPARK_HEIGHT - 4 - (_SPARK_HEIGHT - 8) * rate:.1f}"

    def path(values: Sequence[Rate | None]) -> str:
        pen, drawn = "M", []
        for number, value in enumerate(values):
            if value is not None:
                drawn.append(f"{pen}{at(number)} {high(value)}")
            pen = "M" if value is None else "L"
        return " ".join(drawn)

    dots = Markup("").join(
        Markup('<circle class="rate" cx="{}" cy="{}" r="{}"/>').format(
            at(number), high(rate), "3" if number == len(rates) - 1 else "1.8"
        )
        for number, rate in enumerate(rates)
        if rate is not None
    )
    return Markup(
        '<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}"><path class="chance" d="{}"/>'
        '<path class="line" d="{}"/>{}</svg>'
    ).format(_SPARK_WIDTH, _SPARK_HEIGHT, title, path(chance), path(rates), dots)


def lengths(counts: Sequence[int]) -> list[Markup]:
    """A bar for each option, as long as the option is beside the longest of its item."""
    longest = max([*counts, 1])
    return [
        Markup(
            '<svg class="length" viewBox="0 0 200 10" preserveAspectRatio="none" aria-hidden="true">'
            '<rect width="{}" height="10"/></svg>'
        ).format(f"{200 * count / longest:.1f}")
        for count in counts
    ]
