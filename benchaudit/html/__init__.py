"""The HTML report: one file that needs no network and no server, and can run nothing but its own script.

Its Content-Security-Policy names the one style sheet and the one script by their digests and forbids
all else. Text of a dataset goes in escaped by MarkupSafe's types; sentences and small tables are those
of the issue, whose Markdown is inert already.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from markupsafe import Markup

from benchaudit.compare import Comparison
from benchaudit.history import History, point_of
from benchaudit.html import sections, slices
from benchaudit.html.details import detail
from benchaudit.html.page import page
from benchaudit.report.tables import lines_of
from benchaudit.report.templates import Templates
from benchaudit.samples import Samples
from benchaudit.verdict import Audit


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a page is about: an audit, what changed, earlier revisions, and sample rows by slice and check.

    `above` stands before all of it, as a way back to an index does.
    """

    audit: Audit
    comparison: Comparison | None = None
    history: History | None = None
    samples: Samples = field(default_factory=dict)
    above: Markup = field(default=Markup(""))


def report_page(subject: Subject, templates: Templates) -> str:
    """The whole page of one audit. Raises SettingsError for a template that cannot be filled."""
    audit, comparison = subject.audit, subject.comparison
    history = subject.history or History(dataset=audit.origin.dataset, points=(point_of(audit),))
    lines = lines_of(audit, comparison)
    numbers = {part.key: number for number, part in enumerate(audit.slices)}
    rows = [slices.row(line, place, numbers[line.key]) for place, line in enumerate(lines)]
    main = [
        subject.above,
        sections.verdict(audit, comparison, lines),
        sections.tiles(audit, lines),
        sections.chart(lines),
        sections.history(history),
        slices.section(lines, rows),
        sections.rows_and_findings(audit),
        sections.measured(audit, lines),
    ]
    data = {
        "page": slices.PAGE_ROWS,
        "rows": rows,
        "details": [detail(part, audit, subject.samples, history) for part in audit.slices],
    }
    now = point_of(audit)
    about = f"Revision {now.sha[:12]}" + (f", committed {now.when}" if now.committed_at else "")
    return page(audit.origin.dataset, about, Markup("\n").join(main), templates, data)
