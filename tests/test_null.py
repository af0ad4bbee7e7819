"""The p-values and intervals, against enumeration, scipy, statsmodels and the figures of real files."""

from __future__ import annotations

import ast
import csv
import json
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from benchaudit import null
from benchaudit.intervals import detectable_gain, wilson
from benchaudit.null import PValue, exact_upper_tail, holm, log_upper_tail, mcnemar_exact, null_p
from benchaudit.tally import Cell

# pytest's own tolerances, 1e-6 and 1e-12 absolute, would call any two small p-values equal
near = partial(pytest.approx, rel=1e-9, abs=0)

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / ".." / "shared" / "data"


@st.composite
def cells(draw: st.DrawFn, most_items: int = 12) -> Cell:
    """A cell that items can fall into."""
    k = draw(st.integers(2, 6))
    t = draw(st.integers(1, k))
    items = draw(st.integers(0, most_items))
    return k, t, items, items if t == k else draw(st.integers(0, items))


tallies = st.lists(cells(), max_size=4)
larger_tallies = st.lists(cells(most_items=400), max_size=4)


def distribution(groups: Iterable[tuple[Fraction, int]]) -> list[Fraction]:
    """P(S = 0), P(S = 1), … of a sum of independent trials, one trial after the other."""
    pmf = [Fraction(1)]
    for p, items in groups:
        for _ in range(items):
            miss = [weight * (1 - p) for weight in [*pmf, Fraction(0)]]
            hit = [weight * p for weight in [Fraction(0), *pmf]]
            pmf = [a + b for a, b in zip(miss, hit, strict=True)]
    return pmf


def two_sided(groups: list[tuple[Fraction, int]], hits: int) -> Fraction:
    """The definition, word for word: both tails, the smaller one, doubled, at most 1."""
    pmf = distribution(groups)
    return min(Fraction(1), 2 * min(sum(pmf[: hits + 1]), sum(pmf[hits:])))


def null_p_by_definition(tally: list[Cell]) -> Fraction:
    """The check's p in fractions."""
    among = two_sided([(Fraction(t, k), n) for k, t, n, _ in tally], sum(h for *_, h in tally))
    if not any(t > 1 and n for _, t, n, _ in tally):
        return among
    untied = [(k, n, h) for k, t, n, h in tally if t == 1]
    unique = two_sided([(Fraction(1, k), n) for k, n, _ in untied], sum(h for *_, h in untied))
    return min(Fraction(1), 2 * min(among, unique))


# --- the check's p ---


@settings(deadline=None)
@given(tallies)
def test_p_is_the_definition_enumerated(tally):
    """Any small tally has the p that adding up every outcome gives."""
    assert null_p(tally).p == near(float(null_p_by_definition(tally)), rel=1e-12)


