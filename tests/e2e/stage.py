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
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Self

import yaml
from werkzeug.wrappers import Request, Response

from benchaudit.state import State, load
from tests.loopback.base import CUT, Fault, Loopback, Seen
from tests.loopback.github import GRAPHQL, WRITING, Account, GitHub, Issue, Repository
from tests.loopback.hub import Hub, HubDataset
from tests.loopback.repos import DatasetRepo

ROOT = Path(__file__).resolve().parents[2]
DATASET = "team/quiz"
DATA = "data/test.csv"
REPOSITORY = "team/watch"
TOKEN = "ghs_token_of_the_workflow"
HUB_TOKEN = "hf_token_of_the_auditor"
SECRETS = (TOKEN, HUB_TOKEN)

INPUTS = {"dataset": DATASET, "slices": "who", "github-token": TOKEN, "channel": "github"}
DECLARED = tuple(yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"])
PROBE = "/api/agent-harnesses"
"""What the Hub's client asks for at its start, whatever a program wants of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run left behind. `report` is the JSON report, None where none was written.

    `hub` and `github` are its requests there, `data_bytes` the bytes of files that the Hub sent it.
    """

    status: int
    stdout: str
    stderr: str
    outputs: dict[str, str]
    summary: str
    report: Any
    workspace: Path
    hub: tuple[Seen, ...]
    github: tuple[Seen, ...]
    data_bytes: int

    @property
    def errors(self) -> list[str]:
        """The annotations of this run that say what went wrong."""
        return [line for line in self.stderr.splitlines() if line.startswith("::error")]

    @property
    def writes(self) -> list[str]:
        """What it wrote to GitHub, as method and last part of the path; what was refused is not among it."""
        return [
            f"{seen.method} {seen.path.rpartition('/')[2]}"
            for seen in self.github
            if seen.method in WRITING and seen.status < 400 and seen.path != GRAPHQL
        ]

    @property
    def fetched(self) -> list[str]:
        """The files that it downloaded, in order."""
        got = (seen.path.split("/resolve/", 1) for seen in self.hub if seen.method == "GET")
        return [place[1].partition("/")[2] for place in got if len(place) == 2]

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
    account: Account = field(
        default_factory=lambda: Account(kind="actions", can={REPOSITORY: {"issues": "write"}})
    )
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
        """The body of the one issue."""
        return self.issue.body or ""

    @property
    def state(self) -> State:
        """What the one issue remembers."""
        return load(self.body, DATASET)

    def without_port(self, text: str) -> str:
        """A text of this stage that is equal on every stage."""
        return text.replace(self.hub.url, "http://hub")

    def take_over(self, other: Stage) -> None:
        """Let the repository hold the issues of another stage's, as they are now."""
        self.watch.issues = deepcopy(other.watch.issues)
        self.github.clock.count = other.github.clock.count

    def run(
        self,
        environment: Mapping[str, str] | None = None,
        workspace: Mapping[str, str] | None = None,
        command: str = "watch",
        **inputs: str,
    ) -> Run:
        """Run the action with these inputs, `_` for `-`, and return what came of it.

        `environment` changes single variables, `workspace` is what the workspace holds by path, and
        `command` does another job than the action's. A
        run that was killed has the status -9.
        """
        here = self.root / f"run-{len(self.runs) + 1}"
        place = here / "workspace"
        place.mkdir(parents=True)
        for name, text in (workspace or {}).items():
            (place / name).write_text(text, encoding="utf-8")
        output, summary = here / "output", here / "summary.md"
        given = INPUTS | {name.replace("_", "-"): text for name, text in inputs.items()}
        variables = {
            **_of_nobody(self.hub.environment(here / "hf")),
            **{f"INPUT_{name.upper()}": given.get(name, "") for name in (*DECLARED, *given)},
            # What a run that is killed leaves behind lies with the rest of it.
            "TMPDIR": str(here),
            "GITHUB_ACTIONS": "true",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_API_URL": self.github.url,
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_WORKSPACE": str(place),
            "BENCHAUDIT_PAUSE": "0",
            "BENCHAUDIT_PATIENCE": "0",
            **(environment or {}),
        }
        calls, asked, sent = len(self.hub.api_calls), len(self.github.seen), self.hub.data_bytes
        status, stdout, stderr = self._carry_out([command], place, variables)
        outputs = _outputs(output)
        report = place / outputs["report"] if outputs.get("report") else None
        run = Run(
            status=status,
            stdout=stdout,
            stderr=stderr,
            outputs=outputs,
            summary=summary.read_text(encoding="utf-8") if summary.exists() else "",
            report=json.loads(report.read_text(encoding="utf-8")) if report else None,
            workspace=place,
            hub=tuple(self.hub.api_calls[calls:]),
            github=tuple(self.github.seen[asked:]),
            data_bytes=self.hub.data_bytes - sent,
        )
        self.runs.append(run)
        return run

    def command(self, *arguments: str) -> tuple[int, str, str]:
        """Run the command line as a person would, and return its status, output and messages."""
        home = self.root / f"home-{'-'.join(arguments)[:8]}"
        variables = _of_nobody(self.hub.environment(home))
        return self._carry_out(arguments, self.root, variables)

    def python(self, program: str) -> Any:
        """Run a program in a process of its own that has this stage's Hub, and return the JSON it prints."""
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=self.hub.environment(self.root / "hf"),
            stdout=subprocess.PIPE,
            check=True,
        )
        return json.loads(done.stdout)

    def kill(
        self,
        server: Loopback,
        number: int,
        *,
        after: bool = False,
        at: Callable[[Request], bool] = lambda _: True,
    ) -> None:
        """Let the next run be killed at its request `number` of this server, before or after its work.

        With `at` only such requests are counted.
        """
        counted = count(1)

        def strike(_: Request) -> Response:
            assert self._process is not None
            os.kill(self._process.pid, signal.SIGKILL)
            return CUT

        def is_it(request: Request) -> bool:
            return request.path != PROBE and at(request) and next(counted) == number

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
