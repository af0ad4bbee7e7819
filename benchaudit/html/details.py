"""What opens below a row of the table of slices: checks, rows left out, history, and sample rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from benchaudit.figures import integer, odds, plural, share
from benchaudit.history import History, Rate
from benchaudit.html import svg
from benchaudit.html.page import each, head, scrolling
from benchaudit.html.slices import plain_name, slice_name, words
from benchaudit.markdown import shown
from benchaudit.models import SliceKey
from benchaudit.report.tables import position_line
from benchaudit.samples import Sample, Samples
from benchaudit.verdict import Audit, Judged, SliceAudit

_QUIET = frozenset({"none-found", "too-few", "not-applicable"})
_LEAST = 2
"""Checks that are shown even where none has anything to say: longest and shortest stand first."""


def detail(part: SliceAudit, audit: Audit, samples: Samples, history: History) -> Markup:
    """The details of one slice, for all of its rows in the table."""
    loud = {name: judged for name, judged in part.checks.items() if judged.verdict not in _QUIET}
    named = loud or dict(list(part.checks.items())[:_LEAST])
    return Markup("").join(
        [
            Markup("<h3>{}</h3>").format(slice_name(part.key)),
            _checks(part.key, named, len(part.checks) - len(named)),
            _facts(part, audit),
            _histories(part.key, named, history),
            *(_samples(name, judged, samples.get((part.key, name), ())) for name, judged in named.items()),
        ]
    )


def _checks(key: SliceKey, named: Mapping[str, Judged], others: int) -> Markup:
    titles = ("Gold is", "Verdict", "Among", "Expected", "Alone", "Picking", "Avoiding", "Odds by luck")
    cells = "".join(f"<td>{{{name}}}</td>" for name in _CELLS)
    rows = each(f"<tr>{cells}</tr>", (_cells(name, judged) for name, judged in named.items()))
    table = Markup("<table>{}<tbody>{}</tbody></table>").format(head(titles), rows)
    quiet = f"{plural(others, 'further check')} found nothing here." if others > 0 else ""
    return Markup('{}<p class="hint">{}</p>').format(scrolling(table, f"Checks of {plain_name(key)}"), quiet)


_CELLS = ("check", "words", "among", "expected", "alone", "picking", "avoiding", "luck")


def _cells(name: str, judged: Judged) -> dict[str, str]:
    tally, n = judged.tally, judged.tally.n
    return {
        "check": name,
        "words": words(judged),
        "among": f"{integer(tally.among)} of {integer(n)}",
        "expected": share(tally.expected_among, n),
        "alone": integer(tally.unique),
        "picking": share(tally.credit, n),
        "avoiding": share(tally.avoided, n),
        "luck": odds(judged.p) if judged.p else "–",
    }


def _facts(part: SliceAudit, audit: Audit) -> Markup:
    """Where gold stands, and why rows are no items."""
    facts = []
    if not audit.mapping.gold_apart and part.gold_position:
        facts.append(f"Places of gold: {position_line(part.gold_position)}.")
    if part.left_out:
        reasons = ", ".join(f"{integer(rows)} {reason}" for reason, rows in part.left_out.items())
        facts.append(f"Rows that are no items: {reasons}.")
    return each("<p>{fact}</p>", ({"fact": fact} for fact in facts))


def _histories(key: SliceKey, named: Mapping[str, Judged], history: History) -> Markup:
    if len(history.points) < 2:
        return Markup("")
    found = {name: history.rates((key, name)) for name in named}
    return each(
        "<p>Best rule by the {name} option over {revisions}, against chance:</p>{line}",
        (
            {
                "name": name,
                "revisions": plural(len(history.points), "revision"),
                "line": spark(rates, name),
            }
            for name, rates in found.items()
            if any(rates)
        ),
    )


def spark(rates: Sequence[Rate | None], name: str) -> Markup:
    """The sparkline of a slice and check over revisions, oldest first."""
    said = ", ".join("missing" if rate is None else share(rate.score, 1) for rate in rates)
    return svg.sparkline(
        [float(rate.score) if rate else None for rate in rates],
        [float(rate.chance) if rate else None for rate in rates],
        f"{name}, oldest first: {said}",
    )


def _samples(name: str, judged: Judged, rows: Sequence[Sample]) -> Markup:
    """Rows that bear a leak out: their ids, or the options drawn to length with gold marked."""
    if not rows:
        return Markup("")
    verb = "is" if judged.direction == "pick" else "is not"
    if any(sample.options for sample in rows):
        listed = Markup("").join(map(_item, rows))
    else:
        ids = each("<li><code>{id}</code></li>", ({"id": shown(sample.name)} for sample in rows))
        listed = Markup('<ul class="ids">{}</ul>').format(ids)
    return Markup("<h4>Rows whose gold {} among the {}, for example</h4>{}").format(verb, name, listed)


def _item(sample: Sample) -> Markup:
    bars = svg.lengths([len(option) for option in sample.options])
    options = each(
        '<li class="{kind}"><span>{text}</span> <span class="hint">({length}{gold})</span>{bar}</li>',
        (
            {
                "kind": "gold" if place == sample.gold else "option",
                "text": shown(option),
                "length": plural(len(option), "character"),
                "gold": ", gold" if place == sample.gold else "",
                "bar": bar,
            }
            for place, (option, bar) in enumerate(zip(sample.options, bars, strict=True))
        ),
    )
    row = Markup('<div class="item"><p><code>{}</code> {}</p><ol type="A">{}</ol></div>')
    return row.format(shown(sample.name), shown(sample.question), options)
