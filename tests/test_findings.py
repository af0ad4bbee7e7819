"""Findings that several rows make together, against their definitions in plain Python."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, pairwise, permutations

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchaudit.checks import EXTREMA
from benchaudit.findings import Asked, Fetch, findings_of_rows
from benchaudit.findings.order import (
    Walk,
    expected_stays,
    orders,
    run_p,
    stays_p,
    variance_of_stays,
    walks_of,
)
from benchaudit.findings.overlaps import compared, overlaps
from benchaudit.findings.repeats import repeats
from benchaudit.items import asking, scan_sql
from benchaudit.models import Finding, Thresholds
from tests.pairs import COLUMNS, Row, item, relation
from tests.support import SHARED, audit_path, needs_shared, shared_json

ASKED = Asked(files=["a.csv", "b.csv", "c.csv"], columns=COLUMNS, thresholds=Thresholds())


@contextmanager
def scored(rows: Sequence[Row], files: Sequence[int] = ()) -> Iterator[Fetch]:
    """The narrow rows of a revision, ready to be asked."""
    connection = duckdb.connect()
    connection.register("items_table", relation(rows, COLUMNS, files))
    connection.execute(f"CREATE TABLE scored AS {scan_sql('SELECT * FROM items_table', EXTREMA)}")
    yield asking(connection)
    connection.close()


def found(
    find: Callable[[Fetch, Asked], Iterator[Finding]],
    rows: Sequence[Row],
    files: Sequence[int] = (),
    asked: Asked = ASKED,
) -> dict[str, Finding]:
    with scored(rows, files) as fetch:
        return {finding.check: finding for finding in find(fetch, asked)}


# --- the same item in several rows ---


def some_rows(seed: int) -> list[Row]:
    """Rows of so few questions and options that they meet in every way."""
    rng = random.Random(seed)
    rows = []
    for _ in range(rng.randint(1, 40)):
        options = tuple(rng.choice(["a", "A", "a ", "b", "c"]) for _ in range(rng.randint(2, 3)))
        question = rng.choice(["", "p", "P", "q", "q\n  r", "q r"])
        reason = rng.choice([None] * 9 + ["unlabelled"])
        gold = None if reason else rng.randrange(len(options))
        topic = rng.choice(["t", "u", None])
        rows.append(Row(question, () if reason else options, gold, topic=topic, left_out=reason))
    return rows


def gold_text(row: Row) -> str:
    assert row.gold is not None
    return row.options[row.gold]


def asked_text(row: Row) -> str:
    return " ".join(row.question.split())


def alike(row: Row) -> Hashable:
    return asked_text(row).lower(), tuple(sorted(option.strip().lower() for option in row.options))


def groups(rows: Sequence[Row], key: Callable[[Row], Hashable]) -> list[list[Row]]:
    together: dict[Hashable, list[Row]] = defaultdict(list)
    for row in rows:
        together[key(row)].append(row)
    return list(together.values())


def beyond_the_first(
    rows: Sequence[Row], key: Callable[[Row], Hashable], differ: Callable[[Row], Hashable]
) -> int:
    return sum(len(set(map(differ, group))) - 1 for group in groups(rows, key))


@pytest.mark.parametrize("seed", range(30))
def test_repeats_are_what_their_definitions_say(seed):
    every = some_rows(seed)
    rows = [row for row in every if row.left_out is None and asked_text(row)]
    seen = {name: finding.count for name, finding in found(repeats, every).items()}
    contradicting = [
        group for group in groups(rows, alike) if len({gold_text(row).strip().lower() for row in group}) > 1
    ]
    expected = {
        "duplicate-items": sum(
            len(group) - 1 for group in groups(rows, lambda row: (row.content, row.options))
        ),
        "reordered-items": beyond_the_first(rows, lambda row: row.content, lambda row: row.options),
        "near-duplicate-items": beyond_the_first(
            rows,
            lambda row: (alike(row), gold_text(row).strip().lower()),
            lambda row: row.content,
        ),
        "contradictions": sum(map(len, contradicting)),
    }
    assert seen == {name: count for name, count in expected.items() if count}


def test_items_across_files_and_slices_are_named():
    one, other = item("*ice | iron", "What melts?"), item("*crew | cat", "Who rows?")
    rows = [one, other, other._replace(topic="u"), one, one._replace(topic=None)]
    seen = found(repeats, rows, files=[2, 1, 2])
    assert seen["duplicate-items"].count == 3
    assert seen["duplicate-items"].sample == ("0:1 = 2:1 = 2:2", "0:2 = 1:1")
    assert seen["duplicate-items"].message.endswith("; 2 items stand in several slices of topic")
    assert seen["shared-items"].count == 2
    assert seen["shared-items"].message.endswith("a.csv and b.csv share 1, a.csv and c.csv share 1")


def test_repeats_may_be_intended_but_not_contradictions():
    rows = [item("*ice | iron", "What melts?")] * 2 + [item("ice | *iron", "What melts?")]
    asked = Asked(files=["a.csv"], columns=COLUMNS, thresholds=Thresholds(), repeats=True)
    assert found(repeats, rows).keys() == {"duplicate-items", "contradictions"}
    assert found(repeats, rows, asked=asked).keys() == {"contradictions"}


def test_without_a_question_nothing_is_the_same_item():
    assert found(repeats, [item("*yes | no", "")] * 5) == {}


@needs_shared
def test_the_case_of_items_shared_by_splits():
    """Ids tell nothing; overlaps go by pair of files, contradictions and reordered options apart."""
    expected = shared_json("cases", "R17", "expect.json")
    audit = audit_path(SHARED / "cases" / "R17", files="*.jsonl")
    seen = {finding.check: finding for finding in audit.findings}
    for pair, count in expected["content_in_more_than_one_split"].items():
        if pair != "note":
            one, other = sorted(f"{name}.jsonl" for name in pair.split("&"))
            assert f"{one} and {other} share {count}" in seen["shared-items"].message
    for check, sign, name in (
        ("contradictions", " ≠ ", "same_content_contradicting_gold"),
        ("reordered-items", " = ", "same_item_options_reordered"),
    ):
        assert [set(names.split(sign)) for names in seen[check].sample] == list(map(set, expected[name]))
    allowed = audit_path(SHARED / "cases" / "R17", files="*.jsonl", repeats="true")
    assert {finding.check for finding in allowed.findings} & seen.keys() == {"contradictions"}


# --- slices that hold the same rows ---


def crossed(*rows: tuple[str, str, int]) -> dict[tuple[str, str], int]:
    return {(a, b): n for a, b, n in rows}


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param([("a", "x", 50), ("b", "y", 60)], {"equal-slices": 110}, id="the same cut"),
        pytest.param(
            [("a", "x", 50), ("b", "x", 60), ("c", "y", 40)], {"nested-slices": 150}, id="a finer cut"
        ),
        pytest.param(
            [("True", "forget", 1047), ("False", "forget", 1), ("False", "keep", 900), ("False", "z", 3000)],
            {"contained-slices": 1047 + 3900},
            id="all updated rows are to be forgotten, and so the others are not updated",
        ),
        pytest.param(
            [("a", "x", 30), ("b", "y", 40), ("b", "z", 40), ("c", "y", 40), ("c", "z", 40)],
            {"equal-slices": 30},
            id="one slice of each is the same",
        ),
        pytest.param(
            [("a", "y", 30), ("a", "z", 30), ("b", "x", 25), ("c", "x", 25), ("d", "x", 25)],
            {"complementary-slices": 135, "contained-slices": 60 + 75},
            id="the one has what the other has not",
        ),
        pytest.param(
            [("a", "x", 50), ("a", "y", 50), ("b", "x", 50), ("b", "y", 50)], {}, id="crossed evenly"
        ),
        pytest.param(
            [("a", "x", 19), ("b", "x", 50), ("b", "y", 50), ("c", "x", 50), ("c", "y", 50)],
            {},
            id="few rows lie within anything",
        ),
        pytest.param(
            [("a", "x", 20), ("b", "x", 4000), ("b", "y", 50), ("c", "x", 400), ("c", "y", 50)],
            {},
            id="nearly everything lies in x",
        ),
        pytest.param([("a", "x", 50), ("a", "y", 60)], {}, id="one column has one value"),
    ],
)
def test_what_two_columns_have_in_common(table, expected):
    counts: dict[str, int] = defaultdict(int)
    for finding in compared("one", "other", crossed(*table), min_rows=20):
        counts[finding.check] += finding.count
    assert counts == expected


def test_columns_are_compared_by_their_rows():
    """Rows that are no items have their slices too; a column of one value is said to be one."""
    rows = [item("*a | b", kind="k", topic=topic) for topic in "tu"] + [
        Row(kind="k", topic="u", left_out="x")
    ]
    seen = found(overlaps, rows)
    assert seen.keys() == {"constant-column"}
    assert (seen["constant-column"].count, seen["constant-column"].message) == (3, "every row has kind=k")
    rows = [item("*a | b", kind=kind, topic=topic) for kind, topic in ("kt", "lu")] * 20
    assert found(overlaps, rows)["equal-slices"].count == 40


def test_what_is_contained_is_named():
    table = crossed(("a", "x", 30), ("b", "x", 40), ("b", "y", 40), ("c", "x", 40), ("c", "y", 40))
    (finding,) = compared("one", "other", table, min_rows=20)
    assert finding.message == "within other=x (110 rows) lie all 30 rows of one=a"


# --- the order of golds ---

_places = st.lists(st.integers(0, 4), min_size=2, max_size=3).filter(lambda places: 2 <= sum(places) <= 7)


def every_order(places: Sequence[int]) -> list[tuple[int, ...]]:
    golds = [place for place, count in enumerate(places) for _ in range(count)]
    return list(permutations(golds))


def stays_of(order: Sequence[int]) -> int:
    return sum(a == b for a, b in pairwise(order))


def longest_run(order: Sequence[int]) -> int:
    return max(len(list(run)) for _, run in groupby(order))


@settings(max_examples=40)
@given(_places)
def test_stays_have_the_mean_and_variance_of_all_orders(places):
    stays = [stays_of(order) for order in every_order(places)]
    mean = sum(stays) / len(stays)
    assert float(expected_stays(places)) == pytest.approx(mean)
    variance = sum((count - mean) ** 2 for count in stays) / len(stays)
    assert float(variance_of_stays(places)) == pytest.approx(variance)


@settings(max_examples=40)
@given(_places, st.integers(1, 7))
def test_a_run_is_no_rarer_than_its_bound_says(places, run):
    every = every_order(places)
    p = sum(longest_run(order) >= run for order in every) / len(every)
    assert p <= run_p(places, run) + 1e-9
    if run == sum(places) == max(places):
        assert run_p(places, run) == pytest.approx(1)


def test_what_must_stay_surprises_nobody():
    assert stays_p([5], 4) == 1
    assert stays_p([1], 0) == 1
    assert math.isclose(stays_p([50, 50], 49), 1, abs_tol=0.01)


def walked(golds: Sequence[int], **given: object) -> dict[str, Finding]:
    rows = [Row(str(number), ("a", "b", "c", "d"), gold) for number, gold in enumerate(golds)]
    asked = Asked(files=["a.csv"], columns=COLUMNS, thresholds=Thresholds(), **given)
    return found(orders, rows, asked=asked)


@pytest.mark.parametrize(
    ("golds", "expected"),
    [
        pytest.param([0, 1, 2, 3] * 30, {"gold-transitions": 0}, id="in turn"),
        pytest.param(
            [0] * 30 + [1] * 31 + [2] * 30, {"gold-run": 31, "gold-transitions": 88}, id="sorted by gold"
        ),
        pytest.param([0] * 50, {}, id="always first, which is a check's to say"),
        pytest.param([0, 0, 1] * 5, {}, id="too few rows"),
    ],
)
def test_the_order_of_golds(golds, expected):
    assert {name: finding.count for name, finding in walked(golds).items()} == expected


def test_a_run_is_named_by_its_place_and_first_row():
    rng = random.Random(4)
    golds = [rng.randrange(4) for _ in range(200)]
    golds[100:130] = [2] * 30
    golds[99] = golds[130] = 1
    seen = walked(golds)
    assert seen["gold-run"].message == "gold stands at place 3 in 30 items one after the other, in a.csv"
    assert seen["gold-run"].sample == ("0:101",)


@pytest.mark.parametrize("seed", range(10))
def test_walks_are_those_of_a_loop(seed):
    rng = random.Random(seed)
    reasons = [None, None, None, "unlabelled"]
    rows = [
        Row(str(n), ("a", "b", "c")[:k], rng.randrange(k), left_out=rng.choice(reasons))
        for n in range(rng.randrange(60))
        for k in [rng.choice([2, 3, 3])]
    ]
    files = [len(rows) // 2, len(rows) - len(rows) // 2]
    expected = []
    for file, start in enumerate([0, files[0]]):
        numbered = list(enumerate(rows[start : start + files[file]], start=1))
        for k in (2, 3):
            golds = [
                (number, row.gold) for number, row in numbered if not row.left_out and len(row.options) == k
            ]
            runs = [list(run) for _, run in groupby(golds, key=lambda walked: walked[1])]
            if runs:
                longest = max(runs, key=len)
                places = [gold for _, gold in golds]
                expected.append(
                    Walk(
                        number=file,
                        file=ASKED.files[file],
                        places=[places.count(place) for place in sorted(set(places))],
                        stays=len(places) - len(runs),
                        run=len(longest),
                        place=longest[0][1],
                        start=longest[0][0],
                    )
                )
    with scored(rows, files) as fetch:
        assert walks_of(fetch, ASKED) == expected


def test_where_no_two_items_are_alike_nothing_more_is_asked():
    """Which is so in most releases, of however many rows."""
    asked = []
    with scored([item("*ice | iron", "What melts?"), item("*crew | cat", "Who rows?")]) as fetch:
        assert list(repeats(lambda sql: asked.append(sql) or fetch(sql), ASKED)) == []
    assert len(asked) == 1


def test_random_golds_are_in_no_order():
    """Of a hundred files none is accused but by an accident that happens once in a hundred runs."""
    rng = random.Random(5)
    rows = [Row(str(n), ("a", "b", "c"), rng.randrange(3)) for n in range(100 * 40)]
    asked = Asked(files=[f"{n}.csv" for n in range(100)], columns=COLUMNS, thresholds=Thresholds())
    assert found(orders, rows, files=[40] * 100, asked=asked) == {}


def test_without_an_order_of_options_there_is_none_of_golds():
    assert walked([0, 1, 2, 3] * 30, ordered=False) == {}


def test_items_of_other_sizes_are_other_walks():
    """Pairs and fours in turn: the golds of each stay as they should, and those of the file do not."""
    rng = random.Random(6)
    rows = [
        Row(str(n), ("a", "b", "c", "d")[: 2 + 2 * (n % 2)], rng.randrange(2) + 2 * (n % 2))
        for n in range(400)
    ]
    assert found(orders, rows) == {}


def test_no_rows_make_no_findings():
    assert found(findings_of_rows, []) == {}


# --- parts of a release ---


def test_a_part_that_is_not_there_is_missed(tmp_path):
    parts = ["test-00000-of-00003", "test-00002-of-00003", "train-00000-of-00001", "to-5-of-9"]
    for number, name in enumerate(parts):
        (tmp_path / f"{name}.csv").write_text(f"question,A,B,answer\n{number}?,x,yy,A\n{number}!,x,yy,B\n")

    def missed(**given: str) -> list[tuple[int, str]]:
        audit = audit_path(tmp_path, **given)
        return [(found.count, found.message) for found in audit.findings if found.check == "missing-parts"]

    message = "parts of a release are not among the files audited: 1 of test-*-of-00003.csv"
    assert missed() == [(1, message)]
    assert missed(files="test*.csv") == [(1, message)]
    assert missed(files="test-00000-of-00003.csv") == missed(files="t[ro]*.csv") == []
