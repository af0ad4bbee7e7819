"""What is in these bytes: a file is read by its content, its name is only a hint."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path
from typing import Literal

from benchaudit.errors import SourceError

HEAD = 1 << 20
"""Bytes that are looked at to tell what a file is."""

MAX_LINE = 64 << 20
"""Characters that a line or a single value may have: it has to fit into memory."""

Binary = Literal["parquet", "arrow"]
Text = Literal["csv", "jsonl", "json"]

_NO_DATA = (
    (
        rb"version https://(git-lfs|hawser)\.github\.com/spec/",
        "is a Git LFS pointer, not the data",
        "fetch the object with `git lfs pull`",
    ),
    (rb"\s*(<!doctype html|<html)", "is an HTML page, not data", "check the address or the token"),
    (rb"\s*(<\?xml|<error>)", "is an XML document, not data", "check the address or the token"),
    (
        rb"#!/|(#|\"\"\"|import |from )(?=[\s\S]*\nclass \w+\([\w.]*GeneratorBasedBuilder\))",
        "is a script, and no code of a dataset is ever run here",
        "name the data files that it loads",
    ),
)
"""What begins like this stands in the place of data: pattern, what it is, what to do."""

_FOREIGN = (
    (rb"PK\x03\x04", "a ZIP archive"),
    (rb"BZh[1-9]1AY&SY", "a bzip2 file"),
    (rb"\xfd7zXZ\0", "an xz file"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (rb"[^\0]{1,100}\0[\s\S]{156,255}ustar", "a tar archive"),
    (rb"FEA1", "a Feather file of version 1"),
    (rb"\x89HDF\r\n", "an HDF5 file"),
    (rb"\x93NUMPY", "a NumPy array"),
    (rb"\x80[\x02-\x05][\x95c}\](]", "a Python pickle"),
    (rb"SQLite format 3\0", "an SQLite database"),
    (rb"Obj\x01", "an Avro file"),
    (rb"%PDF-", "a PDF document"),
    (rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a", "an image"),
)
"""Formats that are known by their first bytes, and not read."""

_OTHERS = "give CSV, JSON, Parquet or Arrow"


def read_head(path: Path, size: int = HEAD) -> bytes:
    """Return the first bytes of a file."""
    with path.open("rb") as file:
        return file.read(size)


def bare_name(name: str) -> str:
    """A file's name in lower case without the ending of a compressed one."""
    return name.lower().removesuffix(".gz").removesuffix(".zst")


def binary_kind(path: Path, name: str) -> Binary | None:
    """Say which binary format a file has, None where it is text.

    Raises SourceError where it holds no data, or data in a format that is not read.
    """
    head = read_head(path)
    if not head:
        raise SourceError("is empty", where=name)
    if head[:4] == b"PAR1":
        return "parquet"
    # The stream format of Arrow has no name of its own: it begins with the mark of a continued message.
    if head[:6] == b"ARROW1" or head[:4] == b"\xff\xff\xff\xff":
        return "arrow"
    if name.lower().endswith(".py"):
        _, what, todo = _NO_DATA[-1]
        raise SourceError(what, where=name, todo=todo)
    for pattern, what, todo in _NO_DATA:
        if re.match(pattern, head.removeprefix(codecs.BOM_UTF8), re.IGNORECASE):
            raise SourceError(what, where=name, todo=todo)
    for pattern, what in _FOREIGN:
        if re.match(pattern, head):
            raise SourceError(f"is {what}, which is not read", where=name, todo=_OTHERS)
    return None


def text_kind(path: Path, name: str) -> Text:
    """Say how a text file in UTF-8, without a byte order mark, lays down its rows.

    Raises SourceError where it is blank, or no text at all.
    """
    head = read_head(path)
    start = head.lstrip()
    if not start:
        raise SourceError("is empty", where=name)
    if head.count(0) * 10 > len(head):
        raise SourceError("is binary data of an unknown kind", where=name, todo=_OTHERS)
    if re.match(rb'\{\s*["}]', start):
        return "jsonl" if _is_lines(path, name) else "json"
    if bare_name(name).endswith((".jsonl", ".ndjson")) and re.search(rb'^\{\s*"', start, re.MULTILINE):
        # A first line that is no record, as a comment, is a row that is left out.
        return "jsonl"
    if bare_name(name).endswith((".json", ".jsonl", ".ndjson")) and re.match(rb"\{|//|/\*|#", start):
        raise SourceError(
            "is called JSON and is none: it begins with no quoted name",
            where=name,
            todo="write it as JSON: names and texts in double quotes, no comments",
        )
    # A list may be the first cell of a table without a header; a record never is.
    is_table = start[:1] != b"[" or bare_name(name).endswith((".csv", ".tsv"))
    return "csv" if is_table and not re.match(rb"\[\s*\{", start) else "json"


def _is_lines(path: Path, name: str) -> bool:
    """Whether an object in full stands on the first line and something follows it.

    A file that is one line is a document unless its name says otherwise: a set of one row is rarer
    than a minified wrapper.
    """
    with path.open("rb") as file:
        lines = (line for line in iter(lambda: file.readline(MAX_LINE), b"") if line.strip())
        first, second = next(lines), next(lines, b"")
    named = bare_name(name).endswith((".jsonl", ".ndjson"))
    if not second:
        return named
    if second.lstrip().startswith(b"{") and (named or first.rstrip().endswith(b"}")):
        return True
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False
