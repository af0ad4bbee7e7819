"""Parts of a body that are found again by the markers around them, whoever wrote the rest. Pure."""

from __future__ import annotations

import re


def part_of(body: str, name: str) -> str:
    """What stands in a part of a body; "" where its markers are not there, or not in order."""
    place = _inside(body, name)
    return body[place].strip() if place else ""


def with_part(body: str, name: str, text: str) -> str:
    """A body with this text in a part of its own, at its end where it has no such part yet."""
    inside = f"\n\n{text.strip()}\n\n"
    place = _inside(body, name)
    if place is None:
        return f"{body.rstrip()}\n\n{opening(name)}{inside}{closing(name)}\n"
    return body[: place.start] + inside + body[place.stop :]


def opening(name: str) -> str:
    """The line above a part."""
    return f"<!-- benchaudit:{name} -->"


def closing(name: str) -> str:
    """The line below a part."""
    return f"<!-- /benchaudit:{name} -->"


def _inside(body: str, name: str) -> slice | None:
    """Between the first line that is the opening marker and the last that is the closing one.

    Lines are taken as they stand, whatever a fence around them says: one that people left open must
    not cost them their text. Nothing of a dataset ever makes a line of its own in a body.
    """
    lines = list(re.finditer(r"[^\r\n]+", body))
    starts = [line.end() for line in lines if line[0].strip() == opening(name)]
    ends = [line.start() for line in lines if line[0].strip() == closing(name)]
    if not (starts and ends) or ends[-1] < starts[0]:
        return None
    return slice(starts[0], ends[-1])
