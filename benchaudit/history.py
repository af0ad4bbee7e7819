"""The history of a dataset: what each audited revision had, slice by slice, in the order of time. Pure.

It is made of audits, or of what less remains of them: a JSON report, or the headlines in an issue's
state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from benchaudit.models import SliceKey
from benchaudit.state import Headline, State
from benchaudit.verdict import Audit, Name

Place = tuple[SliceKey, str]
"""A slice and a check."""


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
    rates: Mapping[Place, Rate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A dataset's revisions, oldest first. `notes` say of which nothing could be said."""

    dataset: str
    points: tuple[Point, ...]
    notes: tuple[str, ...] = ()

    def places(self) -> list[Place]:
        """The slices and checks of any revision, those with the largest gain ever first."""
        largest: dict[Place, Fraction] = {}
        for point in self.points:
            for place, rate in point.rates.items():
                largest[place] = max(largest.get(place, rate.gain), rate.gain)
        return sorted(largest, key=lambda place: (-largest[place], repr(place)))

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
                severe=judged.severe,
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
    )


def history_of_state(state: State) -> History:
    """What an issue remembers: headlines, and of the last revision as many slices as its state held."""
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
        points=tuple(_with_rates(point, rates) if point.sha == sha else point for point in points),
    )


def _with_rates(point: Point, rates: Mapping[Place, Rate]) -> Point:
    return Point(
        sha=point.sha,
        committed_at=point.committed_at,
        verdict=point.verdict,
        severe=point.severe,
        n=point.n,
        guesser=point.guesser,
        chance=point.chance,
        rates=rates,
    )


def joined(dataset: str, parts: Iterable[Sequence[Point]]) -> History:
    """Several histories of one dataset as one: in their order, and of a revision the fullest point."""
    points: dict[str, Point] = {}
    for point in (point for part in parts for point in part):
        known = points.get(point.sha)
        if known is None or len(point.rates) > len(known.rates):
            points[point.sha] = point
    return History(dataset=dataset, points=tuple(points.values()))
