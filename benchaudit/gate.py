"""The `fail-on` condition: whether a verdict fails the step. Pure."""

from __future__ import annotations

from collections.abc import Collection

from benchaudit.errors import SettingsError
from benchaudit.models import SliceKey
from benchaudit.verdict import Audit


def fails(fail_on: str, verdict: str, *, severe: bool, new_leaks: Collection[object] = ()) -> bool:
    """Whether the condition holds. `incomplete` holds for a leak too, `leak` for a severe one too."""
    return {
        "severe": severe,
        "leak": verdict == "leak",
        "incomplete": verdict in {"leak", "incomplete"},
        "new-leak": bool(new_leaks),
    }.get(fail_on, False)


def refuse_new_leak(fail_on: str) -> None:
    """Refuse a condition on what is new where there is one revision only. Raises SettingsError."""
    if fail_on == "new-leak":
        raise SettingsError("one revision has no new leaks", where="--fail-on", todo="use `compare`, or leak")


def leaks(audit: Audit) -> set[tuple[SliceKey, str]]:
    """The slices and checks that leak more than people accept."""
    return {
        (part.key, name)
        for part in audit.slices
        for name, judged in part.checks.items()
        if judged.counts_as == "leak"
    }
