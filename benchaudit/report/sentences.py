"""The sentences of a report: the verdict, what changed, and what the reader must know first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from benchaudit.accept import idle
from benchaudit.baseline import Baseline
from benchaudit.changes import Change
from benchaudit.checks import EXTREMA, GROUPS, by_name, group_of, is_further
from benchaudit.compare import Comparison
from benchaudit.figures import change as moved
from benchaudit.figures import integer, odds, plural, points, rounded, share
from benchaudit.markdown import code, prose
from benchaudit.models import SliceKey
from benchaudit.moves import Pairs
from benchaudit.report.tables import CHECKS_PAGE, QUIET, Line, slice_name, unbroken
from benchaudit.verdict import Audit

MOST_NAMED = 4


def verdict_sentence(audit: Audit, lines: Sequence[Line]) -> str:
    """The verdict in one sentence, with what a guesser scores against chance."""
    if audit.all.n == 0:
        reasons = ", ".join(f"{integer(left.rows)} {reason}" for reason, left in audit.left_out.items())
        return (
            f"**Nothing could be measured**: none of {plural(audit.rows, 'row')} is a single-gold item "
            f"({reasons})."
        )
    leaks = [line for line in lines if line.judged.counts_as == "leak"]
    if leaks:
        severe, where = "Severe leak" if audit.severe else "Leak", _where(leaks, lines)
        return f"**{severe}.** {_scores(audit.baseline)}: {where}, {_what(leaks)} the gold away."
    return _of_no_leak(audit, lines)


def _of_no_leak(audit: Audit, lines: Sequence[Line]) -> str:
    scores = _scores(audit.baseline)
    if audit.verdict == "incomplete":
        return (
            "**Incomplete.** So many rows are defective that a leak can be neither shown nor excluded; "
            "see the rows that are no items."
        )
    accepted = [line for line in lines if line.judged.accepted]
    if accepted:
        known = plural(len(accepted), "accepted one")
        return f"**No leak but {known}**, and nothing else that matters. {scores}."
    if audit.verdict == "slight":
        return (
            f"**No leak, but a slight tell.** {scores}; {_slight(audit)} is worth more than chance, by less "
            f"than {audit.thresholds.min_effect:g} points."
        )
    if audit.verdict == "none-found":
        return (
            f"**No leak found** in {plural(audit.all.n, 'item')}{_could_show(audit)}. {scores}{_luck(audit)}."
        )
    return f"**Too few rows** for a verdict: {plural(audit.all.n, 'item')} of {audit.thresholds.min_rows}."


def _could_show(audit: Audit) -> str:
    """The smallest gain by option length that all items together could have shown; "" where none could."""
    gains = [audit.all.checks[check.name].detectable_gain for check in EXTREMA]
    known = [Fraction(gain) for gain in gains if gain is not None]
    if len(known) < len(gains):
        return ""
    return f", where a gain of {rounded(max(known) * 100)} points by option length would have shown"


def _luck(audit: Audit) -> str:
    """What a guesser's score above chance is worth where no check found anything: it looks like a leak."""
    pooled = audit.baseline.pooled if audit.baseline else None
    if pooled is None or share(pooled.right, pooled.n) == share(pooled.chance, pooled.n):
        return ""
    return "" if pooled.right < pooled.chance else ", a difference that no check can tell from luck"


def _slight(audit: Audit) -> str:
    """What is slightly worth more than chance, in any slice."""
    found = {
        group_of(name)
        for part in audit.slices
        for name, judged in part.checks.items()
        if judged.verdict == "slight"
    }
    return next(words for group, words in GROUPS.items() if group in found)


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


def _scores(found: Baseline | None) -> str:
    if found is None:
        return "A guesser who never reads the question has something to go by"
    pooled = found.pooled
    return (
        f"A guesser who never reads the question scores **{share(pooled.right, pooled.n)}**, chance is "
        f"{share(pooled.chance, pooled.n)}"
    )


def evidence_list(lines: Sequence[Line]) -> str:
    """Up to four slices that speak for a leak, a line each; "" where there is none."""
    leaks = [line for line in lines if line.judged.counts_as == "leak"]
    return "\n".join(f"- {_said(line)}" for line in _both_ways(_ranked(leaks)))


def _ranked(leaks: Sequence[Line]) -> list[Line]:
    return sorted(leaks, key=lambda line: (line.judged.rank, -line.judged.gain, repr(line.key)))


