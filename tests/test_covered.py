"""Where `make coverage` fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / ".ci" / "covered.py"


@pytest.mark.parametrize(
    ("lines", "branches", "status"), [(95.0, 95.0, 0), (99.9, 94.9, 1), (94.9, 99.9, 1), (100.0, 100.0, 0)]
)
def test_many_lines_do_not_make_good_for_few_branches(
    tmp_path: Path, lines: float, branches: float, status: int
) -> None:
    report = tmp_path / "coverage.json"
    totals = {"percent_statements_covered": lines, "percent_branches_covered": branches}
    report.write_text(json.dumps({"totals": totals}), encoding="utf-8")
    command = [sys.executable, str(SCRIPT), str(report)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert f"{lines:.2f} % of the lines" in done.stdout
    assert f"{branches:.2f} % of the branches" in done.stdout
