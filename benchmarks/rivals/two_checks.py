"""The command `audit` with the two checks that its rivals make: the longest and the shortest option."""

from __future__ import annotations

import sys

from benchaudit import checks

path, column = sys.argv[1:]
checks._ALL = checks.EXTREMA  # noqa: SLF001 - nobody but a benchmark wants fewer checks

from benchaudit.cli import main  # noqa: E402 - it takes the checks that there are

sys.exit(main(["audit", path, "--slices", column, "--json", "-"]))
