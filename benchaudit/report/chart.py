"""The chart of a report, for the Mermaid that GitHub draws itself: the worst slices, now, before, by chance.

A Mermaid text is read as a small language of its own, so names go in with every mark that it could
take for one of its own in full width. Each bar says in words what it is: in a mail, where nothing is
drawn, the text is a table of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchaudit.figures import change, percent, rounded
from benchaudit.markdown import MISSING, fence, shown
from benchaudit.models import SliceKey
from benchaudit.report.tables import Line
from benchaudit.tally import Direction, Tally

MOST_SLICES = 7
MOST_NAME = 36
"""Characters of a slice's name beside its bar."""

_CLAIMS = frozenset({"leak", "incomplete"})
_BOTH_WAYS = ("longest", "shortest")
_HARMLESS = frozenset(" -_.,/()+=:×…▲▼−")
_FULL_WIDTH = 0xFEE0  # from "!" to its full-width twin, and so on up to "~"

_WIDTH, _HEAD, _ROW = 900, 44, 28
_NOW, _BEFORE, _CHANCE = "#2f81f7", "#8c959f", "#e3672b"
"""Colours that can be told apart on white and on black; no bar is known by its colour alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A slice's rule: the rates at which it answers right now and before, and chance.

    `before` is None where nothing that matters changed.
    """

    key: SliceKey
    rule: str
    now: Fraction
    before: Fraction | None
    chance: Fraction


def chart(lines: Sequence[Line]) -> str:
    """A fence with the chart of the worst slices and of ALL; "" where no slice leaks or did."""
    pairs = [_pair(line) for line in worst_of(lines)]
    return fence(_xychart(pairs), "mermaid") if pairs else ""


def worst_of(lines: Sequence[Line], most: int = MOST_SLICES) -> list[Line]:
    """ALL, then at most so many slices with the largest leaks now or before; [] for no leak.

    Each stands there by its worst check. The largest leaks by the longest and by the shortest option
    are among them: two that point opposite ways are the news.
    """
    claims = sorted(filter(_claims, lines), key=lambda line: (-_size(line), repr(line.key), line.check))
    if not claims:
        return []
    first: dict[SliceKey, Line] = {}
    for line in claims:
        first.setdefault(line.key, line)
    whole = [max((line for line in lines if line.key == ()), key=lambda line: (_claims(line), _size(line)))]
    ranked = [line for key, line in first.items() if key]
    chosen = [line for check in _BOTH_WAYS for line in [x for x in ranked if x.check == check][:1]]
    chosen += [line for line in ranked if line not in chosen][: most - len(chosen)]
    return [line for line in whole if line.n] + sorted(chosen, key=ranked.index)


def _claims(line: Line) -> bool:
    old = line.change.old if line.change else None
    return line.judged.verdict in _CLAIMS or (old is not None and old.verdict in _CLAIMS)


def _size(line: Line) -> Fraction:
    """The larger of the gains now and before."""
    old = line.change.old if line.change else None
    return max(line.judged.gain, old.tally.gain) if old is not None else line.judged.gain


def _pair(line: Line) -> _Pair:
    """A line's rule is the one that leaks; where the leak is gone, the one that did."""
    old, tally = line.change.old if line.change else None, line.judged.tally
    leaks_now = line.judged.verdict in _CLAIMS or old is None or old.verdict not in _CLAIMS
    direction = line.judged.direction if leaks_now or old is None else old.direction
    now = _accuracy(tally, direction)
    moved = line.change is not None and line.change.material
    before = _accuracy(old.tally, direction) if moved and old is not None and old.tally.n else None
    return _Pair(
        key=line.key,
        rule=f"{direction} {line.check}{' (accepted)' if line.judged.accepted else ''}",
        now=now,
        before=before if before is not None and percent(before) != percent(now) else None,
        chance=tally.chance / tally.n if tally.n else Fraction(),
    )


