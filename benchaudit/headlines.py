"""The short history of an issue: a line for each revision, and the few slices that are followed. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from benchaudit.figures import share
from benchaudit.models import SliceKey
from benchaudit.verdict import WORST_FIRST, Audit, Name

Place = tuple[SliceKey, str]
"""A slice and a check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """What is remembered of a slice and check at an earlier revision: per cents, as they were printed.

    `score` is that of the better rule.
    """

    score: str
    chance: str
    verdict: Name
    severe: bool

    @property
    def rate(self) -> Fraction:
        """The score as a rate."""
        return Fraction(self.score) / 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """One audited revision in the short history. `baseline` is the no-model baseline, as it was printed.

    `rates` has the few slices that are followed over revisions.
    """

    sha: str
    committed_at: str
    verdict: str
    severe: bool
    n: int
    baseline: str = ""
    rates: Mapping[Place, Glimpse] = field(default_factory=dict)


def headline(audit: Audit) -> Headline:
    """The line of the history for an audit."""
    pooled = audit.baseline.pooled if audit.baseline else None
    return Headline(
        sha=audit.origin.revision.sha,
        committed_at=audit.origin.revision.committed_at,
        verdict=audit.verdict,
        severe=audit.severe,
        n=audit.all.n,
        baseline=share(pooled.right, pooled.n) if pooled else "",
    )


def trails_document(history: Sequence[Headline]) -> dict[str, Any]:
    """The slices that are followed, and what is known of each at each revision, by their numbers."""
    places = sorted({place for line in history for place in line.rates}, key=repr)
    return {
        "followed": [[list(map(list, key)), check] for key, check in places],
        "trails": [
            [
                [number, seen.score, seen.chance, WORST_FIRST.index(seen.verdict), seen.severe]
                for number, place in enumerate(places)
                if (seen := line.rates.get(place))
            ]
            for line in history
        ],
    }


def trails_of(content: Mapping[str, Any]) -> list[dict[Place, Glimpse]]:
    """The same read back, for each revision; a report from before slices were followed has none."""
    places = [
        (tuple((name, value) for name, value in key), check) for key, check in content.get("followed", ())
    ]
    trails = [
        {
            places[number]: Glimpse(score=score, chance=chance, verdict=WORST_FIRST[worst], severe=severe)
            for number, score, chance, worst, severe in trail
        }
        for trail in content.get("trails", ())
    ]
    return trails or [{} for _ in content["history"]]
