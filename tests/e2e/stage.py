"""A stage for the whole program: a Hub with one dataset, a GitHub with one repository, and runs.

    with Stage(tmp_path) as stage:
        stage.repo.commit("Upload", {"data/test.csv": with_distractors(leaky())})
        run = stage.run(slices="who")
    assert run.status == 0
    assert "first report" in stage.issue.body

A run is `entrypoint.py` as a process, with the environment that a runner gives an action in a
container: every declared input is set, an empty one to nothing. Each run has a workspace of its own
and a cold cache, as on a hosted runner.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Self

import yaml

from tests.loopback.base import CUT, Fault, Loopback, Request, Response
from tests.loopback.github import ACTIONS, Account, GitHub, Issue, Repository
from tests.loopback.hub import Hub, HubDataset
from tests.loopback.repos import DatasetRepo

ROOT = Path(__file__).resolve().parents[2]
DATASET = "team/quiz"
REPOSITORY = "team/watch"
TOKEN = "ghs_token_of_the_workflow"
HUB_TOKEN = "hf_token_of_the_auditor"
SECRETS = (TOKEN, HUB_TOKEN)

DECLARED = tuple(yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"])
PROBE = "/api/agent-harnesses"
"""What the Hub's client asks for at its start, whatever a program wants of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run left behind. `report` is the JSON report, None where none was written."""

    status: int
    stdout: str
    stderr: str
    outputs: dict[str, str]
    summary: str
    report: Any
    workspace: Path

    @property
    def errors(self) -> list[str]:
        """The annotations of this run that say what went wrong."""
        return [line for line in self.stderr.splitlines() if line.startswith("::error")]

    @property
    def said(self) -> str:
        """Everything that anybody could read of this run."""
        return "\n".join([self.stdout, self.stderr, self.summary, *self.outputs.values()])


@dataclass(kw_only=True)
class Stage:
    """The two platforms and everything that a run needs; use it as a context manager.

    A test fills `repo` before or between runs, and changes `hub`, `dataset` and `github` as it likes.
    """

    root: Path
    account: Account = field(default_factory=lambda: Account(kind="actions", can={REPOSITORY: {"issues": "write"}}))
    runs: list[Run] = field(default_factory=list)
    _process: subprocess.Popen[str] | None = None

    def __post_init__(self) -> None:
        self.repo = DatasetRepo.create(self.root / "dataset.git")
        self.dataset = HubDataset(self.repo.path, token=HUB_TOKEN)
        self.hub = Hub(datasets={DATASET: self.dataset})
        self.watch = Repository()
        self.github = GitHub(repositories={REPOSITORY: self.watch}, accounts={TOKEN: self.account})

    def __enter__(self) -> Self:
        self.hub.__enter__()
        self.github.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.github.__exit__(*error)
        self.hub.__exit__(*error)

    @property
    def issue(self) -> Issue:
        """The one issue that there is."""
        (issue,) = self.watch.issues.values()
        return issue

    @property
    def body(self) -> str:
        """The body of the one issue, without the ports of this stage: equal on every stage."""
        return (self.issue.body or "").replace(self.hub.url, "http://hub")

    def run(self, environment: Mapping[str, str] | None = None, **inputs: str) -> Run:
        """Run the action with these inputs, `_` for `-`, and return what came of it.

        `environment` changes single variables; a run that was killed has the status -9.
        """
        here = self.root / f"run-{len(self.runs) + 1}"
        workspace = here / "workspace"
        workspace.mkdir(parents=True)
        output, summary = here / "output", here / "summary.md"
        given = {"dataset": DATASET, "github-token": TOKEN, "channel": "github"}
        given |= {name.replace("_", "-"): text for name, text in inputs.items()}
        variables = {
            **_of_nobody(self.hub.environment(here / "hf")),
            **{f"INPUT_{name.upper()}": given.get(name, "") for name in (*DECLARED, *given)},
            "GITHUB_ACTIONS": "true",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_API_URL": self.github.url,
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_WORKSPACE": str(workspace),
            "BENCHAUDIT_PAUSE": "0",
            **(environment or {}),
        }
        status, stdout, stderr = self._carry_out(["watch"], workspace, variables)
        outputs = _outputs(output)
        report = workspace / outputs["report"] if outputs.get("report") else None
        run = Run(
            status=status,
            stdout=stdout,
            stderr=stderr,
            outputs=outputs,
            summary=summary.read_text(encoding="utf-8") if summary.exists() else "",
            report=json.loads(report.read_text(encoding="utf-8")) if report else None,
            workspace=workspace,
        )
        self.runs.append(run)
        return run

    def command(self, *arguments: str) -> tuple[int, str, str]:
        """Run the command line as a person would, and return its status, output and messages."""
        home = self.root / f"home-{'-'.join(arguments)[:8]}"
        variables = _of_nobody(self.hub.environment(home))
        return self._carry_out(arguments, self.root, variables)

    def kill(self, server: Loopback, number: int, *, after: bool = False) -> None:
        """Let the next run be killed at its request `number` of this server, before or after its work."""
        counted = count(1)

        def strike(_: Request) -> Response:
            assert self._process is not None
            os.kill(self._process.pid, signal.SIGKILL)
            return CUT

        def is_it(request: Request) -> bool:
            return request.path != PROBE and next(counted) == number

        server.faults.append(
            Fault(matches=is_it, before=None if after else strike, after=strike if after else None)
        )

    def _carry_out(
        self, arguments: list[str] | tuple[str, ...], cwd: Path, environment: Mapping[str, str]
    ) -> tuple[int, str, str]:
        self._process = subprocess.Popen(
            [sys.executable, str(ROOT / "entrypoint.py"), *arguments],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        stdout, stderr = self._process.communicate(timeout=120)
        return self._process.returncode, stdout, stderr

    def check(self) -> None:
        """What holds at the end of every scenario, whatever it was about."""
        assert self.github.violations == []
        written = [text for issue in self.watch.issues.values() for text in _texts(issue)]
        for text in [*(run.said for run in self.runs), *written]:
            assert "Traceback" not in text
            assert not any(secret in text for secret in SECRETS)
        assert self.hub.cdn_tokens == []


def _of_nobody(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without what a runner, or the person who runs the tests, has set for their own jobs."""
    return {
        name: value
        for name, value in environment.items()
        if not name.startswith(("INPUT_", "GITHUB_", "BENCHAUDIT_"))
    }


def _outputs(path: Path) -> dict[str, str]:
    """The outputs of a step as the runner reads them: the last of a name counts."""
    outputs: dict[str, str] = {}
    lines = iter(path.read_text(encoding="utf-8").split("\n")) if path.exists() else iter(())
    for line in lines:
        name, marked, delimiter = line.partition("<<")
        if marked:
            outputs[name] = "\n".join(iter(lambda: next(lines), delimiter))
    return outputs


def _texts(issue: Issue) -> list[str]:
    return [issue.title, issue.body or "", *(comment.body for comment in issue.comments)]
