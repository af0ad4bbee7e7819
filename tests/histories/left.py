"""What a history leaves behind, told so that two of them can be held against each other."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from benchaudit.markdown import comment_places
from benchaudit.markers import dataset_of
from benchaudit.state import load
from tests.loopback.github import Issue, Repository

_ADDRESS = re.compile(r"http://[\w.:]+/(team|authors)/\w+/issues/\d+(#issuecomment-\d+)?")
_PORT = re.compile(r"http://127\.0\.0\.1:\d+")


def left(issue: Issue, upstream: Repository) -> dict[str, Any]:
    """What a reader finds of a report, part by part; addresses aside, which no two servers share."""
    body = issue.body or ""
    state = load(body, dataset_of(body))
    kept = replace(
        state.kept,
        releases=tuple(replace(one, url="") for one in state.kept.releases),
        sent=state.kept.sent and replace(state.kept.sent, url=""),
    )
    packed = comment_places(body)[1]
    return {
        "title": issue.title,
        "state": issue.state,
        "labels": sorted(issue.labels),
        "body": placeless(body[: packed.start] + body[packed.stop :]).splitlines(),
        "remembered": replace(state, kept=kept),
        "comments": [placeless(comment.body) for comment in issue.comments],
        "pinned": [comment.pinned_at is not None for comment in issue.comments],
        "upstream": [
            (report.title, placeless(report.body or ""), [placeless(one.body) for one in report.comments])
            for report in upstream.issues.values()
        ],
    }


def placeless(text: str) -> str:
    """A text without the addresses of these very servers."""
    return _PORT.sub("http://server", _ADDRESS.sub("", text))
