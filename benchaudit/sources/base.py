"""What every source offers: revisions, what is in one, and the bytes of a file at one revision."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol, runtime_checkable

from benchaudit.errors import NothingWatched, SourceError
from benchaudit.models import Blob, Refs, Revision, Snapshot
from benchaudit.sources.card import labels_of

CARD = "README.md"
DATA_ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow")
ABOUT_DATA = frozenset(
    {"config.json", "dataset_dict.json", "dataset_info.json", "dataset_infos.json", "state.json"}
)
"""What the library `datasets` writes beside data, and does not take for data; who means it names it."""

_PACKED = re.compile(r"\.(gz|zst)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """New commits, oldest first. `skipped` older ones were left out by the limit on catching up.

    `found` says whether the revision that was asked to begin after is still in the history, and `cut`
    that it may be in a part of the history that this source has not.
    """

    revisions: tuple[Revision, ...]
    skipped: int = 0
    found: bool = True
    cut: bool = False


class Source(Protocol):
    """A dataset that has revisions. `name` is what reports call it, and the key of its issue."""

    name: str

    @property
    def address(self) -> str:
        """What `open_source` opens it by from anywhere that it can be seen from."""

    def refs(self) -> Refs:
        """Return where the dataset stands, in one call; `name` is what it is called from then on."""

    def history(self, since: str | None, limit: int) -> History:
        """Return up to `limit` revisions after `since`, the newest ones where there are more."""

    def base(self, limit: int) -> Revision | None:
        """Return the revision that a pull request departs from, None where none is watched.

        At most `limit` revisions of either side are looked at.
        """

    def snapshot(self, revision: Revision) -> Snapshot:
        """Return what is watched at one revision. Raises NothingWatched where nothing is."""

    def revision(self, name: str) -> Revision:
        """Return the revision that a branch, tag or object name stands for."""

    def fetch(self, revision: Revision, blob: Blob) -> Path:
        """Return a local path to the bytes of one file at one revision."""

    def revision_url(self, sha: str) -> str:
        """Return a page that shows this revision for ever; "" where there is none."""

    def file_url(self, sha: str, path: str) -> str:
        """Return where the bytes of a file at one revision can be had for ever; "" where nowhere."""


@runtime_checkable
class Ranged(Protocol):
    """A source that can give parts of a file."""

    def ranges(self, revision: Revision, blob: Blob) -> Callable[[int, int], bytes] | None:
        """Return what gives the bytes from one offset up to another; None where the whole file is here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which files of a revision are audited: those that `patterns` name, without any the data files.

    Of these, with `config` and `split`, the ones that belong there; "" stands for any.
    """

    patterns: tuple[str, ...] = ()
    config: str = ""
    split: str = ""

    @property
    def paths(self) -> tuple[str, ...] | None:
        """The files by name, where every pattern names one file and no more; else None."""
        literal = self.patterns and not any(set("*?[") & set(pattern) for pattern in self.patterns)
        return self.patterns if literal else None

    def of(self, tree: Iterable[Blob], layout: Sequence[str], where: str) -> tuple[Blob, ...]:
        """The selected files of a tree, sorted by path. `layout` is what the card says.

        Raises NothingWatched where a pattern names nothing, or nothing belongs to the config and split.
        """
        found = self._matching(sorted(tree, key=lambda blob: blob.path), where)
        wanted = {name: value for name, value in (("@config", self.config), ("@split", self.split)) if value}
        labels = {blob.path: labels_of(blob.path, layout) for blob in found} if wanted else {}
        chosen = tuple(
            blob for blob in found if all(labels[blob.path][name] == value for name, value in wanted.items())
        )
        if not chosen:
            there = {f"{label['@config'] or '?'}/{label['@split'] or '?'}" for label in labels.values()}
            raise NothingWatched(
                f"has no file of subset {self.config or 'any'!r}, split {self.split or 'any'!r}",
                where=where,
                todo=f"there are (subset/split): {', '.join(sorted(there))[:300]}",
            )
        for blob in chosen:
            if any("\udc80" <= character <= "\udcff" for character in blob.path):
                raise SourceError("has a file whose name is not UTF-8", where=where, todo="rename it")
        return chosen

    def _matching(self, files: Sequence[Blob], where: str) -> tuple[Blob, ...]:
        if not self.patterns:
            found = tuple(blob for blob in files if _is_data(blob.path))
            if not found:
                raise NothingWatched("holds no data file", where=where, todo="name one with --files")
            return found
        for pattern in self.patterns:
            if not any(_matches(blob.path, pattern) for blob in files):
                near = ", ".join(blob.path for blob in files if _is_data(blob.path))[:300]
                raise NothingWatched(
                    f"has no file {pattern!r}", where=where, todo=f"its data files are: {near or 'none'}"
                )
        return tuple(blob for blob in files if any(_matches(blob.path, pattern) for pattern in self.patterns))


EVERYTHING = Selection()
"""Every data file."""


def unreadable(path: Path, error: OSError) -> SourceError:
    """The error for a path that the system does not let us read."""
    todo = "let this user read it" if isinstance(error, PermissionError) else "check the path and the disk"
    return SourceError(f"cannot be read ({error.strerror})", where=str(path), todo=todo)


def _matches(path: str, pattern: str) -> bool:
    return path == pattern or fnmatchcase(path, pattern)


def _is_data(path: str) -> bool:
    parts = path.split("/")
    passed = parts[-1] in ABOUT_DATA or any(part.startswith(".") for part in parts)
    return not passed and _PACKED.sub("", path.lower()).endswith(DATA_ENDINGS)
