"""Every check against its definition in plain Python, and what holds for all of them alike."""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.checks import EXTREMA, GROUPS, all_checks, by_name
from benchaudit.checks.lists import _EDGE, LISTS, WHITE, mentions
from benchaudit.checks.terms import ABSOLUTES, HEDGES, NEGATION, OF_THE_ABOVE
from benchaudit.items import learn, scan_sql
from benchaudit.learning import learnt_sql
from benchaudit.models import ColumnMapping
from benchaudit.packing import column_of, unpacked
from benchaudit.tally import Tally
from tests.pairs import Row, relation

TERMS = (ABSOLUTES, HEDGES, NEGATION, OF_THE_ABOVE)
PIECES_OF_TERMS = (
    *(
        "all",
        "of the above",
        "never",
        "can't",
        "peut-être",
        "entièrement",
        "völlig",
        "以上都是",
        "不",
        "may",
        "no",
    ),
    *(
        " ",
        "  ",
        "\t",
        "\n",
        "\x00",
        "\x01",
        "-",
        "_",
        ".",
        "(",
        "{",
        "~",
        "`",
        "@",
        "[",
        "^",
        "/",
        ":",
        "0",
        "Z",
        "z",
    ),
    *(
        "’",
        "“",
        "–",
        "…",
        "\x85",
        "\xa0",
        "\u3000",
        "。",
        "，",
        "é",
        "\u0301",
        "٣",
        "²",
        "Ⅷ",
        "中",
        "я",
        "😀",
        "ª",
    ),
)

CHECKS, EVERY = all_checks(), all_checks(probe=True)
ORDERED = {check.name for check in CHECKS if check.needs == "order"}

Scores = Sequence[float | Fraction]
Definition = Callable[[str, Sequence[str]], Scores]
"""Scores of the options of an item, from its question and its options."""


# --- the definitions, slow and plain ---


def is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff"


def words(text: str) -> list[str]:
    """Letters, marks and digits in a row, without case; a Chinese character is a word of its own."""
    found, word = [], ""
    for character in [*text.lower(), " "]:
        inside = unicodedata.category(character)[0] in "LMN" and not is_han(character)
        if inside:
            word += character
            continue
        found += [word] if word else []
        word = ""
        found += [character] if is_han(character) else []
    return found


def each(score: Callable[[str], float]) -> Definition:
    """An option is scored by its own text."""
    return lambda _, options: [score(option) for option in options]


def has(terms: Sequence[str]) -> Definition:
    """Whether an option has one of the terms as a word or words of its own."""

    def found(option: str) -> bool:
        text = " ".join(option.lower().split())
        for term in terms:
            for start in range(len(text)):
                if not text.startswith(term, start):
                    continue
                around = text[max(0, start - 1) : start] + text[start + len(term) : start + len(term) + 1]
                joined = any(unicodedata.category(character)[0] in "LMN" for character in around)
                if is_han(term[0]) or not joined:
                    return True
        return False

    return each(found)


def nth(number: int) -> Definition:
    return lambda _, options: [place == number for place in range(len(options))]


def second_longest(_: str, options: Sequence[str]) -> Scores:
    lengths = sorted({len(option) for option in options}, reverse=True)
    return [lengths[1:2] == [len(option)] for option in options]


def far_longest(_: str, options: Sequence[str]) -> Scores:
    top, second = sorted(map(len, options), reverse=True)[:2]
    return [len(option) == top > second and top >= 1.25 * second for option in options]


def overlap(question: str, options: Sequence[str]) -> Scores:
    asked = set(words(question))
    return [len(set(words(o)) & asked) / max(1, len(set(words(o)))) for o in options]


def odd_one_out(_: str, options: Sequence[str]) -> Scores:
    sets = [set(words(option)) for option in options]
    shared = [sum(len(one & other) for other in sets) - len(one) for one in sets]
    return [count / max(1, len(one)) for count, one in zip(shared, sets, strict=True)]


