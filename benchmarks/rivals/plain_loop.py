"""A loop over rows, as people write it into a report: the same four counts."""

from __future__ import annotations

import ast
import csv
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path


def rows(path: str) -> Iterator[dict[str, object]]:
    """The rows of a file; of a CSV file the lists are literals."""
    if path.endswith(".parquet"):
        import pyarrow.parquet as pq

        for batch in pq.ParquetFile(path).iter_batches():
            yield from batch.to_pylist()
        return
    with Path(path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield {**row, "options": ast.literal_eval(row["options"]), "answer": int(row["answer"])}


path, column = sys.argv[1:]
counts: Counter[tuple[str, int]] = Counter()
for row in rows(path):
    lengths = [len(option) for option in row["options"]]  # type: ignore[attr-defined]
    gold = lengths[row["answer"]]  # type: ignore[call-overload]
    for figure, hit in enumerate((True, gold == max(lengths), gold == min(lengths))):
        for value in ("", str(row[column])):
            counts[value, figure] += hit
for value in sorted({value for value, _ in counts}):
    print(value, *(counts[value, figure] for figure in range(3)), sep="\t")
