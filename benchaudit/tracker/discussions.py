"""Discussions on the Hub as a tracker: the report is the first comment of a discussion on the dataset.

It is ours if the acting account opened it *and* its first line is our marker. In a pull request the
report is one comment of ours: it is edited and never followed by a second, and whether the pull
request is open is none of our business. Nothing uncertain is repeated: after an answer that was lost
the discussion says whether the write took place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

from benchaudit.discussions import Discussion, Discussions, Post
from benchaudit.errors import TrackerError
from benchaudit.lost import Lost, again
from benchaudit.markers import first_line
from benchaudit.notes import notes_of, with_notes
from benchaudit.plan import Close, Comment, Create, Operation, Release, Reopen, Thread, Update, same_text
from benchaudit.tracker.base import Done

T = TypeVar("T")


class DiscussionTracker:
    """Reports in the discussions of one dataset, or as one comment in its pull request `pull_request`.

    They belong to the account of the token.
    """

    def __init__(self, discussions: Discussions, *, pull_request: int = 0, pause: float = 1.0) -> None:
        self._discussions = discussions
        self._pull_request = pull_request
        self._account_name = ""
        self._pause = pause

    def find(self, *markers: str) -> Thread | None:
        """Return our report that begins so: in an open discussion before a closed one, then the lowest."""
        return self._patiently(lambda: next(self._ours(markers), None))

    def carry_out(self, operation: Operation) -> Done:
        """Do one operation, and read back what was written."""
        match operation:
            case Create():
                return Done(thread=self._create(operation))
            case Update():
                return Done(thread=self._update(operation))
            case Comment():
                return self._comment(operation)
            case Release():
                return self._release(operation)
            case Reopen(thread=thread) | Close(thread=thread):
                return Done(thread=self._turned(thread, is_open=isinstance(operation, Reopen)))

    # Whose it is.

    def _account(self) -> str:
        # Always asked for: of a name that is spelled otherwise the Hub might list nothing, run after run.
        if not self._account_name:
            self._account_name = self._discussions.account()
        return self._account_name

    def _ours(self, lines: Collection[str]) -> Iterator[Thread]:
        """Our reports with one of these first lines, each read when it is asked for."""
        account = self._account()
        numbers = [self._pull_request] if self._pull_request else self._discussions.numbers(account)
        for number in numbers:
            discussion = self._read(number)
            post = self._report(discussion, lines)
            if post is not None:
                yield self._thread(discussion, post)

    def _read(self, number: int) -> Discussion:
        discussion = self._discussions.read(number)
        if self._pull_request and not discussion.pull_request:
            raise TrackerError(
                "is no pull request", where=discussion.url, todo="set `revision` to refs/pr/N of one"
            )
        return discussion

    def _report(self, discussion: Discussion, lines: Collection[str]) -> Post | None:
        """The comment that is our report: of a discussion the first alone can be."""
        posts = discussion.posts if self._pull_request else discussion.posts[:1]
        return next((post for post in self._own(posts) if first_line(post.text) in lines), None)

    def _own(self, posts: tuple[Post, ...]) -> Iterator[Post]:
        account = self._account()
        return (post for post in posts if post.author == account)

    def _thread(self, discussion: Discussion, post: Post) -> Thread:
        return Thread(
            number=discussion.number,
            url=post.url if self._pull_request else discussion.url,
            title=discussion.title,
            body=post.text,
            open=discussion.open or bool(self._pull_request),
        )

    # What is written.

    def _create(self, operation: Create) -> Thread:
        made, said, line = 0, "", first_line(operation.body)
        try:
            made = self._made(operation)
        except Lost as lost:
            said = str(lost)
        threads = self._patiently(lambda: list(self._ours([line])))
        if made and not threads:
            # The list may lag behind.
            threads = [self._patiently(lambda: self._thread(*self._held(made, line)))]
        if not threads:
            raise self._unreachable(said)
        first, *later = threads
        for thread in later:
            if thread.open:
                # Another run was at it too: the first discussion stays.
                self._turned(thread, is_open=False)
        return first if later else self._checked(first, operation.body)

    def _made(self, operation: Create) -> int:
        if self._pull_request:
            self._discussions.comment(self._pull_request, operation.body)
            return self._pull_request
        return self._discussions.open(operation.title, operation.body)

    def _update(self, operation: Update) -> Thread:
        number, line, written = operation.thread.number, first_line(operation.thread.body), operation.body

        def write() -> None:
            nonlocal written
            post = self._held(number, line)[1]
            # Somebody may have written since the plan was made: the last write wins, theirs must be in it.
            notes = notes_of(post.text)
            written = with_notes(operation.body, notes) if notes else operation.body
            if not same_text(post.text, written):
                self._discussions.edit(number, post.id, written)

        # Setting a text to what it shall be can be repeated without harm.
        self._patiently(write)
        return self._checked(
            self._patiently(lambda: self._thread(*self._held(number, first_line(written)))), written
        )

    def _held(self, number: int, line: str) -> tuple[Discussion, Post]:
        discussion = self._read(number)
        post = self._report(discussion, [line])
        if post is None:
            raise TrackerError(
                "does not begin with our marker any more", where=discussion.url, todo="run again"
            )
        return discussion, post

    def _turned(self, thread: Thread, *, is_open: bool) -> Thread:
        if self._pull_request:
            return thread

        def turn() -> None:
            # Looked at first: after a lost answer it may be so already.
            if self._read(thread.number).open != is_open:
                self._discussions.turn(thread.number, is_open=is_open)

        self._patiently(turn)
        return self._patiently(lambda: self._thread(*self._held(thread.number, first_line(thread.body))))

    def _comment(self, operation: Comment) -> Done:
        number = operation.thread.number
        if self._pull_request:
            # The one comment says it, once it is updated.
            return Done(thread=operation.thread, comment_url=operation.thread.url)
        there = self._commented(number, operation.key)
        if not there:
            try:
                there = self._discussions.comment(number, operation.body).url
            except Lost as lost:
                there = self._commented(number, operation.key)
                if not there:
                    raise self._unreachable(str(lost)) from None
        return Done(thread=operation.thread, comment_url=there)

    def _release(self, operation: Release) -> Done:
        """Say it, or say it anew where the same release was commented on before; nothing is pinned here."""
        number = operation.thread.number
        there = None if self._pull_request else self._post(number, operation.key)
        if there is not None and not same_text(there.text, operation.body):
            self._patiently(lambda: self._discussions.edit(number, there.id, operation.body))
        return self._comment(Comment(thread=operation.thread, key=operation.key, body=operation.body))

    def _commented(self, number: int, key: str) -> str:
        """The address of our comment with this first line, "" where there is none."""
        post = self._post(number, key)
        return post.url if post else ""

    def _post(self, number: int, key: str) -> Post | None:
        def look() -> Post | None:
            posts = self._own(self._read(number).posts)
            return next((post for post in posts if first_line(post.text) == key), None)

        return self._patiently(look)

    def _checked(self, thread: Thread, meant: str) -> Thread:
        if not same_text(thread.body, meant):
            raise TrackerError(
                "the report was written, but reads back different",
                where=thread.url,
                todo="run again; if it stays so, the report is longer than the Hub stores",
            )
        return thread

    def _patiently(self, ask: Callable[[], T]) -> T:
        """Do what may be done again: a few times, a little later each time, where no answer comes."""
        try:
            return again(ask, self._pause)
        except Lost as lost:
            raise self._unreachable(str(lost)) from None

    def _unreachable(self, said: str) -> TrackerError:
        return TrackerError(
            f"the Hub {said}",
            where=self._discussions.dataset,
            todo="run again; what is written already is found again",
        )
