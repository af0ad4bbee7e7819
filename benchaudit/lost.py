"""Answers that were lost on the way back from a tracker: what is done again, and what never is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

_TRIES = 4

T = TypeVar("T")


class Lost(Exception):
    """No answer, or one that does not say whether the request took effect."""

    def __init__(self, said: str) -> None:
        super().__init__(said)


def again(ask: Callable[[], T], pause: float) -> T:
    """Do what may be done twice: a few times, a little later each time, where no answer comes.

    `pause` seconds lie before the second time. Raises Lost where no answer came in the end.
    """
    retrying = Retrying(
        retry=retry_if_exception_type(Lost),
        stop=stop_after_attempt(_TRIES),
        wait=wait_exponential(multiplier=pause, max=20),
        reraise=True,
    )
    answer: T = retrying(ask)
    return answer
