"""Real benchmarks at two revisions: the decomposition, held against a count in plain Python.

The files are read here by `csv` and `json` alone, rows are paired in dictionaries and credits summed
as fractions (`tests.pairs`); nothing of the package has a part in what is expected.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchaudit.audit import Audited, audit_snapshot
from benchaudit.compare import Comparison, compare
from benchaudit.models import SliceKey, Snapshot
from benchaudit.moves import Pairs
from benchaudit.pairing import pair_audits
from benchaudit.past import past_of
from benchaudit.settings import settle
from benchaudit.sources.file import FileSource
from tests.pairs import CHECKS, Row, moved, partners, tally_of, ways, workplace
from tests.support import SHARED, needs_shared

pytestmark = needs_shared

# --- the files, read in plain Python ---


def truthfulqa(path: Path) -> Iterator[Row]:
    """Gold is a column of its own; the wrong answers are one text, joined by semicolons."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        for record in csv.DictReader(file):
            pieces = [piece.strip() for piece in record["Incorrect Answers"].split(";")]
            options = (record["Best Answer"], *filter(None, pieces))
            yield Row(record["Question"], options, 0, topic=record["Category"])


def records_of(path: Path) -> Iterator[dict[str, Any]]:
    """JSON lines."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def bbq(path: Path) -> Iterator[Row]:
    """Three columns of options, and a place from 0."""
    for record in records_of(path):
        options = tuple(record[f"ans{place}"] for place in range(3))
        yield Row(
            record["question"],
            options,
            record["label"],
            id=str(record["example_id"]),
            topic=record["context_condition"],
        )


def agieval(path: Path) -> Iterator[Row]:
    """A list of options that carry their letters, and a letter; a letter beyond the list is a defect."""
    for record in records_of(path):
        texts = record["options"]
        labels = [f"({'ABCDE'[place]})" for place in range(len(texts))]
        if all(text.startswith(label) for text, label in zip(texts, labels, strict=True)):
            texts = [text.removeprefix(label) for text, label in zip(texts, labels, strict=True)]
        gold = "ABCDE".index(record["label"])
        if gold < len(texts):
            yield Row(record["question"], tuple(texts), gold)
        else:
            yield Row(record["question"], left_out="gold-out-of-range")


def mmlu_redux(folder: Path) -> Iterator[Row]:
    """A file for each subject, of two delimiters; lists as JSON or as Python literals."""
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            # One byte of one question. Which letter it was meant to be is a guess, and the audit says so.
            text = content.decode("cp1252")
        header = text.partition("\n")[0]
        delimiter = max(",;", key=header.count)
        for record in csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter):
            yield Row(
                record["question"], tuple(list_of(record["choices"])), int(record["answer"]), topic=path.name
            )


def list_of(cell: str) -> list[str]:
    """A list of texts, written as JSON or as a Python literal."""
    try:
        return [str(option) for option in json.loads(cell)]
    except json.JSONDecodeError:
        return [str(option) for option in ast.literal_eval(cell)]


def gaokao(path: Path) -> Iterator[Row]:
    """Options stand in the question, each behind its letter."""
    for record in json.loads(path.read_text(encoding="utf-8"))["example"]:
        stem, *marked = re.split(r"(?:^|\s)([A-D])[.．]", record["question"])
        assert marked[::2] == list("ABCD")
        options = tuple(text.strip() for text in marked[1::2])
        yield Row(
            stem, options, "ABCD".index(record["answer"]), id=str(record["index"]), topic=record["year"]
        )


# --- the pairs of revisions ---


@dataclass(frozen=True)
class Case:
    """Two revisions of a benchmark, how each side reads them, and what is known to have happened.

    `rows` are the classes that are not empty; `slicing` is the column that `Row.topic` holds.
    """

    old: str
    new: str
    read: Callable[[Path], Iterator[Row]]
    given: Mapping[str, str]
    slicing: str = ""
    rows: Mapping[str, int] = field(default_factory=dict)
    figures_move: bool = True


TRUTHFULQA = {
    "question": "Question",
    "gold": "Best Answer",
    "distractors": "Incorrect Answers",
    "option_separator": ";",
}
AGIEVAL = {"question": "question", "options": "options", "gold": "label", "gold_encoding": "letter"}
CASES = {
    "TruthfulQA, golds and distractors rewritten": Case(
        "truthfulqa/435477c/TruthfulQA.csv",
        "truthfulqa/8b48f68/TruthfulQA.csv",
        truthfulqa,
        TRUTHFULQA,
        "Category",
        {"added": 1, "removed": 1, "options_edited": 77, "gold_changed": 2},
    ),
    "TruthfulQA, rows dropped": Case(
        "truthfulqa/8b48f68/TruthfulQA.csv",
        "truthfulqa/f6be04e/TruthfulQA.csv",
        truthfulqa,
        TRUTHFULQA,
        "Category",
        {"added": 2, "removed": 29, "options_edited": 1},
    ),
    "BBQ": Case(
        "bbq/1b155a1/Physical_appearance.jsonl",
        "bbq/9eba1ba/Physical_appearance.jsonl",
        bbq,
        {"question": "question", "options": "ans0,ans1,ans2", "gold": "label", "gold_encoding": "index0"},
        "context_condition",
        figures_move=False,
    ),
    "AGIEval sat-math, two questions mended": Case(
        "agieval/666a489/sat-math.jsonl",
        "agieval/5c77d07/sat-math.jsonl",
        agieval,
        AGIEVAL,
        rows={"added": 2, "removed": 2},
        figures_move=False,
    ),
    "AGIEval aqua-rat": Case(
        "agieval/666a489/aqua-rat.jsonl",
        "agieval/5c77d07/aqua-rat.jsonl",
        agieval,
        AGIEVAL,
        figures_move=False,
    ),
    "MMLU-Redux, sorted anew": Case(
        "mmlu-redux/1ce2437",
        "mmlu-redux/9fe11d7",
        mmlu_redux,
        {"question": "question", "options": "choices", "gold": "answer", "gold_encoding": "index0"},
        "@file",
        # One question became the address of its source; in another an apostrophe lost its encoding.
        {"added": 2, "removed": 2},
        figures_move=False,
    ),
    "AGIEval gaokao-biology, options completed": Case(
        "agieval/666a489/gaokao-biology.jsonl",
        "agieval/5c77d07/gaokao-biology.jsonl",
        agieval,
        AGIEVAL,
        # Five rows became usable; of one the question was mended too, so that it is another row.
        rows={"added": 1, "removed": 1, "options_edited": 2, "became_usable": 4},
    ),
    "GAOKAO mathematics, rows added": Case(
        "gaokao-bench/fd3d9bf/2016-2022_lishu_MCQ.json",
        "gaokao-bench/ebccfbb/2016-2022_lishu_MCQ.json",
        gaokao,
        {"question": "question", "options_in_question": "true", "gold": "answer", "gold_encoding": "letter"},
        "year",
        {"added": 29},
    ),
}


@dataclass(frozen=True)
class Found:
    """What the package says of a case."""

    old: Audited
    comparison: Comparison
    pairs: Pairs


@cache
def found(name: str, *, backwards: bool = False) -> Found:
    """Audit, pair and compare the two revisions of a case."""
    case = CASES[name]
    if backwards:
        case = replace(case, old=case.new, new=case.old)
    with workplace() as work:
        (before, old), (after, new) = (
            audit(SHARED / "data" / path, case, work / side)
            for path, side in ((case.old, "old"), (case.new, "new"))
        )
        pairs = pair_audits(old, new, work)
        return Found(old, compare(past_of(old.audit, before), new.audit, after, pairs), pairs)


def audit(path: Path, case: Case, work: Path) -> tuple[Snapshot, Audited]:
    """Audit one revision under the mapping of its case."""
    work.mkdir()
    given = dict(case.given) | ({"slices": case.slicing} if case.slicing else {})
    settings = settle([{name.replace("_", "-"): (text, name) for name, text in given.items()}])
    source = FileSource(path)
    snapshot = source.snapshot(source.revision(""))
    return snapshot, audit_snapshot(source, snapshot, settings, work, lambda _: None)


@cache
def counted(name: str) -> tuple[list[Row], list[Row]]:
    """The rows of the two revisions of a case, read in plain Python."""
    case = CASES[name]
    old, new = (list(case.read(SHARED / "data" / path)) for path in (case.old, case.new))
    return old, new


@pytest.mark.parametrize("name", CASES)
def test_rows_are_read_alike(name):
    """The tally of either revision is that of its rows, and so is what was left out."""
    comparison = found(name).comparison
    old, new = counted(name)
    assert (comparison.old.rows, comparison.new.rows) == (len(old), len(new))
    for check in CHECKS:
        assert comparison.old.checks[(), check].tally == tally_of(usable(old), check)
        assert comparison.new.all.checks[check].tally == tally_of(usable(new), check)


def usable(rows: list[Row]) -> list[Row]:
    """The rows that are items."""
    return [row for row in rows if not row.left_out]


@pytest.mark.parametrize("name", CASES)
def test_what_became_of_the_rows(name):
    """Added, removed, edited, usable: as the release has it."""
    pairs = found(name).pairs
    assert moved(pairs, **CASES[name].rows)
    both = [pair for pair in partners(*counted(name)) if None not in pair]
    assert pairs.rows["paired"] == len(both)
    assert (pairs.shift, pairs.reasons, pairs.became_defective) == (None, {}, 0)


@pytest.mark.parametrize("name", CASES)
def test_the_decomposition(name):
    """Every part, step and flip of every slice and check; the steps are the change, to the last digit."""
    expected = ways(partners(*counted(name)), [["topic"]] if CASES[name].slicing else [])
    changes = {
        (change.key, change.check): change
        for change in found(name).comparison.changes
        if change.check in CHECKS
    }
    assert changes.keys() == {(renamed(key, CASES[name].slicing), check) for key, check in expected}
    for (key, check), way in expected.items():
        change = changes[renamed(key, CASES[name].slicing), check]
        assert change.moves.parts == way.parts
        assert (change.moves.lost, change.moves.gained) == (way.lost, way.gained)
        assert change.steps == way.steps
        assert change.moved == (sum(way.steps.values()) if way.steps else None)


def renamed(key: SliceKey, column: str) -> SliceKey:
    """A slice of rows as the slice of a file."""
    return tuple((column, value) for _, value in key)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.figures_move])
def test_bytes_that_differ_without_a_figure_that_moves(name):
    """Not in any slice; nobody is told."""
    comparison = found(name).comparison
    for change in comparison.changes:
        assert change.old is not None
        assert change.new is not None
        assert change.old.tally == change.new.tally
        assert change.old.verdict == change.new.verdict
        assert change.moved == 0
    assert comparison.material == ()
    assert comparison.notes == ()


@pytest.mark.parametrize(
    ("name", "news"),
    [
        (
            "TruthfulQA, golds and distractors rewritten",
            {
                ((), "longest", "rate"),
                ((("Category", "Health"),), "longest", "rate"),
                ((("Category", "Misconceptions"),), "shortest", "verdict"),
            },
        ),
        (
            "TruthfulQA, rows dropped",
            {
                ((("Category", "Indexical Error: Other"),), "shortest", "verdict"),
                ((("Category", "Indexical Error: Other"),), "shortest", "rate"),
            },
        ),
        ("AGIEval gaokao-biology, options completed", set()),
        ("GAOKAO mathematics, rows added", {((("year", "2020"),), "", "appeared")}),
    ],
)
def test_what_is_news(name, news):
    """Of the extrema: verdicts that changed, leaks that moved by two points, slices that came; no more."""
    material = found(name).comparison.material
    told = {(item.key, item.check, item.kind) for item in material if item.check in {"", *CHECKS}}
    assert told == news


def test_back_from_the_new_revision_to_the_old():
    """Every step is its opposite: what was removed is added, and what was lost is gained."""
    name = "TruthfulQA, golds and distractors rewritten"
    there, back = found(name).comparison.changes, found(name, backwards=True).comparison.changes
    opposite = {(change.key, change.check): change for change in back}
    assert {(change.key, change.check) for change in there} == opposite.keys()
    other = {"removed": "added", "added": "removed", "moved_out": "moved_in", "moved_in": "moved_out"}
    for change in there:
        returned = opposite[change.key, change.check]
        assert {other.get(step, step): -value for step, value in change.steps.items()} == returned.steps
        assert (change.moves.lost, change.moves.gained) == (returned.moves.gained, returned.moves.lost)
