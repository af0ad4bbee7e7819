"""Synthetic benchmarks: with one tell each, which one check sees, and without any, which none sees."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence

import pytest
from scipy.stats import binom

from benchaudit.checks import all_checks, group_of
from benchaudit.models import Thresholds
from benchaudit.packing import unpacked
from benchaudit.tally import Counted, Tally
from benchaudit.verdict import SliceAudit, judge
from tests.pairs import Row
from tests.test_checks import scanned

CHECKS = all_checks()
LETTERS = "bcdfghjklmpqrstvwxz"
"""Without vowels there are no words, and so no terms that a check looks for."""

ACCENTED = "àâäçèéêëîïñôöûüøåæð"
"""Letters of two bytes."""

TAIL = (3, 2, 3, 5)
"""Letters of the last four words of an option, to be put in the place of terms as long."""

Texts = list[str]
Plant = Callable[[random.Random, str, Texts, int], tuple[str, Texts, int]]
"""From a question, its options and gold make an item that has the tell."""


def word(rng: random.Random, letters: int) -> str:
    return "".join(rng.choices(LETTERS, k=letters))


def option(rng: random.Random) -> str:
    """A text that shares no word with any other: two to six words of any length, and the tail."""
    head = [rng.randint(2, 9) for _ in range(rng.randint(2, 6))]
    return " ".join(word(rng, letters) for letters in (*head, *TAIL))


def gold_is(change: Callable[[random.Random, str], str]) -> Plant:
    """Only gold is changed."""

    def plant(rng: random.Random, question: str, options: Texts, gold: int) -> tuple[str, Texts, int]:
        changed = [change(rng, text) if place == gold else text for place, text in enumerate(options)]
        return question, changed, gold

    return plant


def tail(*terms: str) -> Plant:
    """The last words of gold are these."""
    return gold_is(lambda _, text: " ".join([*text.split(" ")[: -len(terms)], *terms]))


def stands(place: int) -> Plant:
    """Gold stands there."""

    def plant(_: random.Random, question: str, options: Texts, gold: int) -> tuple[str, Texts, int]:
        moved = [text for other, text in enumerate(options) if other != gold]
        moved.insert(place, options[gold])
        return question, moved, place

    return plant


def padded(longest: bool) -> Plant:
    """All are as long, by blanks at the end, but gold has the most, or the least, text."""

    def plant(_: random.Random, question: str, options: Texts, gold: int) -> tuple[str, Texts, int]:
        ranked = sorted(options, key=len, reverse=longest)
        others = iter(ranked[1:])
        texts = [ranked[0] if place == gold else next(others) for place in range(len(options))]
        return question, [text.ljust(100) for text in texts], gold

    return plant


def second(_: random.Random, question: str, options: Texts, gold: int) -> tuple[str, Texts, int]:
    ranked = sorted(options, key=len)
    return question, options, options.index(ranked[-2])


def bytes_of(rng: random.Random, options: Texts, rich: Callable[[int], bool]) -> Texts:
    """Every option has a letter of two bytes, and the rich ones have many; lengths stay."""
    return [
        "é" + "".join(rng.choice(ACCENTED) if rich(place) and c != " " else c for c in text[1:])
        for place, text in enumerate(options)
    ]


def asked(rng: random.Random, options: Texts, chosen: Callable[[int], bool]) -> tuple[str, Texts]:
    """A question of eight words; the chosen options end with one of them each."""
    words = [word(rng, TAIL[-1]) for _ in range(8)]
    ended = [
        f"{text[: -TAIL[-1]]}{words[place]}" if chosen(place) else text for place, text in enumerate(options)
    ]
    return " ".join(words), ended


def alike(rng: random.Random, question: str, options: Texts, gold: int) -> tuple[str, Texts, int]:
    shared = word(rng, TAIL[-1])
    ended = [text if n == gold else text[: -TAIL[-1]] + shared for n, text in enumerate(options)]
    return question, ended, gold


def pools(rng: random.Random, question: str, options: Texts, gold: int) -> tuple[str, Texts, int]:
    """Golds are of one pool of texts, distractors of another; all have words of the same lengths."""

    def text(pool: str) -> str:
        drawn = random.Random(f"{pool} {rng.randrange(30)}")
        return " ".join(word(drawn, letters) for letters in TAIL)

    return question, [text("gold" if n == gold else "other") for n in range(len(options))], gold


PLANTS: dict[str, Plant] = {
    "longest": gold_is(lambda rng, text: text[:-1] + word(rng, 25)),
    "shortest": gold_is(lambda _, text: " ".join(part[:2] for part in text.split(" "))),
    "most-words": gold_is(
        lambda _, text: " ".join(text[n] for n in range(0, len(text) + 1, 2) if n < len(text))
    ),
    "fewest-words": gold_is(lambda _, text: text.replace(" ", "b")),
    "most-bytes": lambda rng, q, options, gold: (q, bytes_of(rng, options, lambda n: n == gold), gold),
    "fewest-bytes": lambda rng, q, options, gold: (q, bytes_of(rng, options, lambda n: n != gold), gold),
    "longest-trimmed": padded(longest=True),
    "shortest-trimmed": padded(longest=False),
    "second-longest": second,
    "far-longest": gold_is(lambda rng, text: text[:-1] + word(rng, 60)),
    **{name: stands(n) for n, name in enumerate(("first", "second", "third", "fourth"))},
    "last": stands(3),
    "leading-space": gold_is(lambda _, text: " " + text[1:]),
    "trailing-space": gold_is(lambda _, text: text[:-1] + "\t"),
    "final-punctuation": gold_is(lambda _, text: text[:-1] + "."),
    "capital": gold_is(lambda _, text: text.capitalize()),
    "digits": gold_is(lambda _, text: text[:-1] + "7"),
    "quotes": gold_is(lambda _, text: f"“{text[1:-1]}”".replace("“", '"').replace("”", '"')),
    "parentheses": gold_is(lambda _, text: f"({text[1:-1]})"),
    "non-ascii": gold_is(lambda _, text: text[:-1] + "é"),
    "mojibake": gold_is(lambda _, text: text[:-2] + "Ã©"),
    "list-marker": gold_is(lambda _, text: "- " + text[2:]),
    "negation": tail("bb", "not", "bcdfg"),
    "absolutes": tail("bc", "all", "bcdfg"),
    "hedges": tail("bd", "may", "bcdfg"),
    "of-the-above": tail("all", "of", "the", "above"),
    "most-overlap": lambda rng, _, options, gold: (*asked(rng, options, lambda n: n == gold), gold),
    "least-overlap": lambda rng, _, options, gold: (*asked(rng, options, lambda n: n != gold), gold),
    "odd-one-out": alike,
    "option-prior": pools,
}


def item(rng: random.Random, plant: Plant, share: float, topic: str) -> Row:
    """An item without a tell, or in a share of cases with it."""
    question, options, gold = word(rng, 30), [option(rng) for _ in range(4)], rng.randrange(4)
    if plant is pools:  # whose texts have to look alike where golds are of the wrong pool, too
        question, options, gold = plant(rng, question, options, gold)
        gold = gold if rng.random() < share else rng.randrange(4)
    elif rng.random() < share:
        question, options, gold = plant(rng, question, options, gold)
    return Row(question, tuple(options), gold, topic=topic)


def judged(rows: Sequence[Row]) -> dict[str, SliceAudit]:
    """Every topic, judged as a benchmark of its own; all are scanned at once."""
    cells: dict[str, list[dict[str, list[tuple[int, int, int, int]]]]] = defaultdict(
        lambda: [defaultdict(list), defaultdict(list)]
    )
    sizes: dict[str, int] = defaultdict(int)
    for row, packed in zip(rows, scanned(rows), strict=True):
        assert row.topic is not None
        sizes[row.topic] += 1
        for check in CHECKS:
            cells[row.topic][packed["half"]][check.name] += unpacked({packed[check.name]: 1})
    audits = {}
    for topic, halves in cells.items():
        one, other = ({check.name: Tally.of(half[check.name]) for check in CHECKS} for half in halves)
        key = (("topic", topic),)
        whole = {check.name: one[check.name] + other[check.name] for check in CHECKS}
        counted = Counted(key=key, left_out={}, gold_position={0: sizes[topic]}, tallies=whole)
        (audits[topic],) = judge([counted], CHECKS, Thresholds(), {key: (one, other)})
    return audits


@pytest.fixture(scope="module")
def planted() -> dict[str, SliceAudit]:
    rng = random.Random(1)
    return judged([item(rng, plant, 0.7, name) for name, plant in PLANTS.items() for _ in range(300)])


def test_there_is_a_tell_for_every_check():
    """The one of the probe is in `test_probe.py`."""
    assert [*PLANTS] == [check.name for check in CHECKS]


@pytest.mark.parametrize("name", PLANTS)
def test_one_tell_is_seen_by_its_check_and_by_none_outside_its_group(name, planted):
    leaks = {check for check, found in planted[name].checks.items() if found.verdict == "leak"}
    assert name in leaks
    assert {group_of(check) for check in leaks} == {group_of(name)}


# --- without a tell ---

SEEDS = 500
WORDS = (
    *("not", "all", "may", "river", "Stone", "1974", "(blue)", '"green"', "café", "Ã©", "walk.", "the", "a"),
    *("- x", "none of the above", " ", "", "some", "above", "winter", "light", "under", "mill", "never"),
)


def untold(seed: int) -> list[Row]:
    """A benchmark whose golds are exchangeable: yes and no, a few texts again and again, or sentences.

    Texts carry the seed, so that nothing can be learnt of them from another benchmark.
    """
    rng = random.Random(seed)
    few = [f"{text} {seed}" for text in ("unknown", "Nobody knows.", "the first", "the second", "not known")]

    def options() -> list[str]:
        if seed % 3 == 0:
            return rng.sample([f"yes {seed}", f"no {seed}"], 2)
        if seed % 3 == 1:
            return rng.sample(few, 3)
        return [f"{' '.join(rng.choices(WORDS, k=rng.randint(1, 8)))}{seed}" for _ in range(4)]

    rows = []
    for number in range(40):
        texts = options()
        question = f"{number} {' '.join(rng.choices(WORDS, k=8))}"
        rows.append(Row(question, tuple(texts), rng.randrange(len(texts)), topic=str(seed)))
    return rows


def test_without_a_tell_nothing_is_accused_more_often_than_promised():
    """Each family of checks accuses a benchmark with probability alpha at most, whatever its golds.

    The bound is what one run in a thousand would exceed if that were only just kept.
    """
    audits = judged([row for seed in range(SEEDS) for row in untold(seed)])
    assert len(audits) == SEEDS
    alpha = Thresholds().alpha
    most = binom.ppf(0.999, SEEDS, alpha)
    for family in ("extrema", "further"):
        names = [check.name for check in CHECKS if check.family == family]
        accused = [
            topic
            for topic, audit in audits.items()
            if any(audit.checks[name].p_adjusted.p < alpha for name in names)
        ]
        assert len(accused) <= most, (family, accused)


def test_what_is_learnt_is_not_tested_by_the_sum_of_both_halves():
    """Why not: halves that lean the same way help each other, and those that do not harm each other.

    Of yes and no the tested p is small as often as it says, and that of the sum would be far too often.
    """
    rng = random.Random(3)
    rows = [
        Row(
            f"{number}",
            tuple(rng.sample([f"yes {seed}", f"no {seed}"], 2)),
            rng.randrange(2),
            topic=str(seed),
        )
        for seed in range(400)
        for number in range(60)
    ]
    ps = [audit.checks["option-prior"].p.p for audit in judged(rows).values()]
    assert sum(p < 0.05 for p in ps) <= binom.ppf(0.999, len(ps), 0.05)
