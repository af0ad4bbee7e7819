"""The form of a check: a score for each option of an item, and which end of it to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from benchaudit.models import ColumnMapping

Need = Literal["order", "question"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A rule that looks at each option and never at which of them is gold.

    `score` is an SQL expression over `option` (one option's text), `place` (its place from 1), `options`,
    `question`, and the lists of `benchaudit.checks.lists`. `extremum` says whether the highest or the
    lowest score is the one that the rule picks. Where the score is a condition the rule picks options
    that meet it, and avoiding them is picking those that do not: gold alone has it, or alone lacks it.

    `learnt` says from what a score is learnt among the rows of the other half. From `texts`: from how
    often the option's text was gold there, `golds` of `seen`, where `all_golds` of `all_seen` options are;
    a fraction, told as a whole number by a `scale` (`benchaudit.learning`). By a `model`: `score` is then
    its `guess`, for which see `benchaudit.probe`; such a check is run only where it is asked for, and is
    no rule of the no-model baseline.

    `picks` is the option that the rule picks, as it stands behind "the". `about` is the module's
    docstring: its first line is the title in the report, the rest the explanation. `group` names what
    several checks see from several sides (`benchaudit.checks.GROUPS`), `family` the Holm family.
    `needs` says what a release must have for the check to mean anything. `version` goes up whenever
    figures can change.
    """

    name: str
    score: str
    extremum: Literal["max", "min"] = "max"
    version: int
    about: str
    picks: str
    group: str
    family: Literal["extrema", "further"] = "further"
    needs: Need | None = None
    learnt: Literal["texts", "model"] | None = None

    @property
    def title(self) -> str:
        """What the report calls it."""
        return self.about.strip().splitlines()[0]

    @property
    def explanation(self) -> str:
        """What the report says of it."""
        return " ".join(self.about.strip().splitlines()[1:]).strip()

    @property
    def among(self) -> str:
        """The options that are tied at the extremum, as they stand behind "the"."""
        return self.picks.replace("option", "options", 1)

    @property
    def reads_question(self) -> bool:
        """Whether the rule looks at the question: such a one is no rule of the no-model baseline."""
        return self.needs == "question"

    @property
    def is_model(self) -> bool:
        """Whether the rule is what a model learnt."""
        return self.learnt == "model"

    def applies(self, mapping: ColumnMapping) -> bool:
        """Whether the check means anything in a release that is read so."""
        has: Mapping[Need, bool] = {"order": not mapping.gold_apart, "question": bool(mapping.question)}
        return self.needs is None or has[self.needs]
