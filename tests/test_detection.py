"""Detection: shapes in which public benchmarks are released, with invented text.

Each is read right, or asked about; none is read wrongly in silence.
"""

from __future__ import annotations

import csv
import io
import json
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchaudit.errors import MappingError
from benchaudit.mapping import _places, resolve
from benchaudit.mapping.batch import bind, row_reader
from benchaudit.mapping.candidates import Candidate
from benchaudit.mapping.detect import propose
from benchaudit.mapping.literal import decode_json
from benchaudit.mapping.prefixes import prefixes
from benchaudit.mapping.row import Item
from benchaudit.mapping.trial import tried
from benchaudit.models import ColumnMapping
from benchaudit.reading import open_table
from benchaudit.reading.engine import engine

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Truth:
    """One invented item: what a row says, however it says it."""

    number: int
    question: str
    options: tuple[str, ...]
    gold: int

    @property
    def letter(self) -> str:
        return "ABCDEFGHIJ"[self.gold]

    @property
    def text(self) -> str:
        return self.options[self.gold]

    @property
    def wrong(self) -> list[str]:
        return [option for place, option in enumerate(self.options) if place != self.gold]


WORDS = ("heron", "lantern, lit", "a copper kettle", "moss", "the ninth bell", "ink", "reeds; tall", "salt")


