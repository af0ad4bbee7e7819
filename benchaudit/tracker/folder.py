"""A folder as a tracker: a Markdown file for the issue, one for each comment, JSON for the rest."""

from __future__ import annotations

import json
import re
from pathlib import Path
from threading import Lock
from typing import Any

from benchaudit.errors import TrackerError
from benchaudit.markers import first_line
from benchaudit.notes import notes_of, with_notes
from benchaudit.plan import Close, Comment, Create, Operation, Release, Reopen, Thread, Update, same_text
from benchaudit.tracker.base import Done

ISSUE = "issue.md"
_ABOUT = "issue.json"
_COMMENT = re.compile(r"comment-\d+\.md")


class FolderTracker:
    """Report issues below one folder, each in a folder of its own, for one dataset or for many.

    A new one has the number after the last: several threads write one after another.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = Lock()

    def find(self, *markers: str) -> Thread | None:
        """Return the report issue that begins so."""
        found = [thread for thread in map(self._read, self._folders()) if first_line(thread.body) in markers]
        return min(found, key=lambda thread: (not thread.open, thread.number), default=None)

    def carry_out(self, operation: Operation) -> Done:
        """Do one operation."""
        try:
            with self._lock:
                return self._carry_out(operation)
        except (OSError, ValueError, TypeError) as error:
            raise TrackerError(
                f"cannot be written ({error})", where=str(self._root), todo="check the folder"
            ) from None

    def _carry_out(self, operation: Operation) -> Done:
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
                return Done(thread=self._turn(thread, "open" if isinstance(operation, Reopen) else "closed"))

    def _folders(self) -> list[Path]:
        return sorted(path.parent for path in self._root.glob(f"*/{ISSUE}"))

    def _read(self, folder: Path) -> Thread:
        try:
            about: dict[str, Any] = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
            return Thread(
                number=int(about["number"]),
                url=str(folder / ISSUE),
                title=str(about["title"]),
                body=(folder / ISSUE).read_text(encoding="utf-8"),
                open=about["state"] == "open",
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise TrackerError(
                f"cannot be read ({error})", where=str(folder), todo="mend it, or move it away"
            ) from None

    def _create(self, operation: Create) -> Thread:
        number = max((thread.number for thread in map(self._read, self._folders())), default=0) + 1
        folder = self._root / f"{number:03d}-{re.sub(r'[^A-Za-z0-9._-]+', '--', operation.dataset)}"
        folder.mkdir(parents=True, exist_ok=True)
        about = {
            "number": number,
            "title": operation.title,
            "state": "open",
            "labels": list(operation.labels),
            "assignees": list(operation.assignees),
        }
        # The body comes last: a folder without it is no issue yet, and is used again.
        _describe(folder, about)
        _write(folder / ISSUE, operation.body)
        return self._read(folder)

    def _update(self, operation: Update) -> Thread:
        path = Path(operation.thread.url)
        # Somebody may have written since the plan was made.
        notes = notes_of(path.read_text(encoding="utf-8"))
        _write(path, with_notes(operation.body, notes) if notes else operation.body)
        return self._read(path.parent)

    def _turn(self, thread: Thread, state: str) -> Thread:
        folder = Path(thread.url).parent
        _describe(folder, json.loads((folder / _ABOUT).read_text(encoding="utf-8")) | {"state": state})
        return self._read(folder)

    def _release(self, operation: Release) -> Done:
        done = self._comment(Comment(thread=operation.thread, key=operation.key, body=operation.body))
        path = Path(done.comment_url)
        if not same_text(path.read_text(encoding="utf-8"), operation.body):
            _write(path, operation.body)
        about = json.loads((path.parent / _ABOUT).read_text(encoding="utf-8"))
        _describe(path.parent, about | {"pinned": path.name})
        return Done(thread=done.thread, comment_url=done.comment_url, pinned=True)

    def _comment(self, operation: Comment) -> Done:
        folder = Path(operation.thread.url).parent
        comments = sorted(path for path in folder.iterdir() if _COMMENT.fullmatch(path.name))
        for path in comments:
            if first_line(path.read_text(encoding="utf-8")) == operation.key:
                return Done(thread=operation.thread, comment_url=str(path))
        # Counted on from the last: one that was taken away leaves a gap, and none is written over.
        last = max((int(path.stem.removeprefix("comment-")) for path in comments), default=0)
        path = folder / f"comment-{last + 1:03d}.md"
        _write(path, operation.body)
        return Done(thread=operation.thread, comment_url=str(path))


def _describe(folder: Path, about: dict[str, Any]) -> None:
    _write(folder / _ABOUT, json.dumps(about, indent=2, ensure_ascii=False) + "\n")


def _write(path: Path, text: str) -> None:
    """Write all or nothing: who is interrupted leaves the old text."""
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
