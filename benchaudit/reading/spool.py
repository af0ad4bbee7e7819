"""Rows that Python had to read one by one, laid down as Parquet so that the rest of the way is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

BATCH = 20_000

Fields = Sequence[str | None]


def spool(rows: Iterable[Fields], names: Sequence[str], target: Path) -> Path:
    """Write rows of texts to a Parquet file with these columns, a batch at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(name, pa.string()) for name in names])
    with pq.ParquetWriter(target, schema) as writer:
        for batch in _batches(rows):
            columns = list(zip(*batch, strict=True))
            writer.write_batch(
                pa.record_batch([pa.array(column, pa.string()) for column in columns], schema=schema)
            )
    return target


def _batches(rows: Iterable[Fields]) -> Iterator[list[Fields]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH)):
        yield batch
