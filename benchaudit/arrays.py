"""Arrow arrays from Python values, made from their buffers.

`pa.array` makes the same ones, but imports pandas first, to look whether it was handed a Series: half a
second of every audit, and 60 MB, for lists.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any


def strings(values: Sequence[str | None]) -> Any:
    """An array of texts. Raises UnicodeEncodeError where one has half a surrogate pair."""
    import pyarrow as pa

    texts = [b"" if value is None else value.encode() for value in values]
    buffers = [_known(values), _offsets(map(len, texts)), pa.py_buffer(b"".join(texts))]
    return pa.Array.from_buffers(pa.string(), len(values), buffers)


def integers(values: Sequence[int | None]) -> Any:
    """An array of 32-bit integers. Raises OverflowError where one does not fit."""
    import pyarrow as pa

    numbers = pa.py_buffer(array("i", [0 if value is None else value for value in values]))
    return pa.Array.from_buffers(pa.int32(), len(values), [_known(values), numbers])


def lists_of_strings(values: Sequence[Sequence[str | None] | None]) -> Any:
    """An array of lists of texts."""
    import pyarrow as pa

    inner = strings([text for value in values if value is not None for text in value])
    offsets = _offsets(0 if value is None else len(value) for value in values)
    kind = pa.list_(pa.string())
    return pa.Array.from_buffers(kind, len(values), [_known(values), offsets], children=[inner])


def _offsets(lengths: Iterable[int]) -> Any:
    import pyarrow as pa

    return pa.py_buffer(array("i", accumulate(lengths, initial=0)))


def _known(values: Sequence[object]) -> Any:
    """The bits of the values that are not null, the first one lowest; None where all are there."""
    import pyarrow as pa

    missing = [place for place, value in enumerate(values) if value is None]
    if not missing:
        return None
    bits = bytearray(b"\xff" * (len(values) // 8 + 1))
    for place in missing:
        bits[place // 8] &= ~(1 << place % 8)
    return pa.py_buffer(bits)
