"""GitHub issues as a tracker.

A report issue is ours if its first line is our marker *and* the acting account wrote it. It is found
by listing, never by search, which lags behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import RLock

from github.GithubException import GithubException, UnknownObjectException
from github.Issue import Issue
from github.IssueComment import IssueComment
from github.NamedUser import NamedUser
from github.Repository import Repository

from benchaudit.errors import TrackerError
from benchaudit.lost import Lost
from benchaudit.markers import OURS, RELEASED, first_line
from benchaudit.notes import notes_of, with_notes
from benchaudit.plan import Close, Comment, Create, Operation, Release, Reopen, Thread, Update, same_text
from benchaudit.tracker.base import Done
from benchaudit.tracker.connection import Connection

_TITLE = 256
_MAY_WRITE = frozenset({"admin", "maintain", "write"})


class GitHubTracker:
    """Report issues of the repository of a connection, for one dataset or for many.

    Ours are listed once. What is written is read anew, whoever wrote in between; GitHub wants one
    request at a time, so that is what several threads share.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._listed: dict[str, list[Thread]] | None = None
        self._lock = RLock()

    @property
    def _repository(self) -> Repository:
        return self._connection.repository

    def find(self, *markers: str) -> Thread | None:
        """Return our issue that begins so: an open one before a closed one, then the lowest number."""
        with self._lock:
            if self._listed is None:
                self._listed = self._list()
            if self._listed.keys().isdisjoint(markers) and self._connection.found_out():
                # Those of another account, for which we were taken.
                self._listed = self._list()
            found = [self._listed[marker][0] for marker in markers if marker in self._listed]
            return min(found, key=_precedence, default=None)

    def carry_out(self, operation: Operation) -> Done:
        """Do one operation, and read back what was written."""
        with self._lock:
            return self._carry_out(operation)

    def _carry_out(self, operation: Operation) -> Done:
        match operation:
            case Create():
                return self._created(operation)
            case Update():
                return Done(thread=self._update(operation))
            case Comment():
                return self._comment(operation)
            case Release():
                return self._release(operation)
            case Reopen(thread=thread):
                return Done(thread=self._turned(thread, "open", "reopened"))
            case Close(thread=thread):
                return Done(thread=self._turned(thread, "closed", "completed"))

    def approver(self, thread: Thread, label: str) -> str:
        """Return who put this label on an issue, if they may write here and are not us; else ""."""

        def ask() -> str:
            events = self._repository.get_issue(thread.number).get_events()
            # Of an account that was deleted there is no actor, and whoever did it before it did not do this.
            names = [
                event.actor.login if event.actor else ""
                for event in events
                if event.event == "labeled" and event.label and event.label.name == label
            ]
            name = names[-1] if names else ""
            if name.lower() in {"", self._connection.login().lower()}:
                return ""
            try:
                permission = self._repository.get_collaborator_permission(name)
            except UnknownObjectException:
                return ""
            return name if permission in _MAY_WRITE else ""

        with self._lock:
            return self._connection.read(ask)

    def withdraw(self, thread: Thread, label: str) -> None:
        """Take a label off an issue; that it is gone already is as good."""

        def ask() -> None:
            with suppress(UnknownObjectException):
                self._repository.get_issue(thread.number).remove_from_labels(label)

        with self._lock:
            self._connection.read(ask)

    def _list(self) -> dict[str, list[Thread]]:
        """Our issues by their first line; of several that begin alike, the one that counts comes first."""

        def ask() -> dict[str, list[Thread]]:
            listed: dict[str, list[Thread]] = {}
            for thread in map(_thread, self._ours()):
                listed.setdefault(first_line(thread.body), []).append(thread)
            return {line: sorted(threads, key=_precedence) for line, threads in listed.items()}

        return self._connection.read(ask)

    def _ours(self) -> Iterator[Issue]:
        login = self._connection.login()
        # The listing takes a user, not a name; asking for one would be a call for what is known.
        creator = self._connection.api.create_from_raw_data(NamedUser, {"login": login})
        for issue in self._repository.get_issues(
            state="all", creator=creator, sort="created", direction="asc"
        ):
            if (
                first_line(issue.body or "").startswith(OURS)
                and issue.user.login.lower() == login.lower()
                and not _is_pull_request(issue)
            ):
                yield issue

    def _created(self, operation: Create) -> Done:
        """Open an issue; what GitHub refuses of its labels or assignees does not cost the report."""
        try:
            return Done(thread=self._create(operation))
        except TrackerError as error:
            lesser = _without_refused(operation, error)
            if lesser == operation:
                raise
            done = self._created(lesser)
            remark = "; ".join(filter(None, [f"opened without what is refused: {error}", done.remark]))
            return replace(done, remark=remark)

    def _create(self, operation: Create) -> Thread:
        marker = first_line(operation.body)

        author = self._connection.login()

        def create() -> Thread:
            nonlocal author
            issue = self._repository.create_issue(
                title=operation.title[:_TITLE],
                body=operation.body,
                labels=list(operation.labels),
                assignees=list(operation.assignees),
            )
            author = issue.user.login
            return _thread(issue)

        said, made = "", None
        try:
            made = self._connection.once(create)
        except Lost as lost:
            said = str(lost)
        known = self._connection.login()
        if author.lower() != known.lower():
            # Each run would open another one, as it would never find this one again.
            raise TrackerError(
                f"the report issue was opened by {author}, and those of {known} are looked for",
                where=self._connection.name,
                todo=f"set `author` to {author}",
            )
        self._listed = self._list()
        # The list may lag behind.
        threads = self._listed.get(marker) or ([made] if made else [])
        if not threads:
            raise self._connection.unreachable(said)
        first, *later = threads
        for other in later:
            if other.open:
                # Another run was at it too: the first issue stays.
                self._turned(other, "closed", "not_planned")
        return first if later else self._checked(first, operation.body)

    def _update(self, operation: Update) -> Thread:
        number, written = operation.thread.number, operation.body

        def write() -> None:
            nonlocal written
            issue = self._repository.get_issue(number)
            # Somebody may have written since the plan was made: the last write wins, theirs must be in it.
            notes = notes_of(issue.body or "")
            written = with_notes(operation.body, notes) if notes else operation.body
            if not same_text(issue.body or "", written):
                issue.edit(body=written)

        # Setting a text to what it shall be can be repeated without harm.
        self._connection.read(write)
        there = self._connection.read(lambda: _thread(self._repository.get_issue(number)))
        return self._checked(there, written)

    def _turned(self, thread: Thread, state: str, reason: str) -> Thread:
        def turn() -> Thread:
            self._repository.get_issue(thread.number).edit(state=state, state_reason=reason)
            return _thread(self._repository.get_issue(thread.number))

        return self._connection.read(turn)

    def _comment(self, operation: Comment) -> Done:
        comment = self._said(operation.thread, operation.key, operation.body)
        return Done(thread=operation.thread, comment_url=comment.html_url)

    def _release(self, operation: Release) -> Done:
        """Say it, or say it anew where the same release was commented on before; then pin it."""
        comment = self._said(operation.thread, operation.key, operation.body)
        if not same_text(comment.body, operation.body):
            self._connection.read(lambda: comment.edit(operation.body))
        return Done(
            thread=operation.thread,
            comment_url=comment.html_url,
            pinned=self._pin(operation.thread, comment),
        )

    def _pin(self, thread: Thread, comment: IssueComment) -> bool:
        """Pin a comment in place of the one of ours that was pinned before; say whether that can be done."""
        ours = [one for one in self._comments(thread) if first_line(one.body).startswith(RELEASED)]
        # The client asks again for each that a list has shown, when it is to say all that it knows.
        pinned = self._connection.read(lambda: [one for one in ours if one.raw_data.get("pin")])
        if all(other.id != comment.id for other in pinned) and not self._turn_pin("PUT", comment):
            return False
        for other in pinned:
            if other.id != comment.id:
                self._turn_pin("DELETE", other)
        return True

    def _turn_pin(self, method: str, comment: IssueComment) -> bool:
        """Pin or unpin a comment; False where that cannot be done here. A rate limit says nothing of that."""
        address = f"{comment.url}/pin"
        try:
            # The client has no method for it.
            self._connection.read(lambda: comment.requester.requestJsonAndCheck(method, address))
        except TrackerError as error:
            if isinstance(error.__cause__, GithubException) and error.__cause__.status < 500:
                return False
            raise
        return True

    def _said(self, thread: Thread, key: str, body: str) -> IssueComment:
        """Our comment with this first line: the one that is there, or a new one."""
        there = self._commented(thread, key)
        if there is not None:
            return there
        said, made = "", None
        try:
            made = self._connection.once(
                lambda: self._repository.get_issue(thread.number).create_comment(body)
            )
        except Lost as lost:
            said = str(lost)
        first = self._commented(thread, key) or made
        if first is None:
            raise self._connection.unreachable(said)
        return first

    def _commented(self, thread: Thread, key: str) -> IssueComment | None:
        """Our comment with this first line, None where there is none.

        Of several, which runs that were at it at once have made, the first stays.
        """
        there = [one for one in self._comments(thread) if first_line(one.body) == key]
        for other in there[1:]:
            self._connection.read(partial(_delete, other))
        return there[0] if there else None

    def _comments(self, thread: Thread) -> list[IssueComment]:
        """All comments of ours on an issue."""
        login = self._connection.login()
        return self._connection.read(
            lambda: [
                comment
                for comment in self._repository.get_issue(thread.number).get_comments()
                if comment.user and comment.user.login.lower() == login.lower()
            ]
        )

    def _checked(self, thread: Thread, meant: str) -> Thread:
        if not same_text(thread.body, meant):
            raise TrackerError(
                "the report was written, but reads back different",
                where=thread.url,
                todo="run again; if it stays so, the report is longer than GitHub stores",
            )
        return thread


