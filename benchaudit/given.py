"""How a given text is read: every function here returns what a setting holds, or a function that does.

Each raises ValueError where a text cannot be read, with words that follow the setting's name: "must be …".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec

from benchaudit.accept import read_acceptances
from benchaudit.checks import all_checks
from benchaudit.errors import install
from benchaudit.models import Acceptance


def text(value: str) -> str:
    """A text without the blanks around it."""
    return value.strip()


def token(value: str) -> str:
    """A token. What is pasted may bring a line break or a mark unseen, which no request could carry."""
    if not re.fullmatch(r"[!-~]*", value.strip()):
        raise ValueError("holds a blank or another character that no token has: paste it anew")
    return value.strip()


def separator(value: str) -> str:
    """A separator to the letter; a line end or a tab, which no flag or input can hold, behind a backslash."""
    return value.replace("\\n", "\n").replace("\\t", "\t")


def names(value: str) -> tuple[str, ...]:
    """Names between commas or line ends."""
    parts = (part.strip() for line in value.splitlines() for part in line.split(","))
    return tuple(part for part in parts if part)


def flag(value: str) -> bool:
    """True or false."""
    try:
        return {"true": True, "false": False}[value.strip().lower()]
    except KeyError:
        raise ValueError("must be true or false") from None


def probe(value: str) -> bool:
    """A flag that cannot be set where what it takes is not there: said before anything is read."""
    asked = flag(value)
    # Found and not imported: that takes a second, which a run that finds nothing new need not wait.
    if asked and find_spec("sklearn") is None:
        raise ValueError(f"needs scikit-learn, which is not installed: {install('probe')}")
    return asked


def whole(least: int) -> Callable[[str], int]:
    """What reads a whole number of at least so much."""

    def read(value: str) -> int:
        try:
            number = int(value.strip())
        except ValueError:
            raise ValueError("must be a whole number") from None
        if number < least:
            raise ValueError(f"must be at least {least}")
        return number

    return read


def number(low: float, high: float) -> Callable[[str], float]:
    """What reads a number within bounds."""

    def read(value: str) -> float:
        try:
            number = float(value.strip())
        except ValueError:
            raise ValueError("must be a number") from None
        if not (low <= number <= high and math.isfinite(number)):
            raise ValueError(f"must be between {low:g} and {high:g}")
        return number

    return read


def one_of(allowed: Sequence[str]) -> Callable[[str], str]:
    """What reads one of a few words."""

    def read(value: str) -> str:
        if value.strip() not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return value.strip()

    return read


def slicings(value: str) -> tuple[tuple[str, ...], ...]:
    """Slicings between commas, the columns of a crossed one between stars."""
    found = []
    for name in names(value):
        columns = tuple(part.strip() for part in name.split("*"))
        if not all(columns):
            raise ValueError(f"{name!r} crosses a column with nothing")
        found.append(columns)
    return tuple(dict.fromkeys(found))


def slicing(value: str) -> str:
    """One slicing, as it is written."""
    found = slicings(value)
    if len(found) != 1:
        raise ValueError("must be one column, or several crossed by *")
    return "*".join(found[0])


def upstream(value: str) -> str:
    """Where a report upstream goes."""
    if not re.fullmatch(r"hub|github:[\w.-]+/[\w.-]+", value.strip(), re.ASCII):
        raise ValueError("must be github:OWNER/REPO or hub")
    return value.strip()


def scheduler(value: str) -> str:
    """The address of a Dask scheduler."""
    if not re.fullmatch(r"local|(tcp|tls)://[^\s/@]+:\d{1,5}", value.strip(), re.ASCII):
        raise ValueError("must be local, tcp://HOST:PORT or tls://HOST:PORT")
    return value.strip()


def acceptances(value: str) -> tuple[Acceptance, ...]:
    """Known leaks, a line each."""
    return read_acceptances(value, [check.name for check in all_checks(probe=True)])
