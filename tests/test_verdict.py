"""Verdicts: each rule in its order, at its edges, and all of them against the definition written out."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from statistics import multimode
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from benchaudit.checks.form import Check
from benchaudit.intervals import detectable_gain
from benchaudit.models import ALL, ColumnMapping, Origin, Revision, SliceKey, Thresholds
from benchaudit.null import null_p
from benchaudit.tally import Cell, Counted, Tally
from benchaudit.verdict import WORST_FIRST, Audit, Judged, Name, SliceAudit, judge, with_defects


def check(name: str, family: Literal["extrema", "further"] = "extrema") -> Check:
    """A check of which only name and family matter here."""
    return Check(name=name, score="", extremum="max", version=1, about="", picks="", group="", family=family)


LONGEST, SHORTEST = check("longest"), check("shortest")
SPACE, PROBE = check("space", "further"), check("probe", "further")


def counted(tallies: Mapping[str, Sequence[Cell]], key: SliceKey = ALL, **left_out: int) -> Counted:
    """A slice of as many usable rows as its first tally has items."""
    n = sum(items for _, _, items, _ in next(iter(tallies.values())))
    return Counted(
        key=key,
        left_out={reason.replace("_", "-"): rows for reason, rows in left_out.items()},
        gold_position={0: n},
        tallies={name: Tally.of(cells) for name, cells in tallies.items()},
    )


def named(value: str) -> SliceKey:
    """The key of a slice."""
    return (("topic", value),)


def alone(cells: Sequence[Cell], thresholds: Thresholds | None = None, **left_out: int) -> Judged:
    """One check on ALL and nothing else: a family of one."""
    slices = [counted({"longest": cells}, **left_out)]
    return judge(slices, [LONGEST], thresholds or Thresholds())[0].checks["longest"]


# --- the rules, one by one ---

RULES = {
    "below min-rows": ([(4, 1, 19, 19)], {}, "too-few"),
    "at min-rows": ([(4, 1, 20, 20)], {}, "leak"),
    "too few, whatever is defective": ([(4, 1, 19, 19)], {"gold_ambiguous": 900}, "too-few"),
    "no rows": ([], {"gold_ambiguous": 900}, "too-few"),
    "always the longest": ([(4, 1, 200, 200)], {}, "leak"),
    "never the longest": ([(4, 1, 200, 0)], {}, "leak"),
    "gain equal both ways": ([(4, 1, 100, 50), (4, 3, 100, 50)], {}, "leak"),
    "a leak that few defects cannot undo": ([(4, 1, 200, 200)], {"gold_ambiguous": 20}, "leak"),
    "a leak that defects shrink below min-effect": (
        [(4, 1, 10_000, 3_100)],
        {"gold_ambiguous": 500},
        "incomplete",
    ),
    "a leak that defects make uncertain": ([(4, 1, 20, 13)], {"gold_ambiguous": 10}, "incomplete"),
    "a leak that defects turn round": ([(2, 1, 100, 100)], {"gold_ambiguous": 1_000}, "incomplete"),
    "avoid that defects cannot undo": ([(4, 1, 200, 0)], {"gold_ambiguous": 5}, "leak"),
    "avoid that defects shrink": ([(4, 1, 200, 0)], {"gold_ambiguous": 30}, "incomplete"),
    "a leak that defects could hide as hits": ([(2, 1, 100, 50)], {"gold_ambiguous": 60}, "incomplete"),
    "a leak that defects could hide as misses": ([(2, 1, 400, 180)], {"gold_ambiguous": 20}, "incomplete"),
    "defects too few to hide a leak": ([(2, 1, 100, 50)], {"gold_ambiguous": 3}, "none-found"),
    "slight that could be a leak": ([(4, 1, 10_000, 2_950)], {"gold_ambiguous": 200}, "incomplete"),
    "slight whatever the defects are": ([(4, 1, 10_000, 2_850)], {"gold_ambiguous": 10}, "slight"),
    "slight, as MMLU": ([(4, 1, 14_042, 3_974)], {}, "slight"),
    "at chance": ([(4, 1, 200, 50)], {}, "none-found"),
    "large but not significant": ([(4, 1, 20, 8)], {}, "none-found"),
    "all tied": ([(4, 4, 5_000, 5_000)], {}, "none-found"),
    "significant, gain below zero": ([(2, 1, 100, 0), (4, 3, 400, 400)], {}, "none-found"),
    "significant, gain zero": ([(2, 1, 100, 0), (4, 3, 600, 600)], {}, "none-found"),
}


@pytest.mark.parametrize(("cells", "left_out", "verdict"), RULES.values(), ids=RULES.keys())
def test_rule(cells, left_out, verdict):
    """One slice, one check, the default thresholds."""
    assert alone(cells, **left_out).verdict == verdict


@pytest.mark.parametrize(
    ("cells", "direction"),
    [
        ([(4, 1, 200, 200)], "pick"),
        ([(4, 1, 200, 0)], "avoid"),
        ([(4, 1, 100, 50), (4, 3, 100, 50)], "pick"),
    ],
    ids=["always", "never", "equal means pick"],
)
def test_a_leak_has_a_direction(cells, direction):
    """Which of the two rules is the better one."""
    judged = alone(cells)
    assert (judged.verdict, judged.direction) == ("leak", direction)
    assert judged.gain == judged.tally.gain > 0


@pytest.mark.parametrize(
    ("cells", "severe"),
    [
        ([(4, 1, 52, 52)], True),
        ([(2, 1, 200, 180)], True),
        ([(2, 1, 200, 179)], False),
        ([(2, 1, 200, 20)], True),
        ([(2, 1, 200, 21)], False),
        ([(4, 1, 200, 0)], False),
    ],
    ids=["52 of 52", "pick at 90 %", "below", "avoid at 90 %", "below by avoiding", "never one of four"],
)
def test_a_leak_is_severe_from_90_percent(cells, severe):
    """Of the better rule's accuracy, the boundary included."""
    judged = alone(cells)
    assert (judged.verdict, judged.severe) == ("leak", severe)


