"""The largest balanced subset and the rows to rewrite: laws on random classes, held to slow definitions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchaudit.balance import solver
from benchaudit.balance.problem import LIMIT, Problem, RowClass
from benchaudit.balance.rewriting import rewrites
from benchaudit.balance.solver import largest
from benchaudit.models import ALL
from benchaudit.tally import Tally

CHECKS = ("longest", "shortest")


def cells(k, longest, shortest, gold):
    """The cells of an item of k options: how many are longest and shortest, and which gold is."""
    if longest + shortest > k:
        return (k, k, 1, 1), (k, k, 1, 1)
    return (k, longest, 1, int(gold == "longest")), (k, shortest, 1, int(gold == "shortest"))


def problem(parts, min_rows=20):
    """A problem of `(slices, k, longest, shortest, gold, rows)`; slices are values of columns a to f."""
    merged = {}
    for values, k, longest, shortest, gold, rows in parts:
        slices = (ALL, *(((column, value),) for column, value in zip("abcdef", values, strict=False)))
        merged[slices, cells(k, longest, shortest, gold)] = (
            merged.get((slices, cells(k, longest, shortest, gold)), 0) + rows
        )
    classes = tuple(RowClass(slices=key[0], cells=key[1], rows=rows) for key, rows in merged.items())
    return Problem(classes=classes, checks=CHECKS, limits=(LIMIT, LIMIT), min_rows=min_rows)


def parts_of(columns, values, rows):
    """Strategy for the classes of a problem."""
    part = st.tuples(
        st.tuples(*[st.sampled_from("xyz"[:values])] * columns),
        st.integers(2, 5),
        st.integers(1, 2),
        st.integers(1, 2),
        st.sampled_from(["longest", "shortest", "between"]),
        st.integers(1, rows),
    )
    return part.filter(lambda each: each[1] > 2 or each[4] != "between")


SMALL = st.lists(parts_of(1, 2, 4), min_size=1, max_size=6)
LARGE = st.one_of(st.lists(parts_of(columns, 3, 60), min_size=1, max_size=30) for columns in (0, 1, 2, 3))


def balanced(task, kept):
    """The definition, from single rows: no slice gains more than a point on any check, and none hides."""
    for key in {key for each in task.classes for key in each.slices}:
        inside = [place for place, each in enumerate(task.classes) if key in each.slices]
        rows, before = sum(kept[p] for p in inside), sum(task.classes[p].rows for p in inside)
        if rows == 0:
            continue
        if before >= task.min_rows > rows:
            return False
        for number in range(len(task.checks)):
            pick = avoid = chance = Fraction()
            for place in inside:
                k, t, _, hit = task.classes[place].cells[number]
                pick += Fraction(hit, t) * kept[place]
                avoid += (Fraction(1, k) if t == k else Fraction(1 - hit, k - t)) * kept[place]
                chance += Fraction(1, k) * kept[place]
            if max(pick, avoid) - chance > LIMIT * rows:
                return False
    return True


def best_by_hand(task):
    """The size of the largest balanced subset, by trying all."""
    choices = product(*(range(each.rows + 1) for each in task.classes))
    return max(sum(kept) for kept in choices if balanced(task, kept))


def relaxed(task):
    """The size that no balanced subset can exceed, by an independent linear program over ALL's sums alone."""
    from scipy.optimize import linprog

    lines = [
        [float(_gain(cell, direction) - LIMIT) for cell in (each.cells[number] for each in task.classes)]
        for number in range(len(task.checks))
        for direction in (0, 1)
    ]
    rows = [each.rows for each in task.classes]
    found = linprog([-1] * len(rows), A_ub=lines, b_ub=[0] * len(lines), bounds=[(0, n) for n in rows])
    return -found.fun


def _gain(cell, direction):
    row = Tally.of([cell])
    return (row.avoided if direction else row.credit) - row.chance


