"""What is said to people on standard error: lines that no runner takes for a command, and no token."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from benchaudit import runner
from benchaudit.errors import BenchauditError


def say(text: str) -> None:
    """Say one line."""
    print(runner.harmless(text), file=sys.stderr, flush=True)


def complain(error: BenchauditError, environment: Mapping[str, str]) -> None:
    """Say what went wrong, as an annotation where a runner reads it."""
    line = str(error)
    for name, value in environment.items():
        if name.upper().endswith("TOKEN") and len(value) > 3:
            line = line.replace(value, "***")
    announce("error", line, environment)


def announce(kind: str, line: str, environment: Mapping[str, str]) -> None:
    """Say a line that should be noticed; `kind` is error, warning or notice."""
    text = runner.command(kind, line) if runner.is_runner(environment) else f"benchaudit: {line}"
    print(text, file=sys.stderr, flush=True)
