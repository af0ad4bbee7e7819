"""Controls: what a guesser scores that reads no question, to be printed beside every score. Pure.

A line for each slice: chance, picking the longest and the shortest option, how often gold alone is
either, and the best rule. As Markdown, CSV, JSON, a badge, and a section for a dataset's card.
"""

from __future__ import annotations

import csv
import hashlib
import io
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from benchaudit.baseline import Scored
from benchaudit.figures import integer, percent, plain
from benchaudit.markdown import MISSING, code, shown, table
from benchaudit.models import SliceKey
from benchaudit.report.tables import slice_name
from benchaudit.verdict import Audit, SliceAudit

START, END = "<!-- benchaudit:controls -->", "<!-- /benchaudit:controls -->"
"""The lines between which a card's section is kept up to date."""

LABEL = "no-model baseline"

_COLOURS = {
    "leak": "red",
    "incomplete": "yellow",
    "slight": "yellowgreen",
    "none-found": "brightgreen",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The rates of one slice; `best` is what the `rules` score that were chosen on other rows.

    A rate is None where its check has no meaning in the slice.
    """

    key: SliceKey
    n: int
    chance: Fraction
    longest: Fraction | None
    shortest: Fraction | None
    alone_longest: Fraction | None
    alone_shortest: Fraction | None
    best: Fraction
    rules: tuple[str, ...]

    @property
    def rates(self) -> tuple[Fraction | None, ...]:
        """The rates in the order of the table's columns."""
        return (self.chance, self.longest, self.shortest, self.alone_longest, self.alone_shortest, self.best)


def controls_of(audit: Audit) -> list[Control]:
    """The controls of every slice that has items; none where no rule could be scored."""
    if audit.baseline is None:
        return []
    scored = audit.baseline.slices
    return [_control(part, scored[part.key]) for part in audit.slices if part.key in scored]


def _control(part: SliceAudit, scored: Scored) -> Control:
    def rate(check: str, figure: str) -> Fraction | None:
        tally = part.checks[check].tally if check in part.checks else None
        return Fraction(getattr(tally, figure)) / tally.n if tally and tally.n else None

    rules = dict.fromkeys(f"{rule.direction} {rule.check}" for rule in scored.rules)
    return Control(
        key=part.key,
        n=part.n,
        chance=scored.chance / scored.n,
        longest=rate("longest", "credit"),
        shortest=rate("shortest", "credit"),
        alone_longest=rate("longest", "unique"),
        alone_shortest=rate("shortest", "unique"),
        best=scored.right / scored.n,
        rules=tuple(rules),
    )


def markdown(audit: Audit) -> str:
    """The table, and what the best rule of each value of a column scores in all."""
    lines = controls_of(audit)
    if not lines:
        return "No item could be counted, so there is nothing to print beside a score.\n"
    header = [
        "Slice",
        "n",
        "Chance",
        "Longest",
        "Shortest",
        "Alone longest",
        "Alone shortest",
        "Best",
        "Rule",
    ]
    rows = [
        [slice_name(line.key), integer(line.n), *map(_cell, line.rates), ", ".join(line.rules)]
        for line in lines
    ]
    return f"{table(header, rows)}\n\n{_note(audit)}\n"


def _cell(rate: Fraction | None) -> str:
    return "–" if rate is None else percent(rate).replace(" ", "\N{NO-BREAK SPACE}")


def _note(audit: Audit) -> str:
    score, chance = _pooled(audit)
    by = audit.baseline.column if audit.baseline else ()
    each = f" with a rule for each {' × '.join(map(code, by))}" if by else ""
    return (
        f"Without reading the question, a guesser scores **{score}**{each}; chance is {chance}. "
        "Longest and shortest: always picking such an option, ties at random. Alone: how often gold is the "
        "only one. Best: the rule is chosen on one half of the rows and scored on the other."
    )


def _pooled(audit: Audit) -> tuple[str, str]:
    assert audit.baseline is not None  # noqa: S101 - who asks has lines of it
    pooled = audit.baseline.pooled
    return percent(pooled.right / pooled.n), percent(pooled.chance / pooled.n)


def separated(audit: Audit) -> str:
    """The lines as CSV, rates in per cent; an empty cell has no meaning in its slice."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    rates = ("chance", "longest", "shortest", "alone_longest", "alone_shortest", "best")
    writer.writerow(["slice", "n", *rates, "rule"])
    for line in controls_of(audit):
        cells = ["" if rate is None else plain(rate * 100) for rate in line.rates]
        writer.writerow([_name(line.key), line.n, *cells, ", ".join(line.rules)])
    return target.getvalue()


def _name(key: SliceKey) -> str:
    return (
        ", ".join(f"{shown(name)}={MISSING if value is None else shown(value)}" for name, value in key)
        or "ALL"
    )


def document(audit: Audit) -> dict[str, Any]:
    """The lines as JSON; rates have all their digits."""
    found = audit.baseline
    return {
        "schema": 1,
        "dataset": audit.origin.dataset,
        "revision": audit.origin.revision.sha,
        "verdict": audit.verdict,
        "baseline": None
        if found is None
        else {
            "slices": "*".join(found.column) or None,
            "n": found.pooled.n,
            "accuracy": float(found.pooled.right / found.pooled.n),
            "chance": float(found.pooled.chance / found.pooled.n),
        },
        "slices": [
            {
                "slice": dict(line.key),
                "n": line.n,
                "chance": float(line.chance),
                "longest": _number(line.longest),
                "shortest": _number(line.shortest),
                "alone_longest": _number(line.alone_longest),
                "alone_shortest": _number(line.alone_shortest),
                "best": float(line.best),
                "rules": list(line.rules),
            }
            for line in controls_of(audit)
        ],
    }


def _number(rate: Fraction | None) -> float | None:
    return None if rate is None else float(rate)


def badge(audit: Audit) -> dict[str, Any]:
    """A badge as an endpoint of a badge service gives it, coloured by the verdict."""
    if audit.baseline is None:
        return {"schemaVersion": 1, "label": LABEL, "message": "no items", "color": "lightgrey"}
    score, chance = _pooled(audit)
    colour = _COLOURS.get(audit.verdict, "lightgrey")
    return {"schemaVersion": 1, "label": LABEL, "message": f"{score} (chance {chance})", "color": colour}


def section(audit: Audit) -> str:
    """The section of a card, between its marks.

    It names the data by their content: a commit that changes the card alone must not change the section.
    """
    blobs = "\n".join(f"{blob.path}\0{blob.id}" for blob in audit.origin.blobs)
    digest = hashlib.sha256(blobs.encode(errors="surrogateescape")).hexdigest()[:7]
    return (
        f"{START}\n\n## Controls\n\nThese scores need no question. Print them beside every score on this "
        f"benchmark.\n\n{markdown(audit)}\n"
        f"<sub>Counted by benchaudit; digest of the data {code(digest)}.</sub>\n\n{END}\n"
    )
