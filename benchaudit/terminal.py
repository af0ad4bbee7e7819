"""The report for a terminal: the same content as the issue, for its place. Prints with rich."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchaudit.compare import Comparison
from benchaudit.figures import change, integer, plural, points, share
from benchaudit.markdown import MISSING, shown
from benchaudit.models import SliceKey
from benchaudit.report.tables import Line, lines_of
from benchaudit.verdict import Audit, Judged

_STYLES = {"leak": "bold red", "incomplete": "bold yellow", "slight": "yellow", "none-found": "green"}


def show(audit: Audit, comparison: Comparison | None = None) -> None:
    """Print an audit, and against an earlier revision what changed."""
    console = Console(highlight=False)
    origin = audit.origin
    console.print(Text(f"{shown(origin.dataset)}@{origin.revision.sha[:7]}", style="bold"))
    console.print(
        Text(f"{plural(audit.rows, 'row')}, {integer(audit.all.n)} of them items. Verdict: ")
        + _verdict_text(audit.worst)
    )
    lines = lines_of(audit, comparison)
    console.print(_slices(lines, with_change=comparison is not None, wide=console.width >= _WIDE))
    if audit.left_out:
        console.print(_left_out(audit))
    for finding in audit.findings:
        console.print(Text(f"{finding.severity}: {plural(finding.count, 'row')}, {finding.message}"))
    for note in audit.notes:
        console.print(Text(f"note: {shown(note)}"))
    if comparison is not None:
        _show_comparison(console, comparison)


def _show_comparison(console: Console, comparison: Comparison) -> None:
    if comparison.pairs:
        moved = {name: number for name, number in comparison.pairs.rows.items() if number}
        console.print(
            Text("rows: " + ", ".join(f"{integer(n)} {name.replace('_', ' ')}" for name, n in moved.items()))
        )
    for news in comparison.material:
        where = name_of(news.key) if news.key is not None else ""
        console.print(
            Text(f"changed: {' '.join(filter(None, [where, news.check, shown(news.text)]))}", style="bold")
        )
    if not comparison.material:
        console.print(Text("nothing changed that matters"))
    for note in comparison.notes:
        console.print(Text(note))


def name_of(key: SliceKey) -> str:
    """A slice as a line of text."""
    return (
        ", ".join(f"{shown(name)}={MISSING if value is None else shown(value)}" for name, value in key)
        or "ALL"
    )


def _verdict_text(judged: Judged | None) -> Text:
    if judged is None:
        return Text("not applicable")
    words = f"severe {judged.verdict}" if judged.severe else judged.verdict
    return Text(words, style=_STYLES.get(judged.verdict, "dim"))


_WIDE = 110
"""Columns of a terminal from which all figures are shown."""


def _slices(lines: list[Line], *, with_change: bool, wide: bool) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("slice", overflow="fold", min_width=16)
    table.add_column("gold is", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    more = ("expected", "alone", "chance") if wide else ()
    for name in ("n", "among", *more, "picking", "gain", *(("change",) if with_change else ())):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        tally, n = line.judged.tally, line.n
        cells = {
            "n": integer(n),
            "among": share(tally.among, n),
            "expected": share(tally.expected_among, n),
            "alone": share(tally.unique, n),
            "chance": share(tally.chance, n),
            "picking": share(tally.credit, n),
            "gain": f"{points(line.judged.gain)} {line.judged.direction}" if n else "–",
            "change": change(line.change.moved) if line.change else "–",
        }
        shown_cells = [cells[str(column.header)] for column in table.columns[3:]]
        table.add_row(Text(name_of(line.key)), line.check, _verdict_text(line.judged), *shown_cells)
    return table


def _left_out(audit: Audit) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("rows that are no items", "defective", "for example"):
        table.add_column(name, overflow="fold")
    for reason, left in audit.left_out.items():
        table.add_row(
            f"{integer(left.rows)} {reason}",
            "yes" if left.defective else "no",
            Text(", ".join(map(shown, left.sample))),
        )
    return table
