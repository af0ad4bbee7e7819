"""How far long work has come: a bar where somebody watches, nothing where nobody does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from benchaudit import speech

Advance = Callable[[str], None]
"""Says that one more step is done, and its name."""


def progress(title: str, total: int = 1) -> AbstractContextManager[Advance]:
    """Something that moves on standard error, while it is a terminal and nobody asked for quiet.

    With several steps it is a bar. Two must not be open at a time.
    """
    if not speech.is_watched():
        return nullcontext(lambda _step: None)
    from benchaudit.terminal import bar

    return bar(title, total)
