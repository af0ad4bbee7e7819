"""A comparison and the templates become a report: the issue's body, the comment, the summary.

Pure. The body begins with the marker and the state, which no template can lose; it is cut between
rows to what a tracker holds, and parsed again before it leaves the room.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchaudit import __version__
from benchaudit.brief import remembered
from benchaudit.compare import Comparison
from benchaudit.figures import integer, plural
from benchaudit.headlines import headline
from benchaudit.markdown import code, fence, folded, plain, table
from benchaudit.markers import comment_marker, marker
from benchaudit.notes import with_notes
from benchaudit.parts import with_part
from benchaudit.past import past_of
from benchaudit.report.chart import chart
from benchaudit.report.fitting import Page
from benchaudit.report.listing import RELEASES, release_list
from benchaudit.report.measured import measured
from benchaudit.report.nouns import Occasion, Report
from benchaudit.report.rows import change_rows, material_lines, slice_rows
from benchaudit.report.sentences import (
    accepted_lines,
    baseline_sentence,
    changed_sentence,
    evidence_list,
    further_sentence,
    verdict_sentence,
)
from benchaudit.report.snippet import snippet
from benchaudit.report.tables import (
    Line,
    findings_table,
    left_out_table,
    lines_of,
)
from benchaudit.report.templates import Templates
from benchaudit.report.trails import followed, trail_table
from benchaudit.report.upstream import PART as UPSTREAM
from benchaudit.report.upstream import sent_part, upstream_part
from benchaudit.state import State, dump
from benchaudit.verdict import Audit

MOST_CHARACTERS = 65_000
"""Characters of a body: GitHub takes 65,536, a margin is left for what it may count otherwise."""

MOST_HISTORY = 20
MOST_CHANGES = 40
MOST_SNIPPET = 16_000
"""Characters of the snippet: no more than a quarter of a body."""


def build(audit: Audit, comparison: Comparison | None, occasion: Occasion, templates: Templates) -> Report:
    """Write the report of one revision.

    Raises RenderError where what came out is not what was meant, and SettingsError for a template that
    asks for what is not on offer, the comment's too where there is no comment to write.
    """
    dataset, sha = audit.origin.dataset, audit.origin.revision.sha
    lines = lines_of(audit, comparison)
    state = _state(audit, comparison, occasion, lines)
    parts = _parts(audit, comparison, occasion, lines, state, templates)

    def page(template: str, head: str = "", most: int = MOST_CHARACTERS) -> Page:
        return Page(template=template, templates=templates, most=most, head=head)

    slices, changes = slice_rows(lines, further_sentence(audit)), change_rows(comparison)
    head = f"{marker(dataset)}\n{dump(state)}\n\n"
    title = {"title": f"benchaudit: {code(dataset)}"}
    comment = page("comment.md", f"{comment_marker(sha)}\n").fill(parts, changes, MOST_CHANGES)
    tail = _tail(audit, occasion, lines, parts["snippet"], templates)
    body = page("issue.md", head, MOST_CHARACTERS - len(tail))
    is_news = comparison is not None and bool(comparison.material) and not occasion.first
    return Report(
        dataset=dataset,
        revision=sha,
        title=f"benchaudit: {plain(dataset)}",
        body=f"{body.fill(parts, slices, len(lines))}\n{tail}",
        comment=comment if is_news else "",
        summary=page("summary.md").fill(parts | title, slices, len(lines)),
        state=state,
        worse=comparison is not None and comparison.worse,
        cleared=comparison is not None and comparison.cleared,
    )


def _tail(audit: Audit, occasion: Occasion, lines: Sequence[Line], snippet: str, templates: Templates) -> str:
    """The parts that later runs find again and change by themselves, and the one that is people's."""
    text, kept = "", occasion.kept
    if kept.releases:
        text = with_part(text, RELEASES, release_list(kept.releases))
    if kept.sent:
        text = with_part(text, UPSTREAM, sent_part(kept.sent))
    elif occasion.approved:
        text = with_part(text, UPSTREAM, occasion.approved)
    elif occasion.wish:
        revision = occasion.links.to(audit.origin.revision.sha)
        draft = upstream_part(
            audit, lines, wish=occasion.wish, revision=revision, snippet=snippet, templates=templates
        )
        text = with_part(text, UPSTREAM, draft) if draft else text
    return with_notes(text, occasion.notes).lstrip("\n")


