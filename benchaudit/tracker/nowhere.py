"""The tracker of the channel `none`: the report goes to the summary, the outputs and the file only."""

from __future__ import annotations

from benchaudit.plan import Create, Operation, Thread
from benchaudit.tracker.base import Done


class NoTracker:
    """It holds nothing, so that every run is a first report."""

    def find(self, *markers: str) -> Thread | None:  # noqa: ARG002 - nothing is held
        """Return nothing."""
        return None

    def carry_out(self, operation: Operation) -> Done:
        """Write nothing."""
        if isinstance(operation, Create):
            return Done(thread=Thread(number=0, url="", title=operation.title, body=operation.body))
        return Done(thread=operation.thread)
