"""The report for a terminal: the same content as the issue, for its place. Prints with rich."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchaudit import markdown, runner
from benchaudit.compare import Comparison
from benchaudit.figures import change, integer, plural, points, share
from benchaudit.inspection import Inspection
from benchaudit.markdown import MISSING
from benchaudit.models import SliceKey
from benchaudit.report.tables import Line, lines_of
from benchaudit.verdict import Audit, Judged

_WIDE = 110
"""Columns of a terminal from which all figures are shown."""

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
        console.print(Text(f"{finding.severity}: {plural(finding.count, 'row')}, {shown(finding.message)}"))
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
        console.print(Text(shown(note)))


def shown(text: str) -> str:
    """`text` as `markdown.shown` has it; where a runner reads along, without commands either."""
    seen = markdown.shown(text)
    return runner.harmless(seen) if runner.is_runner() else seen


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


def _slices(lines: list[Line], *, with_change: bool, wide: bool) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("slice", overflow="fold", min_width=16)
    table.add_column("gold is", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    more = ("expected", "alone", "chance") if wide else ()
    for name in ("n", "among", *more, "picking", "gain", *(("change",) if with_change else ())):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        # A check that has no meaning in a slice has no items there, and so no rates.
        tally, n = line.judged.tally, line.judged.tally.n
        cells = {
            "n": integer(line.n),
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


def show_inspection(seen: Inspection) -> None:
    """Print what a look at a source found; the config to paste goes to standard output as it is."""
    console = Console(highlight=False)
    console.print(Text(f"{shown(seen.dataset)}@{seen.revision[:7]}", style="bold"))
    console.print(Text("files: " + ", ".join(map(shown, seen.files[:20]))))
    for note in seen.notes:
        console.print(Text(f"note: {shown(note)}"))
    columns = Table(box=None, pad_edge=False)
    columns.add_column("column", overflow="fold", min_width=16)
    columns.add_column("values", justify="right", no_wrap=True)
    columns.add_column("for example", no_wrap=True, overflow="ellipsis")
    for column in seen.columns:
        columns.add_row(Text(shown(column.name)), integer(column.values), Text(shown(column.example[:200])))
    console.print(columns)
    if seen.problem is not None:
        return
    console.print(Text("proposed mapping:", style="bold"))
    for line in seen.evidence:
        console.print(Text(f"  {shown(line)}"))
    console.print(Text(f"{plural(seen.rows, 'row')}, {integer(seen.usable)} of them items"))
    for reason, left in (seen.left_out or {}).items():
        console.print(
            Text(f"  {integer(left.rows)} left out: {reason} ({', '.join(map(shown, left.sample))})")
        )
    for finding in seen.findings:
        console.print(Text(f"  {finding.severity}: {plural(finding.count, 'row')}, {shown(finding.message)}"))
    console.print(Text("to paste into .github/benchaudit.yml:", style="bold"))
    console.out(seen.config, highlight=False)
