"""Findings: what a maintainer would want to know of that is no rate.

Rows carry marks from the moment they are read; a finding counts one kind of mark and says what it
means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from benchaudit.models import Finding, LeftOut

Severity = Literal["defect", "warning", "note"]

_MEANINGS: dict[str, tuple[Severity, str]] = {
    "gold-duplicated": ("defect", "the gold's text stands among the options twice, so two answers are right"),
    "duplicate-options": ("warning", "two options are equal, so there are fewer real options than it seems"),
    "empty-option": ("defect", "an option is an empty text"),
    "gold-trimmed": ("warning", "gold equals an option only after white space around it is removed"),
    "gold-type": ("note", "gold is a number where the options are texts"),
}
_STYLES = {"json": "JSON", "python": "Python literals", "numpy": "numpy's print", "separated": "joined texts"}


def findings_of(marks: Mapping[str, LeftOut]) -> tuple[Finding, ...]:
    """The findings that the rows' marks speak of, in the order of their meanings."""
    found = [
        Finding(
            check=name, severity=severity, count=marks[name].rows, sample=marks[name].sample, message=message
        )
        for name, (severity, message) in _MEANINGS.items()
        if name in marks
    ]
    styles = {
        title: marks[f"cell-{style}"].rows for style, title in _STYLES.items() if f"cell-{style}" in marks
    }
    if len(styles) > 1:
        said = ", ".join(f"{rows} as {title}" for title, rows in styles.items())
        found.append(
            Finding(
                check="mixed-list-cells",
                severity="note",
                count=sum(styles.values()) - max(styles.values()),
                message=f"lists are written in more than one way: {said}",
            )
        )
    return tuple(found)
