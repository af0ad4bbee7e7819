"""The discussion tracker in a process of its own: the Hub's client learns at its import which Hub there is.

    with Driver(hub, home) as driver:
        said = driver.run({"do": "find"}, {"do": "close"})

A step is done to the thread that the step before it left, and gives `thread` and `comment_url`, or
`error` and `class` of what it raised, after which nothing more is done.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from benchaudit.discussions import Discussions
from benchaudit.errors import BenchauditError
from benchaudit.hub import Hub
from benchaudit.markers import marker, upstream_marker
from benchaudit.plan import Close, Comment, Create, Operation, Release, Reopen, Thread, Update
from benchaudit.tracker.discussions import DiscussionTracker
from tests.loopback.hub import Hub as Loopback

ROOT = Path(__file__).resolve().parents[1]
DATASET = "team/quiz"
TOKEN = "hf_auditor"
FIRST_LINES = {"report": marker, "upstream": upstream_marker}


class Driver:
    """The process, on one Hub; use it as a context manager. A tracker lives for one `run`."""

    def __init__(self, hub: Loopback, home: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.discussing"],
            cwd=ROOT,
            env=hub.environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)

    def run(self, *steps: dict[str, Any], token: str = TOKEN, **settings: Any) -> list[dict[str, Any]]:
        """Return what came of each step; `settings` are those of the tracker, `kind` that of its texts."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"token": token, "steps": steps, "settings": settings}) + "\n")
        self._process.stdin.flush()
        said: list[dict[str, Any]] = json.loads(self._process.stdout.readline())
        return said


def _operation(step: dict[str, Any], thread: Thread | None) -> Operation:
    given = {name: value for name, value in step.items() if name != "do"}
    if step["do"] == "create":
        return Create(dataset=DATASET, **given)
    assert thread is not None
    kinds: dict[str, type[Any]] = {
        "update": Update,
        "comment": Comment,
        "release": Release,
        "reopen": Reopen,
        "close": Close,
    }
    operation: Operation = kinds[step["do"]](thread=thread, **given)
    return operation


def _run(told: dict[str, Any]) -> list[dict[str, Any]]:
    settings = {"pause": 0.0, **told["settings"]}
    first_line = FIRST_LINES[settings.pop("kind", "report")]
    hub = Hub(told["token"], sleep=lambda _: None)
    said: list[dict[str, Any]] = []
    thread: Thread | None = None
    try:
        tracker = DiscussionTracker(Discussions(hub, settings.pop("dataset", DATASET)), **settings)
        for step in told["steps"]:
            url = ""
            if step["do"] == "find":
                thread = tracker.find(first_line(DATASET))
            else:
                done = tracker.carry_out(_operation(step, thread))
                thread, url = done.thread, done.comment_url
            said.append({"thread": thread and asdict(thread), "comment_url": url})
    except BenchauditError as error:
        said.append({"error": str(error), "class": type(error).__name__})
    return said


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_run(json.loads(line))) + "\n")
        sys.stdout.flush()
