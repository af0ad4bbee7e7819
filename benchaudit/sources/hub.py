"""A dataset on the Hub as a source; every file is read at a pinned commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from benchaudit.errors import RevisionGone, Unavailable
from benchaudit.hub import Hub
from benchaudit.models import Blob, Refs, Revision, Snapshot
from benchaudit.sources.base import CARD, History, Selection
from benchaudit.sources.card import layout_of


class HubSource:
    """Revisions of a dataset on the Hub; `branch` is the branch, tag or pull request that is watched."""

    def __init__(self, hub: Hub, dataset: str, branch: str, selection: Selection) -> None:
        self.name = dataset
        self._hub, self._branch, self._selection = hub, branch, selection
        self._layouts: dict[str, tuple[str, ...]] = {}
        self._newest = ""

    @property
    def address(self) -> str:
        """The dataset; which Hub it is on is for the environment to say."""
        return f"hf://datasets/{self.name}"

    def refs(self) -> Refs:
        """Return where the branch stands, in one call; a dataset that was renamed has its new name now."""
        refs = self._hub.refs(self.name, self._branch)
        self._newest = refs.head
        # The Hub redirects what is spelt in another case, too: that is no other name.
        if refs.name.casefold() != self.name.casefold():
            self.name = refs.name
        return replace(refs, name=self.name)

    def history(self, since: str | None, limit: int) -> History:
        """Return up to `limit` commits of the branch after `since`, reading pages only that far."""
        new: list[Revision] = []
        for commit in self._hub.commits(self.name, self._branch or "main"):
            if commit.sha == since:
                return _history(new, limit, found=True)
            new.append(commit)
            if since is None and len(new) == limit:
                break
        return _history(new, limit, found=since is None)

    def base(self, limit: int) -> Revision | None:
        """Return the newest commit of a pull request that the main branch has too."""
        if not self._branch.startswith("refs/pr/"):
            return None
        main = {commit.sha for commit in islice(self._hub.commits(self.name, "main"), limit)}
        commits = islice(self._hub.commits(self.name, self._branch), limit)
        return next((commit for commit in commits if commit.sha in main), None)

    def revision(self, name: str) -> Revision:
        """Return the commit that a branch, tag or object name stands for."""
        found = next(self._hub.commits(self.name, name or self._branch or "main"), None)
        if found is None:
            raise RevisionGone("has no commit", where=self.name, todo="check the branch, tag or commit")
        self._newest = found.sha
        return found

    def snapshot(self, revision: Revision) -> Snapshot:
        """Return the watched files of one commit and what its card says of them."""
        named = self._selection.paths
        paths = [CARD, *named] if named else None
        tree = self._hub.tree(self.name, revision.sha, paths)
        if revision.sha == self._newest and not {*(paths or ())} <= {CARD, *(blob.path for blob in tree)}:
            # The error about the newest revision names the files that there are; older ones are passed over.
            tree = self._hub.tree(self.name, revision.sha, None)
        card = next((blob for blob in tree if blob.path == CARD), None)
        if card is not None and card.id not in self._layouts:
            text = self._hub.download(self.name, revision.sha, CARD).read_bytes().decode(errors="replace")
            self._layouts[card.id] = layout_of(text)
        layout = self._layouts[card.id] if card else ()
        blobs = self._selection.of(tree, layout, f"{self.name}@{revision.sha[:7]}")
        return Snapshot(revision=revision, blobs=blobs, layout=layout)

    def fetch(self, revision: Revision, blob: Blob) -> Path:
        """Download a file at one commit."""
        path = self._hub.download(self.name, revision.sha, blob.path)
        if path.stat().st_size != blob.size:
            raise Unavailable(
                f"{path.stat().st_size:,} bytes came of {blob.size:,}",
                where=f"{self.name}@{revision.sha[:7]} {blob.path}",
                todo="run again",
            )
        return path

    def ranges(self, revision: Revision, blob: Blob) -> Callable[[int, int], bytes] | None:
        """Return a function that gives parts of a file at one commit; None where it is here as a whole."""
        ask = self._hub.ranges(self.name, revision.sha, blob.path)

        def part(start: int, end: int) -> bytes:
            content = ask(start, end) if ask else b""
            if len(content) != end - start:
                raise Unavailable(
                    f"{len(content):,} bytes came of {end - start:,}",
                    where=f"{self.name}@{revision.sha[:7]} {blob.path}",
                    todo="run again",
                )
            return content

        return part if ask else None

    def revision_url(self, sha: str) -> str:
        """Return the page of a commit, which shows what it changed."""
        return f"{self._hub.endpoint}/datasets/{self.name}/commit/{sha}"

    def file_url(self, sha: str, path: str) -> str:
        """Return where a file's bytes at one commit are to be had."""
        return f"{self._hub.endpoint}/datasets/{self.name}/resolve/{sha}/{quote(path)}"


def _history(newest_first: list[Revision], limit: int, *, found: bool) -> History:
    kept = newest_first[:limit]
    return History(revisions=tuple(reversed(kept)), skipped=len(newest_first) - len(kept), found=found)