def test_only_a_leak_is_severe():
    """117 of 117 is 100 %, but not a claim that stands."""
    assert not alone([(2, 1, 117, 117)], gold_not_in_options=133).severe
    assert not alone([(2, 1, 19, 19)]).severe


def test_a_set_like_formal_fallacies_is_incomplete():
    """117 of 250 golds match, all at the longest; had all been read, 46.8 % would be no leak."""
    dropped = alone([(2, 1, 117, 117)], gold_not_in_options=133)
    assert (dropped.verdict, dropped.tally.n) == ("incomplete", 117)
    assert alone([(2, 1, 117, 117)]).severe
    assert alone([(2, 1, 250, 117)]).verdict == "none-found"


@pytest.mark.parametrize("reason", ["several_golds", "unlabelled", "no_options"])
@pytest.mark.parametrize(
    ("cells", "verdict"), [([(4, 1, 200, 200)], "leak"), ([(2, 1, 100, 50)], "none-found")]
)
def test_rows_out_of_scope_say_nothing(cells, verdict, reason):
    """As many defects would have made either incomplete."""
    assert alone(cells, **{reason: 5_000}).verdict == verdict
    assert alone(cells, gold_out_of_range=5_000).verdict == "incomplete"


@pytest.mark.parametrize(
    ("cells", "min_effect", "verdict"),
    [
        ([(4, 1, 2_000, 600)], 5.0, "leak"),
        ([(4, 1, 2_000, 599)], 5.0, "slight"),
        ([(2, 1, 1_000, 583)], 8.3, "leak"),
        ([(2, 1, 1_000, 582)], 8.3, "slight"),
        ([(4, 1, 200, 200)], 75.0, "leak"),
        ([(4, 1, 200, 200)], 75.1, "slight"),
        ([(4, 1, 200, 150)], 0.0, "leak"),
    ],
)
def test_min_effect_is_an_exact_decimal(cells, min_effect, verdict):
    """The float 8.3 is a little more than 8.3, and must not turn 8.3 points away."""
    assert alone(cells, Thresholds(min_effect=min_effect)).verdict == verdict


