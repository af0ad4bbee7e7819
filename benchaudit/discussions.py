"""The discussions of a dataset on the Hub: the room behind its door that may write.

Each write is one request, so that what became of it can be said: done, refused (a TrackerError), or `Lost`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, TypeVar

from huggingface_hub import DiscussionComment, DiscussionWithDetails, errors
from huggingface_hub.utils import build_hf_headers, get_session, hf_raise_for_status, validate_repo_id  # type: ignore[attr-defined] # documented, not listed

from benchaudit.errors import RateLimited, SettingsError, TrackerError, Unwanted
from benchaudit.hub import Hub
from benchaudit.hub_errors import HTTPError
from benchaudit.lost import Lost

_TITLE = 200
"""Characters that the title of a discussion may have."""

_ELSEWHERE = "or set `channel` to github or folder"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One comment; `text` is its Markdown as last edited."""

    id: str
    author: str
    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussion:
    """A discussion or a pull request; the first of its posts opened it."""

    number: int
    url: str
    title: str
    open: bool
    pull_request: bool
    posts: tuple[Post, ...]


class Discussions:
    """The discussions of one dataset, as the account of the Hub's token.

    Every method raises a TrackerError that says what, where and what to do, and `Lost` where nobody
    can say what became of the request. A name that no dataset can have is a SettingsError.
    """

    def __init__(self, hub: Hub, dataset: str) -> None:
        try:
            validate_repo_id(dataset)
        except errors.HFValidationError:
            raise SettingsError(
                "is no name of a dataset", where=dataset, todo="write it as owner/name"
            ) from None
        self.dataset = dataset
        self._hub, self._client = hub, hub.client
        self._here: dict[str, Any] = {"repo_id": dataset, "repo_type": "dataset"}
        self._list = f"{hub.endpoint}/api/datasets/{dataset}/discussions"
        self._page = f"{hub.endpoint}/datasets/{dataset}/discussions"

    def account(self) -> str:
        """Return whose token it is."""
        if not self._client.token:
            raise TrackerError(
                "no token to write discussions with", where=self.dataset, todo=f"set hf-token, {_ELSEWHERE}"
            )
        return self._ask(lambda: str(self._client.whoami()["name"]))

    def numbers(self, author: str) -> list[int]:
        """Return the numbers of an account's discussions: open ones before closed ones, then the lowest."""
        found: set[tuple[bool, int]] = set()
        # By hand: the client would ask for ever where the Hub counts more than it shows.
        for page in count():
            entries, more = self._ask(partial(self._listed, author, page))
            found.update(entries)
            if not more:
                break
        return [number for _, number in sorted(found)]

    def read(self, number: int) -> Discussion:
        """Return a discussion or a pull request with all its comments."""

        def ask() -> Discussion:
            details = self._client.get_discussion_details(discussion_num=number, **self._here)
            return _discussion(details, f"{self._page}/{number}")

        return self._ask(ask)

    def open(self, title: str, text: str) -> int:
        """Open a discussion and return its number."""

        def ask() -> int:
            # By hand: the client reads it back in the same call, and both would be repeated for one 429.
            body = {"title": title.strip()[:_TITLE], "description": text, "pullRequest": False}
            response = get_session().post(self._list, json=body, headers=self._headers())
            hf_raise_for_status(response)
            return int(response.json()["num"])

        return self._ask(ask)

    def comment(self, number: int, text: str) -> Post:
        """Add a comment and return it."""

        def ask() -> Post:
            made = self._client.comment_discussion(discussion_num=number, comment=text, **self._here)
            return _post(made, f"{self._page}/{number}")

        return self._ask(ask)

    def edit(self, number: int, comment_id: str, text: str) -> None:
        """Replace the text of one of our comments."""
        self._ask(
            lambda: self._client.edit_discussion_comment(
                discussion_num=number, comment_id=comment_id, new_content=text, **self._here
            )
        )

    def turn(self, number: int, *, is_open: bool) -> None:
        """Open or close a discussion; the Hub need not take this for one that is so already."""
        self._ask(
            lambda: self._client.change_discussion_status(
                discussion_num=number, new_status="open" if is_open else "closed", **self._here
            )
        )

    def _headers(self) -> dict[str, str]:
        return build_hf_headers(token=self._client.token, library_name=self._client.library_name)

    def _listed(self, author: str, page: int) -> tuple[list[tuple[bool, int]], bool]:
        """A page of an account's discussions, as (closed, number), and whether there is another."""
        query: dict[str, str | int] = {"type": "discussion", "author": author, "p": page}
        response = get_session().get(self._list, params=query, headers=self._headers())
        hf_raise_for_status(response)
        answer = response.json()
        entries = answer["discussions"]
        ours = [
            (entry["status"] != "open", int(entry["num"])) for entry in entries if not entry["isPullRequest"]
        ]
        return ours, bool(entries) and answer["start"] + len(entries) < answer["count"]

    def _ask(self, ask: Callable[[], T]) -> T:
        try:
            return self._hub.patiently(self.dataset, ask)
        except RateLimited as error:
            raise TrackerError(error.what, where=error.where, todo="run again later") from None
        except errors.HfHubHTTPError as error:
            status = error.response.status_code
            if status >= 500:
                raise Lost(f"answered {status}") from None
            raise self._refused(error, status) from None
        except (HTTPError, OSError) as error:
            raise Lost(f"does not answer ({type(error).__name__})") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Lost("gave an answer that is not understood") from None

    def _refused(self, error: errors.HfHubHTTPError, status: int) -> TrackerError:
        said = str(error.server_message or error.response.reason_phrase)
        what, todo = _meaning(error, status, said.lower())
        shut = "discussions are disabled" in said.lower() or "locked" in said.lower()
        kind = Unwanted if shut or isinstance(error, errors.DisabledRepoError) else TrackerError
        return kind(f"{what} (the Hub says: {said[:200]})", where=self.dataset, todo=todo)


