"""How far long work has come: a bar where somebody watches, nothing where nobody does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from benchaudit import speech

Advance = Callable[[str], None]
"""Says that one more step is done, and its name."""

Progress = Callable[[str, int], AbstractContextManager[Advance]]
"""Opens a bar for work with a title and so many steps."""


def no_progress(_title: str, _total: int) -> AbstractContextManager[Advance]:
    """No bar."""
    return nullcontext(lambda _step: None)


def progress(title: str, total: int) -> AbstractContextManager[Advance]:
    """A bar on standard error while it is a terminal and nobody asked for quiet."""
    if total < 2 or not speech.is_watched():
        return no_progress(title, total)
    from benchaudit.terminal import bar

    return bar(title, total)
