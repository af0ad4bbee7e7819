"""The report to a dataset's maintainers: a draft that stands in our issue until it is let go. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchaudit import __version__
from benchaudit.figures import plural
from benchaudit.kept import Sent
from benchaudit.markdown import code, code_blocks, fence, folded, link, plain
from benchaudit.parts import part_of
from benchaudit.report.fitting import Page
from benchaudit.report.sentences import baseline_sentence, evidence_list, is_quiet, verdict_sentence
from benchaudit.report.tables import Line, slice_table
from benchaudit.report.templates import Templates
from benchaudit.verdict import Audit

PART = "upstream"
"""The part of the report issue that holds the draft, or says where the report is."""

MOST_CHARACTERS = 20_000
MOST_SLICES = 12
_LANGUAGE = "markdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A report upstream that is wished for: where to, which label lets it go, and whether more may follow."""

    where: str
    label: str
    follow_up: bool = False


def upstream_part(
    audit: Audit,
    lines: Sequence[Line],
    *,
    wish: Wish,
    revision: str,
    snippet: str,
    templates: Templates,
) -> str:
    """The draft with what lets it go; "" where there is no leak to tell of.

    `revision` and `snippet` are Markdown. Raises RenderError and SettingsError as `issue.build` does.
    """
    if audit.verdict != "leak":
        return ""
    loud = [line for line in lines if not is_quiet(line)]

    def rows(shown: int) -> dict[str, str]:
        more = (
            f"\n\nand {plural(len(loud) - shown, 'more row')} of the same kind." if shown < len(loud) else ""
        )
        return {"slices": slice_table(loud[:shown]) + more}

    after = (
        "If the figures change for better or worse, one comment per change follows here."
        if wish.follow_up
        else ""
    )
    parts = {
        "dataset": code(audit.origin.dataset),
        "revision": revision,
        "verdict": verdict_sentence(audit, lines),
        "evidence": evidence_list(lines),
        "baseline": baseline_sentence(audit.baseline),
        "snippet": snippet,
        "after": after,
        "footer": f"benchaudit {__version__}",
    }
    page = Page(template="upstream.md", templates=templates, most=MOST_CHARACTERS)
    text = page.fill(parts, rows, min(len(loud), MOST_SLICES))
    title = f"Some answers of {plain(audit.origin.dataset)} can be guessed without reading the question"
    how = (
        f"Nothing has been sent to {code(wish.where)}. It is sent, once, when somebody who may write here "
        f"adds the label {code(wish.label)} to this issue."
    )
    draft = folded("Draft of a report to the maintainers", fence(f"# {title}\n\n{text}", _LANGUAGE))
    return f"### Report upstream\n\n{how}\n\n{draft}"


def sent_part(sent: Sent) -> str:
    """Where the report is; it takes the place of the draft."""
    after = " It was closed there, or takes no comments any more: nothing more is sent." if sent.ended else ""
    return f"### Report upstream\n\nSent to {code(sent.where)}: {link('the report', sent.url)}.{after}"


def draft_of(body: str) -> tuple[str, str] | None:
    """Title and text of the draft that stands in a body, as people saw it there; None where there is none."""
    blocks = code_blocks(part_of(body, PART), _LANGUAGE)
    if len(blocks) != 1 or not blocks[0].startswith("# "):
        return None
    title, _, text = blocks[0].partition("\n")
    return title.removeprefix("# ").strip(), text.strip() + "\n"
