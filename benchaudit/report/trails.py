"""The worst slices over the revisions of an issue's short history: what is remembered, and shown. Pure.

A few slices are followed, ALL among them, each by the check that was its worst when it came in. What is
kept of a revision is what was printed of it: two short texts a slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from benchaudit.compare import Comparison
from benchaudit.figures import plain, sparkline
from benchaudit.headlines import Glimpse, Headline, Place
from benchaudit.markdown import table
from benchaudit.report.chart import worst_of
from benchaudit.report.tables import Line, slice_name
from benchaudit.tally import Tally
from benchaudit.verdict import Audit, Name

MOST_FOLLOWED = 8
MOST_NAME = 200
"""Characters of a slice's columns and values: a longer name would cost more than it tells."""


def followed(
    history: Sequence[Headline],
    entry: Headline,
    audit: Audit,
    comparison: Comparison | None,
    lines: Sequence[Line],
) -> tuple[Headline, ...]:
    """A history with its new last line, and what is known of the slices that are worth following.

    Those are the worst now, then those that were before. Of the revision that was compared with, the
    figures are at hand; of still earlier ones a slice that comes in now has none.
    """
    places = _places(history, lines)
    now = {(part.key, name): judged for part in audit.slices for name, judged in part.checks.items()}
    known = {
        place: glimpse
        for place in places
        if place in now
        and (glimpse := _glimpse(now[place].tally, now[place].counts_as, severe=now[place].counts_severe))
    }
    earlier = [_kept(line, places, comparison) for line in history]
    return (*earlier, replace(entry, rates=known))


def _places(history: Sequence[Headline], lines: Sequence[Line]) -> list[Place]:
    """What is followed: the worst lines now, ALL before all, then what was followed so far."""
    worst = worst_of(lines) or [line for line in lines if not line.key][:1]
    before = [place for line in reversed(history) for place in line.rates]
    candidates = dict.fromkeys([*((line.key, line.check) for line in worst), *before])
    return [place for place in candidates if len(repr(place)) <= MOST_NAME][:MOST_FOLLOWED]


def _kept(line: Headline, places: Sequence[Place], comparison: Comparison | None) -> Headline:
    """What stays known of an earlier revision."""
    past = comparison.old if comparison else None
    of_past = past.checks if past and past.snapshot.revision.sha == line.sha else {}
    rates = {}
    for place in places:
        found = line.rates.get(place)
        if found is None and place in of_past:
            side = of_past[place]
            found = _glimpse(side.tally, side.verdict, severe=side.severe)
        if found is not None:
            rates[place] = found
    return replace(line, rates=rates)


def _glimpse(tally: Tally, verdict: Name, *, severe: bool) -> Glimpse | None:
    if not tally.n:
        return None
    score, chance = (plain(Fraction(total, tally.n) * 100) for total in (tally.best, tally.chance))
    return Glimpse(score=score, chance=chance, verdict=verdict, severe=severe)


def trail_table(history: Sequence[Headline]) -> str:
    """A line for each slice of which more than one revision is known; "" where there is none."""
    rows = []
    places = dict.fromkeys(place for line in reversed(history) for place in line.rates)
    for key, check in places:
        trail: list[Glimpse | None] = [line.rates.get((key, check)) for line in history]
        seen = [glimpse for glimpse in trail if glimpse]
        if len(seen) < 2:
            continue
        drawn = sparkline([glimpse.rate if glimpse else None for glimpse in trail])
        ends = f"{seen[0].score} % → {seen[-1].score} %" if trail[-1] else f"{seen[-1].score} %, then gone"
        rows.append([slice_name(key), check, f"`{drawn}`", ends, f"{seen[-1].chance} %"])
    if not rows:
        return ""
    head = ["Slice", "Gold is", "Best rule, oldest first", "From, to", "Chance"]
    legend = (
        "Eight heights from 0 to 100 % of right answers without the question; · is a revision in which the "
        "slice was not there, or not yet one of the worst."
    )
    return f"{table(head, rows)}\n\n<sub>{legend}</sub>"
