"""Many datasets in one run: several are worked on at once, and told of in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from benchaudit.progress import progress

AT_ONCE = 8
"""Datasets that are looked at at once: most of a look is waiting for an answer."""

T = TypeVar("T")
R = TypeVar("R")


def each(title: str, entries: Sequence[T], work: Callable[[T], R], name: Callable[[T], str]) -> Iterator[R]:
    """What `work` makes of every entry, in the order of the entries, several worked on at once.

    One alone is worked on here and now, so that its own progress is seen. `work` must not raise.
    """
    if len(entries) == 1:
        yield work(entries[0])
        return
    with progress(title, len(entries)) as advance, ThreadPoolExecutor(AT_ONCE) as pool:
        futures = [pool.submit(copy_context().run, work, entry) for entry in entries]
        try:
            for entry, future in zip(entries, futures, strict=True):
                yield future.result()
                advance(name(entry))
        finally:
            # Who is interrupted does not wait for what has not begun.
            pool.shutdown(wait=True, cancel_futures=True)
