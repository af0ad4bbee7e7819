"""Shares of the datasets of a config file, for workflows that fan out. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeVar

MOST_JOBS = 256
"""Jobs that a matrix of GitHub Actions may have."""

T = TypeVar("T")


def share_of(entries: Sequence[T], shard: str) -> list[T]:
    """The entries of one share, written `3/12`: every twelfth from the third on; all where it is ""."""
    if not shard:
        return list(entries)
    number, of = map(int, shard.split("/"))
    return list(entries[number - 1 :: of])


def read_shard(text: str) -> str:
    """The text of a share, checked. Raises ValueError where it is none."""
    found = re.fullmatch(r"([1-9]\d{0,4})/([1-9]\d{0,4})", text.strip())
    if not found or int(found[1]) > int(found[2]):
        raise ValueError("must be a share such as 3/12")
    return found[0]


def matrix(names: Sequence[str], most: int) -> dict[str, Any]:
    """The matrix of a workflow that fans out over datasets: at most so many jobs, their shares even.

    Each job has its share for the setting `shard` and a name: its dataset, or the first and how many more.
    """
    jobs = min(len(names), most)
    shards = [f"{number}/{jobs}" for number in range(1, jobs + 1)]
    return {"include": [{"shard": shard, "name": _called(share_of(names, shard))} for shard in shards]}


def _called(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
