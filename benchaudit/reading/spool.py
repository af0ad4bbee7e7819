"""Rows that Python had to read one by one, laid down as Parquet so that the rest of the way is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchaudit.arrays import strings

BATCH_ROWS = 20_000
BATCH_CHARACTERS = 16 << 20

Fields = Sequence[str | None]


def spool(rows: Iterable[Fields], names: Sequence[str], target: Path) -> Path:
    """Write rows of texts to a Parquet file with these columns, a batch at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(name, pa.string()) for name in names])
    # It is read once or twice and thrown away: packing it would cost more than it saves.
    with pq.ParquetWriter(target, schema, compression="none", use_dictionary=False) as writer:
        for batch in _batches(rows):
            columns = zip(*batch, strict=True)
            writer.write_batch(pa.record_batch([strings(column) for column in columns], schema=schema))
    return target


def _batches(rows: Iterable[Fields]) -> Iterator[list[Fields]]:
    """Rows in batches that are neither long nor heavy."""
    batch: list[Fields] = []
    weight = 0
    for row in rows:
        batch.append(row)
        weight += sum(len(cell) for cell in row if cell is not None)
        if len(batch) == BATCH_ROWS or weight > BATCH_CHARACTERS:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch
