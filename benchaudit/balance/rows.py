"""From an audit's narrow rows to classes, and from numbers of a class back to rows.

Which rows of a class are taken is decided by a digest of their content: it is the same whatever order
they come in, and has nothing to do with what is asked in them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import duckdb

from benchaudit.audit import Audited
from benchaudit.balance.problem import Problem, RowClass
from benchaudit.errors import SettingsError
from benchaudit.items import slice_values
from benchaudit.models import SliceKey
from benchaudit.packing import unpacked
from benchaudit.reading.engine import engine, literal

_FETCHED = 10_000

Row = tuple[int, int, str, int]
"""A row: the number of its file from 0, its number there from 1, its name, and its class."""


class Rows:
    """The items of an audit, each in its class."""

    def __init__(
        self, audited: Audited, checks: Sequence[str], connection: duckdb.DuckDBPyConnection
    ) -> None:
        self._audited, self._checks, self._connection = audited, tuple(checks), connection
        self._file = f"read_parquet({literal(str(audited.kept_rows))})"
        # The names of checks are ours; no text of a dataset gets into the query.
        self._columns = [f'"{check}"' for check in checks]
        self._refuse_unknown()
        connection.execute(f"""
            CREATE TEMP TABLE items AS
            SELECT *, row_number() OVER (PARTITION BY class ORDER BY digest, file, row) AS place
            FROM (SELECT file, row, name, slices, {", ".join(self._columns)},
                         sha256(concat(question, options, gold_text)) AS digest,
                         dense_rank() OVER (ORDER BY slices, {", ".join(self._columns)}) - 1 AS class
                  FROM {self._file} WHERE left_out IS NULL)""")

    def _refuse_unknown(self) -> None:
        """Refuse a check that says nothing of some row: what it scores cannot be balanced row by row."""
        known = {name for name, *_ in self._connection.execute(f"DESCRIBE FROM {self._file}").fetchall()}
        for check, column in zip(self._checks, self._columns, strict=True):
            silent = f"SELECT count(*) FROM {self._file} WHERE left_out IS NULL AND {column} IS NULL"
            if check not in known or self._connection.execute(silent).fetchall() != [(0,)]:
                raise SettingsError(
                    f"{check} has no meaning in every row here", where="--on", todo="balance on other checks"
                )

    def problem(
        self, limits: Sequence[Fraction], min_rows: int, only: Mapping[str, Collection[SliceKey]]
    ) -> Problem:
        """The classes, in an order that depends on nothing but them; `limits` are those of the checks."""
        slicings, columns = ((), *self._audited.slicings), self._audited.columns
        values = [value for slicing in slicings for value in slice_values(slicing, columns)]
        found = self._connection.execute(
            f"SELECT class, count(*), {', '.join([*self._columns, *values])} "
            "FROM items GROUP BY ALL ORDER BY class"
        ).fetchall()
        classes = []
        for _, rows, *rest in found:
            cells = [unpacked({packed: 1})[0] for packed in rest[: len(self._checks)]]
            left = iter(rest[len(self._checks) :])
            slices = tuple(tuple((column, next(left)) for column in slicing) for slicing in slicings)
            classes.append(RowClass(slices=slices, cells=tuple(cells), rows=rows))
        return Problem(
            classes=tuple(classes), checks=self._checks, limits=tuple(limits), min_rows=min_rows, only=only
        )

    def sizes(self) -> dict[int, int]:
        """How many rows each file has, those that are no items among them."""
        found = self._connection.execute(f"SELECT file, count(*) FROM {self._file} GROUP BY file").fetchall()
        return {int(file): int(rows) for file, rows in found}

    def chosen(self, numbers: Sequence[int]) -> Iterator[Row]:
        """Rows, in the order of the files: so many of each class."""
        found = self._connection.execute(
            "SELECT file, row, name, class FROM items "
            "JOIN (SELECT unnest(?::BIGINT[]) AS class, unnest(?::BIGINT[]) AS most) USING (class) "
            "WHERE place <= most ORDER BY file, row",
            [list(range(len(numbers))), list(numbers)],
        )
        while batch := found.fetchmany(_FETCHED):
            yield from batch


@contextmanager
def open_rows(audited: Audited, checks: Sequence[str], work: Path) -> Iterator[Rows]:
    """Sort the items of an audit into classes by what these checks see of them."""
    with engine([audited.kept_rows], work) as connection:
        yield Rows(audited, checks, connection)
