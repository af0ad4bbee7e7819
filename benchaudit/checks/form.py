"""The form of a check: a score for each option of an item, and which end of it to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A rule that looks at each option and never at which of them is gold.

    `score` is an SQL expression over `option` (one option's text); `extremum` says whether the
    highest or the lowest score is the one that the rule picks. `about` is the module's docstring: its
    first line is the title in the report, the rest the explanation. `family` names the Holm family;
    `version` goes up whenever figures can change.
    """

    name: str
    score: str
    extremum: Literal["max", "min"]
    version: int
    about: str
    family: Literal["extrema", "further"] = "further"

    @property
    def title(self) -> str:
        """What the report calls it."""
        return self.about.strip().splitlines()[0]

    @property
    def explanation(self) -> str:
        """What the report says of it."""
        return " ".join(self.about.strip().splitlines()[1:]).strip()
