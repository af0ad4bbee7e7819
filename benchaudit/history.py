"""The history of a dataset: what each audited revision had, slice by slice, in the order of time. Pure.

It is made of audits, or of what less remains of them: a JSON report, or the headlines in an issue's
state.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from benchaudit.headlines import Headline, Place
from benchaudit.models import SliceKey
from benchaudit.state import State
from benchaudit.verdict import Audit, Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """What the better rule of a slice and check scored, against chance, as rates; and its verdict."""

    score: Fraction
    chance: Fraction
    verdict: Name
    severe: bool = False

    @property
    def gain(self) -> Fraction:
        """The score minus chance."""
        return self.score - self.chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One revision. `guesser` and `chance` are rates of the no-model baseline, None where not known.

    `rates` is empty where only the headline is known.
    """

    sha: str
    committed_at: str
    verdict: str
    severe: bool
    n: int
    guesser: Fraction | None = None
    chance: Fraction | None = None
    rates: dict[Place, Rate] = field(default_factory=dict)

    @property
    def when(self) -> str:
        """When it was committed, to the minute; "–" where that is not known."""
        iso = re.match(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)", self.committed_at)
        return f"{iso[1]} {iso[2]}" if iso else self.committed_at or "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A dataset's revisions, oldest first. `notes` say of which nothing could be said."""

    dataset: str
    points: tuple[Point, ...]
    notes: tuple[str, ...] = ()

    def places(self) -> list[Place]:
        """Every slice with the check whose gain was ever its largest; the largest of all come first."""
        largest: dict[Place, Fraction] = {}
        for point in self.points:
            for place, rate in point.rates.items():
                largest[place] = max(largest.get(place, rate.gain), rate.gain)
        checks: dict[SliceKey, str] = {}
        for (key, check), gain in largest.items():
            if key not in checks or gain > largest[key, checks[key]]:
                checks[key] = check
        return sorted(checks.items(), key=lambda place: (-largest[place], repr(place)))

    def rates(self, place: Place) -> list[Rate | None]:
        """What a slice and check had in each revision; None where it was not there."""
        return [point.rates.get(place) for point in self.points]


def point_of(audit: Audit) -> Point:
    """The point of an audit."""
    revision, found = audit.origin.revision, audit.baseline
    return Point(
        sha=revision.sha,
        committed_at=revision.committed_at,
        verdict=audit.verdict,
        severe=audit.severe,
        n=audit.all.n,
        guesser=found.pooled.right / found.pooled.n if found else None,
        chance=found.pooled.chance / found.pooled.n if found else None,
        rates={
            (part.key, name): Rate(
                score=judged.tally.best / judged.tally.n,
                chance=judged.tally.chance / judged.tally.n,
                verdict=judged.counts_as,
                severe=judged.counts_severe,
            )
            for part in audit.slices
            for name, judged in part.checks.items()
            if judged.tally.n
        },
    )


def point_of_headline(entry: Headline) -> Point:
    """The point of a line of an issue's short history."""
    figure = entry.baseline.removesuffix("%").strip()
    return Point(
        sha=entry.sha,
        committed_at=entry.committed_at,
        verdict=entry.verdict,
        severe=entry.severe,
        n=entry.n,
        guesser=Fraction(figure) / 100 if figure else None,
        rates={
            place: Rate(
                score=seen.rate,
                chance=Fraction(seen.chance) / 100,
                verdict=seen.verdict,
                severe=seen.severe,
            )
            for place, seen in entry.rates.items()
        },
    )


def history_of_state(state: State) -> History:
    """What an issue remembers: headlines with a few slices, of the last revision all that its state held."""
    points = [point_of_headline(entry) for entry in state.history]
    past = state.past
    rates = {
        place: Rate(
            score=entry.tally.best / entry.tally.n,
            chance=entry.tally.chance / entry.tally.n,
            verdict=entry.verdict,
            severe=entry.severe,
        )
        for place, entry in past.checks.items()
        if entry.tally.n
    }
    sha = past.snapshot.revision.sha
    return History(
        dataset=state.dataset,
        points=tuple(
            replace(point, rates=point.rates | rates) if point.sha == sha else point for point in points
        ),
    )


def point_of_document(document: Mapping[str, Any]) -> Point:
    """The point of a JSON report.

    Raises KeyError, TypeError or ValueError for what is no report.
    """
    source, found = document["source"], document["baseline"]
    return Point(
        sha=str(source["revision"]),
        committed_at=str(source["committed_at"] or ""),
        verdict=str(document["verdict"]),
        severe=bool(document["severe"]),
        n=int(document["usable"]),
        guesser=Fraction(found["accuracy"]) if found else None,
        chance=Fraction(found["chance"]) if found else None,
        rates={
            (tuple((str(column), value) for column, value in part["slice"].items()), name): rate
            for part in document["slices"]
            for name, check in part["checks"].items()
            if (rate := _rate_of_document(check))
        },
    )


def _rate_of_document(check: Mapping[str, Any]) -> Rate | None:
    n = sum(items for _, _, items, _ in check["tally"])
    if not n:
        return None
    right = Fraction(check["credit"] if check["direction"] == "pick" else check["avoided"])
    verdict: Name = "slight" if check.get("accepted") else check["verdict"]
    return Rate(
        score=right / n, chance=Fraction(check["chance"]) / n, verdict=verdict, severe=bool(check["severe"])
    )


def joined(histories: Iterable[History]) -> list[History]:
    """One history for each dataset, each revision by its fullest point.

    The order is that of the history that tells of them; of several, which may come in any order, that of
    the dates where all revisions have one.
    """
    points: dict[str, dict[str, Point]] = {}
    notes: dict[str, list[str]] = {}
    told: Counter[str] = Counter()
    for history in histories:
        told[history.dataset] += 1
        known = points.setdefault(history.dataset, {})
        notes.setdefault(history.dataset, []).extend(history.notes)
        for point in history.points:
            if point.sha not in known or _fullness(point) > _fullness(known[point.sha]):
                known[point.sha] = point
    return [
        History(
            dataset=name,
            points=_by_date(known.values()) if told[name] > 1 else tuple(known.values()),
            notes=tuple(notes[name]),
        )
        for name, known in points.items()
    ]


def _by_date(points: Iterable[Point]) -> tuple[Point, ...]:
    listed = tuple(points)
    if not all(point.committed_at for point in listed):
        return listed
    return tuple(sorted(listed, key=lambda point: point.committed_at))


def _fullness(point: Point) -> tuple[int, bool]:
    return len(point.rates), point.chance is not None
