"""Sample rows: which rows of a slice bear a leak out, by id, and on request with their text.

Ids come from the narrow rows that an audit left behind; text is read again from the files, for the
few rows that are shown.
"""

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
