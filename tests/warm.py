"""Programs that begin warm: each is a process of its own, forked from one that has the libraries loaded.

More than half of the processor time of a short run goes into imports that are the same each time. What is
loaded beforehand is other people's and reads no variable that a run sets: our own modules, and the Hub's
client, which takes its endpoint at import, are imported by each program anew. A program ends as any does,
at its last line or by a signal.

    with begun([str(ROOT / "entrypoint.py"), "watch"], cwd, environment) as program:
        os.kill(program.pid, signal.SIGKILL)
    assert program.status == -signal.SIGKILL

What depends on how the interpreter itself begins is tested with processes that begin cold.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

LIBRARIES = ("duckdb", "fsspec", "github", "httpx2", "markdown_it", "pyarrow", "tenacity", "yaml")
PATIENCE = 120


@dataclass
class Program:
    """A program that runs; after the context, how it ended and what it said."""

    pid: int
    status: int = 0
    stdout: str = ""
    stderr: str = ""


@contextlib.contextmanager
def begun(command: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> Iterator[Program]:
    """Begin a program written in Python, and wait for its end when the context is left."""
    ours, theirs = socket.socketpair()
    with ours, ours.makefile("rw") as talk, TemporaryFile() as stdout, TemporaryFile() as stderr:
        with theirs:
            files = [theirs.fileno(), stdout.fileno(), stderr.fileno()]
            socket.send_fds(next(_servers()), [b"."], files)
        print(json.dumps([command, str(cwd), dict(environment)]), file=talk, flush=True)
        program = Program(pid=int(talk.readline()))
        ours.settimeout(PATIENCE)
        try:
            yield program
            program.status = int(talk.readline())
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.kill(program.pid, signal.SIGKILL)
            raise
        program.stdout, program.stderr = _text(stdout), _text(stderr)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


@cache
def _servers() -> Iterator[socket.socket]:
    """Two that take turns: each has its own seed of hashes, so what depends on the order of a set shows."""
    return cycle([_server(), _server()])


def _server() -> socket.socket:
    """A process that has the libraries loaded; it ends with this one."""
    ours, theirs = socket.socketpair()
    with theirs:
        desk = theirs.fileno()
        # Each program says for itself whether it is measured.
        own = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
        process = subprocess.Popen([sys.executable, __file__, str(desk)], pass_fds=[desk], env=own)

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


# --- In the server, and in what it forks ---------------------------------------------------------


def _serve(desk: socket.socket) -> tuple[list[str], list[int]]:
    """Fork for each order; returns in a program, with its command and its output and error files."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()
    while True:
        _, files, _, _ = socket.recv_fds(desk, 1, 3)
        if not files:
            sys.exit()
        if os.fork() == 0:
            desk.close()
            return _keep(*files)
        for file in files:
            os.close(file)


def _keep(talk: int, *outputs: int) -> tuple[list[str], list[int]]:
    """Begin the program, and tell its number and its status to who ordered it; returns in the program."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with socket.socket(fileno=talk) as line, line.makefile("rw") as file:
        command, cwd, environment = json.loads(file.readline())
        program = os.fork()
        if program:
            print(program, file=file, flush=True)
            print(os.waitstatus_to_exitcode(os.waitpid(program, 0)[1]), file=file, flush=True)
            os._exit(0)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    return command, list(outputs)


def _become(command: list[str], outputs: list[int]) -> None:
    """Be the program, as if Python had been started with this command."""
    for number, file in enumerate([os.open(os.devnull, os.O_RDONLY), *outputs]):
        os.dup2(file, number)
        os.close(file)
    if "COVERAGE_PROCESS_CONFIG" in os.environ:
        importlib.import_module("coverage").process_startup()
    sys.argv = command
    sys.path[0] = str(Path(command[0]).parent)
    runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    for library in LIBRARIES:
        importlib.import_module(library)
    _become(*_serve(socket.socket(fileno=int(sys.argv[1]))))
