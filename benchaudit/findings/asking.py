"""What findings ask of the narrow rows of a revision: a question is SQL over the relation `scored`.

`scored` has one row for each raw row: `file` and `row` (its place), `name`, `left_out`, `slices`, `gold`
(from 0), `k` (number of options), `asks` (whether there is a question), and digests: `content` (of question,
set of options and gold), `ordered` (options in their order), `alike` (question and options but for case and
white space) and `alike_gold`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchaudit.models import Thresholds

Fetch = Callable[[str], list[tuple[Any, ...]]]
"""Asks SQL and returns all rows of the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a finding has to know beside the rows.

    `files` are the paths by number; `columns` the slice columns in the order of a row's `slices`;
    `ordered` says whether the order of options is that of the release, `repeats` that the same item may
    stand in several rows on purpose.
    """

    files: Sequence[str]
    columns: Sequence[str]
    thresholds: Thresholds
    ordered: bool = True
    repeats: bool = False
