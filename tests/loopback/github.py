"""A strict GitHub (REST v3) on the loopback interface, for the real PyGithub client to talk to.

Repositories, issues, comments and releases are plain dataclasses. A test fills them through the
methods of `Repository` (what people do), edits their fields at will ("a person retitles it"), and
reads afterwards what the program under test left behind. Ids and times come from one counting clock,
so that equal calls give equal bytes.

Where GitHub's own description of its interface is at hand, every request and every answer is held
against it; what does not fit is collected in `GitHub.violations`, which a test asserts to be empty.
"""

from __future__ import annotations

import functools
import hashlib
import json
import operator
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from openapi_schema_validator import OAS30Validator, oas30_format_checker
from referencing import Registry
from referencing.jsonschema import DRAFT4
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from .base import Answer, Loopback
from .base import status as answer_with

Json = dict[str, Any]
Permissions = Mapping[str, str | None]
"""From an area (`issues`, `contents`) to `"write"`, `"read"` or None."""

DESCRIPTION = Path(__file__).resolve().parents[2] / ".." / "shared" / "github" / "openapi.json"
ACTIONS = "github-actions[bot]"
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
FIRST_ID = 2_500_000_000  # ids of today do not fit into 32 bits, and never look like an issue's number

BODY_CHARACTERS = 65_536
BODY_BYTES = 262_144
TITLE_CHARACTERS = 256
RELEASE_CHARACTERS = 125_000
LABEL_CHARACTERS = 50
DESCRIPTION_CHARACTERS = 100
HOURLY = 5_000
WRITING = frozenset({"POST", "PATCH", "PUT", "DELETE"})


# --- What is kept -------------------------------------------------------------------------------


@dataclass(slots=True)
class Clock:
    """Seconds since `EPOCH`. Each request takes one, and so does each thing made or changed."""

    count: int = 0

    def tick(self) -> int:
        """A new second."""
        self.count += 1
        return self.count


def stamp(seconds: int | None) -> str | None:
    """The time so many seconds after `EPOCH`, as GitHub writes it."""
    return None if seconds is None else f"{EPOCH + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"


@dataclass(frozen=True, slots=True)
class Account:
    """Who a token belongs to, and what it may do in which repository.

    A repository missing from `can` is one that the account has no part in: a private one is then
    invisible, a public one can be read, and a user (no app) can open and comment on issues there.
    The token of a workflow, kind `actions`, always acts as `github-actions[bot]`.
    """

    login: str = ACTIONS
    kind: Literal["user", "bot", "actions"] = "user"
    can: Mapping[str, Permissions] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The login that its writes carry."""
        return ACTIONS if self.kind == "actions" else self.login

    def level(self, repository: Repository, area: str) -> str | None:
        """What it may do in this area of the repository: `"write"`, `"read"` or None."""
        return self.can.get(repository.name, {}).get(area)


@dataclass(slots=True, kw_only=True)
class Label:
    """A label of a repository; `color` is six hexadecimal digits."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass(slots=True, kw_only=True)
class Event:
    """Something that happened to an issue; `name` is GitHub's word, `labeled` for one."""

    id: int
    name: str
    actor: str
    created_at: int
    label: str | None = None
    state_reason: str | None = None


@dataclass(slots=True, kw_only=True)
class Comment:
    """A comment; times are seconds of the server's clock."""

    id: int
    body: str
    author: str
    created_at: int
    updated_at: int
    pinned_by: str | None = None
    pinned_at: int | None = None


@dataclass(slots=True, kw_only=True)
class Issue:
    """An issue, or with `pull_request` a pull request, which the list of issues holds as well."""

    id: int
    number: int
    title: str
    body: str | None
    author: str
    created_at: int
    updated_at: int
    state: str = "open"
    state_reason: str | None = None
    closed_at: int | None = None
    closed_by: str | None = None
    locked: bool = False
    pull_request: bool = False
    labels: list[str] = field(default_factory=list)
    assignees: list[str] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Asset:
    """A file of a release."""

    id: int
    name: str
    label: str | None
    content_type: str
    content: bytes
    uploader: str
    created_at: int


@dataclass(slots=True, kw_only=True)
class Release:
    """A release; an `immutable` one is frozen, but for its title and notes, once it is published."""

    id: int
    tag: str
    name: str | None
    body: str
    author: str
    created_at: int
    published_at: int | None
    target: str = "main"
    draft: bool = False
    prerelease: bool = False
    immutable: bool = False
    assets: list[Asset] = field(default_factory=list)

    @property
    def frozen(self) -> bool:
        """Whether its tag and its assets stand for ever."""
        return self.immutable and not self.draft


@dataclass(slots=True, kw_only=True)
class Repository:
    """A repository and what people do in it: tests call these methods, and so does the server.

    `issues` goes by number, `labels` by name, `collaborators` from login to role (`admin`,
    `maintain`, `write`, `triage`, `read`). The server sets `name` and `clock`.
    """

    private: bool = False
    archived: bool = False
    has_issues: bool = True
    collaborators: dict[str, str] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    releases: list[Release] = field(default_factory=list)
    name: str = "owner/name"
    clock: Clock = field(default_factory=Clock)

    @property
    def owner(self) -> str:
        """The login of its owner."""
        return self.name.partition("/")[0]

    def role(self, login: str) -> str:
        """The role of this login here; of a stranger, what anybody has."""
        stranger = "none" if self.private else "read"
        return "admin" if login == self.owner else self.collaborators.get(login, stranger)

    def new_id(self) -> tuple[int, int]:
        """An id that no other thing has, and the second it was given."""
        now = self.clock.tick()
        return FIRST_ID + now, now

    def label(self, name: str) -> Label:
        """The label of this name in any case, made if there is none, as GitHub does on use."""
        for label in self.labels.values():
            if label.name.casefold() == name.casefold():
                return label
        return self.labels.setdefault(name, Label(id=self.new_id()[0], name=name))

    def open(
        self,
        title: str,
        body: str | None = None,
        *,
        by: str,
        labels: Iterable[str] = (),
        assignees: Iterable[str] = (),
        pull_request: bool = False,
    ) -> Issue:
        """Open an issue under the next number."""
        id_, now = self.new_id()
        issue = Issue(
            id=id_,
            number=max(self.issues, default=0) + 1,
            title=title,
            body=body,
            author=by,
            created_at=now,
            updated_at=now,
            assignees=list(assignees),
            pull_request=pull_request,
        )
        self.issues[issue.number] = issue
        self.relabel(issue, labels, by=by)
        return issue

    def comment(self, issue: Issue, body: str, *, by: str) -> Comment:
        """Add a comment to the issue."""
        id_, now = self.new_id()
        comment = Comment(id=id_, body=body, author=by, created_at=now, updated_at=now)
        issue.comments.append(comment)
        issue.updated_at = now
        return comment

    def relabel(self, issue: Issue, names: Iterable[str], *, by: str) -> None:
        """Let the issue have these labels and no other, with an event for each that comes or goes."""
        wanted = list(dict.fromkeys(self.label(name).name for name in names))
        for name in [label for label in issue.labels if label not in wanted]:
            self._happened(issue, "unlabeled", by, label=name)
        for name in [label for label in wanted if label not in issue.labels]:
            self._happened(issue, "labeled", by, label=name)
        issue.labels = wanted

    def turn(self, issue: Issue, state: str, *, by: str, reason: str | None = None) -> None:
        """Close or reopen the issue; a reason counts only where the state changes."""
        if state == issue.state:
            return
        closed = state == "closed"
        issue.state = state
        issue.state_reason = (reason or "completed") if closed else "reopened"
        self._happened(issue, "closed" if closed else "reopened", by, state_reason=issue.state_reason)
        issue.closed_at, issue.closed_by = (issue.updated_at, by) if closed else (None, None)

    def pin(self, issue: Issue, comment: Comment, *, by: str) -> None:
        """Pin the comment; an issue shows one pinned comment, so another one gives way."""
        for other in issue.comments:
            other.pinned_by = other.pinned_at = None
        comment.pinned_by, comment.pinned_at = by, self.clock.tick()

    def release(
        self,
        tag: str,
        *,
        name: str | None = None,
        body: str = "",
        draft: bool = False,
        prerelease: bool = False,
        immutable: bool = False,
    ) -> Release:
        """Add a release of the owner's, published unless it is a draft."""
        id_, now = self.new_id()
        release = Release(
            id=id_,
            tag=tag,
            name=name,
            body=body,
            author=self.owner,
            created_at=now,
            published_at=None if draft else now,
            draft=draft,
            prerelease=prerelease,
            immutable=immutable,
        )
        self.releases.append(release)
        return release

    def _happened(self, issue: Issue, name: str, by: str, **more: str | None) -> None:
        id_, now = self.new_id()
        issue.events.append(Event(id=id_, name=name, actor=by, created_at=now, **more))
        issue.updated_at = now


