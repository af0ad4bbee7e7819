"""What is to be done about a report: decided here, written nowhere. Pure.

A comment comes before the update that remembers it: whoever is interrupted between the two finds
the comment there and does not repeat it.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchaudit.report import Report, comment_marker


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """The report issue as a tracker holds it. `number` is unique there."""

    number: int
    url: str
    title: str
    body: str
    open: bool = True


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
class Update:
    """Replace the body, in silence."""

    thread: Thread
    body: str


Operation = Create | Comment | Update


def plan(
    report: Report, held: Thread | None, labels: tuple[str, ...] = (), assignees: tuple[str, ...] = ()
) -> tuple[Operation, ...]:
    """Decide what to write, in order; nothing where the tracker holds this very report."""
    if held is None:
        return (
            Create(
                dataset=report.dataset,
                title=report.title,
                body=report.body,
                labels=labels,
                assignees=assignees,
            ),
        )
    operations: list[Operation] = []
    if report.comment:
        operations.append(Comment(thread=held, key=comment_marker(report.revision), body=report.comment))
    if not same_text(held.body, report.body):
        operations.append(Update(thread=held, body=report.body))
    return tuple(operations)


def same_text(one: str, other: str) -> bool:
    """Whether two bodies are equal but for the line ends that a platform may change."""
    return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()
