"""GitHub issues as a tracker, through PyGithub.

A report issue is ours if its first line is our marker for this very dataset *and* the acting account
wrote it. It is found by listing, never by search, which lags behind. Nothing uncertain is repeated:
after an answer that was lost, the list says whether the write took place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import github
from github.GithubException import GithubException
from github.Issue import Issue
from github.NamedUser import NamedUser
from requests.exceptions import RequestException
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from benchaudit.errors import TrackerError
from benchaudit.notes import notes_of, with_notes
from benchaudit.plan import Close, Comment, Create, Operation, Reopen, Thread, Update, same_text
from benchaudit.state import is_ours
from benchaudit.tracker.base import Done

ACTIONS = "github-actions[bot]"
_TIMEOUT = 30
_TITLE = 256
_TRIES = 4

T = TypeVar("T")


class _Lost(Exception):
    """No answer, or one that does not say whether the request took effect."""

    def __init__(self, said: str) -> None:
        super().__init__(said)


class GitHubTracker:
    """Report issues of one repository. `author` is the account they belong to; "" asks who we are."""

    def __init__(
        self, *, api: str, token: str, repository: str, author: str = "", pause: float = 1.0
    ) -> None:
        self._api = github.Github(
            auth=github.Auth.Token(token),
            base_url=api,
            timeout=_TIMEOUT,
            per_page=100,
            # Its own retries would repeat a POST that took effect.
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=pause or None,
            # To write to an issue needs its number alone.
            lazy=True,
        )
        self._name = repository
        self._repository = self._api.get_repo(repository)
        self._author = author
        self._pause = pause

    def find(self, dataset: str) -> Thread | None:
        """Return our issue: an open one before a closed one, then the lowest number."""
        return self._read(lambda: min(map(_thread, self._ours(dataset)), key=_precedence, default=None))

    def carry_out(self, operation: Operation) -> Done:
        """Do one operation, and read back what was written."""
        match operation:
            case Create():
                return Done(thread=self._create(operation))
            case Update():
                return Done(thread=self._update(operation))
            case Comment():
                return self._comment(operation)
            case Reopen(thread=thread):
                return Done(thread=self._turned(thread, "open", "reopened"))
            case Close(thread=thread):
                return Done(thread=self._turned(thread, "closed", "completed"))

    def _login(self) -> str:
        if not self._author:
            try:
                self._author = self._read(lambda: self._api.get_user().login)
            except TrackerError as error:
                # A workflow's own token may not ask who it is.
                if not isinstance(error.__cause__, GithubException) or error.__cause__.status != 403:
                    raise
                self._author = ACTIONS
        return self._author

    def _ours(self, dataset: str) -> Iterator[Issue]:
        login = self._login()
        # The listing takes a user, not a name; asking for one would be a call for what is known.
        creator = self._api.create_from_raw_data(NamedUser, {"login": login})
        for issue in self._repository.get_issues(
            state="all", creator=creator, sort="created", direction="asc"
        ):
            if (
                is_ours(issue.body or "", dataset)
                and issue.user.login.lower() == login.lower()
                and not _is_pull_request(issue)
            ):
                yield issue

    def _create(self, operation: Create) -> Thread:
        def create() -> Thread:
            issue = self._repository.create_issue(
                title=operation.title[:_TITLE],
                body=operation.body,
                labels=list(operation.labels),
                assignees=list(operation.assignees),
            )
            return _thread(issue)

        try:
            made = self._once(create)
        except _Lost as lost:
            found = self.find(operation.dataset)
            if found is None:
                raise self._unreachable(str(lost)) from None
            made = found
        first = self.find(operation.dataset) or made
        if first.number != made.number:
            # Another run was quicker: its issue stays, ours goes.
            self._read(
                lambda: self._repository.get_issue(made.number).edit(
                    state="closed", state_reason="not_planned"
                )
            )
            return first
        return self._checked(first, operation.body)

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
        self._read(write)
        return self._checked(self._read(lambda: _thread(self._repository.get_issue(number))), written)

    def _turned(self, thread: Thread, state: str, reason: str) -> Thread:
        self._read(lambda: self._repository.get_issue(thread.number).edit(state=state, state_reason=reason))
        return self._read(lambda: _thread(self._repository.get_issue(thread.number)))

    def _comment(self, operation: Comment) -> Done:
        number = operation.thread.number
        there = self._commented(number, operation.key)
        if there:
            return Done(thread=operation.thread, comment_url=there)
        try:
            made = self._once(
                lambda: self._repository.get_issue(number).create_comment(operation.body).html_url
            )
        except _Lost as lost:
            made = self._commented(number, operation.key)
            if not made:
                raise self._unreachable(str(lost)) from None
        return Done(thread=operation.thread, comment_url=made)

    def _commented(self, number: int, key: str) -> str:
        """The address of our comment with this first line, "" where there is none."""
        login = self._login()

        def look() -> str:
            for comment in self._repository.get_issue(number).get_comments():
                if comment.user.login.lower() == login.lower() and comment.body.splitlines()[:1] == [key]:
                    return comment.html_url
            return ""

        return self._read(look)

    def _checked(self, thread: Thread, meant: str) -> Thread:
        if not same_text(thread.body, meant):
            raise TrackerError(
                "the report was written, but reads back different",
                where=thread.url,
                todo="run again; if it stays so, the report is longer than GitHub stores",
            )
        return thread

    def _read(self, ask: Callable[[], T]) -> T:
        """Ask what may be asked again: a few times, a little later each time, where no answer comes."""
        retrying = Retrying(
            retry=retry_if_exception_type(_Lost),
            stop=stop_after_attempt(_TRIES),
            wait=wait_exponential(multiplier=self._pause, max=20),
            reraise=True,
        )
        try:
            answer: T = retrying(self._once, ask)
        except _Lost as lost:
            raise self._unreachable(str(lost)) from None
        return answer

    def _once(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except GithubException as error:
            if error.status >= 500 or error.status == 0:
                raise _Lost(f"answered {error.status}") from None
            raise self._translated(error) from error
        except (RequestException, AssertionError) as error:
            raise _Lost(f"does not answer ({type(error).__name__})") from None

    def _unreachable(self, said: str) -> TrackerError:
        return TrackerError(
            f"GitHub {said}", where=self._name, todo="run again; what is written already is found again"
        )

    def _translated(self, error: GithubException) -> TrackerError:
        data = error.data if isinstance(error.data, dict) else {}
        message = "; ".join([str(data.get("message", error.data)), *_details(data.get("errors"))])
        what, todo = _meaning(
            error.status, message, {name.lower(): text for name, text in (error.headers or {}).items()}
        )
        return TrackerError(what, where=self._name, todo=todo)


def _details(errors: object) -> list[str]:
    """What a refusal says of single fields, where it does."""
    entries = [entry for entry in errors if isinstance(entry, dict)] if isinstance(errors, list) else []
    return [str(entry.get("message") or f"{entry.get('field')}: {entry.get('code')}") for entry in entries]


_MEANINGS = {
    401: ("the token is not accepted", "check github-token"),
    404: ("the repository cannot be seen with this token", "check `repository` and github-token"),
    410: ("issues are switched off here (the default on forks)", "switch them on, or set `channel`"),
}


def _meaning(status: int, message: str, headers: dict[str, str]) -> tuple[str, str]:
    """What a refusal means, and what to do about it."""
    if status in {403, 429}:
        return _forbidden(message.lower(), headers)
    if status == 422:
        return f"GitHub refused the report ({message})", "check `labels` and `assignees`"
    return _MEANINGS.get(status, (f"GitHub answered {status} ({message})", "run again later"))


def _forbidden(said: str, headers: dict[str, str]) -> tuple[str, str]:
    """The meanings of 403, and of the 429 that can stand for two of them."""
    if "retry-after" in headers or "secondary rate limit" in said:
        return "GitHub asks to slow down (secondary rate limit)", "run again later"
    if headers.get("x-ratelimit-remaining") == "0" or "rate limit" in said:
        return "GitHub's rate limit is used up", "run again later"
    if "lock" in said:
        return "the report issue is locked", "unlock it"
    if "archived" in said:
        return "the repository is archived", "name another with `repository`"
    return (
        "the token may not write issues",
        "add `permissions: issues: write` to the job; on pull requests from forks the token is read-only",
    )


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
    )


def _precedence(thread: Thread) -> tuple[bool, int]:
    return not thread.open, thread.number
