"""Pairing: which row is which, held against the same rules in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import benchaudit.partners
from benchaudit.models import ALL
from benchaudit.moves import Pairs
from benchaudit.pairing import MOST_NAMES, pair_audits
from tests.pairs import (
    CHECKS,
    SLICINGS,
    Row,
    audited,
    compared,
    edited,
    item,
    moved,
    no_item,
    partners,
    some_rows,
    ways,
    workplace,
)

BY_TOPIC = (("topic",),)


def pairs_of(
    old: Sequence[Row], new: Sequence[Row], cuts: Sequence[tuple[tuple[str, ...], ...]] = (BY_TOPIC, BY_TOPIC)
) -> Pairs:
    """Pair two revisions made of rows; `cuts` are the slicings of the old and of the new."""
    with workplace() as work:
        before, after = audited(old, work, slicings=cuts[0]), audited(new, work, slicings=cuts[1])
        return pair_audits(before, after, work)


# --- against plain Python ---


@settings(deadline=None, max_examples=15)
@given(st.one_of(edited(), st.tuples(some_rows, some_rows)))
def test_pairs_are_those_of_plain_python(revisions):
    """Every class of rows, every part of every slice and check, every flip; and all the other way round."""
    for old, new in (revisions, revisions[::-1]):
        found, expected = pairs_of(old, new, (SLICINGS, SLICINGS)), partners(old, new)
        assert found.rows == classes(expected)
        assert found.reasons == Counter(
            b.left_out for a, b in expected if a and b and b.left_out and not a.left_out
        )
        expected_ways = ways(expected)
        assert found.moves.keys() == expected_ways.keys()
        for place, way in expected_ways.items():
            moves = found.moves[place]
            assert moves.parts == way.parts
            assert (moves.lost, moves.gained) == (way.lost, way.gained)
            assert len(moves.flips) == min(way.lost + way.gained, MOST_NAMES)


def rekeyed(old: Row, new: Row) -> bool:
    """Whether gold is another of the same options, whatever their case and the white space around them."""

    def alike(row: Row) -> tuple[str, list[str]]:
        return " ".join(row.question.split()).lower(), sorted(text.strip().lower() for text in row.options)

    same = sorted(old.options) == sorted(new.options) or alike(old) == alike(new)
    golds = [str(row.content[2]).strip().lower() for row in (old, new)]
    return same and golds[0] != golds[1]


def classes(pairs: list[tuple[Row | None, Row | None]]) -> dict[str, int]:
    """How many rows are of each class."""
    both = [(old, new) for old, new in pairs if old and new]
    stayed = [(old, new) for old, new in both if not (old.left_out or new.left_out)]
    return {
        "paired": len(both),
        "added": sum(old is None for old, _ in pairs),
        "removed": sum(new is None for _, new in pairs),
        "options_edited": sum(sorted(old.options) != sorted(new.options) for old, new in stayed),
        "gold_changed": sum(old.content[2] != new.content[2] for old, new in stayed),
        "gold_rekeyed": sum(rekeyed(old, new) for old, new in stayed),
        "moved_slice": sum((old.kind, old.topic) != (new.kind, new.topic) for old, new in both),
        "became_left_out": sum(not old.left_out and bool(new.left_out) for old, new in both),
        "became_usable": sum(bool(old.left_out) and not new.left_out for old, new in both),
    }


@settings(deadline=None, max_examples=15)
@given(some_rows, st.randoms(use_true_random=False), st.data())
def test_the_same_rows_in_any_order_and_any_files_are_no_change(rows, shuffle: random.Random, data):
    """Repeats, rows without a name and rows that are no items included: nothing came, went or moved."""
    new = shuffle.sample(rows, len(rows))
    cut = data.draw(st.integers(0, len(rows)))
    with workplace() as work:
        found = pair_audits(audited(rows, work), audited(new, work, files=[cut, len(rows) - cut]), work)
    assert moved(found)
    assert found.rows["paired"] == len(rows)
    assert (found.shift, found.reasons, found.became_defective) == (None, {}, 0)
    for moves in found.moves.values():
        assert moves.parts["stayed_old"] == moves.parts["stayed_new"]
        assert (moves.lost, moves.gained, moves.flips) == (0, 0, ())
        assert {name for name, tally in moves.parts.items() if tally.n} == {"stayed_old", "stayed_new"}


@settings(deadline=None, max_examples=15)
@given(edited(), st.randoms(use_true_random=False), st.integers(0, 99))
def test_neither_order_nor_files_change_who_is_whose_partner(revisions, shuffle: random.Random, cut):
    """Where no two rows of a revision are one item, nothing depends on where a row stands."""
    old, new = (list({row.left_out or row.content: row for row in rows}.values()) for rows in revisions)
    cut %= len(new) + 1
    shuffled = shuffle.sample(new, len(new))
    with workplace() as work:
        before = audited(old, work)
        one, other = (
            pair_audits(before, audited(rows, work, files=files), work)
            for rows, files in ((new, ()), (shuffled, (cut, len(new) - cut)))
        )
    assert one.rows == other.rows
    assert one.reasons == other.reasons
    assert (one.shift, one.became_defective) == (other.shift, other.became_defective)
    for place, moves in one.moves.items():
        assert moves.parts == other.moves[place].parts
        assert (moves.lost, moves.gained) == (other.moves[place].lost, other.moves[place].gained)


@settings(deadline=None, max_examples=15)
@given(st.one_of(edited(), st.tuples(some_rows, some_rows)), st.integers(1, 9), st.data())
def test_in_how_many_parts_rows_are_paired_does_not_show(revisions, at_once, data):
    """Not in a figure and not in a name, wherever the files of a revision begin and end."""
    with workplace() as work:
        before, after = (
            audited(rows, work, files=[cut, len(rows) - cut])
            for rows in revisions
            for cut in [data.draw(st.integers(0, len(rows)))]
        )
        one = pair_audits(before, after, work)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(benchaudit.partners, "AT_ONCE", at_once)
            assert pair_audits(before, after, work) == one


def test_what_many_rows_need_on_disk_is_gone_afterwards(monkeypatch):
    """A history compares many revisions in one directory, whatever that is called."""
    monkeypatch.setattr(benchaudit.partners, "AT_ONCE", 2)
    rows = [item("*aa | b", str(number)) for number in range(20)]
    with workplace() as place:
        work = place / "[a] *'s"
        work.mkdir()
        before, after = audited(rows, place), audited(rows[1:], place)
        kept = sorted(work.rglob("*"))
        assert moved(pair_audits(before, after, work), removed=1)
        assert sorted(work.rglob("*")) == kept


# --- one rule after the other ---


def test_content_comes_before_id():
    """Ids that were dealt out anew belong to other items now, and nothing changed."""
    old = [item("*aa | b", "p", id="1"), item("cc | *d", "q", id="2")]
    new = [item("*aa | b", "p", id="2"), item("cc | *d", "q", id="1")]
    assert moved(pairs_of(old, new))


def test_id_comes_before_question():
    """Two questions that were exchanged are two edits of rows that kept their ids, not two renamings."""
    old = [item("*aa | b", "p", id="1"), item("cc | *d", "q", id="2")]
    new = [item("*a | b", "q", id="1"), item("c | *d", "p", id="2")]
    found = pairs_of(old, new)
    assert moved(found, options_edited=2, gold_changed=1, gold_rekeyed=0)
    assert found.names["gold_changed"] == ("1",)


def test_question_comes_last():
    """An item with another id and other options is the same as long as its question is."""
    found = pairs_of([item("*aa | b", "p", id="1")], [item("*aa | c", "p", id="9")])
    assert moved(found, options_edited=1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(["*a | b", "c | *d"], ["c | *d", "*a | b"], id="two rows exchanged"),
        pytest.param(["*a | b", "c | *d"], ["e | *f", "*a | b", "c | *d"], id="a row put in front"),
        pytest.param(["*a | b", "c | *d"], ["c | *d"], id="the first row dropped"),
    ],
)
def test_row_numbers_do_not_count(old, new):
    """Rows are known by what they say, wherever they stand."""
    found = pairs_of([item(text, text) for text in old], [item(text, text) for text in new])
    assert found.rows["paired"] == len(set(old) & set(new))
    assert found.rows["options_edited"] == found.rows["gold_changed"] == 0


def test_rows_that_share_nothing_are_no_pair():
    """Not even where both revisions hold one row."""
    found = pairs_of([item("*a | b", "p", id="1")], [item("*a | b", "q", id="2")])
    assert moved(found, added=1, removed=1)
    assert (found.names["removed"], found.names["added"]) == (("1",), ("2",))


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([{"question": "p", "id": "1"}, {"question": "q", "id": "1"}], id="an id used twice"),
        pytest.param([{"question": "p"}, {"question": "p"}], id="a question asked twice"),
        pytest.param([{"question": ""}], id="no question"),
        pytest.param([{"question": " \n"}], id="white space for a question"),
        pytest.param([{"question": "", "id": ""}], id="an empty id"),
        pytest.param([{"question": "", "id": None}], id="no id"),
    ],
)
@pytest.mark.parametrize("twice_in", ["old", "new", "both"])
def test_a_name_that_names_nothing_pairs_nothing(names, twice_in):
    """Neither an id nor a question says which row it is where it is empty, or not unique on either side."""
    old = [item("*a | b", **more) for more in (names if twice_in != "new" else names[:1])]
    new = [
        item("*c | d", **(more | {"question": f"new {more['question']}"} if more.get("id") else more))
        for more in (names if twice_in != "old" else names[:1])
    ]
    assert moved(pairs_of(old, new), removed=len(old), added=len(new))


def test_repeats_pair_in_row_order():
    """Of three equal items the last is the one that went, of four the last the one that came."""
    three = [item("*aa | b", id=name) for name in "abc"]
    renamed = [item("*aa | b", id=name) for name in "wxyz"]
    fewer, more = pairs_of(three, renamed[:2]), pairs_of(three, renamed)
    assert moved(fewer, removed=1)
    assert fewer.names["removed"] == ("c",)
    assert moved(more, added=1)
    assert more.names["added"] == ("z",)


def test_a_repeat_is_known_by_its_id_and_its_slice():
    """Of equal items the one that is gone is the one whose id is, and the one whose slice is."""
    named = [item("*aa | b", id=name) for name in "abc"]
    sliced = [item("*aa | b", id=name, topic=f"topic {name}") for name in "abc"]
    renamed = [row._replace(id=f"new {row.id}") for row in sliced]
    for old, new in ((named, named), (sliced, sliced), (sliced, renamed)):
        found = pairs_of(old, [new[2], new[0]])
        assert moved(found, removed=1)
        assert found.names["removed"] == ("b",)


def test_ids_that_were_dealt_out_anew_move_no_repeat_to_another_slice():
    """As many equal items stand in each slice as before."""
    old = [item("*aa | b", id=name, topic=f"topic {name}") for name in "ab"]
    assert moved(pairs_of(old, [old[0]._replace(id="b"), old[1]._replace(id="a")]))


@pytest.mark.parametrize("ids", ["ab", "ba", "cd", ("", "")], ids=["kept", "exchanged", "new", "none"])
@pytest.mark.parametrize(
    "two",
    [
        pytest.param([item("*aa | b", "p"), item("*aa | b", "q")], id="questions"),
        pytest.param([item("*aa | b", "q"), item("*aa | c", "q")], id="options"),
        pytest.param([item("*aa | b", "q"), item("aa | *b", "q")], id="golds"),
    ],
)
def test_items_that_differ_in_one_thing_are_told_apart(two, ids):
    """By what they say, whatever they are called and wherever they stand, in the file or in a slice."""
    old, new = (
        [row._replace(id=name) for row, name in zip(two, names, strict=True)] for names in ("ab", ids)
    )
    elsewhere = [row._replace(topic="u") for row in new]
    for rows in (new, new[::-1]):
        assert moved(pairs_of(old, rows))
    for rows in (elsewhere, elsewhere[::-1]):
        assert moved(pairs_of(old, rows), moved_slice=2)


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(item("*aa | b", "a   question\r\nof two lines ", id="1"), id="line ends"),
        pytest.param(item("*aa | b", "a\u00a0question of two\u2003lines\u2028", id="1"), id="other blanks"),
        pytest.param(item("b | *aa", "a question of two lines", id="1"), id="options in another order"),
        pytest.param(item("*aa | b", "a question\nof two lines", id="other"), id="id"),
    ],
)
def test_what_is_no_change(new):
    """Neither white space in a question, nor the order of options, nor a name."""
    assert moved(pairs_of([item("*aa | b", "a question\nof two lines", id="1")], [new]))


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(item("aa | *b", "p"), {"gold_changed": 1, "gold_rekeyed": 1}, id="gold"),
        pytest.param(
            item("*a new text | b", "p"), {"options_edited": 1, "gold_changed": 1}, id="the text of gold"
        ),
        pytest.param(item("*AA | b", "p"), {"options_edited": 1, "gold_changed": 1}, id="the case of gold"),
        pytest.param(
            item("AA | *B ", "p"),
            {"options_edited": 1, "gold_changed": 1, "gold_rekeyed": 1},
            id="gold, and the case of all",
        ),
        pytest.param(item("*aa | bb", "p"), {"options_edited": 1}, id="a distractor"),
        pytest.param(
            item("*aa  | b", "p"), {"options_edited": 1, "gold_changed": 1}, id="a space behind gold"
        ),
        pytest.param(item("*aa | b | b", "p"), {"options_edited": 1}, id="an option once more"),
        pytest.param(item("*aa | b", "p", topic="u"), {"moved_slice": 1}, id="another slice"),
        pytest.param(item("*aa | b", "p", topic=None), {"moved_slice": 1}, id="a slice that is missing"),
        pytest.param(no_item("several-golds", "p"), {"became_left_out": 1}, id="no item"),
    ],
)
def test_what_is_a_change(new, expected):
    """Each class by itself; and the same the other way round."""
    old = item("*aa | b", "p")
    assert moved(pairs_of([old], [new]), **expected)
    back = {{"became_left_out": "became_usable"}.get(name, name): n for name, n in expected.items()}
    assert moved(pairs_of([new], [old]), **back)


# --- rows that are no items ---


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([{"topic": "t"}, {"topic": "u"}], id="slices"),
        pytest.param([{"left_out": "unlabelled"}, {"left_out": "gold-ambiguous"}], id="reasons"),
        pytest.param([{"question": ""}, {"question": "q"}], id="questions"),
    ],
)
@pytest.mark.parametrize("id_", [None, "the same"])
def test_rows_that_are_no_items_are_known_by_all_that_is_known(names, id_):
    """Sorted anew they are what they were: none moved, none turned defective, none came or went."""
    rows = [no_item("unlabelled", id=id_)._replace(**more) for more in names for _ in range(2)]
    found = pairs_of(rows, rows[::-1])
    assert moved(found)
    assert found.became_defective == 0


def test_a_row_that_is_no_item_may_change_its_slice():
    """It is the same as long as its question and its reason are."""
    rows = [no_item("unlabelled", "q", topic="t") for _ in range(2)]
    assert moved(pairs_of(rows, [row._replace(topic="u") for row in rows]), moved_slice=2)


def test_an_item_that_became_left_out_is_removed_with_its_reason():
    """From every slice and check; the row itself is still there."""
    old = [item("*aa | b", "p"), item("*aa | b", "q"), item("*aa | b", "r")]
    new = [old[0], no_item("gold-ambiguous", "q"), no_item("unlabelled", "r")]
    found = pairs_of(old, new)
    assert moved(found, became_left_out=2)
    assert found.reasons == {"gold-ambiguous": 1, "unlabelled": 1}
    for moves in found.moves.values():
        assert (moves.parts["removed"].n, moves.parts["stayed_old"].n, moves.parts["moved_out"].n) == (
            2,
            1,
            0,
        )


def test_a_row_that_became_usable_is_added():
    """And what had been wrong with it is no reason for anything any more."""
    old = [item("*aa | b", "p"), no_item("unlabelled", "q", id="1")]
    found = pairs_of(old, [old[0], item("*aa | b", "q", id="1")])
    assert moved(found, became_usable=1)
    assert found.reasons == {}
    for moves in found.moves.values():
        assert (moves.parts["added"].n, moves.parts["stayed_new"].n, moves.parts["moved_in"].n) == (1, 1, 0)


def test_a_row_that_became_usable_in_another_slice_is_added_there():
    """It was in no figure of the slice that it came from."""
    found = pairs_of([no_item("unlabelled", "q", topic="t")], [item("*aa | b", "q", topic="u")])
    assert moved(found, became_usable=1, moved_slice=1)
    assert {key for key, _ in found.moves if dict(key).get("topic") == "t"} == set()
    assert found.moves[(("topic", "u"),), "longest"].parts["added"].n == 1


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        ([item("*a | b", "p")], [no_item("gold-ambiguous", "p")], 1),
        ([item("*a | b", "p")], [no_item("unlabelled", "p")], 0),
        ([no_item("unlabelled", "p")], [no_item("gold-ambiguous", "p")], 1),
        ([no_item("gold-ambiguous", "p")], [no_item("not-unicode", "p")], 0),
        ([no_item("gold-ambiguous", "p")], [no_item("unlabelled", "p")], 0),
        ([no_item("gold-ambiguous", "p")], [item("*a | b", "p")], 0),
        ([], [no_item("gold-ambiguous", question) for question in "pq"], 2),
        ([no_item("gold-ambiguous", "p")], [no_item("gold-ambiguous", question) for question in "qr"], 1),
        ([no_item("gold-ambiguous", question) for question in "pr"], [no_item("gold-ambiguous", "q")], 0),
        ([no_item("gold-ambiguous", "p")], [item("*a | b", "p"), no_item("gold-ambiguous", "q")], 1),
        ([item("*a | b", "p")], [no_item("gold-ambiguous", "q")], 1),
        (
            [no_item("gold-ambiguous", "p"), item("*a | b", "q"), no_item("unlabelled", "s")],
            [item("*a | b", "p"), no_item("gold-ambiguous", "q"), no_item("no-options", "t")],
            1,
        ),
    ],
    ids=[
        "an item", "an item out of scope", "a row out of scope", "another defect", "out of scope", "mended",
        "came", "one more came than went", "fewer came than went", "one mended, one came",
        "an item went, a defect came", "one mended, one turned",
    ],
)  # fmt: skip
def test_rows_that_became_defective(old, new, turned):
    """A row that was mended does not hide another that turned; a defect that stands elsewhere now is none."""
    assert pairs_of(old, new).became_defective == turned


# --- gold encoded anew ---

QUESTIONS = [f"question {number}" for number in range(6)]


def golds(places: Sequence[int | None], options: Sequence[str] = ("a", "bb", "ccc", "dddd")) -> list[Row]:
    """Items of the same options, each with its gold at a place; None is a place that is out of range."""
    return [
        Row(question, tuple(options), place) if place is not None else no_item("gold-out-of-range", question)
        for question, place in zip(QUESTIONS, places, strict=False)
    ]


@pytest.mark.parametrize(
    ("old", "new", "shift"),
    [
        ([0, 1, 2, 0, 1], [1, 2, 3, 1, 2], 1),
        ([1, 2, 3, 1, 2], [0, 1, 2, 0, 1], -1),
        ([0, 1, 2, 3, 3], [1, 2, 3, None, None], 1),
        ([0, 1, 2, 0], [1, 2, 3, 0], 1),
        ([0, 1, 2, 0], [1, 2, 2, 0], None),
        ([0, 1, 2, 0, 1], [1, 2, 2, 0, 1], None),
        ([0, 1, 2, 0, 1], [1, 2, 3, 1, 0], None),
        ([0, 1, 0, 1], [1, 0, 1, 0], None),
        ([0, 1, 0, 1], [0, 1, 0, 1], None),
    ],
    ids=[
        "from 0 to 1", "from 1 to 0", "the last places fall out", "most", "half of them", "a few corrections",
        "not all by one", "exchanged", "no change",
    ],
)  # fmt: skip
def test_a_uniform_move_of_gold(old, new, shift):
    """One distance for all whose gold changed, and for most of all; two corrections are no new encoding."""
    assert pairs_of(golds(old), golds(new)).shift == shift


def test_items_whose_options_were_edited_say_nothing_of_the_encoding():
    """Neither against a move of all others, nor for one."""
    edited = [item("*a | b", f"edited {number}") for number in range(9)]
    mended = [row._replace(options=("aaa", "b")) for row in edited]
    moved_too = [row._replace(options=("b", "aaa"), gold=1) for row in edited]
    old, new = golds([0, 1, 2, 0]), golds([1, 2, 3, 1])
    assert pairs_of(old + edited, new + mended).shift == 1
    assert pairs_of(old + edited, old + moved_too).shift is None


def test_gold_that_is_stored_apart_does_not_move():
    """It is always the first: another text in its place is another gold, at the same place."""
    old = [Row(question, ("a", "bb"), 0) for question in QUESTIONS]
    new = [Row(question, ("bb", "a"), 0) for question in QUESTIONS]
    found = pairs_of(old, new)
    assert moved(found, gold_changed=len(QUESTIONS), gold_rekeyed=len(QUESTIONS))
    assert found.shift is None


# --- slices that only one revision has ---


def test_a_column_that_is_gone_moves_no_row():
    """What is left is compared; of the column that one revision lacks nothing is said."""
    old, new = [item("*aa | b", "p", topic="t")], [item("*aa | b", "p", topic="anything")]
    found = pairs_of(old, new, ((("topic",), ("kind",)), (("kind",),)))
    assert moved(found)
    assert {key for key, _ in found.moves} == {ALL, (("kind", "k"),)}


def test_a_value_is_read_from_its_own_column():
    """A revision that is cut by more columns holds them at other places."""
    rows = [item("*aa | b", "p", kind="k", topic="t"), item("*aa | b", "q", kind="l", topic="t")]
    found = pairs_of(rows, rows, ((("topic",),), (("kind",), ("topic",))))
    assert moved(found)
    assert {key for key, _ in found.moves} == {ALL, (("topic", "t"),)}


def test_a_missing_value_is_a_slice_of_its_own():
    """Which an item can stay in, leave, or come to."""
    old = [item("*aa | b", "p", topic=None), item("*aa | b", "q", topic=None)]
    found = pairs_of(old, [old[0], old[1]._replace(topic="t")])
    missing, named = found.moves[(("topic", None),), "longest"], found.moves[(("topic", "t"),), "longest"]
    assert (missing.parts["stayed_old"].n, missing.parts["moved_out"].n) == (1, 1)
    assert (named.parts["moved_in"].n, named.parts["added"].n) == (1, 0)


# --- names and flips ---


def test_up_to_ten_rows_are_named():
    """By their ids in the order of the new file, or of the old where they are only there; else by places."""
    old = [item("*aa | b", f"question {number}", id=f"row {number}") for number in range(12)]
    found = pairs_of(old, [row._replace(options=("aa", "c")) for row in old])
    assert found.names["options_edited"] == tuple(f"row {number}" for number in range(MOST_NAMES))
    assert found.rows["options_edited"] == 12
    assert pairs_of(old, old[11:]).names["removed"] == tuple(f"row {number}" for number in range(MOST_NAMES))
    nameless = [row._replace(id=None) for row in old]
    assert pairs_of(nameless, nameless[2:]).names["removed"] == ("0:1", "0:2")


def test_flips_are_named_as_the_new_revision_names_them():
    """Lost is gold that left the extremum, gained is gold that came to it."""
    old = [item("*aa | b", "p", id="1"), item("*a | bb", "q", id="2"), item("*aa | b", "r", id="3")]
    new = [item("aa | *b", "p", id="1"), item("*abc | bb", "q", id="two"), item("aa | *b", "r", id="3")]
    there, back = (pairs_of(*sides).moves[ALL, "longest"] for sides in ((old, new), (new, old)))
    assert (there.lost, there.gained, there.flips) == (2, 1, ("1", "two", "3"))
    assert (back.lost, back.gained, back.flips) == (1, 2, ("1", "2", "3"))


def test_names_stand_in_the_order_of_the_files():
    """Of the new ones; where a row is no longer there, of the old."""
    rows = [item("*aa | b", name, id=name) for name in "abc"]
    flipped = [item("aa | *b", name, id=name) for name in "cab"]
    with workplace() as work:
        one, two = audited(rows, work, files=[1, 2]), audited(flipped, work, files=[2, 1])
        found, gone = pair_audits(one, two, work), pair_audits(two, audited([], work), work)
    assert found.moves[ALL, "longest"].flips == ("c", "a", "b")
    assert found.names["gold_changed"] == ("c", "a", "b")
    assert gone.names["removed"] == ("c", "a", "b")


def test_every_check_has_its_moves():
    """Of ALL and of every slicing that both revisions have."""
    rows = [item("*aa | b", "p")]
    keys = {ALL, *(rows[0].key(slicing) for slicing in SLICINGS)}
    found = pairs_of(rows, rows, (SLICINGS, SLICINGS))
    assert found.moves.keys() == {(key, check) for key in keys for check in CHECKS}


@pytest.mark.parametrize("lacks", ["old", "new"])
def test_a_check_that_only_one_revision_ran_has_no_moves(lacks):
    """There is nothing to hold it against."""
    rows = [item("*aa | b", "p")]
    with workplace() as work:
        whole = audited(rows, work, slicings=())
        less = replace(whole, audit=replace(whole.audit, check_versions={"longest": 1}))
        found = pair_audits(less, whole, work) if lacks == "old" else pair_audits(whole, less, work)
    assert found.moves.keys() == {(ALL, "longest")}


def test_rows_may_lie_anywhere():
    """The two files are allowed by name; nothing else outside of the working directory is."""
    rows = [item("*aa | b", "p")]
    with workplace() as old, workplace() as new, workplace() as work:
        assert moved(pair_audits(audited(rows, old), audited(rows, new), work))


def test_nothing_is_paired_with_nothing():
    """A revision without items has moves of nothing."""
    found = pairs_of([no_item("unlabelled")], [no_item("unlabelled")])
    assert moved(found)
    assert found.moves == {}
    assert compared([no_item("unlabelled")], [no_item("unlabelled")]).comparison.material == ()
