"""What came of a balance, as JSON and as Markdown: figures before and after, and what was given up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchaudit import __version__
from benchaudit.balance.problem import LIMIT
from benchaudit.balance.work import DATA, KEPT, REWRITE, Balanced
from benchaudit.checks import all_checks
from benchaudit.figures import integer, plural, points, rounded
from benchaudit.markdown import code, prose, table
from benchaudit.models import SliceKey
from benchaudit.report.document import exact, key_document
from benchaudit.report.tables import slice_name, verdict_words
from benchaudit.verdict import Audit, Judged, SliceAudit

MOST_SHOWN = 20
"""Slices that lost all their rows, and notes, that the Markdown names one by one."""


def document(made: Balanced) -> dict[str, Any]:
    """The figures, exact, and where the lists of rows are."""
    origin, problem = made.before.origin, made.problem
    after = _by_slice(made.after)
    return {
        "schema": 1,
        "tool": f"benchaudit {__version__}",
        "source": {"dataset": origin.dataset, "revision": origin.revision.sha},
        "limits": {check: exact(limit) for check, limit in zip(problem.checks, problem.limits, strict=True)},
        "rows": made.before.rows,
        "items": made.before.all.n,
        "kept": made.subset.rows,
        "at_most": made.subset.bound,
        "verdict": {"before": made.before.verdict, "after": made.after.verdict if made.after else None},
        "dropped": [key_document(key) for key in made.dropped],
        "slices": [
            {
                "slice": key_document(part.key),
                "before": _figures(part, problem.checks),
                "after": _figures(after[part.key], problem.checks) if part.key in after else None,
            }
            for part in made.before.slices
        ],
        "rewrite": sum(each.rows for each in made.rewrites),
        "lists": {"kept": KEPT, "rewrite": REWRITE},
        "notes": list(made.notes),
    }


def _figures(part: SliceAudit, checks: Iterable[str]) -> dict[str, Any]:
    return {
        "n": part.n,
        "checks": {
            name: {
                "credit": exact(judged.tally.credit),
                "avoided": exact(judged.tally.avoided),
                "chance": exact(judged.tally.chance),
                "gain": float(judged.gain) if judged.tally.n else None,
                "direction": judged.direction if judged.tally.n else None,
                "verdict": judged.verdict,
            }
            for name, judged in ((name, part.checks[name]) for name in checks)
        },
    }


def _by_slice(audit: Audit | None) -> dict[SliceKey, SliceAudit]:
    return {part.key: part for part in audit.slices} if audit else {}


def text(made: Balanced) -> str:
    """The same for people, as Markdown."""
    parts = [f"# Balance of {code(made.before.origin.dataset)}", summary(made), _table(made)]
    if made.dropped and made.subset.rows:
        parts.append(_dropped(made))
    if others := _others(made):
        parts.append(others)
    if made.rewrites:
        rows = plural(sum(each.rows for each in made.rewrites), "row")
        parts.append(
            f"To lose no row instead, rewrite the options of the {rows} in `{REWRITE}` so that their length "
            "tells nothing; those that contribute most come first. Every slice that gets a verdict is "
            "balanced then."
        )
    parts += [f"- {prose(note)}" for note in made.notes[:MOST_SHOWN]]
    return "\n\n".join(parts) + "\n"


def summary(made: Balanced) -> str:
    """What is kept, in a sentence or two."""
    names, limit = " and ".join(f"`{name}`" for name in made.on), rounded(LIMIT * 100)
    if not made.subset.rows:
        none = f"No subset is balanced on {names} within {limit} points in any slice, so none was written."
        return none + _held(made)
    kept, items, bound = made.subset.rows, made.before.all.n, made.subset.bound
    most = (
        "; no subset that holds to this has more"
        if kept == bound
        else f"; no subset that holds to this has more than {integer(bound)}"
    )
    left = made.before.rows - items
    no_items = "row that is no item is" if left == 1 else "rows that are no items are"
    without = f" The {integer(left)} {no_items} not in it." if left else ""
    return (
        f"{integer(kept)} of {plural(items, 'item')} are kept in `{DATA}/`{most}. In every slice, picking or "
        f"avoiding options by {names} gains at most {limit} points over chance.{_held(made)}{without}"
    )


def _held(made: Balanced) -> str:
    held = ", ".join(f"`{check}`" for check in made.problem.only)
    return f" Where it would have leaked by {held}, that was held below a leak." if held else ""


def _table(made: Balanced) -> str:
    """A line for each slice: rows, gains and the worst verdict, before and after."""
    checks, after = made.on, _by_slice(made.after)
    header = ["Slice", "Items", "Kept"]
    for name in checks:
        header += [f"`{name}` before", "after"]
    rows = []
    for part in made.before.slices:
        new = after.get(part.key)
        cells = [slice_name(part.key), integer(part.n), integer(new.n if new else 0)]
        for name in checks:
            cells += [_gain(part.checks[name]), _gain(new.checks[name]) if new else "–"]
        worst = [_worst(part, checks), _worst(new, checks) if new else "dropped" if part.n else "–"]
        rows.append([*cells, *worst])
    return table([*header, "Verdict before", "after"], rows)


def _gain(judged: Judged) -> str:
    return f"{points(judged.gain)} ({judged.direction})" if judged.tally.n else "–"


def _worst(part: SliceAudit, checks: Iterable[str]) -> str:
    return verdict_words(min((part.checks[name] for name in checks), key=lambda judged: judged.rank))


def _dropped(made: Balanced) -> str:
    named = [key for key in made.dropped if key]
    names = ", ".join(slice_name(key) for key in named[:MOST_SHOWN])
    more = f", and {integer(len(named) - MOST_SHOWN)} more" if len(named) > MOST_SHOWN else ""
    return f"Dropped whole, for no balanced part is large enough or goes with the others: {names}{more}."


def _others(made: Balanced) -> str:
    """Which checks leak that were not balanced: length in another unit, or something else altogether."""
    if made.after is None:
        return ""
    leaking = [
        check.name
        for check in all_checks()
        if check.name not in made.on
        and any(part.checks[check.name].verdict == "leak" for part in made.after.slices)
    ]
    if not leaking:
        return ""
    names = ", ".join(f"`{name}`" for name in leaking)
    return f"The subset still leaks by {names}: `--on` balances on these too."
