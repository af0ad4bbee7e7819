"""The same revision gives the same JSON, whichever way its bytes came."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .quiz import fair, leaky, with_distractors
from .stage import DATA, DATASET, Stage

# Two slices, and rows that are no items, so that every block of the JSON has something to say.
CONTENT = with_distractors([*leaky(30), *fair(30, who="others")]) + (
    b"x,What?,others,p,gold without distractors,[]\ny,Why?,others,p,,\"['no', 'gold']\"\n"
)


@dataclass(frozen=True, kw_only=True)
class Audited:
    """A revision that is not the newest any more, and its report from the Hub."""

    stage: Stage
    sha: str
    report: bytes


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    """A revision, audited by its sha on the Hub."""
    with Stage(root=tmp_path_factory.mktemp("bytes")) as stage:
        sha = stage.repo.commit("Upload", {DATA: CONTENT})
        stage.repo.commit("Balance", {DATA: with_distractors(fair())})
        yield Audited(stage=stage, sha=sha, report=report_of(stage, f"hf://datasets/{DATASET}@{sha}/{DATA}"))


def report_of(stage: Stage, source: str) -> bytes:
    """The JSON report of a source."""
    target = stage.root / "report.json"
    status, _, stderr = stage.command("audit", source, "--slices", "who", "--json", str(target))
    assert (status, "Traceback" in stderr) == (0, False)
    return target.read_bytes()


def without_source(report: bytes) -> dict[str, Any]:
    """A report but for the block that says where its bytes came from."""
    document: dict[str, Any] = json.loads(report)
    del document["source"]
    return document


def test_the_same_revision_audited_twice_gives_the_same_bytes(audited: Audited) -> None:
    """Nothing of a run's time, place or order is in its report."""
    again = report_of(audited.stage, f"hf://datasets/{DATASET}@{audited.sha}/{DATA}")

    assert again == audited.report
    assert json.loads(again)["source"]["revision"] == audited.sha


def test_a_clone_at_that_revision_gives_the_same_report(audited: Audited, tmp_path: Path) -> None:
    """Its working tree is at a later commit; what counts is the one that was asked for."""
    clone = audited.stage.repo.clone(tmp_path / "clone")

    assert without_source(report_of(audited.stage, f"{clone}@{audited.sha}")) == without_source(
        audited.report
    )


def test_a_folder_with_the_files_gives_the_same_report(audited: Audited, tmp_path: Path) -> None:
    """Git's ids of its files too."""
    (tmp_path / DATA).parent.mkdir()
    (tmp_path / DATA).write_bytes(CONTENT)

    report = report_of(audited.stage, str(tmp_path))

    assert without_source(report) == without_source(audited.report)
    assert json.loads(report)["source"]["files"] == json.loads(audited.report)["source"]["files"]


def test_a_file_by_itself_gives_the_same_report(audited: Audited, tmp_path: Path) -> None:
    """Its name has no folder in it, as the names of its rows."""
    path = tmp_path / "test.csv"
    path.write_bytes(CONTENT)

    report = report_of(audited.stage, str(path))

    assert without_source(report) == without_source(audited.report.replace(DATA.encode(), b"test.csv"))