# --- How it is written as JSON ------------------------------------------------------------------

_USER_PAGES = "followers following gists starred subscriptions organizations repos events received_events"
_REPOSITORY_PAGES = (
    "archive assignees blobs branches collaborators comments commits compare contents contributors "
    "deployments downloads events forks git_commits git_refs git_tags git issue_comment issue_events "
    "issues keys labels languages merges milestones notifications pulls releases ssh stargazers "
    "statuses subscribers subscription tags teams trees clone hooks svn"
)
_ROLES = ("read", "triage", "write", "maintain", "admin")
_EVENT_CONSTANTS = {"commit_id": None, "commit_url": None, "performed_via_github_app": None}


@dataclass(frozen=True, slots=True)
class Printer:
    """Writes things as GitHub does, with addresses on `base`; `bots` are the logins of apps."""

    base: str
    bots: frozenset[str]

    def user(self, login: str | None) -> Json | None:
        """The schema `simple-user`; nobody is null."""
        if login is None:
            return None
        url = f"{self.base}/users/{login}"
        number = zlib.crc32(login.encode())
        return {
            "login": login,
            "id": number,
            "node_id": f"U_{number}",
            "avatar_url": f"{url}/avatar",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.base}/{login}",
            "type": "Bot" if login in self.bots or login.endswith("[bot]") else "User",
            "site_admin": False,
            **{f"{page}_url": f"{url}/{page}" for page in _USER_PAGES.split()},
        }

    def own_user(self, login: str) -> Json:
        """The schema `private-user`: what an account sees of itself."""
        nothing_said = "name company blog location email hireable bio"
        none_owned = (
            "public_repos public_gists followers following private_gists total_private_repos "
            "owned_private_repos disk_usage collaborators"
        )
        return {
            **(self.user(login) or {}),
            **dict.fromkeys(nothing_said.split()),
            **dict.fromkeys(none_owned.split(), 0),
            "user_view_type": "private",
            "two_factor_authentication": True,
            "created_at": stamp(0),
            "updated_at": stamp(0),
        }

    def repository(self, repository: Repository, role: str) -> Json:
        """The schema `full-repository`, as seen by somebody of this role."""
        url = self._url(repository)
        number = zlib.crc32(repository.name.encode())
        rank = _ROLES.index(role)
        open_issues = sum(issue.state == "open" for issue in repository.issues.values())
        unset = "description homepage language license mirror_url"
        lacking = "fork has_projects has_wiki has_pages has_discussions disabled"
        counts = "forks_count forks stargazers_count watchers_count watchers size subscribers_count"
        return {
            **{f"{page}_url": f"{url}/{page}" for page in _REPOSITORY_PAGES.split()},
            **dict.fromkeys(unset.split()),
            **dict.fromkeys(lacking.split(), False),
            **dict.fromkeys([*counts.split(), "network_count"], 0),
            **dict.fromkeys(("created_at", "updated_at", "pushed_at"), stamp(0)),
            **dict.fromkeys(("open_issues", "open_issues_count"), open_issues),
            "id": number,
            "node_id": f"R_{number}",
            "name": repository.name.partition("/")[2],
            "full_name": repository.name,
            "owner": self.user(repository.owner),
            "url": url,
            "html_url": f"{self.base}/{repository.name}",
            "private": repository.private,
            "visibility": "private" if repository.private else "public",
            "archived": repository.archived,
            "has_issues": repository.has_issues,
            "default_branch": "main",
            "permissions": {
                "pull": True,
                "triage": rank >= _ROLES.index("triage"),
                "push": rank >= _ROLES.index("write"),
                "maintain": rank >= _ROLES.index("maintain"),
                "admin": role == "admin",
            },
        }

    def permission(self, repository: Repository, login: str) -> Json:
        """The schema `repository-collaborator-permission`, which knows the four old roles only."""
        role = repository.role(login)
        permission = {"maintain": "write", "triage": "read"}.get(role, role)
        return {
            "permission": permission,
            "role_name": role,
            "user": {**(self.user(login) or {}), "role_name": role},
        }

    def label(self, repository: Repository, name: str) -> Json:
        """The schema `label`."""
        label = repository.label(name)
        return {
            "id": label.id,
            "node_id": f"LA_{label.id}",
            "url": f"{self._url(repository)}/labels/{label.name}".replace(" ", "%20"),
            "name": label.name,
            "description": label.description,
            "color": label.color,
            "default": False,
        }

    def issue(self, repository: Repository, issue: Issue) -> Json:
        """The schema `issue`."""
        url = f"{self._url(repository)}/issues/{issue.number}"
        kind = "pull" if issue.pull_request else "issues"
        html_url = f"{self.base}/{repository.name}/{kind}/{issue.number}"
        assignees = [self.user(login) for login in issue.assignees]
        pinned = [comment for comment in issue.comments if comment.pinned_at is not None]
        return {
            "id": issue.id,
            "node_id": f"I_{issue.id}",
            "url": url,
            "repository_url": self._url(repository),
            "labels_url": f"{url}/labels{{/name}}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "timeline_url": f"{url}/timeline",
            "html_url": html_url,
            "number": issue.number,
            "state": issue.state,
            "state_reason": issue.state_reason,
            "title": issue.title,
            "body": issue.body,
            "user": self.user(issue.author),
            "author_association": self._association(repository, issue.author),
            "labels": [self.label(repository, name) for name in issue.labels],
            "assignee": assignees[0] if assignees else None,
            "assignees": assignees,
            "milestone": None,
            "locked": issue.locked,
            "active_lock_reason": None,
            "comments": len(issue.comments),
            "created_at": stamp(issue.created_at),
            "updated_at": stamp(issue.updated_at),
            "closed_at": stamp(issue.closed_at),
            "closed_by": self.user(issue.closed_by),
            "performed_via_github_app": None,
            "pinned_comment": self.comment(repository, issue, pinned[0]) if pinned else None,
            **(self._pull_request(repository, issue, html_url) if issue.pull_request else {}),
        }

    def comment(self, repository: Repository, issue: Issue, comment: Comment) -> Json:
        """The schema `issue-comment`."""
        url = self._url(repository)
        html_url = f"{self.base}/{repository.name}/issues/{issue.number}#issuecomment-{comment.id}"
        pin = {"pinned_at": stamp(comment.pinned_at), "pinned_by": self.user(comment.pinned_by)}
        return {
            "id": comment.id,
            "node_id": f"IC_{comment.id}",
            "url": f"{url}/issues/comments/{comment.id}",
            "html_url": html_url,
            "issue_url": f"{url}/issues/{issue.number}",
            "body": comment.body,
            "user": self.user(comment.author),
            "author_association": self._association(repository, comment.author),
            "created_at": stamp(comment.created_at),
            "updated_at": stamp(comment.updated_at),
            "performed_via_github_app": None,
            "pin": pin if comment.pinned_at is not None else None,
        }

    def event(self, repository: Repository, event: Event) -> Json:
        """One of the schemas of `issue-event-for-issue`."""
        answer = {
            **_EVENT_CONSTANTS,
            "id": event.id,
            "node_id": f"E_{event.id}",
            "url": f"{self._url(repository)}/issues/events/{event.id}",
            "actor": self.user(event.actor),
            "event": event.name,
            "created_at": stamp(event.created_at),
        }
        if event.label is None:
            return answer | {"state_reason": event.state_reason}
        label = repository.label(event.label)
        return answer | {"label": {"name": label.name, "color": label.color}}

    def release(self, repository: Repository, release: Release) -> Json:
        """The schema `release`."""
        url = f"{self._url(repository)}/releases/{release.id}"
        page = f"{self.base}/{repository.name}"
        return {
            "id": release.id,
            "node_id": f"RE_{release.id}",
            "url": url,
            "html_url": f"{page}/releases/tag/{release.tag}",
            "assets_url": f"{url}/assets",
            "upload_url": f"{url}/assets{{?name,label}}",
            "tarball_url": f"{page}/tarball/{release.tag}",
            "zipball_url": f"{page}/zipball/{release.tag}",
            "tag_name": release.tag,
            "target_commitish": release.target,
            "name": release.name,
            "body": release.body,
            "draft": release.draft,
            "prerelease": release.prerelease,
            "immutable": release.frozen,
            "created_at": stamp(release.created_at),
            "published_at": stamp(release.published_at),
            "author": self.user(release.author),
            "assets": [self.asset(repository, release, asset) for asset in release.assets],
        }

    def asset(self, repository: Repository, release: Release, asset: Asset) -> Json:
        """The schema `release-asset`."""
        page = f"{self.base}/{repository.name}/releases/download"
        return {
            "id": asset.id,
            "node_id": f"RA_{asset.id}",
            "url": f"{self._url(repository)}/releases/assets/{asset.id}",
            "browser_download_url": f"{page}/{release.tag}/{asset.name}",
            "name": asset.name,
            "label": asset.label,
            "state": "uploaded",
            "content_type": asset.content_type,
            "size": len(asset.content),
            "digest": f"sha256:{hashlib.sha256(asset.content).hexdigest()}",
            "download_count": 0,
            "created_at": stamp(asset.created_at),
            "updated_at": stamp(asset.created_at),
            "uploader": self.user(asset.uploader),
        }

    def _pull_request(self, repository: Repository, issue: Issue, html_url: str) -> Json:
        url = f"{self._url(repository)}/pulls/{issue.number}"
        diff = {"diff_url": f"{html_url}.diff", "patch_url": f"{html_url}.patch"}
        return {"pull_request": {"url": url, "html_url": html_url, "merged_at": None, **diff}}

    def _association(self, repository: Repository, login: str) -> str:
        if login == repository.owner:
            return "OWNER"
        return "COLLABORATOR" if login in repository.collaborators else "NONE"

    def _url(self, repository: Repository) -> str:
        return f"{self.base}/repos/{repository.name}"


