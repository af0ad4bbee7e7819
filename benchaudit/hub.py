"""The one door to the Hugging Face Hub, through its own client.

It gives our nouns and raises our errors. A token goes to the configured endpoint and nowhere else:
the pages of a list are asked for there, whatever host the Hub's links name.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, quote, unquote, urlsplit

from huggingface_hub import (
    HfApi,
    constants,
    hf_hub_download,
    set_client_factory,
    try_to_load_from_cache,
)
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils import (  # type: ignore[attr-defined] # documented, not listed
    build_hf_headers,
    disable_progress_bars,
    get_session,
    hf_raise_for_status,
    validate_repo_id,
)
from huggingface_hub.utils._http import default_client_factory

from benchaudit.errors import (
    RevisionGone,
    SettingsError,
)
from benchaudit.hub_errors import in_our_words
from benchaudit.models import Blob, Refs, Revision
from benchaudit.pace import heed, patiently

TIMEOUT = 30.0
"""Seconds of silence after which the Hub is taken to be out of reach."""

T = TypeVar("T")


def _client() -> Any:
    """The library's own HTTP client, but that it does not wait for ever.

    It has no time limit of its own, and its retries of a download know no budget: an answer 429 is
    raised past them, to be waited for here.
    """
    try:
        client = default_client_factory()
    except Exception as error:
        # It reads the environment's proxies; what it cannot use is an error of one of many kinds.
        raise SettingsError(
            f"the proxies that the environment names cannot be used ({error})",
            todo="correct HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY; for socks:// install socksio",
        ) from None
    client.timeout = TIMEOUT
    client.event_hooks = {**client.event_hooks, "response": [heed]}
    return client


# Once, for all hubs and threads: to say it again closes the client that others use.
set_client_factory(_client)
# What moves on a terminal is ours, and with --quiet nothing does; a user's own word weighs more.
if constants.HF_HUB_DISABLE_PROGRESS_BARS is None:
    disable_progress_bars()


if "HF_HUB_DISABLE_XET" not in os.environ:
    # The other way to large files goes past this client: past its limit of time, its patience and its tokens'
    # rules. It tries for four minutes what cannot be reached, and ends in an error of no kind.
    constants.HF_HUB_DISABLE_XET = True


class Hub:
    """Datasets of one Hub. Every method raises a SourceError that says what, where and what to do.

    A name that no dataset can have is a SettingsError. `endpoint` is the Hub's address, by default what
    HF_ENDPOINT said when the program began.
    """

    def __init__(
        self, token: str = "", sleep: Callable[[float], None] = time.sleep, endpoint: str = ""
    ) -> None:
        self._token: str | bool = token or False
        self._api = HfApi(endpoint=endpoint or None, token=self._token, library_name="benchaudit")
        self._sleep = sleep

    @property
    def client(self) -> HfApi:
        """The library's own client, for rooms behind this door; its token is False where none is given."""
        return self._api

    @property
    def endpoint(self) -> str:
        """The address of the Hub, without a slash at the end."""
        return str(self._api.endpoint).rstrip("/")

    def refs(self, dataset: str, branch: str) -> Refs:
        """Return where a branch, tag, commit or pull request stands, in one call.

        The list of branches and tags says all at once, and where the Hub led there from an old name,
        the new one; what is no branch is asked for by itself, and comes without tags.
        """
        if re.match(r"refs/(?!heads/)|[0-9a-f]{40}$", branch):
            info = self._call(dataset, lambda: self._api.dataset_info(dataset, revision=branch))
            return Refs(name=str(info.id), head=str(info.sha))
        return self._call(dataset, lambda: self._refs(dataset, branch.removeprefix("refs/heads/") or "main"))

    def _refs(self, dataset: str, branch: str) -> Refs:
        validate_repo_id(dataset)
        response = get_session().get(
            f"{self.endpoint}/api/datasets/{dataset}/refs",
            headers=build_hf_headers(token=self._token, library_name="benchaudit"),
        )
        hf_raise_for_status(response)
        heads, tags = (
            {str(ref["name"]): str(ref["targetCommit"]) for ref in response.json()[kind]}
            for kind in ("branches", "tags")
        )
        if branch not in heads | tags:
            raise RevisionGone(
                "has no such revision", where=f"{dataset}@{branch}", todo="check the branch, tag or commit"
            )
        named = re.fullmatch(r".*/api/datasets/([^/]+/[^/]+)/refs", unquote(str(response.url.path)))
        return Refs(name=named[1] if named else dataset, head=(tags | heads)[branch], tags=tags)

    def commits(self, dataset: str, revision: str) -> Iterator[Revision]:
        """Yield commits, newest first, a page at a time and only as far as they are asked for."""
        address = f"{self.endpoint}/api/datasets/{dataset}/commits/{quote(revision, safe='')}"
        return self._pages(dataset, address, {}, _revision)

    def tree(self, dataset: str, sha: str, paths: list[str] | None) -> list[Blob]:
        """Return the files of a commit, or of `paths` those that are there."""
        if paths is None:
            address = f"{self.endpoint}/api/datasets/{dataset}/tree/{sha}"
            found = self._pages(dataset, address, {"recursive": "true"}, _blob, sha)
            return [blob for blob in found if blob is not None]

        def ask() -> list[Blob]:
            files: Any = self._api.get_paths_info(dataset, paths, repo_type="dataset", revision=sha)
            return [_file(entry) for entry in files if isinstance(entry, RepoFile)]

        return self._call(dataset, ask, sha)

    def _pages(
        self,
        dataset: str,
        address: str,
        query: dict[str, str],
        read: Callable[[dict[str, Any]], T],
        sha: str = "",
    ) -> Iterator[T]:
        """Yield what the entries of a list say, asking for a page when the one before it is used up."""
        asked: dict[str, str] | None = query
        while asked is not None:
            entries, asked = self._call(dataset, partial(self._page, address, asked, read), sha)
            yield from entries

    def _page(
        self, address: str, query: dict[str, str], read: Callable[[dict[str, Any]], T]
    ) -> tuple[list[T], dict[str, str] | None]:
        """One page and the query of the next: of the link to it, the host is not followed."""
        response = get_session().get(
            address, params=query, headers=build_hf_headers(token=self._token, library_name="benchaudit")
        )
        hf_raise_for_status(response)
        entries = [read(entry) for entry in response.json()]
        link = str(response.links.get("next", {}).get("url", ""))
        following = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
        # A page that names itself as the next one would never end.
        return entries, following if entries and following and following != query else None

    def download(self, dataset: str, sha: str, path: str) -> Path:
        """Return a local path to one file at one commit, downloaded if it is not there yet."""

        def ask() -> Path:
            local = hf_hub_download(
                dataset,
                path,
                repo_type="dataset",
                revision=sha,
                endpoint=self.endpoint,
                token=self._token,
                library_name="benchaudit",
            )
            # The cache links a snapshot's names to blobs; the engine is let in to the blob alone.
            return Path(local).resolve()

        return self._call(dataset, ask, sha, path)

    def ranges(self, dataset: str, sha: str, path: str) -> Callable[[int, int], bytes] | None:
        """Return a function that gives the bytes of a file from one offset up to another.

        None where the whole file is here already.
        """
        # It brings a library of file systems, which a run that finds nothing new has no use for.
        from huggingface_hub import HfFileSystem

        there = try_to_load_from_cache(dataset, path, repo_type="dataset", revision=sha)
        if isinstance(there, str):
            return None
        files = HfFileSystem(endpoint=self.endpoint, token=self._token, skip_instance_cache=True)

        def ask(start: int, end: int) -> bytes:
            with files.open(f"datasets/{dataset}@{sha}/{path}", "rb", cache_type="none") as file:
                file.seek(start)
                return bytes(file.read(end - start))

        return lambda start, end: self._call(dataset, partial(ask, start, end), sha, path)

    def _call(self, dataset: str, ask: Callable[[], T], sha: str = "", path: str = "") -> T:
        """Ask patiently, and speak of failure in our words."""
        where = f"{dataset}@{sha[:7]} {path}".strip() if sha else dataset
        return self.patiently(where, partial(self._ask, ask, where))

    def patiently(self, where: str, ask: Callable[[], T]) -> T:
        """Ask, and wait where the Hub says so and the budget allows; other errors pass as they are.

        What the Hub answers 429 it did not do: `ask` may write, if it is one request. Raises RateLimited.
        """
        return patiently(where, ask, self._sleep)

    def _ask(self, ask: Callable[[], T], where: str) -> T:
        with in_our_words(where, self.endpoint, signed_in=bool(self._token)):
            return ask()


def _revision(entry: dict[str, Any]) -> Revision:
    return Revision(
        sha=str(entry["id"]), committed_at=str(entry.get("date", "")), title=str(entry.get("title", ""))
    )


def _blob(entry: dict[str, Any]) -> Blob | None:
    """A line of a tree, None where it is a folder."""
    if entry["type"] != "file":
        return None
    return Blob(path=entry["path"], id=(entry.get("lfs") or entry)["oid"], size=entry["size"])


def _file(entry: RepoFile) -> Blob:
    return Blob(path=entry.path, id=entry.lfs.sha256 if entry.lfs else entry.blob_id, size=entry.size)
