"""The sentences of a report: the verdict, what changed, and what the reader must know first."""

from __future__ import annotations

from collections.abc import Sequence

from benchaudit.accept import idle
from benchaudit.baseline import Baseline
from benchaudit.compare import Change, Comparison
from benchaudit.figures import change as moved
from benchaudit.figures import integer, odds, plural, points, rounded, share
from benchaudit.markdown import code, prose
from benchaudit.models import SliceKey
from benchaudit.moves import Pairs
from benchaudit.report.tables import QUIET, Line, slice_name
from benchaudit.verdict import Audit

MOST_NAMED = 4


def verdict_sentence(audit: Audit, lines: Sequence[Line]) -> str:
    """The verdict in one sentence, and up to four slices that speak for it, a line each."""
    if audit.all.n == 0:
        reasons = ", ".join(f"{integer(left.rows)} {reason}" for reason, left in audit.left_out.items())
        return (
            f"**Nothing could be measured**: none of {plural(audit.rows, 'row')} is a single-gold item "
            f"({reasons})."
        )
    leaks = [line for line in lines if line.judged.counts_as == "leak"]
    if leaks:
        severe = "Severe leak" if audit.severe else "Leak"
        head = (
            f"**{severe}.** {_where(leaks, lines)}, the length of the options gives the gold away to a "
            "guesser who never reads the question."
        )
        named = sorted(leaks, key=lambda line: (line.judged.rank, -line.judged.gain, repr(line.key)))
        return "\n".join([head, "", *(f"- {_said(line)}" for line in _both_ways(named))])
    return _of_no_leak(audit, lines)


def _of_no_leak(audit: Audit, lines: Sequence[Line]) -> str:
    if audit.verdict == "incomplete":
        return (
            "**Incomplete.** So many rows are defective that a leak can be neither shown nor excluded; "
            "see the rows that are no items."
        )
    accepted = [line for line in lines if line.judged.accepted]
    if accepted:
        return f"**No leak but {plural(len(accepted), 'accepted one')}**, and nothing else that matters."
    if audit.verdict == "slight":
        return (
            f"**No leak, but a slight tell.** Length is worth more than chance, by less than "
            f"{audit.thresholds.min_effect:g} points."
        )
    if audit.verdict == "none-found":
        return f"**No leak found** in {plural(audit.all.n, 'item')} by the length of the options."
    return f"**Too few rows** for a verdict: {plural(audit.all.n, 'item')} of {audit.thresholds.min_rows}."


def accepted_lines(audit: Audit) -> list[str]:
    """What people accept: a line for each leak that stays within it, and one for entries without a leak."""
    lines = [
        f"**Accepted**: {slice_name(part.key)}, {name}: a gain of {points(judged.gain)} of up to "
        f"{rounded(judged.acceptance.gain)} points. {prose(judged.acceptance.reason)}"
        for part in audit.slices
        for name, judged in part.checks.items()
        if judged.acceptance and judged.accepted
    ]
    unused = ", ".join(
        f"{code(entry.slice)} {entry.check}" for entry in idle(audit.slices, audit.acceptances)
    )
    return [*lines, *([f"Accepted, but no leak in this revision: {unused}."] if unused else [])]


def _where(leaks: Sequence[Line], lines: Sequence[Line]) -> str:
    """In how many slices; ALL is none of them."""
    leaking, slices = ({line.key for line in some if line.key} for some in (leaks, lines))
    overall = any(not line.key for line in leaks)
    if not leaking:
        return "Overall"
    counted = f"n {integer(len(leaking))} of {plural(len(slices), 'slice')}"
    return f"Overall and i{counted}" if overall else f"I{counted}"


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
    luck = f"; odds of that by luck: {odds(line.judged.p)}" if line.judged.p else ""
    return (
        f"{slice_name(line.key)}: gold is among the {line.check} options in {integer(tally.among)} of "
        f"{integer(line.n)} items; {rule}, chance is {share(tally.chance, line.n)}{luck}."
    )


def changed_sentence(comparison: Comparison | None, link: str) -> str:
    """What changed since the last revision, in one sentence; `link` names that revision."""
    if comparison is None:
        return ""
    if not comparison.material:
        shifts = [item.moved for item in comparison.changes if item.moved]
        if not shifts and not (comparison.pairs and _any_rows(comparison.pairs)):
            return f"Compared with {link}, no figure changed."
        return f"Compared with {link}, nothing changed that matters."
    slices = {item.key for item in comparison.changes if item.material and item.key}
    where = f" in {plural(len(slices), 'slice')}" if slices else ""
    return f"**Leakage changed**{where}, compared with {link}."


def _any_rows(pairs: Pairs) -> bool:
    return any(number for name, number in pairs.rows.items() if name != "paired")


def material_list(comparison: Comparison) -> list[str]:
    """What matters, a line for each slice and check, after one for each thing that is in no slice."""
    by_place = {(item.key, item.check): item for item in comparison.changes}
    reasons: dict[tuple[SliceKey, str], list[str]] = {}
    lines = []
    for news in comparison.material:
        if news.key is None:
            lines.append(f"- {code(news.text, 300)}")
        else:
            reasons.setdefault((news.key, news.check), []).append(news.text)
    for (key, check), texts in reasons.items():
        item = by_place.get((key, check))
        named = f"{slice_name(key)}, {check}" if check else slice_name(key)
        lines.append(f"- {named}: {'; '.join(texts)}{_figures(item)}")
    return lines


def _figures(item: Change | None) -> str:
    if item is None or item.old is None or item.new is None or item.moved is None:
        return ""
    before, after = item.old.tally, item.new.tally
    was, is_ = share(before.credit, before.n), share(after.credit, after.n)
    return f" – picking scores {was} → {is_} ({moved(item.moved)})"


def baseline_sentence(found: Baseline | None) -> str:
    """The headline: what a guesser scores that never reads the question."""
    if found is None:
        return ""
    pooled = found.pooled
    if found.column:
        how = f"the best rule for each {' × '.join(map(code, found.column))}"
    else:
        how = " or ".join(dict.fromkeys(f"{rule.direction} the {rule.check} option" for rule in pooled.rules))
    return (
        f"**A guesser that never reads the question scores {share(pooled.right, pooled.n)}** ({how}, chosen "
        f"on one half of the rows and scored on the other); chance is {share(pooled.chance, pooled.n)}."
    )


def is_quiet(line: Line) -> bool:
    """Whether a line may be folded away: no leak, nothing incomplete, nothing that changed materially."""
    return line.key != () and line.judged.verdict in QUIET and not (line.change and line.change.material)
