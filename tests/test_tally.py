"""The tally: every figure against enumeration of the guesses that it stands for."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.models import ALL
from benchaudit.tally import Cell, Counted, Tally


class Item(NamedTuple):
    """A score for each option, of which the highest is the extremum, and the position of the gold."""

    scores: tuple[int, ...]
    gold: int


def item(text: str) -> Item:
    """An item scored by length, in one line: `"*aaaa | bb | c"`, the starred option is gold."""
    options = text.split(" | ")
    gold = next(i for i, option in enumerate(options) if option.startswith("*"))
    return Item(tuple(len(option.lstrip("*")) for option in options), gold)


def extreme(item: Item) -> list[int]:
    """Positions of the options at the extremum."""
    return [i for i, score in enumerate(item.scores) if score == max(item.scores)]


def tally_of(items: Iterable[Item]) -> Tally:
    """Count one item after the other."""
    return Tally.of((len(i.scores), len(extreme(i)), 1, i.gold in extreme(i)) for i in items)


def mean(outcomes: Sequence[int]) -> Fraction:
    """The average of equally likely outcomes."""
    return Fraction(sum(outcomes), len(outcomes))


def picked(item: Item) -> Fraction:
    """How often a guess among the extreme options is right, all guesses tried."""
    return mean([guess == item.gold for guess in extreme(item)])


def avoided(item: Item) -> Fraction:
    """How often a guess among the other options is right; among all where there is no other."""
    others = [i for i in range(len(item.scores)) if i not in extreme(item)]
    return mean([guess == item.gold for guess in others or range(len(item.scores))])


def golds_moved(item: Item) -> list[Item]:
    """The item with its gold at each position: what exchangeable means."""
    return [item._replace(gold=gold) for gold in range(len(item.scores))]


scores = st.lists(st.integers(0, 2), min_size=2, max_size=5).map(tuple)
some_item = scores.flatmap(lambda s: st.builds(Item, st.just(s), st.integers(0, len(s) - 1)))
some_items = st.lists(some_item, max_size=12)
some_tally = some_items.map(tally_of)


# --- what the figures mean ---


@given(some_items)
def test_pick_avoid_and_chance_are_every_guess_tried(items):
    """The three accuracies are exact averages over all the guesses that a rule may make."""
    tally = tally_of(items)
    assert tally.credit == sum(map(picked, items))
    assert tally.avoided == sum(map(avoided, items))
    assert tally.chance == sum(mean([guess == i.gold for guess in range(len(i.scores))]) for i in items)


@given(some_items)
def test_counts_are_of_items(items):
    """n, among and unique count items by their gold."""
    tally = tally_of(items)
    assert tally.n == len(items)
    assert tally.among == sum(i.gold in extreme(i) for i in items)
    assert tally.unique == sum([i.gold] == extreme(i) for i in items)


@given(some_items)
def test_expectations_are_every_gold_tried(items):
    """Expected counts are averages over the positions that an exchangeable gold may have."""
    tally = tally_of(items)
    assert tally.expected_among == sum(mean([g.gold in extreme(g) for g in golds_moved(i)]) for i in items)
    assert tally.expected_unique == sum(mean([[g.gold] == extreme(g) for g in golds_moved(i)]) for i in items)


@given(some_items.filter(bool))
def test_gain_is_the_better_rule_minus_chance(items):
    """The better of the two accuracies minus chance, per item; equal means pick."""
    pick, avoid = sum(map(picked, items)), sum(map(avoided, items))
    chance = sum(Fraction(1, len(i.scores)) for i in items)
    tally = tally_of(items)
    assert tally.best == max(pick, avoid)
    assert tally.gain == (max(pick, avoid) - chance) / len(items)
    assert tally.direction == ("avoid" if avoid > pick else "pick")


@pytest.mark.parametrize(
    ("text", "cell", "credit", "avoid"),
    [
        pytest.param("*aaaa | bb | c", (3, 1, 1, 1), Fraction(1), Fraction(0), id="alone"),
        pytest.param("aaaa | *bb | c", (3, 1, 1, 0), Fraction(0), Fraction(1, 2), id="missed"),
        pytest.param("*aa | bb | c", (3, 2, 1, 1), Fraction(1, 2), Fraction(0), id="tied"),
        pytest.param("aa | bb | *c", (3, 2, 1, 0), Fraction(0), Fraction(1), id="tied, missed"),
        pytest.param("a | *b | c", (3, 3, 1, 1), Fraction(1, 3), Fraction(1, 3), id="all tied"),
        pytest.param("aaaa | *bb", (2, 1, 1, 0), Fraction(0), Fraction(1), id="a pair"),
    ],
)
def test_one_item(text, cell, credit, avoid):
    """An item is one cell, worth a fraction to each rule."""
    tally = tally_of([item(text)])
    assert tally.cells == (cell,)
    assert (tally.credit, tally.avoided) == (credit, avoid)


@pytest.mark.parametrize(
    ("cells", "direction", "gain"),
    [
        pytest.param([(4, 1, 60, 60)], "pick", Fraction(3, 4), id="always the longest of four"),
        pytest.param([(4, 1, 60, 0)], "avoid", Fraction(1, 12), id="never the longest of four"),
        pytest.param([(2, 1, 60, 0)], "avoid", Fraction(1, 2), id="never the longer of two"),
        pytest.param([(4, 1, 60, 15)], "pick", Fraction(0), id="at chance, both alike"),
        pytest.param([(4, 4, 60, 60)], "pick", Fraction(0), id="all tied"),
        pytest.param([(4, 1, 100, 50), (4, 3, 100, 50)], "pick", Fraction(1, 12), id="equal above chance"),
        pytest.param([(2, 1, 1, 0), (4, 3, 4, 4)], "pick", Fraction(-1, 30), id="both below chance"),
    ],
)
def test_gain_and_direction(cells, direction, gain):
    """Both ends leak, and are not equal; a gain can be negative."""
    tally = Tally.of(cells)
    assert (tally.direction, tally.gain) == (direction, gain)


# --- adding ---


@given(some_tally, some_tally, some_tally)
def test_adding_is_associative_and_commutative(a, b, c):
    """Shards may come in any order and be added in any grouping; nothing added is nothing changed."""
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + Tally() == a


@given(some_items, st.randoms(use_true_random=False), st.integers(0, 12))
def test_neither_order_nor_batches_change_a_tally(items, shuffle: random.Random, cut):
    """Rows in any order, in batches of any size, give the same cells."""
    shuffled = shuffle.sample(items, len(items))
    assert tally_of(shuffled[:cut]) + tally_of(shuffled[cut:]) == tally_of(items)


@given(some_tally, some_tally)
def test_every_figure_adds(a, b):
    """All figures but the better rule are sums over items."""
    for figure in (
        "n",
        "among",
        "unique",
        "credit",
        "avoided",
        "chance",
        "expected_among",
        "expected_unique",
    ):
        assert getattr(a + b, figure) == getattr(a, figure) + getattr(b, figure)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param([(4, 1, 2, 1), (4, 1, 3, 0)], ((4, 1, 5, 1),), id="equal cells merge"),
        pytest.param([(4, 2, 1, 0), (2, 1, 1, 1), (4, 1, 1, 0)], None, id="cells are sorted"),
        pytest.param([(4, 1, 0, 0), (3, 1, 1, 0)], ((3, 1, 1, 0),), id="empty cells vanish"),
        pytest.param([], (), id="nothing"),
    ],
)
def test_a_tally_has_one_form(cells: list[Cell], expected):
    """Equal counts are equal tallies, whatever they were added from."""
    assert Tally.of(cells).cells == (tuple(sorted(cells)) if expected is None else expected)


def test_no_items_have_no_gain():
    """A tally without items has sums of nothing, and no division by its n."""
    empty = Tally()
    assert (empty.n, empty.credit, empty.avoided, empty.chance, empty.gain) == (0, 0, 0, 0, 0)
    assert empty.direction == "pick"


# --- a slice ---


def test_rows_of_a_slice():
    """Usable rows are those with a gold; out-of-scope rows count as neither usable nor defective."""
    left_out = {
        "several-golds": 1,
        "unlabelled": 2,
        "no-options": 4,
        "gold-ambiguous": 8,
        "not-unicode": 16,
        "anything-new": 32,
    }
    counted = Counted(key=ALL, left_out=left_out, gold_position={0: 5, 3: 2}, tallies={})
    assert counted.n == 7
    assert counted.defects == 8 + 16 + 32
