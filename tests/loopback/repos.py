"""Git repositories of datasets: `DatasetRepo` writes one, the functions read any, bare or not.

Everything goes through the `git` command, cut off from the configuration of whoever runs the tests,
so that a commit has the same id everywhere. What an id names never changes, so it is read once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, Self

FIRST_COMMIT = datetime(2026, 1, 1, tzinfo=UTC)
"""When the first commit of every `DatasetRepo` was made; each further one is a minute later."""

_AUTHOR = "Dataset Author <author@example.invalid>"

# What a clone keeps of its origin, or a stash, is no part of what the Hub would serve.
_BRANCHES = ("refs/heads", "refs/pr", "refs/convert")
_SERVED = (*_BRANCHES, "refs/tags")


def git(repo: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """The standard output of `git` run in `repo`.

    Raises `subprocess.CalledProcessError` if git fails; its message is on standard error.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        # A folder that is no repository fails, it is not looked up in the folders around it.
        "GIT_CEILING_DIRECTORIES": str(repo.parent),
    }
    command = ["git", "-C", str(repo), *arguments]
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, env=environment, check=True).stdout


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit; `title` is the first line of its message and `message` what follows it."""

    sha: str
    author: str
    date: datetime
    title: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file or folder of a commit: path from the root, git's id, size in bytes (0 for a folder)."""

    path: str
    type: Literal["file", "directory"]
    oid: str
    size: int


def refs(repo: Path) -> dict[str, str]:
    """Full name of every branch, tag, pull request and conversion, and the commit that it names."""
    # An annotated tag is an object of its own; `*objectname` is then the commit behind it.
    form = "--format=%(refname) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"
    lines = _listed(repo, _written(repo), form, *_SERVED).splitlines()
    return dict(line.rsplit(" ", 1) for line in lines)


@lru_cache(maxsize=256)
def _listed(repo: Path, written: tuple[tuple[str, bytes], ...], *arguments: str) -> str:
    """What git lists of refs that are written so: every request asks, and few have changed anything."""
    return git(repo, "for-each-ref", *arguments).decode()


def _written(repo: Path) -> tuple[tuple[str, bytes], ...]:
    """The files that refs are kept in, each with its content."""
    home = repo / ".git" if (repo / ".git").is_dir() else repo
    names = [f"{folder}/{name}" for folder, _, files in os.walk(home / "refs") for name in files]
    written = []
    for name in (f"{home}/packed-refs", *names):
        with contextlib.suppress(FileNotFoundError), open(name, "rb") as file:  # noqa: PTH123 - this is often
            written.append((name, file.read()))
    return tuple(written)


@cache
def _reachable(repo: Path, tips: tuple[str, ...]) -> tuple[str, ...]:
    """Every commit that leads to one of these."""
    return tuple(git(repo, "rev-list", *tips).decode().split())


def find_commit(repo: Path, revision: str) -> str | None:
    """The commit that a branch, tag, full ref name, or full or short id names, as the Hub has it.

    No other spelling of git's (`main~1`, `@`) counts, nor does a commit that only history
    rewritten since then led to, although git still holds its objects.
    """
    named = refs(repo)
    for ref in (f"refs/heads/{revision}", f"refs/tags/{revision}", revision):
        if ref in named:
            return named[ref]
    if not re.fullmatch("[0-9a-f]{7,40}", revision) or not named:
        return None
    tips = tuple(sorted(set(named.values())))
    matches = [sha for sha in _reachable(repo, tips) if sha.startswith(revision)]
    return matches[0] if len(matches) == 1 else None


def log(repo: Path, sha: str, *, path: str | None = None, limit: int | None = None) -> list[Commit]:
    """Commits that lead to `sha`, newest first: those that touch `path`, at most `limit` of them."""
    return list(_log(repo, sha, path, limit))


@cache
def _log(repo: Path, sha: str, path: str | None, limit: int | None) -> tuple[Commit, ...]:
    count = [] if limit is None else [f"--max-count={limit}"]
    paths = [] if path is None else [path]
    form = "--format=%H%n%an%n%ct%n%s%n%b"
    output = git(repo, "--literal-pathspecs", "log", "-z", form, *count, sha, "--", *paths).decode()
    return tuple(_commit(record) for record in output.split("\0") if record)


def _commit(record: str) -> Commit:
    sha, author, seconds, title, message = record.split("\n", 4)
    date = datetime.fromtimestamp(int(seconds), UTC)
    return Commit(sha=sha, author=author, date=date, title=title, message=message.strip())


@cache
def tree(repo: Path, sha: str) -> tuple[Entry, ...]:
    """Every folder and file of a commit, each folder before what it holds, in git's order."""
    records = git(repo, "ls-tree", "-r", "-t", "-l", "-z", sha).decode().split("\0")
    entries = []
    for record in filter(None, records):
        facts, path = record.split("\t", 1)
        _, kind, oid, size = facts.split()
        if kind == "blob":
            entries.append(Entry(path=path, type="file", oid=oid, size=int(size)))
        elif kind == "tree":
            entries.append(Entry(path=path, type="directory", oid=oid, size=0))
    return tuple(entries)


