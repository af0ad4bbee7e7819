"""Figures in print: one rounding law, one sign, one way to write large numbers and small odds."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchaudit.figures import MINUS, change, integer, odds, percent, plural, points, rounded, share
from benchaudit.null import PValue

FRACTIONS = st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**9)
HALVES = st.builds(
    lambda whole, places: Fraction(2 * whole + 1, 2 * 10**places), st.integers(-9999, 9999), st.integers(1, 4)
)


def number(text: str) -> Decimal:
    """What a printed figure says."""
    return Decimal(text.replace(",", "").replace(MINUS, "-"))


@given(FRACTIONS | HALVES, st.integers(1, 4))
@example(Fraction(1, 20), 1)
@example(Fraction(-1, 20), 1)
@example(Fraction(99_995, 100_000), 4)
def test_rounding_is_half_away_from_zero(value, places):
    """Held against Decimal, whose ROUND_HALF_UP is the same law, at a precision that decides every tie."""
    with localcontext(prec=60):
        exact = Decimal(value.numerator) / Decimal(value.denominator)
        expected = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    assert number(rounded(value, places)) == expected
    assert len(rounded(value, places).partition(".")[2]) == places


@given(FRACTIONS)
def test_what_rounds_to_zero_has_no_sign(value):
    """`−0.0` is never printed, and every other negative figure has the minus sign, not a hyphen."""
    text = rounded(value)
    assert "-" not in text
    assert text.startswith(MINUS) == (number(text) < 0)


@given(FRACTIONS)
def test_a_figure_and_its_negative_differ_in_the_sign_only(value):
    assert rounded(-value).removeprefix(MINUS) == rounded(value).removeprefix(MINUS)


@given(st.integers())
def test_thousands_are_separated(value):
    """Three digits between commas, and the number can be read back."""
    text = integer(value)
    first, *groups = text.removeprefix(MINUS).split(",")
    assert 1 <= len(first) <= 3
    assert all(len(group) == 3 for group in groups)
    assert number(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(12_345_678, 10), "1,234,567.8"),
        (Fraction(-1_234_567), f"{MINUS}1,234,567.0"),
        (Fraction(999_95, 100), "1,000.0"),
        (Fraction(0), "0.0"),
        (Fraction(-4, 100), "0.0"),
        (Fraction(-5, 100), f"{MINUS}0.1"),
    ],
)
def test_rounded(value, text):
    assert rounded(value) == text


@pytest.mark.parametrize(
    ("count", "n", "text"),
    [(234, 501, "46.7 %"), (52, 52, "100.0 %"), (0, 52, "0.0 %"), (Fraction(1, 3), 1, "33.3 %"), (0, 0, "–")],
)
def test_share(count, n, text):
    """The published rates come out as published, and an empty slice has no rate."""
    assert share(count, n) == text


def test_percent_rounds_once():
    """0.04449 of a point rounds to 0.0, not through 0.045 and 0.05 to 0.1."""
    assert percent(Fraction(4449, 10**7)) == "0.0 %"
    assert percent(Fraction(1, 2000)) == "0.1 %"


@pytest.mark.parametrize(
    ("rate", "as_points", "as_change"),
    [
        (Fraction(33, 1000), "+3.3", "▲ +3.3"),
        (Fraction(-33, 1000), f"{MINUS}3.3", f"▼ {MINUS}3.3"),
        (Fraction(0), "0.0", "="),
        (Fraction(4, 10_000), "0.0", "="),
        (Fraction(-4, 10_000), "0.0", "="),
        (Fraction(5, 10_000), "+0.1", "▲ +0.1"),
    ],
)
def test_differences_have_a_sign_and_an_arrow(rate, as_points, as_change):
    """What is printed as no difference has neither."""
    assert points(rate) == as_points
    assert change(rate) == as_change


def test_no_rate_no_change():
    assert change(None) == "–"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (1_048, "1,048 rows")]
)
def test_plural(count, text):
    assert plural(count, "row") == text


def test_a_plural_of_its_own():
    assert plural(2, "entry", "entries") == "2 entries"
    assert plural(1, "entry", "entries") == "1 entry"


ODDS = {
    1.0: "1.00",
    0.995: "1.00",
    0.5: "0.50",
    0.0549: "0.05",
    0.0549999: "0.05",
    0.055: "0.06",
    0.0501: "0.05",
    0.05: "1 in 20",
    0.01: "1 in 100",
    0.0004: "1 in 2,500",
    0.001: "1 in 1,000",
    1.1e-6: "1 in 909,091",
    1e-6: "1 in 10^6",
    9.9e-7: "1 in 10^6",
    2e-8: "1 in 10^7",
    1e-8: "1 in 10^8",
}


@pytest.mark.parametrize(("p", "text"), ODDS.items())
def test_odds(p, text):
    """Decimals above 0.05, whole odds down to a million, powers of ten that still hold beyond."""
    assert odds(PValue(p=p, log10_p=math.log10(p))) == text


def test_odds_that_no_float_holds():
    assert odds(PValue(p=0.0, log10_p=-378.2)) == "1 in 10^378"


def test_odds_are_not_moved_by_a_rounded_logarithm():
    """Ten tests of 1e-9 are 1e-8, though the logarithms add up to a hair above -8."""
    assert odds(PValue.from_log10(-8 + 1e-12)) == "1 in 10^8"


@given(st.floats(-400, -6.0000001))
def test_a_power_of_ten_claims_no_more_than_there_is(log10_p):
    """`1 in 10^k` says p <= 10^-k, to nine digits of the logarithm."""
    power = int(odds(PValue.from_log10(log10_p)).removeprefix("1 in 10^"))
    assert log10_p <= -power + 1e-9
    assert log10_p > -power - 1
