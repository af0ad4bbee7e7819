"""A plain file or a directory as a source with one revision: its content."""

from __future__ import annotations

import hashlib
from pathlib import Path

from benchaudit.errors import SettingsError, SourceError
from benchaudit.models import Blob, Refs, Revision, Snapshot
from benchaudit.sources.base import CARD, EVERYTHING, History, Selection, unreadable
from benchaudit.sources.card import layout_of


class FileSource:
    """Files as they are now. The revision's `sha` is a digest of the watched files' ids."""

    def __init__(self, path: Path, selection: Selection = EVERYTHING) -> None:
        # A folder may be given as the one that we are in, or above: that is no name.
        self.name = path.name if path.name not in {"", ".."} else path.resolve().name
        if not (path.is_file() or path.is_dir()):
            what = "is neither a file nor a directory" if path.exists() else "no such file or directory"
            near = f"a dataset on the Hub is written hf://datasets/{path}" if _may_be_dataset(path) else ""
            raise SourceError(what, where=str(path), todo=near or "check the path")
        if path.is_file() and selection != EVERYTHING:
            raise SettingsError(
                "files, subset and split choose among several files", where=str(path), todo="name the folder"
            )
        self._path, self._selection = path, selection
        self._root = path if path.is_dir() else path.parent

    @property
    def address(self) -> str:
        """The path of the file or directory."""
        return str(self._path.absolute())

    def refs(self) -> Refs:
        """Return the digest of the files as they are now."""
        return Refs(name=self.name, head=_revision(self._blobs()).sha)

    def history(self, since: str | None, limit: int) -> History:  # noqa: ARG002 - a file has one revision
        """Return the one revision there is."""
        head = _revision(self._blobs())
        return History(revisions=() if since == head.sha else (head,), found=since in {None, head.sha})

    def revision(self, name: str) -> Revision:
        """A file has no names for revisions but the content itself."""
        head = _revision(self._blobs())
        if name not in {"", head.sha}:
            raise SourceError(f"has no revision {name!r}", where=self.name, todo="only a git repository has")
        return head

    def base(self, limit: int) -> Revision | None:  # noqa: ARG002 - a file has one revision
        """Return nothing: a file has one revision."""
        return None

    def snapshot(self, revision: Revision) -> Snapshot:
        """Return the watched files, and what the card says that lies beside them."""
        return Snapshot(revision=revision, blobs=self._blobs(), layout=self._layout())

    def fetch(self, revision: Revision, blob: Blob) -> Path:  # noqa: ARG002 - a file has one revision
        """Return the file itself."""
        return self._root / blob.path

    def revision_url(self, sha: str) -> str:  # noqa: ARG002 - a file has no pages
        """Return nothing: a file on a disk has no page."""
        return ""

    def file_url(self, sha: str, path: str) -> str:  # noqa: ARG002 - a file has one revision
        """Return the path itself."""
        return str(self._root / path)

    def _layout(self) -> tuple[str, ...]:
        card = self._root / CARD
        if self._path == self._root and card.is_file():
            return layout_of(card.read_bytes().decode(errors="replace"))
        return ()

    def _blobs(self) -> tuple[Blob, ...]:
        tree = [
            Blob(path=path.relative_to(self._root).as_posix(), id="", size=path.stat().st_size)
            for path in self._files()
        ]
        chosen = (
            self._selection.of(tree, self._layout(), str(self._root)) if self._path == self._root else tree
        )
        return tuple(
            Blob(path=blob.path, id=blob_id(self._root / blob.path), size=blob.size) for blob in chosen
        )

    def _files(self) -> list[Path]:
        if self._path != self._root:
            return [self._path]
        named = self._selection.paths
        try:
            paths = [self._root / name for name in named] if named else list(self._root.rglob("*"))
            return [path for path in paths if path.is_file()]
        except OSError as error:
            raise SourceError(
                f"cannot be read ({error})", where=str(self._root), todo="name its files"
            ) from None


def _may_be_dataset(path: Path) -> bool:
    """Whether what was given has the form OWNER/NAME, and no file of that name is there."""
    return len(path.parts) == 2 and not path.is_absolute() and not path.suffix and not path.exists()


def blob_id(path: Path) -> str:
    """Git's id of a file's content, so that a file and its commit name the same bytes alike."""
    try:
        digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError as error:
        raise unreadable(path, error) from None
    return digest.hexdigest()


def _revision(blobs: tuple[Blob, ...]) -> Revision:
    names = "\n".join(f"{blob.path}\0{blob.id}" for blob in blobs)
    return Revision(sha=hashlib.sha256(names.encode(errors="surrogateescape")).hexdigest())