def _meaning(error: errors.HfHubHTTPError, status: int, said: str) -> tuple[str, str]:
    """What a refusal means and what to do about it; the first that applies."""
    meanings = [
        (
            "discussions are disabled" in said,
            "the dataset's discussions are switched off",
            f"let its owner switch them on in its settings, {_ELSEWHERE}",
        ),
        (
            isinstance(error, errors.DisabledRepoError),
            "the dataset is disabled by the Hub",
            "nothing can be written there now",
        ),
        ("locked" in said, "the discussion is locked", f"let the dataset's owner unlock it, {_ELSEWHERE}"),
        (
            # The client takes a 401 on this address for a dataset that it cannot see.
            status == 401,
            "the Hub does not accept the token",
            "check hf-token",
        ),
        (
            status == 403,
            "the token may not write there",
            f"give hf-token write access to the dataset's discussions, {_ELSEWHERE}",
        ),
        (
            isinstance(error, errors.RepositoryNotFoundError),
            "the dataset cannot be seen with the token",
            "check the name and hf-token",
        ),
        (
            status == 404,
            "there is no such discussion or comment",
            "it may have been removed; run again",
        ),
    ]
    for applies, what, todo in meanings:
        if applies:
            return what, todo
    return f"the Hub refused it with status {status}", f"run again; if it stays so, report it, {_ELSEWHERE}"


def _discussion(details: DiscussionWithDetails, url: str) -> Discussion:
    posts = (_post(event, url) for event in details.events if isinstance(event, DiscussionComment))
    return Discussion(
        number=details.num,
        url=url,
        title=details.title,
        # A pull request is a draft before it is open.
        open=details.status in {"open", "draft"},
        pull_request=details.is_pull_request,
        posts=tuple(posts),
    )


def _post(event: DiscussionComment, url: str) -> Post:
    return Post(id=event.id, author=event.author, text=event.content, url=f"{url}#{event.id}")
