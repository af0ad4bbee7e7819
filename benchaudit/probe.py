"""The choices-only probe: which option is gold, guessed by a linear model that is shown options alone.

A model learns on each half of the rows and scores the options of the other. Scores are of single options,
so that neither their order nor the other options matter, and equal texts are tied. Nothing depends on
threads or on the order of rows: what is learnt is learnt in the order of content, by one thread. Only a batch
of texts is held at a time; the engine keeps the rest, on disk where memory does not suffice.

scikit-learn does the work. It is imported when the probe is asked for, and nothing else needs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb

from benchaudit.checks.form import Check
from benchaudit.packing import code_sql
from benchaudit.reading.engine import arrow_function

MOST_ROWS = 20_000
"""Rows of a half that are learnt from at most: those whose content has the lowest digests."""

MOST_CHARACTERS = 1_000
"""Characters of an option that are looked at, from its beginning."""

_PASSES = 3
_ROWS_AT_ONCE = 500
_OPTIONS_AT_ONCE = 1_000
_FEATURES = 2**18
"""Places that words, and letter sequences, are hashed to."""

Batch = Sequence[tuple[Sequence[str], str]]
"""The options of some items and the text of their gold."""


class Model:
    """A logistic regression on hashed words, without their case, and sequences of 3 to 5 characters."""

    def __init__(self) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer
        from sklearn.linear_model import SGDClassifier

        words = {"token_pattern": r"\w+"}
        shared = {"n_features": _FEATURES, "alternate_sign": False}
        self._views = (
            HashingVectorizer(analyzer="word", **words, **shared),
            HashingVectorizer(analyzer="char_wb", ngram_range=(3, 5), lowercase=False, **shared),
        )
        self._classifier = SGDClassifier(loss="log_loss", alpha=1e-3, random_state=0)
        self._has_learnt = False

    def learn(self, items: Batch) -> None:
        """Learn from a batch; the same batches in the same order lead to the same scores."""
        options = [option for texts, _ in items for option in texts]
        golds = [option == gold for texts, gold in items for option in texts]
        self._classifier.partial_fit(self._features(options), golds, classes=[False, True])
        self._has_learnt = True

    def scores(self, options: Sequence[str]) -> list[float]:
        """How likely each option is to be gold, in log odds; where nothing was learnt all are alike."""
        if not self._has_learnt:
            return [0.0] * len(options)
        found: list[float] = []
        for start in range(0, len(options), _OPTIONS_AT_ONCE):
            some = options[start : start + _OPTIONS_AT_ONCE]
            found += self._classifier.decision_function(self._features(some)).tolist()
        return found

    def _features(self, options: Sequence[str]) -> Any:
        from scipy.sparse import hstack

        return hstack([view.transform(options) for view in self._views], format="csr")


def columns_sql() -> str:
    """SQL for what the probe needs in a narrow row beside: the beginnings of the options, as `texts`."""
    return f"list_transform(options, lambda option: left(option, {MOST_CHARACTERS})) AS texts"


def guessed_sql(connection: duckdb.DuckDBPyConnection, relation: str, check: Check) -> str:
    """Learn on both halves; SQL for `file`, `row` and `packed` of items, each scored by the other half."""
    models = [_learnt(connection, relation, half) for half in (1, 0)]
    for half, model in enumerate(models):
        arrow_function(connection, f"guess_{half}", _scoring(model), "VARCHAR[]", "DOUBLE[]")
    scored = " UNION ALL ".join(
        f"SELECT file, row, gold, guess_{half}(texts) AS scores FROM {relation} "
        f"WHERE left_out IS NULL AND half = {half}"
        for half in (0, 1)
    )
    extreme = f"list_{check.extremum}(scores)"
    tied = f"len(list_filter(scores, lambda score: score = {extreme}))"
    hit = f"(scores[gold + 1] = {extreme})::INTEGER"
    return f"SELECT file, row, {code_sql('len(scores)', tied, hit)} AS packed FROM ({scored})"


def _learnt(connection: duckdb.DuckDBPyConnection, relation: str, half: int) -> Model:
    model = Model()
    for _ in range(_PASSES):
        for items in _batches(connection, relation, half):
            model.learn(items)
    return model


def _batches(connection: duckdb.DuckDBPyConnection, relation: str, half: int) -> Iterator[Batch]:
    """Items of a half in the order of their content; repeats are equal, so their order means nothing."""
    found = connection.execute(f"""
        SELECT list_sort(texts), texts[gold + 1] AS gold_text FROM {relation}
        WHERE left_out IS NULL AND half = {half}
        ORDER BY lot, gold_text, list_sort(texts) LIMIT {MOST_ROWS}""")
    while items := found.fetchmany(_ROWS_AT_ONCE):
        yield items


def _scoring(model: Model) -> Any:
    """The function over Arrow arrays that the engine calls: lists of texts in, lists of scores out."""

    def score(raw: Any) -> Any:
        import pyarrow as pa

        rows = raw.to_pylist()
        found = iter(model.scores([option for texts in rows for option in texts]))
        return pa.array([[next(found) for _ in texts] for texts in rows], pa.list_(pa.float64()))

    return score
