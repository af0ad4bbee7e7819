"""A Hugging Face Hub on this machine that serves real git repositories to the real client.

    repo = DatasetRepo.create(tmp_path / "dataset.git")
    repo.commit("Upload", {"data/test.csv": b"..."})
    with Hub({"owner/name": HubDataset(repo.path)}) as hub:
        subprocess.run(program, env=hub.environment(tmp_path / "home"), check=True)
    assert hub.data_bytes == 0

The client reads `HF_ENDPOINT` when it is imported, so the program under test is a process of its own.
Nothing is kept between two requests but discussions: a test may commit, squash, rename, gate or
disable while the server runs, and the next answer shows it.

Where the Hub's behaviour is not documented the stricter guess is taken, and said so.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self, TypeVar
from urllib.parse import unquote, urlencode

from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.wrappers import Request, Response

from . import repos
from .base import Answer, Loopback, Seen, status

_WRITE = re.compile(
    r"/api/datasets/[^/]+/[^/]+/discussions(/(?P<number>\d+)/(?P<what>[a-z]+)(/[^/]+/(?P<edit>[a-z]+))?)?"
)
_START_UP_PROBE = "/api/agent-harnesses"
_COMMITS_PER_PAGE = 50
_ENTRIES_PER_PAGE = 1000
_EXPANDED_ENTRIES_PER_PAGE = 50
_DISCUSSIONS_PER_PAGE = 20
_MOST_TEXT = 65_536
"""Characters of a comment. The Hub's own limit is not documented; this is GitHub's."""

# Anybody gets the information about a gated dataset, but neither paths-info nor its files; what the Hub
# does with the other two is not documented.
_GATED = frozenset({"paths-info", "tree", "commits"})

_T = TypeVar("_T")


def rate_limited(seconds: int = 55, kind: Literal["api", "resolvers"] = "api") -> Answer:
    """What a fault answers in place of the Hub when the calls of this window are used up."""
    headers = {
        "RateLimit": f'"{kind}";r=0;t={seconds}',
        "RateLimit-Policy": f'"fixed window";"{kind}";q=500;w=300',
        "Retry-After": str(seconds),
    }
    return status(429, "Too many requests", headers)


@dataclass(slots=True)
class Discussion:
    """A discussion of a dataset; `events` are in the form in which the Hub gives them.

    A pull request is a discussion too, and their numbers are one series. A locked one is written to by
    the dataset's owner alone.
    """

    num: int
    title: str
    author: str
    status: Literal["open", "closed", "draft", "merged"] = "open"
    events: list[dict[str, Any]] = field(default_factory=list)
    pull_request: bool = False
    locked: bool = False

    @property
    def comments(self) -> list[str]:
        """The text of every comment, the opening one first, as last edited."""
        return [event["data"]["latest"]["raw"] for event in self.events if event["type"] == "comment"]

    def comment(self, author: str, text: str) -> dict[str, Any]:
        """Add a comment and give its event."""
        return self._add("comment", author, {"edited": False, "hidden": False, "latest": {"raw": text}})

    def change_status(self, author: str, status: Literal["open", "closed"]) -> dict[str, Any]:
        """Open or close the discussion and give the event."""
        self.status = status
        return self._add("status-change", author, {"status": status})

    def find_comment(self, comment_id: str) -> dict[str, Any] | None:
        """The event of a comment, or None if no comment has this id."""
        comments = (event for event in self.events if event["type"] == "comment")
        return next((event for event in comments if event["id"] == comment_id), None)

    def _add(self, kind: str, author: str, data: dict[str, Any]) -> dict[str, Any]:
        number = len(self.events)
        event = {
            "id": f"{self.num:08x}{number:016x}",
            "type": kind,
            "createdAt": _time(repos.FIRST_COMMIT + timedelta(minutes=number)),
            "author": {"name": author},
            "data": data,
        }
        self.events.append(event)
        return event


@dataclass(slots=True)
class HubDataset:
    """A dataset: a git repository, bare or not, and what the Hub knows about it beside its files.

    `token` is the one that may read the dataset where it is private or gated; None lets nobody in.
    `renamed_to` makes every request a redirect to that dataset. `lfs` are globs of the paths that the
    Hub hands out as LFS objects, from its other server; `*` crosses slashes, as in `.gitattributes`.
    """

    repo: Path
    private: bool = False
    gated: Literal[False, "auto", "manual"] = False
    disabled: bool = False
    token: str | None = None
    default_branch: str = "main"
    renamed_to: str | None = None
    lfs: frozenset[str] = frozenset()
    discussions_enabled: bool = True
    discussions: list[Discussion] = field(default_factory=list)

    def discuss(self, title: str, author: str, text: str, *, pull_request: bool = False) -> Discussion:
        """Open a discussion or a pull request and give it."""
        number = max((discussion.num for discussion in self.discussions), default=0) + 1
        discussion = Discussion(number, title, author, pull_request=pull_request)
        discussion.comment(author, text)
        self.discussions.append(discussion)
        return discussion

    def is_lfs(self, path: str) -> bool:
        """Whether this file is kept as an LFS object."""
        return any(fnmatchcase(path, pattern) for pattern in self.lfs)

    def admits(self, token: str | None) -> bool:
        """Whether a request with this token may read the dataset where it is private or gated."""
        return token is not None and token == self.token


@dataclass
class _FileServer(Loopback):
    """A server that gives files out, whole or in part; `sent` counts their bytes."""

    sent: int = field(default=0, init=False)

    def respond(self, request: Request) -> Response:
        """What `answer` gives, or what it refused with."""
        try:
            return self.answer(request)
        except HTTPException as refusal:
            return refusal.get_response(request.environ)

    def answer(self, request: Request) -> Response:
        """The response of the server; raises `HTTPException` to refuse."""
        raise NotImplementedError

    def send_file(
        self, request: Request, content: bytes, *, etag: str, headers: Mapping[str, str] | None = None
    ) -> Response:
        """The whole file, the range asked for (206), 304 or 416, as the request's headers say."""
        response = Response(content, mimetype="application/octet-stream", headers=headers)
        response.set_etag(etag)
        response.make_conditional(request, accept_ranges=True, complete_length=len(content))
        if request.method == "GET" and response.status_code in {200, 206}:
            self.sent += response.content_length or 0
        return response


