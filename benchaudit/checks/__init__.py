"""The registry of checks, in the order in which reports show them and ties between rules resolve."""

from benchaudit.checks import longest, shortest
from benchaudit.checks.form import Check

_ALL: tuple[Check, ...] = (longest.check, shortest.check)


def all_checks() -> tuple[Check, ...]:
    """Every check, in registry order."""
    return _ALL
