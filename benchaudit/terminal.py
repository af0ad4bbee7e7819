"""The report for a terminal: the same content as the issue, for its place. Prints with rich."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Literal

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from benchaudit import markdown, runner
from benchaudit.checks import by_name
from benchaudit.compare import Comparison
from benchaudit.figures import change, integer, plural, points, rounded, share, sparkline
from benchaudit.history import History
from benchaudit.inspection import Inspection
from benchaudit.markdown import MISSING, code
from benchaudit.models import SliceKey
from benchaudit.report.sentences import baseline_sentence, changed_sentence, verdict_sentence
from benchaudit.report.tables import CHANGE_LEGEND, CHECKS_PAGE, Line, lines_of
from benchaudit.speech import is_quiet
from benchaudit.verdict import Audit, Judged

_STYLES = {"leak": "bold red", "incomplete": "bold yellow", "slight": "yellow", "none-found": "green"}


class _Console(Console):
    """A console that says so where nobody reads on, instead of ending the program with status 1."""

    def on_broken_pipe(self) -> None:
        """Hand the error on."""
        raise BrokenPipeError


def show_briefly(audit: Audit) -> None:
    """Print the verdict in one line."""
    name = f"{shown(audit.origin.dataset)}@{audit.origin.revision.sha[:7]}"
    line = Text(f"{name}: ") + _verdict_text(audit.worst)
    if audit.baseline:
        pooled = audit.baseline.pooled
        line += Text(f", guesser {share(pooled.right, pooled.n)}, chance {share(pooled.chance, pooled.n)}")
    _Console(highlight=False, soft_wrap=True).print(line)


def show(audit: Audit, comparison: Comparison | None = None) -> None:
    """Print an audit, and against an earlier revision what changed."""
    console = _Console(highlight=False)
    origin = audit.origin
    console.print(Text(f"{shown(origin.dataset)}@{origin.revision.sha[:7]}", style="bold"))
    console.print(
        Text(f"{plural(audit.rows, 'row')}, {integer(audit.all.n)} of them items. Verdict: ")
        + _verdict_text(audit.worst)
    )
    lines = lines_of(audit, comparison)
    sha = code(comparison.old.snapshot.revision.sha[:7]) if comparison else ""
    for sentence in (
        verdict_sentence(audit, lines),
        changed_sentence(comparison, sha),
        baseline_sentence(audit.baseline),
    ):
        if sentence:
            console.print(Text(shown(markdown.words(sentence))))
    _print_slices(console, lines, with_change=comparison is not None)
    _print_legend(console, lines)
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
    return Text(_words(judged), style=_STYLES.get(judged.counts_as, "dim"))


_LEAST_NAME = 14
"""Columns that the names of slices keep, however narrow the terminal."""

_DISPENSABLE = ("alone", "expected", "among")
"""Columns that go first where there is no room, in this order."""


def _print_slices(console: Console, lines: list[Line], *, with_change: bool) -> None:
    """Print the table of slices. Figures are never cut: columns go, and then the lines are long."""
    names = ["n", "among", "expected", "alone", "picking", "chance", "gain"]
    verdicts = [_words(line.judged) + _could_show(line.judged) for line in lines]
    columns = {"gold is": [line.check for line in lines], "verdict": verdicts}
    rows = [_figures(line) for line in lines]
    columns |= {name: [row[name] for row in rows] for name in [*names, *(["change"] if with_change else [])]}
    widths = {name: max(map(len, [name, *cells])) for name, cells in columns.items()}

    def needed() -> int:
        return _LEAST_NAME + sum(width + 1 for width in widths.values())

    for name in _DISPENSABLE:
        if needed() > console.width:
            del widths[name]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("slice", overflow="fold", min_width=_LEAST_NAME)
    for name, width in widths.items():
        justify: Literal["left", "right"] = "left" if name in {"gold is", "verdict"} else "right"
        table.add_column(name, justify=justify, no_wrap=True, min_width=width)
    for number, line in enumerate(lines):
        cells: list[Text | str] = [columns[name][number] for name in widths]
        cells[1] = Text(verdicts[number], style=_STYLES.get(line.judged.counts_as, "dim"))
        table.add_row(Text(name_of(line.key)), *cells)
    console.print(table, width=max(console.width, needed()), crop=False)


def _figures(line: Line) -> dict[str, str]:
    # A check that has no meaning in a slice has no items there, and so no rates.
    tally, n = line.judged.tally, line.judged.tally.n
    return {
        "n": integer(line.n),
        "among": share(tally.among, n),
        "expected": share(tally.expected_among, n),
        "alone": share(tally.unique, n),
        "chance": share(tally.chance, n),
        "picking": share(tally.credit, n),
        "gain": f"{points(line.judged.gain)} {line.judged.direction}" if n else "–",
        "change": change(line.change.moved) if line.change else "–",
    }


def _words(judged: Judged) -> str:
    words = f"severe {judged.verdict}" if judged.severe else judged.verdict
    return f"{words} (accepted)" if judged.accepted else words


def _could_show(judged: Judged) -> str:
    """The smallest gain that so many items could have shown, behind a verdict that none was."""
    gain = judged.detectable_gain
    return "" if gain is None else f" (≥ {rounded(Fraction(gain) * 100)})"


_MOST_TITLES = 8
"""Checks that are explained, those of the worst lines; of the others the page about checks tells."""


def _print_legend(console: Console, lines: Sequence[Line]) -> None:
    """Say what the names and signs of the table mean, as far as they stand in it."""
    names = list(dict.fromkeys(line.check for line in lines if line.check in by_name()))
    titles = [f"{name}: {_lowered(by_name()[name].title)}" for name in names[:_MOST_TITLES]]
    if len(names) > _MOST_TITLES:
        titles.append(f"{', '.join(names[_MOST_TITLES:])}: see {CHECKS_PAGE}")
    could = next((gain for line in lines if (gain := _could_show(line.judged))), "")
    if could:
        titles.append(
            f"none-found{could}: a gain of so many points or more would have shown, four times out of five"
        )
    if any(line.change and line.change.moved for line in lines):
        titles.append(f"change: {markdown.words(CHANGE_LEGEND)}")
    for title in titles:
        console.print(Text(title, style="dim"))


def _lowered(title: str) -> str:
    return title[:1].lower() + title[1:]


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


_MOST_LINES = 20


def show_history_briefly(history: History) -> None:
    """Print the newest revision of a history in one line."""
    last = history.points[-1]
    line = Text(f"{shown(history.dataset)}: {plural(len(history.points), 'revision')}, {last.sha[:7]}: ")
    verdict = f"severe {last.verdict}" if last.severe else last.verdict
    line += Text(verdict, style=_STYLES.get(last.verdict, "dim"))
    for name, rate in (("guesser", last.guesser), ("chance", last.chance)):
        line += Text(f", {name} {share(rate, 1)}" if rate is not None else "")
    _Console(highlight=False, soft_wrap=True).print(line)


def show_history(history: History) -> None:
    """Print the revisions of a dataset, and a line for each slice whose rates are known, the worst first."""
    console = _Console(highlight=False)
    console.print(Text(shown(history.dataset), style="bold"))
    revisions = _table("revision", "committed", "verdict", "guesser", "chance", "items")
    for point in history.points:
        style = _STYLES.get(point.verdict, "dim")
        revisions.add_row(
            point.sha[:7],
            shown(point.when),
            Text(f"severe {point.verdict}" if point.severe else point.verdict, style=style),
            *("–" if rate is None else share(rate, 1) for rate in (point.guesser, point.chance)),
            integer(point.n),
        )
    console.print(revisions)
    places = history.places()
    if places:
        lines = _table("slice", "gold is", "best rule, oldest first", "last")
        for key, check in places[:_MOST_LINES]:
            scores = [None if rate is None else rate.score for rate in history.rates((key, check))]
            last = "gone" if scores[-1] is None else share(scores[-1], 1)
            lines.add_row(Text(name_of(key)), check, sparkline(scores), last)
        console.print(lines)
    if len(places) > _MOST_LINES:
        console.print(
            Text(f"{plural(len(places) - _MOST_LINES, 'more line')}: --json and --pages have them.")
        )
    for note in history.notes:
        console.print(Text(f"note: {shown(note)}"))


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    return table


@contextmanager
def bar(title: str, total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on standard error, gone when it is full; what is said meanwhile stands above it."""
    console = Console(stderr=True, highlight=False)
    counted = (BarColumn(), MofNCompleteColumn()) if total > 1 else ()
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), *counted, TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as drawn:
        task = drawn.add_task(shown(title), total=total)

        def advance(step: str) -> None:
            drawn.update(task, advance=1, description=f"{shown(title)} {shown(step)}")

        yield advance


