"""The image runs the action as a runner does: the same story, its servers on this machine."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.quiz import fair, leaky, with_distractors
from tests.e2e.stage import DATA, ROOT, Stage

ENGINE, IMAGE = os.environ.get("BENCHAUDIT_ENGINE", ""), os.environ.get("BENCHAUDIT_IMAGE", "")

pytestmark = pytest.mark.skipif(
    not (ENGINE and IMAGE),
    reason="NOT RUN IN A CONTAINER: .ci/container builds the image and names it",
)


def container(*arguments: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run the image to its end."""
    command = [ENGINE, "run", "--rm", *options, IMAGE, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


class Runner(Stage):
    """The stage with runs in a container: the workspace and the command files are mounted, HOME is set."""

    def _carry_out(
        self, arguments: list[str] | tuple[str, ...], cwd: Path, environment: Mapping[str, str]
    ) -> tuple[int, str, str]:
        home = cwd.parent / "home"
        home.mkdir()
        names = ("INPUT_", "GITHUB_", "HF_ENDPOINT", "BENCHAUDIT_PAUSE")
        variables = [f"--env={name}={value}" for name, value in environment.items() if name.startswith(names)]
        options = (
            "--network",
            "host",
            f"--volume={cwd.parent}:{cwd.parent}",
            f"--env=HOME={home}",
            *variables,
        )
        done = container(*arguments, options=(*options, "--workdir", str(cwd)))
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Runner]:
    """A stage whose runs are containers."""
    with Runner(root=tmp_path) as stage:
        yield stage
        stage.check()


def test_the_whole_story_from_the_image(stage: Runner) -> None:
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    first = stage.run()
    assert (first.status, first.outputs["verdict"]) == (0, "leak")
    assert first.report["verdict"] == "leak"
    assert "leak" in first.summary
    body = stage.body

    again = stage.run()
    assert (again.status, again.outputs["changed"], again.writes) == (0, "false", [])
    assert stage.body == body

    stage.repo.commit("Balance", {DATA: with_distractors(fair())})
    change = stage.run()
    assert (change.status, change.outputs["material"]) == (0, "true")
    assert len(stage.issue.comments) == 1


def test_one_line_says_what_is_wrong(stage: Runner) -> None:
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    run = stage.run(gold="no_such_column")
    assert run.status == 2
    (line,) = run.errors
    assert "no_such_column" in line


def test_without_a_network_and_a_writable_disk_the_help_is_there() -> None:
    done = container("--help", options=("--network", "none", "--read-only"))
    assert done.returncode == 0
    assert "watch" in done.stdout


def test_nothing_that_builds_is_left_and_nothing_is_written_into_the_image() -> None:
    """The environment has no installer and no compiler; what is compiled is compiled already."""
    program = (
        "import importlib.util as i, json, pathlib, shutil, sys;"
        "import benchaudit.cli, duckdb, github, huggingface_hub, pandas, pyarrow;"
        "print(json.dumps({"
        "'tools': [name for name in ('gcc', 'cc', 'make', 'git') if shutil.which(name)],"
        "'pip': i.find_spec('pip') is not None,"
        "'tests': [str(p) for p in pathlib.Path(sys.prefix).rglob('tests') if p.is_dir()],"
        "'stale': [m.__name__ for m in list(sys.modules.values()) if getattr(m, '__cached__', None)"
        " and m.__file__.startswith('/opt/') and not pathlib.Path(m.__cached__).exists()]}))"
    )
    options = ("--network", "none", "--read-only", "--workdir", "/opt/benchaudit", "--entrypoint", "python")
    command = [ENGINE, "run", "--rm", *options, IMAGE, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"tools": [], "pip": False, "tests": [], "stale": []}


def test_the_image_says_what_it_is_and_keeps_the_runners_user() -> None:
    command = [ENGINE, "image", "inspect", IMAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    config: dict[str, Any] = json.loads(done.stdout)[0]["Config"]
    labels = config["Labels"]
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert labels["org.opencontainers.image.description"] == action["description"]
    assert labels["org.opencontainers.image.licenses"] == "MIT"
    assert not config.get("User")
    assert not config.get("Volumes")
