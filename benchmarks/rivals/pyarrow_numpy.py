"""pyarrow in batches, NumPy over the lengths: the same four counts; every row has as many options."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

path, column = sys.argv[1:]
counts: Counter[tuple[str, int]] = Counter()
for batch in pq.ParquetFile(path).iter_batches(columns=["options", "answer", column]):
    rows = batch.num_rows
    lengths = pc.utf8_length(batch["options"].flatten()).to_numpy().reshape(rows, -1)
    gold = lengths[np.arange(rows), batch["answer"].to_numpy()]
    values, codes = np.unique(batch[column].to_numpy(zero_copy_only=False), return_inverse=True)
    for figure, hits in enumerate((np.ones(rows), gold == lengths.max(axis=1), gold == lengths.min(axis=1))):
        for value, count in zip(values, np.bincount(codes, hits), strict=True):
            counts[value, figure] += int(count)
            counts["", figure] += int(count)
for value in sorted({value for value, _ in counts}):
    print(value, *(counts[value, figure] for figure in range(3)), sep="\t")
