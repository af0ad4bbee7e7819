"""The sections of a page around its table: verdict, headline figures, chart, history, and what was read."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from benchaudit.checks import all_checks
from benchaudit.compare import Comparison
from benchaudit.figures import integer, plural, share
from benchaudit.history import History, Point
from benchaudit.html import svg
from benchaudit.html.page import each, from_markdown, head, scrolling
from benchaudit.html.slices import plain_name
from benchaudit.markdown import code, shown
from benchaudit.report.chart import worst_of
from benchaudit.report.sentences import baseline_sentence, changed_sentence, evidence_list, verdict_sentence
from benchaudit.report.tables import Line, findings_table, left_out_table
from benchaudit.verdict import Audit

_MOST_BARS = 20
_MOST_NAME = 32
_MOST_FILES = 20


def verdict(audit: Audit, comparison: Comparison | None, lines: Sequence[Line]) -> Markup:
    """What was found, what changed, and the slices that speak for it, in the words of the issue."""
    sha = comparison.old.snapshot.revision.sha[:7] if comparison else ""
    texts = [
        verdict_sentence(audit, lines),
        changed_sentence(comparison, code(sha)) if comparison else "",
        evidence_list(lines),
    ]
    said = Markup("").join(map(from_markdown, filter(None, texts)))
    return Markup('<section class="verdict {}" aria-label="Verdict">{}</section>').format(audit.verdict, said)


def tiles(audit: Audit, lines: Sequence[Line]) -> Markup:
    """The figures that people quote."""
    leaking = {line.key for line in lines if line.judged.counts_as == "leak" and line.key}
    pooled = audit.baseline.pooled if audit.baseline else None
    facts = {
        "Guesser without the question": share(pooled.right, pooled.n) if pooled else "–",
        "Chance": share(pooled.chance, pooled.n) if pooled else "–",
        "Items": integer(audit.all.n),
        "Leaking slices": f"{integer(len(leaking))} of {integer(len(audit.slices) - 1)}",
    }
    entries = ({"name": name, "figure": figure} for name, figure in facts.items())
    return Markup('<dl class="tiles">{}</dl>').format(
        each("<div><dt>{name}</dt><dd>{figure}</dd></div>", entries)
    )


_CHART = Markup(
    "<section><h2>Worst slices</h2><figure>{}<figcaption>A dot is how often gold is an option of that kind, "
    "ties included; its line is the 95 % interval, as if rows were drawn from the same process. The upright "
    "mark is what chance would make of it, an empty ring the revision before.</figcaption></figure></section>"
)


def chart(lines: Sequence[Line]) -> Markup:
    """The worst slices with their intervals; "" where none leaks or did."""
    bars = [_bar(line) for line in worst_of(lines, _MOST_BARS) if line.judged.tally.n]
    title = "How often gold is an option of each kind in the worst slices. The table below has the figures."
    return _CHART.format(scrolling(svg.chart(bars, title), "Chart")) if bars else Markup("")


def _bar(line: Line) -> svg.Bar:
    tally = line.judged.tally
    old = line.change.old if line.change and line.change.material else None
    return svg.Bar(
        label=f"{svg.clipped(plain_name(line.key), _MOST_NAME)}, {line.check}",
        said=share(tally.among, tally.n),
        rate=tally.among / tally.n,
        interval=line.judged.interval(tally.among) or (0.0, 1.0),
        expected=float(tally.expected_among / tally.n),
        before=old.tally.among / old.tally.n if old and old.tally.n else None,
        kind=line.judged.counts_as,
    )


_POINT = (
    '<tr class="{kind}"><td><code>{sha}</code></td><td>{when}</td><td class="badge">{verdict}</td>'
    '<td class="number">{guesser}</td><td class="number">{n}</td></tr>'
)


def history(found: History) -> Markup:
    """Revisions, newest first, below the guesser's score over all of them; "" for a single one."""
    if len(found.points) < 2:
        return Markup("")
    titles = ("Revision", "Committed", "Verdict", "Guesser", "Items")
    table = Markup("<table>{}<tbody>{}</tbody></table>").format(
        head(titles, frozenset({"Guesser", "Items"})), each(_POINT, map(_point, reversed(found.points)))
    )
    notes = each('<p class="hint">{note}</p>', ({"note": shown(note)} for note in found.notes))
    return Markup('<section id="history"><h2>History</h2>{}{}{}</section>').format(
        guesser_line(found), scrolling(table, "Table of revisions"), notes
    )


def guesser_line(found: History) -> Markup:
    """The guesser's score over the revisions of a history."""
    said = ", ".join(_guesser(point) for point in found.points)
    return svg.sparkline(
        [None if point.guesser is None else float(point.guesser) for point in found.points],
        [None if point.chance is None else float(point.chance) for point in found.points],
        f"Score of the guesser, oldest first: {said}",
    )


def _guesser(point: Point) -> str:
    return "–" if point.guesser is None else share(point.guesser, 1)


def verdict_words(point: Point) -> str:
    """The verdict of a revision as people read it."""
    return ("severe " if point.severe else "") + point.verdict.replace("-", " ")


def _point(point: Point) -> dict[str, str]:
    return {
        "kind": point.verdict,
        "sha": point.sha[:7],
        "when": shown(point.when),
        "verdict": verdict_words(point),
        "guesser": _guesser(point),
        "n": integer(point.n),
    }


def rows_and_findings(audit: Audit) -> Markup:
    """Rows that are no items, and findings that are no rates; each only where there is one."""
    tables = [
        ("Rows that are no items", left_out_table(audit) if audit.left_out else ""),
        ("Findings", findings_table(audit) if audit.findings else ""),
    ]
    return each(
        "<section><h2>{title}</h2>{table}</section>",
        (
            {"title": title, "table": scrolling(from_markdown(table), title)}
            for title, table in tables
            if table
        ),
    )


def measured(audit: Audit, lines: Sequence[Line]) -> Markup:
    """What was read, what the checks in the table look for, and what decides."""
    present = {line.check for line in lines}
    checks = each(
        "<dt>{name}</dt><dd>{title}. {explanation}</dd>",
        (
            {"name": check.name, "title": check.title, "explanation": check.explanation}
            for check in all_checks(probe=True)
            if check.name in present
        ),
    )
    limits, blobs = audit.thresholds, audit.origin.blobs
    files = Markup(", ").join(
        Markup("<code>{}</code>").format(shown(blob.path)) for blob in blobs[:_MOST_FILES]
    )
    more = f" and {plural(len(blobs) - _MOST_FILES, 'more file')}" if len(blobs) > _MOST_FILES else ""
    return Markup(
        "<section><h2>How this was measured</h2>{how}<p>Read from {files}{more}: {rows}, of which {n} are "
        "items.</p><p>Thresholds: min-rows {min_rows}, alpha {alpha}, min-effect {effect}, min-change "
        "{change}. <em>None found (≥ 7.5)</em> says that a gain of 7.5 points or more would have shown in so "
        'many items, four times out of five.</p><dl class="checks">{checks}</dl></section>'
    ).format(
        checks=checks,
        how=from_markdown(baseline_sentence(audit.baseline)),
        files=files,
        more=more,
        rows=plural(audit.rows, "row"),
        n=integer(audit.all.n),
        min_rows=limits.min_rows,
        alpha=f"{limits.alpha:g}",
        effect=f"{limits.min_effect:g}",
        change=f"{limits.min_change:g}",
    )
