"""The script in the issue, run as anybody would: its figures are those of the issue's table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from benchaudit.markdown import code_blocks, tables
from benchaudit.markers import first_line, marker
from tests.loopback.hub import HubDataset
from tests.loopback.repos import DatasetRepo

from .quiz import (
    QuizItem,
    fair,
    leaky,
    quiz,
    with_answer_text,
    with_distractors,
    with_labels,
    with_letter,
    with_option_columns,
    with_parquet,
    with_scores,
)
from .stage import Stage


def with_hidden_golds(items: Iterable[QuizItem]) -> bytes:
    """Places as golds, and rows that hide theirs."""
    rows = with_option_columns(items)
    first = json.loads(rows.splitlines()[0])
    return rows + b"".join(
        json.dumps({**first, "answer": gold}).encode() + b"\n" for gold in ("?", "", "1.5")
    )


def with_broken_lists(items: Iterable[QuizItem]) -> bytes:
    """Letters as golds, and rows whose list of options is none."""
    rows = with_letter(items)
    name, *_ = rows.partition(b"\n")
    cells = {"options": "['a', 'b", "answer": "A", "who": "self"}
    row = ",".join(f'"{cells.get(column, "")}"' for column in name.decode().strip().split(","))
    return rows + row.encode() + b"\n"


Counts = dict[str, tuple[int, int, int, int, int]]
"""By slice: n, gold among the longest, alone there, among the shortest, alone there."""

FORMS: dict[str, tuple[str, Callable[[Iterable[QuizItem]], bytes]]] = {
    "gold and distractors": ("test.csv", with_distractors),
    "list and letter": ("test.csv", with_letter),
    "option columns and index": ("test.jsonl", with_option_columns),
    "list and answer text": ("test.json", with_answer_text),
    "hidden golds": ("test.jsonl", with_hidden_golds),
    "broken lists": ("test.csv", with_broken_lists),
    "parquet": ("test.parquet", with_parquet),
    "labels": ("test.jsonl", with_labels),
    "scores": ("test.jsonl", with_scores),
}


def of_table(body: str) -> Counts:
    """The counts that the issue's tables show, the quiet slices too."""
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    sizes: dict[str, int] = {}
    for header, *rows in tables(body):
        if header[:3] == ["Slice", "n", "Gold is"]:
            for row in rows:
                cell = dict(zip(header, row, strict=True))
                name = cell["Slice"].replace(" = ", "=")
                sizes[name] = int(cell["n"].split()[0])
                both = int(cell["Among"].split()[0]), int(cell["Alone"].split()[0])
                counts.setdefault(name, {})[cell["Gold is"]] = both
    return {name: (sizes[name], *of["longest"], *of["shortest"]) for name, of in counts.items()}


def of_script(script: str, place: Path) -> Counts:
    """The counts that a script prints, run without this project and, but for Parquet, any library."""
    (place / "verify.py").write_text(script, encoding="utf-8")
    bare = [] if '"pyarrow"' in script else ["-S"]
    done = subprocess.run(
        [sys.executable, "-I", *bare, "-W", "error", "verify.py"],
        cwd=place,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    header, *lines = (line.split("\t") for line in done.stdout.splitlines())
    assert header == ["slice", "n", "longest", "alone", "shortest", "alone"]
    return {name: (int(n), int(a), int(b), int(c), int(d)) for name, n, a, b, c, d in lines}


@pytest.fixture(scope="module")
def bodies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The body of each form's report issue: one benchmark, released in every form."""
    items = [*leaky(24), *fair(24, who="others"), *quiz(["shortest"] * 21, who="nobody")]
    with Stage(root=tmp_path_factory.mktemp("forms")) as stage:
        names = {form: f"team/{form.replace(' ', '-')}" for form in FORMS}
        for form, name in names.items():
            path, written = FORMS[form]
            repo = DatasetRepo.create(stage.root / f"{form}.git")
            repo.commit("Upload", {f"data/{path}": written(items)})
            stage.hub.datasets[name] = HubDataset(repo.path)
        config = "".join(f"- dataset: {name}\n" for name in names.values())

        run = stage.run(dataset="", config="all.yml", workspace={"all.yml": f"datasets:\n{config}"})

        assert (run.status, run.errors) == (0, [])
        stage.check()
        yield {
            form: next(
                issue.body or ""
                for issue in stage.watch.issues.values()
                if (first_line(issue.body or "") == marker(name))
            )
            for form, name in names.items()
        }


@pytest.mark.parametrize("form", FORMS)
def test_the_script_in_the_issue_counts_what_the_issue_shows(
    bodies: dict[str, str], form: str, tmp_path: Path
) -> None:
    """Each form in which benchmarks are released; slices that leak, and one that does not."""
    (script,) = code_blocks(bodies[form], "python")
    shown = of_table(bodies[form])

    assert set(shown) == {"ALL", "who=self", "who=others", "who=nobody"}
    assert shown["who=self"] == (24, 24, 24, 0, 0)
    assert of_script(script, tmp_path) == shown


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted as Linux lists them")
def test_the_script_leaves_no_thread_behind(bodies: dict[str, str], tmp_path: Path) -> None:
    """One that still holds bytes of Python's while the interpreter ends aborts the script, now and then."""
    (script,) = code_blocks(bodies["parquet"], "python")
    count = 'import os; print(len(os.listdir("/proc/self/task")))'
    threads = []
    for program in ("import pyarrow.parquet", script):
        (tmp_path / "program.py").write_text(f"{program}\n{count}\n", encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-I", "program.py"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        threads.append(done.stdout.splitlines()[-1])
    imported, counted = threads
    assert counted == imported