def _accuracy(tally: Tally, direction: Direction) -> Fraction:
    right = tally.credit if direction == "pick" else tally.avoided
    return right / tally.n if tally.n else Fraction()


def _xychart(pairs: Sequence[_Pair]) -> str:
    """The text of the chart: a row for now and, where it was another, one for before, in two series."""
    labels: list[str] = []
    now: list[Fraction | None] = []
    before: list[Fraction | None] = []
    chance: list[Fraction] = []
    for pair, name in zip(pairs, _names([pair.key for pair in pairs]), strict=True):
        moved = f" {change(pair.now - pair.before)}" if pair.before is not None else ""
        labels.append(f"{name}, {pair.rule}: {percent(pair.now)}{moved}")
        now.append(pair.now)
        before.append(None)
        chance.append(pair.chance)
        if pair.before is not None:
            labels.append(f"{name}, before: {percent(pair.before)}")
            now.append(None)
            before.append(pair.before)
            chance.append(pair.chance)
    series = [f"bar {_numbers(now)}"]
    series += [f"bar {_numbers(before)}"] if any(value is not None for value in before) else []
    colours = [_NOW, *([_BEFORE] if len(series) > 1 else []), _CHANCE]
    quoted = ", ".join(f'"{label}"' for label in labels)
    return "\n".join(
        [
            f"%%{{init: {json.dumps(_looks(len(labels), colours))}}}%%",
            "xychart-beta horizontal",
            '  title "Right answers without reading the question, in %; the line is chance"',
            f"  x-axis [{quoted}]",
            "  y-axis 0 --> 100",
            *(f"  {line}" for line in [*series, f"line {_numbers(chance)}"]),
        ]
    )


def _looks(rows: int, colours: Sequence[str]) -> dict[str, object]:
    """Without numbers on the axis, bars begin at its line, and a bar that is not there takes no room."""
    return {
        "xyChart": {
            "width": _WIDTH,
            "height": _HEAD + _ROW * rows,
            "titleFontSize": 15,
            # Names that need more than the rest are not drawn at all, however wide a reader's fonts are.
            "plotReservedSpacePercent": 35,
            "xAxis": {"labelFontSize": 13, "showTick": False},
            "yAxis": {"showLabel": False, "showTick": False, "showAxisLine": False},
        },
        "themeVariables": {
            "xyChart": {"backgroundColor": "transparent", "plotColorPalette": ", ".join(colours)}
        },
    }


def _numbers(rates: Sequence[Fraction | None]) -> str:
    return f"[{', '.join('0' if rate is None else rounded(rate * 100) for rate in rates)}]"


def _names(keys: Sequence[SliceKey]) -> list[str]:
    """What slices are called beside their bars, each by another name: bars of one name would be one bar."""
    columns = {tuple(name for name, _ in key) for key in keys if key}
    names: list[str] = []
    for key in keys:
        name = plain_label(_name(key, with_columns=len(columns) > 1))
        again = sum(other == name or other.startswith(f"{name} (") for other in names)
        names.append(f"{name} ({again + 1})" if again else name)
    return names


def _name(key: SliceKey, *, with_columns: bool) -> str:
    parts = []
    for column, value in key:
        text = MISSING if value is None else value
        # A number, a truth value or nothing says little without its column.
        alone = not with_columns and len(text) > 1 and value not in {None, "True", "False"}
        parts.append(text if alone and not text.isdigit() else f"{column}: {text}")
    return " × ".join(parts) or "ALL"


def plain_label(text: str) -> str:
    """A text that is nothing but a name to Mermaid, at most `MOST_NAME` characters of it."""
    text = shown(text)
    text = text if len(text) <= MOST_NAME else f"{text[: MOST_NAME - 1]}…"
    return "".join(
        chr(ord(character) + _FULL_WIDTH)
        if character.isascii() and not character.isalnum() and character not in _HARMLESS
        else character
        for character in text
    )
