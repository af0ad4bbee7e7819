"""What is to be done about a report: decided here, written nowhere. Pure.

A comment comes before the update that remembers it: whoever is interrupted between the two finds
the comment there and does not repeat it.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchaudit.markers import comment_marker
from benchaudit.notes import notes_of, with_notes
from benchaudit.report.nouns import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """The report issue as a tracker holds it. `number` is unique there."""

    number: int
    url: str
    title: str
    body: str
    open: bool = True
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """Open a new report issue."""

    dataset: str
    title: str
    body: str
    labels: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """Say that something material changed, unless a comment with this first line is there."""

    thread: Thread
    key: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Say what a release is like, in one comment that is pinned in place of the last release's.

    A comment with this first line is written anew where its text is another one.
    """

    thread: Thread
    key: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """Replace the body, in silence."""

    thread: Thread
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopen:
    """Open a report issue again that was closed."""

    thread: Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """Close the report issue: its last leak is gone."""

    thread: Thread


Operation = Create | Comment | Release | Update | Reopen | Close


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the settings say of report issues."""

    labels: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    close_when_clean: bool = False


NO_POLICY = Policy()


def plan(report: Report, held: Thread | None, policy: Policy = NO_POLICY) -> tuple[Operation, ...]:
    """Decide what to write, in order; nothing where the tracker holds this very report.

    Whoever closed the issue is respected: its figures go on being kept, in silence, until a leak is
    new or has become worse.
    """
    if held is None:
        return (
            Create(
                dataset=report.dataset,
                title=report.title,
                body=report.body,
                labels=policy.labels,
                assignees=policy.assignees,
            ),
        )
    operations: list[Operation] = []
    if report.comment and (held.open or report.worse):
        operations.append(Comment(thread=held, key=comment_marker(report.revision), body=report.comment))
        if not held.open:
            operations.append(Reopen(thread=held))
        elif report.cleared and policy.close_when_clean:
            operations.append(Close(thread=held))
    body = with_notes(report.body, notes_of(held.body))
    if not same_text(held.body, body):
        operations.append(Update(thread=held, body=body))
    return tuple(operations)


def same_text(one: str, other: str) -> bool:
    """Whether two bodies are equal but for the line ends that a platform may change."""
    return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()