def test_alpha_is_a_strict_bound():
    """A p that equals alpha is not below it, neither as observed nor in the worst case."""
    leak: list[Cell] = [(2, 1, 100, 75)]
    observed = null_p(leak).p
    assert alone(leak, Thresholds(alpha=observed)).verdict == "none-found"
    assert alone(leak, Thresholds(alpha=math.nextafter(observed, 1))).verdict == "leak"
    worst = null_p([(2, 1, 110, 75)]).p
    assert alone(leak, Thresholds(alpha=worst), gold_ambiguous=10).verdict == "incomplete"
    assert alone(leak, Thresholds(alpha=math.nextafter(worst, 1)), gold_ambiguous=10).verdict == "leak"


# --- what is said beside a verdict ---


@pytest.mark.parametrize("cells", [[(4, 1, 19, 9)], []], ids=["a few rows", "an empty slice"])
def test_too_few_rows_have_counts_only(cells):
    """No p, adjusted or not, and no gain that could have been shown."""
    judged = alone(cells)
    assert judged == Judged(tally=Tally.of(cells), verdict="too-few")
    assert (judged.p, judged.p_adjusted, judged.detectable_gain) == (None, None, None)


def test_an_empty_slice_has_no_rate():
    """It is not 0 %: there is no interval where there is no n."""
    assert alone([]).interval(0) is None
    assert alone([(4, 1, 1, 0)]).interval(0) is not None


def test_an_interval_is_wilsons_of_the_usable_rows():
    """Of any count of the tally, over its n."""
    judged = alone([(4, 1, 80, 30), (4, 2, 20, 10)])
    for count in (judged.tally.among, judged.tally.unique):
        assert judged.interval(count) == pytest.approx(
            proportion_confint(count, 100, alpha=0.05, method="wilson"), rel=1e-9
        )


def test_none_found_says_what_could_have_been_found():
    """At 80 % power, and at alpha over the family's size: four pairs here, a fifth has too few rows."""
    cells: list[Cell] = [(4, 1, 150, 38), (4, 2, 50, 25)]
    slices = [
        counted({"longest": cells, "shortest": cells}),
        counted({"longest": cells, "shortest": cells}, named("a")),
        counted({"longest": [(4, 1, 19, 4)], "shortest": [(4, 1, 19, 4)]}, named("b")),
    ]
    judged = judge(slices, [LONGEST, SHORTEST], Thresholds())[0].checks["longest"]
    assert judged.verdict == "none-found"
    assert judged.detectable_gain == detectable_gain(cells, 0.01 / 4)
    assert judged.detectable_gain != detectable_gain(cells, 0.01)


@pytest.mark.parametrize(
    ("cells", "left_out"),
    [
        ([(4, 1, 200, 200)], {}),
        ([(4, 1, 14_042, 3_974)], {}),
        ([(2, 1, 100, 50)], {"gold_ambiguous": 60}),
        ([(4, 4, 100, 100)], {}),
    ],
    ids=["leak", "slight", "incomplete", "none-found that could have shown nothing"],
)
def test_no_other_verdict_has_a_detectable_gain(cells, left_out):
    """Nor has a slice in which all options tie."""
    assert alone(cells, **left_out).detectable_gain is None


def test_p_is_of_the_observed_rows():
    """Defective rows weigh in the verdict, not in the p that is printed."""
    judged = alone([(4, 1, 200, 80)], gold_ambiguous=60)
    assert judged.p == judged.p_adjusted == null_p([(4, 1, 200, 80)])


# --- the worst case ---


@pytest.mark.parametrize(
    ("cells", "hits", "expected"),
    [
        pytest.param([(4, 1, 9, 3)], False, [(4, 1, 16, 3)], id="misses"),
        pytest.param([(4, 1, 9, 3)], True, [(4, 1, 16, 10)], id="hits"),
        pytest.param(
            [(3, 1, 4, 1), (3, 2, 2, 2), (5, 1, 5, 1)],
            True,
            [(3, 1, 11, 8), (3, 2, 2, 2), (5, 1, 5, 1)],
            id="most common k over all ties",
        ),
        pytest.param(
            [(3, 1, 4, 1), (5, 1, 4, 1)], True, [(3, 1, 11, 8), (5, 1, 4, 1)], id="the smaller k if tied"
        ),
        pytest.param(
            [(4, 3, 9, 9), (2, 1, 1, 0)], False, [(4, 1, 7, 0), (4, 3, 9, 9), (2, 1, 1, 0)], id="untied"
        ),
    ],
)
def test_seven_defective_rows_are_added(cells, hits, expected):
    """As untied items of the slice's most common number of options."""
    assert with_defects(Tally.of(cells), 7, hits=hits) == Tally.of(expected)


