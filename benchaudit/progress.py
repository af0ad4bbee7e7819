"""How far long work has come: a bar where somebody watches, nothing where nobody does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

from benchaudit import speech

Advance = Callable[[str], None]
"""Says that one more step is done, and its name."""

_open: ContextVar[bool] = ContextVar("open", default=False)


def progress(title: str, total: int = 1) -> AbstractContextManager[Advance]:
    """Something that moves on standard error, while it is a terminal and nobody asked for quiet.

    With several steps it is a bar. Inside of another one nothing moves.
    """
    if not speech.is_watched() or _open.get():
        return nullcontext(lambda _step: None)
    return _shown(title, total)


@contextmanager
def _shown(title: str, total: int) -> Iterator[Advance]:
    from benchaudit.terminal import bar

    token = _open.set(True)
    try:
        with bar(title, total) as advance:
            yield advance
    finally:
        _open.reset(token)
