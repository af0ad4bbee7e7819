"""Where a run begins: the report that is there, under whatever name, and what people have let go since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from benchaudit.audit import Say
from benchaudit.errors import TrackerError
from benchaudit.markdown import code
from benchaudit.markers import marker, renamed_marker
from benchaudit.parts import with_part
from benchaudit.plan import Comment, Operation, Thread, Update
from benchaudit.report.upstream import PART as UPSTREAM
from benchaudit.report.upstream import sent_part
from benchaudit.state import State, load, replaced
from benchaudit.tracker.base import Tracker
from benchaudit.upstream import Upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What came of operations: the thread as it is now, the last comment, what failed, what was left out."""

    thread: Thread | None
    comment_url: str = ""
    failure: TrackerError | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Courier:
    """Carries operations out; what was made before a failure stays made.

    A dry run says what they would be, and goes on from the body that there would be.
    """

    tracker: Tracker
    say: Say
    dry_run: bool = False

    def deliver(self, operations: Iterable[Operation], thread: Thread | None) -> Delivered:
        """Do these operations in order, up to the first that fails."""
        url = remark = ""
        try:
            for operation in operations:
                if self.dry_run:
                    self.say(f"dry run: would {type(operation).__name__.lower()} the report issue")
                    if isinstance(operation, Update):
                        thread = replace(operation.thread, body=operation.body)
                    continue
                done = self.tracker.carry_out(operation)
                thread, url, remark = done.thread, done.comment_url or url, done.remark or remark
        except TrackerError as error:
            return Delivered(thread=thread, comment_url=url, failure=error, remark=remark)
        return Delivered(thread=thread, comment_url=url, remark=remark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the tracker holds, or why it cannot be asked. `trouble` is upstream, and stops nothing here."""

    thread: Thread | None = None
    state: State | None = None
    failure: TrackerError | None = None
    trouble: TrackerError | None = None


def standing(courier: Courier, *names: str) -> Standing:
    """What the tracker holds of a dataset by any of its names; it may be out of reach, and is said so."""
    try:
        held = courier.tracker.find(*map(marker, names))
        return Standing(thread=held, state=load(held.body, *names) if held else None)
    except TrackerError as error:
        return Standing(failure=error)


def renamed(courier: Courier, found: Standing, old: str, new: str) -> Standing:
    """A dataset that was renamed keeps its issue, which says the new name once."""
    if found.failure is None:
        # What is found by the old name alone may be a duplicate that was closed, and kept that name.
        found = standing(courier, new, old)
    held, state = found.thread, found.state
    if held is None or state is None or state.dataset == new:
        return found
    courier.say(f"{state.dataset} is called {new} now")
    moved = replace(state, dataset=new)
    said = f"The dataset {code(state.dataset)} is called {code(new)} now. This issue goes on."
    key = renamed_marker(new)
    operations: list[Operation] = [Update(thread=held, body=replaced(held.body, moved))]
    if held.open:
        operations.insert(0, Comment(thread=held, key=key, body=f"{key}\n{said}"))
    done = courier.deliver(operations, held)
    return Standing(thread=done.thread, state=moved, failure=done.failure)


def approved(courier: Courier, found: Standing, upstream: Upstream | None, *names: str) -> Standing:
    """Send what was drafted for upstream and let go, before anything about it changes.

    A report that went there by one of these names is not sent again by another.
    """
    held, state = found.thread, found.state
    if not (upstream and held and state) or state.kept.sent or courier.dry_run:
        return found
    try:
        sent = upstream.send(held, state.dataset, *names)
    except TrackerError as error:
        return replace(found, trouble=error)
    if sent is None:
        return found
    state = replace(state, kept=replace(state.kept, sent=sent))
    body = with_part(replaced(held.body, state), UPSTREAM, sent_part(sent))
    done = courier.deliver([Update(thread=held, body=body)], held)
    return Standing(thread=done.thread, state=state, failure=done.failure)
