"""The parts of a report that give way: what they hold is a function of how many rows may be shown. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from benchaudit.changes import Change
from benchaudit.compare import Comparison
from benchaudit.figures import plural
from benchaudit.markdown import folded
from benchaudit.report.sentences import is_quiet, material_list
from benchaudit.report.tables import CHANGE_LEGEND, Line, rows_table, slice_table, steps_table

_WHOLE = "; the JSON report of the run (output `report`) has them all."


def slice_rows(lines: Sequence[Line], further: str) -> Callable[[int], dict[str, str]]:
    """The placeholders that hold slices, with so many rows: quiet ones go first, then the last.

    `further` is what is said of further checks below the table.
    """
    loud = [line for line in lines if not is_quiet(line)]
    quiet = [line for line in lines if is_quiet(line)]

    def rows(shown: int) -> dict[str, str]:
        folds = quiet[: max(0, shown - len(loud))]
        slices = slice_table(loud[:shown])
        slices += _legend(line.change for line in loud[:shown])
        slices += f"\n\n{further}" if further else ""
        missing = len(lines) - shown
        if missing > 0:
            slices += f"\n\n{plural(missing, 'more row')} had no room here{_WHOLE}"
        title = f"{plural(len(folds), 'quiet row')}: no leak, and nothing that changed matters"
        return {"slices": slices, "quiet": folded(title, slice_table(folds)) if folds else ""}

    return rows


def change_rows(comparison: Comparison | None) -> Callable[[int], dict[str, str]]:
    """The placeholders that hold changes, of so many slices and checks."""
    changed = [item for item in comparison.changes if item.material] if comparison else []
    pairs = comparison.pairs if comparison else None

    def rows(shown: int) -> dict[str, str]:
        return {
            "material": material_lines(comparison, shown),
            "steps": steps_table(changed[:shown]) + _legend(changed[:shown]),
            "rows": rows_table(pairs) if pairs and shown else "",
        }

    return rows


def _legend(changes: Iterable[Change | None]) -> str:
    """What the signs of changes mean, below a table that has some; "" below any other."""
    return f"\n\n<sub>{CHANGE_LEGEND}</sub>" if any(item and item.moved for item in changes) else ""


def material_lines(comparison: Comparison | None, shown: int) -> str:
    """What matters, so many lines of it."""
    lines = material_list(comparison) if comparison else []
    missing = len(lines) - shown
    more = [f"- {plural(missing, 'more change')} had no room here{_WHOLE}"] if missing > 0 else []
    return "\n".join([*lines[:shown], *more])
