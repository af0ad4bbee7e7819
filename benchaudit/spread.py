"""A snapshot's files, read by many workers: each makes the very entries of a cache that a count here would.

Workers are given a description and open the source by themselves; no token goes along. What comes back
of a file are the bytes of its first rows, from all of which the mapping is found here, and then those of
its narrow rows. The count itself is the one of `counting`, which finds everything kept.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING

from benchaudit.cache import Cache, code_digest
from benchaudit.cluster import Crew
from benchaudit.errors import BenchauditError, SettingsError, SourceError, Unavailable
from benchaudit.models import ColumnMapping, Snapshot
from benchaudit.settings import Settings
from benchaudit.speech import detail

if TYPE_CHECKING:
    from benchaudit.counting import Counting

_LIBRARIES = ("duckdb", "pyarrow", "charset-normalizer")
"""Whose versions may decide what is read of a file."""

_ONE_AT_A_TIME = Lock()
"""The engine uses all cores and as much memory as one audit may: the threads of a worker take turns."""

Entries = Mapping[str, bytes]
"""The contents of entries of a cache by their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is equal for all files: where they are, how they are read, and by which code.

    Without a `mapping` it is the first rows that are wanted, with one the narrow rows.
    """

    address: str
    snapshot: Snapshot
    settings: Settings
    code: Mapping[str, str]
    trusting: bool = True
    mapping: ColumnMapping | None = None
    slicings: Sequence[tuple[str, ...]] = ()


@dataclass(slots=True, kw_only=True)
class Spread:
    """The workers of a cluster as the helpers of a count. `address` is what opens the source."""

    address: str
    snapshot: Snapshot
    settings: Settings
    _job: Job = field(init=False)

    def __post_init__(self) -> None:
        self._job = Job(
            address=self.address,
            snapshot=self.snapshot,
            settings=_without_tokens(self.settings),
            code=code_here(),
        )

    def fill(self, counting: Counting, cache: Cache, *, trusting: bool) -> None:
        """Let `cache` hold the first rows and the narrow rows of each file; a cluster reads what it lacks.

        Raises Refused, SourceError and MappingError as a count here would, SettingsError where the
        cluster cannot be used, and Unavailable where it fails.
        """
        job = replace(self._job, trusting=trusting)
        with closing(Crew(self.settings.scheduler, self.settings.hf_token)) as crew:
            numbers = range(len(self.snapshot.blobs))
            self._read(job, [n for n in numbers if counting.kept_head(cache, n) is None], crew, cache)
            found = counting.mapped_as_kept(cache)
            if found is None:
                # The disk is full: what could not be kept is read here.
                return
            mapping, slicings, lacking = found
            self._read(replace(job, mapping=mapping, slicings=slicings), sorted(lacking), crew, cache)

    def _read(self, job: Job, numbers: Sequence[int], crew: Crew, cache: Cache) -> None:
        """Have these files read, and keep what comes of them."""
        what = "the first rows" if job.mapping is None else "all rows"
        with closing(crew.each(read_part, job, numbers)) as results:
            for number, result in results:
                if isinstance(result, Exception):
                    raise result
                detail(f"{self.snapshot.blobs[number].path}: {what} read by {self.settings.scheduler}")
                for name, content in result.items():
                    _keep(cache, name, content)


def read_part(job: Job, number: int) -> Entries | Exception:
    """Read one file, on a worker. What reading it again would not change is returned as an error.

    Raises Unavailable where another try may find the source well.
    """
    try:
        if differing := [name for name, here in code_here().items() if job.code.get(name) != here]:
            return SettingsError(
                f"a worker has another {' and '.join(differing)} than this side",
                where="scheduler",
                todo="install the same versions everywhere",
            )
        with _ONE_AT_A_TIME, TemporaryDirectory(prefix="benchaudit-") as work:
            return _entries(job, number, Path(work).resolve())
    except Unavailable:
        raise
    except BenchauditError as error:
        return error


def _entries(job: Job, number: int, work: Path) -> Entries | Exception:
    from benchaudit.counting import Counting
    from benchaudit.reading.engine import Refused
    from benchaudit.sources import open_source

    own = Settings(hf_token=os.environ.get("HF_TOKEN", ""))
    source = open_source(job.address, own, work)
    counting = Counting(
        source=source,
        snapshot=job.snapshot,
        settings=job.settings,
        place=work,
        optional=(),
        rows_file=None,
        cache=None,
    )
    _check(job, number, counting)
    cache = Cache(work / "kept")
    try:
        names = counting.keep_part(number, cache, job.mapping, job.slicings, trusting=job.trusting)
    except Refused as refused:
        return refused
    return {name: (cache.folder / name).read_bytes() for name in names}


def _check(job: Job, number: int, counting: Counting) -> None:
    """Raise SourceError where a plain file on this machine is another than the one that was meant."""
    from benchaudit.sources.file import FileSource, blob_id

    blob = job.snapshot.blobs[number]
    if not isinstance(counting.source, FileSource):
        return
    path = counting.files.whole(number)
    if not path.is_file() or blob_id(path) != blob.id:
        what = "is another file on a worker than here" if path.is_file() else "is not there on a worker"
        raise SourceError(what, where=blob.path, todo="give a folder that every worker sees, or a dataset")


def _keep(cache: Cache, name: str, content: bytes) -> None:
    cache.keep(name, lambda path: path.write_bytes(content))


def _without_tokens(settings: Settings) -> Settings:
    """Settings without a token: a worker has its own."""
    return replace(settings, github_token="", upstream_token="", hf_token="")


def code_here() -> dict[str, str]:
    """What has to be equal on both sides for equal bytes."""
    own = {"benchaudit": code_digest(), "Python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    return own | {library: version(library) for library in _LIBRARIES}
