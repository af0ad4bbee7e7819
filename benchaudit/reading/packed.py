"""Compressed files: unpacked once, by content, and never further than data grows."""

from __future__ import annotations

import gzip
import zlib
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from benchaudit.errors import SourceError
from benchaudit.reading.content import read_head

ALWAYS_ALLOWED = 64 << 20
"""Bytes that any file may unpack to, however small it is."""

MAX_RATIO = 100
"""How many times its size a file may unpack to: text packs three to thirty times, a bomb a thousand."""

MAX_UNPACKED = 8 << 30
"""Bytes that no file may unpack to more of."""

_ZSTD_MARKS = (b"\x28\xb5\x2f\xfd", *(bytes([byte]) + b"\x2a\x4d\x18" for byte in range(0x50, 0x60)))
"""A frame of data, or one that is to be skipped and comes first."""


def unpacked(path: Path, name: str, place: Path) -> Path:
    """Return `path`, or a file in `place` with its content where it is gzip or Zstandard.

    Raises SourceError where it is damaged, a decompression bomb, or compressed twice.
    """
    packed = _opened(path)
    if packed is None:
        return path
    target = place / "unpacked"
    try:
        with packed as source, target.open("wb") as sink:
            total = 0
            while chunk := source.read(1 << 20):
                total += len(chunk)
                refuse_bomb(path.stat().st_size, total, name)
                sink.write(chunk)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"is compressed, and damaged ({error})", where=name) from None
    if _opened(target) is not None:
        raise SourceError("is compressed twice", where=name, todo="compress it once")
    return target


def refuse_bomb(packed: int, unpacked: int, name: str) -> None:
    """Raise SourceError where `unpacked` bytes are more than `packed` bytes of data can stand for."""
    if unpacked > MAX_UNPACKED:
        raise SourceError(f"unpacks to more than {MAX_UNPACKED >> 30} GiB", where=name, todo="it is not read")
    if unpacked > max(ALWAYS_ALLOWED, MAX_RATIO * packed):
        raise SourceError(
            f"is {packed:,} bytes that unpack to {unpacked:,} or more, as a decompression bomb does",
            where=name,
            todo="it is not read",
        )


def _opened(path: Path) -> AbstractContextManager[Any] | None:
    head = read_head(path, 4)
    if head[:2] == b"\x1f\x8b":
        return gzip.open(path, "rb")
    if head in _ZSTD_MARKS:
        import pyarrow as pa

        stream: AbstractContextManager[Any] = pa.input_stream(str(path), compression="zstd")
        return stream
    return None
