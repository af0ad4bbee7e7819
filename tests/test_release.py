"""The release workflow's own steps, and what holds for every workflow of this repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import benchaudit

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
IMAGE = f"registry.example/team/benchaudit@sha256:{'0123456789abcdef' * 4}"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a release is made of, in a repository of its own."""
    for name in ("action.yml", "CHANGELOG.md", ".ci/release.py", "benchaudit/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    changelog = tmp_path / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8").split("\n## ", 1)[0]
    version = f"\n## {benchaudit.__version__} - 2026-01-01\n\n- It works.\n\n## 0.0.1\n\n- It began.\n"
    changelog.write_text(text + version, encoding="utf-8")
    return tmp_path


def release(checkout: Path, *arguments: str) -> tuple[int, str]:
    """The status and all that is said."""
    command = [sys.executable, str(checkout / ".ci" / "release.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_tag_of_the_codes_version_is_a_release(checkout: Path) -> None:
    assert release(checkout, "check", f"release-{benchaudit.__version__}") == (0, benchaudit.__version__)


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ("v1.0.0", "release-X.Y.Z"),
        ("release-1.0", "release-X.Y.Z"),
        ("release-1.0.0; echo", "release-X.Y.Z"),
        ("release-99.0.0", "another version"),
    ],
)
def test_any_other_tag_is_refused(checkout: Path, tag: str, said: str) -> None:
    status, text = release(checkout, "check", tag)
    assert status == 1
    assert said in text


def test_a_version_without_a_changelog_is_refused(checkout: Path) -> None:
    (checkout / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n- A line.\n", encoding="utf-8")
    status, text = release(checkout, "check", f"release-{benchaudit.__version__}")
    assert (status, "no section" in text) == (1, True)


def test_the_notes_are_the_versions_section(checkout: Path) -> None:
    assert release(checkout, "notes", benchaudit.__version__) == (0, "- It works.\n")


def test_the_action_of_a_release_runs_the_published_image_and_differs_in_nothing_else(
    checkout: Path,
) -> None:
    before = yaml.safe_load((checkout / "action.yml").read_text(encoding="utf-8"))
    assert before["runs"]["image"] == "Dockerfile"
    assert release(checkout, "pin", IMAGE)[0] == 0
    after = yaml.safe_load((checkout / "action.yml").read_text(encoding="utf-8"))
    assert after["runs"].pop("image") == f"docker://{IMAGE}"
    del before["runs"]["image"]
    assert after == before
    assert release(checkout, "pin", IMAGE)[0] == 1, "a pinned action is not pinned again"


@pytest.mark.parametrize(
    "image", ["registry.example/team/benchaudit:1", "@sha256:0", "a b@sha256:" + "0" * 64]
)
def test_an_image_without_a_digest_is_refused(checkout: Path, image: str) -> None:
    assert release(checkout, "pin", image)[0] == 1
    assert "image: Dockerfile" in (checkout / "action.yml").read_text(encoding="utf-8")


def test_the_tags_are_pushed_as_the_workflow_says(checkout: Path, tmp_path_factory: Any) -> None:
    """The workflow's own step, against a repository on this machine: vX.Y.Z is new, vX moves, main stays."""
    origin, files = tmp_path_factory.mktemp("origin"), tmp_path_factory.mktemp("bin")
    (files / "gh").write_text("#!/bin/sh\n", encoding="utf-8")
    (files / "gh").chmod(0o755)
    environment = {
        "PATH": f"{files}:{os.environ['PATH']}",
        "HOME": str(files),
        "GIT_CONFIG_NOSYSTEM": "1",
        "VERSION": "1.2.3",
        "IMAGE": IMAGE,
    }

    def run(*command: str) -> str:
        done = subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    run("git", "init", "--quiet", "--initial-branch=main")
    run("git", "init", "--quiet", "--bare", str(origin))
    run("git", "remote", "add", "origin", str(origin))
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
    run("git", "add", "--all")
    run("git", *identity, "commit", "--quiet", "--message", "Work")
    run("git", "push", "--quiet", "origin", "main", "HEAD:refs/tags/v1")
    main = run("git", "rev-parse", "HEAD")

    steps = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"][
        "publish"
    ]["steps"]
    (script,) = (step["run"] for step in steps if step.get("name", "").startswith("Tag the commit"))
    run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)

    refs = dict(reversed(line.split("\t")) for line in run("git", "ls-remote", "origin").splitlines())
    assert refs["refs/heads/main"] == main
    assert refs["refs/tags/v1"] == refs["refs/tags/v1.2.3"] != main
    assert run("git", "rev-parse", "v1.2.3^") == main
    assert run("git", "diff", "--name-only", main, "v1.2.3") == "action.yml"
    environment["IMAGE"] = IMAGE.replace("0", "f")
    with pytest.raises(subprocess.CalledProcessError):
        run("bash", "-eo", "pipefail", "-c", f"git checkout --quiet {main} && git tag -d v1.2.3\n{script}")
    assert run("git", "ls-remote", "origin", "refs/tags/v1.2.3").split()[0] == refs["refs/tags/v1.2.3"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_asks_for_nothing_that_it_can_do_without(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    workflow: dict[Any, Any] = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    triggers = workflow[True]  # what YAML makes of the key `on`
    assert "pull_request_target" not in triggers
    for name, job in workflow["jobs"].items():
        assert "permissions" in job, name
        assert "uses" in job or job["timeout-minutes"] <= 60, name
    for used, comment in re.findall(r"uses: (\S+)(.*)", text):
        if not used.startswith("./"):
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", used), used
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), used


def test_an_action_has_one_version_in_all_workflows() -> None:
    everything = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    seen: dict[str, set[str]] = {}
    for action, version in re.findall(r"uses: (\S+?)@(\S+)", everything):
        seen.setdefault(action, set()).add(version)
    assert {action: versions for action, versions in seen.items() if len(versions) > 1} == {}
