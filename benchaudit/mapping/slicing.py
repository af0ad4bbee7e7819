"""Slices: what the value of a slice column is read from.

A slice column is a column of the data, a place inside one, a number's bin (`tokens%1000`), or where
the row was found: `@file`, `@dir`, `@config`, `@split`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from benchaudit.mapping.literal import Value
from benchaudit.mapping.row import text_of

if TYPE_CHECKING:
    from benchaudit.reading import Column


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceColumn:
    """Where a slice's value comes from: `place` where it is one for all rows of a file, else `column`.

    `width` is that of the bins of a number.
    """

    column: Column | None = None
    place: str | None = None
    width: Decimal | None = None

    def value(self, read: Callable[[Column], Value]) -> str | None:
        """The value for one row; None where it is missing. `read` gives the row's cells."""
        if self.column is None:
            return self.place
        text = text_of(read(self.column))
        if text is None or self.width is None:
            return None if text is None else text.encode(errors="replace").decode()
        return binned(text, self.width)


def slice_column(
    name: str, places: Mapping[str, str | None], find: Callable[[str], Column], *, known: bool
) -> SliceColumn:
    """Return what a name of `--slices` stands for.

    `places` says where the file is, `known` whether a column bears the very name. `find` raises
    MappingError for a column that is not there.
    """
    if name in places:
        return SliceColumn(place=places[name])
    owner, sign, width = name.rpartition("%")
    if sign and not known and (number := _number(width)) is not None and number > 0:
        return SliceColumn(column=find(owner), width=number)
    return SliceColumn(column=find(name))


def binned(text: str, width: Decimal) -> str:
    """The bin of a number, lower end included, as `[1000, 2000)`; a text that is no number is its own."""
    number = _number(text)
    if number is None:
        return text
    lower = (number / width).to_integral_value(rounding="ROUND_FLOOR") * width
    return f"[{_plain(lower)}, {_plain(lower + width)})"


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    # Beyond this a bin would be written with more digits than anybody reads.
    return number if number.is_finite() and abs(number.adjusted()) < 20 else None


def _plain(number: Decimal) -> str:
    whole = number.to_integral_value()
    return str(int(whole)) if number == whole else format(number.normalize(), "f")
