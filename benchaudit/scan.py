"""The scan: raw rows become items, quickly where they are certain, by the definition everywhere else.

Tables whose columns have a common shape are scanned in SQL, on all cores. The rows of them that are not
certain, and all rows of other tables, go through the definition in batches. Nothing holds the texts. Tables
that are read alike are scanned as one: of many small ones planning a scan for each took most of the time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import duckdb

from benchaudit.mapping.batch import ITEM_TYPE, Binding, batch_reader, bind
from benchaudit.mapping.quick import UNCERTAIN, quick_items
from benchaudit.models import ColumnMapping
from benchaudit.reading import Table, relation_of
from benchaudit.reading.engine import Refused, arrow_function, glob_escaped, literal


class Narrow(Protocol):
    """What makes SQL for narrow rows of SQL for items."""

    def __call__(self, items: str, *, bare: bool) -> str:
        """The SQL; where items are `bare`, no option of them has white space around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Tables that are read alike, by their numbers among all tables."""

    numbers: Sequence[int]
    tables: Sequence[Table]
    bindings: Sequence[Binding]

    @property
    def relation(self) -> str:
        """SQL for the rows of all of them."""
        return relation_of(self.tables)

    @property
    def file(self) -> str:
        """SQL for the number of a row's table."""
        return f"[{', '.join(map(str, self.numbers))}][file_index + 1]"

    def parted(self) -> list[_Group]:
        """Each table as a group of its own."""
        each = zip(self.numbers, self.tables, self.bindings, strict=True)
        return [_Group(numbers=[n], tables=[table], bindings=[binding]) for n, table, binding in each]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """The rows of all tables under running numbers; those of one table follow each other in its order.

    `first` has the number of the first row of each table that has one, `places` what a row of each is
    called by. Only some rows of the tables in `uncertain` are left to the definition; without it, all are.
    """

    first: Mapping[int, int]
    places: Sequence[str]
    uncertain: Set[int] | None = None

    @property
    def row(self) -> str:
        """SQL for the number of a row in its table, counted from 1, over its running `number` and `file`."""
        return f"number - {_of_file([str(self.first.get(n, 0)) for n in range(len(self.places))])} + 1"

    @property
    def place(self) -> str:
        """SQL for what the name of a row begins with."""
        return _of_file([literal(place) for place in self.places])

    def are_uncertain(self, group: _Group) -> bool:
        """Whether the definition has to read any row of these tables."""
        return self.uncertain is None or not self.uncertain.isdisjoint(group.numbers)


def scan(
    tables: Sequence[Table],
    mapping: ColumnMapping,
    columns: Sequence[str],
    connection: duckdb.DuckDBPyConnection,
    narrow: Narrow,
    kept: Mapping[int, Path],
    *,
    several: bool | None = None,
) -> None:
    """Make the view `scored` of the narrow rows of all tables; of some they are `kept` in a file already.

    `narrow` is given items with the columns `file` (the number of their table), `row`, `place`, `id`,
    `question`, `options`, `gold`, `left_out`, `marks` and `slices`; it must keep `file`, `row`, `name` and
    `left_out`. Raises MappingError where a table lacks a column, and Refused where the engine finds
    another number of rows than there are. `several` says whether the files of the revision are several,
    by which a row without an id is called; by default it is whether the tables are.
    """
    several = len(tables) > 1 if several is None else several
    places = [f"{table.file}:" if several else "row " for table in tables]
    groups = _groups(tables, [bind(table, mapping, columns) for table in tables], kept)
    quick: list[tuple[_Group, str]] = []
    slow: list[_Group] = []
    for group in groups:
        if sql := quick_items(group.bindings, group.relation):
            quick.append((group, sql))
        else:
            slow += group.parted()
    rows = _scan_quickly(quick, places, connection, narrow)
    alone = _Rows(first=dict.fromkeys(range(len(tables)), 0), places=places)
    rest = [
        *(_by_definition(group, rows, connection) for group, _ in quick if rows.are_uncertain(group)),
        *(_by_definition(group, alone, connection) for group in slow),
    ]
    if rest:
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE defined AS {narrow(' UNION ALL '.join(rest), bare=False)}"
        )
    parts = [f"FROM {name}" for name, there in (("certain", quick), ("defined", rest)) if there]
    parts += [
        f"SELECT * REPLACE ({number} AS file) FROM read_parquet({literal(glob_escaped(path))})"
        for number, path in kept.items()
    ]
    connection.execute(f"CREATE OR REPLACE TEMP VIEW scored AS {' UNION ALL BY NAME '.join(parts)}")
    counted = dict(connection.execute("SELECT file, count(*) FROM scored GROUP BY file").fetchall())
    for number, table in enumerate(tables):
        if table.rows not in {None, counted.get(number, 0)}:
            raise Refused(f"{table.file}: {counted.get(number, 0)} rows, not {table.rows}")


