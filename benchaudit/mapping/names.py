"""Names that released benchmarks give their columns. A name is evidence, the content decides."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

QUESTION = (
    "question", "user_query", "query", "user_question_or_message", "prompt", "problem", "question_stem",
    "stem", "input", "inputs", "instruction", "history", "ctx", "sent1", "sentence", "premise", "goal",
    "qtext", "question_text", "text",
)  # fmt: skip
CONTEXT = ("context", "passage", "article", "document", "background", "dialogue", "narrative", "premise")
OPTION_LISTS = (
    "options", "choices", "all_options", "answers", "candidates", "endings", "answer_choices", "option_list",
    "choice", "mc1_targets", "mc0_targets", "mc2_targets", "target_scores", "multiple_choice_targets",
    "responses", "completions", "alternatives", "answer_options", "possible_answers", "summaries",
    "candidate_answers", "option",
)  # fmt: skip
OPTION_STEMS = (
    "", "option", "opt", "op", "choice", "choices", "answer", "ans", "mc_answer", "ending", "sol", "solution",
    "response", "output", "completion", "candidate", "alternative", "hyp", "hypothesis", "human_ref", "reply",
    "conversation", "generation", "summary", "opcao", "answer_choice", "answer_option",
    "sentence_quiz", "random_fifth_sentence_quiz",
)  # fmt: skip
"""What comes before A, B, … or 1, 2, … in the names of columns with one option each."""
DISTRACTORS = (
    "incorrect_answers", "distractors", "wrong_answers", "incorrect_options", "incorrect_choices",
    "rejected", "best_incorrect_answer", "incorrect_answer", "distractor", "false_answers", "negatives",
    "wrong_answer", "false_answer", "incorrect", "wrong",
)  # fmt: skip
GOLD = (
    "correct_answer", "answer_key", "answerkey", "gold", "answer", "label", "correct", "cop", "target",
    "best_answer", "chosen", "answer_idx", "answer_index", "answer_letter", "correct_option",
    "correct_index", "correct_idx", "correct_choice", "gold_index", "gold_idx", "gold_label", "key",
    "solution", "answer_1based", "answer_0based", "answer_id", "labels", "targets",
    "multiple_choice_scores", "standard_answer", "mc_answer", "right_answer", "ground_truth", "preferred",
    "winner", "correct_answer_id", "correct_answer_idx", "correct_answer_index", "correct_answer_num",
    "correct_answer_letter", "correct_letter", "correct_label", "answer_num", "answer_number",
    "answer_label", "answer_text", "answer_choice", "answer_right_ending", "better_response_id", "choice",
    "preference", "ans", "scores", "ranking", "ranks", "rank", "ra", "ideal", "truth",
)  # fmt: skip
GOLD_TEXTS = (
    "correct_answer", "answer", "gold", "correct", "target", "best_answer", "chosen", "correct_option",
    "correct_choice", "solution", "standard_answer", "right_answer", "ground_truth", "preferred",
    "answer_text", "answer_right_ending", "correct_answers", "label", "ideal",
)  # fmt: skip
"""The names among them under which the text of gold is found, where the distractors stand apart."""
GOLD_STEMS = (
    "winner", "winner_model", "is_winner", "preferred", "is_preferred", "correct", "is_correct", "label",
)  # fmt: skip
"""What comes before A, B, … or 1, 2, … in the names of columns of which each scores one option."""
TIES = ("winner_tie", "is_tie", "tie")
ID = (
    "id", "question_id", "item_id", "example_id", "qid", "uid", "uuid", "record_id", "idx", "index", "ind",
    "pid", "sample_id", "prompt_id",
)  # fmt: skip

_RIGHT, _WRONG = "(?:correct|right|gold(?:en)?|true|gt|groundtruth)", "(?:incorrect|wrong|false)"
_ONE = "(?:answer|ans|option|opt|choice|label|response|completion|candidate|ending|output)"
_PREFERRED, _REJECTED = "(?:chosen|preferred)", "(?:reject(?:ed)?|(?:non|dis)preferred)"
_PLACE = "(?:idx|index|id|num|number|letter|key|text)"
_COMPOSED = {
    GOLD: re.compile(f"{_RIGHT}(?:{_ONE}{_PLACE}?|{_PLACE})"),
    GOLD_TEXTS: re.compile(f"{_RIGHT}{_ONE}(?:text)?|{_PREFERRED}{_ONE}"),
    DISTRACTORS: re.compile(f"{_WRONG}{_ONE}s?|{_REJECTED}{_ONE}?s?"),
    OPTION_LISTS: re.compile(
        f"(?!{_RIGHT}|{_WRONG}).*(?:option|choice|ending|candidate|alternative)s(?:list)?"
    ),
}
"""What other names for a role are made of, plain: there are more of them than could be listed."""

_LETTERS = tuple(chr(ord("a") + number) for number in range(26))
_SUFFIXES = (
    _LETTERS,
    tuple(str(number) for number in range(30)),
    tuple(str(number) for number in range(1, 31)),
)

_GAP = 3
"""How far behind a missing option another one tells that the columns before the gap are not all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Columns that hold one option each: one stem with A, B, C, … or 0, 1, 2, … or 1, 2, 3, … behind it."""

    stem: str
    columns: tuple[str, ...]
    lettered: bool

    @property
    def known(self) -> bool:
        """Whether options are usually called so."""
        return self.stem in map(plain, OPTION_STEMS)


def plain(name: str) -> str:
    """A name without case and marks, so that `Best Answer` and `best_answer` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@lru_cache