def show_inspection(seen: Inspection) -> None:
    """Print what a look at a source found; the config to paste goes to standard output as it is."""
    console = _Console(highlight=False)
    if is_quiet():
        console.out(seen.config, highlight=False, end="")
        return
    files = ", ".join(map(shown, seen.files[:_MOST_LINES]))
    more = f" and {len(seen.files) - _MOST_LINES} more" if len(seen.files) > _MOST_LINES else ""
    console.print(Text(f"{shown(seen.dataset)}@{seen.revision[:7]}", style="bold"))
    console.print(Text(f"{plural(len(seen.files), 'file')} read: {files}{more}"))
    for note in seen.notes:
        console.print(Text(f"note: {shown(note)}"))
    console.print(Text(f"columns, in the first {plural(seen.sampled, 'row')}:", style="bold"))
    columns = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    names = [shown(column.name) for column in seen.columns]
    widest = min(max(map(len, names), default=0), console.width // 2)
    columns.add_column("column", overflow="fold", min_width=widest, max_width=widest)
    columns.add_column("different", justify="right", no_wrap=True, min_width=9)
    columns.add_column("for example", no_wrap=True)
    room = max(12, console.width - widest - 11)
    for column, name in zip(seen.columns, names, strict=True):
        example = shown(column.example[:200])
        example = example if len(example) <= room else f"{example[: room - 1]}…"
        columns.add_row(Text(name), integer(column.values), Text(example))
    console.print(columns)
    if seen.problem is not None:
        return
    console.print(Text("what was found:", style="bold"))
    for line in seen.evidence:
        console.print(Text(f"  {shown(line)}"))
    console.print(Text(f"  {plural(seen.rows, 'row')}, {integer(seen.usable)} of them items"))
    for reason, left in (seen.left_out or {}).items():
        console.print(
            Text(f"  {integer(left.rows)} left out: {reason} ({', '.join(map(shown, left.sample))})")
        )
    for finding in seen.findings:
        console.print(Text(f"  {finding.severity}: {plural(finding.count, 'row')}, {shown(finding.message)}"))
    console.print(
        Text(
            "to paste into .github/benchaudit.yml, for the input `config` and the flag --config:",
            style="bold",
        )
    )
    console.out(seen.config, highlight=False)
    console.print(Text("or without a config file, in the workflow's step with the action:", style="bold"))
    console.out(seen.step, highlight=False, end="")
