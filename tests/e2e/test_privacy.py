"""What of a dataset's text reaches an issue, a log, a summary or a file: nothing, unless it is asked for."""

from __future__ import annotations

import json

import pytest

from .stage import HUB_TOKEN, Run, Stage

SECRET = "zanzibar"
"""A word that stands in every cell of text."""


def lines(*rows: dict[str, object]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def told(stage: Stage, run: Run) -> str:
    """Everything that people can read of a run."""
    texts = [run.said, run.summary, json.dumps(run.report), json.dumps(run.outputs)]
    for issue in stage.watch.issues.values():
        texts += [issue.title, issue.body or "", *(comment.body for comment in issue.comments)]
    return "\n".join(texts)


def row(number: int, **more: object) -> dict[str, object]:
    options = [
        f"{SECRET} {number}",
        f"{SECRET} {number} b",
        f"{SECRET} {number} cc",
        f"{SECRET} {number} the long one",
    ]
    question = {"id": f"name-{number}", "question": f"Which {SECRET} {number}?", "options": options}
    return {**question, "answer": 3, "who": "self", **more}


RELEASES = {
    "figures": [row(number) for number in range(30)],
    "rows that are no items": [
        *(row(number) for number in range(30)),
        row(40, answer=7),
        row(41, answer=f"{SECRET}!"),
        row(42, options=f"[{SECRET}, ..."),
        row(43, options=[SECRET]),
        row(44, options=[f"{SECRET} a", f"{SECRET} a", ""]),
    ],
    "no mapping": [{"question": SECRET, "text": SECRET, "key": f"{SECRET} {number}"} for number in range(30)],
    "options that are none": [row(number, options=f"{SECRET}; {number}") for number in range(30)],
    "gold that is nothing": [row(number, answer=f"{SECRET} {number} unknown") for number in range(30)],
}


@pytest.mark.parametrize("release", RELEASES)
def test_no_text_of_a_private_dataset_is_told(stage: Stage, release: str) -> None:
    """Whatever becomes of it; its rows are named by their ids."""
    stage.dataset.private = True
    stage.repo.commit("Upload", {"data/test.jsonl": lines(*RELEASES[release])})

    encoding = "" if "gold" in release else "index0"
    run = stage.run(hf_token=HUB_TOKEN, files="data/test.jsonl", gold_encoding=encoding)

    assert run.status in {0, 2}
    assert SECRET not in told(stage, run).lower()
    if release == "rows that are no items":
        assert "name-40" in stage.body


def test_nothing_names_a_row_where_that_is_asked_for(stage: Stage) -> None:
    """Neither in the issue nor in the comment, the summary or the JSON report."""
    stage.repo.commit("Upload", {"data/test.jsonl": lines(*RELEASES["rows that are no items"])})
    stage.run(samples="none", files="data/test.jsonl", gold_encoding="index0")
    edited = [row(number, answer=0) for number in range(30)]
    stage.repo.commit("Edit", {"data/test.jsonl": lines(*edited, row(40, answer=7))})

    run = stage.run(samples="none", files="data/test.jsonl", gold_encoding="index0")

    assert (run.status, run.outputs["material"]) == (0, "true")
    assert not any(f"name-{number}" in told(stage, run) for number in (*range(30), 40, 41))
    assert run.report["left_out"]["gold-out-of-range"]["rows"] == 1
