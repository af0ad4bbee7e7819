"""One connection to GitHub through PyGithub: what may be asked again, and what a refusal means.

Nothing uncertain is repeated: after an answer that was lost, a list says whether a write took place.
"""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TypeVar

import github
from github.GithubException import GithubException
from github.Repository import Repository
from requests.exceptions import JSONDecodeError, RequestException
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_before_delay,
)

from benchaudit.errors import TrackerError, Unwanted
from benchaudit.lost import Lost, again

ACTIONS = "github-actions[bot]"
PATIENCE = 120.0
_TIMEOUT = 30

T = TypeVar("T")


class _Limited(Exception):
    """A rate limit refused a request, which then took no effect; `wait` is in seconds."""

    def __init__(self, wait: float, error: TrackerError) -> None:
        super().__init__()
        self.wait, self.error = wait, error


class Connection:
    """What a token may do in one repository.

    `author` is the account that the token belongs to, "" asks; `pause` seconds are left between two
    writes, and `patience` seconds are waited for a rate limit, where GitHub says how long it takes.
    A repository that was `named` by people may have another name by now. `inputs` are what errors say
    to check: the input that names the repository, and that of the token.
    """

    def __init__(
        self,
        *,
        api: str,
        token: str,
        repository: str,
        author: str = "",
        pause: float = 1.0,
        patience: float = PATIENCE,
        named: bool = False,
        inputs: tuple[str, str] = ("repository", "github-token"),
    ) -> None:
        self.api = github.Github(
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
        self.name = repository
        self._repository: Repository | None = None if named else self.api.get_repo(repository)
        self._author, self._assumed = author, False
        self._inputs = inputs
        self._pause, self._patience = pause, patience

    @property
    def repository(self) -> Repository:
        """The repository, under the name that it has now. Raises TrackerError.

        The client follows a question to a new name without its filters, and a write not at all.
        """
        if self._repository is None:
            name = self.read(lambda: self.api.get_repo(self.name).complete().full_name)
            self._repository = self.api.get_repo(name)
        return self._repository

    def login(self) -> str:
        """Who we are: the account that is set, or the one that the token belongs to."""
        if not self._author:
            try:
                self._author = self.read(lambda: self.api.get_user().login)
            except TrackerError as error:
                # A workflow's own token may not ask who it is. Of a limit, 403 says nothing like that.
                cause = error.__cause__
                limited = "rate limit" in error.what
                if limited or not isinstance(cause, GithubException) or cause.status != 403:
                    raise
                self._author, self._assumed = ACTIONS, True
        return self._author

    def found_out(self) -> bool:
        """Whether we are another account than was assumed: an app's token may not ask `login`'s question.

        It may ask this one, and so may a workflow's; a server without it leaves the assumption as it is.
        """
        if not self._assumed:
            return False
        self._assumed = False
        try:
            _, answer = self.read(lambda: self.api.requester.graphql_query("{ viewer { login } }", {}))
            login = str(answer["data"]["viewer"]["login"])
        except (TrackerError, LookupError, TypeError):
            return False
        changed, self._author = login.lower() != self.login().lower(), login
        return changed

    def read(self, ask: Callable[[], T]) -> T:
        """Ask what may be asked again: a few times, a little later each time, where no answer comes."""
        try:
            return again(partial(self.once, ask), self._pause)
        except Lost as lost:
            raise self.unreachable(str(lost)) from None

    def once(self, ask: Callable[[], T]) -> T:
        """Ask once; again only where a rate limit refused, which says that nothing took effect.

        Raises Lost where it cannot be said whether it did.
        """
        retrying = Retrying(
            retry=retry_if_exception_type(_Limited),
            wait=_asked_wait,
            stop=stop_before_delay(self._patience),
            reraise=True,
        )
        try:
            answer: T = retrying(self._ask, ask)
        except _Limited as limited:
            raise limited.error from None
        return answer

    def _ask(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except GithubException as error:
            if error.status >= 500 or error.status == 0:
                raise Lost(f"answered {error.status}") from None
            headers = {name.lower(): text for name, text in (error.headers or {}).items()}
            wait = _wait(error.status, headers)
            if wait is not None:
                raise _Limited(wait, self._translated(error)) from None
            raise self._translated(error) from error
        except (RequestException, AssertionError) as error:
            if isinstance(error, ValueError) and not isinstance(error, JSONDecodeError):
                # Nothing was sent: an address, a proxy or a header is none that could be.
                raise TrackerError(
                    f"GitHub cannot be asked ({type(error).__name__})",
                    where=self.name,
                    todo="check GITHUB_API_URL and the proxies that the environment names",
                ) from None
            raise Lost(f"does not answer ({type(error).__name__})") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Lost("gave an answer that is not understood") from None

    def unreachable(self, said: str) -> TrackerError:
        """The error for an answer that was lost for good."""
        return TrackerError(
            f"GitHub {said}", where=self.name, todo="run again; what is written already is found again"
        )

    def _translated(self, error: GithubException) -> TrackerError:
        data = error.data if isinstance(error.data, dict) else {}
        message = "; ".join([str(data.get("message", error.data)), *_details(data.get("errors"))])
        headers = {name.lower(): text for name, text in (error.headers or {}).items()}
        what, todo = _meaning(error.status, message, headers, self._inputs)
        kind = Unwanted if _is_unwanted(error.status, message.lower()) else TrackerError
        return kind(what, where=self.name, todo=todo)


def _asked_wait(retry: RetryCallState) -> float:
    limited = retry.outcome.exception() if retry.outcome else None
    return limited.wait if isinstance(limited, _Limited) else 0.0


def _wait(status: int, headers: dict[str, str]) -> float | None:
    """Seconds after which a refusal by a rate limit may be tried again; None where none is named.

    The time at which the primary limit is lifted is held against the answer's own date: the clock of a
    runner may be off.
    """
    if status not in {403, 429}:
        return None
    try:
        if "retry-after" in headers:
            return max(1.0, float(headers["retry-after"]))
        if headers.get("x-ratelimit-remaining") == "0":
            now = parsedate_to_datetime(headers["date"]).timestamp()
            return max(1.0, float(headers["x-ratelimit-reset"]) - now)
    except (ValueError, KeyError, TypeError):
        pass
    return None


def _details(errors: object) -> list[str]:
    """What a refusal says of single fields, where it does."""
    entries = [entry for entry in errors if isinstance(entry, dict)] if isinstance(errors, list) else []
    return [str(entry.get("message") or f"{entry.get('field')}: {entry.get('code')}") for entry in entries]


def _is_slowed_down(said: str) -> bool:
    """Whether GitHub says in words that it was too much at once; of old it called that abuse."""
    return "secondary rate limit" in said or "abuse detection" in said or "temporarily blocked" in said


def _is_unwanted(status: int, said: str) -> bool:
    """Whether a refusal is of somebody's making who wants nothing written there."""
    return status == 410 or (
        status == 403
        and "rate limit" not in said
        and not _is_slowed_down(said)
        and ("lock" in said or "archived" in said)
    )


def _meaning(status: int, message: str, headers: dict[str, str], inputs: tuple[str, str]) -> tuple[str, str]:
    """What a refusal means, and what to do about it; `inputs` are those of the place and of the token."""
    place, token = inputs
    elsewhere = place != "repository"
    if status in {403, 429}:
        return _forbidden(message.lower(), headers, place, token)
    if status == 422:
        return f"GitHub refused the report ({message})", "check `labels` and `assignees`"
    if status == 410 and "deleted" in message.lower():
        return "the issue was deleted meanwhile", "run again"
    meanings = {
        401: ("the token is not accepted", f"check {token}"),
        404: ("the repository cannot be seen with this token", f"check `{place}` and {token}"),
        410: (
            f"issues are switched off {'there' if elsewhere else 'here (the default on forks)'}",
            f"name another `{place}`, or take the label off"
            if elsewhere
            else "switch them on, or set `channel`",
        ),
    }
    return meanings.get(status, (f"GitHub answered {status} ({message})", "run again later"))


def _forbidden(said: str, headers: dict[str, str], place: str, token: str) -> tuple[str, str]:
    """The meanings of 403, and of the 429 that can stand for two of them; the first that applies."""
    here = place == "repository"
    meanings = [
        (
            "retry-after" in headers or _is_slowed_down(said),
            "GitHub asks to slow down (secondary rate limit)",
            "run again later",
        ),
        (
            headers.get("x-ratelimit-remaining") == "0" or "rate limit" in said,
            "GitHub's rate limit is used up",
            "run again later",
        ),
        (
            "blocked" in said,
            "the account of the token is blocked there",
            "use another account, or ask the owner",
        ),
        ("lock" in said, "the report issue is locked", "unlock it" if here else "ask the owner"),
        (
            "archived" in said,
            "the repository is archived",
            f"name another with `{place}`{'' if here else ', or take the label off'}",
        ),
        (
            "push access" in said,
            "the token may not ask who may write there",
            f"check {token}: its account must be one that may write itself",
        ),
        (
            here,
            "the token may not write issues",
            "add `permissions: issues: write` to the job; on pull requests from forks the token is read-only",
        ),
        (
            True,
            "the token may not write issues there",
            f"check {token}: a workflow's own token reaches its own repository only",
        ),
    ]
    return next((what, todo) for applies, what, todo in meanings if applies)
