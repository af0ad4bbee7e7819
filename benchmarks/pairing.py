"""Seconds and memory of what looks at all rows together: pairing two revisions, findings of several rows.

    python benchmarks/pairing.py            1,000,000 and 10,000,000 rows, which takes minutes
    python benchmarks/pairing.py 200000     another number of them

The narrow rows are made here, the same ones every time. From one revision to the next one row of a hundred
comes and goes and the options of one in fifty are edited; one in a thousand repeats another. Each
measurement is a process of its own: CPU is that of all threads, memory the most that it held.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from speed import Run, run

from benchaudit.audit import Audited
from benchaudit.checks import EXTREMA
from benchaudit.findings import Asked, findings_of_rows
from benchaudit.items import asking
from benchaudit.models import ALL, ColumnMapping, Origin, Revision, Thresholds
from benchaudit.pairing import pair_audits
from benchaudit.reading.engine import LEAN_LIMIT, engine, literal
from benchaudit.tally import Counted, Tally
from benchaudit.verdict import Audit, judge

SIZES = (1_000_000, 10_000_000)
SLICE = "subject"
SUBJECTS = 9


def write(n: int, folder: Path) -> None:
    """Write the narrow rows of two revisions of n rows."""
    with duckdb.connect(config={"memory_limit": "1GB", "temp_directory": str(folder)}) as connection:
        for revision, path in enumerate(files(folder)):
            first = revision * n // 100
            item = f"(CASE WHEN r % 1000 = 0 THEN r + 1 ELSE r END + {n})"
            options = f"(CASE WHEN r % 50 = 7 THEN -{revision} ELSE 1 END * {item})"
            connection.execute(f"""
                COPY (
                    SELECT 0::INTEGER AS file, r - {first} + 1 AS row, NULL::VARCHAR AS id,
                           'row ' || row AS name, NULL::VARCHAR AS left_out,
                           ['options-4@items.parquet'] AS marks,
                           ['subject ' || r % {SUBJECTS}] AS slices, (hash(r) % 4)::INTEGER AS gold,
                           md5('question ' || {item}) AS question, md5('options ' || {options}) AS options,
                           md5('gold ' || {item}) AS gold_text, 4::BIGINT AS k, true AS asks,
                           hash({options}) AS ordered, hash({item}, {options}) AS alike,
                           hash({item}, 'gold') AS alike_gold, hash({item}, {options}, 'gold') AS content,
                           8010::INTEGER AS longest, (8010 + hash(r, {options}) % 2)::INTEGER AS shortest,
                           (hash(r) % 2)::INTEGER AS half
                    FROM range({first}, {first + n}) AS t(r)
                ) TO {literal(str(path))} (FORMAT parquet)""")


def files(folder: Path) -> tuple[Path, Path]:
    """Where the rows of the old and of the new revision are."""
    return folder / "old.parquet", folder / "new.parquet"


def pairing(n: int, folder: Path) -> None:
    """Pair two revisions, and count what moved in every slice."""
    old, new = (Audited(audit=_audit(n), rows_file=path, slicings=((SLICE,),)) for path in files(folder))
    pairs = pair_audits(old, new, folder)
    gone = n // 100
    if (pairs.rows["paired"], pairs.rows["removed"], pairs.rows["added"]) != (n - gone, gone, gone):
        raise ValueError(f"paired were {pairs.rows}")


def _audit(n: int) -> Audit:
    """An audit of which pairing only asks which checks it made."""
    tallies = {check.name: Tally.of([(4, 1, n, n // 4)]) for check in EXTREMA}
    counted = Counted(key=ALL, left_out={}, gold_position={0: n}, tallies=tallies)
    return Audit(
        origin=Origin(dataset="owner/name", revision=Revision(sha="0" * 40), blobs=()),
        mapping=ColumnMapping(),
        thresholds=Thresholds(),
        check_versions={check.name: check.version for check in EXTREMA},
        rows=n,
        left_out={},
        slices=judge([counted], EXTREMA, Thresholds()),
    )


def findings(n: int, folder: Path) -> None:
    """Look for repeats, contradictions, slices that overlap and golds in order, as an audit does."""
    path = files(folder)[0]
    asked = Asked(files=["items.parquet"], columns=[SLICE], thresholds=Thresholds())
    with engine([path], folder, LEAN_LIMIT) as connection:
        connection.execute(f"CREATE TEMP TABLE scored AS FROM read_parquet({literal(str(path))})")
        found = {finding.check: finding.count for finding in findings_of_rows(asking(connection), asked)}
    if found.get("duplicate-items") != n // 1000:
        raise ValueError(f"found were {found}")


TASKS: Mapping[str, Callable[[int, Path], None]] = {"write": write, "pairing": pairing, "findings": findings}


def measured(task: str, n: int, folder: Path) -> Run:
    """What a task takes in a process of its own."""
    return run([sys.executable, __file__, str(n), task, str(folder)])


def main() -> None:
    """Print the table; with the name of a task and a folder, do that one."""
    sizes = [int(sys.argv[1])] if len(sys.argv) > 1 else SIZES
    if len(sys.argv) > 2:
        TASKS[sys.argv[2]](sizes[0], Path(sys.argv[3]))
        return
    print(f"{'':<10} {'rows':>12} {'wall, s':>8} {'CPU, s':>8} {'CPU a row, µs':>14} {'MB':>6}")
    for n in sizes:
        with TemporaryDirectory() as folder:
            measured("write", n, Path(folder))
            for task in ("pairing", "findings"):
                took = measured(task, n, Path(folder))
                print(
                    f"{task:<10} {n:>12,} {took.seconds:>8.1f} {took.cpu:>8.1f} {took.cpu / n * 1e6:>14.2f} "
                    f"{took.memory / 1e6:>6.0f}"
                )


if __name__ == "__main__":
    main()
