"""The GitHub Actions runner: outputs, job summary, and lines that it shows as annotations.

A dataset's text may look like a workflow command. Everything that goes out here is escaped, and an
output's delimiter is random and never part of its value.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from benchaudit.errors import one_line

SUMMARY_BYTES = 1 << 20
"""Bytes that the summary of one step may have."""


def output(name: str, value: str, environment: Mapping[str, str] = os.environ) -> None:
    """Set an output of the step, where there is a runner."""
    path = environment.get("GITHUB_OUTPUT")
    if not path:
        return
    delimiter = f"benchaudit-{secrets.token_hex(16)}"
    while delimiter in value:
        delimiter = f"benchaudit-{secrets.token_hex(16)}"
    with Path(path).open("a", encoding="utf-8", errors="replace") as file:
        file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def summary(text: str, environment: Mapping[str, str] = os.environ) -> None:
    """Add to the summary of the step, where there is a runner."""
    path = environment.get("GITHUB_STEP_SUMMARY")
    if path:
        cut = (text + "\n").encode(errors="replace")[: SUMMARY_BYTES // 2].decode(errors="ignore")
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(cut)


def command(kind: str, text: str) -> str:
    """A workflow command (`error`, `warning` or `notice`) that shows `text` as it is."""
    escaped = one_line(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{kind} title=benchaudit::{escaped}"


def is_runner(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a runner reads what is printed."""
    return environment.get("GITHUB_ACTIONS") == "true" or "GITHUB_OUTPUT" in environment


def harmless(text: str) -> str:
    """A line for the log that the runner does not take for a command."""
    line = one_line(text)
    return f" {line}" if line.startswith(("::", "##[")) else line