@settings(deadline=None)
@given(tallies)
def test_p_is_the_definition_enumerated_by_the_fourier_sum_too(tally):
    """The way taken for large tallies is right for small ones, where it can be enumerated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(null, "_EXACT_BITS", -1)
        assert null_p(tally).p == near(float(null_p_by_definition(tally)), rel=1e-10)


@settings(deadline=None)
@given(larger_tallies)
def test_p_and_its_logarithm_agree_and_lie_in_range(tally):
    """0 <= p <= 1, and log10_p is its logarithm wherever p is a normal number."""
    result = null_p(tally)
    assert 0 <= result.p <= 1
    assert result.log10_p <= 0
    if result.p > 1e-300:
        assert math.log10(result.p) == near(result.log10_p, rel=1e-12, abs=1e-12)


@settings(deadline=None)
@given(larger_tallies, st.randoms(use_true_random=False))
def test_neither_order_nor_splitting_of_cells_changes_a_digit(tally, random):
    """Shards in any order give the very same floats."""
    shards = []
    for k, t, items, hits in tally:
        part = random.randint(0, items)
        part_hits = part if t == k else random.randint(max(0, part - items + hits), min(part, hits))
        shards += [(k, t, part, part_hits), (k, t, items - part, hits - part_hits)]
    random.shuffle(shards)
    assert null_p(shards) == null_p(tally)


@pytest.mark.parametrize("n", range(600, 700, 3))
def test_order_does_not_reach_the_last_digit_of_a_float(n):
    """Five probabilities are five addends a frequency, and floats do not add associatively."""
    tally = [(k, 1, n, n * 2 // 3) for k in range(2, 7)]
    assert null_p(tally) == null_p(tally[::-1])


@settings(deadline=None)
@given(st.integers(0, 600), st.integers(0, 600))
def test_two_options_are_symmetric(b, c):
    """With k = 2 and no ties, b of b + c hits are as surprising as c."""
    assert null_p([(2, 1, b + c, b)]).log10_p == near(
        null_p([(2, 1, b + c, c)]).log10_p, rel=1e-12, abs=1e-12
    )


@settings(deadline=None)
@given(st.integers(1, 10**7), st.integers(2, 12), st.data())
def test_a_rarer_count_has_a_smaller_p(items, k, data):
    """Above the mean p falls with every hit more, below it with every hit fewer."""
    hits = data.draw(st.integers(0, items))
    further = min(hits + 1, items) if hits * k >= items else max(hits - 1, 0)
    here, there = (null_p([(k, 1, items, count)]).log10_p for count in (hits, further))
    assert there <= here + 1e-12 * abs(here)


def test_ties_cannot_hide_a_leak_that_cancels():
    """50 of 100 untied and 50 of 100 three-way tied are 100 hits where 100 are expected, and a leak."""
    tally = [(4, 1, 100, 50), (4, 3, 100, 50)]
    unique = float(2 * stats.binom.sf(49, 100, 1 / 4))
    assert null_p(tally).p == near(2 * unique)
    assert null_p(tally).p < 1e-6


def test_one_count_alone_is_not_corrected_for_two():
    """Without ties p is that of the hits; a single tied item makes two counts of them."""
    untied = null_p([(4, 1, 40, 20)])
    assert untied.p == near(2 * float(stats.binom.sf(19, 40, 1 / 4)), rel=1e-12)
    assert null_p([(4, 1, 40, 20), (4, 4, 1, 1)]).p == near(2 * untied.p, rel=1e-12)
    assert null_p([(4, 1, 40, 20), (4, 2, 0, 0)]) == untied


@pytest.mark.parametrize(
    "tally", [[], [(4, 1, 0, 0)], [(4, 4, 30, 30)], [(2, 2, 5, 5), (3, 3, 10**7, 10**7)]]
)
def test_nothing_random_is_no_surprise(tally):
    """No items, or only items whose options all tie, give p = 1."""
    assert null_p(tally) == PValue(p=1.0, log10_p=0.0)


@pytest.mark.parametrize(
    "cell", [(4, 0, 1, 0), (4, 5, 1, 1), (4, 1, 1, 2), (4, 1, 3, -1), (4, 1, -1, 0), (4, 4, 3, 2)]
)
def test_an_impossible_cell_is_an_error(cell):
    """A tally that no items can make is not given a p."""
    with pytest.raises(ValueError, match="no items can make the cell"):
        null_p([cell])


# --- extremes ---


def test_all_of_52():
    """The slice of the report: 52 of 52 among the shortest of four."""
    assert null_p([(4, 1, 52, 52)]).p == near(2 / 4**52, rel=1e-12)
    assert null_p([(4, 1, 52, 0)]).p == near(2 * 0.75**52, rel=1e-12)


def test_below_the_smallest_float_the_logarithm_still_counts():
    """The float underflows to 0.0 near 1e-324; its logarithm goes on, as big integers say."""
    items, hits = 2_000, 1_400
    tail = 2 * sum(math.comb(items, count) * 3 ** (items - count) for count in range(hits, items + 1))
    result = null_p([(4, 1, items, hits)])
    assert result.p == 0.0
    assert result.log10_p == near(math.log10(tail) - items * math.log10(4), rel=1e-12)
    assert result.log10_p < -378


def test_every_one_of_ten_million():
    """The very last outcome: 4^-10,000,000."""
    assert null_p([(4, 1, 10**7, 10**7)]).log10_p == near(math.log10(2) - 10**7 * math.log10(4))


@pytest.mark.parametrize("sigmas", [-37.0, -12.0, -3.0, -0.5, 0.5, 3.0, 12.0, 37.0])
@pytest.mark.parametrize("items", [1_000, 100_000, 10_000_000])
def test_one_cell_equals_scipy_at_any_size(items, sigmas):
    """Down to p = 1e-300, both sides of the mean."""
    law = stats.binom(items, 1 / 4)
    hits = round(law.mean() + sigmas * law.std())
    hits = max(hits, 0)
    tail = law.sf(hits - 1) if sigmas > 0 else law.cdf(hits)
    assert null_p([(4, 1, items, hits)]).p == near(min(1.0, 2 * tail))


@pytest.mark.parametrize("sigmas", [0.1, 2.0, 9.0, 35.0])
def test_a_mixture_of_ten_million_equals_a_sum_of_positive_terms(sigmas):
    """Sum over the first cell's hits of its pmf times the second's tail: slow, but nothing cancels in it."""
    first, second = stats.binom(6_000_000, 1 / 4), stats.binom(4_000_000, 2 / 5)
    at_least = math.ceil(first.mean() + second.mean() + sigmas * math.hypot(first.std(), second.std()))
    count = np.arange(int(first.mean() - 10 * first.std()), int(first.mean() + 60 * first.std()))
    expected = float(np.sum(first.pmf(count) * second.sf(at_least - count - 1)))
    log_tail = log_upper_tail([(1 / 4, 6_000_000), (2 / 5, 4_000_000)], at_least)
    assert math.exp(log_tail) == near(expected, rel=1e-7)


# --- the two ways to a tail ---

probabilities = st.builds(lambda k, t: Fraction(min(t, k), k), st.integers(2, 10), st.integers(1, 10))


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(probabilities, st.integers(0, 80), min_size=1, max_size=4), st.data())
def test_fourier_sum_equals_exact_integers(groups, data):
    """Every tail, the impossible and the certain included, agrees from 1 down to all hits."""
    at_least = data.draw(st.integers(-1, sum(groups.values()) + 1))
    log_tail = log_upper_tail([(float(p), items) for p, items in groups.items()], at_least)
    exact = exact_upper_tail(groups, max(at_least, 0))
    if exact == 0:
        assert log_tail == -math.inf
    else:
        assert log_tail == near(math.log(exact.numerator) - math.log(exact.denominator), rel=1e-13, abs=1e-10)


@settings(deadline=None)
@given(st.lists(st.tuples(probabilities, st.integers(0, 6)), max_size=3), st.data())
def test_exact_integers_equal_enumeration(groups, data):
    """Packing the coefficients into one integer loses none of them."""
    merged: Counter[Fraction] = Counter()
    for p, items in groups:
        merged[p] += items
    pmf = distribution(groups)
    at_least = data.draw(st.integers(0, len(pmf)))
    assert exact_upper_tail(merged, at_least) == sum(pmf[at_least:])


def test_a_tail_equals_scipys_poisson_binomial():
    """A sum of unequal trials, as scipy has it: by plain FFT, so to an absolute 1e-14."""
    groups = {Fraction(1, 2): 7, Fraction(1, 3): 9, Fraction(3, 4): 4}
    law = stats.poisson_binom([float(p) for p, items in groups.items() for _ in range(items)])
    for at_least in range(21):
        assert float(exact_upper_tail(groups, at_least)) == near(law.sf(at_least - 1), abs=1e-14)


@pytest.mark.parametrize("p", [0.25, math.nextafter(0.25, 0), 0.25 - 1e-12, 0.25 - 1e-6])
def test_a_tail_just_beside_the_mean_is_no_division_by_zero(p):
    """A mean that lies next to the count asks for next to no tilt, or for none once rounded."""
    assert math.exp(log_upper_tail([(p, 1000)], 250)) == near(stats.binom.sf(249, 1000, p), rel=1e-10)


# --- corrections ---


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(1e-300, 1.0), min_size=1, max_size=12))
def test_holm_equals_statsmodels(ps):
    """In the order given, repeats and all."""
    adjusted = holm([PValue(p, math.log10(p)) for p in ps])
    assert [p.p for p in adjusted] == near(multipletests(ps, method="holm")[1].tolist())


def test_holm_below_the_smallest_float():
    """Four p-values that are all 0.0 as floats still adjust apart, and keep their order."""
    adjusted = holm([PValue.from_log10(exponent) for exponent in (-400.0, -500.0, -400.1, -2.0)])
    assert [p.log10_p for p in adjusted] == near(
        [-400.1 + math.log10(3), -500 + math.log10(4), -400.1 + math.log10(3), -2.0]
    )
    assert [p.p for p in adjusted] == [0.0, 0.0, 0.0, near(0.01)]


def test_holm_of_an_empty_family():
    """No slice was large enough: nothing to adjust."""
    assert holm([]) == []


def test_times_stops_at_one_and_wants_a_test():
    """A corrected p is a p; a family has at least one member."""
    assert PValue.from_log10(-1.0).times(5).p == near(0.5)
    assert PValue.from_log10(-1.0).times(50) == PValue(1.0, 0.0)
    with pytest.raises(ValueError, match="at least one test"):
        PValue.from_log10(-1.0).times(0)


# --- intervals and McNemar ---


@settings(deadline=None)
@given(st.integers(1, 10**6), st.floats(0.5, 0.999), st.data())
def test_wilson_equals_statsmodels(n, confidence, data):
    """Both ends, at any confidence."""
    hits = data.draw(st.integers(0, n))
    expected = proportion_confint(hits, n, alpha=1 - confidence, method="wilson")
    assert wilson(hits, n, confidence) == near(expected, abs=1e-12)


def test_wilson_ends_exactly_at_the_edges():
    """0 of n starts at 0 and n of n ends at 1, to the last bit."""
    assert wilson(0, 93) == (0.0, near(0.0397, abs=5e-5))
    assert {wilson(0, n, 0.99)[0] for n in range(1, 300)} == {0.0}
    assert {wilson(n, n, 0.99)[1] for n in range(1, 300)} == {1.0}


@pytest.mark.parametrize(
    ("hits", "n", "confidence"), [(0, 0, 0.95), (5, 4, 0.95), (-1, 4, 0.95), (1, 4, 1.0)]
)
def test_wilson_without_a_rate_is_an_error(hits, n, confidence):
    """An empty slice has no rate; it is not 0 %."""
    with pytest.raises(ValueError, match="no interval"):
        wilson(hits, n, confidence)


@settings(deadline=None)
@given(st.integers(0, 900), st.integers(0, 900))
def test_mcnemar_equals_statsmodels(b, c):
    """The exact test on the flips alone."""
    expected = 1.0 if b + c == 0 else mcnemar([[0, b], [c, 0]], exact=True).pvalue
    assert mcnemar_exact(b, c) == near(expected)


@pytest.mark.parametrize("flips", [(-1, 4), (4, -1)])
def test_mcnemar_of_a_negative_count_is_an_error(flips):
    """Flips are counted."""
    with pytest.raises(ValueError, match="no items"):
        mcnemar_exact(*flips)


# --- the smallest gain that could have shown ---


def power(tally: list[Cell], alpha: Fraction, moved: Fraction) -> Fraction:
    """P(the one-sided test rejects), with the gold moved to the extremum with probability `moved`."""
    null_pmf = distribution((Fraction(t, k), n) for k, t, n, _ in tally)
    critical = next(c for c in range(len(null_pmf) + 1) if sum(null_pmf[c:]) <= alpha)
    pmf = distribution((Fraction(t, k) + moved * (1 - Fraction(t, k)), n) for k, t, n, _ in tally)
    return sum(pmf[critical:], Fraction(0))


@pytest.mark.parametrize(
    "tally",
    [[(4, 1, 20, 3)], [(2, 1, 25, 0)], [(5, 1, 12, 0), (4, 2, 9, 9), (3, 3, 4, 4)], [(4, 3, 25, 0)]],
    ids=["untied", "pairs", "mixed", "tied"],
)
@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 1000)])
def test_detectable_gain_is_where_power_reaches_80_percent(tally, alpha):
    """Enumerated: at the gain power is 80 %, a ten-thousandth below it is not."""
    gain = detectable_gain(tally, float(alpha))
    assert gain is not None
    largest = sum(n * (Fraction(1, t) - Fraction(1, k)) for k, t, n, _ in tally) / sum(
        n for _, _, n, _ in tally
    )
    moved = Fraction(gain) / largest
    assert power(tally, alpha, moved * Fraction(10_001, 10_000)) >= Fraction(8, 10)
    assert power(tally, alpha, moved * Fraction(9_999, 10_000)) < Fraction(8, 10)


def test_items_that_all_tie_dilute_a_gain_and_cost_no_digit():
    """They can show no leak, so the same golds must move, and the gain is spread over all."""
    untied = detectable_gain([(4, 1, 20, 3)], 0.01)
    assert untied is not None
    assert detectable_gain([(4, 1, 20, 3), (3, 3, 980, 980)], 0.01) == near(untied * 20 / 1000, rel=1e-12)


@pytest.mark.parametrize("tally", [[], [(4, 1, 3, 3)], [(4, 4, 10**6, 10**6)]])
def test_no_gain_is_detectable_where_even_all_hits_are_no_surprise(tally):
    """Too few items, or ties in all of them."""
    assert detectable_gain(tally, 0.01) is None


@pytest.mark.parametrize("items", [10_000, 10_000_000])
def test_detectable_gain_of_many_items_is_the_textbook_formula(items):
    """(z_alpha sigma_0 + z_0.8 sigma_1) / n, where the normal approximation has become good."""
    gain = detectable_gain([(4, 1, items, 0)], 0.01)
    normal = stats.norm()
    approximate = (normal.ppf(0.99) + normal.ppf(0.8)) * math.sqrt(3 / 16 / items)
    assert gain == near(approximate, rel=0.02)


@settings(deadline=None, max_examples=30)
@given(larger_tallies, st.floats(1e-9, 0.5))
def test_detectable_gain_ignores_golds_and_order(tally, alpha):
    """It belongs to the options of a slice; whatever its golds, and in any order, it is one float."""
    other = [(k, t, n, n if t == k else n - h) for k, t, n, h in reversed(tally)]
    assert detectable_gain(other, alpha) == detectable_gain(tally, alpha)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1])
def test_detectable_gain_wants_a_level(alpha):
    """An alpha that no test can have is an error."""
    with pytest.raises(ValueError, match="alpha"):
        detectable_gain([(4, 1, 30, 9)], alpha)


# --- weight ---


def test_not_even_ten_million_items_import_numpy():
    """A run that finds nothing new must stay light, and so may the one that finds something."""
    program = (
        "import sys, benchaudit.intervals, benchaudit.null as null\n"
        "assert null.null_p([(4, 1, 10**7, 2_600_000), (4, 2, 10**7, 4_900_000)]).p < 1e-9\n"
        "print(sorted({'numpy', 'scipy', 'pandas', 'duckdb'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


# --- real files ---

Item = tuple[str, list[str], int]
"""Slice, options, position of the gold."""


def personamem(path: Path) -> Iterator[Item]:
    """A list literal of labelled options, and the gold's label."""
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            try:
                options = json.loads(row["all_options"])
            except json.JSONDecodeError:
                options = ast.literal_eval(row["all_options"])
            bare = [re.sub(r"^\([a-z]\) ", "", option) for option in options]
            yield row["question_type"], bare, "abcdefgh".index(row["correct_answer"].strip("()"))


