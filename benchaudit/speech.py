"""What is said to people on standard error: lines that no runner takes for a command, and no token."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Literal

from benchaudit import runner
from benchaudit.errors import BenchauditError, one_line

Volume = Literal["quiet", "normal", "verbose"]

_volume: ContextVar[Volume] = ContextVar("volume", default="normal")


def set_volume(volume: Volume) -> None:
    """How much the rest of this run says: quiet leaves errors and notices, verbose adds details."""
    _volume.set(volume)


def is_quiet() -> bool:
    """Whether only errors and notices are to be said."""
    return _volume.get() == "quiet"


def is_watched() -> bool:
    """Whether somebody looks on as things are said: a terminal, of which no runner keeps a log."""
    return not is_quiet() and sys.stderr.isatty() and not runner.is_runner()


def detail(text: str) -> None:
    """Say one line to those who asked for details."""
    if _volume.get() == "verbose":
        say(text)


def say(text: str) -> None:
    """Say one line, unless quiet was asked for."""
    if is_quiet():
        return
    sys.stderr.write(f"{runner.harmless(text)}\n")
    sys.stderr.flush()


def say_written(*names: str | None) -> None:
    """Say which files were written, a line each; what went to standard output is seen there."""
    for name in names:
        if name and name != "-":
            say(f"written: {name}")


def complain(error: BenchauditError, environment: Mapping[str, str]) -> None:
    """Say what went wrong, as an annotation where a runner reads it."""
    announce("error", masked(str(error), environment), environment)


def masked(text: str, environment: Mapping[str, str]) -> str:
    """A text without the tokens that the environment holds."""
    for name, value in environment.items():
        if name.upper().endswith("TOKEN") and len(value) > 3:
            text = text.replace(value, "***")
    return text


def announce(kind: str, line: str, environment: Mapping[str, str]) -> None:
    """Say a line that should be noticed; `kind` is error, warning or notice."""
    text = runner.command(kind, line) if runner.is_runner(environment) else f"benchaudit: {one_line(line)}"
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
