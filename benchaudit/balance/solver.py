"""The most rows that may be kept, by integer programming over classes of rows. Pure.

HiGHS, in scipy, does the search. Slices that share no row, directly or through others, are searched
apart; ALL needs no constraint beside slices that part it, for its sums are sums of theirs. A few
hundred classes are searched outright. Of more, the program without whole numbers is solved first,
which is quick: all but a few of its rows are whole already, and only near those that are not the
search goes on. It is cut off by its number of steps and never by a clock, so that the same rows and
the same scipy give the same subset; and whatever it finds is counted again in exact fractions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf
from typing import Any

from benchaudit.balance.problem import Problem
from benchaudit.errors import SettingsError, install
from benchaudit.models import ALL, SliceKey

FEW = 400
"""Classes that are searched outright."""

MOST_STEPS = 100
"""Nodes of a search tree after which the best subset so far has to do."""

NEARLY = 0.005
"""Share of the rows that is no longer searched for where classes are many."""

_REACH = 3
"""Rows by which a class may part from the relaxed program."""

_WIDTHS = (4, 16, inf)
"""Classes of each slice that may do so, one after the other, until there is a way out."""

_MARGINS = (0.0, 1e-3, 1.0)
"""Points by which sums have to stay below 0, one after the other, where floats have led a hair too far."""

_ROUNDING = 1e-6
"""How far from a whole number floats may be."""

Counts = tuple[int, ...]
"""A number of rows for each class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subset:
    """How many rows of each class are kept, and a number of rows that nobody could keep more than."""

    kept: Counts
    bound: int

    @property
    def rows(self) -> int:
        """Rows that are kept."""
        return sum(self.kept)


def largest(problem: Problem) -> Subset:
    """Find the most rows that may be kept; all of them where they are balanced already.

    Raises SettingsError where scipy is not installed.
    """
    kept, bound = [0] * len(problem.classes), 0
    for places in _components(problem):
        classes = tuple(problem.classes[place] for place in places)
        found = _search(
            replace(problem, classes=tuple(replace(c, slices=_binding(c.slices)) for c in classes))
        )
        bound += found.bound
        for place, rows in zip(places, found.kept, strict=True):
            kept[place] = rows
    if problem.unbalanced(kept):
        # Slices that are each balanced, or have no verdict, can still leave ALL unbalanced or too small.
        return _search(problem)
    return Subset(kept=tuple(kept), bound=bound)


def require() -> None:
    """Say early that scipy is missing. Raises SettingsError."""
    _scipy()


def _binding(slices: Sequence[SliceKey]) -> tuple[SliceKey, ...]:
    """The slices of a row that have to be looked at: ALL only where it is the only one."""
    return tuple(key for key in slices if key) or (ALL,)


def _components(problem: Problem) -> list[list[int]]:
    """Places of classes in groups that no slice connects, in the order of their first class."""
    group: dict[SliceKey, SliceKey] = {}

    def root(key: SliceKey) -> SliceKey:
        while group.setdefault(key, key) != key:
            group[key] = key = group[group[key]]
        return key

    for part in problem.classes:
        first, *others = _binding(part.slices)
        for other in others:
            group[root(other)] = root(first)
    found: dict[SliceKey, list[int]] = {}
    for place, part in enumerate(problem.classes):
        found.setdefault(root(_binding(part.slices)[0]), []).append(place)
    return list(found.values())


def _search(part: Problem) -> Subset:
    """Search one component."""
    every = part.everything
    if not part.unbalanced(every):
        return Subset(kept=every, bound=sum(every))
    none, bound = (0,) * len(every), sum(every)
    ways = [(none, every)]
    if len(every) > FEW:
        relaxed, bound = _relaxed(part)
        ways = [_near(part, relaxed, width) for width in _WIDTHS]
    program = _Program(part)
    for margin in _MARGINS:
        for low, high in ways:
            found, most = program.solve(low, high, margin=margin)
            if found is None:
                continue
            if len(ways) == 1 and margin == 0.0:
                bound = min(bound, floor(most + _ROUNDING))
            kept = tuple(map(round, found))
            if not part.unbalanced(kept):
                return Subset(kept=kept, bound=bound)
    return Subset(kept=none, bound=bound)


def _relaxed(part: Problem) -> tuple[list[float], int]:
    """The best subset if rows could be cut in pieces, and the size that no subset can exceed.

    A slice that would be left with too few rows is held to its floor where that goes with the others;
    else the one that is furthest from it is given up, and all is looked at anew.
    """
    program, high = _Program(part), list(part.everything)
    best, most = program.solve([0] * len(high), high, whole=False)
    bound = min(sum(high), floor(most + _ROUNDING))
    while best is not None:
        short = _short(part, best)
        if not short:
            return best, bound
        held, _ = program.solve([0] * len(high), high, whole=False, kept=short)
        if held is not None and not _short(part, held):
            return held, bound
        for place in part.members[short[0]]:
            high[place] = 0
        best, _ = program.solve([0] * len(high), high, whole=False)
    return [0.0] * len(high), bound


