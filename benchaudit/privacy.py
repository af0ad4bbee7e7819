"""Reports that name no row at all, for those who ask for that. Pure.

Figures stay as they are. That no text of a row ever reaches a report, and only its id may, is no work
of this room: nothing but ids is kept of the rows.
"""

from __future__ import annotations

from dataclasses import replace

from benchaudit.moves import Pairs
from benchaudit.verdict import Audit


def nameless_audit(audit: Audit) -> Audit:
    """The audit without the names of sample rows."""
    return replace(
        audit,
        left_out={reason: replace(left, sample=()) for reason, left in audit.left_out.items()},
        findings=tuple(replace(finding, sample=()) for finding in audit.findings),
    )


def nameless_pairs(pairs: Pairs) -> Pairs:
    """The pairs without the names of rows."""
    return replace(
        pairs,
        names=dict.fromkeys(pairs.names, ()),
        moves={place: replace(moves, flips=()) for place, moves in pairs.moves.items()},
    )
