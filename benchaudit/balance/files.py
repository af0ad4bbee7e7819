"""Copies rows of a released file into a file of the same format, each as it was released.

CSV and JSON keep the bytes of every row, of the header and of what wraps the records; Parquet and
Arrow keep their schema and what their authors noted in it. Only a text in another encoding than UTF-8,
or a document stored by column, has to be written anew, which is said.
"""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import compress
from pathlib import Path
from typing import IO, Any

from benchaudit.balance.pieces import Pieces, split
from benchaudit.errors import SourceError
from benchaudit.reading.content import binary_kind, read_head
from benchaudit.reading.encoding import as_utf8
from benchaudit.reading.packed import unpacked

_BATCH_ROWS = 2_000


def copy_rows(
    path: Path, name: str, keep: bytearray, target: Path, place: Path, records: str = ""
) -> list[str]:
    """Copy the rows of a file whose byte in `keep` is 1, and return what had to be changed about the format.

    `name` is what messages call it, `place` a directory for copies. Raises SourceError where the file
    cannot be split into as many rows as `keep` has.
    """
    place.mkdir(parents=True, exist_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    plain = unpacked(path, name, place)
    binary = binary_kind(plain, name)
    with _packed_like(path, target) as sink:
        if binary is not None:
            _copy_binary(plain, name, keep, sink, parquet=binary == "parquet")
            return []
        text = as_utf8(plain, name, place)
        marked = read_head(plain, 4).startswith(codecs.BOM_UTF8)
        pieces = split(text, name, len(keep), records)
        if marked:
            sink.write(codecs.BOM_UTF8)
        _write(pieces, name, keep, sink)
    changed = list(pieces.notes)
    if text.path != plain and not marked:
        changed.append(f"{name}: written as UTF-8")
    return changed


def _write(pieces: Pieces, name: str, keep: bytearray, sink: IO[bytes]) -> None:
    """Write the head, the chosen pieces and the tail; there must be as many pieces as rows."""
    sink.write(_bytes(pieces.head))
    rows, written = 0, False
    for piece in pieces.rows:
        if rows < len(keep) and keep[rows]:
            sink.write(_bytes(pieces.between if written else "") + _bytes(piece))
            written = True
        rows += 1
    if rows != len(keep):
        raise _miscounted(name, rows, len(keep))
    sink.write(_bytes(pieces.tail))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _miscounted(name: str, found: int, rows: int) -> SourceError:
    return SourceError(
        f"is split into {found:,} rows here, and {rows:,} where it was audited",
        where=name,
        todo="store it as CSV, JSON lines or Parquet",
    )


@contextmanager
def _packed_like(path: Path, target: Path) -> Iterator[IO[bytes]]:
    """Open a file to write, compressed if the other one is; equal content makes equal bytes."""
    head = read_head(path, 4)
    with ExitStack() as stack:
        file: Any = stack.enter_context(target.open("wb"))
        if head[:2] == b"\x1f\x8b":
            file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        elif head == b"\x28\xb5\x2f\xfd":
            import pyarrow as pa

            file = stack.enter_context(pa.CompressedOutputStream(pa.PythonFile(file), "zstd"))
        yield file


def _copy_binary(path: Path, name: str, keep: bytearray, sink: IO[bytes], *, parquet: bool) -> None:
    """Copy rows of a Parquet or Arrow file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kept = _Kept(keep)
    try:
        if parquet:
            with pq.ParquetFile(path) as file:
                options = _options(file)
                with pq.ParquetWriter(sink, file.schema_arrow, **options) as writer:
                    for batch in kept.of(file.iter_batches(_BATCH_ROWS)):
                        writer.write_batch(batch)
        else:
            with pa.memory_map(str(path)) as source:
                is_file = source.read(6) == b"ARROW1"
                source.seek(0)
                reader = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
                batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
                new = pa.ipc.new_file if is_file else pa.ipc.new_stream
                with new(sink, reader.schema) as writer:
                    for batch in kept.of(batches):
                        writer.write_batch(batch)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise SourceError(f"cannot be copied ({error})", where=name) from None
    if kept.seen != len(keep):
        raise _miscounted(name, kept.seen, len(keep))


def _options(file: Any) -> dict[str, Any]:
    """How a Parquet file was compressed, so that its copy is too."""
    if not file.metadata.num_row_groups or not file.metadata.num_columns:
        return {}
    return {
        "compression": file.metadata.row_group(0)
        .column(0)
        .compression.lower()
        .replace("uncompressed", "none")
    }


class _Kept:
    """The chosen rows of batches, counting how many rows went by."""

    def __init__(self, keep: bytearray) -> None:
        self._keep, self.seen = keep, 0

    def of(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield what is left of each batch, if anything is."""
        import pyarrow as pa

        for batch in batches:
            flags = self._keep[self.seen : self.seen + batch.num_rows]
            self.seen += batch.num_rows
            chosen = list(compress(range(batch.num_rows), flags))
            if chosen:
                yield batch.take(pa.array(chosen, pa.int64()))
