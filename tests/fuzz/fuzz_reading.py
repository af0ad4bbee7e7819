"""Damaged files of every container: whatever the bytes, rows come out or a BenchauditError does.

`python -m tests.fuzz.fuzz_reading 10000 [SEED]` reads so many files and says which broke the rule; a
file on which the reader works for more than two seconds breaks it, and so does half a gigabyte of
memory. Each file follows from its seed, so that one can be had again: `… 1 SEED`.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from benchaudit.errors import BenchauditError
from tests.reading import Desk, desk

MAX_SECONDS = 2.0
"""Processor time for one file."""

MAX_MEMORY = 500 << 20
"""Bytes that the process may have held at any time."""

_WORDS = (
    "Paris",
    "a cat",
    'the "red" one',
    "x, y; z",
    "two\nlines",
    "",
    "1.50",
    "naïve – 😀",
    "None",
    "['a' 'b']",
)
_TOKENS = (
    b'"', b'""', b",", b";", b"\t", b"|", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xc3", b"\xed\xa0\xbd",
    b"\xef\xbb\xbf", b"\xff\xfe", b"{", b"}", b"[", b"]", b"[[[[", b'{"a":', b"\\", b"\\ud83d", b"\\u",
    b"NaN", b"1e999", b"-", b"9" * 5000, b"PAR1", b"ARROW1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd",
    b"\xff\xff\xff\x7f", b"\x7f", b"\x80\x80\x80\x80\x08", b" " * 300,
)  # fmt: skip
_NAMES = (
    "data.csv",
    "data.tsv",
    "data.json",
    "data.jsonl",
    "data.parquet",
    "data.arrow",
    "data.csv.gz",
    "data",
)


def _rows(luck: random.Random) -> list[dict[str, object]]:
    return [
        {
            "id": number,
            "question": " ".join(luck.choices(_WORDS, k=3)),
            "choices": luck.choices(_WORDS, k=luck.randint(0, 4)),
            "answer": luck.choice("ABCD"),
            "meta": {"score": luck.random(), "tags": luck.choices(_WORDS, k=2)},
        }
        for number in range(luck.choice((1, 3, 30, 200)))
    ]


def _as_csv(luck: random.Random) -> bytes:
    sink = io.StringIO(newline="")
    writer = csv.writer(
        sink,
        delimiter=luck.choice(",;\t|"),
        lineterminator=luck.choice(("\n", "\r\n")),
        quoting=luck.choice((csv.QUOTE_ALL, csv.QUOTE_MINIMAL)),
    )
    rows = _rows(luck)
    if luck.random() < 0.8:
        writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return sink.getvalue().encode(luck.choice(("utf-8", "utf-8-sig", "utf-16")))


def _as_lines(luck: random.Random) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=luck.random() < 0.5) for row in _rows(luck)).encode()


def _as_document(luck: random.Random) -> bytes:
    rows = _rows(luck)
    layouts = (
        rows,
        {"data": rows},
        {"version": 1, "x": {"rows": rows}},
        {name: [row[name] for row in rows] for name in rows[0]},
        {name: {str(number): row[name] for number, row in enumerate(rows)} for name in rows[0]},
        {f"id-{number}": row for number, row in enumerate(rows)},
    )
    return json.dumps(luck.choice(layouts), indent=luck.choice((None, 1))).encode()


def _as_parquet(luck: random.Random) -> bytes:
    sink = io.BytesIO()
    pq.write_table(
        pa.Table.from_pylist(_rows(luck)),
        sink,
        compression=luck.choice(("none", "snappy", "zstd", "gzip")),
        use_dictionary=luck.random() < 0.5,
        row_group_size=luck.choice((1, 1000)),
    )
    return sink.getvalue()


def _as_arrow(luck: random.Random) -> bytes:
    sink = io.BytesIO()
    table = pa.Table.from_pylist(_rows(luck))
    with luck.choice((pa.ipc.new_file, pa.ipc.new_stream))(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=luck.choice((1, 1000)))
    return sink.getvalue()


def _packed(luck: random.Random) -> bytes:
    content = luck.choice((_as_csv, _as_lines, _as_document))(luck)
    return (
        gzip.compress(content, mtime=0)
        if luck.random() < 0.5
        else pa.compress(content, codec="zstd", asbytes=True)
    )


_KINDS: tuple[Callable[[random.Random], bytes], ...] = (
    _as_csv, _as_csv, _as_lines, _as_lines, _as_document, _as_document, _as_parquet, _as_parquet, _as_arrow,
    _packed,
)  # fmt: skip


def _mutated(content: bytes, luck: random.Random) -> bytes:
    """One change: bytes turned, cut, doubled, moved or put in."""
    at = luck.randrange(len(content) + 1)
    to = min(len(content), at + luck.choice((1, 2, 8, 100, 5000)))
    return luck.choice(
        (
            lambda: (
                content[:at]
                + bytes(255 & (byte + luck.randrange(256)) for byte in content[at:to])
                + content[to:]
            ),
            lambda: content[:at] + content[to:],
            lambda: content[:at] + content[at:to] * luck.choice((2, 3, 50)) + content[to:],
            lambda: content[:at] + luck.choice(_TOKENS) + content[at:],
            lambda: content[:at] + luck.choice(_TOKENS) + content[to:],
            lambda: content[:at],
        )
    )()


def damaged_file(seed: int) -> tuple[str, bytes]:
    """The name and content of the damaged file that follows from a seed."""
    luck = random.Random(seed)
    content = luck.choice(_KINDS)(luck)
    for _ in range(luck.choice((1, 1, 2, 5))):
        content = _mutated(content, luck)
    if luck.random() < 0.1:
        content = gzip.compress(content, mtime=0)
    return luck.choice(_NAMES), content


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one file: `rows`, `error` or `broken`, with the traceback, and the processor time."""

    seed: int
    kind: str
    seconds: float
    told: str = ""


def read_file(seed: int, tables: Desk) -> Outcome:
    """Read the damaged file of a seed to its end, as an audit would."""
    name, content = damaged_file(seed)
    start = time.process_time()
    try:
        tables.read(content, name)
    except BenchauditError as error:
        kind, told = "error", str(error)
        if "\n" in told or not told.startswith(f"{name}: ") or error.exit_status not in {2, 3}:
            kind = "broken"
    except BaseException:
        kind, told = "broken", traceback.format_exc()
    else:
        kind, told = "rows", ""
    return Outcome(seed=seed, kind=kind, seconds=time.process_time() - start, told=told)


def outcomes(count: int, seed: int) -> Iterator[Outcome]:
    """What came of `count` files, by seeds from `seed` on; the desk is cleared from time to time."""
    for first in range(seed, seed + count, 500):
        with desk() as tables:
            yield from (read_file(number, tables) for number in range(first, min(first + 500, seed + count)))


def main(count: int, seed: int = 0) -> int:
    """Say what came of `count` files; the exit status tells whether all kept the rule."""
    found: Counter[str] = Counter()
    slowest = 0.0
    for outcome in outcomes(count, seed):
        slow = outcome.seconds > MAX_SECONDS
        found[outcome.kind if not slow else "slow"] += 1
        slowest = max(slowest, outcome.seconds)
        if slow or outcome.kind == "broken":
            print(f"seed {outcome.seed}: {outcome.seconds:.1f} s\n{outcome.told}", flush=True)  # noqa: T201 - a command
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    print(f"{dict(found)}, slowest {slowest:.2f} s, {memory >> 20} MiB")  # noqa: T201 - a command
    return int(bool(found["broken"] or found["slow"]) or memory > MAX_MEMORY)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
