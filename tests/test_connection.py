"""Rate limits of GitHub: waited for where it says how long, and no longer than there is patience."""

from __future__ import annotations

import pytest
import responses
import tenacity.nap

from benchaudit.errors import TrackerError
from benchaudit.plan import Comment, Thread
from benchaudit.tracker.connection import ACTIONS, Connection
from benchaudit.tracker.github import GitHubTracker

API = "https://api.github.com:443"
COMMENTS = f"{API}/repos/o/r/issues/7/comments"
KEY = "<!-- benchaudit:comment revision=abc -->"
THREAD = Thread(number=7, url="https://github.com/o/r/issues/7", title="benchaudit", body="old")
COMMENT = Comment(thread=THREAD, key=KEY, body=f"{KEY}\nIt leaks.")
MADE = {"id": 1, "body": COMMENT.body, "html_url": "https://github.com/o/r/issues/7#issuecomment-1"}
SECONDARY = {"Retry-After": "60"}
PRIMARY = {
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": "1772366430",
    "Date": "Sun, 01 Mar 2026 12:00:00 GMT",
}
"""Thirty seconds to go, whatever this machine's clock says."""


@pytest.fixture
def slept(monkeypatch):
    """Seconds that were waited, without waiting them."""
    times: list[float] = []
    monkeypatch.setattr(tenacity.nap.time, "sleep", times.append)
    return times


def comment(patience: float = 120) -> str:
    """Write a comment, as runs do."""
    connection = Connection(
        api="https://api.github.com",
        token="ghs",
        repository="o/r",
        author=ACTIONS,
        pause=0,
        patience=patience,
    )
    return GitHubTracker(connection).carry_out(COMMENT).comment_url


def refused(mock: responses.RequestsMock, headers: dict[str, str], status: int = 403) -> None:
    mock.get(COMMENTS, json=[])
    mock.post(COMMENTS, status=status, json={"message": "rate limit"}, headers=headers)


def made() -> None:
    """The comment is written, and there where it is looked for."""
    responses.post(COMMENTS, status=201, json=MADE)
    responses.get(COMMENTS, json=[{**MADE, "user": {"login": ACTIONS}}])


@responses.activate(registry=responses.registries.OrderedRegistry)
@pytest.mark.parametrize(
    ("status", "headers", "wait"),
    [(403, SECONDARY, 60), (429, SECONDARY, 60), (403, PRIMARY, 30), (429, PRIMARY, 30)],
)
def test_a_limit_is_waited_for_and_the_write_is_done_once(slept, status, headers, wait):
    refused(responses.mock, headers, status)
    made()

    assert comment() == MADE["html_url"]
    assert slept == [wait]


@responses.activate(registry=responses.registries.OrderedRegistry)
@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "121"},
        {"Retry-After": "soon"},
        {**PRIMARY, "X-RateLimit-Reset": "1772369999"},
        {**PRIMARY, "Date": "today"},
    ],
)
def test_a_limit_that_takes_too_long_or_does_not_say_is_an_error(slept, headers):
    refused(responses.mock, headers)

    with pytest.raises(TrackerError, match=r"rate limit") as caught:
        comment()
    assert (slept, caught.value.exit_status) == ([], 4)


@responses.activate(registry=responses.registries.OrderedRegistry)
def test_what_is_waited_in_all_is_bounded(slept):
    """A server that says the same again and again is not waited for for ever."""
    refused(responses.mock, {"Retry-After": "0"})
    for _ in range(3):
        responses.post(COMMENTS, status=403, json={"message": "rate limit"}, headers={"Retry-After": "0"})
    made()
    assert comment() == MADE["html_url"]
    assert slept == [1, 1, 1, 1]


@responses.activate(registry=responses.registries.OrderedRegistry)
def test_an_answer_that_cannot_be_understood_is_no_answer(slept):
    """The client trips over it; whether the write took place the list says."""
    refused(responses.mock, {**PRIMARY, "X-RateLimit-Reset": ""})
    responses.get(COMMENTS, json=[{**MADE, "user": {"login": ACTIONS}}])
    assert comment() == MADE["html_url"]
    assert slept == []
