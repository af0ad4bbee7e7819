"""The GitHub Actions runner: outputs, job summary, and lines that it shows as annotations.

A dataset's text may look like a workflow command. Everything that goes out here is escaped, and an
output's delimiter is random and never part of its value.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from benchaudit.errors import TrackerError, one_line

SUMMARY_BYTES = 1 << 20
"""Bytes that the summary of one step may have."""


def output(name: str, value: str, environment: Mapping[str, str] = os.environ) -> None:
    """Set an output of the step, where there is a runner. TrackerError where its file cannot be written."""
    path = environment.get("GITHUB_OUTPUT")
    if not path:
        return
    delimiter = f"benchaudit-{secrets.token_hex(16)}"
    while delimiter in value:
        delimiter = f"benchaudit-{secrets.token_hex(16)}"
    _append(Path(path), f"{name}<<{delimiter}\n{value}\n{delimiter}\n".encode(errors="replace"))


def summary(text: str, environment: Mapping[str, str] = os.environ) -> None:
    """Add to the summary of the step, where there is a runner, as many whole lines as it still takes.

    Raises TrackerError where its file cannot be written.
    """
    path = Path(environment.get("GITHUB_STEP_SUMMARY", ""))
    if path.name:
        room = SUMMARY_BYTES - (path.stat().st_size if path.exists() else 0)
        added = f"{text}\n".encode(errors="replace")
        # A runner drops the whole summary of a step that is too long.
        _append(path, added if len(added) <= room else added[: max(room, 0)].rpartition(b"\n")[0])


def _append(path: Path, data: bytes) -> None:
    try:
        with path.open("ab") as file:
            file.write(data)
    except OSError as error:
        raise TrackerError(
            f"cannot be written ({error.strerror})", where=str(path), todo="check the runner"
        ) from None


def command(kind: str, text: str) -> str:
    """A workflow command (`error`, `warning` or `notice`) that shows `text` as one line."""
    return f"::{kind} title=benchaudit::{one_line(text).replace('%', '%25')}"


def is_runner(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a runner reads what is printed."""
    return environment.get("GITHUB_ACTIONS") == "true" or "GITHUB_OUTPUT" in environment


def harmless(text: str) -> str:
    """A line for the log in which the runner finds no command, even where it is wrapped.

    White space in front does not hide a command from the runner, and one in the old form counts
    anywhere in a line.
    """
    return re.sub(r":(?=:)|##(?=\[)", lambda match: f"{match[0]} ", one_line(text))
