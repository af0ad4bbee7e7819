"""Everything that can go wrong through a user, a dataset or a platform.

A message says what, where (`owner/name@abc1234 path:row`) and what to do. It is one line whatever
it quotes, and it carries the exit status that `docs/reference.md` promises.
"""

from __future__ import annotations


def install(extra: str) -> str:
    """How an extra is installed, from the package index or from a checkout."""
    return f"pip install 'benchaudit-action[{extra}]', in a checkout pip install '.[{extra}]'"


class BenchauditError(Exception):
    """What went wrong, where, and what to do about it, in one line."""

    exit_status = 2

    def __init__(self, what: str, *, where: str = "", todo: str = "") -> None:
        self.what, self.where, self.todo = one_line(what), one_line(where), one_line(todo)
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" - {self.todo}" if self.todo else ""
        return f"{place}{self.what}{remedy}"


class SettingsError(BenchauditError):
    """A flag, an action input or a line of the config file cannot be used."""


class MappingError(BenchauditError):
    """The columns cannot be mapped to items, or could be in more than one way."""


class SourceError(BenchauditError):
    """A source could not be read; nothing is said of it."""

    exit_status = 3


class DatasetNotFound(SourceError):
    """No such dataset is visible; a private one looks the same without the right token."""


class AccessDenied(SourceError):
    """The dataset exists but may not be read: gated, disabled, or the token does not reach."""


class RevisionGone(SourceError):
    """The dataset can be read but has no such revision (any more)."""


class NothingWatched(SourceError):
    """The revision can be read but holds none of the files to audit."""


class Unavailable(SourceError):
    """The source cannot be read at present; a later run may find it well."""


class RateLimited(Unavailable):
    """The Hub asked to wait for longer than the budget allows."""


class TrackerError(BenchauditError):
    """The report was made but could not be delivered."""

    exit_status = 4


class Unwanted(TrackerError):
    """Nothing more is taken there: locked, archived, switched off, or its owner has blocked the account."""


class StateError(TrackerError):
    """What the tracker holds cannot be read back as our state."""


class RenderError(TrackerError):
    """A report came out different from what was meant to be written; it is not sent."""


PASSING = (Unavailable, AccessDenied, DatasetNotFound)
"""Errors of a source that a later run may not meet: nothing is concluded from them, or passed over."""


def one_line(text: str) -> str:
    """Return `text` without line breaks and control characters, which a log could take for its own."""
    return "".join(character if character.isprintable() else " " for character in text).strip()
