"""The simulation's quick mode keeps the promises of the full one; see `benchmarks/false_alarms.py`."""

from __future__ import annotations

import numpy as np
import pytest

from benchaudit.tally import Tally
from benchmarks import false_alarms
from benchmarks.false_alarms import Clean, Items, Share

SETS = 200
RUNS = 40


@pytest.fixture(scope="module")
def clean() -> list[Clean]:
    """Benchmarks without a leak."""
    return false_alarms.false_alarms(SETS)


def test_benchmarks_without_a_leak_are_not_accused(clean):
    """By family, at alpha 1 %, within what so few sets can tell."""
    assert {outcome.style for outcome in clean} == set(false_alarms.STYLES)
    accused = sum(outcome.accused for outcome in clean)
    assert accused / SETS <= false_alarms.allowed(SETS)


def test_a_test_that_knows_no_ties_accuses_nearly_all_short_options(clean):
    """So the sets are ones in which a wrong null would have shown."""
    short = [outcome.naively_accused for outcome in clean if outcome.style == "1-3 characters"]
    assert sum(short) / len(short) > 0.9


@pytest.mark.parametrize(
    ("caught", "least"),
    [
        (false_alarms.caught_in_one_slice, 0.95),
        (false_alarms.caught_in_all, 0.95),
        (false_alarms.severe_when_always_shortest, 1.0),
    ],
)
def test_leaks_are_found(caught, least):
    """Ten points at n = 800, and 52 of 52."""
    assert false_alarms.power(RUNS, caught).rate >= least


def test_one_seed_is_one_result():
    """A run depends on the seed and its number alone."""
    assert false_alarms.false_alarms(4) == false_alarms.false_alarms(4)
    assert len({int(rng.integers(2**60)) for rng in false_alarms.streams(50, seed=1)}) == 50


def test_items_are_tallied_as_the_checks_count_them():
    """Absent options count in neither direction; ties count as such."""
    items = Items(
        lengths=np.array([[3, 3, 1, 9], [5, 2, 4, 2], [7, 7, 1, 1]]),
        present=np.array([[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 0, 0]], dtype=bool),
        gold=np.array([1, 2, 0]),
    )
    assert items.tallies() == {
        "longest": Tally.of([(3, 2, 1, 1), (4, 1, 1, 0), (2, 2, 1, 1)]),
        "shortest": Tally.of([(3, 1, 1, 0), (4, 2, 1, 0), (2, 2, 1, 1)]),
    }


@pytest.mark.parametrize(("moved", "among"), [(0.0, 0.25), (1.0, 1.0)])
def test_a_moved_gold_is_a_longest_option(moved, among):
    """None moved is exchangeable; all moved is always the longest."""
    drawn = false_alarms.draw(np.random.default_rng(0), 4_000, (4, 4), (1, 10**6), moved)
    assert drawn.tallies()["longest"].among / 4_000 == pytest.approx(among, abs=0.03)


def test_a_share_is_printed_with_its_interval():
    """0 of 50 is not known to be 0 %."""
    assert str(Share(count=0, of=50)).split() == ["0", "of", "50", "0.00%", "(0.00%", "to", "7.13%)"]


def test_the_script_prints_both_tables_and_fails_on_a_broken_promise(monkeypatch, capsys):
    """With every benchmark accused, it says so and exits with 1."""
    styles = list(false_alarms.STYLES) * SETS
    accused = [Clean(style=style, accused=True, naively_accused=True) for style in styles]
    monkeypatch.setattr(false_alarms, "false_alarms", lambda sets: accused[:sets])
    monkeypatch.setattr(false_alarms, "power", lambda runs, _: Share(count=runs, of=runs))
    monkeypatch.setattr("sys.argv", ["false_alarms.py", "--quick"])
    assert false_alarms.main() == 1
    printed = capsys.readouterr().out
    assert "200 of 200" in printed
    assert "52 of 52" in printed
