"""Whether tests reach enough of the code: `covered.py coverage.json`, lines and branches each for itself.

The one figure that coverage gives is of both together, where many lines make good for few branches.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

LEAST = 95


def main(report: Path) -> int:
    """Say how much is covered; 1 where it is too little."""
    totals = json.loads(report.read_text(encoding="utf-8"))["totals"]
    covered = {
        "lines": totals["percent_statements_covered"],
        "branches": totals["percent_branches_covered"],
    }
    for what, percent in covered.items():
        sys.stdout.write(f"{percent:.2f} % of the {what} are covered, of at least {LEAST} %\n")
    return int(min(covered.values()) < LEAST)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
