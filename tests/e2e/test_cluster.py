"""A scheduler and two workers as processes: what they read gives the bytes that one machine gives."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from tests.loopback.base import CUT, Fault, cut

from .quiz import fair, leaky, with_distractors
from .stage import DATASET, HUB_TOKEN, ROOT, Stage

Cluster = tuple[str, Mapping[str, subprocess.Popen[bytes]]]
"""The address of a scheduler, its workers by the token that each of them has, and itself as ""."""

FILES = [f"data/part-{number}.csv" for number in range(6)]
PATIENCE = 90.0
"""Seconds that a process may take to start; it is waited for no longer than it needs."""


@contextmanager
def process(log: Path, *arguments: str, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A `dask` process that writes to a log; at the end it is killed, whatever state it is in."""
    with log.open("wb") as output:
        started = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments],
            cwd=log.parent,
            env={**environment, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield started
    finally:
        with suppress(ProcessLookupError):
            started.kill()
        started.wait()


def said(log: Path, mark: str, started: subprocess.Popen[bytes]) -> str:
    """The first word behind a mark in a log, waited for."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and started.poll() is None:
        _, found, rest = log.read_text(encoding="utf-8").partition(mark)
        if found and "\n" in rest:
            return rest.split()[0]
        time.sleep(0.05)
    raise AssertionError(f"no {mark!r} in the log:\n{log.read_text(encoding='utf-8')}")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage whose dataset has several files; each worker has an account on its Hub."""
    with Stage(root=tmp_path) as stage:
        stage.hub.users |= {"hf_first": "first", "hf_second": "second"}
        files = {
            name: with_distractors([*leaky(20, who=f"all of {number}"), *fair(20, who="others")])
            for number, name in enumerate(FILES)
        }
        stage.repo.commit("Upload", files)
        yield stage


@pytest.fixture
def cluster(stage: Stage) -> Iterator[Cluster]:
    """A scheduler and two workers, each with a token and a cold cache of its own."""
    with ExitStack() as stack:
        log = stage.root / "scheduler.log"
        options = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        bare = stage.hub.environment(stage.root)
        scheduler = stack.enter_context(process(log, *options, environment=bare))
        address = said(log, "Scheduler at:", scheduler)
        workers = {"": scheduler}
        for name in ("first", "second"):
            log = stage.root / f"{name}.log"
            place = ["--local-directory", str(stage.root / f"{name}-space")]
            options = ["worker", address, "--host", "127.0.0.1", "--no-dashboard", "--no-nanny", *place]
            own = stage.hub.environment(stage.root / f"{name}-home", token=f"hf_{name}")
            worker = stack.enter_context(process(log, *options, "--nthreads", "1", environment=own))
            said(log, "Registered to:", worker)
            workers[f"hf_{name}"] = worker
        yield address, workers


def report_of(stage: Stage, source: str, *flags: str) -> bytes:
    """The JSON report of a source."""
    target = stage.root / "report.json"
    status, _, stderr = stage.command("audit", source, "--slices", "who,@file", "--json", str(target), *flags)
    assert (status, "Traceback" in stderr) == (0, False), stderr
    return target.read_bytes()


def fetched_by(stage: Stage, token: str | None) -> list[str]:
    """The files that were downloaded with a token, in order."""
    header = None if token is None else f"Bearer {token}"
    return [
        seen.path.partition("/resolve/")[2].partition("/")[2]
        for seen in stage.hub.seen
        if seen.method == "GET" and "/resolve/" in seen.path and seen.authorization == header
    ]


def kill_at(
    stage: Stage, number: int, workers: Mapping[str, subprocess.Popen[bytes]], whom: str | None = None
) -> list[str]:
    """Kill the worker that asks for a file for the time `number`, or `whom`; there is no answer to it.

    Returns a list that will hold the token of who was killed, and that file.
    """
    counted = count(1)
    struck: list[str] = []

    def is_it(request: Request) -> bool:
        return request.method == "GET" and "/resolve/" in request.path and next(counted) == number

    def strike(request: Request) -> Response:
        token = request.headers["Authorization"].removeprefix("Bearer ") if whom is None else whom
        workers[token].kill()
        struck.extend([token, request.path.partition("/resolve/")[2].partition("/")[2]])
        return CUT

    stage.hub.faults.append(Fault(matches=is_it, before=strike))
    return struck


def test_a_worker_that_is_killed_midway_changes_no_byte(stage: Stage, cluster: Cluster) -> None:
    """It is amid a file, after others were read; another worker reads that anew."""
    address, workers = cluster
    struck = kill_at(stage, 3, workers)
    spread = report_of(stage, f"hf://datasets/{DATASET}", "--scheduler", address)

    killed, file = struck
    (other,) = workers.keys() - {killed, ""}
    assert (workers[killed].wait(PATIENCE), workers[other].poll()) == (-signal.SIGKILL, None)
    assert file in fetched_by(stage, other)
    assert {*fetched_by(stage, killed), *fetched_by(stage, other)} == set(FILES)
    # Nothing but what workers read was read, and each of them with the token that it had.
    assert fetched_by(stage, None) == []
    assert report_of(stage, f"hf://datasets/{DATASET}") == spread


def test_workers_read_a_clone_and_a_folder_that_they_see(
    stage: Stage, cluster: Cluster, tmp_path: Path
) -> None:
    """Paths mean the same to them; a worker that is gone before anything began is not missed."""
    address, workers = cluster
    workers["hf_first"].kill()
    clone = stage.repo.clone(tmp_path / "clone")
    folder = tmp_path / "folder"
    shutil.copytree(clone / "data", folder / "data")

    for source in (clone, folder):
        assert report_of(stage, str(source), "--scheduler", address) == report_of(stage, str(source))


def complaint(stage: Stage, address: str) -> str:
    """The one line that is said where a cluster fails, by a program that waits for a second only."""
    program = "import sys; from benchaudit import cli, cluster; cluster.PATIENCE = 1.0; sys.exit(cli.main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "audit", f"hf://datasets/{DATASET}", "--scheduler", address],
        cwd=ROOT,
        env=stage.hub.environment(stage.root / "home"),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (3, "")
    return line.partition(f" scheduler {address}: ")[2]


def test_a_cluster_that_is_lost_is_said_in_one_line(stage: Stage, cluster: Cluster) -> None:
    """The scheduler while files are read, and its address when nobody is there any more."""
    address, workers = cluster
    kill_at(stage, 3, workers, whom="")
    assert complaint(stage, address).startswith("does not answer (")
    assert workers[""].wait(PATIENCE) == -signal.SIGKILL
    assert complaint(stage, address).startswith("does not answer (")


def test_a_scheduler_without_workers_is_said_in_one_line(stage: Stage, cluster: Cluster) -> None:
    address, workers = cluster
    for name in workers.keys() - {""}:
        workers[name].kill()
        workers[name].wait()
    assert complaint(stage, address) == "has no worker - start one"


def test_workers_on_this_machine_have_the_token_of_this_side(stage: Stage) -> None:
    """Given as a flag, it reaches them through their environment; nothing is logged but what is said."""
    stage.dataset.private = True
    flags = ("--hf-token", HUB_TOKEN)
    spread = report_of(stage, f"hf://datasets/{DATASET}", *flags, "--scheduler", "local")
    assert set(fetched_by(stage, HUB_TOKEN)) == set(FILES)
    assert report_of(stage, f"hf://datasets/{DATASET}", *flags) == spread


def test_what_workers_cannot_fetch_is_said_in_one_line(stage: Stage) -> None:
    """They try again, and leave no traceback in the log of this side."""
    is_data = re.compile(r"/datasets/.*/resolve/.*\.csv").fullmatch
    fault = Fault(matches=lambda request: bool(is_data(request.path)), before=cut, times=10_000)
    stage.hub.faults.append(fault)
    status, _, stderr = stage.command("audit", f"hf://datasets/{DATASET}", "--scheduler", "local")
    assert (status, len(stderr.splitlines())) == (3, 1), stderr
    assert HUB_TOKEN not in stderr
