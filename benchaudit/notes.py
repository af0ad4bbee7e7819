"""The part of a report issue that belongs to people: what stands between its markers is kept. Pure."""

from __future__ import annotations

import re

OPEN = "<!-- benchaudit:notes -->"
CLOSE = "<!-- /benchaudit:notes -->"
_EMPTY = "*Notes: what people write between the two invisible markers here is kept.*"


def notes_of(body: str) -> str:
    """What people wrote in a body; "" where the markers are not there, or not in order."""
    place = _inside(body)
    return body[place].strip() if place else ""


def with_notes(body: str, notes: str) -> str:
    """A body with these notes in its own part; it gets one at its end where it has none."""
    inside = f"\n\n{notes or _EMPTY}\n\n"
    place = _inside(body)
    if place is None:
        return f"{body.rstrip()}\n\n{OPEN}{inside}{CLOSE}\n"
    return body[: place.start] + inside + body[place.stop :]


def _inside(body: str) -> slice | None:
    """Between the first line that is the opening marker and the last that is the closing one.

    Lines are taken as they stand, whatever a fence around them says: one that people left open must
    not cost them their text. Nothing of a dataset ever makes a line of its own in a body.
    """
    lines = list(re.finditer(r"[^\r\n]+", body))
    opening = [line.end() for line in lines if line[0].strip() == OPEN]
    closing = [line.start() for line in lines if line[0].strip() == CLOSE]
    if not (opening and closing) or closing[-1] < opening[0]:
        return None
    return slice(opening[0], closing[-1])
