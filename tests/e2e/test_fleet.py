"""Many datasets in one run: one list of issues for all, one call to the Hub for each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchaudit.markers import first_line, marker
from tests.loopback.hub import HubDataset
from tests.loopback.repos import DatasetRepo

from .quiz import fair, leaky, with_distractors
from .stage import DATA, Stage

NAMES = [f"team/quiz-{number:02d}" for number in range(12)]
CONFIG = {"all.yml": "slices: [who]\ndatasets:\n" + "".join(f"- dataset: {name}\n" for name in NAMES)}


@pytest.fixture
def fleet(stage: Stage) -> Stage:
    """A stage with twelve datasets, one of which nobody can read, and a first report of every other."""
    for number, name in enumerate(NAMES[1:]):
        repo = DatasetRepo.create(stage.root / f"{number}.git")
        repo.commit("Upload", {DATA: with_distractors(leaky() if number % 2 else fair())})
        stage.hub.datasets[name] = HubDataset(repo.path)
    run = look(stage)
    assert run.status == 3
    assert len(stage.watch.issues) == len(NAMES) - 1
    return stage


def look(stage: Stage, **inputs: Any):
    return stage.run(dataset="", config="all.yml", workspace=CONFIG, **inputs)


def test_nothing_new_costs_one_call_each_and_one_list_for_all(fleet: Stage) -> None:
    """The one that fails stops no other, and the results are in the order of the config."""
    run = look(fleet)

    assert run.status == 3
    (line,) = run.errors
    assert NAMES[0] in line
    assert run.writes == []
    # The one that fails has no issue, and before one is opened it is asked once more whose the token is.
    assert [seen.path for seen in run.github] == ["/user", "/repos/team/watch/issues", "/graphql"]
    assert sorted(seen.path for seen in run.hub) == [f"/api/datasets/{name}/refs" for name in NAMES]
    results = json.loads(run.outputs["results"])
    assert [entry["dataset"] for entry in results] == NAMES[1:]
    assert (run.outputs["verdict"], run.outputs["changed"]) == ("leak", "false")
    assert sum("nothing new" in said for said in run.stderr.splitlines()) == len(NAMES) - 1


def test_a_job_of_a_workflow_that_fans_out_watches_its_share(fleet: Stage) -> None:
    run = look(fleet, shard="2/6")

    assert run.status == 0
    assert [entry["dataset"] for entry in json.loads(run.outputs["results"])] == [NAMES[1], NAMES[7]]


def test_what_changed_is_told_in_its_own_issue(fleet: Stage) -> None:
    path: Path = fleet.hub.datasets[NAMES[1]].repo
    DatasetRepo(path).commit("Lengthen", {DATA: with_distractors(leaky())})

    run = look(fleet)

    (number,) = (
        n for n, issue in fleet.watch.issues.items() if (first_line(issue.body or "") == marker(NAMES[1]))
    )
    assert run.writes == ["POST comments", f"PATCH {number}"]
    changed = [entry["dataset"] for entry in json.loads(run.outputs["results"]) if entry["changed"]]
    assert changed == [NAMES[1]]


def test_a_dataset_has_one_report_in_one_place(stage: Stage) -> None:
    """Two entries would take turns in writing it; where one goes elsewhere there are two."""
    stage.repo.commit("Upload", {DATA: with_distractors(leaky()), "b.csv": with_distractors(fair())})
    twice = "slices: [who]\ndatasets:\n- {dataset: team/quiz, files: b.csv}\n- dataset: Team/quiz\n  %s\n"

    for _ in range(2):
        run = stage.run(dataset="", config="all.yml", workspace={"all.yml": twice % f"files: {DATA}"})
        assert run.status == 2
        (line,) = run.errors
        assert "all.yml:4: the report of Team/quiz is that of an entry before this one" in line
        assert run.outputs["verdict"] == "none-found"
    assert (run.writes, len(stage.watch.issues)) == ([], 1)

    config = {"all.yml": (twice % "channel: folder").replace("Team", "team")}
    run = stage.run(dataset="", channel="", config="all.yml", workspace=config)
    assert (run.status, run.writes) == (0, [])
    assert list((run.workspace / "benchaudit-reports").glob("*/issue.md"))


def test_a_summary_that_cannot_be_written_keeps_nothing_else_from_being_told(fleet: Stage) -> None:
    run = look(fleet, environment={"GITHUB_STEP_SUMMARY": str(fleet.root / "none" / "summary.md")})

    assert run.status == 3
    assert sum("summary.md: cannot be written" in line for line in run.errors) == len(NAMES)
    assert [entry["dataset"] for entry in json.loads(run.outputs["results"])] == NAMES[1:]


def test_a_clone_is_the_one_dataset_of_the_config_that_it_is_called_like(stage: Stage) -> None:
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    config = stage.root / "all.yml"
    names = "slices: who\nchannel: folder\ndatasets: [{dataset: team/other}, {dataset: team/%s}]\n"
    clone = stage.repo.path

    config.write_text(names % "third", encoding="utf-8")
    status, _, said = stage.command("watch", str(clone), "--config", str(config))
    assert (status, f"not which of them {clone} is" in said) == (2, True)

    config.write_text(names % clone.name, encoding="utf-8")
    assert stage.command("watch", str(clone), "--config", str(config))[0] == 0
    (issue,) = (stage.root / "benchaudit-reports").glob("*/issue.md")
    assert first_line(issue.read_text(encoding="utf-8")) == marker(f"team/{clone.name}")
