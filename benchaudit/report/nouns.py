"""The nouns of a report: what it is about, beside the audit itself, and what is delivered of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchaudit.headlines import Headline
from benchaudit.kept import Kept
from benchaudit.markdown import code, link
from benchaudit.models import Snapshot
from benchaudit.report.upstream import Wish
from benchaudit.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Where revisions and files are to be seen for ever; an empty address makes a name without a link."""

    revision: Mapping[str, str] = field(default_factory=dict)
    file: Mapping[str, str] = field(default_factory=dict)

    def to(self, sha: str) -> str:
        """A short name of a revision, linked."""
        return link(code(sha[:7]), self.revision.get(sha, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a report is about, beside the audit itself.

    `seen` is the newest commit looked at; `first` says whether this tracker has had no report before;
    `skipped` counts older commits that the limit on catching up left out. `notices` are further
    sentences that the reader must see, `notes` what people wrote into the report that is there,
    `kept` what that report remembers beside its audits; `wish` is for a report upstream, and `approved`
    the part with the draft of one that was let go, which stays as it is until it is sent.
    """

    snapshot: Snapshot
    seen: str
    settings: str
    links: Links
    slicings: tuple[tuple[str, ...], ...]
    history: tuple[Headline, ...] = ()
    first: bool = False
    skipped: int = 0
    notices: tuple[str, ...] = ()
    notes: str = ""
    kept: Kept = field(default=Kept())
    wish: Wish | None = None
    approved: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is delivered. `comment` is "" where nothing material changed; `state` is what the body holds.

    `worse` says that a leak is new or has become severe, `cleared` that the last one is gone.
    """

    dataset: str
    revision: str
    title: str
    body: str
    comment: str
    summary: str
    state: State
    worse: bool = False
    cleared: bool = False
