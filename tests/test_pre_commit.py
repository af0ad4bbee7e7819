"""The hooks for pre-commit: their manifest, and the real program running them on a repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"

pytest.importorskip("pre_commit", reason="pre-commit is not installed")

LEAKY = "question,correct_answer,incorrect_answers\n" + "".join(
    f'"Q{number}?","a much longer answer","[""b"", ""c{number}"", ""d""]"\n' for number in range(40)
)
FAIR = "question,correct_answer,incorrect_answers\n" + "".join(
    f'"Q{number}?","a{number}","[""b{number}"", ""c{number}""]"\n' for number in range(40)
)


def hooks() -> dict[str, dict]:
    return {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}


def test_the_manifest_is_one_for_pre_commit():
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


class Repository:
    """A git repository whose hooks are ours, run from this checkout and not from a copy of it."""

    def __init__(self, folder: Path, hook: str, args: list[str]) -> None:
        self.folder = folder / "set"
        self.folder.mkdir()
        tool = folder / "bin" / "benchaudit"
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m benchaudit "$@"\n', encoding="utf-8")
        tool.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PRE_COMMIT_HOME": str(folder / "home"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        used = hooks()[hook] | {"language": "system", "args": args}
        config = {"repos": [{"repo": "local", "hooks": [used]}]}
        (self.folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
        self.run("git", "init", "--quiet")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )

    def check(self) -> subprocess.CompletedProcess[str]:
        """What pre-commit says of all that is in the repository."""
        self.run("git", "add", "--all")
        return self.run(sys.executable, "-m", "pre_commit", "run", "--all-files")


@pytest.mark.parametrize(("data", "status"), [(LEAKY, 1), (FAIR, 0)], ids=["leak", "fair"])
def test_the_gate_lets_no_leak_in(tmp_path, data, status):
    repository = Repository(tmp_path, "benchaudit", ["data.csv"])
    (repository.folder / "data.csv").write_text(data, encoding="utf-8")
    done = repository.check()
    assert done.returncode == status, done.stdout + done.stderr
    assert ("severe leak" in done.stdout) == bool(status)


def test_another_condition_outweighs_the_hook_s_own(tmp_path):
    repository = Repository(tmp_path, "benchaudit", ["data.csv", "--min-effect", "100"])
    (repository.folder / "data.csv").write_text(LEAKY, encoding="utf-8")
    assert repository.check().returncode == 0


def test_files_without_data_wake_no_hook(tmp_path):
    repository = Repository(tmp_path, "benchaudit", ["data.csv"])
    (repository.folder / "notes.txt").write_text("x", encoding="utf-8")
    done = repository.check()
    assert done.returncode == 0
    assert "no files to check" in done.stdout


def test_a_card_is_brought_up_to_date_once(tmp_path):
    repository = Repository(tmp_path, "benchaudit-controls", ["data.csv", "--card", "README.md"])
    (repository.folder / "data.csv").write_text(LEAKY, encoding="utf-8")
    (repository.folder / "README.md").write_text("# Set\n", encoding="utf-8")
    done = repository.check()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "files were modified by this hook" in done.stdout
    assert "benchaudit:controls" in (repository.folder / "README.md").read_text(encoding="utf-8")
    assert repository.check().returncode == 0
