"""Rows that bear a leak out: the noun that `sampling` fills and pages show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchaudit.models import SliceKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A row by the name that reports give it; with its text, `gold` is the place of gold in `options`."""

    name: str
    question: str = ""
    options: tuple[str, ...] = ()
    gold: int = -1


Samples = Mapping[tuple[SliceKey, str], tuple[Sample, ...]]
"""Sample rows by slice and check."""