def _without_refused(operation: Create, error: TrackerError) -> Create:
    """An issue without its labels or its assignees, where these were refused."""
    cause = error.__cause__
    data = cause.data if isinstance(cause, GithubException) and cause.status == 422 else None
    entries = data.get("errors") if isinstance(data, dict) else None
    said = [entry for entry in entries or () if isinstance(entry, dict)]
    if any(str(entry.get("field")).startswith("assignee") for entry in said):
        operation = replace(operation, assignees=())
    if any(entry.get("resource") == "Label" or entry.get("field") == "labels" for entry in said):
        operation = replace(operation, labels=())
    return operation


def _delete(comment: IssueComment) -> None:
    """Delete a comment, unless an answer that was lost did."""
    with suppress(UnknownObjectException):
        comment.delete()


def _is_pull_request(issue: Issue) -> bool:
    """Told by its address: asked for `pull_request`, the client would get each issue again that has none."""
    return issue.html_url.rsplit("/", 2)[-2] == "pull"


def _thread(issue: Issue) -> Thread:
    return Thread(
        number=issue.number,
        url=issue.html_url,
        title=issue.title,
        body=issue.body or "",
        open=issue.state == "open",
        labels=tuple(label.name for label in issue.labels or ()),
    )


def _precedence(thread: Thread) -> tuple[bool, int]:
    return not thread.open, thread.number
