"""Sample rows: those that bear a leak out, their ids and their text."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from benchaudit.audit import audit_snapshot
from benchaudit.models import ALL
from benchaudit.samples import Sample
from benchaudit.sampling import MOST, sampled
from benchaudit.settings import settle
from benchaudit.sources.base import Selection
from benchaudit.sources.file import FileSource

MATHS, ART = (("topic", "maths"),), (("topic", "art"),)


@pytest.fixture
def bench(tmp_path):
    """Two files: in maths gold is the longest and never the shortest, in art it is where chance has it.

    The gold of one row of each is in none of its options.
    """
    place = tmp_path / "bench"
    place.mkdir()
    for name in ("one", "two"):
        with (place / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "topic", "question", "options", "answer"])
            rows.writerow([f"{name}-lost", "maths", "Q?", json.dumps(["a", "bb"]), "Z"])
            for row in range(30):
                options = ["aa", "b\n'b'b", "c" * 8, "dddd" * (10 + row)]
                rows.writerow([f"{name}-m{row}", "maths", f"Q{row}?", json.dumps(options), "D"])
                rows.writerow([f"{name}-a{row}", "art", f"A{row}?", json.dumps(options), "ABCD"[row % 4]])
    return place


def samples(place: Path, kind, work: Path, **more: str):
    more["samples"] = kind
    layer = {name.replace("_", "-"): (text, "") for name, text in {"slices": "topic", **more}.items()}
    settings = settle([layer])
    source = FileSource(place, Selection())
    snapshot = source.snapshot(source.revision(""))
    audited = audit_snapshot(source, snapshot, settings, work, lambda _: None)
    return sampled(audited, source, snapshot, settings, work)


def test_rows_of_the_better_rule_are_named_in_their_order(bench, tmp_path):
    found = samples(bench, "ids", tmp_path, id="id")
    assert {key for key, _ in found} == {ALL, MATHS}
    assert found[MATHS, "longest"] == tuple(Sample(name=f"one-m{row}") for row in range(MOST))
    # Gold is never the shortest: the rule avoids it, and these are rows on which it is right.
    assert found[MATHS, "shortest"] == found[MATHS, "longest"]
    assert [sample.name for sample in found[ALL, "longest"]] == [
        "one-m0",
        "one-m1",
        "one-m2",
        "one-m3",
        "one-a3",
    ]


def test_text_is_that_of_the_named_rows(bench, tmp_path):
    found = samples(bench, "text", tmp_path)
    assert found[MATHS, "longest"][1] == Sample(
        name="one-m1",
        question="Q1?",
        options=("aa", "b\n'b'b", "c" * 8, "dddd" * 11),
        gold=3,
    )
    assert all(sample.options for rows in found.values() for sample in rows)


def test_none_is_none(bench, tmp_path):
    assert samples(bench, "none", tmp_path) == {}


def test_what_is_no_more_than_chance_has_no_samples(bench, tmp_path):
    found = samples(bench, "ids", tmp_path)
    assert not any(key == ART for key, _ in found)