# --- families ---


def family_of(ps: Sequence[float], size: int) -> list[float]:
    """Holm's adjusted p-values as statsmodels has them; others of the family have p = 1."""
    return list(multipletests([*ps, *[1.0] * (size - len(ps))], method="holm")[1][: len(ps)])


def test_holm_runs_over_all_slices_and_both_checks():
    """ALL included, slices with too few rows left out."""
    slices = [
        counted({"longest": [(4, 1, 180, 60)], "shortest": [(4, 1, 180, 40)]}),
        counted({"longest": [(4, 1, 100, 36)], "shortest": [(4, 2, 100, 40)]}, named("a")),
        counted({"longest": [(4, 1, 61, 19)], "shortest": [(4, 1, 61, 15)]}, named("b")),
        counted({"longest": [(4, 1, 19, 19)], "shortest": [(4, 1, 19, 0)]}, named("c")),
    ]
    audits = judge(slices, [LONGEST, SHORTEST], Thresholds())
    tested = [audit.checks[name] for audit in audits[:3] for name in ("longest", "shortest")]
    ps = [null_p(judged.tally.cells).p for judged in tested]
    assert [judged.p.p for judged in tested if judged.p] == ps
    adjusted = [judged.p_adjusted.p for judged in tested if judged.p_adjusted]
    assert adjusted == pytest.approx(family_of(ps, 6), rel=1e-9, abs=0)
    assert {judged.verdict for judged in audits[3].checks.values()} == {"too-few"}


def test_all_counts_in_its_family():
    """A slice that alone would leak does not where ALL is tested beside it."""
    cells: list[Cell] = [(2, 1, 400, 227)]
    assert 0.005 < null_p(cells).p < 0.01
    quiet = counted({"longest": [(2, 1, 4_000, 2_000)]})
    alone_in_family = judge([counted({"longest": cells}, named("a"))], [LONGEST], Thresholds())
    beside_all = judge([quiet, counted({"longest": cells}, named("a"))], [LONGEST], Thresholds())
    assert alone_in_family[0].checks["longest"].verdict == "leak"
    assert beside_all[1].checks["longest"].verdict == "none-found"


def holm_only(defects: int) -> str:
    """The verdict of a slice with p < alpha < 2 p, beside one that leaks beyond doubt."""
    cells: list[Cell] = [(2, 1, 400, 227)]
    certain = counted({"longest": [(4, 1, 900, 900)]})
    slices = [certain, counted({"longest": cells}, named("a"), gold_ambiguous=defects)]
    return judge(slices, [LONGEST], Thresholds())[1].checks["longest"].verdict


def test_without_defects_the_worst_case_is_the_case_itself():
    """Holm's p decides; the family's size weighs only on rows that were not observed."""
    assert holm_only(defects=0) == "leak"
    assert holm_only(defects=1) == "incomplete"


@pytest.mark.parametrize(
    ("cells", "defects", "family", "verdict"),
    [
        ([(2, 1, 400, 238)], 10, 1, "leak"),
        ([(2, 1, 400, 238)], 10, 40, "incomplete"),
        ([(2, 1, 400, 220)], 20, 1, "incomplete"),
        ([(2, 1, 400, 220)], 20, 40, "none-found"),
    ],
    ids=["stands alone", "falls in a family", "hidden alone", "not hidden in a family"],
)
def test_the_worst_case_is_corrected_for_the_family(cells, defects, family, verdict):
    """A leak as observed in either family; only what defects could do depends on its size."""
    others = [counted({"longest": [(2, 1, 500, 250)]}, named(str(number))) for number in range(family - 1)]
    slices = [counted({"longest": cells}, gold_ambiguous=defects), *others]
    assert judge(slices, [LONGEST], Thresholds())[0].checks["longest"].verdict == verdict


