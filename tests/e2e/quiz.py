"""Small benchmarks for the stage: where gold stands by length is chosen, the wording means nothing.

items = quiz("longest" for _ in range(30))
stage.repo.commit("Upload", {"data/test.csv": with_distractors(items)})
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

LETTERS = "ABCD"

Standing = Literal["longest", "shortest", "between"]
"""Where the gold of an item stands among its four options by length."""

BALANCED: tuple[Standing, ...] = ("longest", "between", "shortest", "between")
"""Golds that go round like this give nothing away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuizItem:
    """One item of four options, no two of a length; `gold` counts from 0."""

    id: str
    question: str
    options: tuple[str, ...]
    gold: int
    who: str

    @property
    def answer(self) -> str:
        """The gold's text."""
        return self.options[self.gold]

    @property
    def wrong(self) -> list[str]:
        """The other options."""
        return [option for place, option in enumerate(self.options) if place != self.gold]


def quiz(standings: Iterable[Standing], who: str = "self") -> list[QuizItem]:
    """An item for each standing; gold's place goes round, so that it tells nothing."""
    return [_item(number, standing, who) for number, standing in enumerate(standings)]


def leaky(count: int = 40, who: str = "self") -> list[QuizItem]:
    """Items whose gold is always the longest option."""
    return quiz(["longest"] * count, who)


def fair(count: int = 40, who: str = "self") -> list[QuizItem]:
    """Items whose gold is the longest or the shortest as often as by chance."""
    return quiz([BALANCED[number % 4] for number in range(count)], who)


def _item(number: int, standing: Standing, who: str) -> QuizItem:
    gold = number % 4
    rank = {"shortest": 0, "between": 1 + number // 4 % 2, "longest": 3}[standing]
    ranks = [place for place in range(4) if place != rank]
    ranks.insert(gold, rank)
    options = tuple(
        f"{who} answer {number:03d}{'abcd'[place]}{' and so on' * ranks[place]}" for place in range(4)
    )
    return QuizItem(
        id=f"{who}-{number}", question=f"What of {who} {number}?", options=options, gold=gold, who=who
    )


def with_distractors(items: Iterable[QuizItem]) -> bytes:
    """CSV: the gold's text in one column, a list of the wrong answers in another."""
    return _csv(
        _common(item) | {"correct_answer": item.answer, "incorrect_answers": json.dumps(item.wrong)}
        for item in items
    )


def with_letter(items: Iterable[QuizItem]) -> bytes:
    """CSV: a list of options, written as Python does, and the gold's letter."""
    return _csv(
        _common(item) | {"options": repr(list(item.options)), "answer": LETTERS[item.gold]} for item in items
    )


def with_option_columns(items: Iterable[QuizItem]) -> bytes:
    """JSON lines: a column for each option, and the gold's place counted from 0."""
    rows = [
        _common(item)
        | {f"option_{letter}": text for letter, text in zip("abcd", item.options, strict=True)}
        | {"answer": item.gold}
        for item in items
    ]
    return _lines(rows)


def with_answer_text(items: Iterable[QuizItem]) -> bytes:
    """A JSON array: a list of options, and the gold's text."""
    rows = [_common(item) | {"choices": list(item.options), "answer": item.answer} for item in items]
    return json.dumps(rows).encode()


def with_parquet(items: Iterable[QuizItem]) -> bytes:
    """Parquet: a list of options, and the gold's place counted from 0."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [_common(item) | {"choices": list(item.options), "answer": item.gold} for item in items]
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue()


def with_labels(items: Iterable[QuizItem]) -> bytes:
    """JSON lines: options with labels of their own, and the gold's label."""
    rows = [
        _common(item)
        | {"choices": {"text": list(item.options), "label": list(LETTERS)}, "answerKey": LETTERS[item.gold]}
        for item in items
    ]
    return _lines(rows)


def with_scores(items: Iterable[QuizItem]) -> bytes:
    """JSON lines: each option with its score, which is 1 for gold."""
    rows = [
        _common(item)
        | {"target_scores": {text: int(place == item.gold) for place, text in enumerate(item.options)}}
        for item in items
    ]
    return _lines(rows)


def _common(item: QuizItem) -> dict[str, Any]:
    return {"id": item.id, "question": item.question, "who": item.who, "pref_type": f"of {item.who}"}


def _csv(rows: Iterable[Mapping[str, str]]) -> bytes:
    records = list(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().encode()


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()
