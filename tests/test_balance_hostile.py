"""Names and texts that would act if the lists or the summary of a balance let them."""

from __future__ import annotations

import csv
import json

from benchaudit.cli import main
from benchaudit.markdown import tables
from tests.hostile import corpus


def test_hostile_ids_and_slices_come_through_as_they_are(tmp_path, capsys):
    texts = [text for text in corpus() if text.strip() and "\ud800" not in text]
    lines = [
        json.dumps(
            {
                "id": f"{text} {number}",
                "q": f"Q{number}",
                "who": text,
                "choices": ["aaaa", "bbb", "cc"],
                "answer": 0,
            }
        )
        for number, text in enumerate(texts * 2)
    ]
    fair = [
        json.dumps(
            {"id": f"f{n}", "q": f"F{n}", "who": "fair", "choices": ["a", "bb", "ccc"], "answer": n % 3}
        )
        for n in range(30)
    ]
    path = tmp_path / "bench.jsonl"
    path.write_text("\n".join([*lines, *fair]) + "\n", encoding="utf-8")
    flags = ["--slices", "who", "--id", "id", "--gold-encoding", "index0"]
    assert main(["balance", str(path), "--out", str(tmp_path / "out"), *flags], {}) == 0
    (shown,) = tables(capsys.readouterr().out)
    assert {len(row) for row in shown} == {9}
    with (tmp_path / "out" / "kept.csv").open(newline="", encoding="utf-8") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [f"f{n}" for n in range(30)]
    with (tmp_path / "out" / "rewrite.csv").open(newline="", encoding="utf-8") as file:
        named = {row["id"] for row in csv.DictReader(file)}
    given = {f"{text} {number}" for number, text in enumerate(texts * 2)}
    assert named <= given | {f"f{n}" for n in range(30)}
    assert len(named & given) > 100
