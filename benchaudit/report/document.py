"""The JSON report, as `benchaudit schema` describes it: sums are exact, rates have all their digits."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchaudit import __version__
from benchaudit.baseline import Baseline, Scored
from benchaudit.errors import SettingsError
from benchaudit.models import ALL, ColumnMapping, SliceKey
from benchaudit.tally import Tally
from benchaudit.verdict import Audit, Judged, SliceAudit

if TYPE_CHECKING:
    from benchaudit.changes import Change
    from benchaudit.compare import Comparison
    from benchaudit.history import History
    from benchaudit.past import Past

SCHEMA = 1


def audit_document(audit: Audit) -> dict[str, Any]:
    """An audit as JSON. Arrays are sorted, so that equal input gives equal bytes."""
    applicable = not audit.mapping.gold_apart
    return {
        "schema": SCHEMA,
        "tool": f"benchaudit {__version__}",
        "source": {
            "dataset": audit.origin.dataset,
            "revision": audit.origin.revision.sha,
            "committed_at": audit.origin.revision.committed_at or None,
            "files": [{"path": blob.path, "blob": blob.id} for blob in audit.origin.blobs],
        },
        "mapping": mapping_document(audit.mapping),
        "thresholds": {
            "min-rows": audit.thresholds.min_rows,
            "alpha": audit.thresholds.alpha,
            "min-effect": audit.thresholds.min_effect,
            "min-change": audit.thresholds.min_change,
        },
        "checks": dict(audit.check_versions),
        "rows": audit.rows,
        "usable": audit.all.n,
        "left_out": {
            reason: {"rows": left.rows, "defective": left.defective, "sample": list(left.sample)}
            for reason, left in sorted(audit.left_out.items())
        },
        "verdict": audit.verdict,
        "severe": audit.severe,
        "option_counts": _option_counts(audit.all),
        "gold_position": {"applicable": applicable},
        "baseline": _baseline(audit.baseline),
        "slices": [_slice(part, applicable=applicable) for part in audit.slices],
        "not_run": list(audit.not_run),
        "findings": [
            {
                "check": finding.check,
                "severity": finding.severity,
                "count": finding.count,
                "sample": list(finding.sample),
                "message": finding.message,
            }
            for finding in audit.findings
        ],
        "notes": list(audit.notes),
    }


def run_document(audit: Audit, comparison: Comparison | None) -> dict[str, Any]:
    """What a run hands over of an audit: its report, and in it what changed since the revision before."""
    return audit_document(audit) | {"comparison": comparison_document(comparison) if comparison else None}


def _baseline(found: Baseline | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "slices": "*".join(found.column) or None,
        "n": found.pooled.n,
        "accuracy": exact(found.pooled.right / found.pooled.n),
        "chance": exact(found.pooled.chance / found.pooled.n),
        "rules": [_rules(ALL, found.slices[ALL])]
        + [
            _rules(key, scored)
            for key, scored in found.slices.items()
            if found.column and _columns(key) == found.column
        ],
    }


def _columns(key: SliceKey) -> tuple[str, ...]:
    return tuple(name for name, _ in key)


def _rules(key: SliceKey, scored: Scored) -> dict[str, Any]:
    return {
        "slice": key_document(key),
        "n": scored.n,
        "accuracy": exact(scored.right / scored.n),
        "chance": exact(scored.chance / scored.n),
        "rules": [f"{rule.direction} {rule.check}" for rule in scored.rules],
    }


def text_of(document: Any) -> str:
    """A document as text that can be written as UTF-8."""
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    # A lone surrogate, as in a file name that is no UTF-8, cannot be written.
    return text.encode(errors="replace").decode()


def history_document(history: History) -> dict[str, Any]:
    """A history as JSON, oldest revision first; scores are rates, exact."""
    return {
        "schema": SCHEMA,
        "tool": f"benchaudit {__version__}",
        "dataset": history.dataset,
        "revisions": [
            {
                "revision": point.sha,
                "committed_at": point.committed_at or None,
                "verdict": point.verdict,
                "severe": point.severe,
                "usable": point.n,
                "guesser": None if point.guesser is None else exact(point.guesser),
                "chance": None if point.chance is None else exact(point.chance),
                "rates": [
                    {
                        "slice": key_document(key),
                        "check": check,
                        "score": exact(rate.score),
                        "chance": exact(rate.chance),
                        "verdict": rate.verdict,
                        "severe": rate.severe,
                    }
                    for (key, check), rate in point.rates.items()
                ],
            }
            for point in history.points
        ],
        "notes": list(history.notes),
    }


def write(name: str, document: Any) -> None:
    """Write a document to a file, or to standard output where it is called `-`.

    Raises SettingsError where it cannot be written.
    """
    text = text_of(document)
    if name == "-":
        # The same JSON, but a runner that reads along would take the mark for a command of its own.
        sys.stdout.write(text.replace("##[", "#\\u0023["))
        return
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"cannot be written ({error.strerror})", where=name, todo="name another file"
        ) from None


def mapping_document(mapping: ColumnMapping) -> dict[str, Any]:
    """A mapping in the words of the config file; what is not used is left out."""
    given = {
        "question": list(mapping.question),
        "options": list(mapping.options),
        "distractors": list(mapping.distractors),
        "gold": mapping.gold,
        "gold-fallback": mapping.gold_fallback,
        "gold-encoding": mapping.gold_encoding,
        "option-separator": mapping.option_separator,
        "options-in-question": mapping.options_in_question,
        "last-turn": mapping.last_turn,
        "id": mapping.id,
    }
    return {name: value for name, value in given.items() if value}


def key_document(key: SliceKey) -> dict[str, str | None]:
    """A slice as an object; ALL is empty, a missing value is null."""
    return dict(key)


def exact(value: Fraction) -> int | str:
    """A sum: a whole number, or a fraction as a text."""
    return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def _option_counts(part: SliceAudit) -> dict[str, int]:
    counts: dict[int, int] = {}
    tally = next(iter(part.checks.values())).tally if part.checks else Tally()
    for k, _, items, _ in tally.cells:
        counts[k] = counts.get(k, 0) + items
    return {str(k): items for k, items in sorted(counts.items())}


def _slice(part: SliceAudit, *, applicable: bool) -> dict[str, Any]:
    return {
        "slice": key_document(part.key),
        "n": part.n,
        "left_out": dict(sorted(part.left_out.items())),
        "gold_position": {str(place): n for place, n in sorted(part.gold_position.items())}
        if applicable
        else None,
        "checks": {name: _judged(judged) for name, judged in part.checks.items()},
    }


def _judged(judged: Judged) -> dict[str, Any]:
    tally = judged.tally
    return {
        "among": tally.among,
        "unique": tally.unique,
        "credit": exact(tally.credit),
        "avoided": exact(tally.avoided),
        "chance": exact(tally.chance),
        "expected_among": exact(tally.expected_among),
        "expected_unique": exact(tally.expected_unique),
        "tally": [list(cell) for cell in tally.cells],
        "gain": float(judged.gain) if tally.n else None,
        "direction": judged.direction if tally.n else None,
        "p": judged.p.p if judged.p else None,
        "log10_p": judged.p.log10_p if judged.p else None,
        "p_adjusted": judged.p_adjusted.p if judged.p_adjusted else None,
        "verdict": judged.verdict,
        "severe": judged.severe,
        "accepted": judged.acceptance.reason if judged.acceptance and judged.accepted else None,
        "among_interval": _interval(judged, tally.among),
        "unique_interval": _interval(judged, tally.unique),
        "detectable_gain": judged.detectable_gain,
    }


def _interval(judged: Judged, count: int) -> list[float] | None:
    interval = judged.interval(count)
    return list(interval) if interval else None


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """A comparison as JSON; `steps` are differences of rates, exact, and add up to the change."""
    by_slice: dict[SliceKey, dict[str, Any]] = {}
    for change in comparison.changes:
        by_slice.setdefault(change.key, {})[change.check] = _change(change)
    return {
        "schema": SCHEMA,
        "old": comparison.old.snapshot.revision.sha,
        "new": comparison.new.origin.revision.sha,
        "material": [
            {
                "kind": news.kind,
                "slice": None if news.key is None else key_document(news.key),
                "check": news.check or None,
                "text": news.text,
            }
            for news in comparison.material
        ],
        "rows": dict(comparison.pairs.rows) if comparison.pairs else None,
        "notes": list(comparison.notes),
        "slices": [{"slice": key_document(key), "checks": checks} for key, checks in by_slice.items()],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "old": _past(change.old),
        "new": None
        if change.new is None
        else _brief(change.new.tally, change.new.verdict, severe=change.new.severe),
        "change": None if change.moved is None else exact(change.moved),
        "steps": {name: exact(step) for name, step in change.steps.items()},
        "flips": list(change.moves.flips) if change.moves else [],
        "mcnemar_p": change.mcnemar_p,
        "material": change.material,
    }


def _past(past: Past | None) -> Mapping[str, Any] | None:
    return None if past is None else _brief(past.tally, past.verdict, severe=past.severe)


def _brief(tally: Tally, verdict: str, *, severe: bool) -> dict[str, Any]:
    return {
        "n": tally.n,
        "among": tally.among,
        "unique": tally.unique,
        "credit": exact(tally.credit),
        "chance": exact(tally.chance),
        "gain": float(tally.gain) if tally.n else None,
        "direction": tally.direction if tally.n else None,
        "verdict": verdict,
        "severe": severe,
    }