def test_further_checks_are_a_second_family():
    """Two of them correct each other, and never move an extrema verdict."""
    cells: list[Cell] = [(2, 1, 400, 227)]
    tallies = dict.fromkeys(("longest", "space", "probe"), cells)
    judged = judge([counted(tallies)], [LONGEST, SPACE, PROBE], Thresholds())[0].checks
    assert {name: item.verdict for name, item in judged.items()} == {
        "longest": "leak",
        "space": "none-found",
        "probe": "none-found",
    }


# --- checks without a meaning ---


def test_a_check_without_a_tally_does_not_apply():
    """It is neither judged nor in the family, even where rows are too few for any verdict."""
    cells: list[Cell] = [(2, 1, 400, 227)]
    slices = [counted({"longest": cells}), counted({"longest": [(2, 1, 3, 1)]}, named("a"))]
    for audit in judge(slices, [LONGEST, SHORTEST], Thresholds()):
        assert audit.checks["shortest"] == Judged(tally=Tally(), verdict="not-applicable")
    assert judge(slices, [LONGEST, SHORTEST], Thresholds())[0].checks["longest"].verdict == "leak"


# --- the whole ---


def audit_of(slices: Sequence[SliceAudit]) -> Audit:
    """An audit of which only the slices matter."""
    return Audit(
        origin=Origin(dataset="o/d", revision=Revision(sha="0"), blobs=()),
        mapping=ColumnMapping(),
        thresholds=Thresholds(),
        check_versions={},
        rows=0,
        left_out={},
        slices=tuple(slices),
    )


def judged_slice(key: SliceKey, *verdicts: tuple[Name, bool]) -> SliceAudit:
    """A slice with the given verdicts, severe or not."""
    checks = {
        str(number): Judged(tally=Tally(), verdict=name, severe=severe)
        for number, (name, severe) in enumerate(verdicts)
    }
    return SliceAudit(key=key, n=0, left_out={}, gold_position={}, checks=checks)


RANKED: list[tuple[Name, bool]] = [
    ("leak", True),
    ("leak", False),
    ("incomplete", False),
    ("slight", False),
    ("none-found", False),
    ("too-few", False),
    ("not-applicable", False),
]


@pytest.mark.parametrize("worst", range(len(RANKED)))
def test_the_worst_verdict_is_that_of_the_audit(worst):
    """Wherever it stands among the others."""
    others = RANKED[worst:]
    for verdicts in (others, others[::-1]):
        audit = audit_of([judged_slice(ALL, *verdicts[:1]), judged_slice(named("a"), *verdicts)])
        assert (audit.verdict, audit.severe) == RANKED[worst]


def test_every_verdict_has_a_rank():
    """No verdict is missing from the order, or in it twice."""
    assert tuple(dict.fromkeys(name for name, _ in RANKED)) == WORST_FIRST


def test_the_first_of_equals_is_the_worst():
    """So that what is named beside the headline does not depend on chance."""
    audit = audit_of([judged_slice(ALL, ("slight", False)), judged_slice(named("a"), ("slight", False))])
    assert audit.worst is audit.slices[0].checks["0"]
    assert audit.all is audit.slices[0]


def test_nothing_run_is_not_applicable():
    """An audit without a check claims nothing."""
    audit = audit_of([judged_slice(ALL)])
    assert (audit.worst, audit.verdict, audit.severe) == (None, "not-applicable", False)


def test_a_slice_audit_keeps_what_was_counted():
    """Key, usable rows, rows left out and gold positions pass through."""
    given = replace(counted({"longest": [(4, 1, 30, 9)]}, named("a"), unlabelled=2), gold_position={1: 30})
    (audit,) = judge([given], [LONGEST], Thresholds())
    assert (audit.key, audit.n, audit.left_out, audit.gold_position) == (
        named("a"),
        30,
        {"unlabelled": 2},
        {1: 30},
    )


# --- all rules at once, on small slices ---

LOOSE = Thresholds(min_rows=6, alpha=0.1873, min_effect=12.5)
"""Thresholds at which a few rows reach every verdict; no sum of fractions is exactly 0.1873."""


