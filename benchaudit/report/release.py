"""The comment about a release, and the section for the notes of a release. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from benchaudit import __version__
from benchaudit.compare import Comparison
from benchaudit.kept import Released
from benchaudit.markdown import code, link
from benchaudit.markers import release_marker
from benchaudit.report.fitting import Page
from benchaudit.report.issue import MOST_CHARACTERS
from benchaudit.report.nouns import Links
from benchaudit.report.rows import slice_rows
from benchaudit.report.sentences import (
    baseline_sentence,
    changed_sentence,
    evidence_list,
    further_sentence,
    verdict_sentence,
)
from benchaudit.report.tables import left_out_table, lines_of
from benchaudit.report.templates import Templates
from benchaudit.verdict import Audit


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseReport:
    """What is said of a release: the comment, and the figures that it is made from."""

    comment: str
    audit: Audit
    comparison: Comparison | None


def build_release(
    audit: Audit,
    comparison: Comparison | None,
    *,
    tag: str,
    previous: Released | None,
    links: Links,
    templates: Templates,
) -> ReleaseReport:
    """Write the comment about a release. Raises RenderError and SettingsError as `issue.build` does."""
    lines, sha = lines_of(audit, comparison), audit.origin.revision.sha
    before = f"release {code(previous.tag)} at {links.to(previous.sha)}" if previous else ""
    if comparison:
        changed = changed_sentence(comparison, before)
    elif previous:
        changed = f"The revision of {before} can no longer be audited: there is nothing to compare with."
    else:
        changed = "No earlier release is known: there is nothing to compare with."
    parts = {
        "tag": code(tag),
        "dataset": code(audit.origin.dataset),
        "revision": link(code(sha), links.revision.get(sha, "")),
        "verdict": verdict_sentence(audit, lines),
        "evidence": evidence_list(lines),
        "baseline": baseline_sentence(audit.baseline),
        "changed": changed,
        "left_out": left_out_table(audit) if audit.left_out else "None: every row is an item.",
        "footer": f"benchaudit {__version__}",
    }
    page = Page(
        template="release.md", templates=templates, most=MOST_CHARACTERS, head=f"{release_marker(tag)}\n"
    )
    text = page.fill(parts, slice_rows(lines, further_sentence(audit)), len(lines))
    return ReleaseReport(comment=text, audit=audit, comparison=comparison)


def release_notes(tag: str, url: str, audit: Audit) -> str:
    """The section that is put into the notes of a release."""
    lines = lines_of(audit, None)
    sentences = filter(
        None, [verdict_sentence(audit, lines).split("\n", 1)[0], baseline_sentence(audit.baseline)]
    )
    where = link(f"Figures per slice for {code(tag)}", url)
    return "\n\n".join(
        [
            "### Answers that can be guessed without reading",
            *sentences,
            f"{where}, revision {code(audit.origin.revision.sha)} of {code(audit.origin.dataset)}.",
        ]
    )