@lru_cache(maxsize=32)
def blob(repo: Path, oid: str) -> bytes:
    """The content that git keeps under this id."""
    return git(repo, "cat-file", "blob", oid)


@dataclass(frozen=True, slots=True, kw_only=True)
class LfsObject:
    """A file in LFS: git would hold its `pointer`, and another server its `size` bytes."""

    sha256: str
    size: int
    pointer: bytes

    @property
    def blob_id(self) -> str:
        """The id that git gives the pointer."""
        return hashlib.sha1(b"blob %d\0%b" % (len(self.pointer), self.pointer)).hexdigest()


@cache
def lfs_object(repo: Path, oid: str) -> LfsObject:
    """What LFS would make of a file that `repo` keeps in git under this id."""
    content = blob(repo, oid)
    sha256 = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {len(content)}\n"
    return LfsObject(sha256=sha256, size=len(content), pointer=pointer.encode())


@dataclass(frozen=True, slots=True)
class DatasetRepo:
    """A bare repository whose commits are the same, id by id, wherever and whenever it is made.

        repo = DatasetRepo.create(tmp_path / "dataset.git")
        first = repo.commit("Upload", {"data/test.csv": b"...", "old.csv": b"..."})
        second = repo.commit("Tidy", {"old.csv": None})

    A branch is given by its short name, or in full where it is none: `refs/pr/1`.
    """

    path: Path
    default_branch: str = "main"

    @classmethod
    def create(cls, path: Path, default_branch: str = "main") -> Self:
        """An empty repository in a new folder."""
        path.mkdir(parents=True)
        git(path, "init", "--quiet", "--bare", f"--initial-branch={default_branch}")
        return cls(path, default_branch)

    @property
    def head(self) -> str:
        """The id of the last commit of the default branch; `KeyError` before the first one."""
        return refs(self.path)[_full_name(self.default_branch)]

    def commit(
        self, title: str, files: Mapping[str, bytes | None], *, message: str = "", branch: str | None = None
    ) -> str:
        """Put files, by their path, on a branch (None removes one) and give the commit's id.

        A branch that is not there yet begins a history of its own, as `refs/convert/parquet` has.
        """
        ref = _full_name(branch or self.default_branch)
        parent = [f"from {ref}^0"] if ref in refs(self.path) else []
        changes = [line for path, content in files.items() for line in _change(path, content)]
        return self._write(ref, f"{title}\n\n{message}".strip(), *parent, *changes)

    def squash(self, title: str, branch: str | None = None) -> str:
        """Replace the history of a branch by one commit with the same files, and give its id."""
        ref = _full_name(branch or self.default_branch)
        files = git(self.path, "rev-parse", f"{ref}^{{tree}}").decode().strip()
        return self._write(ref, title, f'M 040000 {files} ""')

    def branch(self, name: str, revision: str | None = None) -> None:
        """Begin a branch, or move it, to a commit: the head if none is given."""
        git(self.path, "update-ref", _full_name(name), revision or self.head)

    def tag(self, name: str, revision: str | None = None, *, message: str | None = None) -> None:
        """Tag a commit, the head if none is given; with a message the tag is an annotated one."""
        target = revision or self.head
        if message is None:
            git(self.path, "update-ref", f"refs/tags/{name}", target)
        else:
            self._import(f"tag {name}", f"from {target}", f"tagger {self._stamp()}", _data(message.encode()))

    def clone(self, path: Path) -> Path:
        """Make a clone with a working tree in a new folder, and give that folder."""
        path.mkdir(parents=True)
        git(path, "clone", "--quiet", str(self.path), ".")
        return path

    def _write(self, ref: str, message: str, *changes: str | bytes) -> str:
        stamp = self._stamp()
        head = (f"commit {ref}", "mark :1", f"author {stamp}", f"committer {stamp}", _data(message.encode()))
        return self._import(*head, *changes, "get-mark :1").decode().strip()

    def _import(self, *lines: str | bytes) -> bytes:
        """Run fast-import: no working tree, any ref, and one process for a commit of many files."""
        stream = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
        return git(self.path, "fast-import", "--quiet", "--force", stdin=stream)

    def _stamp(self) -> str:
        """Who and when: a minute after the newest commit of any branch."""
        newest = ("--sort=-committerdate", "--count=1", "--format=%(committerdate:unix)")
        seconds = _listed(self.path, _written(self.path), *newest, *_BRANCHES).strip()
        moment = int(seconds) + 60 if seconds else int(FIRST_COMMIT.timestamp())
        return f"{_AUTHOR} {moment} +0000"


def _full_name(branch: str) -> str:
    return branch if branch.startswith("refs/") else f"refs/heads/{branch}"


def _data(content: bytes) -> bytes:
    return b"data %d\n%b" % (len(content), content)


def _change(path: str, content: bytes | None) -> tuple[str | bytes, ...]:
    quoted = '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return (f"D {quoted}",) if content is None else (f"M 100644 inline {quoted}", _data(content))