def bbq(path: Path) -> Iterator[Item]:
    """Three columns and a position."""
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        yield row["context_condition"], [row["ans0"], row["ans1"], row["ans2"]], row["label"]


def aqua(path: Path) -> Iterator[Item]:
    """Options "A)…" and a letter; ties nearly everywhere."""
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        yield "", [option[2:] for option in row["options"]], "ABCDE".index(row["correct"])


def commonsenseqa(path: Path) -> Iterator[Item]:
    """Labelled choices and a label."""
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        labels = [choice["label"] for choice in row["question"]["choices"]]
        yield "", [choice["text"] for choice in row["question"]["choices"]], labels.index(row["answerKey"])


def llmbar(path: Path) -> Iterator[Item]:
    """Pairs, with a label that counts from one."""
    for row in json.loads(path.read_text(encoding="utf-8")):
        yield "", [row["output_1"], row["output_2"]], row["label"] - 1


def tally_of(items: Iterable[Item], extremum: Callable[[Iterable[int]], int]) -> list[Cell]:
    """Count by hand, one item after the other."""
    counts: Counter[tuple[int, int]] = Counter()
    hits: Counter[tuple[int, int]] = Counter()
    for _, options, gold in items:
        lengths = [len(option) for option in options]
        cell = len(options), lengths.count(extremum(lengths))
        counts[cell] += 1
        hits[cell] += lengths[gold] == extremum(lengths)
    return [(k, t, n, hits[k, t]) for (k, t), n in counts.items()]


