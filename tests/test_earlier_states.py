"""A report that an earlier version wrote is carried on by this one: what was released is never unreadable.

`golden/states/` has, for every form that a state has had, the body that the version of that time wrote for
`quiz.csv`. A new form adds a file; none is ever changed or taken away.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchaudit.state import VERSION, load
from tests.e2e.quiz import fair, with_distractors
from tests.loopback.repos import DatasetRepo

ROOT = Path(__file__).resolve().parents[1]
STATES = ROOT / "tests" / "golden" / "states"
BODIES = sorted(STATES.glob("*.md"))
DATASET, DATA = "team/quiz", "data/test.csv"
HEAD = "08d2479665a2b60cbcbeab68a1b8472be27a24a7"


@pytest.fixture
def repo(tmp_path: Path) -> DatasetRepo:
    """The dataset as it was then, commit ids and all."""
    repo = DatasetRepo.create(tmp_path / "quiz.git")
    repo.commit("Upload", {DATA: (STATES / "quiz.csv").read_bytes()})
    assert repo.head == HEAD
    return repo


@pytest.fixture(params=BODIES, ids=lambda path: path.stem)
def report(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of a report as an earlier version left it."""
    folder = tmp_path / "benchaudit-reports" / "001-team--quiz"
    folder.mkdir(parents=True)
    (folder / "issue.md").write_bytes(request.param.read_bytes())
    about = {"number": 1, "title": f"benchaudit: {DATASET}", "state": "open", "labels": [], "assignees": []}
    (folder / "issue.json").write_text(json.dumps(about), encoding="utf-8")
    return folder


def watch(repo: DatasetRepo, place: Path) -> str:
    """Look at the dataset as a person would, and return what was said."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "INPUT_"))}
    flags = ("--dataset", DATASET, "--slices", "who", "--channel", "folder")
    done = subprocess.run(
        [sys.executable, str(ROOT / "entrypoint.py"), "watch", str(repo.path), *flags],
        cwd=place,
        env=kept | {"GITHUB_WORKSPACE": str(place)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_every_version_of_the_state_is_kept() -> None:
    """Whoever raises the version adds what the one before wrote."""
    assert {path.name.split("-")[0] for path in BODIES} == {f"v{number}" for number in range(1, VERSION + 1)}


@pytest.mark.parametrize("path", BODIES, ids=lambda path: path.stem)
def test_an_earlier_state_says_what_it_said(path: Path) -> None:
    state = load(path.read_text(encoding="utf-8"), DATASET)
    assert (state.dataset, state.seen) == (DATASET, HEAD)
    assert [line.sha for line in state.history] == [HEAD]
    assert (state.history[0].verdict, state.history[0].n) == ("leak", 64)


def test_the_next_run_is_silent_where_nothing_is_new(report: Path, repo: DatasetRepo, tmp_path: Path) -> None:
    watch(repo, tmp_path)
    assert list(report.glob("comment-*.md")) == []
    assert load((report / "issue.md").read_text(encoding="utf-8"), DATASET).seen == HEAD


def test_the_next_commit_is_compared_with_what_was_known(
    report: Path, repo: DatasetRepo, tmp_path: Path
) -> None:
    head = repo.commit("Balance", {DATA: with_distractors(fair() + fair(24, "others"))})
    watch(repo, tmp_path)
    (comment,) = report.glob("comment-*.md")
    assert HEAD[:7] in comment.read_text(encoding="utf-8")
    state = load((report / "issue.md").read_text(encoding="utf-8"), DATASET)
    assert state.seen == head
    assert {line.sha for line in state.history} == {HEAD, head}
