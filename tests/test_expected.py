"""Real files: every figure that an independent reading of them came to, and every verdict."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchaudit.verdict import Audit, SliceAudit
from tests.support import SHARED, audit_path, needs_shared, shared_json

pytestmark = needs_shared

DATA = SHARED / "data"
EXPECTED: dict[str, Any] = shared_json("data", "expected.json") if DATA.is_dir() else {}
VERDICTS: dict[str, Any] = shared_json("data", "verdicts.json") if DATA.is_dir() else {}


@cache
def audit_of(name: str) -> Audit:
    """The audit of an entry under the mapping that stands beside it."""
    entry = EXPECTED[name]
    given = {
        key.replace("-", "_"): text_of(value) for key, value in entry["mapping"].items() if key != "slices"
    }
    slices = entry.get("slice_column") and (entry["mapping"].get("slices") or entry["slice_column"])
    return audit_path(DATA / entry["path"], **given, **({"slices": slices} if slices else {}))


def text_of(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def slice_name(entry: dict[str, Any], part: SliceAudit) -> str:
    """What the shared files call a slice: ALL has no name, a file goes by its subject."""
    ((column, value),) = part.key or (("", ""),)
    return Path(value or "").stem.removeprefix("mmlu_") if column == "@file" else value or ""


def figures(part: SliceAudit, *, gold_apart: bool) -> dict[str, Any]:
    """The figures of a slice in the words of the shared file."""
    longest, shortest = part.checks["longest"].tally, part.checks["shortest"].tally
    counts: dict[str, int] = {}
    for k, _, items, _ in longest.cells:
        counts[str(k)] = counts.get(str(k), 0) + items
    return {
        "rows": part.n + sum(part.left_out.values()),
        "n": part.n,
        "left_out": dict(part.left_out),
        "option_counts": counts,
        "longest": longest.among,
        "unique_longest": longest.unique,
        "shortest": shortest.among,
        "unique_shortest": shortest.unique,
        "longest_credit": str(longest.credit),
        "shortest_credit": str(shortest.credit),
        "chance_sum": str(longest.chance),
        "longest_expected": str(longest.expected_among),
        "shortest_expected": str(shortest.expected_among),
        "gold_position": None if gold_apart else {str(place): n for place, n in part.gold_position.items()},
    }


def wanted(figures: dict[str, Any], *, gold_apart: bool) -> dict[str, Any]:
    """The shared figures that an audit has, places left out where they mean nothing."""
    kept = {name: value for name, value in figures.items() if not name.startswith("rows_with_")}
    return {**kept, "gold_position": None if gold_apart else kept["gold_position"]}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_figures_are_those_of_an_independent_reading(name):
    entry, audit = EXPECTED[name], audit_of(name)
    apart = audit.mapping.gold_apart
    assert figures(audit.all, gold_apart=apart) == wanted(entry["ALL"], gold_apart=apart)
    parts = {slice_name(entry, part): figures(part, gold_apart=apart) for part in audit.slices[1:]}
    if entry.get("slices"):
        assert parts == {key: wanted(value, gold_apart=apart) for key, value in entry["slices"].items()}


@pytest.mark.parametrize("name", EXPECTED)
def test_repeated_options_are_found_as_an_independent_reading_found_them(name):
    entry, audit = EXPECTED[name]["ALL"], audit_of(name)
    counts = {item.check: item.count for item in audit.findings}
    assert counts.get("duplicate-options", 0) == entry.get("rows_with_duplicate_options", 0)
    assert counts.get("gold-duplicated", 0) == entry.get("rows_with_gold_duplicated", 0)


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdicts_are_those_of_an_independent_implementation(name):
    entry, audit = EXPECTED[name], audit_of(name)
    judged = {
        (slice_name(entry, part), check): result
        for part in audit.slices
        for check, result in part.checks.items()
    }
    for verdict in VERDICTS[name]["verdicts"]:
        found = judged[verdict["slice"], verdict["check"]]
        assert (found.verdict, found.severe, found.direction) == (
            verdict["verdict"],
            verdict["severe"],
            verdict["direction"],
        )
        assert float(found.gain) == pytest.approx(verdict["gain"], rel=1e-6, abs=1e-12)
        if verdict.get("p") is not None:
            assert found.p is not None
            assert found.p_adjusted is not None
            assert found.p.p == pytest.approx(verdict["p"], rel=1e-6)
            assert found.p_adjusted.p == pytest.approx(verdict["p_adjusted"], rel=1e-6)


DERIVED = sorted(path.name for path in (DATA / "derived").iterdir()) if (DATA / "derived").is_dir() else []


def test_the_same_rows_in_seven_containers_have_the_same_figures():
    assert len(DERIVED) == 7
    found = {name: audit_path(DATA / "derived" / name) for name in DERIVED}
    first = figures(found[DERIVED[0]].all, gold_apart=False)
    assert first["n"] == 200
    assert {name: figures(audit.all, gold_apart=False) for name, audit in found.items()} == dict.fromkeys(
        DERIVED, first
    )


READ_UNASKED = (
    "agieval/5c77d07/aqua-rat.jsonl",
    "aqua/2824685/test.json",
    "bbq/1b155a1/Physical_appearance.jsonl",
    "commonsenseqa/2824685/dev_rand_split.jsonl",
    "hh-rlhf/0398e36/harmless-base_test.jsonl.gz",
    "llmbar/900616b/Natural.json",
    "mmlu-redux/9fe11d7/mmlu_anatomy.csv",
    "personamem-v1/b90e91a/questions_32k.csv",
    "personamem-v2/rows_printed_in_notebook.csv",
    "truthfulqa/8b48f68/mc_task.json",
)
"""One file of each folder that is read without any flag; the other folder asks for --options-in-question."""


@pytest.mark.parametrize("path", READ_UNASKED)
def test_a_folder_is_read_unasked(path):
    audit = audit_path(DATA / path)
    assert audit.all.n > 0.8 * audit.rows


def test_options_inside_the_question_are_read_where_that_is_asked():
    """149 of the 150 rows have A to D in order; a stray digit stands before a letter of the other."""
    for revision in ("5f7f7a0", "c214b47"):
        audit = audit_path(
            DATA / "gaokao-bench" / revision / "2010-2022_Biology_MCQs.json",
            options_in_question="true",
            gold="answer",
            gold_fallback="standard_answer",
        )
        assert (audit.rows, audit.all.n) == (150, 149)
        assert {reason: left.rows for reason, left in audit.left_out.items()} == {"unreadable-options": 1}