def mojibake(option: str) -> bool:
    pairs = any(a in "ÂÃ" and "\x80" <= b <= "\xbf" for a, b in pairwise(option))
    return pairs or any(sign in option for sign in ("â€", "â\x80", "ï»¿", "\ufffd"))


def ends(option: str) -> bool:
    return option.rstrip(" \t\n\r\x0b\x0c")[-1:] in set(".!?;:,…。！？") - {""}


def first_letter(option: str) -> str:
    return next((c for c in option if unicodedata.category(c)[0] == "L"), "a")


def list_marker(option: str) -> bool:
    head, *rest = option.lstrip(" \t\n\r\x0b\x0c").replace("\n", " ").replace("\t", " ").split(" ", 1)
    numbered = head.removeprefix("(")[:-1]
    is_number = head[-1:] in (".", ")") and numbered.isdecimal() and numbered.isascii() and len(numbered) <= 3
    return bool(rest) and (head in set("-*•·‣–—") or is_number)


DEFINITIONS: dict[str, Definition] = {
    "longest": each(len),
    "shortest": each(len),
    "most-words": each(lambda option: len(words(option))),
    "fewest-words": each(lambda option: len(words(option))),
    "most-bytes": each(lambda option: len(option.encode())),
    "fewest-bytes": each(lambda option: len(option.encode())),
    "longest-trimmed": each(lambda option: len(option.strip())),
    "shortest-trimmed": each(lambda option: len(option.strip())),
    "second-longest": second_longest,
    "far-longest": far_longest,
    "first": nth(0),
    "second": nth(1),
    "third": nth(2),
    "fourth": nth(3),
    "last": lambda _, options: [place == len(options) - 1 for place in range(len(options))],
    "leading-space": each(lambda option: option[:1].isspace()),
    "trailing-space": each(lambda option: option[-1:].isspace()),
    "final-punctuation": each(ends),
    "capital": each(lambda option: unicodedata.category(first_letter(option)) == "Lu"),
    "digits": each(lambda option: any(map(str.isdecimal, option))),
    "quotes": each(lambda option: not set(option).isdisjoint('"“”„‟«»「」『』')),
    "parentheses": each(lambda option: not set(option).isdisjoint("()（）")),
    "non-ascii": each(lambda option: not option.isascii()),
    "mojibake": each(mojibake),
    "list-marker": each(list_marker),
    "negation": has(NEGATION),
    "absolutes": has(ABSOLUTES),
    "hedges": has(HEDGES),
    "of-the-above": has(OF_THE_ABOVE),
    "most-overlap": overlap,
    "least-overlap": overlap,
    "odd-one-out": odd_one_out,
}


def cell(scores: Scores, gold: int, extremum: Callable[[Scores], float]) -> tuple[int, int, int]:
    best = extremum(scores)
    return len(scores), sum(score == best for score in scores), int(scores[gold] == best)


def prior_cells(rows: Sequence[Row], halves: Sequence[int]) -> list[tuple[int, int, int]]:
    """Each item's cell, its options scored by what is known of them from the rows of the other half."""
    seen: dict[int, Counter[str]] = defaultdict(Counter)
    golds: dict[int, Counter[str]] = defaultdict(Counter)
    for row, half in zip(rows, halves, strict=True):
        for place, option in enumerate(row.options):
            seen[half][option.strip().lower()] += 1
            golds[half][option.strip().lower()] += place == row.gold
    cells = []
    for row, half in zip(rows, halves, strict=True):
        other = 1 - half
        base = Fraction(golds[other].total(), max(1, seen[other].total()))
        scores = [
            (golds[other][text] + base) / (seen[other][text] + 1)
            for text in (option.strip().lower() for option in row.options)
        ]
        cells.append(cell(scores, row.gold or 0, max))
    return cells


# --- the package's way ---


