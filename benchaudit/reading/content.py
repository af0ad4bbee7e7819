"""What is in these bytes: a file is read by its content, its name is only a hint."""

from __future__ import annotations

import codecs
import gzip
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchaudit.errors import SourceError

Container = Literal["csv", "jsonl", "json", "parquet", "arrow"]

HEAD = 1 << 20
"""Bytes that are looked at to tell what a file is."""

MAX_UNPACKED = 8 << 30
"""Bytes that a compressed file may unpack to."""

_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_ZSTD = b"\x28\xb5\x2f\xfd"


def unpacked(path: Path, name: str, work: Path) -> Path:
    """Return `path`, or a file below `work` with its content where it is compressed."""
    head = read_head(path, 4)
    if head[:2] == b"\x1f\x8b":
        return _unpack(gzip.open(path, "rb"), name, work / f"{path.name}.unpacked")
    if head == _ZSTD:
        import pyarrow as pa

        return _unpack(pa.input_stream(str(path), compression="zstd"), name, work / f"{path.name}.unpacked")
    return path


def _unpack(packed: object, name: str, target: Path) -> Path:
    try:
        with packed as source, target.open("wb") as sink:  # type: ignore[attr-defined]
            total = 0
            while chunk := source.read(1 << 20):
                total += len(chunk)
                if total > MAX_UNPACKED:
                    raise SourceError("unpacks to more than 8 GiB", where=name, todo="it is not read")
                sink.write(chunk)
    except (OSError, EOFError) as error:
        raise SourceError(f"is compressed, and damaged ({error})", where=name) from None
    return target


def read_head(path: Path, size: int = HEAD) -> bytes:
    """Return the first bytes of a file."""
    with path.open("rb") as file:
        return file.read(size)


def container_of(path: Path, name: str) -> Container:
    """Say what a file holds. Raises SourceError where it is no data at all."""
    head = read_head(path)
    if not head.strip():
        raise SourceError("is empty", where=name)
    if head.startswith(b"version https://git-lfs.github.com/spec/"):
        raise SourceError(
            "is a Git LFS pointer, not the data", where=name, todo="fetch the object with `git lfs pull`"
        )
    if head[:4] == b"PAR1":
        return "parquet"
    if head[:6] == b"ARROW1":
        return "arrow"
    text = _first_text(head)
    if text[:15].lower().startswith((b"<!doctype html", b"<html")):
        raise SourceError("is an HTML page, not data", where=name, todo="check the address or the token")
    if text[:1] == b"[" and not name.lower().endswith((".csv", ".tsv")):
        return "json"
    if text[:1] == b"{":
        return "jsonl" if _is_lines(path) else "json"
    if b"\0" in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceError("is binary data of an unknown kind", where=name, todo="give CSV, JSON or Parquet")
    return "csv"


def _first_text(head: bytes) -> bytes:
    return head.removeprefix(codecs.BOM_UTF8).lstrip()


def _is_lines(path: Path) -> bool:
    """Whether an object in full stands on the first line and another follows it.

    A file that is one line is a document: a set of one row is rarer than a minified wrapper.
    """
    with path.open("rb") as file:
        first, rest = file.readline(), file.read(1 << 16)
    return first.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")


def encoding_by_mark(head: bytes) -> str | None:
    """The encoding that a byte order mark tells, None without one."""
    return next((name for mark, name in _BOMS.items() if head.startswith(mark)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bytes:
    """What one pass over a text file tells: the first byte that is not UTF-8, and its line ends."""

    first_bad: int | None
    carriage_returns: int
    line_feeds: int
    pairs: int

    @property
    def line_end(self) -> str | None:
        r"""`\n` or `\r\n`, spelled so, where the file has no other, inside quotes or out; else None."""
        if self.carriage_returns == 0:
            return r"\n"
        return r"\r\n" if self.carriage_returns == self.line_feeds == self.pairs else None


def survey(path: Path) -> Bytes:
    """Look at every byte of a file once, a piece at a time."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, first_bad = 0, None
    returns = feeds = pairs = 0
    last = b""
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            returns += chunk.count(b"\r")
            feeds += chunk.count(b"\n")
            pairs += chunk.count(b"\r\n") + (last == b"\r" and chunk.startswith(b"\n"))
            if first_bad is None:
                first_bad = _first_bad(decoder, chunk, offset)
            offset += len(chunk)
            last = chunk[-1:]
    if first_bad is None and decoder.getstate()[0]:
        first_bad = offset - len(decoder.getstate()[0])
    return Bytes(first_bad=first_bad, carriage_returns=returns, line_feeds=feeds, pairs=pairs)


def _first_bad(decoder: codecs.IncrementalDecoder, chunk: bytes, offset: int) -> int | None:
    pending = len(decoder.getstate()[0])
    try:
        decoder.decode(chunk)
    except UnicodeDecodeError as error:
        return offset - pending + error.start
    return None


def encoding_by_content(path: Path, offset: int) -> str:
    """A guess at the encoding of a text whose byte at `offset` is not UTF-8, by a well-kept library."""
    from charset_normalizer import from_bytes

    with path.open("rb") as file:
        file.seek(max(0, offset - (HEAD >> 4)))
        sample = file.read(HEAD >> 3)
    best = from_bytes(
        sample, cp_isolation=["cp1252", "latin_1", "mac_roman", "cp1251", "gb18030", "shift_jis"]
    ).best()
    return best.encoding if best else "latin_1"


def transcoded(path: Path, encoding: str, target: Path) -> Path:
    """Write a text file again as UTF-8 without a byte order mark."""
    with (
        path.open(encoding=encoding, newline="") as source,
        target.open("w", encoding="utf-8", newline="") as sink,
    ):
        shutil.copyfileobj(source, sink, 1 << 20)
    return target