# --- What it refuses ----------------------------------------------------------------------------


class Reply(NamedTuple):
    """An answer: a status, a JSON value (None for an empty body), and further headers."""

    status: int
    payload: Any = None
    headers: Mapping[str, str] = {}


class RefusedError(Exception):
    """An answer of 400 and above; `errors` are the faulty fields of a 422."""

    def __init__(self, status: int, message: str, *errors: Json) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors

    def reply(self, base: str) -> Reply:
        """The answer as JSON."""
        told = {"message": self.message, "documentation_url": f"{base}/rest", "status": str(self.status)}
        if self.status == 422:
            # This one shape carries no status of its own.
            del told["status"]
            return Reply(422, told | ({"errors": list(self.errors)} if self.errors else {}))
        return Reply(self.status, told)


def not_found() -> RefusedError:
    """What is not there, or not to be seen."""
    return RefusedError(404, "Not Found")


def forbidden() -> RefusedError:
    """What the token may not do."""
    return RefusedError(403, "Resource not accessible by integration")


def invalid(resource: str, field_: str, code: str = "invalid", message: str | None = None) -> RefusedError:
    """A field that GitHub does not take."""
    error = {"resource": resource, "field": field_, "code": code}
    return RefusedError(422, "Validation Failed", error | ({} if message is None else {"message": message}))


def too_long(resource: str, field_: str, limit: int) -> RefusedError:
    """A text over its limit."""
    return invalid(resource, field_, "custom", f"{field_} is too long (maximum is {limit} characters)")


def text_of(payload: Json, name: str, resource: str, *, required: bool = False) -> str | None:
    """The text under this name, None where it is null or absent.

    Raises `RefusedError` where it is no text, or is required and is not there or blank.
    """
    value = payload.get(name)
    if value is not None and not isinstance(value, str):
        raise invalid(resource, name)
    if required and not (value or "").strip():
        raise invalid(resource, name, "missing_field")
    return value


def texts_of(payload: Json, name: str, resource: str) -> list[str]:
    """The list of texts under this name; raises `RefusedError` where it is anything else."""
    value = payload.get(name)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise invalid(resource, name)
    return value


def title_of(payload: Json, *, required: bool = False) -> str | None:
    """The title, if there is one that fits."""
    title = text_of(payload, "title", "Issue", required=required)
    if title is not None and len(title) > TITLE_CHARACTERS:
        raise too_long("Issue", "title", TITLE_CHARACTERS)
    return title


