"""The registry of checks, in the order in which reports show them and ties between rules resolve."""

from collections.abc import Mapping
from functools import cache

from benchaudit.checks import (
    absolutes,
    capital,
    choices_only,
    digits,
    far_longest,
    fewest_bytes,
    fewest_words,
    final_punctuation,
    first,
    fourth,
    hedges,
    last,
    leading_space,
    least_overlap,
    list_marker,
    longest,
    longest_trimmed,
    mojibake,
    most_bytes,
    most_overlap,
    most_words,
    negation,
    non_ascii,
    odd_one_out,
    of_the_above,
    option_prior,
    parentheses,
    quotes,
    second,
    second_longest,
    shortest,
    shortest_trimmed,
    third,
    trailing_space,
)
from benchaudit.checks.form import Check

GROUPS: Mapping[str, str] = {
    "length": "the length of the options",
    "position": "the place of gold",
    "white-space": "white space around the options",
    "punctuation": "punctuation at the end of options",
    "capitals": "the first letter of the options",
    "digits": "digits in the options",
    "quotes": "quotation marks in the options",
    "parentheses": "parentheses in the options",
    "characters": "the characters of the options",
    "list-marker": "list markers before the options",
    "words": "tell-tale words in the options",
    "overlap": "the words that options share with the question or each other",
    "prior": "the text of an option on its own",
    "probe": "what a model can learn of the options",
}
"""What gives gold away, by the group of the checks that see it."""

_ALL: tuple[Check, ...] = (
    longest.check,
    shortest.check,
    most_words.check,
    fewest_words.check,
    most_bytes.check,
    fewest_bytes.check,
    longest_trimmed.check,
    shortest_trimmed.check,
    second_longest.check,
    far_longest.check,
    first.check,
    second.check,
    third.check,
    fourth.check,
    last.check,
    leading_space.check,
    trailing_space.check,
    final_punctuation.check,
    capital.check,
    digits.check,
    quotes.check,
    parentheses.check,
    non_ascii.check,
    mojibake.check,
    list_marker.check,
    negation.check,
    absolutes.check,
    hedges.check,
    of_the_above.check,
    most_overlap.check,
    least_overlap.check,
    odd_one_out.check,
    option_prior.check,
    choices_only.check,
)


def all_checks(*, probe: bool = False) -> tuple[Check, ...]:
    """Every check that is run, in registry order; what takes a model only with the `probe`."""
    return _ALL if probe else tuple(check for check in _ALL if not check.is_model)


@cache
def by_name() -> Mapping[str, Check]:
    """Every check by its name, run or not."""
    return {check.name: check for check in _ALL}


def is_further(name: str) -> bool:
    """Whether a check is one of the further ones; a name that is not known is taken for none of them."""
    return name in by_name() and by_name()[name].family == "further"


def group_of(name: str) -> str:
    """The group of a check; one that is not known is a group of its own."""
    return by_name()[name].group if name in by_name() else name


EXTREMA = tuple(check for check in _ALL if check.family == "extrema")
"""The two checks on length whose figures are shown for every slice."""
