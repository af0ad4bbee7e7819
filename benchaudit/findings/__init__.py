"""Findings: what a maintainer would want to know of that is no rate. Pure.

Those of `marks` follow from what was noted of each row as it was read, those of `series` from the names of
files; the others ask the narrow rows.
"""

from collections.abc import Iterator

from benchaudit.findings.asking import Asked, Fetch
from benchaudit.findings.marks import findings_of
from benchaudit.findings.order import orders
from benchaudit.findings.overlaps import overlaps
from benchaudit.findings.repeats import repeats
from benchaudit.findings.series import missing_parts
from benchaudit.models import Finding

__all__ = ["Asked", "Fetch", "findings_of", "findings_of_rows", "missing_parts"]


def findings_of_rows(fetch: Fetch, asked: Asked) -> Iterator[Finding]:
    """The findings that several rows make together, in the order in which a report shows them."""
    for find in (repeats, overlaps, orders):
        yield from find(fetch, asked)
