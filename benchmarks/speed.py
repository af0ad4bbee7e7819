"""Seconds and memory of an audit beside what one could write by hand, each a process of its own.

    python benchmarks/speed.py                   200,000 items as Parquet and as CSV with literal lists
    python benchmarks/speed.py --items 2000000   more of them
    python benchmarks/speed.py --ours            without the others
    python benchmarks/speed.py --all-checks      beside them the audit with every check

The items are made here, the same ones every time. Times are medians of `--runs` runs, the programs taking
turns; CPU is that of all threads, which other work on the machine lengthens least; memory is the most that
a process held. All have to count the same, else the exit status is 1. The scripts of `rivals/` know their
columns, check nothing and make less than an audit does; `two_checks` is an audit that makes their two.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

SLICES = "subject"
SUBJECTS = 9
DISTINCT = 200_000
"""Items that are made; more of them are these again with other questions."""

_WORDS = (
    "the", "of", "and", "to", "in", "that", "it", "was", "with", "would", "there", "when", "more", "its",
    "energy", "river", "measure", "because", "particle", "history", "government", "temperature", "molecule",
)  # fmt: skip
_HERE = Path(__file__).resolve().parent
_OURS = "two_checks"
_RIVALS = {
    "parquet": ("duckdb_sql", "duckdb_halves", "polars_lazy", "pyarrow_numpy", "plain_loop"),
    "csv": ("duckdb_sql", "duckdb_halves", "plain_loop"),
}
_NEEDED = {"polars_lazy": "polars"}
"""What a rival needs that this project does not."""

Row = tuple[str, list[str], int, str]
"""Question, options, answer and subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process took, in seconds and bytes, and what it printed."""

    seconds: float
    cpu: float
    memory: int
    printed: str


def rows_of(items: int) -> Iterator[list[Row]]:
    """Items in batches. Gold is a little longer than the distractors in some subjects."""
    dice = random.Random(20_260_101)
    made: list[Row] = []
    for _ in range(min(items, DISTINCT)):
        subject, answer = dice.randrange(SUBJECTS), dice.randrange(4)
        options = [" ".join(dice.choices(_WORDS, k=dice.randrange(4, 14))) for _ in range(4)]
        if dice.random() < subject / SUBJECTS / 2:
            options[answer] += " it's so"
        question = " ".join(dice.choices(_WORDS, k=20)) + "?"
        made.append((question, options, answer, f"subject {subject}"))
    for start in range(0, items, DISTINCT):
        batch = made[: items - start]
        yield [(f"{start + place}. {row[0]}", *row[1:]) for place, row in enumerate(batch)]


def write(path: Path, items: int) -> None:
    """Write the items as the ending of the path says."""
    names = ["question", "options", "answer", SLICES]
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            sink = csv.writer(file)
            sink.writerow(names)
            for batch in rows_of(items):
                sink.writerows(batch)
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = (pa.string(), pa.list_(pa.string()), pa.int64(), pa.string())
    schema = pa.schema(list(zip(names, kinds, strict=True)))
    with pq.ParquetWriter(path, schema) as writer:
        for batch in rows_of(items):
            cells = zip(zip(*batch, strict=True), schema.types, strict=True)
            columns = [pa.array(column, kind) for column, kind in cells]
            writer.write_table(pa.table(columns, schema=schema))


def run(command: Sequence[str]) -> Run:
    """Run one process to its end. Raises RuntimeError where it fails."""
    with tempfile.TemporaryFile() as sink:
        start = time.perf_counter()
        actions = [
            (os.POSIX_SPAWN_DUP2, sink.fileno(), 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        pid = os.posix_spawn(command[0], list(command), os.environ, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        seconds = time.perf_counter() - start
        if status:
            raise RuntimeError(f"{command} failed")
        sink.seek(0)
        printed = sink.read().decode()
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(
        seconds=seconds,
        cpu=usage.ru_utime + usage.ru_stime,
        memory=usage.ru_maxrss * unit,
        printed=printed,
    )


def counts(printed: str) -> list[tuple[str, ...]]:
    """Slice, items, gold among the longest, among the shortest: from our JSON, or from a rival's lines."""
    if not printed.startswith("{"):
        return sorted(tuple(line.split("\t")) for line in printed.splitlines())
    found = []
    for entry in json.loads(printed)["slices"]:
        among = [str(entry["checks"][check]["among"]) for check in ("longest", "shortest")]
        found.append((entry["slice"].get(SLICES, ""), str(entry["n"]), *among))
    return sorted(found)


def compared(path: Path, runs: int, rivals: Sequence[str], *, all_checks: bool) -> bool:
    """Print the table of one file; return whether all count the same."""
    programs = {
        name: [sys.executable, str(_HERE / "rivals" / f"{name}.py"), str(path), SLICES]
        for name in (_OURS, *rivals)
        if find_spec(_NEEDED.get(name, "sys"))
    }
    if all_checks:
        flags = ["--slices", SLICES, "--json", "-"]
        programs["all checks"] = [sys.executable, "-m", "benchaudit", "audit", str(path), *flags]
    done: dict[str, list[Run]] = {name: [] for name in programs}
    for _ in range(runs):
        for name, command in programs.items():
            done[name].append(run(command))
    first = statistics.median(each.cpu for each in done[_OURS])
    print(f"\n{path.name}, {path.stat().st_size / 1e6:.0f} MB")
    print(f"{'':<18} {'wall, s':>8} {'CPU, s':>8} {'MB':>6} {'two_checks / it, by CPU':>24}")
    for name, each in done.items():
        wall, cpu = (statistics.median(getattr(one, of) for one in each) for of in ("seconds", "cpu"))
        memory = statistics.median(one.memory for one in each) / 1e6
        print(f"{name:<18} {wall:>8.2f} {cpu:>8.2f} {memory:>6.0f} {first / cpu:>24.2f}")
    answers = [counts(each[0].printed) for each in done.values()]
    return all(answer == answers[0] for answer in answers)


def main() -> int:
    """Make the files, run the programs, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ours", action="store_true", help="without the others")
    parser.add_argument("--all-checks", action="store_true", help="the audit with every check too")
    parser.add_argument("--form", choices=tuple(_RIVALS), action="append", help="these files only")
    options = parser.parse_args()
    os.environ.setdefault("PYTHONPATH", str(_HERE.parent))
    # Compiling the code anew each time is not what a run of an installed program does.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    agreed = []
    with tempfile.TemporaryDirectory() as work:
        for form in options.form or _RIVALS:
            path = Path(work) / f"items.{form}"
            # A process begins with the peak of the one that started it, so this one stays small.
            maker = multiprocessing.get_context("spawn").Process(target=write, args=(path, options.items))
            maker.start()
            maker.join()
            rivals = () if options.ours else _RIVALS[form]
            agreed.append(compared(path, options.runs, rivals, all_checks=options.all_checks))
    if not all(agreed):
        print("They do not count the same.", file=sys.stderr)
    return int(not all(agreed))


if __name__ == "__main__":
    sys.exit(main())