@settings(max_examples=60, deadline=None)
@given(SMALL, st.integers(1, 6))
def test_nothing_larger_is_balanced(parts, min_rows):
    task = problem(parts, min_rows)
    found = largest(task)
    assert balanced(task, found.kept)
    assert found.rows == found.bound == best_by_hand(task)


@settings(max_examples=60, deadline=None)
@given(LARGE)
def test_what_is_kept_is_balanced_and_within_its_bound(parts):
    task = problem(parts)
    found = largest(task)
    assert balanced(task, found.kept)
    assert task.unbalanced(found.kept) == []
    assert all(0 <= kept <= each.rows for kept, each in zip(found.kept, task.classes, strict=True))
    assert found.rows <= found.bound <= relaxed(task) + 1e-6


@settings(max_examples=40, deadline=None)
@given(LARGE)
def test_balancing_again_drops_nothing(parts):
    task = problem(parts)
    kept = largest(task).kept
    left = tuple(
        RowClass(slices=each.slices, cells=each.cells, rows=rows)
        for each, rows in zip(task.classes, kept, strict=True)
        if rows
    )
    again = replace(task, classes=left)
    assert largest(again).kept == again.everything


@settings(max_examples=40, deadline=None)
@given(LARGE, st.integers(1, 25))
def test_whether_a_subset_is_balanced_is_told_exactly(parts, min_rows):
    task = problem(parts, min_rows)
    half = tuple(rows // 2 for rows in task.everything)
    assert (task.unbalanced(half) == []) == balanced(task, half)


@settings(max_examples=30, deadline=None)
@given(LARGE)
def test_the_way_by_the_relaxed_program_is_balanced_too(parts):
    """What is done with many classes, done with few; it may keep a little less, and never more."""
    task = problem(parts)
    with pytest.MonkeyPatch.context() as patch:
        exact = largest(task)
        patch.setattr(solver, "FEW", 0)
        found = largest(task)
    assert balanced(task, found.kept)
    assert found.rows <= found.bound
    assert exact.rows <= found.bound


def crossed(rows):
    """A leaky benchmark in two slicings that cut each other, with three numbers of options."""
    golds = ["longest"] * 9 + ["shortest"] * 2 + ["between"] * 9
    return [
        ((str(n % 7), str(n * n % 11)), 3 + n % 3, 1, 1 + n % 2, golds[n * 7919 % 20], 1) for n in range(rows)
    ]


def test_many_classes_keep_all_but_a_twentieth_of_what_no_subset_exceeds(monkeypatch):
    task = problem(crossed(1_500))
    monkeypatch.setattr(solver, "FEW", 50)
    found = largest(task)
    assert balanced(task, found.kept)
    assert found.bound * 19 <= found.rows * 20 < 20 * found.bound
    assert found == largest(task)


def test_a_slice_is_dropped_where_it_could_only_hide():
    """Of 24 rows 20 have the longest gold: 5 of them are balanced, and too few for a verdict."""
    leaky = [(("x",), 4, 1, 1, "longest", 23), (("x",), 4, 1, 1, "shortest", 1)]
    fair = [(("y",), 4, 1, 1, gold, 25) for gold in ("longest", "shortest", "between", "between")]
    task = problem([*leaky, *fair])
    kept = largest(task).kept
    assert {key: task.size(key, kept) for key in task.members} == {
        ALL: 100,
        (("a", "x"),): 0,
        (("a", "y"),): 100,
    }


def test_a_slice_that_never_had_a_verdict_may_keep_what_is_balanced():
    task = problem([((), 4, 1, 1, gold, 3) for gold in ("longest", "shortest", "between", "between")])
    assert largest(task).rows == 12


def test_small_slices_are_too_few_together():
    """Each keeps 4 balanced rows of 6, which for ALL would be hiding."""
    parts = [
        ((name,), 4, 1, 1, gold, rows)
        for name in "xyzw"
        for gold, rows in (("longest", 3), ("shortest", 1), ("between", 2))
    ]
    assert largest(problem(parts, min_rows=24)).rows == 0
    assert largest(problem(parts, min_rows=16)).rows == 16


def balanced_by_rewriting(task, kept):
    """The definition: of the rows that are not kept nothing adds to a gain, and no slice becomes smaller."""
    for key in {key for each in task.classes for key in each.slices}:
        inside = [place for place, each in enumerate(task.classes) if key in each.slices]
        rows = sum(task.classes[place].rows for place in inside)
        if rows < task.min_rows:
            continue
        for number in range(len(task.checks)):
            for direction in (0, 1):
                gained = sum(_gain(task.classes[p].cells[number], direction) * kept[p] for p in inside)
                if gained > LIMIT * rows:
                    return False
    return True


def kept_of(task, named):
    """How many rows of each class stay as they are."""
    kept = list(task.everything)
    for each in named:
        assert 0 < each.rows <= kept[each.place]
        kept[each.place] -= each.rows
    return kept


@settings(max_examples=60, deadline=None)
@given(SMALL, st.integers(1, 6))
def test_fewer_rows_do_not_do_for_rewriting(parts, min_rows):
    task = problem(parts, min_rows)
    choices = product(*(range(each.rows + 1) for each in task.classes))
    most = max(sum(kept) for kept in choices if balanced_by_rewriting(task, kept))
    kept = kept_of(task, rewrites(task))
    assert balanced_by_rewriting(task, kept)
    assert sum(kept) == most


@settings(max_examples=60, deadline=None)
@given(LARGE, st.integers(1, 60))
def test_rewriting_the_rows_that_are_named_balances_every_slice_with_a_verdict(parts, min_rows):
    task = problem(parts, min_rows)
    named = rewrites(task)
    assert balanced_by_rewriting(task, kept_of(task, named))
    assert [each.contribution for each in named] == sorted((e.contribution for e in named), reverse=True)


def test_nothing_is_rewritten_where_all_is_balanced():
    fair = [((), 4, 1, 1, gold, rows) for gold, rows in (("longest", 10), ("shortest", 10), ("between", 20))]
    assert rewrites(problem(fair)) == []


def test_a_row_of_a_small_slice_contributes_more():
    """A gold that is the longest of four adds 75 points, shared by the rows of its slice and by all."""
    parts = [
        ((name,), 4, 1, 1, gold, rows * times)
        for name, times in (("large", 10), ("small", 1))
        for gold, rows in (("longest", 20), ("shortest", 10), ("between", 10))
    ]
    first, second, *later = rewrites(problem(parts))
    assert first.contribution == Fraction(3, 4) / 40 + Fraction(3, 4) / 440
    assert second.contribution == Fraction(3, 4) / 400 + Fraction(3, 4) / 440
    # With fewer golds among the longest, those that are the shortest come to tell; they were no help before.
    assert all(each.contribution < 0 for each in later)
    assert later


def test_slices_without_a_verdict_can_still_leak_together():
    """Each of ten slices is too small for a verdict; all of them are not, and are mended."""
    parts = [((name,), 4, 1, 1, "longest", 6) for name in "abcdefghij"]
    named = rewrites(problem(parts))
    assert 0 < sum(each.rows for each in named) <= 60
    assert balanced_by_rewriting(problem(parts), kept_of(problem(parts), named))


def test_a_check_with_a_wider_limit_costs_fewer_rows():
    parts = [((), 4, 1, 1, "longest", 40), ((), 4, 1, 1, "between", 20), ((), 4, 1, 1, "shortest", 10)]
    wide = replace(problem(parts), limits=(Fraction(5, 100), Fraction(1, 100)))
    strict, loose = largest(problem(parts)), largest(wide)
    assert strict.rows < loose.rows
    assert wide.tallies(loose.kept)[ALL]["longest"].gain <= Fraction(5, 100)
    assert wide.tallies(loose.kept)[ALL]["shortest"].gain <= Fraction(1, 100)
