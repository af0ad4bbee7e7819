"""Files that are numbered as parts of one whole, some of which are not there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from benchaudit.findings.marks import SAMPLED
from benchaudit.models import Finding

_PART = re.compile(r"(?P<before>.*?)(?P<number>\d{5})-of-(?P<whole>\d{5})(?P<behind>[^/]*)", re.DOTALL)
"""Five digits, as the Hub's libraries write them: `5-of-10` may be anything."""


def missing_parts(paths: Sequence[str]) -> Iterator[Finding]:
    """One finding for all series such as `test-00000-of-00003` of which a part is not among these files.

    Whether parts are counted from 0 or from 1, there are as many as their names say.
    """
    series: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for path in paths:
        match = _PART.fullmatch(path)
        if match:
            series[match["before"], match["whole"], match["behind"]].add(int(match["number"]))
    missing = {
        f"{before}*-of-{whole}{behind}": int(whole) - len(numbers)
        for (before, whole, behind), numbers in sorted(series.items())
        if len(numbers) < int(whole)
    }
    if not missing:
        return
    said = [f"{number:,} of {name}" for name, number in missing.items()]
    rest = [f"and so on in {len(said) - SAMPLED:,} more series"] if len(said) > SAMPLED else []
    yield Finding(
        check="missing-parts",
        severity="warning",
        count=sum(missing.values()),
        message=f"parts of a release are not among the files audited: {', '.join([*said[:SAMPLED], *rest])}",
    )
