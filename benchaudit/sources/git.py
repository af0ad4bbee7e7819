"""A local clone of a dataset repository as a source, through the `git` command."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

from benchaudit.errors import RevisionGone, SourceError
from benchaudit.models import Blob, Refs, Revision, Snapshot
from benchaudit.sources.base import CARD, History, Selection
from benchaudit.sources.card import layout_of

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\noid sha256:([0-9a-f]{64})\nsize (\d+)\n"
)
_FORMAT = "%H%x00%cI%x00%s"
_ANOTHER = frozenset({"GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE", "GIT_NAMESPACE"})
"""What names another repository than the clone, as git does for the hooks that it runs."""

_OUR_WAY = ("-c", "core.quotePath=false", "-c", "log.showSignature=false")
"""Settings of people that would change what is read here."""


class GitSource:
    """Revisions of a clone; `branch` is the one that is watched."""

    def __init__(self, clone: Path, branch: str, selection: Selection, work: Path, name: str = "") -> None:
        self.name = name or clone.resolve().name.removesuffix(".git")
        self._clone, self._branch, self._selection, self._work = clone, branch or "HEAD", selection, work
        self._layouts: dict[str, tuple[str, ...]] = {}
        self._git("rev-parse", "--git-dir")

    @property
    def address(self) -> str:
        """The path of the clone."""
        return str(self._clone.absolute())

    def refs(self) -> Refs:
        """Return where the branch stands, and the tags with the commits they stand for."""
        form = (
            "--format=%(refname:short)%00%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"
        )
        lines = _lines(self._git("for-each-ref", form, "refs/tags"))
        tags = dict(line.split("\0", 1) for line in lines)
        return Refs(name=self.name, head=self._resolve(self._branch), tags=tags)

    def history(self, since: str | None, limit: int) -> History:
        """Return up to `limit` commits of the branch after `since`, oldest first."""
        log = self._git("log", "--first-parent", f"--format={_FORMAT}", self._branch, "--")
        newest_first = [_revision(line) for line in _lines(log)]
        shas = [revision.sha for revision in newest_first]
        found = since is None or since in shas
        new = newest_first[: shas.index(since)] if since in shas else newest_first
        return History(
            revisions=tuple(reversed(new[:limit])),
            skipped=max(0, len(new) - limit),
            found=found,
            cut=not found and self._git("rev-parse", "--is-shallow-repository").strip() == "true",
        )

    def revision(self, name: str) -> Revision:
        """Return the commit that a branch, tag or object name stands for."""
        sha = self._resolve(name or self._branch)
        return _revision(_lines(self._git("show", "--no-patch", f"--format={_FORMAT}", sha))[0])

    def base(self, limit: int) -> Revision | None:  # noqa: ARG002 - a clone has no pull requests
        """Return nothing: a clone has no pull requests."""
        return None

    def snapshot(self, revision: Revision) -> Snapshot:
        """Return the watched files of one commit and what its card says of them."""
        where = f"{self.name}@{revision.sha[:7]}"
        tree = self._tree(revision.sha)
        card = next((blob for blob in tree if blob.path == CARD), None)
        if card is not None and card.id not in self._layouts:
            self._layouts[card.id] = layout_of(self._bytes(card.id).decode(errors="replace"))
        layout = self._layouts[card.id] if card else ()
        return Snapshot(revision=revision, blobs=self._selection.of(tree, layout, where), layout=layout)

    def fetch(self, revision: Revision, blob: Blob) -> Path:
        """Write the bytes of a file to the working directory; an LFS object is taken from the clone."""
        target = self._work / f"{blob.id}.blob"
        if not target.exists():
            content = self._bytes(self._resolve(f"{revision.sha}:{blob.path}"))
            pointer = _POINTER.fullmatch(content)
            if pointer:
                oid = pointer[1].decode()
                local = Path(self._git("rev-parse", "--git-common-dir").strip())
                stored = self._clone / local / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
                if stored.is_file():
                    return stored
            target.write_bytes(content)
        return target

    def revision_url(self, sha: str) -> str:  # noqa: ARG002 - a clone has no pages
        """Return nothing: a clone has no pages."""
        return ""

    def file_url(self, sha: str, path: str) -> str:
        """Return how git names the file at that commit."""
        return f"git:{self._clone.resolve()}:{sha}:{path}"

    def _tree(self, sha: str) -> list[Blob]:
        listing = self._git("ls-tree", "-r", "-l", "-z", "--full-tree", sha)
        blobs = []
        for entry in listing.split("\0"):
            meta, _, path = entry.partition("\t")
            if path and meta.split()[1] == "blob":
                _, _, oid, size = meta.split()
                # The size of an object that is lost is BAD: whoever reads it hears more from git.
                blobs.append(Blob(path=path, id=oid, size=int(size) if size.isdigit() else 0))
        return blobs

    def _resolve(self, name: str) -> str:
        try:
            kind = "" if ":" in name else "^{commit}"
            return self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}{kind}").strip()
        except SourceError:
            raise RevisionGone(
                f"has no revision {name!r}", where=self.name, todo="check the branch, tag or commit"
            ) from None

    def _git(self, *arguments: str) -> str:
        return self._run(*arguments).decode(errors="surrogateescape")

    def _bytes(self, oid: str) -> bytes:
        return self._run("cat-file", "blob", oid)

    def _run(self, *arguments: str) -> bytes:
        try:
            done = subprocess.run(
                ["git", "-C", str(self._clone), *_OUR_WAY, *arguments],
                capture_output=True,
                check=True,
                env={name: value for name, value in os.environ.items() if name not in _ANOTHER},
            )
        except FileNotFoundError:
            raise SourceError("git is not installed", todo="install git, or name a file") from None
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed"
            raise _refusal(said, self._clone) from None
        return done.stdout


def _refusal(said: str, clone: Path) -> SourceError:
    """What git says, and what to do about it."""
    if "dubious ownership" in said:
        # As in a container, where the workspace belongs to the user of the host.
        return SourceError(
            "belongs to another user, which git does not trust",
            where=str(clone),
            todo=f"git config --global --add safe.directory {shlex.quote(str(clone.absolute()))}",
        )
    return SourceError(said, where=str(clone), todo="check that it is a git repository")


def _lines(text: str) -> list[str]:
    """The lines of what git says: a title may hold other marks that end a line to Python."""
    return text.removesuffix("\n").split("\n") if text else []


def _revision(line: str) -> Revision:
    sha, committed_at, title = line.split("\0", 2)
    # For the same time of the same commit git writes `+00:00` up to 2.44, and `Z` from then on.
    return Revision(sha=sha, committed_at=re.sub("Z$", "+00:00", committed_at), title=title)
