"""What was measured and how, as a report says it: files, columns, thresholds, what a check means. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchaudit.checks import all_checks
from benchaudit.figures import integer, plural
from benchaudit.markdown import code, link, table
from benchaudit.report.nouns import Occasion
from benchaudit.report.tables import Line, position_line
from benchaudit.state import REVISION
from benchaudit.verdict import Audit

MOST_FILES = 20
MOST_NOTES = 20


def measured(audit: Audit, occasion: Occasion, lines: Sequence[Line]) -> str:
    """The section of the report that says it, as Markdown."""
    shown = {line.check for line in lines}
    meaning = " ".join(
        f"**{check.name}**: {check.title[0].lower()}{check.title[1:]}. {check.explanation}"
        for check in all_checks(probe=True)
        if check.name in shown
    )
    text = (
        f"{meaning} *Among* counts items whose gold is at that extremum, tied or not, *alone* those without "
        "a tie; *expected* is what *among* would be if gold were any of the options. *Picking scores* is the "
        "accuracy of a guesser who picks that option, ties at random, to be held against *chance*; *gain* is "
        "the better of picking and avoiding, minus chance, in points. *None found (≥ 7.5)*: a gain of 7.5 "
        "points or more would have shown in so many items, four times out of five."
    )
    notes = "\n".join(f"- {code(note, 300)}" for note in audit.notes[:MOST_NOTES])
    rows = [*_source_rows(audit, occasion), *_mapping_rows(audit), *_figure_rows(audit)]
    return "\n\n".join(filter(None, [table(["What", "How"], rows), text, notes]))


def _source_rows(audit: Audit, occasion: Occasion) -> list[list[str]]:
    revision, links = audit.origin.revision, occasion.links
    committed = code(revision.committed_at) if revision.committed_at else ""
    paths = [blob.path for blob in audit.origin.blobs]
    files = [link(code(path), links.file.get(path, "")) for path in paths[:MOST_FILES]]
    more = [f"and {plural(len(paths) - MOST_FILES, 'more file')}"] if len(paths) > MOST_FILES else []
    return [
        ["Dataset", code(audit.origin.dataset)],
        [REVISION, f"{link(code(revision.sha), links.revision.get(revision.sha, ''))} {committed}"],
        ["Files", ", ".join([*files, *more])],
        ["Rows", f"{integer(audit.rows)}, of which {integer(audit.all.n)} are items"],
    ]


def _mapping_rows(audit: Audit) -> list[list[str]]:
    mapping = audit.mapping
    columns = {
        "Question": mapping.question,
        "Options": mapping.options,
        "Gold": (mapping.gold, mapping.gold_fallback),
        "Distractors": mapping.distractors,
        "Id": (mapping.id,),
    }
    named = {title: [code(name) for name in names if name] for title, names in columns.items()}
    turns = ", last turns of dialogues" if mapping.last_turn else ""
    return [
        *([title, ", ".join(names)] for title, names in named.items() if names),
        ["Gold encoding", f"{mapping.gold_encoding}{turns}"],
    ]


def _figure_rows(audit: Audit) -> list[list[str]]:
    limits = audit.thresholds
    if audit.mapping.gold_apart:
        stands = "apart from the distractors: its position means nothing"
    else:
        stands = position_line(audit.all.gold_position) or "–"
    said = f"min-rows {limits.min_rows}, alpha {limits.alpha:g}, min-effect {limits.min_effect:g}"
    return [
        ["Options per item", _option_counts(audit)],
        ["Gold stands", stands],
        ["Thresholds", f"{said}, min-change {limits.min_change:g}"],
    ]


def _option_counts(audit: Audit) -> str:
    counts: Counter[int] = Counter()
    for k, _, items, _ in next(iter(audit.all.checks.values())).tally.cells:
        counts[k] += items
    return ", ".join(f"{k}: {plural(items, 'item')}" for k, items in sorted(counts.items())) or "–"
