"""What all checks cost beside longest and shortest alone, in time and in memory.

    python benchmarks/checks.py              100,000 items of four options, a minute
    python benchmarks/checks.py 500000       more of them

Items are ready in the engine, as the mapping hands them over: reading and mapping cost the same for any
set of checks, and would flatter the ratio. Each set runs in a process of its own; the time is that of all
its threads, the best of three, which other work on the machine does not lengthen much.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pyarrow as pa

from benchaudit.checks import EXTREMA, all_checks
from benchaudit.checks.form import Check
from benchaudit.items import learn, scan_sql
from benchaudit.packing import column_of

SEED = 20_260_101
WORDS = (
    "the of a in not river Mountain always 1974 stone walk quick. (maybe) blue green seven under above never "
    "thing it's café – usually between carried “open” winter all"
)
BATCH = 10_000


def batch(rng: random.Random, start: int, size: int) -> pa.Table:
    """Items that have something of every tell in them."""

    def text(low: int, high: int) -> str:
        return " ".join(rng.choices(WORDS.split(), k=rng.randint(low, high)))

    options = [[text(2, 12) for _ in range(4)] for _ in range(size)]
    rows = range(start, start + size)
    return pa.table(
        {
            "file": pa.array([0] * size, pa.int32()),
            "row": pa.array(rows, pa.int64()),
            "place": pa.array([f"row {row}" for row in rows]),
            "id": pa.array([None] * size, pa.string()),
            "question": pa.array([text(8, 20) for _ in rows]),
            "options": pa.array(options, pa.list_(pa.string())),
            "gold": pa.array([rng.randrange(4) for _ in rows], pa.int32()),
            "left_out": pa.array([None] * size, pa.string()),
            "marks": pa.array([[] for _ in rows], pa.list_(pa.string())),
            "slices": pa.array([[rng.choice("abcde")] for _ in rows], pa.list_(pa.string())),
        }
    )


def seconds(checks: tuple[Check, ...], n: int, folder: Path) -> float:
    """The best of three scans with their counts."""
    connection = duckdb.connect(
        config={"memory_limit": "1GB", "threads": 2, "temp_directory": str(folder / "spill")}
    )
    rng = random.Random(SEED)
    for start in range(0, n, BATCH):
        connection.register("batch", batch(rng, start, min(BATCH, n - start)))
        verb = "INSERT INTO items" if start else "CREATE TABLE items AS"
        connection.execute(f"{verb} FROM batch")
    histograms = ", ".join(f"histogram({column_of(check.name)})" for check in checks)
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE scored AS {scan_sql('SELECT * FROM items', checks)}"
        )
        learn(connection, checks)
        connection.execute(f"SELECT slices[1], half, {histograms} FROM counted GROUP BY ALL").fetchall()
        best = min(best, time.process_time() - began)
    return best


def measured(which: str, n: int) -> tuple[float, float]:
    """Seconds and peak megabytes of one set of checks, in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, str(n), which], check=True, capture_output=True, text=True
    )
    took, peak = done.stdout.split()
    return float(took), float(peak)


def main() -> None:
    """Print the table; with the name of a set, measure that one."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    sets = {"extrema": EXTREMA, "all": all_checks()}
    if len(sys.argv) > 2:
        with TemporaryDirectory() as folder:
            took = seconds(sets[sys.argv[2]], n, Path(folder))
        print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    (few, few_peak), (all_, all_peak) = (measured(which, n) for which in sets)
    count = len(all_checks())
    print(f"{n:,} items of four options")
    print(f"  longest and shortest   {few:7.2f} s   {few_peak:5.0f} MB")
    print(f"  all {count} checks          {all_:7.2f} s   {all_peak:5.0f} MB")
    print(
        f"  ratio {all_ / few:.1f}; each further check costs {(all_ / few - 1) / (count - 2):.2f} of the two"
    )


if __name__ == "__main__":
    main()
