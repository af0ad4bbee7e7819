"""The part of a report issue that belongs to people: what stands between its markers is kept. Pure."""

from __future__ import annotations

from benchaudit.parts import part_of, with_part

_NAME = "notes"
_EMPTY = "*Notes: what people write between the two invisible markers here is kept.*"


def notes_of(body: str) -> str:
    """What people wrote in a body; "" where the markers are not there, or not in order."""
    return part_of(body, _NAME)


def with_notes(body: str, notes: str) -> str:
    """A body with these notes in its own part; it gets one at its end where it has none."""
    return with_part(body, _NAME, notes or _EMPTY)