def _state(audit: Audit, comparison: Comparison | None, occasion: Occasion, lines: Sequence[Line]) -> State:
    entry = headline(audit)
    earlier = tuple(item for item in occasion.history if item.sha != entry.sha)
    return State(
        dataset=audit.origin.dataset,
        seen=occasion.seen,
        settings=occasion.settings,
        checks=audit.check_versions,
        past=remembered(past_of(audit, occasion.snapshot)),
        history=followed(earlier[-MOST_HISTORY + 1 :], entry, audit, comparison, lines),
        kept=occasion.kept,
    )


def _parts(
    audit: Audit,
    comparison: Comparison | None,
    occasion: Occasion,
    lines: Sequence[Line],
    state: State,
    templates: Templates,
) -> dict[str, str]:
    """Every placeholder but those that hold slices and changes, as Markdown."""
    old = comparison.old.snapshot.revision.sha if comparison else ""
    return {
        "dataset": code(audit.origin.dataset),
        "revision": occasion.links.to(audit.origin.revision.sha),
        "verdict": verdict_sentence(audit, lines),
        "chart": chart(lines),
        "evidence": evidence_list(lines),
        "baseline": baseline_sentence(audit.baseline),
        "changed": changed_sentence(comparison, occasion.links.to(old), _scored(old, audit, occasion)),
        "material": material_lines(comparison, MOST_CHANGES),
        "notices": _notices(audit, comparison, occasion),
        "left_out": left_out_table(audit) if audit.left_out else "None: every row is an item.",
        "findings": f"### Findings\n\n{findings_table(audit)}" if audit.findings else "",
        "measured": measured(audit, occasion, lines),
        "snippet": _snippet(audit, occasion, templates),
        "history": _history(occasion, state),
        "footer": _footer(audit, occasion),
    }


def _scored(old: str, audit: Audit, occasion: Occasion) -> tuple[str, str]:
    """What the guesser scored at the old revision, where that is known, and at this one; as printed."""
    was = next((entry.baseline for entry in occasion.history if entry.sha == old), "")
    return was, headline(audit).baseline


def _notices(audit: Audit, comparison: Comparison | None, occasion: Occasion) -> str:
    notices = list(occasion.notices)
    if occasion.first:
        notices.append(
            "**This is the first report here.** Nothing was known of earlier revisions"
            + (
                ", the last one that changed the data was audited with it."
                if comparison
                else ", and there is none to compare with."
            )
        )
    if occasion.skipped:
        notices.append(
            f"{plural(occasion.skipped, 'older commit')} of the backlog were skipped (`max-commits`)."
        )
    if audit.not_run:
        names = ", ".join(code(name) for name in audit.not_run)
        notices.append(f"**Not run**: this revision has no column for {names}.")
    notices += accepted_lines(audit)
    notices += comparison.notes if comparison else ()
    return "\n".join(f"> {notice}\n>" for notice in notices).removesuffix("\n>")


def _snippet(audit: Audit, occasion: Occasion, templates: Templates) -> str:
    run = [columns for columns in occasion.slicings if "*".join(columns) not in audit.not_run]
    text = snippet(audit, occasion.links.file, run, templates)
    if not text:
        return (
            "The files hold forms that a short script would misread (numpy's print of lists, options inside "
            "a text, or an encoding other than UTF-8): there is no snippet for them."
        )
    if len(text) > MOST_SNIPPET:
        files = plural(len(audit.origin.blobs), "file")
        return f"A script that names all {files} would be too long to stand here."
    return folded("A script that counts these figures again, without benchaudit", fence(text, "python"))


def _history(occasion: Occasion, state: State) -> str:
    entries = state.history
    rows = [
        [
            occasion.links.to(entry.sha),
            code(entry.committed_at) if entry.committed_at else "–",
            f"severe {entry.verdict}" if entry.severe else entry.verdict,
            entry.baseline or "–",
            integer(entry.n),
        ]
        for entry in reversed(entries)
    ]
    revisions = table(["Revision", "Committed", "Verdict", "No-model baseline", "Items"], rows)
    return "\n\n".join(filter(None, [trail_table(entries), revisions]))


def _footer(audit: Audit, occasion: Occasion) -> str:
    return f"benchaudit {__version__} · revision {occasion.links.to(audit.origin.revision.sha)}"