@cache
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def scanned(rows: Sequence[Row]) -> list[dict[str, int]]:
    """The packed integers of each row by check, and its half, in row order."""
    names = [check.name for check in CHECKS]
    engine = connection()
    engine.register("some_items", relation(rows))
    engine.execute(f"CREATE OR REPLACE TEMP TABLE scored AS {scan_sql('SELECT * FROM some_items', CHECKS)}")
    learn(engine, CHECKS)
    columns = ", ".join(map(column_of, names))
    found = engine.execute(f"SELECT half, {columns} FROM counted ORDER BY file, row").fetchall()
    return [dict(zip(["half", *names], row, strict=True)) for row in found]


def counted(rows: Sequence[Row]) -> dict[str, Tally]:
    found = scanned(rows)
    return {
        check.name: Tally.of(
            cell for row in found if row[check.name] is not None for cell in unpacked({row[check.name]: 1})
        )
        for check in CHECKS
    }


# --- items in which everything collides; one scan takes many, where one for each example would be slow ---

_PIECES = (
    *("", " ", "\t", "\u3000", "a", "b", "A", "É", "1", "12", "٣", ".", "!", ",", "(", ")", '"', "«", "'"),
    *("not", "Not", "never", "no", "noël", "don't", "all", "all of the above", "None of the  above"),
    *("may", "usually", "peut-être", "不", "可能", "以上都是", "river", "the", "Ã©", "Ã", "â€", "\ufffd"),
    *("- ", "* ", "1. ", "(2) ", "12) ", "• ", "–", "e\u0301", "以", "ß", "x", "\n"),
)


def some_rows(seed: int, n: int) -> list[Row]:
    """Random items, a third of whose options come from so few texts that rows share them."""
    rng = random.Random(seed)

    def option() -> str:
        if rng.random() < 1 / 3:
            return rng.choice(["yes", "no", "Yes ", "unknown"])
        return rng.choice(["", " "]).join(rng.choices(_PIECES, k=rng.randint(0, 4)))

    def row() -> Row:
        question = " ".join(rng.choices(["river", "the", "not", "A?", "以", "a"], k=rng.randint(0, 6)))
        options = tuple(option() for _ in range(rng.randint(2, 6)))
        return Row(question, options, rng.randrange(len(options)))

    return [row() for _ in range(n)]


def test_there_is_a_definition_of_every_check():
    assert {*DEFINITIONS, "option-prior"} == {check.name for check in CHECKS}


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return some_rows(1, 3_000)


@pytest.fixture(scope="module")
def found(rows) -> list[dict[str, int]]:
    return scanned(rows)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_check_is_what_its_definition_says(name, rows, found):
    """Cell by cell."""
    extremum = max if by_name()[name].extremum == "max" else min
    for row, packed in zip(rows, found, strict=True):
        ((k, t, _, hit),) = unpacked({packed[name]: 1})
        assert (k, t, hit) == cell(DEFINITIONS[name](row.question, row.options), row.gold, extremum), row


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_random_items_tell_options_apart(check, found):
    """What the test above sees of a check: golds that are hit and missed, where options are tied and not."""
    cells = [unpacked({packed[check.name]: 1})[0] for packed in found]
    assert {(t < k, hit) for k, t, _, hit in cells} >= {(True, 0), (True, 1)}


def test_what_is_learnt_comes_from_the_other_half(rows, found):
    cells = [unpacked({packed["option-prior"]: 1})[0] for packed in found]
    assert [(k, t, hit) for k, t, _, hit in cells] == prior_cells(rows, [packed["half"] for packed in found])


def test_what_is_learnt_is_told_apart_exactly():
    """A text that was gold in one of five rows of five options is as good as one that nobody knows."""
    taught = [(row, 1, min(row, 1), ["known", *(f"{row}-{n}" for n in range(4))]) for row in range(5)]
    engine = duckdb.connect()
    engine.execute("CREATE TABLE narrow (row INTEGER, half INTEGER, gold INTEGER, keys VARCHAR[])")
    engine.executemany("INSERT INTO narrow VALUES (?, ?, ?, ?)", [*taught, (5, 0, 0, ["known", *"abcd"])])
    relation = "(SELECT 0 AS file, NULL AS left_out, * FROM narrow)"
    found = engine.execute(learnt_sql(relation, by_name()["option-prior"])).fetchall()
    assert [unpacked({packed: 1}) for _, row, packed in found if row == 5] == [[(5, 5, 1, 1)]]


