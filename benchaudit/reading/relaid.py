"""Arrow batches laid down as Parquet, columns named by their place, rows with broken text emptied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from benchaudit.arrays import strings
from benchaudit.errors import SourceError
from benchaudit.reading.table import first_line

_BATCH_ROWS = 200
"""Rows at a time, for some hold pictures."""
_END = b"\xff\xff\xff\xff\0\0\0\0"
"""What ends a stream. It may be left out, but then a lost batch could not be told from the end."""


@contextmanager
def parquet_batches(path: Path, name: str) -> Iterator[Iterable[Any]]:
    """Open a Parquet file as batches of rows. Raises SourceError wherever it turns out to be damaged."""
    import pyarrow.parquet as pq

    with _damage(path, name), pq.ParquetFile(path) as file:
        yield file.iter_batches(_BATCH_ROWS)


@contextmanager
def arrow_batches(path: Path, name: str) -> Iterator[tuple[list[str], Iterable[Any]]]:
    """Open an Arrow IPC file, in either format, as its columns' names and its batches.

    Raises SourceError wherever it turns out to be damaged; a text that is not UTF-8 is damage enough, for
    the arrays are taken from the file as they are, and a broken one is dangerous to work with.
    """
    import pyarrow as pa

    with _damage(path, name), pa.memory_map(str(path)) as source:
        is_file = source.read(6) == b"ARROW1"
        source.seek(max(0, source.size() - len(_END)))
        if not is_file and source.read() != _END:
            raise SourceError("is cut off: the mark of the stream's end is missing", where=name)
        source.seek(0)
        file = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
        batches = map(file.get_batch, range(file.num_record_batches)) if is_file else file
        # An empty batch comes first, so that a table without rows has its columns.
        empty = [column.combine_chunks() for column in file.schema.empty_table().columns]
        yield file.schema.names, chain([pa.record_batch(empty, schema=file.schema)], map(_valid, batches))


@contextmanager
def _damage(path: Path, name: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise SourceError(f"cannot be read ({first_line(error, of=str(path))})", where=name) from None


def lay_down(batches: Iterable[Any], target: Path) -> Path:
    """Write batches to a Parquet file as columns `c0`, `c1`, … and, behind them, why a row is unreadable.

    Raises ValueError where there is no batch, for the types are read off the first one.
    """
    import pyarrow.parquet as pq

    sound = map(_sound, batches)
    first = next(sound, None)
    if first is None:
        raise ValueError("no batch of rows")
    with pq.ParquetWriter(target, first.schema, compression="none") as writer:
        for batch in chain([first], sound):
            writer.write_batch(batch)
    return target


def _valid(batch: Any) -> Any:
    batch.validate(full=True)
    return batch


def _sound(batch: Any) -> Any:
    """The batch with all its texts valid: a row that has one which is not UTF-8 is emptied."""
    import pyarrow as pa

    unreadable: list[str | None] = [None] * batch.num_rows
    if not _is_sound(batch):
        sound = [_is_sound(batch.take([row])) for row in range(batch.num_rows)]
        unreadable = [None if fine else "not-unicode" for fine in sound]
        batch = batch.take(pa.array([row if fine else None for row, fine in enumerate(sound)], pa.int64()))
    return pa.record_batch([*batch.columns, strings(unreadable)], _places(batch.num_columns + 1))


def _places(columns: int) -> list[str]:
    return [f"c{place}" for place in range(columns)]


def _is_sound(batch: Any) -> bool:
    import pyarrow as pa

    try:
        batch.validate(full=True)
    except pa.ArrowInvalid as error:
        if "UTF8" not in str(error):
            raise
        return False
    return True
