"""What every tracker offers: find the report issue of a dataset, and carry out what was planned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from benchaudit.plan import Operation, Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of an operation: the thread as it is now, and the comment's address if one was made.

    `pinned` says whether that comment stands out from the others, `remark` what was not done with it.
    """

    thread: Thread
    comment_url: str = ""
    pinned: bool = False
    remark: str = ""


class Tracker(Protocol):
    """Where reports go. Every method raises a TrackerError that says what, where and what to do."""

    def find(self, *markers: str) -> Thread | None:
        """Return our issue whose first line is one of these, None where there is none."""

    def carry_out(self, operation: Operation) -> Done:
        """Do one operation, read back what was written, and return what is there now."""
