"""Names that released benchmarks give their columns. A name is evidence, the content decides."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

QUESTION = (
    "question", "user_query", "query", "user_question_or_message", "prompt", "problem", "question_stem", "stem",
    "input", "instruction", "ctx", "sent1", "sentence", "premise", "goal", "text",
)  # fmt: skip
CONTEXT = ("context", "passage", "article", "document", "background")
OPTION_LISTS = (
    "options", "choices", "all_options", "answers", "candidates", "endings", "answer_choices", "option_list",
    "mc1_targets", "mc0_targets", "mc2_targets", "target_scores", "multiple_choice_targets", "responses",
    "completions", "alternatives",
)  # fmt: skip
DISTRACTORS = (
    "incorrect_answers", "distractors", "wrong_answers", "incorrect_options", "incorrect_choices",
    "rejected", "best_incorrect_answer", "incorrect_answer", "distractor", "false_answers", "negatives",
)  # fmt: skip
GOLD = (
    "correct_answer", "answer_key", "answerkey", "gold", "answer", "label", "correct", "cop", "target",
    "best_answer", "chosen", "answer_idx", "answer_index", "answer_letter", "correct_option", "correct_index",
    "correct_idx", "correct_choice", "gold_index", "gold_idx", "gold_label", "key", "solution", "answer_1based",
    "answer_0based", "answer_id", "labels", "targets", "multiple_choice_scores", "standard_answer", "mc_answer",
    "right_answer", "ground_truth", "preferred", "winner",
)  # fmt: skip
ID = ("id", "question_id", "item_id", "example_id", "qid", "uid", "uuid", "idx", "index", "pid", "sample_id")

_SUFFIXES = (
    [chr(ord("a") + number) for number in range(26)],
    [str(number) for number in range(30)],
    [str(number) for number in range(1, 31)],
)


def plain(name: str) -> str:
    """A name without case and marks, so that `Best Answer` and `best_answer` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def rank(name: str, known: tuple[str, ...]) -> int | None:
    """How usual the name is for its role, 0 first; None where it is not known."""
    names = [plain(item) for item in known]
    leaf = plain(name.rsplit(".", 1)[-1])
    for candidate in (plain(name), leaf):
        if candidate in names:
            return names.index(candidate)
    return None


def families(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Columns that hold one option each: one stem with A, B, C, … or 0, 1, 2, … or 1, 2, 3, … behind it."""
    by_plain = {plain(name): name for name in names}
    found = []
    for suffixes in _SUFFIXES:
        stems = [name.removesuffix(suffixes[0]) for name in by_plain if name.endswith(suffixes[0])]
        for stem in stems:
            columns = (by_plain.get(stem + suffix, "") for suffix in suffixes)
            family = tuple(itertools.takewhile(bool, columns))
            if len(family) >= 2:
                found.append(family)
    # ans1, ans2 are no family of their own beside ans0.
    return [family for family in found if not any(set(family) < set(other) for other in found)]
