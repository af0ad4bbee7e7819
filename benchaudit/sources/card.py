"""The dataset card: what its YAML says of configs and splits. Its prose says nothing to us."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

_MOST_BYTES = 1 << 20
_MOST_NODES = 20_000


def layout_of(card: str) -> tuple[str, ...]:
    """A line for each split and its files, and a digest of `dataset_info`. Broken YAML says nothing."""
    header = _front_matter(card)
    configs, info = header.get("configs"), header.get("dataset_info")
    lines = [line for config in _list(configs) for line in _config_lines(config)]
    if info is not None:
        digest = hashlib.sha256(json.dumps(info, sort_keys=True, default=str).encode()).hexdigest()
        lines.append(f"dataset_info {digest[:12]}")
    return tuple(sorted(lines))


_SPLITS = {
    "train": ("train", "training"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "testing", "eval", "evaluation"),
}
"""Words in a path that name a split, as the Hub reads them where the card says nothing."""


def labels_of(path: str, layout: Sequence[str]) -> dict[str, str | None]:
    """The config and the split of a file, as the card's YAML has it, else as its path says; else None."""
    for line in layout:
        names, _, pattern = line.partition(": ")
        config, slash, split = names.rpartition("/")
        if slash and (path == pattern or fnmatchcase(path, pattern)):
            return {"@config": config, "@split": split or _split_of(path)}
    return {"@config": None, "@split": _split_of(path)}


def _split_of(path: str) -> str | None:
    words = re.split(r"[^a-z]+", path.lower())
    found = [split for split, names in _SPLITS.items() if not set(names).isdisjoint(words)]
    return found[0] if len(found) == 1 else None


def _config_lines(config: Any) -> list[str]:
    if not isinstance(config, dict):
        return []
    name, files = config.get("config_name", "default"), config.get("data_files")
    place = str(config.get("data_dir") or "").removeprefix("./").strip("/")
    within = f"{place}/" if place else ""
    if files is None:
        # Which split a file of a directory is, its path says.
        return [f"{name}/: {within}*"] if within else []
    return [
        f"{name}/{entry.get('split', 'train')}: {within}{path}"
        for entry in (file if isinstance(file, dict) else {"path": file} for file in _list(files))
        for path in _list(entry.get("path"))
    ]


def _front_matter(card: str) -> dict[str, Any]:
    if not card.startswith("---") or len(card) > _MOST_BYTES:
        return {}
    import yaml  # for cards alone: a file on disk has none

    text = card[3:].split("\n---", 1)[0]
    try:
        header = yaml.safe_load(text)
        _count(header, [_MOST_NODES])
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}


def _count(value: Any, left: list[int]) -> None:
    """Walk what the YAML stands for: aliases can make a few lines stand for billions."""
    left[0] -= 1
    if left[0] < 0:
        raise ValueError("too large")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _count(item, left)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
