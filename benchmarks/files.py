"""Seconds of an audit of many small files, as benchmarks with a file for each subject are released.

    python benchmarks/files.py    57 and 570 files of 100 items, with two checks and with all

Medians of three runs, each a process of its own; CPU is that of all threads.
"""

from __future__ import annotations

import csv
import os
import statistics
import sys
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from speed import SLICES, rows_of, run

HERE = Path(__file__).resolve().parent
COUNTS = (57, 570)
ITEMS = 100
RUNS = 3


def write(folder: Path, files: int) -> None:
    """Write so many files of one column layout."""
    rows = iter(next(rows_of(files * ITEMS)))
    for number in range(files):
        with (folder / f"subject-{number:03}.csv").open("w", encoding="utf-8", newline="") as file:
            sink = csv.writer(file)
            sink.writerow(["question", "options", "answer", SLICES])
            sink.writerows(islice(rows, ITEMS))


def main() -> None:
    """Print the table."""
    os.environ.setdefault("PYTHONPATH", str(HERE.parent))
    programs = {
        "two checks": lambda path: [str(HERE / "rivals" / "two_checks.py"), path, SLICES],
        "all checks": lambda path: ["-m", "benchaudit", "audit", path, "--slices", SLICES, "--json", "-"],
    }
    print(f"{'':<12} {'files':>6} {'wall, s':>8} {'CPU, s':>8} {'CPU a file, ms':>15} {'MB':>6}")
    for files in COUNTS:
        with TemporaryDirectory() as folder:
            write(Path(folder), files)
            for name, program in programs.items():
                done = [run([sys.executable, *program(folder)]) for _ in range(RUNS)]
                wall, cpu = (statistics.median(getattr(one, of) for one in done) for of in ("seconds", "cpu"))
                memory = max(one.memory for one in done) / 1e6
                each = cpu / files * 1000
                print(f"{name:<12} {files:>6} {wall:>8.2f} {cpu:>8.2f} {each:>15.1f} {memory:>6.0f}")


if __name__ == "__main__":
    main()
