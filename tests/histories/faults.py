"""Faults at the boundary of one request of a run: at either server, or to the runner itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Literal

from werkzeug.wrappers import Request

from tests.loopback.base import Answer, Fault, Loopback, cut, status
from tests.loopback.github import primary_limit, secondary_limit
from tests.loopback.hub import rate_limited

from .wire import Hook, Killed, Moment

Platform = Literal["hub", "github"]


@dataclass(frozen=True)
class Kind:
    """What happens: instead of the server's work, or `after` it; to one request, or to all from there on."""

    answer: Answer
    after: bool = False
    for_ever: bool = False


DENIED = status(403, '{"error": "Access to this resource is disabled."}', {"X-Error-Message": "disabled"})

KINDS: dict[Platform, dict[str, Kind]] = {
    "github": {
        "500": Kind(status(500, "{}")),
        "500 for ever": Kind(status(500, "{}"), for_ever=True),
        "502 after success": Kind(status(502, "<html>"), after=True),
        "502 after success for ever": Kind(status(502, "<html>"), after=True, for_ever=True),
        "cut": Kind(cut),
        "cut after success": Kind(cut, after=True),
        "403 secondary, at once": Kind(secondary_limit(retry_after=0)),
        "403 secondary": Kind(secondary_limit(retry_after=60)),
        "429 secondary": Kind(secondary_limit(retry_after=60, code=429)),
        "403 primary": Kind(primary_limit(reset=2_000_000_000)),
        "403": Kind(status(403, '{"message": "Resource not accessible by integration"}')),
    },
    "hub": {
        "500": Kind(status(500)),
        "500 for ever": Kind(status(500), for_ever=True),
        "cut": Kind(cut),
        "cut for ever": Kind(cut, for_ever=True),
        "429": Kind(rate_limited(1)),
        "429 beyond the budget": Kind(rate_limited(3600)),
        "disabled": Kind(DENIED, for_ever=True),
    },
}


def strike(server: Loopback, kind: Kind, number: int) -> Fault:
    """Let this happen to the request of this number from now on, counted from 1."""
    counted = count(1)

    def matches(_: Request) -> bool:
        now = next(counted)
        return now >= number if kind.for_ever else now == number

    fault = Fault(
        matches=matches,
        before=None if kind.after else kind.answer,
        after=kind.answer if kind.after else None,
        times=10_000,
    )
    server.faults.append(fault)
    return fault


def at_request(number: int, moment: Moment, act: Callable[[], object]) -> Hook:
    """Act at this moment of the request of this number, to whichever server."""
    counted = count(1)

    def hook(_: str, now: Moment) -> None:
        if now == moment and next(counted) == number:
            act()

    return hook


def kill() -> None:
    """End the program here and now."""
    raise Killed