@dataclass
class Cdn(_FileServer):
    """The server that holds LFS objects, on a port of its own: to the client it is another host."""

    objects: dict[str, Callable[[], bytes]] = field(default_factory=dict)
    """How to get the content, by sha256; an object is there once the Hub has sent somebody to it."""

    def answer(self, request: Request) -> Response:
        """The object whose sha256 is the path."""
        sha256 = request.path.strip("/")
        if sha256 not in self.objects:
            raise NotFound
        return self.send_file(request, self.objects[sha256](), etag=sha256)


@dataclass
class Hub(_FileServer):
    """The Hub. Use it as a context manager, and change its fields and `datasets` while it runs.

    `users` gives the account of each token; the token of a dataset is known too, any other is refused.
    With a token in `read_only` nothing can be written.
    `page_size` replaces the Hub's own sizes of all lists that have pages. `link_origin` makes the next
    page's `Link` name another server (`http://127.0.0.1:1`), and `link_header` sets that header's case.
    """

    datasets: dict[str, HubDataset] = field(default_factory=dict)
    users: dict[str, str] = field(default_factory=lambda: {"hf_auditor": "auditor"})
    read_only: set[str] = field(default_factory=set)
    page_size: int | None = None
    link_origin: str | None = None
    link_header: str = "Link"
    cdn: Cdn = field(default_factory=Cdn, init=False)

    def __enter__(self) -> Self:
        self.cdn.__enter__()
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        self.cdn.__exit__(*error)

    @property
    def data_bytes(self) -> int:
        """How many bytes of files were sent, by this server and its `cdn`."""
        return self.sent + self.cdn.sent

    @property
    def api_calls(self) -> list[Seen]:
        """The requests that the program made, without the client's own at its start."""
        return [seen for seen in self.seen if seen.path != _START_UP_PROBE]

    @property
    def writes(self) -> list[str]:
        """What was written, as `open`, `comment 1`, `edit 1` and `status 1`; refusals are not among it."""
        written = (
            _WRITE.fullmatch(seen.path) for seen in self.seen if seen.method == "POST" and seen.status < 400
        )
        return [
            "open" if match["number"] is None else f"{match['edit'] or match['what']} {match['number']}"
            for match in written
            if match is not None
        ]

    @property
    def cdn_tokens(self) -> list[str]:
        """The `Authorization` headers that the `cdn` was sent; a token has no business there."""
        return [seen.authorization for seen in self.cdn.seen if seen.authorization is not None]

    def environment(self, home: Path, token: str | None = None) -> dict[str, str]:
        """The environment of a process whose Hub this is, with its cache in `home` alone.

        The caller's own tokens, caches and proxies are left out.
        """
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("HF_", "HUGGING")) and not name.lower().endswith("_proxy")
        }
        own = {"HF_ENDPOINT": self.url, "HF_HOME": str(home), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        return kept | own | ({} if token is None else {"HF_TOKEN": token})

    def rename(self, old: str, new: str) -> None:
        """Move a dataset, its discussions too, and leave a redirect at its old name."""
        dataset = self.datasets[old]
        self.datasets[new] = dataset
        self.datasets[old] = replace(dataset, renamed_to=new)

    def answer(self, request: Request) -> Response:
        """Find the dataset and the endpoint."""
        match (request.method, *_segments(request)):
            case ("GET", "api", "agent-harnesses"):
                return _json({"standardEnvVars": [], "harnesses": {}})
            case ("GET", "api", "whoami-v2"):
                role = "read" if self._token(request) in self.read_only else "write"
                access = {"type": "access_token", "accessToken": {"role": role}}
                return _json({"type": "user", "name": self._signed_in(request), "auth": access})
            case (_, "api", "datasets", owner, name, "discussions", *rest):
                return self._answer_discussions(request, f"{owner}/{name}", rest)
            case (_, "api", "datasets", owner, name, *rest):
                return self._answer_api(request, f"{owner}/{name}", rest)
            case ("GET" | "HEAD", "datasets", owner, name, "resolve", revision, *path):
                return self._resolve(request, f"{owner}/{name}", revision, "/".join(path))
        raise _refusal(404, "No such endpoint")

    def _answer_api(self, request: Request, name: str, rest: Sequence[str]) -> Response:
        dataset = self._open(request, name)
        if rest and rest[0] in _GATED:
            self._pass_gate(request, dataset)
        match (request.method, *rest):
            case ("GET",):
                return self._info(request, name, dataset, "HEAD")
            case ("GET", "revision", revision):
                return self._info(request, name, dataset, revision)
            case ("GET", "refs"):
                return _refs(dataset, pull_requests="include_prs" in request.args)
            case ("GET", "commits", revision):
                return self._commits(request, dataset, revision)
            case ("GET", "tree", revision, *path):
                return self._tree(request, dataset, revision, "/".join(path))
            case ("POST", "paths-info", revision):
                return _paths_info(request, dataset, _commit(dataset, revision))
        raise _refusal(404, "No such endpoint")

    # Who may see what.

    def _token(self, request: Request) -> str | None:
        """The token of a request, or None if it has none; an unknown one is refused everywhere."""
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or None
        if token is None or token in self.users or token in {d.token for d in self.datasets.values()}:
            return token
        raise _refusal(401, "Invalid credentials in Authorization header")

    def _signed_in(self, request: Request) -> str:
        """The account that a request comes from; one without a token is refused."""
        token = self._token(request)
        if token is None:
            raise _refusal(401, "Invalid username or password.")
        return self.users.get(token, "reader")

    def _open(self, request: Request, name: str) -> HubDataset:
        """A dataset that the request may know of."""
        token = self._token(request)
        dataset = self.datasets.get(name)
        if dataset is not None and dataset.renamed_to is not None:
            target = _raw_uri(request).replace(f"/datasets/{name}", f"/datasets/{dataset.renamed_to}", 1)
            raise HTTPException(response=Response(status=307, headers={"Location": target}))
        if dataset is None or (dataset.private and not dataset.admits(token)):
            # Without a token, missing and private look alike, and neither is a plain 404.
            raise _refusal(401 if token is None else 404, "Repository not found", "RepoNotFound")
        if dataset.disabled:
            raise _refusal(403, "Access to this resource is disabled.")
        return dataset

    def _pass_gate(self, request: Request, dataset: HubDataset) -> None:
        """Refuse a request for what a gated dataset holds, unless its token was let in."""
        token = self._token(request)
        if dataset.gated and not dataset.admits(token):
            raise _refusal(401 if token is None else 403, "Access to this dataset is restricted", "GatedRepo")

    # What a dataset holds.

    def _info(self, request: Request, name: str, dataset: HubDataset, revision: str) -> Response:
        sha = _commit(dataset, revision)
        files = [entry for entry in repos.tree(dataset.repo, sha) if entry.type == "file"]
        with_blobs = request.args.get("blobs") == "true"
        info = {
            "id": name,
            "author": name.split("/", maxsplit=1)[0],
            "sha": sha,
            "lastModified": _time(_last(dataset, sha).date),
            "private": dataset.private,
            "gated": dataset.gated,
            "disabled": dataset.disabled,
            "siblings": [_sibling(dataset, entry, with_blobs=with_blobs) for entry in files],
        }
        asked = request.args.getlist("expand")
        return _json({key: info[key] for key in ("id", *asked) if key in info} if asked else info)

    def _commits(self, request: Request, dataset: HubDataset, revision: str) -> Response:
        history = repos.log(dataset.repo, _commit(dataset, revision))
        page, link = self._page(request, history, key="p", size=_COMMITS_PER_PAGE)
        return _json([_commit_fields(commit) for commit in page], headers=link)

    def _tree(self, request: Request, dataset: HubDataset, revision: str, folder: str) -> Response:
        sha = _commit(dataset, revision)
        recursive = request.args.get("recursive") == "true"
        expand = request.args.get("expand") == "true"
        entries = _below(repos.tree(dataset.repo, sha), folder, recursive=recursive)
        size = _EXPANDED_ENTRIES_PER_PAGE if expand else _ENTRIES_PER_PAGE
        page, link = self._page(request, entries, key="cursor", size=size)
        at = sha if expand else None
        return _json([_entry_fields(dataset, entry, expand_at=at) for entry in page], headers=link)

    def _resolve(self, request: Request, name: str, revision: str, path: str) -> Response:
        dataset = self._open(request, name)
        self._pass_gate(request, dataset)
        sha = _commit(dataset, revision)
        headers = {"X-Repo-Commit": sha}
        files = {entry.path: entry for entry in repos.tree(dataset.repo, sha) if entry.type == "file"}
        if path not in files:
            raise _refusal(404, "Entry not found", "EntryNotFound", headers=headers)
        oid = files[path].oid
        if not dataset.is_lfs(path):
            return self.send_file(request, repos.blob(dataset.repo, oid), etag=oid, headers=headers)
        stored = repos.lfs_object(dataset.repo, oid)
        self.cdn.objects[stored.sha256] = partial(repos.blob, dataset.repo, oid)
        headers |= {
            "Location": f"{self.cdn.url}/{stored.sha256}",
            "X-Linked-Etag": f'"{stored.sha256}"',
            "X-Linked-Size": str(stored.size),
        }
        # The length of this answer's own text is not the file's: a client must not take it for that.
        return Response("Found. Redirecting", status=302, headers=headers)

    def _page(
        self, request: Request, items: Sequence[_T], *, key: str, size: int
    ) -> tuple[Sequence[_T], dict[str, str]]:
        """The items of the page that the query's `key` names, and the header that leads to the next."""
        size = self.page_size or request.args.get("limit", size, type=int)
        number = request.args.get(key, 0, type=int)
        end = (number + 1) * size
        if end >= len(items):
            return items[number * size :], {}
        others = [(name, value) for name, value in request.args.items(multi=True) if name != key]
        path = _raw_uri(request).partition("?")[0]
        url = f"{self.link_origin or self.url}{path}?{urlencode([*others, (key, number + 1)])}"
        return items[number * size : end], {self.link_header: f'<{url}>; rel="next"'}

    # Discussions.

    def _answer_discussions(self, request: Request, name: str, rest: Sequence[str]) -> Response:
        dataset = self._open(request, name)
        if not dataset.discussions_enabled:
            raise _refusal(403, "Discussions are disabled for this repo")
        match (request.method, *rest):
            case ("GET",):
                return self._list_discussions(request, name, dataset)
            case ("GET", num):
                return _json(_discussion_details(name, _find_discussion(dataset, num)))
            case ("POST", *_):
                account = self._signed_in(request)
                if self._token(request) in self.read_only:
                    raise _refusal(403, "This token has no permission to write discussions")
                body = request.get_json()
                if rest:
                    discussion = _find_discussion(dataset, rest[0])
                    return _change_discussion(discussion, name, account, rest[1:], body)
                return _open_discussion(dataset, account, body)
        raise _refusal(404, "No such endpoint")

    def _list_discussions(self, request: Request, name: str, dataset: HubDataset) -> Response:
        """A page of discussions, newest first; these pages are numbered and have no link."""
        kind, author, state = (request.args.get(key) for key in ("type", "author", "status"))
        found = [
            discussion
            for discussion in reversed(dataset.discussions)
            if kind in {None, "all", "pull_request" if discussion.pull_request else "discussion"}
            and author in {None, discussion.author}
            and state in {None, "all", "closed" if discussion.status == "merged" else discussion.status}
        ]
        size = self.page_size or _DISCUSSIONS_PER_PAGE
        start = request.args.get("p", 0, type=int) * size
        shown = [_discussion_fields(name, discussion) for discussion in found[start : start + size]]
        return _json({"discussions": shown, "count": len(found), "start": start})


def _segments(request: Request) -> list[str]:
    """The parts of the path, split before they are unquoted: `refs%2Fpr%2F1` is one revision."""
    path = _raw_uri(request).partition("?")[0]
    return [unquote(part) for part in path.strip("/").split("/")]


def _raw_uri(request: Request) -> str:
    """Path and query as the client sent them, nothing unquoted."""
    uri: str = request.environ["REQUEST_URI"]
    return uri


def _json(data: Any, *, code: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(json.dumps(data), status=code, mimetype="application/json", headers=headers)


def _refusal(
    code: int, message: str, error_code: str | None = None, *, headers: Mapping[str, str] | None = None
) -> HTTPException:
    """An error to raise; the client goes by its two headers, not by the status alone."""
    own = {"X-Error-Message": message} | ({} if error_code is None else {"X-Error-Code": error_code})
    return HTTPException(response=_json({"error": message}, code=code, headers={**own, **(headers or {})}))


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"


def _commit(dataset: HubDataset, revision: str) -> str:
    """The commit that a revision names; `HEAD`, which clients do send, is the default branch."""
    sha = repos.find_commit(dataset.repo, dataset.default_branch if revision == "HEAD" else revision)
    if sha is None:
        raise _refusal(404, "Invalid rev id", "RevisionNotFound")
    return sha


def _last(dataset: HubDataset, sha: str, path: str | None = None) -> repos.Commit:
    return repos.log(dataset.repo, sha, path=path, limit=1)[0]


def _below(entries: Sequence[repos.Entry], folder: str, *, recursive: bool) -> list[repos.Entry]:
    prefix = f"{folder}/" if folder else ""
    found = [entry for entry in entries if entry.path.startswith(prefix)]
    if folder and not found:
        raise _refusal(404, "Entry not found", "EntryNotFound")
    return [entry for entry in found if recursive or "/" not in entry.path.removeprefix(prefix)]


def _refs(dataset: HubDataset, *, pull_requests: bool) -> Response:
    kinds = {"branches": "refs/heads/", "converts": "refs/convert/", "tags": "refs/tags/"}
    if pull_requests:
        kinds["pullRequests"] = "refs/pr/"
    named = repos.refs(dataset.repo).items()
    return _json(
        {
            kind: [
                {"name": ref.removeprefix(prefix), "ref": ref, "targetCommit": sha}
                for ref, sha in named
                if ref.startswith(prefix)
            ]
            for kind, prefix in kinds.items()
        }
    )


def _paths_info(request: Request, dataset: HubDataset, sha: str) -> Response:
    """The entries asked for, in git's order; a path that is not there is left out in silence."""
    form: dict[str, Any] = {
        "paths": request.form.getlist("paths"),
        "expand": request.form.get("expand") == "true",
    }
    asked = request.get_json() if request.is_json else form
    entries = [entry for entry in repos.tree(dataset.repo, sha) if entry.path in asked["paths"]]
    at = sha if asked.get("expand") else None
    return _json([_entry_fields(dataset, entry, expand_at=at) for entry in entries])


def _commit_fields(commit: repos.Commit) -> dict[str, Any]:
    return {
        "id": commit.sha,
        "title": commit.title,
        "message": commit.message,
        "authors": [{"user": commit.author}],
        "date": _time(commit.date),
    }


def _entry_fields(dataset: HubDataset, entry: repos.Entry, *, expand_at: str | None) -> dict[str, Any]:
    """A line of a tree; with the last commit that touched it, of those up to `expand_at`."""
    fields: dict[str, Any] = {"type": entry.type, "oid": entry.oid, "size": entry.size, "path": entry.path}
    if entry.type == "file" and dataset.is_lfs(entry.path):
        stored = repos.lfs_object(dataset.repo, entry.oid)
        fields["oid"] = stored.blob_id
        fields["lfs"] = {"oid": stored.sha256, "size": stored.size, "pointerSize": len(stored.pointer)}
    if expand_at is not None:
        last = _last(dataset, expand_at, entry.path)
        fields["lastCommit"] = {"id": last.sha, "title": last.title, "date": _time(last.date)}
    return fields


def _sibling(dataset: HubDataset, entry: repos.Entry, *, with_blobs: bool) -> dict[str, Any]:
    if not with_blobs:
        return {"rfilename": entry.path}
    fields = _entry_fields(dataset, entry, expand_at=None)
    sibling = {"rfilename": entry.path, "size": entry.size, "blobId": fields["oid"]}
    if "lfs" in fields:
        sibling["lfs"] = fields["lfs"] | {"sha256": fields["lfs"]["oid"]}
    return sibling


def _find_discussion(dataset: HubDataset, num: str) -> Discussion:
    found = next((discussion for discussion in dataset.discussions if str(discussion.num) == num), None)
    if found is None:
        raise _refusal(404, "Discussion not found")
    return found


def _discussion_fields(name: str, discussion: Discussion) -> dict[str, Any]:
    return {
        "num": discussion.num,
        "title": discussion.title,
        "author": {"name": discussion.author},
        "status": discussion.status,
        "createdAt": discussion.events[0]["createdAt"],
        "isPullRequest": discussion.pull_request,
        "repo": {"name": name, "type": "dataset"},
    }


def _discussion_details(name: str, discussion: Discussion) -> dict[str, Any]:
    fields = _discussion_fields(name, discussion) | {"events": discussion.events}
    of_pull_requests = {"changes": {"base": "refs/heads/main"}, "filesWithConflicts": [], "diff": ""}
    return fields | (of_pull_requests if discussion.pull_request else {})


def _open_discussion(dataset: HubDataset, account: str, body: Mapping[str, Any]) -> Response:
    title, text = _text(body, "title", 3, 200), _text(body, "description")
    if body.keys() != {"title", "description", "pullRequest"} or body["pullRequest"] is not False:
        raise _refusal(400, "Only discussions are opened here")
    discussion = dataset.discuss(title, account, text)
    return _json({"num": discussion.num, "pullRequest": False})


def _change_discussion(
    discussion: Discussion, name: str, account: str, action: Sequence[str], body: Mapping[str, Any]
) -> Response:
    """Comment on a discussion, edit one's own comment, or open or close one's own discussion."""
    owner = name.split("/", maxsplit=1)[0]
    if discussion.locked and account != owner:
        raise _refusal(403, "This discussion is locked")
    match action:
        case ["comment"]:
            return _json({"newMessage": discussion.comment(account, _text(body, "comment"))})
        case ["comment", comment_id, "edit"]:
            event = discussion.find_comment(comment_id)
            if event is None:
                raise _refusal(404, "Comment not found")
            if event["author"]["name"] != account:
                raise _refusal(403, "Only its author may edit a comment")
            event["data"] |= {"edited": True, "latest": {"raw": _text(body, "content")}}
            return _json({"updatedComment": event})
        case ["status"]:
            if account not in {discussion.author, owner}:
                raise _refusal(403, "Only its author or the dataset's owner may close a discussion")
            wanted = body["status"]
            if wanted not in {"open", "closed"} or wanted == discussion.status:
                # That one cannot be closed twice is a guess.
                raise _refusal(400, f"The discussion is {discussion.status}")
            if "comment" in body:
                discussion.comment(account, _text(body, "comment"))
            return _json({"newStatus": discussion.change_status(account, wanted)})
    raise _refusal(404, "No such endpoint")


def _text(body: Mapping[str, Any], key: str, least: int = 1, most: int = _MOST_TEXT) -> str:
    """A text of a request, without the white space around it."""
    text = body.get(key)
    if not isinstance(text, str) or not least <= len(text.strip()) <= most:
        raise _refusal(400, f"{key} must be a text of {least} to {most} characters")
    return text.strip()
