"""What the report issue says of releases. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from benchaudit.kept import Released
from benchaudit.markdown import code, link

RELEASES = "releases"
"""The part of the report issue that lists releases."""


def release_list(releases: Sequence[Released]) -> str:
    """The releases with their comments, newest first: the way there where a comment cannot be pinned."""
    lines = [
        f"- {code(entry.tag)} at {code(entry.sha[:7])}: {link('figures of this release', entry.url)}"
        f"{' (pinned)' if entry.pinned and entry is releases[-1] else ''}"
        for entry in reversed(releases)
    ]
    return "\n".join(["### Releases", "", *lines]) if lines else ""
