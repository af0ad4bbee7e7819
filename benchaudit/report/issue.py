"""A comparison and the templates become a report: the issue's body, the comment, the summary.

Pure. The body begins with the marker and the state, which no template can lose; it is cut between
rows to what a tracker holds, and parsed again before it leaves the room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchaudit import __version__
from benchaudit.brief import remembered
from benchaudit.checks import all_checks
from benchaudit.compare import Comparison
from benchaudit.figures import integer, plural
from benchaudit.headlines import Headline, headline
from benchaudit.kept import Kept
from benchaudit.markdown import code, fence, folded, link, plain, table
from benchaudit.markers import inert, marker
from benchaudit.models import Snapshot
from benchaudit.notes import with_notes
from benchaudit.parts import with_part
from benchaudit.past import past_of
from benchaudit.report.chart import chart
from benchaudit.report.fitting import Page
from benchaudit.report.listing import RELEASES, release_list
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
    position_line,
)
from benchaudit.report.templates import Templates
from benchaudit.report.trails import followed, trail_table
from benchaudit.report.upstream import PART as UPSTREAM
from benchaudit.report.upstream import Wish, sent_part, upstream_part
from benchaudit.state import REVISION, State, dump
from benchaudit.verdict import Audit

MOST_CHARACTERS = 65_000
"""Characters of a body: GitHub takes 65,536, a margin is left for what it may count otherwise."""

MOST_HISTORY = 20
MOST_CHANGES = 40
MOST_FILES = 20
MOST_NOTES = 20
MOST_SNIPPET = 16_000
"""Characters of the snippet: no more than a quarter of a body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Where revisions and files are to be seen for ever; an empty address makes a name without a link."""

    revision: Mapping[str, str] = field(default_factory=dict)
    file: Mapping[str, str] = field(default_factory=dict)

    def to(self, sha: str) -> str:
        """A short name of a revision, linked."""
        return link(code(sha[:7]), self.revision.get(sha, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a report is about, beside the audit itself.

    `seen` is the newest commit looked at; `first` says whether this tracker has had no report before;
    `skipped` counts older commits that the limit on catching up left out. `notices` are further
    sentences that the reader must see, `notes` what people wrote into the report that is there,
    `kept` what that report remembers beside its audits; `wish` is for a report upstream, and `approved`
    the part with the draft of one that was let go, which stays as it is until it is sent.
    """

    snapshot: Snapshot
    seen: str
    settings: str
    links: Links
    slicings: tuple[tuple[str, ...], ...]
    history: tuple[Headline, ...] = ()
    first: bool = False
    skipped: int = 0
    notices: tuple[str, ...] = ()
    notes: str = ""
    kept: Kept = field(default=Kept())
    wish: Wish | None = None
    approved: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is delivered. `comment` is "" where nothing material changed; `state` is what the body holds.

    `worse` says that a leak is new or has become severe, `cleared` that the last one is gone.
    """

    dataset: str
    revision: str
    title: str
    body: str
    comment: str
    summary: str
    state: State
    worse: bool = False
    cleared: bool = False


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
        "measured": _measured(audit, occasion, lines),
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


def _measured(audit: Audit, occasion: Occasion, lines: Sequence[Line]) -> str:
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


def renamed_marker(dataset: str) -> str:
    """The first line of our comment about a new name."""
    return f"<!-- benchaudit:comment renamed={inert(dataset)} -->"


def comment_marker(sha: str) -> str:
    """The first line of our comment about a revision."""
    return f"<!-- benchaudit:comment revision={sha} -->"
