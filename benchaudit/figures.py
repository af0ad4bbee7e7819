"""Figures in print: the one place where exact fractions are rounded, half away from zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from benchaudit.null import PValue

MINUS = "\N{MINUS SIGN}"


def rounded(value: Fraction, places: int = 1) -> str:
    """`value` with `places` decimals, at least one, half away from zero; what rounds to zero has no sign."""
    scaled = abs(value) * 10**places
    units = (scaled.numerator * 2 + scaled.denominator) // (scaled.denominator * 2)
    sign = MINUS if value < 0 and units else ""
    whole, decimals = divmod(units, 10**places)
    return f"{sign}{whole:,}.{decimals:0{places}d}"


def plain(value: Fraction, places: int = 1) -> str:
    """`value` for a program that reads it: rounded in the same way, no sign but `-`, no separators."""
    return rounded(value, places).replace(MINUS, "-").replace(",", "")


def percent(rate: Fraction) -> str:
    """A rate in per cent, one decimal: `46.7 %`."""
    return f"{rounded(rate * 100)} %"


def share(count: Fraction | int, n: int) -> str:
    """A sum over n items as a rate; an empty slice has none."""
    return percent(Fraction(count, n)) if n else "–"


def points(rate: Fraction) -> str:
    """A difference of rates in points, with its sign: `+3.3`."""
    text = rounded(rate * 100)
    return text if text.startswith(MINUS) or text == "0.0" else f"+{text}"


def change(rate: Fraction | None) -> str:
    """A difference of rates with an arrow, so that no colour is needed."""
    if rate is None:
        return "–"
    text = points(rate)
    arrow = "▼" if text.startswith(MINUS) else "=" if text == "0.0" else "▲"
    return arrow if arrow == "=" else f"{arrow} {text}"


_STEPS = "▁▂▃▄▅▆▇█"


def sparkline(rates: Sequence[Fraction | None]) -> str:
    """Rates from 0 to 1 as marks of eight heights; a dot where there is none."""
    return "".join("·" if rate is None else _STEPS[min(7, int(rate * 8))] for rate in rates)


def integer(number: int) -> str:
    """A whole number with thousands separators."""
    return f"{number:,}".replace("-", MINUS)


def plural(number: int, noun: str, more: str = "") -> str:
    """A number and its noun: `1 row`, `2 rows`."""
    return f"{integer(number)} {noun if number == 1 else more or noun + 's'}"


def odds(p: PValue) -> str:
    """A p-value in words: two decimals above 0.05, then `1 in 1,000`, and powers of ten from a million on.

    A power of ten is the largest that still holds: 2e-8 is `1 in 10^7`.
    """
    if p.log10_p > math.log10(0.05):
        return rounded(Fraction(str(p.p)), 2)
    if p.log10_p > -6:
        return f"1 in {integer(round(10**-p.log10_p))}"
    # A logarithm that was summed up can be a hair short of the whole number that it stands for.
    return f"1 in 10^{math.floor(round(-p.log10_p, 9))}"