def _short(part: Problem, kept: Sequence[float]) -> list[SliceKey]:
    """The slices that keep rows, but too few; the one that is furthest from its floor comes first."""
    found = []
    for key, places in part.members.items():
        if (least := part.floor(key)) > 1:
            share = sum(kept[place] for place in places) / least
            if _ROUNDING < share < 1 - _ROUNDING:
                found.append((share, key))
    return [key for _, key in sorted(found, key=lambda item: item[0])]


def _near(part: Problem, relaxed: Sequence[float], width: float) -> tuple[Counts, Counts]:
    """Bounds that leave a class as it is in the relaxed program, but for a few of each slice."""
    broken = {place for place, rows in enumerate(relaxed) if abs(rows - round(rows)) > _ROUNDING}
    free = set(broken)
    for places in part.members.values():
        # Of the others those first that have rows to give.
        others = sorted((p for p in places if p not in broken), key=lambda p: (-min(relaxed[p], _REACH), p))
        free.update(others if width == inf else others[: int(width)])
    low, high = [round(rows) for rows in relaxed], [round(rows) for rows in relaxed]
    for place in free:
        low[place] = max(0, floor(relaxed[place]) - _REACH)
        high[place] = min(part.classes[place].rows, ceil(relaxed[place]) + _REACH)
    return tuple(low), tuple(high)


class _Program:
    """The program in floats: a variable for the kept rows of each class, then a switch where one is needed.

    A switch says whether a slice is kept at all; only those that have to keep several rows need one.
    """

    def __init__(self, part: Problem) -> None:
        self._np, self._scipy = _scipy()
        self._classes = len(part.classes)
        self._slices = [key for key in part.members if part.floor(key) > 1]
        # In points, so that what is a hair too much is the same for every number of options.
        loads = [[float(load * 100) for load in part.load(place)] for place in range(self._classes)]
        entries: list[tuple[int, int, float]] = []
        limits: list[float] = []
        for key, places in part.members.items():
            for number, most in enumerate(part.most(key)):
                if most is None:
                    continue
                entries += [(len(limits), place, loads[place][number]) for place in places]
                limits.append(float(most * 100))
        self._sums = len(limits)
        for switch, key in enumerate(self._slices, start=self._classes):
            # At most all of its rows where the slice is kept, and none where not; at least its floor.
            for sign, rows in ((1.0, part.size(key, part.everything)), (-1.0, part.floor(key))):
                entries += [(len(limits), place, sign) for place in part.members[key]]
                entries.append((len(limits), switch, -sign * rows))
                limits.append(0.0)
        line, column, value = zip(*entries, strict=True)
        self._limits = self._np.array(limits)
        self._matrix = self._scipy.sparse.csr_array(
            (value, (line, column)), shape=(len(limits), self._classes + len(self._slices))
        )

    def solve(
        self,
        low: Sequence[int],
        high: Sequence[int],
        *,
        margin: float = 0.0,
        whole: bool = True,
        kept: Collection[SliceKey] = (),
    ) -> tuple[list[float] | None, float]:
        """Rows kept of each class within these bounds, None if none was found; and a bound on their sum.

        The slices of `kept` must be kept; of the others, the program decides.
        """
        np, optimize = self._np, self._scipy.optimize
        switches = len(self._slices)
        limits = self._limits.copy()
        limits[: self._sums] -= margin
        result = optimize.milp(
            np.concatenate([-np.ones(self._classes), np.zeros(switches)]),
            integrality=np.full(self._classes + switches, int(whole)),
            bounds=optimize.Bounds([*low, *(key in kept for key in self._slices)], [*high, *[1] * switches]),
            constraints=optimize.LinearConstraint(self._matrix, -inf, limits),
            options={"node_limit": MOST_STEPS, "mip_rel_gap": NEARLY if self._classes > FEW else 0.0},
        )
        most = result.mip_dual_bound if whole else result.fun
        bound = inf if most is None else -float(most)
        if result.x is None:
            return None, bound
        return [float(rows) for rows in result.x[: self._classes]], bound


def _scipy() -> tuple[Any, Any]:
    try:
        import numpy as np
        import scipy
        import scipy.optimize
        import scipy.sparse
    except ImportError:
        raise SettingsError("balance needs scipy, which is not installed", todo=install("balance")) from None
    return np, scipy
