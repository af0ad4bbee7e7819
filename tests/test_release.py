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
    for name in ("action.yml", "CHANGELOG.md", "Dockerfile", ".ci/release.py", "benchaudit/__init__.py"):
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


class Hosted:
    """A hosted runner that carries out single steps of the release workflow, on a tag of version 1.2.3.

    The origin is a repository on this machine. `docker` and `gh` are shell scripts, which tests write.
    """

    def __init__(self, checkout: Path, place: Path) -> None:
        self.checkout, self.place = checkout, place
        self.origin = place / "origin.git"
        self.said = ""
        self.program("gh", "exit 0")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("init", "--quiet", "--bare", str(self.origin))
        self.git("remote", "add", "origin", str(self.origin))
        self.commit("Work")
        self.git("push", "--quiet", "origin", "main", "HEAD:refs/tags/v1")
        self.git("fetch", "--quiet", "origin")

    def program(self, name: str, script: str) -> None:
        """Let a command be this script."""
        path = self.place / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def git(self, *arguments: str) -> str:
        """What git says."""
        done = self._run("git", *arguments, environment={})
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, title: str) -> str:
        """Commit all that is there, and return the commit."""
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
        self.git("add", "--all")
        self.git(*identity, "commit", "--quiet", "--allow-empty", "--message", title)
        return self.git("rev-parse", "HEAD")

    def refs(self) -> dict[str, str]:
        """The origin's refs."""
        return dict(reversed(line.split("\t")) for line in self.git("ls-remote", "origin").splitlines())

    def step(self, job: str, starts: str, **environment: str) -> dict[str, str] | None:
        """Carry out the step whose script has a line that starts so; its outputs, None where it failed.

        `environment` has a value for each variable that the step declares, and what the runner sets.
        """
        workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
        (step,) = (
            step
            for step in workflow["jobs"][job]["steps"]
            if any(line.startswith(starts) for line in step.get("run", "").splitlines())
        )
        assert step.get("env", {}).keys() <= environment.keys()
        output = self.place / "output"
        output.write_text("", encoding="utf-8")
        command = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])
        done = self._run(*command, environment={"GITHUB_OUTPUT": str(output), **environment})
        self.said = done.stdout + done.stderr
        lines = output.read_text(encoding="utf-8").splitlines()
        return None if done.returncode else dict(line.split("=", 1) for line in lines)

    def _run(self, *command: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        own = {
            "PATH": f"{self.place / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.place),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        return subprocess.run(
            command, cwd=self.checkout, env=own | environment, capture_output=True, text=True, check=False
        )


@pytest.fixture
def hosted(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Hosted:
    """A hosted runner with this checkout."""
    return Hosted(checkout, tmp_path_factory.mktemp("hosted"))


def test_only_what_is_on_main_is_released(hosted: Hosted) -> None:
    on_main = hosted.git("rev-parse", "HEAD")
    assert hosted.step("plan", "git merge-base", GITHUB_SHA=on_main) == {}
    beside = hosted.commit("Beside main")
    assert hosted.step("plan", "git merge-base", GITHUB_SHA=beside) is None


def test_the_plan_gives_the_version(hosted: Hosted) -> None:
    tag = f"release-{benchaudit.__version__}"
    outputs = {"version": benchaudit.__version__}
    assert hosted.step("plan", "version=", GITHUB_REF_NAME=tag) == outputs


def test_a_tag_that_is_no_release_ends_the_plan(hosted: Hosted) -> None:
    """The exit status of what is called within the step's `echo` must not be lost."""
    assert hosted.step("plan", "version=", GITHUB_REF_NAME="release-99.0.0") is None
    assert "another version" in hosted.said


def test_the_image_is_named_by_the_registry_and_the_repository_in_lower_case(hosted: Hosted) -> None:
    given = {"REGISTRY": "registry.example", "GITHUB_REPOSITORY": "Team/BenchAudit"}
    outputs = hosted.step("image", ': "${REGISTRY', **given)
    assert outputs is not None
    assert outputs["name"] == "registry.example/team/benchaudit"
    assert outputs["epoch"] == hosted.git("show", "--no-patch", "--format=%ct")
    assert outputs["created"] == hosted.git("show", "--no-patch", "--format=%cI")


def test_without_a_registry_no_image_is_built(hosted: Hosted) -> None:
    assert hosted.step("image", ': "${REGISTRY', REGISTRY="", GITHUB_REPOSITORY="a/b") is None
    assert "set the repository variable REGISTRY" in hosted.said


def test_the_base_is_pinned_to_the_digest_of_the_day(hosted: Hosted) -> None:
    """Of the name that the Dockerfile has, and nothing else: both of its stages are from there."""
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (base,) = set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE))
    hosted.program(
        "docker",
        f'[ "$*" = "buildx imagetools inspect {base} --format {{{{.Manifest.Digest}}}}" ]'
        " && echo sha256:0123",
    )
    assert hosted.step("image", "base=") == {"context": f"{base}=docker-image://{base}@sha256:0123"}
    hosted.program("docker", "exit 1")
    assert hosted.step("image", "base=") is None


@pytest.mark.parametrize(
    ("docker", "passes"),
    [("echo duckdb", True), ("echo scipy", False), ('[ "$1" = run ] && exit 2; echo duckdb', False)],
)
def test_an_image_that_does_not_run_or_has_no_bill_of_materials_fails(
    hosted: Hosted, docker: str, passes: bool
) -> None:
    hosted.program("docker", docker)
    assert (hosted.step("image", "docker run", IMAGE=IMAGE) is not None) is passes


def test_the_tags_are_pushed_as_the_workflow_says(hosted: Hosted) -> None:
    """vX.Y.Z is new, vX moves, main stays; a version that is out is never made anew."""
    main = hosted.git("rev-parse", "HEAD")
    given = {"VERSION": "1.2.3", "GH_TOKEN": ""}

    assert hosted.step("publish", "git tag", IMAGE=IMAGE, **given) is not None

    refs = hosted.refs()
    assert refs["refs/heads/main"] == main
    assert refs["refs/tags/v1"] == refs["refs/tags/v1.2.3"] != main
    assert hosted.git("rev-parse", "v1.2.3^") == main
    assert hosted.git("diff", "--name-only", main, "v1.2.3") == "action.yml"
    hosted.git("checkout", "--quiet", main)
    hosted.git("tag", "-d", "v1.2.3")
    assert hosted.step("publish", "git tag", IMAGE=IMAGE.replace("0", "f"), **given) is None
    assert hosted.refs() == refs


def test_the_release_has_its_files_and_its_notes(hosted: Hosted) -> None:
    for name in ("benchaudit.whl", "sbom.json"):
        (hosted.checkout / "files").mkdir(exist_ok=True)
        (hosted.checkout / "files" / name).write_text("", encoding="utf-8")
    hosted.program("gh", 'printf "%s\\n" "$@" > asked; cat notes.md >> asked')
    version = benchaudit.__version__

    assert hosted.step("publish", "gh release", GH_TOKEN="", VERSION=version) is not None

    files = ("files/benchaudit.whl", "files/sbom.json")
    flags = ("--verify-tag", "--title", version, "--notes-file", "notes.md")
    asked = (hosted.checkout / "asked").read_text(encoding="utf-8").splitlines()
    assert asked == ["release", "create", f"v{version}", *files, *flags, "- It works."]


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