@st.composite
def small_slices(draw: st.DrawFn) -> list[Counted]:
    """One to four slices of up to 24 items, mostly of one kind, so that leaks are common."""
    slices = []
    for number in range(draw(st.integers(1, 4))):
        sizes = [(draw(st.integers(2, 4)), draw(st.integers(0, 12))) for _ in range(2)]
        tallies = {}
        for name in ("longest", "shortest", "space"):
            cells = []
            for k, items in sizes:
                t = draw(st.sampled_from([1, 1, 2, k]))
                hits = items if t == k else draw(st.integers(0, items))
                cells.append((k, t, items, hits))
            tallies[name] = cells
        left_out = {"gold_ambiguous": draw(st.integers(0, 9)), "unlabelled": draw(st.integers(0, 9))}
        slices.append(counted(tallies, named(str(number)), **left_out))
    return slices


def by_the_book(
    slices: Sequence[Counted], names: Sequence[str], rules: Thresholds
) -> dict[tuple[SliceKey, str], Name]:
    """The verdicts of one family, written out rule by rule."""
    tested = [
        (null_p(s.tallies[name].cells).p, s, name) for s in slices for name in names if s.n >= rules.min_rows
    ]
    book: dict[tuple[SliceKey, str], Name] = {(s.key, name): "too-few" for s in slices for name in names}
    adjusted = 0.0
    for rank, (p, one, name) in enumerate(sorted(tested, key=lambda test: test[0])):
        adjusted = max(adjusted, p * (len(tested) - rank))
        tally = one.tallies[name]
        defects = one.left_out["gold-ambiguous"]
        usual = min(multimode(k for k, _, items, _ in tally.cells for _ in range(items)))
        as_hits = tally + Tally.of([(usual, 1, defects, defects)])
        as_misses = tally + Tally.of([(usual, 1, defects, 0)])

        def leaks(would_be: Tally, p: float) -> bool:
            return p < rules.alpha and would_be.gain >= Fraction(rules.min_effect) / 100

        def bonferroni(would_be: Tally) -> float:
            return null_p(would_be.cells).p * len(tested)

        against = as_hits if tally.direction == "avoid" else as_misses
        stands = defects == 0 or (
            against.direction == tally.direction and leaks(against, bonferroni(against))
        )
        if leaks(tally, adjusted):
            verdict: Name = "leak" if stands else "incomplete"
        elif defects and any(leaks(either, bonferroni(either)) for either in (as_hits, as_misses)):
            verdict = "incomplete"
        else:
            verdict = "slight" if adjusted < rules.alpha and tally.gain > 0 else "none-found"
        book[one.key, name] = verdict
    return book


@settings(deadline=None, max_examples=300)
@given(small_slices())
def test_verdicts_are_the_definition(slices):
    """Both families, any mixture of ties, sizes and defects."""
    book = by_the_book(slices, ["longest", "shortest"], LOOSE) | by_the_book(slices, ["space"], LOOSE)
    audits = judge(slices, [LONGEST, SHORTEST, SPACE], LOOSE)
    assert {
        (audit.key, name): item.verdict for audit in audits for name, item in audit.checks.items()
    } == book


@settings(deadline=None, max_examples=50)
@given(small_slices())
def test_adding_a_check_moves_no_extrema_verdict(slices):
    """Every figure of `longest` and `shortest` is the same beside further checks and without them."""
    without = judge(slices, [LONGEST, SHORTEST], LOOSE)
    beside = judge(slices, [SPACE, LONGEST, SHORTEST], LOOSE)
    for name in ("longest", "shortest"):
        assert [audit.checks[name] for audit in beside] == [audit.checks[name] for audit in without]


@settings(deadline=None, max_examples=50)
@given(small_slices(), st.randoms(use_true_random=False))
def test_the_order_of_slices_changes_only_the_order(slices, shuffle: random.Random):
    """A slice is judged alike wherever it stands."""
    order = shuffle.sample(range(len(slices)), len(slices))
    audits = judge(slices, [LONGEST, SHORTEST], LOOSE)
    assert judge([slices[i] for i in order], [LONGEST, SHORTEST], LOOSE) == tuple(audits[i] for i in order)


def test_the_checks_of_a_slice_keep_the_order_of_the_registry():
    """Reports show them so; families do not regroup them."""
    tallies = {name: [(4, 1, 30, 9)] for name in ("longest", "space", "shortest")}
    (audit,) = judge([counted(tallies)], [LONGEST, SPACE, SHORTEST], Thresholds())
    assert list(audit.checks) == ["longest", "space", "shortest"]
