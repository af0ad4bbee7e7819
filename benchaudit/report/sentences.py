"""The sentences of a report: the verdict, what changed, and what the reader must know first."""

from __future__ import annotations

from collections.abc import Sequence

from benchaudit.compare import Comparison
from benchaudit.figures import change as moved
from benchaudit.figures import integer, plural, points, share
from benchaudit.markdown import code
from benchaudit.report.tables import QUIET, Line, slice_name
from benchaudit.verdict import Audit

MOST_NAMED = 4


def verdict_sentence(audit: Audit, lines: Sequence[Line]) -> str:
    """The verdict in one sentence, and up to four slices that speak for it, a line each."""
    if audit.all.n == 0:
        reasons = ", ".join(f"{integer(left.rows)} {reason}" for reason, left in audit.left_out.items())
        return f"**Nothing could be measured**: none of {plural(audit.rows, 'row')} is a single-gold item ({reasons})."
    leaks = [line for line in lines if line.judged.verdict == "leak"]
    if leaks:
        where = len({line.key for line in leaks})
        slices = len({line.key for line in lines})
        severe = "Severe leak" if audit.severe else "Leak"
        head = (
            f"**{severe}.** In {integer(where)} of {plural(slices, 'slice')}, the length of the options "
            "gives the gold away to a guesser who never reads the question."
        )
        named = sorted(leaks, key=lambda line: (line.judged.rank, -line.judged.gain, repr(line.key)))
        return "\n".join([head, "", *(f"- {_said(line)}" for line in _both_ways(named))])
    if audit.verdict == "incomplete":
        return (
            "**Incomplete.** So many rows are defective that a leak can be neither shown nor excluded; "
            "see the rows that are no items."
        )
    if audit.verdict == "slight":
        return (
            f"**No leak, but a slight tell.** Length is worth more than chance, by less than "
            f"{audit.thresholds.min_effect:g} points."
        )
    if audit.verdict == "none-found":
        return f"**No leak found** in {plural(audit.all.n, 'item')} by the length of the options."
    return f"**Too few rows** for a verdict: {plural(audit.all.n, 'item')} of {audit.thresholds.min_rows}."


def _both_ways(named: Sequence[Line]) -> list[Line]:
    """The worst, but with the worst of each check among them: two that point opposite ways are the news."""
    first = [next((line for line in named if line.check == check), None) for check in ("longest", "shortest")]
    chosen = [line for line in first if line is not None and line.judged.direction == "pick"]
    chosen += [line for line in named if line not in chosen][: MOST_NAMED - len(chosen)]
    return sorted(chosen, key=named.index)


def _said(line: Line) -> str:
    tally = line.judged.tally
    if line.judged.direction == "pick":
        rule = f"picking the {line.check} option scores {share(tally.credit, line.n)}"
    else:
        rule = f"avoiding the {line.check} option scores {share(tally.avoided, line.n)}"
    return (
        f"{slice_name(line.key)}: gold is among the {line.check} options in {integer(tally.among)} of "
        f"{integer(line.n)} items; {rule}, chance is {share(tally.chance, line.n)}."
    )


def changed_sentence(comparison: Comparison | None, link: str) -> str:
    """What changed since the last revision, in one sentence; `link` names that revision."""
    if comparison is None:
        return ""
    if not comparison.material:
        shifts = [item.moved for item in comparison.changes if item.moved]
        if not shifts and not (comparison.pairs and _any_rows(comparison)):
            return f"Compared with {link}, no figure changed."
        return f"Compared with {link}, nothing changed that matters."
    slices = {item.key for item in comparison.changes if item.material}
    return (
        f"Compared with {link}, {plural(len(comparison.material), 'change')} that "
        f"{'matters' if len(comparison.material) == 1 else 'matter'}"
        + (f", in {plural(len(slices), 'slice')}." if slices else ".")
    )


def _any_rows(comparison: Comparison) -> bool:
    assert comparison.pairs is not None
    return any(number for name, number in comparison.pairs.rows.items() if name != "paired")


def material_list(comparison: Comparison) -> str:
    """What matters, a line each: worst slices first as the comparison has them."""
    by_place = {(item.key, item.check): item for item in comparison.changes}
    lines = []
    for news in comparison.material:
        item = by_place.get((news.key, news.check)) if news.key is not None else None
        where = f"{slice_name(news.key)}" if news.key is not None else ""
        check = f", {news.check}" if news.check else ""
        figures = ""
        if item and item.old and item.new and item.moved is not None:
            figures = (
                f": picking scores {share(item.old.tally.credit, item.old.tally.n)} → "
                f"{share(item.new.tally.credit, item.new.tally.n)} ({moved(item.moved)})"
            )
        text = news.text if news.key is not None else code(news.text, 300)
        lines.append(f"- {where}{check}{' – ' if where else ''}{text}{figures}")
    return "\n".join(lines)


def headline(line: Line) -> str:
    """One line for a terminal: the slice, the rule and its gain."""
    return f"{line.check} {line.judged.direction} {points(line.judged.gain)}"


def is_quiet(line: Line) -> bool:
    """Whether a line may be folded away: no leak, nothing incomplete, nothing that changed materially."""
    return line.key != () and line.judged.verdict in QUIET and not (line.change and line.change.material)