def truths(k: int = 4, rows: int = 24) -> list[Truth]:
    """Items of k options whose golds go through all places."""
    return [
        Truth(
            number=number,
            question=f"Which of these is no. {number}?",
            options=tuple(f"{WORDS[(number + place) % len(WORDS)]} {place}" for place in range(k)),
            gold=(number * 3 + number // k) % k,
        )
        for number in range(rows)
    ]


def written(path: Path, records: Sequence[Record]) -> Path:
    """Write records as the file's name says."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    elif path.suffix == ".csv":
        text = io.StringIO(newline="")
        table = csv.DictWriter(text, list(records[0]))
        table.writeheader()
        table.writerows(records)
        path.write_text(text.getvalue(), encoding="utf-8", newline="")
    else:
        pq.write_table(pa.Table.from_pylist([dict(record) for record in records]), path)
    return path


def read(path: Path, **asked: Any) -> tuple[ColumnMapping, list[Item], tuple[str, ...]]:
    """Detect the mapping of a file, and read its rows under it."""
    path = path.resolve()
    with engine([path], path.parent) as connection:
        table = open_table(path, path.name, path.parent, connection)
        proposal = resolve(table, ColumnMapping(**asked), connection)
        binding = bind(table, proposal.mapping, ())
        of_row = row_reader(binding)
        rows = connection.execute(
            f"SELECT {', '.join([*binding.arguments, 'unreadable'])} FROM {table.relation}"
        )
        items = [of_row(row[:-1], row[-1]).item for row in rows.fetchall()]
    return proposal.mapping, items, proposal.evidence


def _messages(question: str, answer: str) -> list[Record]:
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


def _bigbench(t: Truth) -> Record:
    scores = {option: int(place == t.gold) for place, option in enumerate(t.options)}
    return {"input": t.question, "target_scores": scores}


def _one_hot(t: Truth) -> list[int]:
    return [int(place == t.gold) for place in range(len(t.options))]


def _gold_first(t: Truth) -> list[str]:
    return [t.text, *t.wrong]


def _lettered(t: Truth, name: str) -> dict[str, str]:
    return {name.format("ABCDEFGHIJ"[place]): option for place, option in enumerate(t.options)}


def _numbered(t: Truth, name: str, base: int) -> dict[str, str]:
    return {name.format(place + base): option for place, option in enumerate(t.options)}


def _listed(t: Truth) -> dict[str, list[str]]:
    return {"text": list(t.options), "label": list("ABCDEFGHIJ"[: len(t.options)])}


SHAPES: dict[str, tuple[int, Callable[[Truth], Record]]] = {
    "mmlu": (
        4,
        lambda t: {"question": t.question, "subject": "lore", "choices": list(t.options), "answer": t.gold},
    ),
    "mmlu-letters": (
        4,
        lambda t: {"question": t.question, **_lettered(t, "{}"), "answer": t.letter, "subject": "lore"},
    ),
    "mmlu-pro": (
        10,
        lambda t: {
            "question_id": t.number,
            "question": t.question,
            "options": list(t.options),
            "answer": t.letter,
            "answer_index": t.gold,
            "cot_content": "",
            "category": "lore",
        },
    ),
    "arc": (
        4,
        lambda t: {
            "id": f"q{t.number}",
            "question": t.question,
            "choices": _listed(t),
            "answerKey": t.letter,
        },
    ),
    "openbookqa": (
        4,
        lambda t: {
            "id": f"{t.number:x}-1",
            "question_stem": t.question,
            "choices": _listed(t),
            "fact1": "reeds are tall",
            "answerKey": t.letter,
        },
    ),
    "commonsenseqa": (
        5,
        lambda t: {
            "id": f"{t.number:x}",
            "question": {
                "stem": t.question,
                "choices": [
                    {"label": "ABCDE"[place], "text": option} for place, option in enumerate(t.options)
                ],
            },
            "answerKey": t.letter,
        },
    ),
    "hellaswag": (
        4,
        lambda t: {
            "ind": t.number,
            "activity_label": "Rowing",
            "ctx_a": "A man rows.",
            "ctx_b": "he",
            "ctx": "A man rows. he",
            "endings": list(t.options),
            "source_id": f"v_{t.number}",
            "split": "val",
            "split_type": "indomain",
            "label": str(t.gold),
        },
    ),
    "swag": (
        4,
        lambda t: {
            "video-id": f"v{t.number}",
            "startphrase": t.question,
            "sent1": "A man rows.",
            "sent2": "He",
            "gold-source": "gold",
            **_numbered(t, "ending{}", 0),
            "label": t.gold,
        },
    ),
    "winogrande": (
        2,
        lambda t: {"sentence": t.question, **_numbered(t, "option{}", 1), "answer": str(t.gold + 1)},
    ),
    "piqa": (2, lambda t: {"goal": t.question, **_numbered(t, "sol{}", 1), "label": t.gold}),
    "copa": (
        2,
        lambda t: {
            "premise": t.question,
            **_numbered(t, "choice{}", 1),
            "question": "cause",
            "idx": t.number,
            "label": t.gold,
        },
    ),
    "head-qa": (
        4,
        lambda t: {
            "category": "nursing",
            "qid": str(t.gold),
            "qtext": t.question,
            "ra": t.gold + 1,
            "answers": [{"aid": p + 1, "atext": o} for p, o in enumerate(t.options)],
        },
    ),
    "judgebench": (
        2,
        lambda t: {
            "question": t.question,
            "response_A": t.options[0],
            "response_B": t.options[1],
            "label": "BA"[t.gold == 0] + ">" + "AB"[t.gold == 0],
        },
    ),
    "story cloze as it was sent": (
        2,
        lambda t: {
            "InputStoryid": f"s{t.number}",
            "InputSentence1": t.question,
            **_numbered(t, "RandomFifthSentenceQuiz{}", 1),
            "AnswerRightEnding": t.gold + 1,
        },
    ),
    "omni-med-vqa": (
        4,
        lambda t: (
            {"question_id": f"o{t.number}", "question": t.question, "gt_answer": t.text}
            | _lettered(t, "option_{}")
        ),
    ),
    "story cloze": (
        2,
        lambda t: {
            "sentence_quiz1": t.options[0],
            "sentence_quiz2": t.options[1],
            "answer_right_ending": t.gold + 1,
        },
    ),
    "social-iqa": (
        3,
        lambda t: {
            "context": "Al rows.",
            "question": t.question,
            **_lettered(t, "answer{}"),
            "label": str(t.gold + 1),
        },
    ),
    "alpha-nli": (
        2,
        lambda t: {
            "story_id": f"s{t.number}",
            "obs1": "It rained.",
            "obs2": "It dried.",
            **_numbered(t, "hyp{}", 1),
            "label": t.gold + 1,
        },
    ),
    "cosmos-qa": (
        4,
        lambda t: {
            "id": f"c{t.number}",
            "context": "x",
            "question": t.question,
            **_numbered(t, "answer{}", 0),
            "label": t.gold,
        },
    ),
    "casehold": (
        5,
        lambda t: {
            "example_id": t.number,
            "citing_prompt": t.question,
            **_numbered(t, "holding_{}", 0),
            "label": t.gold,
        },
    ),
    "a winner's column for each response": (
        2,
        lambda t: {
            "id": t.number,
            "prompt": t.question,
            "response_a": t.options[0],
            "response_b": t.options[1],
            "winner_model_a": 1 - t.gold,
            "winner_model_b": t.gold,
            "winner_tie": 0,
        },
    ),
    "a flag for each option": (
        4,
        lambda t: {
            "question": t.question,
            **_numbered(t, "option_{}", 1),
            **{f"is_correct_{place}": place - 1 == t.gold for place in range(1, 5)},
        },
    ),
    "sciq": (
        4,
        lambda t: {
            "question": t.question,
            **{f"distractor{(place + 2) % 3 + 1}": option for place, option in enumerate(t.wrong)},
            "correct_answer": t.text,
            "support": "Reeds are tall.",
        },
    ),
    "gpqa": (
        4,
        lambda t: {
            "Pre-Revision Question": t.question,
            "Pre-Revision Correct Answer": f"older {t.text}",
            **{f"Pre-Revision Incorrect Answer {place}": f"older {o}" for place, o in enumerate(t.wrong, 1)},
            "Question": t.question,
            "Correct Answer": t.text,
            **{f"Incorrect Answer {place}": option for place, option in enumerate(t.wrong, 1)},
            "Explanation": "because",
            "Record ID": f"rec{t.number}",
        },
    ),
    "race": (
        4,
        lambda t: {
            "example_id": f"high{t.number}.txt",
            "article": "Reeds grow.",
            "answer": t.letter,
            "question": t.question,
            "options": list(t.options),
        },
    ),
    "dream": (
        3,
        lambda t: {
            "id": t.number,
            "dialogue_id": "d1",
            "dialogue": ["M: Row!", "W: No."],
            "question": t.question,
            "choice": list(t.options),
            "answer": t.text,
        },
    ),
    "medmcqa": (
        4,
        lambda t: {
            "id": f"m{t.number}",
            "question": t.question,
            "opa": t.options[0],
            "opb": t.options[1],
            "opc": t.options[2],
            "opd": t.options[3],
            "cop": t.gold,
            "choice_type": "single",
            "exp": None,
        },
    ),
    "medqa": (
        5,
        lambda t: {
            "question": t.question,
            "answer": t.text,
            "options": dict(zip("ABCDE", t.options, strict=True)),
            "meta_info": "step1",
            "answer_idx": t.letter,
        },
    ),
    "truthfulqa-generation": (
        4,
        lambda t: {
            "type": "Adversarial",
            "question": t.question,
            "best_answer": t.text,
            "correct_answers": [t.text, "another right one"],
            "incorrect_answers": t.wrong,
            "source": "invented",
        },
    ),
    "lab-bench": (
        4,
        lambda t: {"id": f"l{t.number}", "question": t.question, "ideal": t.text, "distractors": t.wrong},
    ),
    "codah": (
        4,
        lambda t: {
            "id": t.number,
            "question_category": 2,
            "question_propmt": t.question,
            "candidate_answers": list(t.options),
            "correct_answer_idx": t.gold,
        },
    ),
    "a-okvqa": (
        4,
        lambda t: {
            "question_id": f"a{t.number}",
            "question": t.question,
            "choices": list(t.options),
            "correct_choice_idx": t.gold,
            "direct_answers": [t.text, "reeds"],
        },
    ),
    "egoschema": (
        5,
        lambda t: (
            {"question_idx": str(t.number), "question": t.question, "option": list(t.options)}
            | {"answer": str(t.gold)}
        ),
    ),
    "egoschema-columns": (
        5,
        lambda t: (
            {"q_uid": f"e{t.number}", "question": t.question, **_numbered(t, "option {}", 0)}
            | {"truth": t.gold}
        ),
    ),
    "swag-full": (
        4,
        lambda t: {
            "startphrase": t.question,
            "gold-ending": t.text,
            **{f"distractor-{place}": option for place, option in enumerate(t.wrong)},
            "gold-source": "gold",
            "distractor-0-type": "n",
        },
    ),
    "names made like those that are known": (
        4,
        lambda t: {
            "question": t.question,
            "mcOptionsList": list(t.options),
            "trueLabel": t.letter,
            "correct_options": t.options[:2],
        },
    ),
    "a list by its own name beside one made like it": (
        4,
        lambda t: {
            "question": t.question,
            "original_choices": list(t.options[::-1]),
            "choices": list(t.options),
            "answer": t.letter,
        },
    ),
    "truthfulqa-mc": (
        4,
        lambda t: {
            "question": t.question,
            "mc1_targets": {"choices": _gold_first(t), "labels": [1, 0, 0, 0]},
            "mc2_targets": {"choices": [*_gold_first(t), "yet another"], "labels": [1, 0, 0, 0, 1]},
        },
    ),
    "big-bench": (4, _bigbench),
    "big-bench-lists": (
        4,
        lambda t: {
            "idx": t.number,
            "inputs": t.question,
            "targets": [t.text],
            "multiple_choice_targets": list(t.options),
            "multiple_choice_scores": _one_hot(t),
        },
    ),
    "logiqa": (
        4,
        lambda t: {"context": "x", "query": t.question, "options": list(t.options), "correct_option": t.gold},
    ),
    "quail": (
        4,
        lambda t: {
            "id": f"u{t.number}",
            "context": "x",
            "question": t.question,
            "answers": list(t.options),
            "correct_answer_id": t.gold,
        },
    ),
    "belebele": (
        4,
        lambda t: {
            "link": "invented",
            "flores_passage": "x",
            "question": t.question,
            **_numbered(t, "mc_answer{}", 1),
            "correct_answer_num": str(t.gold + 1),
        },
    ),
    "kmmlu": (
        4,
        lambda t: {"question": t.question, "answer": t.gold + 1, **_lettered(t, "{}"), "Category": "lore"},
    ),
    "mmmu": (
        4,
        lambda t: {
            "id": f"v{t.number}",
            "question": t.question,
            "options": repr(list(t.options)),
            "answer": t.letter,
        },
    ),
    "mixed-case-letters": (
        4,
        lambda t: {"question": t.question, "options": list(t.options), "answer": f"({t.letter.lower()})"},
    ),
    "letters-with-the-text": (
        4,
        lambda t: {"question": t.question, "options": list(t.options), "answer": f"{t.letter}. {t.text}"},
    ),
    "letters-with-the-text-in-another-dress": (
        4,
        lambda t: {
            "question": t.question,
            "choices": [f"{'ABCD'[place]}. {option}" for place, option in enumerate(t.options)],
            "answer": f"({t.letter.lower()}) {t.text} ",
        },
    ),
    "letters-with-the-text-of-columns": (
        4,
        lambda t: {"question": t.question, **_lettered(t, "{}"), "answer": f"{t.letter}: {t.text}"},
    ),
    "letters-that-name-columns": (
        4,
        lambda t: {
            "question": t.question,
            **_lettered(t, "option_{}"),
            "correct_option": f"option_{t.letter}",
        },
    ),
    "columns-named-by-gold-in-other-marks": (
        2,
        lambda t: (
            {"prompt": t.question, **_numbered(t, "response_{}", 1)}
            | {"preference": f"Response {t.gold + 1}"}
        ),
    ),
    "columns-named-by-gold": (
        3,
        lambda t: {"question": t.question, **_numbered(t, "choice{}", 1), "answer": f"choice{t.gold + 1}"},
    ),
    "records-that-say-correct": (
        4,
        lambda t: {
            "question": t.question,
            "answers": [{"text": option, "correct": option == t.text} for option in t.options],
        },
    ),
    "ranked-answers": (
        4,
        lambda t: {
            "prompt": t.question,
            "answers": [
                {"answer": option, "model": "m", "rank": 1 + (place - t.gold) % 4}
                for place, option in enumerate(t.options)
            ],
        },
    ),
    "summaries": (
        2,
        lambda t: {
            "info": {"id": f"t{t.number}", "post": t.question},
            "summaries": [{"text": option, "policy": "p", "note": None} for option in t.options],
            "choice": t.gold,
        },
    ),
    "texts-in-records": (
        4,
        lambda t: {
            "question": t.question,
            "options": [{"text": option} for option in t.options],
            "answer": t.letter,
        },
    ),
    "chosen-and-rejected": (
        2,
        lambda t: {
            "prompt": t.question,
            "chosen": t.text,
            "chosen_model": "m",
            "rejected": t.wrong[0],
            "id": t.number,
        },
    ),
    "chosen-and-rejected-by-longer-names": (
        2,
        lambda t: {"prompt": t.question, "chosen_response": t.text, "rejected_response": t.wrong[0]},
    ),
    "preferred-and-non-preferred-output": (
        2,
        lambda t: {
            "input": {"messages": _messages(t.question, "")[:1]},
            "preferred_output": _messages(t.question, t.text)[1:],
            "non_preferred_output": _messages(t.question, t.wrong[0])[1:],
        },
    ),
    "chosen-and-rejected-as-a-message-each": (
        2,
        lambda t: {
            "conversations": [{"from": "human", "value": t.question}],
            "chosen": {"from": "gpt", "value": t.text},
            "rejected": {"from": "gpt", "value": t.wrong[0]},
        },
    ),
    "ultrafeedback": (
        2,
        lambda t: {
            "prompt": t.question,
            "prompt_id": f"{t.number:x}",
            "chosen": _messages(t.question, t.text),
            "rejected": _messages(t.question, t.wrong[0]),
            "messages": _messages(t.question, t.text),
            "score_chosen": 8.0,
            "score_rejected": 3.5,
        },
    ),
    "reward-bench-2": (
        4,
        lambda t: {
            "id": f"r{t.number}",
            "prompt": t.question,
            "chosen": [t.text],
            "rejected": t.wrong,
            "num_correct": 1,
        },
    ),
    "outputs-from-1": (
        2,
        lambda t: {"input": t.question, **_numbered(t, "output_{}", 1), "label": t.gold + 1},
    ),
    "safe-rlhf": (
        2,
        lambda t: {"prompt": t.question, **_numbered(t, "response_{}", 0), "better_response_id": t.gold},
    ),
    "arena": (
        2,
        lambda t: {
            "question_id": f"{t.number:x}",
            "conversation_a": _messages(t.question, t.options[0]),
            "conversation_b": _messages(t.question, t.options[1]),
            "winner": f"model_{t.letter.lower()}",
        },
    ),
    "personamem": (
        4,
        lambda t: {
            "question_id": f"p{t.number}",
            "user_question_or_message": t.question,
            "correct_answer": f"({t.letter.lower()})",
            "all_options": repr([f"({'abcd'[place]}) {o}" for place, o in enumerate(t.options)]),
        },
    ),
    "personamem-2": (
        4,
        lambda t: {
            "user_query": t.question,
            "correct_answer": t.text,
            "incorrect_answers": json.dumps(t.wrong),
            "preference": "He likes reeds",
        },
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("container", ["jsonl", "parquet"])
def test_a_shape_is_read_right_unasked(shape, container, tmp_path):
    k, row = SHAPES[shape]
    wanted = truths(k)
    if shape == "big-bench" and container == "parquet":
        # Parquet gives every row all names that any row has; what is not there is null.
        wanted = wanted[:8]
    _, items, _ = read(written(tmp_path / f"test.{container}", [row(truth) for truth in wanted]))
    assert [item.left_out for item in items] == [None] * len(wanted)
    assert [item.options[item.gold] for item in items] == [truth.text for truth in wanted]
    assert [sorted(item.options) for item in items] == [sorted(truth.options) for truth in wanted]


FLAT = [
    name
    for name, (k, row) in SHAPES.items()
    if all(not isinstance(v, list | dict) for v in row(truths(k)[0]).values())
]


@pytest.mark.parametrize("shape", FLAT)
def test_a_shape_is_read_right_from_csv(shape, tmp_path):
    k, row = SHAPES[shape]
    wanted = truths(k)
    _, items, _ = read(written(tmp_path / "test.csv", [row(truth) for truth in wanted]))
    assert [item.options[item.gold] for item in items] == [truth.text for truth in wanted]


QUESTIONS: dict[str, tuple[int, Callable[[Truth], Record], str]] = {
    "a label that says whether A is preferred": (
        2,
        lambda t: {
            "history": t.question,
            "human_ref_A": t.options[0],
            "human_ref_B": t.options[1],
            "labels": 1 - t.gold,
            "score_A": 5,
            "score_B": 3,
        },
        r"'labels'.*--gold-encoding index0, and --options",
    ),
    "a sign that says which of two is better": (
        2,
        lambda t: {
            "prompt": t.question,
            **_numbered(t, "response_{}", 1),
            "label": 0 if t.number % 5 == 0 else 1 - 2 * t.gold,
        },
        "'label' is -1 now and then beside two options.*--gold-encoding index0 if gold is hidden",
    ),
    "a sign without a nought": (
        2,
        lambda t: {"prompt": t.question, **_numbered(t, "response_{}", 1), "label": 1 - 2 * t.gold},
        "'label' is -1 now and then beside two options",
    ),
    "two sentences and whether they say the same": (
        2,
        lambda t: {"sentence1": t.options[0], "sentence2": t.options[1], "label": t.gold, "idx": t.number},
        "--options",
    ),
    "places that start nobody knows where": (
        4,
        lambda t: {"question": t.question, "choices": list(t.options), "answer": 1 + t.gold % 3},
        "--gold-encoding index0 or --gold-encoding index1",
    ),
    "numbers that are options and places": (
        4,
        lambda t: {"question": t.question, "choices": ["3", "0", "1", "2"], "answer": str(t.gold)},
        "--gold-encoding index0 or --gold-encoding text",
    ),
    "two gold columns that disagree": (
        4,
        lambda t: {
            "question": t.question,
            "options": list(t.options),
            "answer": t.letter,
            "label": (t.gold + 1) % 4,
        },
        "more than one mapping fits",
    ),
    "two sets of options with scores": (
        4,
        lambda t: {
            "question": t.question,
            "mc0_targets": {t.text: 1, t.wrong[0]: 0},
            "mc1_targets": {option: int(option == t.text) for option in t.options},
        },
        "more than one mapping fits.*--options 'mc",
    ),
    "distractors that may be joined": (
        4,
        lambda t: {"Question": t.question, "Best Answer": t.text, "Incorrect Answers": "; ".join(t.wrong)},
        "--option-separator ';', or --option-separator none",
    ),
    "options that may be joined": (
        4,
        lambda t: {"question": t.question, "options": " | ".join(t.options), "answer": t.letter},
        r"--option-separator '\|'",
    ),
    "options in the question": (
        4,
        lambda t: {
            "question": t.question + "".join(f"\n{'ABCD'[p]}. {o}" for p, o in enumerate(t.options)),
            "answer": t.letter,
        },
        "--options-in-question, and --gold",
    ),
    "options behind marks in a text of their own": (
        5,
        lambda t: {
            "Problem": t.question,
            "options": " , ".join(f"{'abcde'[p]} ) {p * 11}" for p in range(5)),
            "correct": t.letter.lower(),
        },
        "--options 'options' --options-in-question",
    ),
    "no gold column": (
        4,
        lambda t: {"question": t.question, "choices": list(t.options), "winner_is_hidden": t.letter},
        "no column is recognised as their gold - set --gold",
    ),
    "distractors of two kinds": (
        4,
        lambda t: {"correct_answer": t.text, "distractors": t.wrong, "incorrect_answers": t.wrong[:2]},
        "set --gold 'correct_answer' --distractors",
    ),
    "no options": (4, lambda t: {"question": t.question, "answer": t.text}, "no options are recognised"),
    "a rank for each answer": (
        4,
        lambda t: {
            "prompt": t.question,
            "responses": list(t.options),
            "ranking": [1 + (p - t.gold) % 4 for p in range(4)],
        },
        "--gold-encoding scores if the highest is gold, ranks if the lowest is, order if the first is",
    ),
    "scores that are no truth values": (
        4,
        lambda t: {"input": t.question, "target_scores": {o: p * 0.3 for p, o in enumerate(t.options)}},
        "--gold-encoding scores if the highest is gold",
    ),
    "the same in place of gold and of its distractors": (
        4,
        lambda t: {
            "instruction": t.question,
            "models": ["m", "n"],
            "correct_answers": ["None"] if t.number % 6 else [t.text, "another right one"],
            "incorrect_answers": ["None"] if t.number % 6 else t.wrong,
        },
        "20 of 24 rows become items, but in 20 of them gold is one of its own distractors",
    ),
    "distractors without gold": (
        4,
        lambda t: {"question": t.question, "wrong_options": t.wrong, "what_is_it": t.text},
        "distractors 'wrong_options' are there, but no column is recognised as their gold - set --gold",
    ),
    "several questions in a row": (
        4,
        lambda t: {
            "article": "x",
            "questions": [t.question],
            "options": [list(t.options)],
            "answers": [t.letter],
        },
        "set --",
    ),
    "aliases of an open question's answer": (
        4,
        lambda t: {"question": t.question, "answer": t.text, "answers": [t.text, t.text.upper(), "the same"]},
        "options 'answers' are there, but no column is recognised as their gold",
    ),
    "a gold that names no option": (
        4,
        lambda t: {"question": t.question, "choices": list(t.options), "answer": "beyond all of them"},
        "the columns are: question, choices, answer",
    ),
    "letters beside texts": (
        4,
        lambda t: {"question": t.question, "answer": t.letter, "incorrect_answers": t.wrong},
        "set --",
    ),
}


def test_a_file_without_rows_is_said_to_have_none(tmp_path):
    (tmp_path / "test.csv").write_text("question,answer,A,B\n")
    with pytest.raises(MappingError, match="has no row that can be read"):
        read(tmp_path / "test.csv")


def test_a_named_gold_that_names_nothing_is_said_to(tmp_path):
    rows = [{"choices": list(t.options), "answer": "hm"} for t in truths(4)]
    with pytest.raises(MappingError, match="gold 'answer' names none of the options 'choices'"):
        read(written(tmp_path / "test.jsonl", rows), options=("choices",), gold="answer")


@pytest.mark.parametrize("shape", QUESTIONS)
def test_a_doubtful_shape_is_a_question_that_names_its_flag(shape, tmp_path):
    k, row, asked = QUESTIONS[shape]
    with pytest.raises(MappingError, match=asked):
        read(written(tmp_path / "test.jsonl", [row(truth) for truth in truths(k)]))


ANSWERS: dict[str, tuple[str, dict[str, Any]]] = {
    "the preference for A": (
        "a label that says whether A is preferred",
        {"options": ("human_ref_B", "human_ref_A"), "gold_encoding": "index0"},
    ),
    "joined distractors": ("distractors that may be joined", {"option_separator": ";"}),
    "joined options": ("options that may be joined", {"option_separator": "|"}),
    "marks in the question": ("options in the question", {"options_in_question": True, "gold": "answer"}),
    "ranks": ("a rank for each answer", {"gold_encoding": "ranks"}),
    "the right one of two gold columns": ("two gold columns that disagree", {"gold": "answer"}),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_flag_that_a_question_names_answers_it(answer, tmp_path):
    shape, asked = ANSWERS[answer]
    k, row, _ = QUESTIONS[shape]
    wanted = truths(k)
    _, items, _ = read(written(tmp_path / "test.jsonl", [row(truth) for truth in wanted]), **asked)
    assert [item.options[item.gold] for item in items if item.gold is not None] == [
        truth.text for truth, item in zip(wanted, items, strict=True) if item.gold is not None
    ]
    assert sum(item.gold is not None for item in items) >= len(wanted) / 2


def test_a_value_equal_to_k_settles_where_places_start(tmp_path):
    rows = [{"question": "?", "choices": ["a", "b", "c"], "answer": answer} for answer in (1, 2, 3, 1)]
    mapping, _, evidence = read(written(tmp_path / "test.jsonl", rows))
    assert mapping.gold_encoding == "index1"
    assert "not as index0: 1 of the first 4 rows would be defective" in evidence


def test_another_gold_column_settles_where_places_start(tmp_path):
    rows = [
        {"question": "?", "options": ["u", "v", "w", "x"], "answer": letter, "answer_index": index}
        for letter, index in (("B", 1), ("C", 2), ("B", 1))
    ]
    mapping, _, _ = read(written(tmp_path / "test.jsonl", rows))
    assert (mapping.gold, mapping.gold_encoding) == ("answer", "letter")


def test_hidden_labels_of_minus_one_are_no_places(tmp_path):
    rows = [{"goal": "?", "sol1": "a", "sol2": "bb", "label": -1} for _ in range(5)]
    _, items, evidence = read(written(tmp_path / "test.jsonl", rows))
    assert {item.left_out for item in items} == {"unlabelled"}
    assert "no row names its gold, so there will be no figures" in evidence


def test_a_hidden_split_behind_a_labelled_one_is_no_comparison(tmp_path):
    rows = [{"goal": "?", "sol1": "a", "sol2": "bb", "label": n % 2 if n < 30 else -1} for n in range(60)]
    mapping, items, _ = read(written(tmp_path / "test.jsonl", rows))
    assert mapping.gold_encoding == "index0"
    assert [item.left_out for item in items] == [None] * 30 + ["unlabelled"] * 30


@pytest.mark.parametrize("apart", [False, True])
def test_open_questions_say_nothing_of_how_gold_names_an_option(apart, tmp_path):
    """Half of the questions and more have no options, and a number or some words for an answer."""
    rows: list[Record] = []
    for t in truths(4):
        asks = t.number % 3 == 0
        options = _lettered(t, "{}") if apart else {"options": list(t.options)}
        none = dict.fromkeys(_lettered(t, "{}"), "") if apart else {"options": []}
        rows.append(
            {"question": t.question, **(options if asks else none)}
            | {"answer": t.letter if asks else f"{t.number} reeds"}
        )
    mapping, items, _ = read(written(tmp_path / "test.parquet", rows))
    assert mapping.gold_encoding == "letter"
    assert [item.left_out for item in items] == [None, "no-options", "no-options"] * 8


@pytest.mark.parametrize("hidden", ["?", "N/A", "hidden", "-1", "nan"])
def test_a_split_whose_gold_is_hidden_is_unlabelled(hidden, tmp_path):
    """More hidden golds than letters do not make the letters another encoding."""
    rows = [
        {"question": f"{n}?", "options": ["u", "v", "w", "x"], "answer": "BD"[n] if n < 2 else hidden}
        for n in range(6)
    ]
    mapping, items, _ = read(written(tmp_path / "test.jsonl", rows))
    assert mapping.gold_encoding == "letter"
    assert [item.left_out for item in items] == [None] * 2 + ["unlabelled"] * 4


def test_letters_and_places_beside_each_other_are_read_where_places_start_at_nought(tmp_path):
    def rows(*answers: Any) -> list[Record]:
        return [{"question": "?", "options": ["u", "v", "w", "x"], "answer": answer} for answer in answers]

    mapping, items, _ = read(written(tmp_path / "test.jsonl", rows(0, 1, 3, "D", "B", "C")))
    assert mapping.gold_encoding == "letter"
    assert [item.gold for item in items] == [0, 1, 3, 3, 1, 2]
    with pytest.raises(MappingError):
        read(written(tmp_path / "test.jsonl", rows(1, 2, 3, "D", "B", "C")))


@pytest.mark.parametrize(
    ("options", "golds"),
    [(["Oslo", "Bern", "Rome", "Lima"], ["oslo", "Bern.", "Rome", "Lima", "Oslo"]), (None, list("DDABC"))],
    ids=["spelled otherwise", "places of empty cells"],
)
def test_golds_that_are_understood_and_are_no_option_speak_for_a_mapping(options, golds, tmp_path):
    rows: list[Record] = [
        {"question": "?", "options": options, "answer": gold}
        if options
        else {"question": "?", "A": "u", "B": "v", "C": "w", "D": "", "answer": gold}
        for gold in golds
    ]
    _, items, _ = read(written(tmp_path / f"test.{'jsonl' if options else 'csv'}", rows))
    assert [item.left_out for item in items] == ["gold-not-in-options"] * 2 + [None] * 3


def test_options_under_one_name_are_never_read_as_fewer(tmp_path):
    options = '{"A": "u", "B": "v", "B": "w", "D": "x"}'
    path = tmp_path / "test.jsonl"
    path.write_text(f'{{"question": "?", "options": {options}, "answer": "A"}}\n' * 4)
    with pytest.raises(MappingError, match="in the records of 'options' a name stands twice"):
        read(path)
    asked = {"options": ("options.A", "options.B"), "gold": "answer", "gold_encoding": "letter"}
    _, items, _ = read(path, **asked)
    assert [item.left_out for item in items] == ["repeated-name"] * 4


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"text": ["u", "v", "w", "x"], "label": ["A", "B", "C"]}, "unreadable-options"),
        ({"text": ["u", "v", "w", "x"], "label": ["A", "A", "C", "D"]}, "gold-ambiguous"),
        ({"text": ["u"], "label": ["A"]}, "one-option"),
    ],
)
def test_options_that_are_broken_say_nothing_against_their_gold(broken, reason, tmp_path):
    sound = {"text": ["u", "v", "w", "x"], "label": ["A", "B", "C", "D"]}
    rows = [
        {"question": "?", "choices": broken if number < 2 else sound, "answerKey": "A"} for number in range(5)
    ]
    mapping, items, _ = read(written(tmp_path / "test.jsonl", rows))
    assert (mapping.gold, mapping.gold_encoding) == ("answerKey", "labels")
    assert [item.left_out for item in items] == [reason] * 2 + [None] * 3


@pytest.mark.parametrize("names", [("A", "B", "D"), ("option1", "option2", "option4"), ("opa", "opb", "opd")])
def test_columns_before_a_gap_are_not_taken_for_all_options(names, tmp_path):
    rows = [
        {"question": "?", **dict.fromkeys(names, "x"), names[-1]: "longer", "answer": "AB"[n % 2]}
        for n in range(4)
    ]
    with pytest.raises(MappingError, match="set --options"):
        read(written(tmp_path / "test.csv", rows))
    mapping, items, _ = read(written(tmp_path / "test.csv", rows), options=names, gold_encoding="letter")
    assert mapping.options == names
    assert [len(item.options) for item in items] == [3] * 4


def test_options_that_only_late_records_have_are_options(tmp_path):
    """A file of several in one: the first 2,000 records have four options, the last ones up to six."""
    wanted = [*truths(4, 2000), *truths(6, 12), *truths(5, 10)]
    rows = [
        {"question": t.question, **_lettered(t, "option_{}"), "note": 'no "option_g"', "answer": t.letter}
        for t in wanted
    ]
    mapping, items, _ = read(written(tmp_path / "test.jsonl", rows))
    assert len(mapping.options) == 6
    assert [item.options[item.gold] for item in items if item.gold is not None] == [t.text for t in wanted]
    assert [len(item.options) for item in items[1990:]] == [4] * 10 + [6] * 12 + [5] * 10


def test_ties_are_no_encoding(tmp_path):
    winners = ("model_a", "tie", "tie (bothbad)", "model_b", "tie")
    rows = [{"prompt": "?", "response_a": "u", "response_b": "v", "winner": winner} for winner in winners]
    mapping, items, _ = read(written(tmp_path / "test.jsonl", rows))
    assert (mapping.gold, mapping.gold_encoding) == ("winner", "letter")
    assert [item.gold for item in items] == [0, None, None, 1, None]
    assert {item.left_out for item in items} == {None, "several-golds"}


def test_a_repeated_value_is_no_id(tmp_path):
    rows = [
        {"id": "all the same", "question": "?", "options": ["u", "v"], "answer": letter} for letter in "ABBA"
    ]
    mapping, _, _ = read(written(tmp_path / "test.jsonl", rows))
    assert mapping.id == ""


def test_what_the_user_names_in_full_is_taken_at_their_word(tmp_path):
    rows = [{"frage": "?", "auswahl": [], "loesung": None} for _ in range(3)]
    asked = {"options": ("auswahl",), "gold": "loesung", "gold_encoding": "letter"}
    mapping, items, _ = read(written(tmp_path / "test.jsonl", rows), **asked)
    assert mapping.options == ("auswahl",)
    assert {item.left_out for item in items} == {"no-options"}


def test_columns_that_the_user_names_are_taken_though_there_is_a_list_too(tmp_path):
    """Which of the two is meant is asked where none is named; to name either is an answer."""
    rows = [
        {"question": f"{n}?", "A": "xxxx", "B": "yy", "options": ["a", "bb"], "answer": "AB"[n % 2]}
        for n in range(8)
    ]
    path = written(tmp_path / "test.jsonl", rows)
    with pytest.raises(MappingError, match="set --options 'A,B'"):
        read(path)
    for named in (("A", "B"), ("options",)):
        assert read(path, options=named)[0].options == named


def test_a_list_does_not_take_the_place_of_columns_that_the_user_names(tmp_path):
    """However badly they fit, and however well the list would."""
    rows = [{"A": "x", "B": "y", "options": ["a", "bb"], "answer": "bb"} for _ in range(8)]
    path = written(tmp_path / "test.jsonl", rows)
    asked = {"options": ("A", "B"), "gold": "answer"}
    with pytest.raises(MappingError, match="names none of the options 'A', 'B'"):
        read(path, **asked)
    mapping, items, _ = read(path, **asked, gold_encoding="text")
    assert mapping.options == ("A", "B")
    assert {item.left_out for item in items} == {"gold-not-in-options"}


def test_distractors_and_a_gold_that_is_a_place_contradict_each_other(tmp_path):
    rows = [{"question": "?", "answer": 1, "distractors": ["a", "b"]}] * 2
    with pytest.raises(MappingError, match="leave --gold-encoding or --distractors out"):
        read(
            written(tmp_path / "test.jsonl", rows),
            distractors=("distractors",),
            gold="answer",
            gold_encoding="index0",
        )


def test_options_and_distractors_contradict_each_other(tmp_path):
    rows = [{"question": "?", "options": ["a", "b"], "answer": "a", "distractors": ["b"]}] * 2
    with pytest.raises(MappingError, match="leave --options or --distractors out"):
        read(written(tmp_path / "test.jsonl", rows), options=("options",), distractors=("distractors",))


def test_a_place_deep_inside_records_is_reached_by_name(tmp_path):
    rows = [
        {"q": {"body": {"set": {"opts": ["red", "blue"]}}}, "key": {"by": {"hand": {"at": letter}}}}
        for letter in "ABBA"
    ]
    path = written(tmp_path / "test.jsonl", rows)
    mapping, items, _ = read(path, options=("q.body.set.opts",), gold="key.by.hand.at")
    assert mapping.gold_encoding == "letter"
    assert [item.gold for item in items] == [0, 1, 1, 0]


def test_a_place_is_looked_for_in_the_column_with_the_longest_name(tmp_path):
    rows = [
        {"q": {"name": "?"}, "q.body": {"set": {"of": {"opts": ["red", "blue"]}}}, "key": letter}
        for letter in "ABBA"
    ]
    path = written(tmp_path / "test.jsonl", rows)
    mapping, items, _ = read(path, options=("q.body.set.of.opts",))
    assert (mapping.gold, mapping.gold_encoding) == ("key", "letter")
    assert [item.gold for item in items] == [0, 1, 1, 0]


def test_scores_that_are_asked_for_are_those_of_the_options(tmp_path):
    rows = [{"input": "?", "target_scores": {"red": 0.2, "blue": 0.7}, "targets": ["red"]} for _ in range(4)]
    path = written(tmp_path / "test.jsonl", rows)
    mapping, items, _ = read(path, options=("target_scores",), gold_encoding="scores")
    assert mapping.gold == ""
    assert {item.options[item.gold] for item in items} == {"blue"}


WINNERS = {"prompt": "Which?", "response_a": "a heron", "response_b": "moss", "winner_model_a": 0}


@pytest.mark.parametrize("container", ["jsonl", "parquet", "csv"])
def test_a_tie_in_a_column_of_its_own_is_two_golds(container, tmp_path):
    won = [{**WINNERS, "winner_model_b": b, "winner_tie": 1 - b} for b in (0, 1, 1, 0, 1)]
    hidden = [{**WINNERS, "winner_model_b": 0, "winner_tie": 0}]
    mapping, items, _ = read(written(tmp_path / f"test.{container}", [*won, *hidden]))
    assert mapping.gold == "winner_model_a,winner_model_b,winner_tie"
    assert mapping.gold_encoding == "scores"
    assert [item.left_out for item in items] == [
        *("several-golds", None, None, "several-golds", None),
        "unlabelled",
    ]
    assert {item.gold for item in items} == {1, None}


def test_columns_of_scores_are_named_together(tmp_path):
    records = [{**WINNERS, "marks": {"left": 2.5, "right": 2.0 + number}} for number in range(3)]
    path = written(tmp_path / "test.jsonl", records)
    asked = {"options": ("response_a", "response_b"), "gold": "marks.left, marks.right"}
    mapping, items, _ = read(path, gold_encoding="scores", **asked)
    assert [item.gold for item in items] == [0, 1, 1]
    assert mapping.gold_columns == ("marks.left", "marks.right")
    _, items, _ = read(path, gold_encoding="ranks", **asked)
    assert [item.gold for item in items] == [1, 0, 0]
    with pytest.raises(MappingError, match=r"no column 'winner_model_a,winner_c'"):
        read(written(tmp_path / "test.parquet", [WINNERS]), gold="winner_model_a,winner_c")


def test_a_column_with_a_comma_in_its_name_is_one(tmp_path):
    records = [{"options": list(t.options), "the answer, in full": t.text} for t in truths()]
    for container in ("jsonl", "parquet"):
        path = written(tmp_path / f"test.{container}", records)
        _, items, _ = read(path, gold="the answer, in full")
        assert [item.options[item.gold] for item in items] == [t.text for t in truths()]


def test_a_column_that_is_not_there_is_named_with_the_nearest(tmp_path):
    rows = [{"question": "?", "choices": ["a", "b"], "answer": "A"}]
    with pytest.raises(MappingError, match="has no column 'Choices' - did you mean 'choices'"):
        read(written(tmp_path / "test.csv", rows), options=("Choices",))


def test_a_labelled_file_settles_what_an_unlabelled_one_cannot(tmp_path):
    """The first of several files may be the hidden test split."""
    test = written(tmp_path / "a.jsonl", [{"question": "?", "choices": ["red", "blue"], "answer": ""}] * 2)
    train = written(
        tmp_path / "b.jsonl", [{"question": "?", "choices": ["red", "blue"], "answer": "red"}] * 2
    )
    with engine([test.resolve(), train.resolve()], tmp_path.resolve()) as connection:
        tables = [
            open_table(path.resolve(), path.name, tmp_path.resolve(), connection) for path in (test, train)
        ]
        assert resolve(tables[0], ColumnMapping(), connection, tables[1:]).mapping.gold_encoding == "text"


def test_gold_that_is_called_otherwise_in_one_of_several_files_is_not_taken_for_hidden(tmp_path):
    def mapped(*files: Sequence[Record], **asked: str) -> ColumnMapping:
        paths = [written(tmp_path.resolve() / f"{n}.jsonl", rows) for n, rows in enumerate(files)]
        with engine(paths, tmp_path.resolve()) as connection:
            tables = [open_table(path, path.name, tmp_path.resolve(), connection) for path in paths]
            return resolve(tables[0], ColumnMapping(**asked), connection, tables[1:]).mapping

    shared = {"question": "?", "choices": ["red", "blue"], "rank": 5}
    train, hidden, test = ([{**shared, **gold}] * 4 for gold in ({"answer": "A"}, {}, {"label": 0}))
    assert mapped(train, hidden).gold == "answer"
    with pytest.raises(MappingError, match=r"2.jsonl: has no column 'answer', .* but 'label'"):
        mapped(train, hidden, test)
    assert mapped(train, hidden, test, gold="answer").gold == "answer"


POOLS = (
    ("red", "blue", "green", "grey", "teal"),
    ("1", "2", "3", "4", "5"),
    ("0", "1", "2", "3", "4", "5"),
    ("-1", "0", "1", "2", "3"),
    ("1.5", "2.50", "3", "7", "10"),
    ("A", "B", "C", "D", "E"),
    ("Yes", "No", "Maybe", "True", "False"),
    ("a; b", "c | d", "e", "f, g", "h\ni"),
    ("None", "null", "NA", "nan", "[]"),
)
"""Texts that could be taken for something else."""


@pytest.mark.parametrize("seed", range(12))
def test_a_small_file_of_any_shape_is_read_right_or_asked_about(seed):
    """Where few rows leave room for two readings, neither is taken in silence."""
    draw = random.Random(seed)
    read_right = 0
    for shape, (k, row) in SHAPES.items():
        rows = draw.choice((1, 2, 3, 5, 8))
        pool = draw.choice(POOLS)
        wanted = (
            [
                Truth(n, f"Which is no. {n}?", tuple(draw.sample(pool, k)), draw.randrange(k))
                for n in range(rows)
            ]
            if k <= len(pool)
            else truths(k, rows)
        )
        sample = [dict(_with_places(decode_json(json.dumps(row(truth))))) for truth in wanted]
        columns = list(dict.fromkeys(name for cells in sample for name in cells))
        try:
            proposal = propose(sample, columns, ColumnMapping(), "test.jsonl")
        except MappingError:
            continue
        for item, truth in zip(tried(Candidate(mapping=proposal.mapping), sample).items, wanted, strict=True):
            if item.gold is not None:
                assert (shape, item.options[item.gold]) == (shape, truth.text)
        read_right += 1
    assert read_right > len(SHAPES) / 3


def _with_places(record: Record) -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        yield name, value
        yield from _places(name, value, 2)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.lists(TEXTS, min_size=2, max_size=5), min_size=2, max_size=6),
    st.randoms(use_true_random=False),
)
def test_the_same_table_is_the_same_items_in_every_container(rows, choice):
    """Whatever json, pyarrow and Python's repr write reads back to the same items."""
    records = [
        {"question": "?", "options": options, "gold": choice.randrange(len(options))} for options in rows
    ]
    asked = {"options": ("options",), "gold": "gold", "gold_encoding": "index0"}
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for name, cell in (("a.jsonl", list), ("b.parquet", list), ("c.csv", json.dumps), ("d.csv", repr)):
            cells = [{**record, "options": cell(record["options"])} for record in records]
            _, items, _ = read(written(Path(folder) / name, cells), **asked)
            found.append([(item.options, item.gold, item.left_out) for item in items])
    assert found == [found[0]] * 4
    for record, (options, gold, left_out) in zip(records, found[0], strict=True):
        assert left_out is None
        assert options[gold] == (prefixes(record["options"]).bare or record["options"])[record["gold"]]


def test_a_table_without_a_header_is_read_where_its_letters_are_all_the_places(tmp_path):
    wanted = truths(4)
    rows = "".join(
        f'"{t.question}",{",".join(f"{chr(34)}{o}{chr(34)}" for o in t.options)},{t.letter}\n' for t in wanted
    )
    path = tmp_path / "test.csv"
    path.write_text(rows, encoding="utf-8")
    mapping, items, _ = read(path)
    assert (mapping.question, mapping.options, mapping.gold) == (("1",), ("2", "3", "4", "5"), "6")
    assert [item.options[item.gold] for item in items] == [truth.text for truth in wanted]


def test_a_table_without_a_header_asks_where_a_letter_never_occurs(tmp_path):
    path = tmp_path / "test.csv"
    path.write_text(
        "".join(f"Which of these {n}?,red,blue,a green one,{'AB'[n % 2]}\n" for n in range(9)),
        encoding="utf-8",
    )
    with pytest.raises(MappingError, match="the columns are: 1, 2, 3, 4, 5"):
        read(path)
