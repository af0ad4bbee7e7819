"""The JSON Schemas that others rely on: of reports, comparisons, histories and the config file."""

from __future__ import annotations

from typing import Any

from benchaudit.report.document import SCHEMA
from benchaudit.settings import declared
from benchaudit.verdict import WORST_FIRST

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_COUNT = {"type": "integer", "minimum": 0}
_SUM = {
    "description": "A sum over items: a whole number, or an exact fraction as a text.",
    "anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+/[0-9]+$"}],
}
_RATE = {"type": ["number", "null"]}
_PROBABILITY = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_INTERVAL = {
    "anyOf": [
        {
            "type": "array",
            "items": {"type": "number", "minimum": 0, "maximum": 1},
            "minItems": 2,
            "maxItems": 2,
        },
        {"type": "null"},
    ]
}
_TEXT = {"type": "string"}
_FLAG = {"type": "boolean"}
_TEXT_OR_NONE = {"type": ["string", "null"]}
_TEXTS = {"type": "array", "items": _TEXT}
_VERDICT = {"enum": list(WORST_FIRST)}
_DIRECTION = {"enum": ["pick", "avoid", None]}
_SLICE = {
    "description": "Column to value; {} is ALL, null a missing value.",
    "type": "object",
    "additionalProperties": _TEXT_OR_NONE,
}


def _record(**fields: Any) -> dict[str, Any]:
    """An object with exactly these fields."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _map(value: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": value}


def _list(item: Any) -> dict[str, Any]:
    return {"type": "array", "items": item}


def report_schema() -> dict[str, Any]:
    """The JSON Schema of what `audit --json` writes, and `watch` with a comparison in it."""
    check = _record(
        among=_COUNT,
        unique=_COUNT,
        credit=_SUM,
        avoided=_SUM,
        chance=_SUM,
        expected_among=_SUM,
        expected_unique=_SUM,
        tally=_list({"type": "array", "items": _COUNT, "minItems": 4, "maxItems": 4}),
        gain=_RATE,
        direction=_DIRECTION,
        p=_PROBABILITY,
        log10_p=_RATE,
        p_adjusted=_PROBABILITY,
        verdict=_VERDICT,
        severe={"type": "boolean"},
        accepted=_TEXT_OR_NONE,
        among_interval=_INTERVAL,
        unique_interval=_INTERVAL,
        detectable_gain=_RATE,
    )
    part = _record(
        slice=_SLICE,
        n=_COUNT,
        left_out=_map(_COUNT),
        gold_position={"anyOf": [_map(_COUNT), {"type": "null"}]},
        checks=_map(check),
    )
    rule = _record(slice=_SLICE, n=_COUNT, accuracy=_SUM, chance=_SUM, rules=_TEXTS)
    schema = _record(
        schema={"const": SCHEMA},
        tool=_TEXT,
        source=_record(
            dataset=_TEXT,
            revision=_TEXT,
            committed_at=_TEXT_OR_NONE,
            files=_list(_record(path=_TEXT, blob=_TEXT)),
        ),
        mapping={"type": "object"},
        thresholds=_map({"type": "number"}),
        checks=_map({"type": "integer"}),
        rows=_COUNT,
        usable=_COUNT,
        left_out=_map(_record(rows=_COUNT, defective={"type": "boolean"}, sample=_TEXTS)),
        verdict=_VERDICT,
        severe={"type": "boolean"},
        option_counts=_map(_COUNT),
        gold_position=_record(applicable={"type": "boolean"}),
        baseline={
            "anyOf": [
                _record(slices=_TEXT_OR_NONE, n=_COUNT, accuracy=_SUM, chance=_SUM, rules=_list(rule)),
                {"type": "null"},
            ]
        },
        slices=_list(part),
        not_run=_TEXTS,
        findings=_list(
            _record(
                check=_TEXT,
                severity={"enum": ["defect", "warning", "note"]},
                count=_COUNT,
                sample=_TEXTS,
                message=_TEXT,
            )
        ),
        notes=_TEXTS,
    )
    schema["properties"]["comparison"] = {"anyOf": [comparison_schema(), {"type": "null"}]}
    return {"$schema": _DRAFT, "title": "benchaudit report", **schema}


def comparison_schema() -> dict[str, Any]:
    """The JSON Schema of what `compare --json` writes."""
    side = _record(
        n=_COUNT,
        among=_COUNT,
        unique=_COUNT,
        credit=_SUM,
        chance=_SUM,
        gain=_RATE,
        direction=_DIRECTION,
        verdict=_VERDICT,
        severe={"type": "boolean"},
    )
    check = _record(
        old={"anyOf": [side, {"type": "null"}]},
        new={"anyOf": [side, {"type": "null"}]},
        change={"anyOf": [_SUM, {"type": "null"}]},
        steps=_map(_SUM),
        flips=_TEXTS,
        mcnemar_p=_PROBABILITY,
        material={"type": "boolean"},
    )
    return _record(
        schema={"const": SCHEMA},
        old=_TEXT,
        new=_TEXT,
        material=_list(
            _record(kind=_TEXT, slice={"anyOf": [_SLICE, {"type": "null"}]}, check=_TEXT_OR_NONE, text=_TEXT)
        ),
        rows={"anyOf": [_map(_COUNT), {"type": "null"}]},
        notes=_TEXTS,
        slices=_list(_record(slice=_SLICE, checks=_map(check))),
    )


def history_schema() -> dict[str, Any]:
    """The JSON Schema of what `history --json` writes; of several datasets it is a list of these."""
    rate = _record(slice=_SLICE, check=_TEXT, score=_SUM, chance=_SUM, verdict=_VERDICT, severe=_FLAG)
    revision = _record(
        revision=_TEXT,
        committed_at=_TEXT_OR_NONE,
        verdict=_VERDICT,
        severe=_FLAG,
        usable=_COUNT,
        guesser={"anyOf": [_SUM, {"type": "null"}]},
        chance={"anyOf": [_SUM, {"type": "null"}]},
        rates=_list(rate),
    )
    record = _record(
        schema={"const": SCHEMA}, tool=_TEXT, dataset=_TEXT, revisions=_list(revision), notes=_TEXTS
    )
    return {"$schema": _DRAFT, "title": "benchaudit history", **record}


def config_schema() -> dict[str, Any]:
    """The JSON Schema of the config file: settings for all datasets, and datasets with their own."""
    scalar = ["string", "number", "boolean", "null"]
    values: dict[str, Any] = {}
    for name, entry in declared().items():
        if entry.metadata.get("secret") or name == "config":
            continue
        value: dict[str, Any] = {"description": entry.metadata["about"]}
        if "choices" in entry.metadata:
            value["enum"] = list(entry.metadata["choices"])
        elif isinstance(entry.default, tuple):
            value["anyOf"] = [{"type": scalar}, {"type": "array", "items": {"type": scalar}}]
        elif isinstance(entry.default, bool):
            value["type"] = "boolean"
        elif isinstance(entry.default, int | float):
            value["type"] = "number"
        else:
            value["type"] = scalar
        values[name] = value
    entry_schema = {"type": "object", "properties": values, "additionalProperties": False}
    return {
        "$schema": _DRAFT,
        "title": "benchaudit configuration",
        "type": "object",
        "properties": {**values, "datasets": {"type": "array", "items": entry_schema, "minItems": 1}},
        "additionalProperties": False,
    }