def _where(leaks: Sequence[Line], lines: Sequence[Line]) -> str:
    """In how many slices; ALL is none of them."""
    leaking, slices = ({line.key for line in some if line.key} for some in (leaks, lines))
    overall = any(not line.key for line in leaks)
    if not leaking:
        return "overall"
    counted = f"in {integer(len(leaking))} of {plural(len(slices), 'slice')}"
    return f"overall and {counted}" if overall else counted


def _what(leaks: Sequence[Line]) -> str:
    """What gives gold away, by the groups of checks that leak, the worst first."""
    named = list(dict.fromkeys(GROUPS[group_of(line.check)] for line in _ranked(leaks)))
    if len(named) > MOST_NAMED:
        named = [*named[: MOST_NAMED - 1], f"{len(named) - MOST_NAMED + 1} things more"]
    words = f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]
    return f"{words} give{'' if len(named) > 1 else 's'}"


def further_sentence(audit: Audit) -> str:
    """What the further checks say that have no lines of their own; "" where there were none."""
    verdicts: dict[str, set[str]] = {}
    for part in audit.slices:
        for name, judged in part.checks.items():
            if is_further(name):
                verdicts.setdefault(name, set()).add(judged.counts_as)
    run = {name: found for name, found in verdicts.items() if found != {"not-applicable"}}
    if not run:
        return ""
    leaks = sum("leak" in found for found in run.values())
    unsure = sum("incomplete" in found and "leak" not in found for found in run.values())
    if leaks or unsure:
        see = f"{leaks} see{'s' if leaks == 1 else ''} a leak" if leaks else ""
        cannot = f"{unsure} cannot exclude one" if leaks else f"{unsure} cannot exclude a leak"
        found = " and ".join(filter(None, [see, cannot if unsure else ""]))
        said = (
            f"Of {plural(len(run), 'further check')} {found}; of those that say the same of a slice one line "
            "stands above"
        )
    elif all(found <= {"too-few", "not-applicable"} for found in run.values()):
        return ""
    else:
        said = f"{plural(len(run), 'further check')} found no leak in any slice"
    skipped = [name for name, found in verdicts.items() if found == {"not-applicable"}]
    apart = f" Not applicable here: {', '.join(skipped)}." if skipped else ""
    return f"{said} (`{CHECKS_PAGE}` says what each looks for; the JSON report has all figures).{apart}"


def _both_ways(named: Sequence[Line]) -> list[Line]:
    """The worst, but with the worst of longest and shortest among them: two opposite ways are the news.

    A slice is not named again for a further check that is no worse: four slices say more than one.
    """
    first = [next((line for line in named if line.check == check), None) for check in ("longest", "shortest")]
    chosen = [line for line in first if line is not None and line.judged.direction == "pick"]
    worse: set[SliceKey] = set()
    for line in named:
        if len(chosen) == MOST_NAMED:
            break
        if line not in chosen and not (is_further(line.check) and line.key in worse):
            chosen.append(line)
        if line in chosen:
            worse.add(line.key)
    return sorted(chosen, key=named.index)


def _said(line: Line) -> str:
    tally = line.judged.tally
    check = by_name()[line.check]
    if line.judged.direction == "pick":
        rule = f"picking the {check.picks} scores {unbroken(share(tally.credit, line.n))}"
    else:
        rule = f"avoiding the {check.picks} scores {unbroken(share(tally.avoided, line.n))}"
    luck = f"; odds of that by luck: {odds(line.judged.p)}" if line.judged.p else ""
    where = f"{slice_name(line.key)}: gold is among the {check.among} in {integer(tally.among)} of"
    # Where no option has what a check looks for all are alike, and gold is among them.
    alike = sum(items for k, t, items, _ in tally.cells if t == k) if is_further(line.check) else 0
    if alike:
        told, gold = tally.n - alike, tally.among - alike
        where = (
            f"{slice_name(line.key)}: in {integer(told)} of {integer(tally.n)} items the options differ, and "
            f"gold is among the {check.among} in {integer(gold)} of"
        )
        where = f"{where} these"
    else:
        where = f"{where} {integer(line.n)} items"
    remedy = " Where options are stripped it is gone." if check.group == "white-space" else ""
    return f"{where}; {rule}, chance is {unbroken(share(tally.chance, line.n))}{luck}.{remedy}"