def _ranks(known: tuple[str, ...]) -> dict[str, int]:
    return {plain(name): number for number, name in reversed(list(enumerate(known)))}


def rank(name: str, known: tuple[str, ...]) -> int | None:
    """How usual the name is for its role, 0 first; None where it is not known.

    A place inside a record goes by its whole name or by the last part of it.
    """
    ranks, leaf = _ranks(known), plain(name.rsplit(".", 1)[-1])
    found = ranks.get(plain(name), ranks.get(leaf))
    if found is None and known in _COMPOSED and _COMPOSED[known].fullmatch(leaf):
        return len(known)
    return found


def is_listed(name: str, known: tuple[str, ...]) -> bool:
    """Whether the name is one of those that are known, and not only made like them."""
    place = rank(name, known)
    return place is not None and place < len(known)


def is_preferred(name: str) -> bool:
    """Whether the name says that an answer was preferred to another, and not that it is right."""
    return re.match(_PREFERRED, plain(name.rpartition(".")[2])) is not None


def is_rejected(name: str) -> bool:
    """Whether the name says that another answer was preferred."""
    return re.search(_REJECTED, plain(name)) is not None


def by_rank(columns: Sequence[str], known: tuple[str, ...]) -> list[str]:
    """The columns with a known name, the most usual first; a nested place after a plain one."""
    ranked = [(place, name.count("."), name) for name in columns if (place := rank(name, known)) is not None]
    return [name for *_, name in sorted(ranked)]


def families(names: Sequence[str]) -> list[Family]:
    """The families of two columns or more; ans1, ans2 are none of their own beside ans0.

    Places inside records are of one family only where they are in one record.
    """
    owners: dict[str, list[str]] = {}
    for name in names:
        owners.setdefault(name.rpartition(".")[0], []).append(name)
    found = [family for siblings in owners.values() for family in _families(siblings)]
    return [one for one in found if not any(set(one.columns) < set(other.columns) for other in found)]


def following(family: Family) -> str:
    """What the next column of a family would be called, as its last one is spelled; "" behind Z."""
    last = family.columns[-1]
    number = re.search(r"\d+$", last)
    if not family.lettered and number:
        return f"{last[: number.start()]}{int(number[0]) + 1}"
    return last[:-1] + chr(ord(last[-1]) + 1) if family.lettered and last[-1] not in "zZ" else ""


def gold_families(names: Sequence[str]) -> list[str]:
    """Columns with the score of one option each, together as one; one that says of a tie comes last."""
    found = [family.columns for family in families(names) if family.stem in map(plain, GOLD_STEMS)]
    return [",".join((*columns, *by_rank(names, TIES)[:1])) for columns in found]


def _families(siblings: Sequence[str]) -> Iterator[Family]:
    by_plain = {plain(name.rpartition(".")[2]): name for name in reversed(siblings)}
    for suffixes in _SUFFIXES:
        for stem in [name.removesuffix(suffixes[0]) for name in by_plain if name.endswith(suffixes[0])]:
            columns = (by_plain.get(stem + suffix, "") for suffix in suffixes)
            family = tuple(itertools.takewhile(bool, columns))
            behind = suffixes[len(family) + 1 : len(family) + 1 + _GAP]
            if len(family) >= 2 and not any(stem + suffix in by_plain for suffix in behind):
                yield Family(stem=stem, columns=family, lettered=suffixes is _LETTERS)
