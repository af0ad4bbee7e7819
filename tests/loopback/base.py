"""What the loopback servers share: a threaded server, a log of requests, and faults.

A fault is injected at the server, where it happens in the world: the program under test is never
patched. `Fault.before` answers in place of the server (nothing happened), `Fault.after` lets the
server do its work first (the write took place, only its answer was lost or replaced).
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

Answer = Callable[[Request], Response]
"""What a fault answers; return `CUT` to close the connection without any answer."""

CUT = Response(status=500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as the server saw it. `number` counts from 1 over the server's life."""

    number: int
    method: str
    path: str
    query: str
    authorization: str | None
    body: bytes
    status: int


@dataclass(slots=True, kw_only=True)
class Fault:
    """Answer the next `times` requests that match with something else than the truth."""

    matches: Callable[[Request], bool] = lambda _: True
    before: Answer | None = None
    after: Answer | None = None
    times: int = 1


def status(code: int, body: str = "", headers: dict[str, str] | None = None) -> Answer:
    """An answer with this status, body and headers."""
    return lambda _: Response(body, status=code, headers=headers or {})


def cut(_: Request) -> Response:
    """No answer at all: the connection is closed."""
    return CUT


class _Quiet(WSGIRequestHandler):
    """A handler that prints nothing: `Loopback.seen` is the log."""

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002 - werkzeug's name
        """Leave it out."""


@dataclass(slots=True, kw_only=True)
class Loopback:
    """A server on a free port of this machine; use it as a context manager.

    `host` is the address that it listens on, by default for this machine alone. A subclass gives
    `respond`. `seen` lists every request in order, faults included; a probe of the client that tests
    do not count can be filtered by path.
    """

    seen: list[Seen] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    host: str = "127.0.0.1"
    _server: BaseWSGIServer | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def respond(self, request: Request) -> Response:
        """The truth: what this server answers when no fault is injected."""
        raise NotImplementedError

    @property
    def url(self) -> str:
        """The address of the running server, without a slash at the end."""
        assert self._server is not None, "the server is used as a context manager"
        return f"http://{self.host}:{self._server.port}"

    def __enter__(self) -> Self:
        self._server = make_server(self.host, 0, self._application, threaded=True, request_handler=_Quiet)
        # `shutdown` waits for one poll: at the half second of the default that adds up over many tests.
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    def _application(self, environ: dict[str, Any], start_response: Any) -> Any:
        request = Request(environ)
        body = request.get_data(cache=True)
        with self._lock:
            # One request at a time: what a log and a fault say about order is then exact.
            fault = self._next_fault(request)
            if fault is not None and fault.before is not None:
                response = fault.before(request)
            else:
                response = self.respond(request)
                if fault is not None and fault.after is not None:
                    response = fault.after(request)
            self.seen.append(
                Seen(
                    number=len(self.seen) + 1,
                    method=request.method,
                    path=request.path,
                    query=request.query_string.decode(),
                    authorization=request.headers.get("Authorization"),
                    body=body,
                    status=0 if response is CUT else response.status_code,
                )
            )
        if response is CUT:
            with contextlib.suppress(OSError):
                environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return response(environ, start_response)

    def _next_fault(self, request: Request) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and fault.matches(request):
                fault.times -= 1
                return fault
        return None
