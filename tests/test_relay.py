"""The receiver of the Hub's webhooks, as a process between a Hub and a GitHub that notes what it is sent."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from werkzeug.wrappers import Request, Response

from tests.loopback.base import Fault, Loopback, cut, status

RELAY = Path(__file__).resolve().parents[1] / "docs" / "workflows" / "relay" / "relay.py"
SECRET, TOKEN = "a secret of the webhook, ä", "github_pat_of_the_relay"
HEAD = "0123456789abcdef0123456789abcdef01234567"


def webhook(**repo: Any) -> dict[str, Any]:
    """A push to a dataset, as the Hub's documentation shows one; `repo` changes fields of the repository."""
    return {
        "event": {"action": "update", "scope": "repo.content"},
        "repo": {
            "type": "dataset",
            "name": "team/quiz",
            "id": "621ffdc036468d709f17434d",
            "private": False,
            "headSha": HEAD,
            "owner": {"id": "628b753283ef59b5be89e937"},
        }
        | repo,
        "updatedRefs": [{"ref": "refs/heads/main", "oldSha": "0" * 40, "newSha": HEAD}],
        "webhook": {"id": "6390e855e30d9209411de93b", "version": 3},
    }


class Recorder(Loopback):
    """A GitHub that takes every dispatch."""

    def respond(self, _: Request) -> Response:
        """What GitHub answers."""
        return Response(status=204)


@dataclass(frozen=True, slots=True)
class Post:
    """The running relay."""

    address: str

    def __call__(self, payload: Any, secret: str | None = SECRET, **headers: str) -> int:
        """Send a webhook and return the answer's status."""
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        # A client sends the bytes of its secret; this one takes a text and sends it as Latin-1.
        own = {"X-Webhook-Secret": secret.encode().decode("latin-1")} if secret is not None else {}
        request = urllib.request.Request(self.address, data=body, headers=own | headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                return int(error.code)


@pytest.fixture
def github() -> Iterator[Recorder]:
    """A GitHub."""
    with Recorder() as server:
        yield server


@pytest.fixture
def post(github: Recorder) -> Iterator[Post]:
    """The relay as a process; it must not have come to grief by what it was sent."""
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    given = {"WEBHOOK_SECRET": SECRET, "GITHUB_TOKEN": TOKEN, "GITHUB_REPOSITORY": "team/watch"}
    place = {"GITHUB_API_URL": github.url, "HOST": "127.0.0.1", "PORT": "0", "PYTHONUTF8": "1"}
    process = subprocess.Popen(
        [sys.executable, str(RELAY)], env=environment | given | place, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    port = re.search(r"port (\d+)", process.stderr.readline())
    assert port is not None
    try:
        yield Post(f"http://127.0.0.1:{port[1]}/")
    finally:
        process.kill()
        said = process.communicate()[1]
    assert "Traceback" not in said
    assert not any(secret in said for secret in (SECRET, TOKEN))


@pytest.mark.parametrize(
    ("refs", "status_"),
    [
        (["refs/convert/parquet", "refs/convert/duckdb"], 204),
        (["refs/convert/parquet", "refs/heads/main"], 202),
        (["refs/tags/v1"], 202),
        ([], 202),
    ],
)
def test_what_the_hub_converts_by_itself_starts_nothing(
    post: Post, github: Recorder, refs: list[str], status_: int
) -> None:
    """A conversion follows each commit, and moves nothing that is watched."""
    moved = [{"ref": ref, "oldSha": "0" * 40, "newSha": HEAD} for ref in refs]
    assert post(webhook() | {"updatedRefs": moved}) == status_
    assert len(github.seen) == (status_ == 202)


def test_a_push_starts_the_workflows_that_wait_for_it(post: Post, github: Recorder) -> None:
    assert post(webhook()) == 202
    (seen,) = github.seen
    assert (seen.method, seen.path) == ("POST", "/repos/team/watch/dispatches")
    assert seen.authorization == f"Bearer {TOKEN}"
    assert json.loads(seen.body) == {
        "event_type": "benchaudit",
        "client_payload": {"dataset": "team/quiz", "headSha": HEAD},
    }


@pytest.mark.parametrize("secret", [None, "", "wrong", SECRET[:-1], f"{SECRET} ", SECRET.encode().hex()])
def test_without_the_secret_nothing_happens(post: Post, github: Recorder, secret: str | None) -> None:
    assert post(webhook(), secret) == 401
    assert github.seen == []


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(webhook(type="model"), id="a model"),
        pytest.param(webhook(headSha=None), id="no commit"),
        pytest.param(webhook() | {"event": {"action": "delete", "scope": "repo"}}, id="deleted"),
        pytest.param(webhook() | {"event": {"action": "create", "scope": "discussion"}}, id="a discussion"),
        pytest.param(webhook() | {"event": {"action": ["update"], "scope": "repo"}}, id="a list of actions"),
    ],
)
def test_what_is_no_news_of_a_dataset_is_passed_over(post: Post, github: Recorder, payload: Any) -> None:
    assert post(payload) == 204
    assert github.seen == []


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\xff{", id="no text"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param([], id="a list"),
        pytest.param({"repo": "team/quiz", "event": {}}, id="a repository without fields"),
        pytest.param(webhook(name="team/quiz\n::error::x"), id="a workflow command"),
        pytest.param(webhook(name="../../user"), id="a way out of the path"),
        pytest.param(webhook(name="a" * 200 + "/b"), id="a long name"),
        pytest.param(webhook(name=["team/quiz"]), id="a list of names"),
        pytest.param(webhook(headSha="main"), id="a branch for a commit"),
        pytest.param(webhook(headSha=f"{HEAD}\n"), id="a line end after the commit"),
    ],
)
def test_what_does_not_look_like_a_webhook_is_refused(post: Post, github: Recorder, payload: Any) -> None:
    assert post(payload) == 400
    assert github.seen == []


def test_the_length_that_is_said_counts(post: Post, github: Recorder) -> None:
    assert post(webhook(), **{"Content-Length": str((1 << 20) + 1)}) == 413
    assert post(webhook(), **{"Content-Length": "-1"}) == 400
    assert github.seen == []


@pytest.mark.parametrize("answer", [status(404), status(401), status(500), cut])
def test_where_github_refuses_the_hub_hears_of_it(post: Post, github: Recorder, answer: Any) -> None:
    github.faults.append(Fault(before=answer))
    assert post(webhook()) == 502
    assert post(webhook()) == 202


def test_what_is_not_set_is_said() -> None:
    done = subprocess.run(
        [sys.executable, str(RELAY)],
        env={"WEBHOOK_SECRET": "a", "GITHUB_TOKEN": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "not set: GITHUB_TOKEN, GITHUB_REPOSITORY\n")