def test_the_order_of_options_means_nothing_but_to_checks_of_it(rows):
    """The options of every item are shuffled, gold with them."""
    rng = random.Random(2)
    shuffled = []
    for row in rows:
        order = rng.sample(range(len(row.options)), len(row.options))
        options = tuple(row.options[place] for place in order)
        shuffled.append(row._replace(options=options, gold=order.index(row.gold)))
    before, after = counted(rows), counted(shuffled)
    assert {name for name in before if before[name] != after[name]} == ORDERED


@pytest.mark.parametrize("cut", [0, 1, 1_000, 3_000])
def test_shards_add(rows, cut):
    """All but what is learnt: that looks at other rows, so its shards are no revisions of their own."""
    whole, one, other = counted(rows), counted(rows[:cut]), counted(rows[cut:])
    for check in CHECKS:
        if not check.learnt:
            assert one[check.name] + other[check.name] == whole[check.name]


def test_no_rows_are_no_items():
    assert set(counted([]).values()) == {Tally()}


def test_a_row_that_is_no_item_has_no_cell():
    (found,) = scanned([Row("q", left_out="unlabelled")])
    assert {found[check.name] for check in CHECKS} == {None}


# --- what a check says of itself ---


@pytest.mark.parametrize("check", EVERY, ids=lambda check: check.name)
def test_a_check_explains_itself(check):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", check.name)
    assert check.title.startswith("Gold ")
    assert not check.title.endswith(".")
    assert check.explanation.endswith(".")
    assert re.search(r"\boption\b", check.picks)
    assert check.among == check.picks.replace("option", "options", 1)
    assert check.group in GROUPS


def test_names_are_unique_and_every_group_is_used():
    assert len(by_name()) == len(EVERY)
    assert {check.group for check in EVERY} == set(GROUPS)
    assert [check.name for check in EXTREMA] == ["longest", "shortest"]


def test_white_space_is_what_python_takes_for_it():
    assert set(WHITE) == {chr(code) for code in range(0x110000) if chr(code).isspace()}


@pytest.mark.parametrize(
    ("mapping", "absent"),
    [
        pytest.param(ColumnMapping(question=("q",)), set(), id="all there"),
        pytest.param(ColumnMapping(), {"most-overlap", "least-overlap"}, id="no question"),
        pytest.param(ColumnMapping(question=("q",), distractors=("wrong",)), ORDERED, id="gold apart"),
    ],
)
def test_what_a_check_needs(mapping, absent):
    assert {check.name for check in CHECKS if not check.applies(mapping)} == absent


@given(
    st.lists(st.lists(st.sampled_from([*PIECES_OF_TERMS]), max_size=6).map("".join), min_size=1, max_size=4)
)
def test_a_term_ends_where_letters_marks_and_numbers_do(options):
    """Signs beyond ASCII are replaced before terms are looked for, which must be as good as their classes."""
    quick = [mentions(terms) for terms in TERMS]
    plain = [sql.replace(_EDGE, r"[^\pL\pM\pN]").replace("edged", "lowered") for sql in quick]
    found = ", ".join(f"list_transform(edged, lambda option, place: {sql})" for sql in (*quick, *plain))
    with duckdb.connect() as connection:
        (row,) = connection.execute(
            f"SELECT {found} FROM (SELECT *, {LISTS['edged']} AS edged FROM (SELECT $options AS lowered))",
            {"options": [option.lower() for option in options]},
        ).fetchall()
    assert row[: len(TERMS)] == row[len(TERMS) :]
