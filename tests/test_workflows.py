"""The workflows of docs/workflows/, taken at their word: their inputs, their permissions and their steps."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from werkzeug.wrappers import Request, Response

from benchaudit import __version__
from tests.e2e.quiz import fair, leaky, with_distractors
from tests.e2e.stage import DATA, DATASET, REPOSITORY, TOKEN, Stage
from tests.loopback.base import Loopback
from tests.loopback.github import Account, Repository
from tests.loopback.hub import HubDataset

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "workflows"
PATHS = sorted(FOLDER.glob("*.yml"))
ACTION = f"benchaudit/benchaudit-action@v{__version__.split('.', maxsplit=1)[0]}"
INPUTS = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]


def load(path: Path) -> dict[str, Any]:
    """A workflow with every value as it is spelled: `on` is a key, and no number loses a digit."""
    found: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    return found


def steps(workflow: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All steps of all jobs."""
    for job in workflow["jobs"].values():
        yield from job.get("steps", ())


def script(name: str, step: str) -> str:
    """What a step of a workflow runs."""
    (found,) = (entry["run"] for entry in steps(load(FOLDER / name)) if entry.get("name", "") == step)
    return str(found)


def bash(program: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a step as the runner does, with this checkout's `benchaudit` as the one that is installed."""
    programs = cwd / ".programs"
    programs.mkdir(exist_ok=True)
    (programs / "benchaudit").write_text(f'#!/bin/sh\nexec {sys.executable} -m benchaudit "$@"\n')
    (programs / "benchaudit").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "INPUT_"))}
    own = {"PATH": f"{programs}:{kept['PATH']}", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", program],
        cwd=cwd,
        env=kept | own | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Both platforms."""
    with Stage(root=tmp_path) as stage:
        yield stage
        stage.check()


def test_there_are_workflows() -> None:
    assert {"watch", "on-push", "fleet", "on-release", "upstream", "gate", "keep-alive"} <= {
        path.stem for path in PATHS
    }


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_workflow_is_safe_to_paste(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {}
    assert not {"pull_request_target", "issue_comment"} & workflow["on"].keys()
    assert "concurrency" in workflow or all("concurrency" in job for job in workflow["jobs"].values())
    for name, job in workflow["jobs"].items():
        assert "timeout-minutes" in job, name
    for step in steps(workflow):
        if used := step.get("uses"):
            assert used == ACTION or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", used), used
        # An expression inside a script is text that somebody else may have written.
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_workflow_gives_the_action_inputs_that_it_has(path: Path) -> None:
    for step in steps(load(path)):
        if step.get("uses") == ACTION:
            assert step["with"].keys() <= INPUTS.keys()


def inputs_of(name: str) -> dict[str, str]:
    """What a workflow gives the action, but for the dataset that is watched here; `_` for `-`."""
    (step,) = (step for step in steps(load(FOLDER / name)) if step.get("uses") == ACTION)
    given = {key.replace("-", "_"): value for key, value in step["with"].items()}
    return given | {"dataset": DATASET, "files": DATA, "slices": "who", "channel": ""}


def permissions_of(name: str) -> dict[str, str]:
    """What the only job of a workflow may do."""
    (job,) = load(FOLDER / name)["jobs"].values()
    found: dict[str, str] = job["permissions"]
    return found


@pytest.mark.parametrize("name", ["watch.yml", "on-push.yml"])
def test_a_watch_does_what_it_says(stage: Stage, name: str) -> None:
    assert permissions_of(name) == {"issues": "write"}
    given = inputs_of(name)
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    assert stage.run(**given).outputs["verdict"] == "leak"
    stage.repo.commit("Balance", {DATA: with_distractors(fair())})
    assert stage.run(**given).outputs["material"] == "true"
    assert len(stage.issue.comments) == 1


def test_pages_are_published_when_something_is_new(stage: Stage) -> None:
    """What is handed over is the folder that the watch wrote; only the second job may publish."""
    jobs = load(FOLDER / "pages.yml")["jobs"]
    assert jobs["watch"]["permissions"] == {"issues": "write"}
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    given = inputs_of("pages.yml")
    (handed,) = (step["with"]["path"] for step in jobs["watch"]["steps"] if "pages-artifact" in step["uses"])
    assert handed == given["pages"]
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    changed = [stage.run(**given).outputs["changed"] for _ in range(2)]
    assert changed == ["true", "false"]


def test_a_fleet_watches_every_dataset_once(stage: Stage, tmp_path: Path) -> None:
    """The plan's own step makes the matrix; each job of it is run with what its step gives the action."""
    workflow = load(FOLDER / "fleet.yml")
    names = [f"team/quiz-{number}" for number in range(3)]
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    stage.hub.datasets |= {name: HubDataset(stage.repo.path) for name in names}
    config = "slices: [who]\ndatasets:\n" + "".join(f"- dataset: {name}\n" for name in names)
    place = tmp_path / "planned" / ".github"
    place.mkdir(parents=True)
    (place / "benchaudit.yml").write_text(config, encoding="utf-8")
    output = tmp_path / "output"
    program = script("fleet.yml", "Deal out").replace("--jobs 12", "--jobs 2")
    done = bash(program, place.parent, GITHUB_OUTPUT=str(output))
    assert done.returncode == 0, done.stderr
    planned = json.loads(output.read_text(encoding="utf-8").removeprefix("matrix="))["include"]
    assert len(planned) == 2

    job = workflow["jobs"]["watch"]
    assert job["strategy"]["matrix"] == "${{ fromJSON(needs.plan.outputs.matrix) }}"
    assert job["permissions"] == {"contents": "read", "issues": "write"}
    (step,) = (step for step in job["steps"] if step["uses"] == ACTION)
    assert step["with"] == {"config": ".github/benchaudit.yml", "shard": "${{ matrix.shard }}"}
    watched: list[str] = []
    for entry in planned:
        run = stage.run(workspace={"fleet.yml": config}, dataset="", config="fleet.yml", shard=entry["shard"])
        assert (run.status, run.errors) == (0, [])
        watched += [result["dataset"] for result in json.loads(run.outputs["results"])]
    assert sorted(watched) == names
    assert len(stage.watch.issues) == len(names)


def test_a_release_gets_its_comment(stage: Stage, tmp_path: Path) -> None:
    """With what the workflow's token may do, and no more."""
    may = {REPOSITORY: permissions_of("on-release.yml")}
    stage.github.accounts[TOKEN] = Account(kind="actions", can=may)
    given = inputs_of("on-release.yml")
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    stage.repo.tag("v1.0")
    release = stage.watch.release("v1.0")
    event = tmp_path / "event.json"
    event.write_text('{"action": "published", "release": {"tag_name": "v1.0", "draft": false}}')
    started = {"GITHUB_EVENT_NAME": "release", "GITHUB_EVENT_PATH": str(event)}
    run = stage.run(environment=started, **given)
    assert (run.status, run.errors) == (0, [])
    (comment,) = stage.issue.comments
    assert stage.repo.head in comment.body
    assert run.outputs["comment-url"] in release.body
    assert [asset.name for asset in release.assets] == ["benchaudit-report.json"]


def test_upstream_hears_of_a_leak_only_when_somebody_approves(stage: Stage) -> None:
    given = inputs_of("upstream.yml")
    assert given["upstream_token"] == "${{ secrets.UPSTREAM_TOKEN }}"
    there, token = given["upstream"].removeprefix("github:"), "ghp_token_for_upstream"
    upstream = Repository(name=there)
    stage.github.repositories[there] = upstream
    stage.github.accounts[token] = Account(login="auditor", kind="user")
    stage.watch.collaborators["maintainer"] = "write"
    given["upstream_token"] = token

    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    assert stage.run(**given).status == 0
    assert upstream.issues == {}
    stage.watch.relabel(stage.issue, [*stage.issue.labels, given["approval_label"]], by="passer-by")
    assert stage.run(**given).status == 0
    assert upstream.issues == {}
    stage.watch.relabel(stage.issue, [], by="maintainer")
    stage.watch.relabel(stage.issue, [given["approval_label"]], by="maintainer")
    assert stage.run(**given).status == 0
    (report,) = upstream.issues.values()
    assert "leak" in (report.body or "")


def test_the_relay_and_its_workflow_speak_of_the_same_event() -> None:
    relay = (FOLDER / "relay" / "relay.py").read_text(encoding="utf-8")
    (kind,) = load(FOLDER / "on-push.yml")["on"]["repository_dispatch"]["types"]
    assert f'"event_type": "{kind}"' in relay


def test_a_pull_request_with_a_new_leak_does_not_pass_the_gate(tmp_path: Path) -> None:
    program = script("gate.yml", "No new leak")
    settings = load(FOLDER / "gate.yml")["jobs"]["gate"]["env"]
    data = tmp_path / settings["DATA"]
    data.parent.mkdir()
    git = "git -c user.name=a -c user.email=a@example.invalid"

    def change(content: bytes, base: str) -> subprocess.CompletedProcess[str]:
        """Check the merge of a pull request out, and run the step."""
        subprocess.run(["bash", "-ec", f"{base}; {git} checkout --quiet -b change"], cwd=tmp_path, check=True)
        data.write_bytes(content)
        merge = (
            f"{git} commit --quiet --all --message Change; {git} checkout --quiet main;"
            f"{git} merge --quiet --no-ff --message Merge change; {git} branch --quiet -D change"
        )
        subprocess.run(["bash", "-ec", merge], cwd=tmp_path, check=True)
        return bash(program, tmp_path, **settings)

    data.write_bytes(with_distractors(fair()))
    begun = f"{git} init --quiet --initial-branch=main; {git} add --all; {git} commit --quiet --message Begin"
    harmless = change(with_distractors(fair(44)), begun)
    assert harmless.returncode == 0, harmless.stderr
    leaking = change(with_distractors(leaky()), "rm -r before")
    assert leaking.returncode == 1, leaking.stderr
    assert "longest" in leaking.stdout


class Recorder(Loopback):
    """A GitHub that enables whatever it is asked to."""

    def respond(self, _: Request) -> Response:
        """What GitHub answers."""
        return Response(status=204)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the workflow calls curl, which is not here")
def test_the_schedules_are_kept_alive(tmp_path: Path) -> None:
    (step,) = steps(load(FOLDER / "keep-alive.yml"))
    with Recorder() as github:
        done = bash(
            step["run"],
            tmp_path,
            GITHUB_API_URL=github.url,
            GITHUB_REPOSITORY="team/watch",
            GITHUB_TOKEN="a-token",
            WORKFLOWS=step["env"]["WORKFLOWS"],
        )
    assert done.returncode == 0, done.stderr
    place = "/repos/team/watch/actions/workflows"
    assert [(seen.method, seen.path) for seen in github.seen] == [
        ("PUT", f"{place}/benchaudit.yml/enable"),
        ("PUT", f"{place}/keep-alive.yml/enable"),
    ]
    assert {seen.authorization for seen in github.seen} == {"Bearer a-token"}


def test_what_the_docs_name_is_there() -> None:
    """Every workflow is listed beside the others, and no other is."""
    listed = re.findall(r"\]\(([\w-]+\.yml)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == [path.name for path in PATHS]