def body_of(payload: Json, resource: str = "Issue", limit: int = BODY_CHARACTERS) -> str | None:
    """The body, if there is one that fits."""
    body = text_of(payload, "body", resource)
    if body is not None and len(body) > limit:
        raise too_long(resource, "body", limit)
    return body


def comment_of(payload: Json) -> str:
    """The body of a comment, which cannot be blank; a long one is refused in words of its own."""
    body = text_of(payload, "body", "IssueComment", required=True) or ""
    if len(body) > BODY_CHARACTERS:
        told = f"Body is too long (maximum is {BODY_CHARACTERS} characters)"
        raise invalid("IssueComment", "data", "unprocessable", told)
    return body


def swallowed(payload: Json) -> bool:
    """Whether this PATCH is one that GitHub answers with 200 and stores nothing of."""
    body = payload.get("body")
    return isinstance(body, str) and len(body.encode()) > BODY_BYTES


def labels_of(payload: Any) -> list[str]:
    """The label names of a request: `{"labels": [...]}`, or the bare list that GitHub takes as well."""
    names = texts_of(payload if isinstance(payload, dict) else {"labels": payload}, "labels", "Label")
    for name in names:
        checked_label(name)
    return names


def checked_label(name: str) -> str:
    """The name, if a label can have it."""
    if not name.strip():
        raise invalid("Label", "name", "missing_field")
    if len(name) > LABEL_CHARACTERS:
        raise too_long("Label", "name", LABEL_CHARACTERS)
    return name


