"""The demo: a dataset repository that grows commit by commit, watched after each of them.

Nothing leaves the machine: the repository is a folder under git, the tracker a folder of files.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

from benchaudit import job
from benchaudit.demo.dataset import DATA_PATH, DemoCommit, history
from benchaudit.edges import REPORTS
from benchaudit.errors import SettingsError, SourceError
from benchaudit.settings import Layer
from benchaudit.speech import is_quiet

DATASET = "demo/personal-preferences"
_MADE_BY_US = ".benchaudit-demo"


def show(folder: Path, environment: Mapping[str, str]) -> int:
    """Run the demo in `folder` and return an exit status. Raises SettingsError where the folder is in use."""
    # The last lines say where everything is; what leads there is left out for who wants it quiet.
    console, told = Console(highlight=False, soft_wrap=True), Console(highlight=False, quiet=is_quiet())
    repository = _fresh(folder) / "dataset"
    settings: Layer = {
        "dataset": (DATASET, "demo"),
        "files": (DATA_PATH, "demo"),
        "slices": ("who,pref_type", "demo"),
        "channel": ("folder", "demo"),
    }
    inside = {**_without_runner(environment), "GITHUB_WORKSPACE": str(folder)}
    for number, commit in enumerate(history()):
        sha = _commit(repository, commit, number)
        tag = f", tagged {commit.tag}" if commit.tag else ""
        told.print(f"\n[bold]commit {sha[:7]}[/] {commit.title}{tag}", markup=True)
        if number == 0:
            continue
        status = job.run(str(repository), [settings, {}], inside)
        if status:
            return status
    issue = next((folder / REPORTS).glob("*/issue.md"))
    comments = sorted(issue.parent.glob("comment-*.md"))
    told.print(Markdown(_first_screen(issue)))
    console.print(f"The report issue:  {issue}")
    for comment in comments:
        console.print(f"A comment:         {comment}")
    console.print(f"The JSON report:   {folder / job.REPORT}")
    console.print(f"The dataset:       {repository}")
    return 0


def _first_screen(issue: Path) -> str:
    """What a reader of the issue sees first: the verdict and what changed; a terminal draws no chart."""
    text = issue.read_text(encoding="utf-8")
    seen = text.split("-->\n", 2)[-1].split("### Slices", 1)[0]
    return re.sub(r"^```mermaid\n.*?^```\n", "", seen, flags=re.DOTALL | re.MULTILINE)


def _fresh(folder: Path) -> Path:
    """An empty folder; an earlier demo in it is removed, anything else is left alone."""
    if folder.exists():
        if not folder.is_dir():
            raise SettingsError("is no folder", where=str(folder), todo="name another with --folder")
        if not (folder / _MADE_BY_US).exists() and any(folder.iterdir()):
            raise SettingsError("is not empty", where=str(folder), todo="name another with --folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / _MADE_BY_US).touch()
    return folder


def _commit(repository: Path, commit: DemoCommit, number: int) -> str:
    """Make one commit at a fixed time by a fixed author: the demo has the same revisions everywhere."""
    if number == 0:
        repository.mkdir()
        _git(repository, "init", "--quiet", "--initial-branch=main", number=number)
    for name, content in commit.files.items():
        path = repository / name
        if content is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    _git(repository, "add", "--all", number=number)
    _git(repository, "commit", "--quiet", "--message", commit.title, number=number)
    if commit.tag:
        _git(repository, "tag", commit.tag, number=number)
    return _git(repository, "rev-parse", "HEAD", number=number).strip()


def _git(repository: Path, *arguments: str, number: int) -> str:
    when = f"2026-01-{number + 1:02d}T12:00:00Z"
    fixed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for role in ("AUTHOR", "COMMITTER"):
        fixed |= {
            f"GIT_{role}_NAME": "Demo",
            f"GIT_{role}_EMAIL": "demo@example.invalid",
            f"GIT_{role}_DATE": when,
        }
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | fixed
    command = ["git", "-c", "core.autocrlf=false", *arguments]
    try:
        done = subprocess.run(
            command, cwd=repository, env=environment, capture_output=True, text=True, check=True
        )
    except FileNotFoundError:
        raise SourceError("git is not installed", todo="install git to run the demo") from None
    return done.stdout


def _without_runner(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what a runner or a user set for the real job."""
    return {
        name: value
        for name, value in environment.items()
        if not name.startswith(("INPUT_", "GITHUB_")) and not name.endswith("TOKEN")
    }
