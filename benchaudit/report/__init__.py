"""A comparison and the templates become a report: the issue's body, the comment, the summary.

Pure. The body begins with the marker and the state, which no template can lose; it is cut between
rows to what a tracker holds, and parsed again before it leaves the room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchaudit import __version__
from benchaudit.checks import all_checks
from benchaudit.compare import Comparison, past_of
from benchaudit.errors import RenderError
from benchaudit.figures import integer, plural
from benchaudit.markdown import code, fence, folded, plain, structure, table
from benchaudit.models import Snapshot
from benchaudit.report.sentences import (
    baseline_sentence,
    changed_sentence,
    is_quiet,
    material_list,
    verdict_sentence,
)
from benchaudit.report.snippet import snippet
from benchaudit.report.tables import (
    Line,
    findings_table,
    left_out_table,
    lines_of,
    position_line,
    rows_table,
    slice_table,
    steps_table,
)
from benchaudit.report.templates import Templates
from benchaudit.state import Headline, State, dump, headline, marker
from benchaudit.verdict import Audit

MOST_CHARACTERS = 65_000
"""Characters of a body: GitHub takes 65,536, a margin is left for what it may count otherwise."""

MOST_HISTORY = 20
MOST_CHANGES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Where revisions and files are to be seen for ever; an empty address makes a name without a link."""

    revision: Mapping[str, str] = field(default_factory=dict)
    file: Mapping[str, str] = field(default_factory=dict)

    def to(self, sha: str) -> str:
        """A short name of a revision, linked."""
        address = self.revision.get(sha, "")
        return f"[`{sha[:7]}`]({address})" if address else f"`{sha[:7]}`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a report is about, beside the audit itself.

    `seen` is the newest commit looked at; `first` says whether this tracker has had no report before;
    `skipped` counts older commits that the limit on catching up left out. `notices` are further
    sentences that the reader must see.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is delivered. `comment` is empty where nothing material changed; `state` is what the body holds."""

    dataset: str
    revision: str
    title: str
    body: str
    comment: str
    summary: str
    state: State


def build(audit: Audit, comparison: Comparison | None, occasion: Occasion, templates: Templates) -> Report:
    """Write the report of one revision. Raises RenderError where what came out is not what was meant."""
    lines = lines_of(audit, comparison)
    state = _state(audit, occasion)
    title = f"benchaudit: {plain(audit.origin.dataset)}"
    parts = _parts(audit, comparison, occasion, lines, templates)
    head = f"{marker(audit.origin.dataset)}\n{dump(state)}\n\n"
    body = head + _fitted(parts, lines, templates, "issue.md", MOST_CHARACTERS - len(head))
    summary = _fitted(parts | {"title": title}, lines, templates, "summary.md", MOST_CHARACTERS)
    comment = ""
    if comparison is not None and comparison.material and not occasion.first:
        comment = _comment(audit, comparison, occasion, parts, templates)
    return Report(
        dataset=audit.origin.dataset,
        revision=audit.origin.revision.sha,
        title=title,
        body=body,
        comment=comment,
        summary=summary,
        state=state,
    )


def _state(audit: Audit, occasion: Occasion) -> State:
    entry = headline(audit)
    earlier = tuple(item for item in occasion.history if item.sha != entry.sha)
    return State(
        dataset=audit.origin.dataset,
        seen=occasion.seen,
        settings=occasion.settings,
        checks=audit.check_versions,
        past=past_of(audit, occasion.snapshot),
        history=(*earlier, entry)[-MOST_HISTORY:],
    )


def _parts(
    audit: Audit,
    comparison: Comparison | None,
    occasion: Occasion,
    lines: Sequence[Line],
    templates: Templates,
) -> dict[str, str]:
    """Every placeholder but the slice tables, as Markdown."""
    old = comparison.old.snapshot.revision.sha if comparison else ""
    return {
        "dataset": code(audit.origin.dataset),
        "revision": occasion.links.to(audit.origin.revision.sha),
        "verdict": verdict_sentence(audit, lines),
        "baseline": baseline_sentence(audit.baseline),
        "changed": changed_sentence(comparison, occasion.links.to(old)) if comparison else "",
        "material": material_list(comparison) if comparison else "",
        "notices": _notices(audit, comparison, occasion),
        "left_out": left_out_table(audit) if audit.left_out else "None: every row is an item.",
        "findings": f"### Findings\n\n{findings_table(audit)}" if audit.findings else "",
        "measured": _measured(audit, occasion),
        "snippet": _snippet(audit, occasion, templates),
        "history": _history(occasion, audit),
        "footer": _footer(audit, occasion),
    }


def _notices(audit: Audit, comparison: Comparison | None, occasion: Occasion) -> str:
    notices = list(occasion.notices)
    if occasion.first:
        notices.append(
            "**This is the first report here.** Nothing was known of earlier revisions"
            + (
                ", the last one that changed the data was audited with it."
                if comparison
                else ", and no earlier one has data."
            )
        )
    if occasion.skipped:
        notices.append(
            f"{plural(occasion.skipped, 'older commit')} of the backlog were skipped (`max-commits`)."
        )
    if audit.not_run:
        names = ", ".join(code(name) for name in audit.not_run)
        notices.append(f"**Not run**: this revision has no column for {names}.")
    notices += comparison.notes if comparison else ()
    return "\n".join(f"> {notice}\n>" for notice in notices).removesuffix("\n>")


def _measured(audit: Audit, occasion: Occasion) -> str:
    mapping = audit.mapping
    said = {
        "question": mapping.question,
        "options": mapping.options,
        "gold": (mapping.gold,) if mapping.gold else (),
        "distractors": mapping.distractors,
        "id": (mapping.id,) if mapping.id else (),
    }
    rows = [
        ["Dataset", code(audit.origin.dataset)],
        ["Revision", f"{occasion.links.to(audit.origin.revision.sha)} {code(audit.origin.revision.committed_at) if audit.origin.revision.committed_at else ''}"],
        ["Files", ", ".join(_file(path, occasion) for path in [blob.path for blob in audit.origin.blobs][:20])],
        ["Rows", f"{integer(audit.rows)}, of which {integer(audit.all.n)} are items"],
        *([name.capitalize(), ", ".join(code(column) for column in columns)] for name, columns in said.items() if columns),
        ["Gold encoding", mapping.gold_encoding + (", last turns of dialogues" if mapping.last_turn else "")],
        ["Options per item", _option_counts(audit)],
        ["Gold stands", "apart from the distractors: its position means nothing" if mapping.gold_apart else position_line(audit.all.gold_position) or "–"],
        [
            "Thresholds",
            f"min-rows {audit.thresholds.min_rows}, alpha {audit.thresholds.alpha:g}, "
            f"min-effect {audit.thresholds.min_effect:g}, min-change {audit.thresholds.min_change:g}",
        ],
    ]  # fmt: skip
    meaning = " ".join(
        f"**{check.name}**: {check.title[0].lower()}{check.title[1:]}." for check in all_checks()
    )
    text = (
        f"{meaning} *Among* counts items whose gold is at that extremum, tied or not, *alone* those without a tie; "
        "*expected* is what *among* would be if gold were any of the options. *Picking scores* is the accuracy of "
        "a guesser who picks that option, ties at random, to be held against *chance*; *gain* is the better of "
        "picking and avoiding, minus chance, in points."
    )
    notes = "".join(f"\n- {code(note, 300)}" for note in audit.notes[:20])
    return f"{table(['What', 'How'], rows)}\n\n{text}\n{notes}"


def _file(path: str, occasion: Occasion) -> str:
    address = occasion.links.file.get(path, "")
    return f"[{code(path)}]({address})" if address.startswith("http") else code(path)


def _option_counts(audit: Audit) -> str:
    counts: Counter[int] = Counter()
    for k, _, items, _ in next(iter(audit.all.checks.values())).tally.cells:
        counts[k] += items
    return ", ".join(f"{k}: {plural(items, 'item')}" for k, items in sorted(counts.items())) or "–"


def _snippet(audit: Audit, occasion: Occasion, templates: Templates) -> str:
    text = snippet(audit, occasion.links.file, occasion.slicings, templates)
    if not text:
        return (
            "The files hold forms that a short script would misread (numpy's print of lists, options inside a text, "
            "or an encoding other than UTF-8): there is no snippet for them."
        )
    return folded("A script that counts these figures again, without benchaudit", fence(text, "python"))


def _history(occasion: Occasion, audit: Audit) -> str:
    entries = _state(audit, occasion).history
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
    return table(["Revision", "Committed", "Verdict", "No-model baseline", "Items"], rows)


def _footer(audit: Audit, occasion: Occasion) -> str:
    return f"benchaudit {__version__} · revision {occasion.links.to(audit.origin.revision.sha)}"


def _fitted(
    parts: Mapping[str, str], lines: Sequence[Line], templates: Templates, name: str, most: int
) -> str:
    """Fill a template, with as many rows of the slice tables as fit; quiet ones go first, then the last."""
    loud = [line for line in lines if not is_quiet(line)]
    quiet = [line for line in lines if is_quiet(line)]
    shown = len(lines)
    while True:
        filled = _filled(parts, loud[:shown], quiet[: max(0, shown - len(loud))], len(lines), templates, name)
        if len(filled) <= most or shown == 0:
            return filled
        shown = min(shown - 1, shown * most // len(filled))


def _filled(
    parts: Mapping[str, str],
    loud: Sequence[Line],
    quiet: Sequence[Line],
    total: int,
    templates: Templates,
    name: str,
) -> str:
    missing = total - len(loud) - len(quiet)
    cut = (
        f"{plural(missing, 'more row')} had no room here; the JSON report of the run (output `report`) has them all."
        if missing
        else ""
    )
    sections = {
        "slices": slice_table(loud) + (f"\n\n{cut}" if cut else ""),
        "quiet": folded(f"{plural(len(quiet), 'quiet row')}: no leak found", slice_table(quiet))
        if quiet
        else "",
    }
    filled = templates.fill(name, **parts, **sections)
    _check_structure(
        filled,
        templates.fill(name, **dict.fromkeys({**parts, **sections}, "")),
        [*parts.values(), *sections.values()],
        name,
    )
    return filled


def _check_structure(filled: str, frame: str, values: Sequence[str], name: str) -> None:
    """Refuse a text in which a value opened, closed or swallowed more than its own part."""
    used = [value for value in values if value and value in filled]
    meant = structure(frame)
    for value in used:
        meant += structure(value)
    if structure(filled) != meant:
        raise RenderError(
            "the report came out with a structure that was not meant", where=name, todo="report this"
        )


def _comment(
    audit: Audit, comparison: Comparison, occasion: Occasion, parts: Mapping[str, str], templates: Templates
) -> str:
    changed = [item for item in comparison.changes if item.material]
    values = dict(parts) | {
        "steps": steps_table(changed[:MOST_CHANGES]),
        "rows": rows_table(comparison.pairs) if comparison.pairs else "",
    }
    text = templates.fill("comment.md", **values)
    return f"{comment_marker(audit.origin.revision.sha)}\n{text}"[:MOST_CHARACTERS]


def comment_marker(sha: str) -> str:
    """The first line of our comment about a revision."""
    return f"<!-- benchaudit:comment revision={sha} -->"