# --- What it serves -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request that was let in: who asks for what, in which repository."""

    github: GitHub
    request: Request
    account: Account
    arguments: Json
    payload: Any

    @property
    def repository(self) -> Repository:
        """The repository that the path names; raises `RefusedError` where there is none to be seen."""
        wanted = f"{self.arguments['owner']}/{self.arguments['repo']}".casefold()
        for name, repository in self.github.repositories.items():
            if name.casefold() == wanted and (name in self.account.can or not repository.private):
                return repository
        raise not_found()

    @property
    def sent(self) -> Json:
        """The fields of the request; raises `RefusedError` where it brings none."""
        if not isinstance(self.payload, dict):
            raise RefusedError(422, "Invalid request. The body is not an object.")
        return self.payload

    @property
    def by(self) -> str:
        """The login that writes."""
        return self.account.name

    @property
    def printer(self) -> Printer:
        """Writes the answer, with addresses on the host that was asked."""
        return self.github.printer

    def level(self, area: str) -> str | None:
        """What the token may do in this area of the repository."""
        return self.account.level(self.repository, area)

    @property
    def trusted(self) -> bool:
        """Whether more than one's own issues and comments may be written."""
        return self.level("issues") == "write"

    def issue(self) -> Issue:
        """The issue that the path names, open to this change if it is one."""
        issue = self.repository.issues.get(self.arguments["issue_number"])
        if issue is None:
            raise not_found()
        self._may_change(issue)
        return issue

    def comment(self) -> tuple[Issue, Comment]:
        """The comment that the path names, and its issue, open to this change if it is one."""
        for issue in self.repository.issues.values():
            for comment in issue.comments:
                if comment.id == self.arguments["comment_id"]:
                    self._may_change(issue)
                    return issue, comment
        raise not_found()

    def must_own(self, author: str) -> None:
        """Refuse a stranger who would change what another account wrote."""
        if not self.trusted and author != self.by:
            raise RefusedError(403, "Must have admin rights to Repository.")

    def release(self) -> Release:
        """The release that the path names, by id or by tag; a draft has no tag to be found by."""
        id_, tag = self.arguments.get("release_id"), self.arguments.get("tag")
        for release in self.releases():
            if release.id == id_ or (release.tag == tag and not release.draft):
                return release
        raise not_found()

    def releases(self) -> list[Release]:
        """The releases that the account sees, newest first: drafts are for those who can write."""
        drafts = self.level("contents") == "write"
        newest = sorted(self.repository.releases, key=lambda release: release.created_at, reverse=True)
        return [release for release in newest if drafts or not release.draft]

    def page(self, things: Sequence[Any], printed: Callable[[Any], Json]) -> Reply:
        """The page of these things that is asked for, with the `Link` header to the others."""
        asked = self.request.args
        size = min(max(asked.get("per_page", 30, type=int), 1), 100)
        number = max(asked.get("page", 1, type=int), 1)
        last = max(-(-len(things) // size), 1)
        pages = {"prev": number - 1, "next": number + 1, "last": last, "first": 1}
        wanted = ("prev", "first") if number >= last else ("prev", "next", "last", "first")
        address = f"{self.github.url}{self.request.path}"
        links = [
            f'<{address}?{urlencode({**asked.to_dict(), "page": pages[rel]})}>; rel="{rel}"'
            for rel in wanted
            if number > 1 or rel in {"next", "last"}
        ]
        shown = [printed(thing) for thing in things[(number - 1) * size : number * size]]
        return Reply(200, shown, {"Link": ", ".join(links)} if links else {})

    def _may_change(self, issue: Issue) -> None:
        if issue.locked and self.request.method in WRITING:
            raise RefusedError(403, "Unable to create comment because issue is locked.")


Handler = Callable[[Call], Reply]


@dataclass(frozen=True, slots=True)
class Route:
    """An endpoint: who answers it, its template in GitHub's description, the permission it needs.

    `anybody` marks what a user may do in a public repository without any part in it.
    """

    handler: Handler
    template: str
    area: str | None
    anybody: bool


ROUTES = Map()


def serves(
    method: str, path: str, area: str | None = None, *, anybody: bool = False
) -> Callable[[Handler], Handler]:
    """Let a function answer this method and path."""

    def add(handler: Handler) -> Handler:
        template = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", path)
        ROUTES.add(Rule(path, methods=[method], endpoint=Route(handler, template, area, anybody)))
        return handler

    return add


GRAPHQL = "/graphql"
"""Not REST, and a POST that writes nothing."""
REPOSITORY = "/repos/<owner>/<repo>"
ISSUE = f"{REPOSITORY}/issues/<int:issue_number>"
COMMENT = f"{REPOSITORY}/issues/comments/<int:comment_id>"
RELEASE = f"{REPOSITORY}/releases/<int:release_id>"


@serves("GET", "/user")
def get_user(call: Call) -> Reply:
    """The account itself, which neither the token of a workflow nor that of another app may ask for."""
    if call.account.kind != "user":
        raise forbidden()
    return Reply(200, call.printer.own_user(call.by))


@serves("POST", GRAPHQL)
def query(call: Call) -> Reply:
    """Who the token belongs to; there is no other query here."""
    if "".join(call.sent["query"].split()) != "{viewer{login}}":
        raise RefusedError(400, "not served here")
    return Reply(200, {"data": {"viewer": {"login": call.by}}})


@serves("GET", "/rate_limit")
def get_rate_limit(call: Call) -> Reply:
    """What is left of the hour."""
    limit = call.github.rate()
    return Reply(200, {"resources": {"core": limit, "search": limit}, "rate": limit})


@serves("GET", "/search/issues")
def search_issues(call: Call) -> Reply:
    """Nothing, ever: the index lags behind, and a program that needs it fails here."""
    if "q" not in call.request.args:
        raise invalid("Search", "q", "missing")
    return Reply(200, {"total_count": 0, "incomplete_results": False, "items": [], "search_type": "lexical"})


@serves("GET", REPOSITORY)
def get_repository(call: Call) -> Reply:
    """The repository."""
    role = "write" if call.level("contents") == "write" else "read"
    return Reply(200, call.printer.repository(call.repository, role))


@serves("GET", f"{REPOSITORY}/collaborators/<username>/permission")
def get_permission(call: Call) -> Reply:
    """The role of a login, which those without a part in the repository may not ask for."""
    if call.repository.name not in call.account.can:
        raise RefusedError(403, "Must have push access to view collaborator permission.")
    return Reply(200, call.printer.permission(call.repository, call.arguments["username"]))


# Issues


@serves("GET", f"{REPOSITORY}/issues", "issues")
def list_issues(call: Call) -> Reply:
    """Issues and pull requests that pass the filters."""
    asked, repository = call.request.args, call.repository
    call.github.must_serve(call.request, "state creator labels since sort direction per_page page")
    state, creator, since = asked.get("state", "open"), asked.get("creator"), asked.get("since", "")
    names = {name.casefold() for name in asked.get("labels", "").split(",") if name}
    if state not in {"open", "closed", "all"}:
        raise invalid("Issue", "state")
    found = [
        issue
        for issue in repository.issues.values()
        if state in {"all", issue.state}
        and (creator is None or issue.author.casefold() == creator.casefold())
        and names <= call.github.listed_labels(issue)
        and (stamp(issue.updated_at) or "") >= since
    ]
    found.sort(key=_order(asked.get("sort", "created")), reverse=asked.get("direction", "desc") == "desc")
    return call.page(found, lambda issue: call.printer.issue(repository, issue))


def _order(sort: str) -> Callable[[Issue], tuple[int, int]]:
    keys: dict[str, Callable[[Issue], int]] = {
        "created": lambda issue: issue.created_at,
        "updated": lambda issue: issue.updated_at,
        "comments": lambda issue: len(issue.comments),
    }
    if sort not in keys:
        raise invalid("Issue", "sort")
    return lambda issue: (keys[sort](issue), issue.number)


@serves("GET", ISSUE, "issues")
def get_issue(call: Call) -> Reply:
    """One issue."""
    return _issue(call, call.issue())


@serves("POST", f"{REPOSITORY}/issues", "issues", anybody=True)
def create_issue(call: Call) -> Reply:
    """A new issue; labels and assignees of an account without write access are dropped in silence."""
    title, body = title_of(call.sent, required=True) or "", body_of(call.sent)
    labels, assignees = _labels(call, []), _assignees(call, [])
    issue = call.repository.open(title, body, by=call.by, labels=labels, assignees=assignees)
    return _issue(call, issue, status=201)


@serves("PATCH", ISSUE, "issues", anybody=True)
def edit_issue(call: Call) -> Reply:
    """A changed issue: only the fields that are sent, all or none of them."""
    issue, sent, repository = call.issue(), call.sent, call.repository
    call.must_own(issue.author)
    if swallowed(sent):
        return _issue(call, issue)
    title, body = title_of(sent, required=sent.get("title") is not None), body_of(sent)
    state, reason = _state(sent)
    labels, assignees = _labels(call, issue.labels), _assignees(call, issue.assignees)
    issue.title = issue.title if title is None else title
    issue.body = body if "body" in sent else issue.body
    issue.assignees = assignees
    issue.updated_at = repository.clock.tick()
    repository.relabel(issue, labels, by=call.by)
    if state is not None:
        repository.turn(issue, state, by=call.by, reason=reason)
    return _issue(call, issue)


def _issue(call: Call, issue: Issue, status: int = 200) -> Reply:
    return Reply(status, call.printer.issue(call.repository, issue))


def _state(payload: Json) -> tuple[str | None, str | None]:
    """State and reason that are asked for."""
    state, reason = text_of(payload, "state", "Issue"), text_of(payload, "state_reason", "Issue")
    if state not in {None, "open", "closed"}:
        raise invalid("Issue", "state")
    if reason not in {None, "completed", "not_planned", "duplicate", "reopened"}:
        raise invalid("Issue", "state_reason")
    return state, reason


def _labels(call: Call, present: list[str]) -> list[str]:
    """The labels that the issue is to have."""
    return labels_of(call.sent) if "labels" in call.sent and call.trusted else present


def _assignees(call: Call, present: list[str]) -> list[str]:
    """The assignees that the issue is to have; only people of the repository can be."""
    if "assignees" not in call.sent or not call.trusted:
        return present
    logins = texts_of(call.sent, "assignees", "Issue")
    if not set(logins) <= call.github.members(call.repository):
        raise invalid("Issue", "assignees")
    return logins


@serves("GET", f"{ISSUE}/labels", "issues")
def list_issue_labels(call: Call) -> Reply:
    """The labels of an issue."""
    return call.page(call.issue().labels, lambda name: call.printer.label(call.repository, name))


@serves("POST", f"{ISSUE}/labels", "issues")
def add_issue_labels(call: Call) -> Reply:
    """More labels on an issue."""
    issue = call.issue()
    return _relabelled(call, issue, [*issue.labels, *labels_of(call.payload)])


@serves("PUT", f"{ISSUE}/labels", "issues")
def set_issue_labels(call: Call) -> Reply:
    """Other labels on an issue."""
    return _relabelled(call, call.issue(), labels_of(call.payload))


@serves("DELETE", f"{ISSUE}/labels/<path:name>", "issues")
def remove_issue_label(call: Call) -> Reply:
    """One label less on an issue."""
    issue, gone = call.issue(), call.arguments["name"].casefold()
    left = [name for name in issue.labels if name.casefold() != gone]
    if left == issue.labels:
        raise RefusedError(404, "Label does not exist")
    return _relabelled(call, issue, left)


def _relabelled(call: Call, issue: Issue, names: list[str]) -> Reply:
    call.repository.relabel(issue, names, by=call.by)
    return Reply(200, [call.printer.label(call.repository, name) for name in issue.labels])


@serves("GET", f"{ISSUE}/events", "issues")
def list_events(call: Call) -> Reply:
    """What happened to an issue, the oldest first."""
    return call.page(call.issue().events, lambda event: call.printer.event(call.repository, event))


@serves("GET", f"{ISSUE}/timeline", "issues")
def list_timeline(call: Call) -> Reply:
    """What happened to an issue, and its comments among it, the oldest first."""
    issue, repository = call.issue(), call.repository

    def printed(thing: Event | Comment) -> Json:
        if isinstance(thing, Event):
            return call.printer.event(repository, thing)
        commented = {"event": "commented", "actor": call.printer.user(thing.author)}
        return call.printer.comment(repository, issue, thing) | commented

    things: list[Event | Comment] = [*issue.events, *issue.comments]
    return call.page(sorted(things, key=lambda thing: thing.created_at), printed)


# Comments


@serves("GET", f"{ISSUE}/comments", "issues")
def list_comments(call: Call) -> Reply:
    """The comments of an issue, the oldest first."""
    issue = call.issue()
    since = call.request.args.get("since", "")
    found = [comment for comment in issue.comments if (stamp(comment.updated_at) or "") >= since]
    return call.page(found, lambda comment: call.printer.comment(call.repository, issue, comment))


@serves("POST", f"{ISSUE}/comments", "issues", anybody=True)
def create_comment(call: Call) -> Reply:
    """A new comment."""
    issue = call.issue()
    return _comment(call, issue, call.repository.comment(issue, comment_of(call.sent), by=call.by), 201)


@serves("GET", COMMENT, "issues")
def get_comment(call: Call) -> Reply:
    """One comment."""
    return _comment(call, *call.comment())


@serves("PATCH", COMMENT, "issues", anybody=True)
def edit_comment(call: Call) -> Reply:
    """A changed comment."""
    issue, comment = call.comment()
    call.must_own(comment.author)
    if not swallowed(call.sent):
        comment.body = comment_of(call.sent)
        comment.updated_at = call.repository.clock.tick()
    return _comment(call, issue, comment)


@serves("DELETE", COMMENT, "issues", anybody=True)
def delete_comment(call: Call) -> Reply:
    """One comment less."""
    issue, comment = call.comment()
    call.must_own(comment.author)
    issue.comments.remove(comment)
    return Reply(204)


@serves("PUT", f"{COMMENT}/pin", "issues")
def pin_comment(call: Call) -> Reply:
    """A pinned comment; a pull request has none."""
    issue, comment = call.comment()
    if issue.pull_request:
        raise invalid("IssueComment", "pin", "custom", "Comment pinning is not supported on pull requests")
    call.repository.pin(issue, comment, by=call.by)
    return _comment(call, issue, comment)


@serves("DELETE", f"{COMMENT}/pin", "issues")
def unpin_comment(call: Call) -> Reply:
    """A comment that is pinned no more."""
    _, comment = call.comment()
    comment.pinned_by = comment.pinned_at = None
    return Reply(204)


def _comment(call: Call, issue: Issue, comment: Comment, status: int = 200) -> Reply:
    return Reply(status, call.printer.comment(call.repository, issue, comment))


# Labels of the repository


@serves("GET", f"{REPOSITORY}/labels", "issues")
def list_labels(call: Call) -> Reply:
    """The labels of the repository, by name."""
    return call.page(sorted(call.repository.labels), lambda name: call.printer.label(call.repository, name))


@serves("POST", f"{REPOSITORY}/labels", "issues")
def create_label(call: Call) -> Reply:
    """A new label."""
    name = checked_label(text_of(call.sent, "name", "Label") or "")
    if any(known.casefold() == name.casefold() for known in call.repository.labels):
        raise invalid("Label", "name", "already_exists")
    looks = _looks(call.sent)
    return _label(call, _dress(call.repository.label(name), looks), status=201)


@serves("GET", f"{REPOSITORY}/labels/<path:name>", "issues")
def get_label(call: Call) -> Reply:
    """One label."""
    return _label(call, _known_label(call))


@serves("PATCH", f"{REPOSITORY}/labels/<path:name>", "issues")
def edit_label(call: Call) -> Reply:
    """A changed label; the issues that have it keep it under its new name."""
    label, repository = _known_label(call), call.repository
    looks = _looks(call.sent)
    old, new = label.name, text_of(call.sent, "new_name", "Label") or label.name
    del repository.labels[old]
    label.name = checked_label(new)
    repository.labels[new] = _dress(label, looks)
    for issue in repository.issues.values():
        issue.labels = [new if name == old else name for name in issue.labels]
    return _label(call, label)


@serves("DELETE", f"{REPOSITORY}/labels/<path:name>", "issues")
def delete_label(call: Call) -> Reply:
    """One label less, on all issues."""
    label, repository = _known_label(call), call.repository
    for issue in repository.issues.values():
        issue.labels = [name for name in issue.labels if name != label.name]
    del repository.labels[label.name]
    return Reply(204)


def _label(call: Call, label: Label, status: int = 200) -> Reply:
    return Reply(status, call.printer.label(call.repository, label.name))


def _known_label(call: Call) -> Label:
    for label in call.repository.labels.values():
        if label.name.casefold() == call.arguments["name"].casefold():
            return label
    raise not_found()


def _looks(payload: Json) -> dict[str, str]:
    """Colour and description that are asked for, each where it is."""
    color, description = text_of(payload, "color", "Label"), text_of(payload, "description", "Label")
    if color is not None and not re.fullmatch("[0-9a-fA-F]{6}", color):
        raise invalid("Label", "color")
    if description is not None and len(description) > DESCRIPTION_CHARACTERS:
        raise too_long("Label", "description", DESCRIPTION_CHARACTERS)
    asked = {"color": color, "description": description}
    return {name: value for name, value in asked.items() if value is not None}


def _dress(label: Label, looks: dict[str, str]) -> Label:
    label.color = looks.get("color", label.color)
    label.description = looks.get("description", label.description)
    return label


# Releases


@serves("GET", f"{REPOSITORY}/releases", "contents")
def list_releases(call: Call) -> Reply:
    """The releases, the newest first."""
    return call.page(call.releases(), lambda release: call.printer.release(call.repository, release))


@serves("GET", f"{REPOSITORY}/releases/latest", "contents")
def get_latest_release(call: Call) -> Reply:
    """The newest release that is neither a draft nor a forerunner."""
    for release in call.releases():
        if not release.draft and not release.prerelease:
            return _release(call, release)
    raise not_found()


@serves("GET", f"{REPOSITORY}/releases/tags/<path:tag>", "contents")
def get_release_by_tag(call: Call) -> Reply:
    """One release."""
    return _release(call, call.release())


@serves("GET", RELEASE, "contents")
def get_release(call: Call) -> Reply:
    """One release."""
    return _release(call, call.release())


_RELEASE_FIELDS = {
    "tag_name": "tag",
    "target_commitish": "target",
    "name": "name",
    "body": "body",
    "draft": "draft",
    "prerelease": "prerelease",
}


@serves("PATCH", RELEASE, "contents")
def edit_release(call: Call) -> Reply:
    """A changed release."""
    release, sent = call.release(), call.sent
    body_of(sent, "Release", RELEASE_CHARACTERS)
    changed = {
        name: sent[name]
        for name, attribute in _RELEASE_FIELDS.items()
        if name in sent and sent[name] != getattr(release, attribute)
    }
    for name in changed:
        if release.frozen and name not in {"name", "body"}:
            told = f"{name} cannot be changed when release is immutable"
            raise invalid("Release", name, "custom", told)
    for name, value in changed.items():
        setattr(release, _RELEASE_FIELDS[name], value)
    if not release.draft and release.published_at is None:
        release.published_at = call.repository.clock.tick()
    return _release(call, release)


def _release(call: Call, release: Release) -> Reply:
    return Reply(200, call.printer.release(call.repository, release))


@serves("GET", f"{RELEASE}/assets", "contents")
def list_assets(call: Call) -> Reply:
    """The files of a release."""
    release = call.release()
    return call.page(release.assets, lambda asset: call.printer.asset(call.repository, release, asset))


@serves("POST", f"{RELEASE}/assets", "contents")
def upload_asset(call: Call) -> Reply:
    """A new file of a release, under the name that GitHub makes of the one sent."""
    release, asked = call.release(), call.request.args
    if release.frozen:
        raise RefusedError(422, "Cannot upload assets to an immutable release.")
    name = re.sub(r"[^\w.@+-]+", ".", asked.get("name", ""), flags=re.ASCII).strip(".")
    if not name:
        raise invalid("ReleaseAsset", "name", "missing_field")
    if any(asset.name == name for asset in release.assets):
        raise invalid("ReleaseAsset", "name", "already_exists")
    id_, now = call.repository.new_id()
    asset = Asset(
        id=id_,
        name=name,
        label=asked.get("label"),
        content_type=call.request.content_type or "application/octet-stream",
        content=call.request.get_data(),
        uploader=call.by,
        created_at=now,
    )
    release.assets.append(asset)
    return Reply(201, call.printer.asset(call.repository, release, asset))


@serves("DELETE", f"{REPOSITORY}/releases/assets/<int:asset_id>", "contents")
def delete_asset(call: Call) -> Reply:
    """One file of a release less."""
    for release in call.releases():
        for asset in release.assets:
            if asset.id == call.arguments["asset_id"]:
                if release.frozen:
                    raise RefusedError(422, "Cannot delete assets from an immutable release.")
                release.assets.remove(asset)
                return Reply(204)
    raise not_found()


# --- The server ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Write:
    """A write that was carried out; `json` is None where the request had no JSON."""

    method: str
    path: str
    json: Any


@dataclass(slots=True, kw_only=True)
class GitHub(Loopback):
    """The server: `with GitHub(repositories={"o/r": Repository()}, accounts={token: ...}) as github:`.

    `renamed` has the new names of repositories by their old ones, which lead there as GitHub does it.
    `label_lag` is how many seconds of the clock the list's label filter is behind; `writes` are the
    writes carried out, in order; `violations` is what does not fit GitHub's description, on
    either side, and every address or filter that is asked for and not served here.
    """

    repositories: dict[str, Repository]
    accounts: dict[str, Account]
    renamed: dict[str, str] = field(default_factory=dict)
    label_lag: int = 0
    writes: list[Write] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        for name, repository in self.repositories.items():
            repository.name = name
            # A repository that was filled before keeps its times in the past.
            self.clock.count = max(self.clock.count, repository.clock.count)
            repository.clock = self.clock

    @property
    def printer(self) -> Printer:
        """Writes answers with addresses on this server."""
        return Printer(self.url, frozenset(a.name for a in self.accounts.values() if a.kind != "user"))

    def members(self, repository: Repository) -> set[str]:
        """The logins that can be assigned: the owner, collaborators, accounts that write."""
        writers = (a.name for a in self.accounts.values() if a.level(repository, "issues") == "write")
        return {repository.owner, *repository.collaborators, *writers}

    def listed_labels(self, issue: Issue) -> set[str]:
        """The labels, in lower case, by which the list of issues finds this one: some are late."""
        labels = {name.casefold() for name in issue.labels}
        for event in reversed(issue.events):
            if event.created_at <= self.clock.count - self.label_lag:
                break
            if event.name == "labeled":
                labels.discard((event.label or "").casefold())
            elif event.name == "unlabeled":
                labels.add((event.label or "").casefold())
        return labels

    def rate(self) -> dict[str, int]:
        """The primary rate limit, which this server tells but never enforces: inject it as a fault."""
        used = len(self.seen)
        reset = int(EPOCH.timestamp()) + 3600
        return {"limit": HOURLY, "remaining": max(HOURLY - used, 0), "reset": reset, "used": used}

    def must_serve(self, request: Request, names: str) -> None:
        """Note every parameter besides `names`: to leave out a filter in silence would be a lie."""
        for name in sorted(set(request.args) - set(names.split())):
            self.violations.append(f"{request.method} {request.path}: parameter {name!r} is not served here")

    def respond(self, request: Request) -> Response:
        """The answer, as GitHub would give it."""
        self.clock.tick()
        reply = self._reply(request)
        body = "" if reply.payload is None else json.dumps(reply.payload)
        rate = {f"X-RateLimit-{name.title()}": str(value) for name, value in self.rate().items()}
        headers = {**rate, **reply.headers}
        return Response(body, status=reply.status, headers=headers, mimetype="application/json")

    def _led_on(self, request: Request) -> Reply | None:
        """Where a repository has another name now: a question is led there for good, a write for once."""
        for old, new in self.renamed.items():
            if f"{request.path}/".startswith(f"/repos/{old}/"):
                address = f"{self.url}{request.full_path.rstrip('?').replace(old, new, 1)}"
                told = {
                    "message": "Moved Permanently",
                    "url": address,
                    "documentation_url": f"{self.url}/rest",
                }
                return Reply(301 if request.method == "GET" else 307, told, {"Location": address})
        return None

    def _reply(self, request: Request) -> Reply:
        led_on = self._led_on(request)
        if led_on is not None:
            return led_on
        try:
            route, arguments = ROUTES.bind("").match(request.path, request.method)
        except HTTPException:
            # A redirect to a tidier address among them: GitHub knows an address or does not.
            self.violations.append(f"{request.method} {request.path}: not served here")
            return not_found().reply(self.url)
        payload = None
        try:
            payload = _payload(request, route)
            reply = self._carry_out(request, route, dict(arguments), payload)
        except RefusedError as refused:
            reply = refused.reply(self.url)
        if route.template == GRAPHQL:
            return reply
        self._judge(request, route, payload, reply)
        if request.method in WRITING and reply.status < 400:
            self.writes.append(Write(request.method, request.path, payload))
        return reply

    def _carry_out(self, request: Request, route: Route, arguments: Json, payload: Any) -> Reply:
        call = Call(
            github=self,
            request=request,
            account=self._account(request),
            arguments=arguments,
            payload=payload,
        )
        if "repo" in arguments:
            _let_in(call, route)
        return route.handler(call)

    def _account(self, request: Request) -> Account:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if not token:
            raise RefusedError(401, "Requires authentication")
        if scheme.lower() not in {"token", "bearer"} or token not in self.accounts:
            raise RefusedError(401, "Bad credentials")
        return self.accounts[token]

    def _judge(self, request: Request, route: Route, payload: Any, reply: Reply) -> None:
        description = described()
        if description is None:
            return
        where = f"{request.method} {request.path}"
        asked = description.request(request.method, route.template, request.args.to_dict(), payload)
        told = description.answer(request.method, route.template, reply)
        self.violations.extend(f"{where}, request: {fault}" for fault in asked)
        self.violations.extend(f"{where}, answer {reply.status}: {fault}" for fault in told)


def _payload(request: Request, route: Route) -> Any:
    """The JSON of a request, None where it has none; raises `RefusedError` where it cannot be read."""
    upload = route.template.endswith("/assets")
    if upload or request.method not in WRITING or not request.get_data():
        return None
    try:
        payload = json.loads(request.get_data())
        json.dumps(payload, ensure_ascii=False).encode()
    except ValueError as error:
        # Half of a surrogate pair is a ValueError as well, and no text that could be stored.
        raise RefusedError(400, "Problems parsing JSON") from error
    if not isinstance(payload, dict | list):
        raise RefusedError(400, "Body should be a JSON object")
    return payload


def _let_in(call: Call, route: Route) -> None:
    """Refuse what the account may not do here, and what nobody may."""
    repository, writing = call.repository, call.request.method in WRITING
    if route.area is not None:
        level = call.level(route.area)
        visitor = repository.name not in call.account.can and call.account.kind == "user"
        if writing and level != "write" and not (visitor and route.anybody):
            raise forbidden()
        if level is None and repository.private:
            raise forbidden()
    if writing and repository.archived:
        raise RefusedError(403, "Repository was archived so is read-only.")
    if not repository.has_issues and "/issues" in route.template:
        raise RefusedError(410, "Issues are disabled for this repo")


def primary_limit(*, reset: int) -> Answer:
    """A fault's answer: the hour's requests are used up until `reset` (seconds since 1970)."""
    headers = {
        "Content-Type": "application/json",
        "X-RateLimit-Limit": str(HOURLY),
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Used": str(HOURLY),
        "X-RateLimit-Reset": str(reset),
        "X-RateLimit-Resource": "core",
    }
    return answer_with(403, json.dumps({"message": "API rate limit exceeded for user ID 1."}), headers)


def secondary_limit(*, retry_after: int | None = 60, code: Literal[403, 429] = 403) -> Answer:
    """A fault's answer: too much in a short time; wait `retry_after` seconds, if it says how long."""
    told = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    headers = {"Content-Type": "application/json"}
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return answer_with(code, json.dumps({"message": told}), headers)


# --- GitHub's own description -------------------------------------------------------------------

_URN = "urn:github"


def _amended(node: Json) -> Json:
    """A node of the document as it is read: references made absolute, nullable choices taking null.

    By the letter of OpenAPI 3.0 an `enum` without null refuses null even where `nullable` is set;
    GitHub does send a null `state_reason`.
    """
    if isinstance(node.get("$ref"), str):
        node["$ref"] = _URN + node["$ref"]
    if isinstance(node.get("mapping"), dict):
        node["mapping"] = {name: _URN + reference for name, reference in node["mapping"].items()}
    if node.get("nullable") is True and isinstance(node.get("enum"), list):
        node["enum"].append(None)
    return node


class Description:
    """Judges requests and answers by an OpenAPI 3.0 document that describes GitHub.

    What was found sound once is not looked at again, so that a long list of issues costs no more
    than the issues in it that changed.
    """

    def __init__(self, text: str) -> None:
        self._document: Json = json.loads(text, object_hook=_amended)
        resource = DRAFT4.create_resource(self._document)
        self._registry: Registry[Any] = Registry().with_resource(_URN, resource)
        self._sound: set[tuple[int, str]] = set()
        for method in ("post", "put"):
            # The document has left out the bare list of names, which GitHub takes and PyGithub sends.
            labels = self._document["paths"]["/repos/{owner}/{repo}/issues/{issue_number}/labels"][method]
            bare = {"type": "array", "items": {"type": "string"}}
            labels["requestBody"]["content"]["application/json"]["schema"]["oneOf"].append(bare)

    def request(self, method: str, template: str, query: Mapping[str, str], payload: Any) -> Iterator[str]:
        """What is wrong with a request, in words: parameters or fields unknown, missing, of a wrong type."""
        operation = self._operation(method, template)
        if operation is None:
            yield "the description has no such endpoint"
            return
        parameters = [self._resolved(parameter) for parameter in operation.get("parameters", [])]
        known = {parameter["name"]: parameter for parameter in parameters if parameter["in"] == "query"}
        yield from (f"unknown parameter {name!r}" for name in query if name not in known)
        for name, parameter in known.items():
            if name in query:
                faults = self._faults(parameter["schema"], _typed(query[name], parameter["schema"]))
                yield from (f"parameter {name!r}: {fault}" for fault in faults)
            elif parameter.get("required"):
                yield f"missing parameter {name!r}"
        body = operation.get("requestBody", {})
        schema = body.get("content", {}).get("application/json", {}).get("schema")
        if payload is not None:
            yield from ["a body is not foreseen"] if schema is None else self._faults(schema, payload)
        elif body.get("required"):
            yield "missing body"

    def answer(self, method: str, template: str, reply: Reply) -> Iterator[str]:
        """What is wrong with an answer, in words.

        The document does not list every error at every endpoint; one that it does not list must
        have the shape that errors of its status have elsewhere.
        """
        responses = (self._operation(method, template) or {}).get("responses", {})
        response = self._resolved(responses.get(str(reply.status), {}))
        schema = response.get("content", {}).get("application/json", {}).get("schema")
        if schema is None and reply.status >= 400:
            name = "validation-error" if reply.status == 422 else "basic-error"
            schema = self._document["components"]["schemas"][name]
        if schema is not None:
            yield from self._faults(schema, reply.payload)
        elif not response:
            yield "the description has no such status"
        elif reply.payload is not None:
            yield "a body is not foreseen"

    def _operation(self, method: str, template: str) -> Json | None:
        operation: Json | None = self._document["paths"].get(template, {}).get(method.lower())
        return operation

    def _resolved(self, node: Json) -> Json:
        while "$ref" in node:
            steps = node["$ref"].removeprefix(f"{_URN}#/").split("/")
            node = functools.reduce(operator.getitem, steps, self._document)
        return node

    def _faults(self, schema: Json, value: Any) -> Iterator[str]:
        schema = self._resolved(schema)
        if schema.get("type") == "array" and isinstance(value, list):
            for item in value:
                yield from self._faults(schema["items"], item)
            return
        key = (id(schema), json.dumps(value, sort_keys=True))
        if key in self._sound:
            return
        faults = [*self._broken(schema, value), *_unknown(schema, value)]
        if not faults:
            self._sound.add(key)
        yield from faults

    def _broken(self, schema: Json, value: Any) -> Iterator[str]:
        validator = OAS30Validator(schema, registry=self._registry, format_checker=oas30_format_checker)
        for error in validator.iter_errors(value):
            yield f"{error.json_path}: {error.message}"


def _unknown(schema: Json, value: Any) -> Iterator[str]:
    """Fields that a schema does not name; it forbids none, but a misspelt one is a fault all the same."""
    if "properties" in schema and isinstance(value, dict):
        yield from (f"unknown field {name!r}" for name in value if name not in schema["properties"])


def _typed(text: str, schema: Json) -> Any:
    """The value of a query parameter, whose schema may want a number."""
    return int(text) if schema.get("type") == "integer" and re.fullmatch("-?[0-9]+", text) else text


@functools.cache
def described() -> Description | None:
    """GitHub's description, read once; None where it is not at hand."""
    return Description(DESCRIPTION.read_text(encoding="utf-8")) if DESCRIPTION.is_file() else None