@pytest.fixture(scope="module")
def judged() -> dict:
    if not DATA.is_dir():
        pytest.skip("the folder of real benchmark files is not here")
    return json.loads((DATA / "verdicts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("PersonaMem v1 32k", personamem),
        ("BBQ Physical_appearance 2022", bbq),
        ("AQuA test", aqua),
        ("CommonsenseQA dev", commonsenseqa),
        ("LLMBar Natural", llmbar),
        ("LLMBar Adv Manual", llmbar),
    ],
)
def test_real_files_have_the_p_of_an_independent_implementation(judged, name, read):
    """Both p and adjusted p, of every slice that was tested, within a millionth."""
    items = list(read(DATA / judged[name]["path"]))
    verdicts = [verdict for verdict in judged[name]["verdicts"] if verdict["verdict"] != "too-few"]
    ps = []
    for verdict in verdicts:
        chosen = [item for item in items if verdict["slice"] in {"", item[0]}]
        assert len(chosen) == verdict["n"]
        ps.append(null_p(tally_of(chosen, {"longest": max, "shortest": min}[verdict["check"]])))
    assert [p.p for p in ps] == near([v["p"] for v in verdicts], rel=1e-6)
    assert [p.p for p in holm(ps)] == near([v["p_adjusted"] for v in verdicts], rel=1e-6)
