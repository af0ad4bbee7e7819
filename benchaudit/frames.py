"""Audits and comparisons as pandas tables, for people who go on from here. One row a slice and check."""

from __future__ import annotations

from typing import Any

import pandas as pd

from benchaudit.compare import Comparison
from benchaudit.markdown import MISSING
from benchaudit.verdict import Audit, Judged, SliceAudit


def audit_frame(audit: Audit) -> pd.DataFrame:
    """The figures of an audit. Sums are whole numbers or Fractions; `gain` and `p` are floats.

    Slice columns come first, one for each column that any slice fixes, None where a slice does not fix
    it; `slicing` tells a slice that fixes a missing value from one that does not fix the column. A slice
    column that is called as a figure is has an `@` in front.
    """
    columns = sorted({name for part in audit.slices for name, _ in part.key})
    figures = [
        (part, {"slicing": "*".join(name for name, _ in part.key), **_figures(part, name, judged)})
        for part in audit.slices
        for name, judged in part.checks.items()
    ]
    taken = set(figures[0][1]) if figures else set()
    called = {name: f"@{name}" if name in taken else name for name in columns}
    rows = [{called[name]: dict(part.key).get(name) for name in columns} | figure for part, figure in figures]
    return pd.DataFrame(rows)


def _figures(part: SliceAudit, check: str, judged: Judged) -> dict[str, Any]:
    tally = judged.tally
    return {
        "check": check,
        "n": part.n,
        "among": tally.among,
        "unique": tally.unique,
        "credit": tally.credit,
        "chance": tally.chance,
        "expected_among": tally.expected_among,
        "gain": float(judged.gain) if tally.n else None,
        "direction": judged.direction if tally.n else None,
        "p": judged.p.p if judged.p else None,
        "p_adjusted": judged.p_adjusted.p if judged.p_adjusted else None,
        "verdict": judged.verdict,
        "severe": judged.severe,
    }


def comparison_frame(comparison: Comparison) -> pd.DataFrame:
    """The change of every slice and check: rates before and after, and each step between them."""
    rows: list[dict[str, Any]] = [
        {
            "slice": ", ".join(f"{name}={MISSING if value is None else value}" for name, value in change.key)
            or "ALL",
            "check": change.check,
            "old_n": change.old.tally.n if change.old else 0,
            "new_n": change.new.tally.n if change.new else 0,
            "old_verdict": change.old.verdict if change.old else None,
            "new_verdict": change.new.verdict if change.new else None,
            "change": float(change.moved) if change.moved is not None else None,
            **{name: float(step) for name, step in change.steps.items()},
            "material": change.material,
        }
        for change in comparison.changes
    ]
    return pd.DataFrame(rows)
