"""What fails the step: a verdict, where it was asked for; and of several datasets the first that applies."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from tests.loopback.hub import HubDataset
from tests.loopback.repos import DatasetRepo

from .quiz import fair, leaky, quiz, with_distractors, with_letter
from .stage import DATA, DATASET, Stage

OTHER = "team/other"


@pytest.mark.parametrize(("fail_on", "status"), [("", 0), ("leak", 1), ("severe", 1), ("new-leak", 0)])
def test_a_known_severe_leak(reported: Stage, fail_on: str, status: int) -> None:
    """It fails the step on every day that it is there, but is new on the first one only."""
    assert reported.run(fail_on=fail_on).status == status


def test_a_leak_that_is_gone(reported: Stage) -> None:
    """What was is not held against what is."""
    reported.repo.commit("Balance", {DATA: with_distractors(fair())})

    assert reported.run(fail_on="leak").status == 0


def test_a_leak_that_is_not_severe(stage: Stage) -> None:
    """Two thirds of the golds are the longest option."""
    stage.repo.commit("Upload", {DATA: with_distractors(quiz(["longest", "between", "longest"] * 20))})

    assert stage.run(fail_on="severe").status == 0
    assert stage.run(fail_on="leak").status == 1


def test_a_leak_that_came_with_any_of_several_new_revisions_is_new(reported: Stage) -> None:
    """The slice others leaks since the first of two new commits; the second one changes something else."""
    both = [*leaky(), *leaky(who="others")]
    reported.repo.commit("Add others", {DATA: with_distractors(both)})
    reported.repo.commit("Add more", {DATA: with_distractors([*both, *fair(24, who="nobody")])})

    assert reported.run(fail_on="new-leak").status == 1


def test_a_leak_that_was_there_is_not_new_under_other_settings(stage: Stage) -> None:
    """Though the revision before it, with which it is compared once more, had none."""
    stage.repo.commit("Upload", {DATA: with_distractors(fair())})
    stage.repo.commit("Change", {DATA: with_distractors(leaky())})

    assert stage.run(fail_on="new-leak").status == 1
    assert stage.run(fail_on="new-leak", min_effect="6").status == 0


def test_a_leak_that_was_there_is_not_new_where_only_its_figures_are_left(reported: Stage) -> None:
    """The old data has no columns of the names that are set now."""
    reported.repo.commit("Rename columns", {DATA: with_letter(leaky())})
    inputs = {"options": "options", "gold": "answer", "gold_encoding": "letter"}

    assert reported.run(fail_on="new-leak", **inputs).status == 0


def test_a_json_report_that_cannot_be_written_is_one_that_was_not_delivered(stage: Stage) -> None:
    """Nobody has named that file, so nobody can name another; all else that the run found is handed over."""
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    workspace = stage.root / "workspace"
    (workspace / "benchaudit-report.json").mkdir(parents=True)

    run = stage.run(environment={"GITHUB_WORKSPACE": str(workspace)})

    assert run.status == 4
    assert "benchaudit-report.json: cannot be written" in run.errors[0]
    assert "check the workspace" in run.errors[0]
    assert (run.writes, run.report) == (["POST issues"], None)
    assert json.loads(run.outputs["results"])[0]["verdict"] == "leak"


CONFIG = dedent(
    f"""\
    slices: [who]
    datasets:
      - dataset: {OTHER}
        gold: nobody
      - dataset: team/none
      - dataset: {DATASET}
    """
)


def test_one_dataset_that_fails_stops_no_other(stage: Stage) -> None:
    """Three datasets, two of them in trouble: the third is delivered, and the gravest status is given."""
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    other = DatasetRepo.create(stage.root / "other.git")
    other.commit("Upload", {DATA: with_distractors(fair())})
    stage.hub.datasets[OTHER] = HubDataset(other.path)

    run = stage.run(dataset="", config="watch.yml", workspace={"watch.yml": CONFIG}, fail_on="leak")

    assert run.status == 2  # a wrong mapping before a dataset that is not there before a leak
    assert len(run.errors) == 2
    assert ("nobody" in run.errors[0], "team/none" in run.errors[1]) == (True, True)
    assert stage.issue.title == f"benchaudit: {DATASET}"
    (result,) = json.loads(run.outputs["results"])
    assert (result["dataset"], result["verdict"], result["issue-number"]) == (DATASET, "leak", "1")
    assert run.summary.count("No report was made") == 2


def test_of_several_datasets_the_outputs_are_the_worst_ones(stage: Stage) -> None:
    """An issue for each, and one list of results."""
    stage.repo.commit("Upload", {DATA: with_distractors(fair())})
    other = DatasetRepo.create(stage.root / "other.git")
    sha = other.commit("Upload", {DATA: with_distractors(leaky())})
    stage.hub.datasets[OTHER] = HubDataset(other.path)
    config = f"datasets: [{{dataset: {DATASET}}}, {{dataset: {OTHER}}}]\n"

    run = stage.run(dataset="", config="watch.yml", workspace={"watch.yml": config})

    assert run.status == 0
    # They are looked at at once: which issue comes first is nobody's business.
    numbers = {issue.title: str(number) for number, issue in stage.watch.issues.items()}
    assert numbers.keys() == {f"benchaudit: {DATASET}", f"benchaudit: {OTHER}"}
    assert (run.outputs["verdict"], run.outputs["revision"], run.outputs["issue-number"]) == (
        "leak",
        sha,
        numbers[f"benchaudit: {OTHER}"],
    )
    assert [entry["verdict"] for entry in json.loads(run.outputs["results"])] == ["none-found", "leak"]
    assert [document["verdict"] for document in run.report] == ["none-found", "leak"]


def test_a_pull_request_is_held_against_what_it_departs_from(reported: Stage) -> None:
    """Whatever was pushed to it in between, and without a word in the issue about what is published."""
    base, body = reported.repo.head, reported.body
    reported.repo.branch("refs/pr/1")
    short = with_distractors(quiz(["shortest"] * 40))
    for data in (short, with_distractors([*leaky(), *leaky(24, who="others")])):
        reported.repo.commit("Propose", {DATA: data}, branch="refs/pr/1")

    for fail_on, status in (("new-leak", 1), ("severe", 1), ("", 0)):
        run = reported.run(revision="refs/pr/1", fail_on=fail_on)
        assert (run.status, run.outputs["previous-revision"]) == (status, base)
    assert "from which it departs" in run.summary
    assert "first report" not in run.summary

    reported.repo.commit("Propose less", {DATA: with_distractors(leaky(44))}, branch="refs/pr/1")
    assert reported.run(revision="refs/pr/1", fail_on="new-leak").status == 0
    assert (reported.body, reported.issue.comments) == (body, [])


def test_an_accepted_leak_fails_no_gate_and_stays_silent(reported: Stage) -> None:
    """Until it is more than what was accepted."""
    reported.repo.commit("Say it otherwise", {DATA: with_distractors(leaky(41))})
    asked = reported.run(fail_on="leak")
    assert asked.status == 1
    known = "\n".join(
        f"{'who=self' if part['slice'] else 'ALL'} | {check} | {judged['gain'] * 100 + 0.1:.1f} | on purpose"
        for part in asked.report["slices"]
        for check, judged in part["checks"].items()
        if judged["verdict"] == "leak"
    )
    less = known.replace("longest | 75.1", "longest | 74.9")
    run = reported.run(fail_on="leak", accept=known)

    assert (run.status, run.outputs["verdict"], run.writes) == (0, "slight", ["PATCH 1"])
    assert "on purpose" in reported.body
    assert "**No leak but" in reported.body
    assert reported.run(fail_on="leak", accept=known).writes == []
    reported.repo.commit("Add more of the same", {DATA: with_distractors(leaky(44))})
    assert reported.run(fail_on="leak", accept=known).writes == ["PATCH 1"]
    assert reported.run(fail_on="leak", accept=less).status == 1