def _groups(tables: Sequence[Table], bindings: Sequence[Binding], kept: Collection[int]) -> list[_Group]:
    """The tables that are not kept, those that are read alike together."""
    alike: dict[object, list[int]] = {}
    for number, (table, binding) in enumerate(zip(tables, bindings, strict=True)):
        if number not in kept:
            alike.setdefault((table.company, binding.anywhere), []).append(number)
    return [
        _Group(numbers=numbers, tables=[tables[n] for n in numbers], bindings=[bindings[n] for n in numbers])
        for numbers in alike.values()
    ]


def _scan_quickly(
    quick: Sequence[tuple[_Group, str]],
    places: Sequence[str],
    connection: duckdb.DuckDBPyConnection,
    narrow: Narrow,
) -> _Rows:
    """Make the view `certain`, and return the numbers that the rows have.

    Numbering rows in a query would bind it to one core. What is kept is kept in order, so the engine's own
    row numbers are running ones.
    """
    parts = [
        f"SELECT {group.file} AS file, NULL::BIGINT AS row, NULL::VARCHAR AS place, * EXCLUDE (file_index) "
        f"FROM ({sql})"
        for group, sql in quick
    ]
    if not parts:
        return _Rows(first={}, places=places)
    # As one column: the engine takes fewer threads for a wide table, lest it runs out of memory.
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE quick AS "
        f"SELECT narrow AS kept FROM ({narrow(' UNION ALL '.join(parts), bare=True)}) AS narrow"
    )
    connection.execute("CREATE OR REPLACE TEMP VIEW quickly AS SELECT rowid AS number, kept.* FROM quick")
    found = connection.execute(
        f"SELECT file, min(number), bool_or({_IS_UNCERTAIN}) FROM quickly GROUP BY file"
    ).fetchall()
    rows = _Rows(
        first={file: number for file, number, _ in found},
        places=places,
        uncertain={file for file, _, uncertain in found if uncertain},
    )
    connection.execute(f"""
        CREATE OR REPLACE TEMP VIEW certain AS
        SELECT * EXCLUDE (number)
               REPLACE ({rows.row} AS row, coalesce(name, {rows.place} || ({rows.row})) AS name)
        FROM quickly WHERE left_out IS NULL""")
    return rows


_IS_UNCERTAIN = f"left_out IS NOT DISTINCT FROM {literal(UNCERTAIN)}"


def _by_definition(group: _Group, rows: _Rows, connection: duckdb.DuckDBPyConnection) -> str:
    """SQL for the items of a group by the definition, but for those that are certain."""
    function = f"item_{group.numbers[0]}"
    arrow_function(connection, function, batch_reader(group.bindings), "VARCHAR[]", ITEM_TYPE)
    cells = ", ".join(["file_index::VARCHAR", *group.bindings[0].arguments, "unreadable"])
    first = min(rows.first[number] for number in group.numbers if number in rows.first)
    uncertain = f"WHERE number IN (SELECT number FROM quickly WHERE {_IS_UNCERTAIN})"
    only = "" if rows.uncertain is None else uncertain
    return (
        f"SELECT file, {rows.row} AS row, {rows.place} || ({rows.row}) AS place, item.* FROM "
        f"(SELECT {group.file} AS file, number, {function}(cells) AS item FROM "
        f"(SELECT row_number() OVER () - 1 + {first} AS number, file_index, [{cells}] AS cells "
        f"FROM {group.relation}) {only})"
    )


def _of_file(values: Sequence[str]) -> str:
    """SQL for the value that a row has by the number of its `file`."""
    return f"[{', '.join(values)}][file + 1]"
