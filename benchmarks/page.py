"""Seconds that a page of many slices takes: to make, and to open, sort and filter in a browser.

    python benchmarks/page.py                 5,000 slices
    python benchmarks/page.py --slices 500    fewer

The slices are made up, every seventh leaks. Chromium is needed, as for `make pictures`. Times are medians
of `--runs` runs, each in a browser page of its own.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchaudit.checks import all_checks
from benchaudit.html import Subject, report_page
from benchaudit.models import ALL, ColumnMapping, Origin, Revision, Thresholds
from benchaudit.report.templates import Templates
from benchaudit.tally import Counted, Tally
from benchaudit.verdict import Audit, judge

ITEMS = 40


def made_up(slices: int) -> Audit:
    """An audit of so many slices of 40 items of four options; in every seventh gold is the longest."""
    draw = random.Random(7)
    counted = [
        counts(((("topic", f"topic {number:05d}"),)), ITEMS if number % 7 == 0 else draw.randrange(6, 15))
        for number in range(slices)
    ]
    longest = sum(part.tallies["longest"].among for part in counted)
    return Audit(
        origin=Origin(dataset="made/up", revision=Revision(sha="0" * 40), blobs=()),
        mapping=ColumnMapping(options=("options",), gold="answer", gold_encoding="letter"),
        thresholds=Thresholds(),
        check_versions={check.name: check.version for check in all_checks()},
        rows=ITEMS * slices,
        left_out={},
        slices=judge([counts(ALL, longest, slices), *counted], all_checks(), Thresholds()),
    )


def counts(key: Any, longest: int, slices: int = 1) -> Counted:
    """A slice in which gold is the longest so often, and any other option else."""
    items = ITEMS * slices
    rest = (items - longest) // 3
    tallies = {check.name: Tally.of([(4, 1, items, rest)]) for check in all_checks()}
    tallies["longest"] = Tally.of([(4, 1, items, longest)])
    return Counted(key=key, left_out={}, gold_position={0: items}, tallies=tallies)


def took(work: Callable[[], object]) -> float:
    """Seconds of a piece of work."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_browser(path: Path, runs: int) -> dict[str, float]:
    """Median seconds of what a reader does first."""
    from playwright.sync_api import sync_playwright

    times: dict[str, list[float]] = {}
    with sync_playwright() as playwright:
        program = shutil.which(os.environ.get("BENCHAUDIT_CHROMIUM", "chromium"))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for _ in range(runs):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            steps: dict[str, Callable[[], object]] = {
                "open from disk": lambda page=page: page.goto(path.as_uri()),  # type: ignore[misc]
                "sort": page.locator("th[data-key=n] button").click,
                "filter": lambda page=page: page.locator("[name=words]").fill("topic 00042"),  # type: ignore[misc]
                "open a slice": page.locator("button[data-slice]").first.click,
            }
            for name, step in steps.items():
                times.setdefault(name, []).append(took(step))
            page.close()
        browser.close()
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def main() -> None:
    """Make a page, open it, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--slices", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    audit = made_up(options.slices)
    began = time.perf_counter()
    text = report_page(Subject(audit=audit), Templates())
    making = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(text, encoding="utf-8")
        print(f"{options.slices:,} slices, {path.stat().st_size / 1e6:.1f} MB\n")
        print(f"{'make':16}{making:6.2f} s")
        for name, seconds in in_browser(path, options.runs).items():
            print(f"{name:16}{seconds:6.2f} s")


if __name__ == "__main__":
    main()
