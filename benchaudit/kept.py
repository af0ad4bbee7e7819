"""What a report issue remembers beside its audits: tags, releases, the report upstream. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

_DIGITS = 10
"""Digits of an object name that are kept of a tag: enough to see that it was moved."""

MOST_RELEASES = 10
"""Releases whose comments are remembered, the last ones."""

MOST_TAGS = 500
"""Tags that can be remembered; of a dataset with more, new ones are not noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A release that was commented on: its tag, the revision it is pinned to, and the comment's address."""

    tag: str
    sha: str
    url: str = ""
    pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The one report upstream: where, its address, the dataset's name then, and whether it was closed."""

    where: str
    url: str
    dataset: str
    ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Everything of that kind. `tags` is None as long as nobody has looked at them."""

    tags: Mapping[str, str] | None = None
    releases: tuple[Released, ...] = ()
    sent: Sent | None = None

    def with_tags(self, tags: Mapping[str, str] | None) -> Kept:
        """The same, and these tags are known."""
        if tags is None:
            return self
        known = {name: sha[:_DIGITS] for name, sha in sorted(tags.items())}
        return replace(self, tags=known if len(known) <= MOST_TAGS else None)

    def with_release(self, release: Released) -> Kept:
        """The same with one release more, the last; of each tag there is one."""
        others = tuple(entry for entry in self.releases if entry.tag != release.tag)
        return replace(self, releases=(*others, release)[-MOST_RELEASES:])

    def released(self, tag: str) -> Released | None:
        """The release of a tag, if there was one."""
        return next((entry for entry in self.releases if entry.tag == tag), None)

    def new_tags(self, tags: Mapping[str, str] | None) -> dict[str, str]:
        """Tags that came or were moved; none where none were known before."""
        if tags is None or self.tags is None:
            return {}
        return {name: sha for name, sha in tags.items() if self.tags.get(name) != sha[:_DIGITS]}


def kept_document(kept: Kept) -> dict[str, Any]:
    """What is kept, as JSON."""
    return {
        "tags": None if kept.tags is None else dict(kept.tags),
        "releases": [[entry.tag, entry.sha, entry.url, entry.pinned] for entry in kept.releases],
        "sent": list(astuple(kept.sent)) if kept.sent else None,
    }


def kept_of(document: Mapping[str, Any]) -> Kept:
    """What is kept, from JSON. Raises KeyError, TypeError or ValueError where it is something else."""
    sent = document["sent"]
    return Kept(
        tags=None if document["tags"] is None else {str(n): str(s) for n, s in document["tags"].items()},
        releases=tuple(
            Released(tag=tag, sha=sha, url=url, pinned=pinned)
            for tag, sha, url, pinned in document["releases"]
        ),
        sent=_sent_of(sent) if sent else None,
    )


def _sent_of(entry: Sequence[Any]) -> Sent:
    """What was sent; an earlier version kept no name of the dataset."""
    where, url, *name, ended = entry
    return Sent(where=where, url=url, dataset=name[0] if name else "", ended=ended)
