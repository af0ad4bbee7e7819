"""Reports upstream: what was drafted goes out when somebody who may says so, once, and a close ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from benchaudit.audit import Say
from benchaudit.errors import Unwanted
from benchaudit.kept import Sent
from benchaudit.markers import comment_marker, upstream_marker
from benchaudit.plan import Comment, Create, Thread
from benchaudit.report.nouns import Report
from benchaudit.report.upstream import Wish, draft_of
from benchaudit.tracker.base import Tracker


class Desk(Protocol):
    """Our own tracker, where people approve."""

    def approver(self, thread: Thread, label: str) -> str:
        """Return who put this label on an issue, if they may write there and are not us; else ""."""

    def withdraw(self, thread: Thread, label: str) -> None:
        """Take a label off an issue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The way to a dataset's maintainers. `there` opens their tracker, when there is something to send."""

    wish: Wish
    desk: Desk
    there: Callable[[], Tracker]
    say: Say

    def send(self, held: Thread, dataset: str, *former: str) -> Sent | None:
        """Send the draft that stands in our issue if somebody let it go; None where nobody did.

        A report of ours that is there already, by this name or a former one, is taken for the one that
        was sent. Raises TrackerError.
        """
        # As on GitHub, a label is one label in whatever case it is written.
        label = next((name for name in held.labels if name.lower() == self.wish.label.lower()), None)
        if label is None:
            return None
        draft = draft_of(held.body)
        if draft is None:
            # What is drafted later nobody has read yet.
            self.desk.withdraw(held, label)
            self.say(f"{dataset}: approved for upstream, but there is no draft: the label is taken off")
            return None
        who = self.desk.approver(held, label)
        if not who:
            self.say(f"{dataset}: not sent upstream, as whoever added the label may not write here")
            return None
        title, text = draft
        tracker = self.there()
        for name in dict.fromkeys((dataset, *former)):
            found = tracker.find(upstream_marker(name))
            if found is not None:
                break
        else:
            name = dataset
            create = Create(dataset=name, title=title, body=f"{upstream_marker(name)}\n\n{text}")
            found = tracker.carry_out(create).thread
        self.say(f"{dataset}: sent upstream, approved by {who}: {found.url}")
        return Sent(where=self.wish.where, url=found.url, dataset=name, ended=not found.open)

    def follow(self, sent: Sent, report: Report) -> Sent:
        """Tell of a material change, where that is wished for and the report there is open.

        Raises TrackerError.
        """
        if not self.wish.follow_up or sent.ended:
            return sent
        tracker = self.there()
        found = tracker.find(upstream_marker(sent.dataset or report.dataset))
        if found is None or not found.open:
            return replace(sent, ended=True)
        key = comment_marker(report.revision)
        try:
            tracker.carry_out(Comment(thread=found, key=key, body=report.comment))
        except Unwanted as error:
            # As much of an answer as a close.
            self.say(f"nothing more is sent upstream: {error}")
            return replace(sent, ended=True)
        return sent
