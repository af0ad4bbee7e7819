"""The one door to Dask: the workers of a cluster, asked to do one thing for many numbers.

A worker that is lost costs what it was doing: the scheduler has that done by another. Whoever can reach
a scheduler can run code on its workers, and what they send back is trusted here.
"""

from __future__ import annotations

import logging
import os
import queue
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import Any, TypeVar
from uuid import uuid4

from benchaudit.errors import BenchauditError, SettingsError, Unavailable, install

LOCAL = "local"

PATIENCE = 60.0
"""Seconds without a worker after which none is waited for, and for a scheduler to answer."""

LONGEST = 3600.0
"""Seconds that the way of one result may take."""

RETRIES = 2
"""Times that what a worker failed at is tried again; a lost worker counts apart, by the scheduler."""

_LOUD = ("distributed", "distributed.client", "tornado.application")
"""What logs tracebacks of that which is said here in one line."""

Job = TypeVar("Job")
Result = TypeVar("Result")


class Crew:
    """The workers behind a scheduler, or with `local` processes on this machine.

    Nothing is connected before there is something to do. The token reaches local workers only, through
    their environment.
    """

    def __init__(self, scheduler: str, token: str = "") -> None:
        self._where = f"scheduler {scheduler}"
        self._scheduler, self._token = scheduler, token
        self._stack = ExitStack()
        self._client: Any = None
        self._near: dict[int, Sequence[str]] = {}

    def close(self) -> None:
        """Let go of the cluster; local workers end."""
        self._client = None
        self._stack.close()

    def each(
        self, function: Callable[[Job, int], Result], job: Job, numbers: Sequence[int]
    ) -> Generator[tuple[int, Result], None, None]:
        """Have `function(job, number)` done for all numbers, and give the results as they come.

        A number is done where it was done before, if that can be: its file is there already. The function
        may be run more than once, so it must only depend on what it is given. Raises Unavailable where
        the cluster fails, and what the function raised if it is one of our errors.
        """
        if not numbers:
            return
        with self._troubles():
            client = self._connected()
            run = uuid4().hex[:12]
            # As a task, it can be had again when the worker that held it is lost.
            shared = client.submit(_itself, job, key=f"benchaudit-job-{run}")
            done: queue.SimpleQueue[Any] = queue.SimpleQueue()
            doing = {}
            for number in numbers:
                future = client.submit(
                    function,
                    shared,
                    number,
                    key=(f"benchaudit-part-{run}", number),
                    retries=RETRIES,
                    workers=self._near.get(number),
                    allow_other_workers=number in self._near,
                )
                doing[future.key] = number, future
                future.add_done_callback(done.put)
        try:
            while doing:
                with self._troubles():
                    number, future = doing.pop(self._awaited(lambda seconds: done.get(timeout=seconds)).key)
                    result = self._result(future)
                    if places := client.who_has([future]).get(future.key):
                        self._near[number] = places
                    future.release()
                yield number, result
        finally:
            for _, future in doing.values():
                future.cancel()

    def _awaited(self, what: Callable[[float], Any]) -> Any:
        """What comes in time, however often. Raises Unavailable where nobody is left to work at it."""
        while True:
            try:
                return what(PATIENCE)
            except (queue.Empty, TimeoutError):
                if not self._client.nthreads():
                    raise Unavailable("has no worker", where=self._where, todo="start one") from None

    def _result(self, future: Any) -> Any:
        # The worker that had it may be lost by now: then it is made again.
        error = self._awaited(lambda seconds: future.exception(timeout=seconds))
        if error is None:
            return future.result(timeout=LONGEST)
        if isinstance(error, BenchauditError):
            raise error
        raise Unavailable(
            f"a worker failed ({type(error).__name__}: {error})",
            where=self._where,
            todo="see the worker's log",
        )

    @contextmanager
    def _troubles(self) -> Iterator[None]:
        """Raise Unavailable where the cluster does not answer, or not any more."""
        try:
            yield
        except (OSError, TimeoutError, CancelledError) as error:
            said = str(error) or type(error).__name__
            raise Unavailable(f"does not answer ({said})", where=self._where, todo="check it") from None

    def _connected(self) -> Any:
        if self._client is None:
            distributed = _distributed()
            address: Any = self._scheduler
            if self._scheduler == LOCAL:
                address = self._stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=os.cpu_count() or 1,
                        threads_per_worker=1,
                        host="127.0.0.1",
                        dashboard_address=None,
                        silence_logs=logging.CRITICAL,
                        env={"HF_TOKEN": self._token} if self._token else {},
                    )
                )
            self._client = self._stack.enter_context(distributed.Client(address, timeout=PATIENCE))
            self._check()
        return self._client

    def _check(self) -> None:
        """Raise SettingsError where a worker lacks this package: a job that it cannot read would end it."""
        found = self._client.run(find_spec, __package__, on_error="return")
        without = sorted(worker for worker, spec in found.items() if spec is None)
        if without:
            raise SettingsError(
                f"benchaudit is not installed on {len(without)} of {len(found)} workers, as {without[0]}",
                where=self._where,
                todo="install the same version everywhere",
            )


def _itself(job: Job) -> Job:
    return job


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise SettingsError("scheduler needs Dask, which is not installed", todo=install("dask")) from None
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed
