"""The tables of a report: cells are Markdown, figures come from `figures`, texts go through `code`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchaudit.changes import Change
from benchaudit.checks import group_of, is_further
from benchaudit.compare import Comparison
from benchaudit.figures import change as moved
from benchaudit.figures import integer, points, rounded, share
from benchaudit.markdown import MISSING, code, prose, table
from benchaudit.models import SliceKey
from benchaudit.moves import Pairs
from benchaudit.verdict import Audit, Judged

SLICE_HEADER = (
    *("Slice", "n", "Gold is", "Verdict", "Change", "Gain", "Picking scores", "Chance"),
    *("Among", "Expected", "Alone"),
)
_WORDS = {
    "leak": "leak",
    "incomplete": "incomplete",
    "slight": "slight",
    "none-found": "none found",
    "too-few": "too few rows",
    "not-applicable": "not applicable",
}
CHANGE_LEGEND = (
    "▲ up and ▼ down say how far *picking scores* moved since the revision before, in points: "
    "worse is what moves away from *chance*, up or down."
)
"""What the signs of a change mean: a direction, wherever they stand."""

CHECKS_PAGE = "docs/checks.md"
"""The page that says what each check looks for."""

QUIET = frozenset({"slight", "none-found", "too-few", "not-applicable"})


MOST_AFFECTED = 3
"""Slices that are named for a reason to leave rows out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One slice and check, with what is known of its change."""

    key: SliceKey
    check: str
    n: int
    left_out: int
    judged: Judged
    change: Change | None

    @property
    def has_news(self) -> bool:
        """Whether something changed here that matters."""
        return self.change is not None and self.change.material

    def outranks(self, other: Line) -> bool:
        """Whether this is the one to show of two lines of a slice: the worse, then the one with news.

        Between further checks a larger gain decides; longest and shortest give way to a worse verdict only.
        """
        if self.judged.rank != other.judged.rank:
            return self.judged.rank < other.judged.rank
        if not is_further(other.check):
            return False
        return (self.has_news, self.judged.gain) > (other.has_news, other.judged.gain)

    @property
    def order(self) -> tuple[object, ...]:
        """ALL first, then the worst verdict, then the largest gain; names decide between equals."""
        rank = self.judged.rank
        return (self.key != (), rank, -self.judged.gain, repr(self.key), self.check)


def lines_of(audit: Audit, comparison: Comparison | None) -> list[Line]:
    """What is shown of every slice, worst first: longest and shortest, and of further checks what is loud."""
    changes = {(item.key, item.check): item for item in comparison.changes} if comparison else {}
    lines = []
    for part in audit.slices:
        every = [
            Line(
                key=part.key,
                check=name,
                n=part.n,
                left_out=sum(part.left_out.values()),
                judged=judged,
                change=changes.get((part.key, name)),
            )
            for name, judged in part.checks.items()
            if not (is_further(name) and judged.verdict in QUIET and (part.key, name) not in changes)
        ]
        lines += [line for line in every if not is_further(line.check)]
        lines += _further_lines(every)
    return sorted(lines, key=lambda line: line.order)


def _further_lines(lines: Sequence[Line]) -> list[Line]:
    """Of the further checks of one slice, of each group the worst, if it is loud or has news.

    A group of which longest or shortest says as bad a thing has no more to say. What is incomplete is so
    by the rows that are no items, which all checks share: one line of a slice says it.
    """
    worst: dict[str, Line] = {}
    for line in lines:
        group = group_of(line.check)
        loud = line.judged.counts_as not in QUIET or line.judged.accepted or line.has_news
        if (loud or not is_further(line.check)) and (group not in worst or line.outranks(worst[group])):
            worst[group] = line
    unsure = [line for line in worst.values() if line.judged.counts_as == "incomplete" and not line.has_news]
    spoken = min(
        unsure, key=lambda line: (is_further(line.check), -line.judged.gain, line.check), default=None
    )
    return [
        line for line in worst.values() if is_further(line.check) and (line not in unsure or line is spoken)
    ]


def slice_name(key: SliceKey) -> str:
    """What a slice is called: its columns and values, inert."""
    if not key:
        return "**ALL**"
    return ", ".join(f"{code(name)} = {code(value) if value is not None else MISSING}" for name, value in key)


def verdict_words(judged: Judged) -> str:
    """A verdict as people read it."""
    words = _WORDS[judged.verdict]
    if judged.severe:
        words = f"severe {words}"
    if judged.accepted:
        words = f"{words}, accepted"
    if judged.detectable_gain is not None:
        words = f"{words} (≥ {rounded(Fraction(judged.detectable_gain) * 100)})"
    return f"**{words}**" if judged.verdict in {"leak", "incomplete"} else words


def slice_row(line: Line) -> list[str]:
    """The cells of one slice and check, under `SLICE_HEADER`."""
    # A check that has no meaning in a slice has no items there, and so no rates.
    tally, n = line.judged.tally, line.judged.tally.n
    # What a reader looks for comes first: a wide table is cut at the right.
    figures = [
        _change(line.change),
        f"{points(line.judged.gain)} ({line.judged.direction})" if n else "–",
        share(tally.credit, n),
        share(tally.chance, n),
        f"{integer(tally.among)} ({share(tally.among, n)})",
        share(tally.expected_among, n),
        f"{integer(tally.unique)} ({share(tally.unique, n)})",
    ]
    items = f"{integer(line.n)} ({integer(line.left_out)} out)" if line.left_out else integer(line.n)
    named = [slice_name(line.key), unbroken(items), line.check, verdict_words(line.judged)]
    return [*named, *map(unbroken, figures)]


def unbroken(figure: str) -> str:
    """A figure that the end of a line does not break in two."""
    return figure.replace(" ", "\N{NO-BREAK SPACE}")


def _change(change: Change | None) -> str:
    if change is None:
        return "–"
    if change.old is None:
        return "new"
    return moved(change.moved)


def slice_table(lines: Iterable[Line]) -> str:
    """The table of slices and checks."""
    return table(SLICE_HEADER, [slice_row(line) for line in lines])


def left_out_table(audit: Audit) -> str:
    """Rows that are no items, by reason, with the slices that have most of them."""
    rows = [
        [
            reason,
            integer(left.rows),
            "yes" if left.defective else "no",
            _most_affected(audit, reason),
            ", ".join(code(name, 60) for name in left.sample),
        ]
        for reason, left in sorted(audit.left_out.items(), key=lambda item: (-item[1].rows, item[0]))
    ]
    return table(["Reason", "Rows", "Counts against every claim", "Most in", "For example"], rows)


def _most_affected(audit: Audit, reason: str) -> str:
    counts = [(part.left_out.get(reason, 0), part.key) for part in audit.slices if part.key]
    most = sorted(((rows, key) for rows, key in counts if rows), key=lambda item: (-item[0], repr(item[1])))
    return ", ".join(f"{slice_name(key)} ({integer(rows)})" for rows, key in most[:MOST_AFFECTED]) or "–"


def findings_table(audit: Audit) -> str:
    """Findings that are no rates."""
    rows = [
        [
            finding.severity,
            integer(finding.count),
            prose(finding.message),
            ", ".join(code(name, 120) for name in finding.sample),
        ]
        for finding in audit.findings
    ]
    return table(["Kind", "Rows", "What", "For example"], rows)


_STEP_WORDS = {
    "removed": "rows removed",
    "moved_out": "rows moved to another slice",
    "edited": "rows edited",
    "moved_in": "rows moved in from another slice",
    "added": "rows added",
    "replaced": "all rows replaced",
}


def steps_table(changes: Iterable[Change]) -> str:
    """Why the rates of these slices moved: a column for each step, in points; they add up to the change."""
    rows = []
    for item in changes:
        if not item.steps or item.new is None or item.old is None:
            continue
        reasons = [
            f"{_STEP_WORDS[name]} {points(step)}"
            for name, step in item.steps.items()
            if points(step) != "0.0"
        ]
        before, after = (share(side.tally.credit, side.tally.n) for side in (item.old, item.new))
        rows.append(
            [
                slice_name(item.key),
                item.check,
                f"{before} → {after}",
                moved(item.moved),
                "; ".join(reasons) or "small steps",
            ]
        )
    return table(["Slice", "Gold is", "Picking scores", "Change", "Because of"], rows) if rows else ""


_ROW_WORDS = {
    "added": "added",
    "removed": "removed",
    "options_edited": "options edited",
    "gold_changed": "gold changed",
    "gold_rekeyed": "of these re-keyed: another of the same options is gold",
    "moved_slice": "moved to another slice",
    "became_left_out": "became no item",
    "became_usable": "became an item",
}


def rows_table(pairs: Pairs) -> str:
    """What became of the rows, with up to ten names of each kind; "" where nothing did."""
    rows = [
        [words, integer(pairs.rows[name]), ", ".join(code(row, 60) for row in pairs.names[name])]
        for name, words in _ROW_WORDS.items()
        if pairs.rows[name]
    ]
    return table(["Rows", "Number", "For example"], rows) if rows else ""


def position_line(positions: Mapping[int, int]) -> str:
    """How often gold stands first, second and so on."""
    total = sum(positions.values())
    return ", ".join(f"{place + 1}: {share(count, total)}" for place, count in sorted(positions.items()))
