"""The Hub's rate limit: heeded where an answer speaks of it, and waited for as long as there is patience."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type

from benchaudit.errors import RateLimited

WAIT_BUDGET = 360.0
"""Seconds that one call may wait for the Hub's rate limit, a little more than one of its windows."""

_LIMIT = re.compile(r'"[^"]*"\s*;\s*r=0\s*;\s*t=(\d+)')

T = TypeVar("T")


class _Limited(Exception):
    """The Hub answered 429; `wait` is what it asks for, in seconds, None where it does not say."""

    def __init__(self, wait: float | None) -> None:
        super().__init__()
        self.wait = wait


class _Pace:
    """What the Hub last said of its rate limit: a call that it would refuse waits until it would not."""

    def __init__(self) -> None:
        self._free_at = 0.0

    def note(self, headers: Any) -> None:
        """Remember until when nothing remains, where an answer says so."""
        wait = _asked_wait(headers) if _LIMIT.search(str(headers.get("RateLimit") or "")) else None
        self._free_at = time.monotonic() + wait if wait is not None else 0.0

    def wait(self) -> float:
        """Seconds until calls are answered again; 0 while they are."""
        return max(0.0, self._free_at - time.monotonic())


_PACE = _Pace()
"""Of all threads: they share the Hub's patience."""


def heed(response: Any) -> None:
    """Look at an answer before its reader does: one that says 429 is raised past whoever would ask again."""
    if response.status_code == 429:
        raise _Limited(_asked_wait(response.headers))
    _PACE.note(response.headers)


def patiently(where: str, ask: Callable[[], T], sleep: Callable[[float], None]) -> T:
    """Ask, and wait where the Hub says so and the budget allows; other errors pass as they are.

    What the Hub answers 429 it did not do: `ask` may write, if it is one request. Raises RateLimited.
    """
    retrying = Retrying(
        retry=retry_if_exception_type(_Limited),
        wait=_wait,
        stop=_spent,
        sleep=sleep,
        reraise=True,
    )
    if wait := min(_PACE.wait(), WAIT_BUDGET):
        sleep(wait)
    try:
        answer: T = retrying(ask)
    except _Limited:
        raise RateLimited(
            "the Hub's rate limit is used up",
            where=where,
            todo="give hf-token, which has a limit of its own, or run later",
        ) from None
    return answer


def _asked_wait(headers: Any) -> float | None:
    """The seconds that an answer 429 asks to wait, None where it does not say.

    `t` of the `RateLimit` header counts only where nothing remains (`r=0`).
    """
    retry_after = str(headers.get("Retry-After", "")).strip()
    if retry_after.isdigit():
        return float(retry_after)
    match = _LIMIT.search(str(headers.get("RateLimit", "")))
    return float(match[1]) + 1 if match else None


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.wait if isinstance(error, _Limited) else None
    return float(min(2**state.attempt_number, 60)) if asked is None else asked


def _spent(state: RetryCallState) -> bool:
    """Whether the next wait would go over the budget."""
    return state.idle_for + state.upcoming_sleep > WAIT_BUDGET
