"""The requests of this process: something can happen before one leaves, or after its answer has come.

What happens at a server is injected there (`Fault`). What happens to the program itself, or beside it,
cannot be: that it is killed, or that another runner does its work in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Literal
from urllib.parse import urlsplit

import huggingface_hub.constants
import huggingface_hub.utils._http as hub_http
import pytest
import requests

import benchaudit.hub

Moment = Literal["before", "after"]
Hook = Callable[[str, Moment], None]
"""Called with where a request goes (host and port), at both of its moments."""


class Killed(BaseException):
    """The program is no more: nothing in it may catch this."""


class Wire:
    """Lays a hook on every request of either client while a test runs."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.hook: Hook | None = None
        client = type(hub_http.default_client_factory())
        patch.setattr(client, "send", self._watched(client.send, lambda request: str(request.url)))
        adapter = requests.adapters.HTTPAdapter
        patch.setattr(adapter, "send", self._watched(adapter.send, lambda request: str(request.url)))
        # Looked up in the whole environment for each request, which is no part of a history.
        patch.setattr(requests.sessions, "get_environ_proxies", lambda *_, **__: {})
        # Each door to the Hub that is opened closes the one client of the process, amid a request of another.
        hub_http.set_client_factory(benchaudit.hub._client)
        patch.setattr(benchaudit.hub, "set_client_factory", lambda _: None)
        # The Hub's client asks its own endpoint about agents, and sleeps between attempts of a download.
        patch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_TELEMETRY", True)
        patch.setattr(hub_http, "time", SimpleNamespace(**vars(hub_http.time) | {"sleep": lambda _: None}))

    @contextmanager
    def hooked(self, hook: Hook) -> Iterator[None]:
        """Let this hook be called while the context lasts."""
        self.hook = hook
        try:
            yield
        finally:
            self.hook = None

    def _watched(self, send: Callable[..., Any], address: Callable[[Any], str]) -> Callable[..., Any]:
        def watched(this: Any, request: Any, *args: Any, **named: Any) -> Any:
            place = urlsplit(address(request)).netloc
            self._at(place, "before")
            answer = send(this, request, *args, **named)
            self._at(place, "after")
            return answer

        return watched

    def _at(self, place: str, moment: Moment) -> None:
        hook = self.hook
        if hook is None:
            return
        self.hook = None  # what the hook itself asks is its own business
        try:
            hook(place, moment)
        finally:
            self.hook = hook
