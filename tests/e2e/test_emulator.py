"""The job against a GitHub emulator that is none of this project's: an outside judge of the adapter.

What it lacks is not asked of it: pins, limits and permissions. Node 20 and npm are needed; npm's own
lock pins what is installed, into pytest's cache.
"""

from __future__ import annotations

import json
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_fixed

from benchaudit.markers import comment_marker, first_line, marker, release_marker, upstream_marker
from benchaudit.state import load
from tests import npm

from .quiz import fair, leaky, with_distractors
from .stage import DATA, DATASET, REPOSITORY, TOKEN, Run, Stage

HERE = Path(__file__).resolve().parent / "emulator"
LEAKY, FAIR = with_distractors(leaky()), with_distractors(fair())


@pytest.fixture(scope="module")
def installed(request: pytest.FixtureRequest) -> Path:
    """The emulator's program, installed once for each version of the lock."""
    place = request.config.cache.mkdir("emulator")
    modules = npm.installed(place, HERE, told="NOT JUDGED BY THE EMULATOR", node=20)
    return modules / "emulate" / "dist" / "index.js"


@pytest.fixture
def emulator(installed: Path) -> Iterator[str]:
    """The address of a running emulator that holds one repository without issues."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = ["node", str(installed), "start", "--service", "github", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--seed", str(HERE / "seed.yaml"), "--base-url", address],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        ready = Retrying(
            retry=retry_if_exception_type(OSError),
            stop=stop_after_attempt(100),
            wait=wait_fixed(0.1),
            reraise=True,
        )
        ready(_get, address, f"/repos/{REPOSITORY}")
        yield address
    finally:
        process.kill()
        process.wait()


def _get(address: str, path: str) -> Any:
    return _ask(urllib.request.Request(f"{address}{path}"))


def _send(address: str, path: str, content: object, method: str = "POST", token: str = TOKEN) -> Any:
    body = json.dumps(content).encode()
    return _ask(urllib.request.Request(f"{address}{path}", data=body, method=method), token)


def _ask(request: urllib.request.Request, token: str = TOKEN) -> Any:
    request.add_header("Authorization", f"token {token}")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def test_an_independent_github_sees_the_whole_story(stage: Stage, emulator: str) -> None:
    """First report, nothing new, a material change, an immaterial one; a person retitles in between."""

    def run() -> Run:
        done = stage.run(environment={"GITHUB_API_URL": emulator}, labels="benchmark")
        assert (done.status, done.errors) == (0, [])
        return done

    def issues() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = _get(emulator, f"/repos/{REPOSITORY}/issues?state=all")
        return found

    stage.repo.commit("Upload", {DATA: LEAKY})
    first = run()
    (issue,) = issues()
    assert first_line(issue["body"]) == marker(DATASET)
    assert [label["name"] for label in issue["labels"]] == ["benchmark"]
    assert first.outputs["issue-number"] == str(issue["number"])

    assert run().outputs["changed"] == "false"
    assert issues() == [issue]

    path = f"/repos/{REPOSITORY}/issues/{issue['number']}"
    _send(emulator, path, {"title": "Our quiz leaks"}, "PATCH")
    sha = stage.repo.commit("Balance", {DATA: FAIR})
    second = run()
    (updated,) = issues()
    (comment,) = _get(emulator, f"/repos/{REPOSITORY}/issues/{issue['number']}/comments")
    assert comment["body"].startswith(comment_marker(sha))
    assert second.outputs["comment-url"] == comment["html_url"]
    assert load(updated["body"], DATASET).seen == sha

    last = stage.repo.commit("Reword", {DATA: FAIR.replace(b"self answer 003b", b"self reply! 003b")})
    run()
    (final,) = issues()
    assert (final["comments"], final["title"]) == (1, "Our quiz leaks")
    assert load(final["body"], DATASET).seen == last


def test_an_independent_github_sees_a_release(stage: Stage, emulator: str) -> None:
    """It knows no pins: the body has the link. Notes and file are as on the real one."""
    release = _send(emulator, f"/repos/{REPOSITORY}/releases", {"tag_name": "v1", "body": "Better."})

    def run() -> Run:
        return stage.run(environment={"GITHUB_API_URL": emulator}, release="v1", annotate_release="true")

    stage.repo.commit("Upload", {DATA: LEAKY})
    first = run()
    assert (first.status, first.errors) == (0, [])
    assert run().status == 0

    (issue,) = _get(emulator, f"/repos/{REPOSITORY}/issues?state=all")
    (comment,) = _get(emulator, f"/repos/{REPOSITORY}/issues/{issue['number']}/comments")
    assert comment["body"].startswith(release_marker("v1"))
    assert first.outputs["comment-url"] == comment["html_url"]
    assert comment["html_url"] in issue["body"]
    assert "(pinned)" not in issue["body"]
    there = _get(emulator, f"/repos/{REPOSITORY}/releases/{release['id']}")
    assert there["body"].startswith("Better.")
    assert there["body"].count(comment["html_url"]) == 1
    assert [asset["name"] for asset in there["assets"]] == ["benchaudit-report.json"]


def test_an_independent_github_sees_a_report_upstream(stage: Stage, emulator: str) -> None:
    """The draft waits, somebody else's label lets it go, and one report is there for ever."""
    upstream = "authors/quiz"

    def run() -> Run:
        done = stage.run(
            environment={"GITHUB_API_URL": emulator},
            upstream=f"github:{upstream}",
            upstream_token="ghp_token_for_upstream",
            upstream_follow_up="true",
        )
        assert (done.status, done.errors) == (0, [])
        return done

    stage.repo.commit("Upload", {DATA: LEAKY})
    number = run().outputs["issue-number"]
    labels = f"/repos/{REPOSITORY}/issues/{number}/labels"
    # What the workflow itself does is nobody's word.
    _send(emulator, labels, {"labels": ["upstream-approved"]})
    run()
    assert _get(emulator, f"/repos/{upstream}/issues?state=all") == []

    _ask(urllib.request.Request(f"{emulator}{labels}/upstream-approved", method="DELETE"))
    _send(emulator, labels, {"labels": ["upstream-approved"]}, token="ghp_token_of_ann")
    run()
    (report,) = _get(emulator, f"/repos/{upstream}/issues?state=all")
    assert report["user"]["login"] == "messenger"
    assert report["body"].startswith(upstream_marker(DATASET))

    stage.repo.commit("Balance", {DATA: FAIR})
    run()
    run()
    (report,) = _get(emulator, f"/repos/{upstream}/issues?state=all")
    assert report["comments"] == 1
    (issue,) = _get(emulator, f"/repos/{REPOSITORY}/issues?state=all")
    assert report["html_url"] in issue["body"]
