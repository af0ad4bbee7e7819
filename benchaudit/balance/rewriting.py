"""Which rows to rewrite first, so that every slice that gets a verdict is balanced and no row is lost. Pure.

A rewritten row is one of which length says nothing any more, as where all its options are equally
long: it adds nothing to any gain. As few rows as possible are chosen, which is the program of the
largest subset with other sums. A row's contribution is what the gains that are too large today would
lose by it, added up over its slices.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from benchaudit.balance.problem import Problem, Rewriting
from benchaudit.balance.solver import largest


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """How many rows of a class to rewrite, and what each of them contributes to gains, as a rate."""

    place: int
    rows: int
    contribution: Fraction


def rewrites(problem: Problem) -> list[Rewrite]:
    """The classes of which rows have to be rewritten, those with the largest contribution first.

    Raises SettingsError where scipy is not installed.
    """
    task = Rewriting(
        classes=problem.classes,
        checks=problem.checks,
        limits=problem.limits,
        min_rows=problem.min_rows,
        only=problem.only,
    )
    every = task.everything
    large = {
        key: [number for number, excess in enumerate(sums) if excess > 0]
        for key, sums in task.excesses(every).items()
    }
    sizes = {key: task.size(key, every) for key in task.members}

    def contribution(place: int) -> Fraction:
        load = task.load(place)
        return sum(
            (
                load[number] / sizes[key]
                for key in task.classes[place].slices
                for number in large.get(key, ())
            ),
            Fraction(),
        )

    chosen = [
        Rewrite(place=place, rows=there - kept, contribution=contribution(place))
        for place, (there, kept) in enumerate(zip(every, largest(task).kept, strict=True))
        if there > kept
    ]
    return sorted(chosen, key=lambda each: (-each.contribution, each.place))
