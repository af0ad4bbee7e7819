"""Every code block of the documentation is executed or validated, and every link leads somewhere.

    console    run line by line, in a folder that holds what the page speaks of
    python     run, in the same folder and after what stands before it on the page
    yaml       a workflow, held to the action's inputs, a config file, read by the program, or hooks
    json       parsed

Other blocks there are none. `make` only says what it would do; programs of other people that change
things outside are stood in for by ones that do nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchaudit import __version__
from benchaudit.config import from_config
from benchaudit.demo.dataset import DATA_PATH, history
from benchaudit.settings import declared, settle
from tests.loopback.hub import Hub, HubDataset
from tests.loopback.repos import DatasetRepo

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    + [*(ROOT / "docs").rglob("*.md")]
)
ACTION = re.compile(r"benchaudit/benchaudit-action@v\d+")
KINDS = {"console", "python", "yaml", "json"}


def tokens(page: Path) -> list[Token]:
    """The blocks of a page."""
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def blocks(page: Path, *kinds: str) -> list[str]:
    """The code blocks of some kinds, in order."""
    return [token.content for token in tokens(page) if token.type == "fence" and token.info in kinds]


def name(page: Path) -> str:
    """A page as people call it."""
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A Hub with the dataset that the documentation speaks of; the demo's data has its columns."""
    repo = DatasetRepo.create(tmp_path_factory.mktemp("hub") / "dataset.git")
    for commit in history():
        repo.commit(commit.title, commit.files)
        if commit.tag:
            repo.tag(commit.tag)
    with Hub(datasets={"bowen-upenn/PersonaMem-v2": HubDataset(repo.path)}) as hub:
        yield hub


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the files that the pages name, and the programs that their commands call."""
    versions = [commit.files[DATA_PATH] for commit in history() if commit.files.get(DATA_PATH)]
    assert versions[0] is not None
    typed = versions[0].replace(b"pref_type", b"question_type", 1)
    for path, content in {
        "old.csv": versions[0],
        "new.csv": versions[-1],
        "data/test.csv": versions[0],
        "path/to/test.csv": versions[0],
        "questions.csv": typed,
        "data/questions.csv": typed,
    }.items():
        assert content is not None
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    python = f'exec {sys.executable} -m benchaudit "$@"'
    make = f'exec {shutil.which("make")} --no-print-directory --dry-run -C {ROOT} "$@"'
    programs = {"benchaudit": python, "make": make, "gh": "exit 0", "git": "exit 0", "pip": "exit 0"}
    for folder in (".venv/bin", ".programs"):
        (tmp_path / folder).mkdir(parents=True)
    for program, text in programs.items():
        for path in (tmp_path / ".programs" / program, tmp_path / ".venv" / "bin" / program):
            path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            path.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_a_page_tells_to_run_runs(page: Path, place: Path, hub: Hub) -> None:
    """In order, each command to its end; a gate may fail where the page says so."""
    environment = {
        variable: value
        for variable, value in hub.environment(place / "home").items()
        if not variable.startswith(("GITHUB_", "INPUT_"))
    } | {"PYTHONPATH": str(ROOT), "PATH": f"{place / '.programs'}:{os.environ['PATH']}"}
    for token in tokens(page):
        if token.type != "fence" or token.info not in {"console", "python"}:
            continue
        if token.info == "python":
            commands = [[sys.executable, "-c", token.content]]
        else:
            commands = [["bash", "-euc", line] for line in token.content.splitlines() if line]
        for command in commands:
            done = subprocess.run(
                command, cwd=place, env=environment, capture_output=True, text=True, check=False, timeout=120
            )
            allowed = {0, 1} if "--fail-on" in command[-1] else {0}
            assert done.returncode in allowed, f"{command[-1]}\n{done.stdout}{done.stderr}"
            assert "Traceback" not in done.stderr


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_yaml_of_a_page_is_what_it_seems(page: Path, tmp_path: Path) -> None:
    for text in blocks(page, "yaml"):
        document: Any = yaml.load(text, Loader=yaml.BaseLoader)
        if "jobs" in document:
            check_workflow(document)
        elif "repos" in document:
            check_hooks(document)
        else:
            target = tmp_path / "benchaudit.yml"
            target.write_text(text, encoding="utf-8")
            for layers in from_config(target):
                settle(layers)


def check_workflow(workflow: dict[str, Any]) -> None:
    """A workflow that people paste asks for little and gives the action inputs that it reads."""
    assert workflow["permissions"] == {}
    assert "concurrency" in workflow
    used = [step for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
    ours = [step for step in used if ACTION.fullmatch(step["uses"])]
    assert ours
    for step in ours:
        given = {key: (value, "the page") for key, value in step["with"].items()}
        assert given.keys() <= declared().keys()
        settle([given])
    for step in used:
        assert step in ours or re.search(r"@[0-9a-f]{40}$", step["uses"])
    for job in workflow["jobs"].values():
        assert job["permissions"].items() <= {"contents": "read", "issues": "write"}.items()


def check_hooks(hooks: dict[str, Any]) -> None:
    """A configuration of pre-commit names hooks that there are."""
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    used = {hook["id"] for repo in hooks["repos"] for hook in repo["hooks"]}
    assert used <= {hook["id"] for hook in offered}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_says_what_it_is(page: Path) -> None:
    """One that says nothing would be executed by nobody."""
    for token in tokens(page):
        assert token.type != "code_block", f"indented: {token.content}"
        if token.type == "fence":
            assert token.info in KINDS, token.content


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_link_leads_somewhere(page: Path) -> None:
    for token in tokens(page):
        for child in token.children or ():
            target = child.attrGet("href") or child.attrGet("src")
            if target is None or str(target).startswith("https:"):
                continue
            path, _, anchor = str(target).partition("#")
            found = (page.parent / path).resolve() if path else page
            assert found.exists(), target
            if anchor:
                assert anchor in anchors(found), target


def anchors(page: Path) -> set[str]:
    """What GitHub makes of a page's headings."""
    every = tokens(page)
    heads = [after.content for before, after in pairwise(every) if before.tag[:1] == "h"]
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", [*PAGES, *sorted(ROOT.glob("docs/workflows/*.yml"))], ids=name)
def test_an_example_names_the_version_that_it_belongs_to(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    major = __version__.split(".", maxsplit=1)[0]
    assert set(re.findall(r"benchaudit-action@v(\d+)", text)) <= {major}
    named = re.findall(r"benchaudit-action==([\w.]+)|^ +rev: v([\w.]+)", text, re.MULTILINE)
    assert {one or other for one, other in named} <= {__version__}


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in index, page.name


def test_a_newcomer_meets_the_index() -> None:
    assert "(docs/README.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "(SECURITY.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
