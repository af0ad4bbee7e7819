"""What was read of a file, kept from run to run: its first rows, and its narrow rows.

An entry is called by a digest of all that it depends on: the file's blob, its name, the mapping, the checks
and the code itself. So no entry is ever wrong, only unused, and one that nobody has used for a while goes.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchaudit.errors import SettingsError

KEPT_DAYS = 60
"""Days after which an entry that was not used is removed."""


class Cache:
    """A folder of entries, of which each is a file. Losing any of them costs time and nothing else."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.folder = folder.resolve(strict=True)
        except OSError as error:
            raise SettingsError(
                f"cannot be used ({error.strerror})", where=f"cache {folder}", todo="name a folder"
            ) from None
        self._used: set[Path] = set()

    def find(self, name: str) -> Path | None:
        """Return the entry of this name, None where there is none."""
        path = self.folder / name
        try:
            os.utime(path)
        except OSError:
            return None
        self._used.add(path)
        return path

    def keep(self, name: str, write: Callable[[Path], object]) -> None:
        """Let `write` make an entry, which is there in full or not at all. A full disk is no error."""
        draft = self.folder / f"{name}.{os.getpid()}.draft"
        try:
            write(draft)
            draft.replace(self.folder / name)
            self._prune()
        except OSError:
            draft.unlink(missing_ok=True)

    def forget(self) -> None:
        """Remove the entries that were used: one of them is damaged."""
        for path in self._used:
            path.unlink(missing_ok=True)

    def _prune(self) -> None:
        oldest = time.time() - KEPT_DAYS * 86_400
        for path in self.folder.iterdir():
            if path.suffix in {".parquet", ".json", ".draft"} and path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)


def name_of(kind: str, parts: Sequence[Any]) -> str:
    """The name of what depends on these parts and on the code, without an ending."""
    told = json.dumps([code_digest(), *parts], sort_keys=True, default=str)
    return f"{kind}-{hashlib.sha256(told.encode(errors='surrogatepass')).hexdigest()[:40]}"


@lru_cache(maxsize=1)
def code_digest() -> str:
    """A digest of the code, any of which may decide what an entry holds, and of the engine's version.

    Narrow rows hold the engine's own hashes, which the next version may make otherwise.
    """
    digest = hashlib.sha256(version("duckdb").encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
