"""What many tests use: the folder of real data, and an audit of one file in one call."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from benchaudit.audit import audit_snapshot
from benchaudit.markdown import comment_places
from benchaudit.settings import settle
from benchaudit.sources.base import Selection
from benchaudit.sources.file import FileSource
from benchaudit.verdict import Audit

SHARED = Path(__file__).resolve().parents[2] / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside this checkout")


def shared_json(*parts: str) -> Any:
    """A JSON file of the shared data."""
    return json.loads(SHARED.joinpath(*parts).read_text(encoding="utf-8"))


def audit_path(path: Path, say: Callable[[str], None] = lambda _: None, **given: str) -> Audit:
    """Audit a file or directory as `benchaudit audit` would; settings are given as texts, `_` for `-`."""
    layer = {name.replace("_", "-"): (text, f"--{name}") for name, text in given.items()}
    settings = settle([layer])
    selection = Selection(patterns=settings.files, config=settings.subset, split=settings.split)
    source = FileSource(path, selection)
    with TemporaryDirectory() as work:
        snapshot = source.snapshot(source.revision(""))
        return audit_snapshot(source, snapshot, settings, Path(work).resolve(), say).audit


def comments(markdown: str) -> list[str]:
    """The HTML comments that stand as blocks of their own."""
    return [markdown[place].strip() for place in comment_places(markdown)]