def changed_sentence(comparison: Comparison | None, link: str, scored: tuple[str, str] = ("", "")) -> str:
    """What changed since the last revision, in one sentence; `link` names that revision.

    `scored` is what the guesser scored then and scores now, as printed, where both are known.
    """
    if comparison is None:
        return ""
    if not comparison.material:
        shifts = [item.moved for item in comparison.changes if item.moved]
        if not shifts and not (comparison.pairs and _any_rows(comparison.pairs)):
            return f"**The same** as {link}: no figure changed."
        return f"**Nothing that matters changed** since {link}."
    worse, better, neither = _ways(comparison)
    head = " and ".join(filter(None, ["better" if better else "", "worse" if worse else ""])) or "changed"
    was, is_ = scored
    guesser = [f"the guesser went from {was} to {is_}"] if was and is_ and was != is_ else []
    return f"**{head.capitalize()}** since {link}: {', '.join([*worse, *better, *guesser, *neither])}."


def _ways(comparison: Comparison) -> tuple[list[str], list[str], list[str]]:
    """What became worse, what better, and what cannot be called either, in words; slices, or ALL alone."""
    began, ended, grew, shrank = (set[SliceKey]() for _ in range(4))
    for item in comparison.changes:
        if not item.material or item.old is None or item.new is None:
            continue
        was, is_ = item.old.verdict == "leak", item.new.counts_as == "leak"
        if was != is_:
            (began if is_ else ended).add(item.key)
        elif was and item.new.gain != item.old.tally.gain:
            (grew if item.new.gain > item.old.tally.gain else shrank).add(item.key)
    ended -= {item.key for item in comparison.changes if item.new and item.new.counts_as == "leak"}
    began -= {key for (key, _), past in comparison.old.checks.items() if past.verdict == "leak"}
    grew, shrank = grew - began - ended, shrank - began - ended - grew
    others = Counter(news.kind for news in comparison.material)
    return (
        [*_slices(began, "began to leak"), *_slices(grew, "leaks more", "leak more")],
        [*_slices(ended, "no longer leaks", "no longer leak"), *_slices(shrank, "leaks less", "leak less")],
        [f"{plural(others[kind], noun)} {how}" for kind, (noun, how) in _COUNTED_NEWS.items() if others[kind]]
        + [news.text for news in comparison.material if news.kind in _SAID_NEWS],
    )


_COUNTED_NEWS = {
    "appeared": ("slice", "appeared"),
    "vanished": ("slice", "vanished"),
    "file": ("file", "came or went"),
    "layout": ("change", "to what the card says of splits"),
    "column": ("column", "came or went"),
    "not-run": ("slicing", "lost its column"),
}
"""Kinds of news beside rates whose text names something of the dataset: they are counted here."""

_SAID_NEWS = frozenset({"defects", "gold"})
"""Kinds of news whose text is all ours."""


def _slices(keys: set[SliceKey], does: str, do: str = "") -> list[str]:
    """How many slices do something; of ALL only where it is alone with that."""
    slices = [key for key in keys if key]
    if slices:
        return [f"{plural(len(slices), 'slice')} {does if len(slices) == 1 else do or does}"]
    return [f"the whole {does}"] if keys else []


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
            # That a rate moved is said by its figures.
            told = reasons.setdefault((news.key, news.check), [])
            told += [] if news.kind == "rate" else [news.text.replace("none-found", "none found")]
    for (key, check), texts in reasons.items():
        named = f"{slice_name(key)}, {check}" if check else slice_name(key)
        said = filter(None, ["; ".join(texts), _figures(by_place.get((key, check)))])
        lines.append(f"- {named}: {' – '.join(said)}")
    return lines


def _figures(item: Change | None) -> str:
    if item is None or item.old is None or item.new is None or item.moved is None:
        return ""
    before, after = item.old.tally, item.new.tally
    was, is_ = share(before.credit, before.n), share(after.credit, after.n)
    return f"picking scores {was} → {is_} ({moved(item.moved)})"


def baseline_sentence(found: Baseline | None) -> str:
    """How the guesser was scored whose figure the verdict gives."""
    if found is None:
        return ""
    if found.column:
        how = f"the best rule for each {' × '.join(map(code, found.column))}"
    else:
        rules = [f"{rule.direction} the {by_name()[rule.check].picks}" for rule in found.pooled.rules]
        how = " or ".join(dict.fromkeys(rules))
    return (
        f"The guesser who never reads the question goes by {how}, chosen on one half of the rows and scored "
        "on the other."
    )


def is_quiet(line: Line) -> bool:
    """Whether a line may be folded away: no leak, nothing incomplete, nothing that changed materially."""
    return line.key != () and line.judged.verdict in QUIET and not (line.change and line.change.material)
