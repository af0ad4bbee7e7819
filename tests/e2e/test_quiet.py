"""Where nothing is new nothing is done, and where nothing changed nobody hears of it."""

from __future__ import annotations

from .quiz import fair, leaky, with_distractors
from .stage import DATA, DATASET, Stage


def test_nothing_new_costs_one_call_to_the_hub_and_two_to_github(reported: Stage) -> None:
    """No data is read, nothing is written, and the outputs say all the same what is known."""
    before = reported.body

    run = reported.run()

    assert run.status == 0
    assert [seen.path for seen in run.hub] == [f"/api/datasets/{DATASET}/refs"]
    assert [seen.path for seen in run.github] == ["/user", "/repos/team/watch/issues"]
    assert (run.data_bytes, run.writes, reported.body) == (0, [], before)
    assert run.report is None
    assert {name: text for name, text in run.outputs.items() if name != "results"} == {
        "revision": reported.repo.head,
        "previous-revision": "",
        "changed": "false",
        "material": "false",
        "verdict": "leak",
        "no-model-baseline": "100.0 %",
        "issue-number": "1",
        "issue-url": run.outputs["issue-url"],
        "comment-url": "",
        "report": "",
    }
    assert run.outputs["issue-url"].endswith("/team/watch/issues/1")
    assert "no new data" in run.summary


def test_with_the_author_named_github_is_asked_once(reported: Stage) -> None:
    """Who the token belongs to need not be asked where an input says it."""
    run = reported.run(author="github-actions[bot]")

    assert [seen.path for seen in run.github] == ["/repos/team/watch/issues"]


def test_other_settings_alone_notify_nobody(stage: Stage) -> None:
    """Figures under new thresholds are a silent update: the data is what it was."""
    for data in (leaky(), fair()):
        stage.repo.commit("Upload", {DATA: with_distractors(data)})
    stage.run()

    run = stage.run(min_rows="10")

    assert (run.status, run.writes) == (0, ["PATCH 1"])
    assert "min-rows 10" in stage.body


def test_a_dry_run_writes_nothing(reported: Stage) -> None:
    """It says what it would do; the report is in the summary."""
    reported.repo.commit("Balance", {DATA: with_distractors(fair())})
    before = reported.body

    run = reported.run(dry_run="true")

    assert (run.status, run.writes, reported.body) == (0, [], before)
    assert "would comment" in run.stderr
    assert "would update" in run.stderr
    assert "No leak found" in run.summary
