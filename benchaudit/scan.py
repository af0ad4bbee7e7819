"""The scan: raw rows become items, quickly where they are certain, by the definition everywhere else.

Tables whose columns have a common shape are scanned in SQL, on all cores. The rows of them that are not
certain, and all rows of other tables, go through the definition in batches. Nothing holds the texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import duckdb

from benchaudit.mapping.batch import ITEM_TYPE, Binding, batch_reader, bind
from benchaudit.mapping.quick import UNCERTAIN, quick_items
from benchaudit.models import ColumnMapping
from benchaudit.reading import Table
from benchaudit.reading.engine import Refused, arrow_function, glob_escaped, literal


class Narrow(Protocol):
    """What makes SQL for narrow rows of SQL for items."""

    def __call__(self, items: str, *, bare: bool) -> str:
        """The SQL; where items are `bare`, no option of them has white space around it."""


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
    bindings = [bind(table, mapping, columns) for table in tables]
    several = len(tables) > 1 if several is None else several
    places = [f"{table.file}:" if several else "row " for table in tables]
    quick = {
        number: sql
        for number, binding in enumerate(bindings)
        if number not in kept and (sql := quick_items(binding, tables[number].relation))
    }
    uncertain = _scan_quickly(quick, places, connection, narrow)
    rest = [
        _by_definition(
            number, binding, tables[number].relation, places[number], uncertain.get(number), connection
        )
        for number, binding in enumerate(bindings)
        if number not in kept and (number not in quick or number in uncertain)
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


def _scan_quickly(
    quick: Mapping[int, str], places: Sequence[str], connection: duckdb.DuckDBPyConnection, narrow: Narrow
) -> dict[int, str]:
    """Make the view `certain`, and return SQL for the numbers of the other rows by table.

    Numbering rows in a query would bind it to one core. What is kept is kept in order, so the engine's own
    row numbers, less what comes before the table, are those of the rows.
    """
    parts = [
        f"SELECT {number} AS file, NULL::BIGINT AS row, NULL::VARCHAR AS place, * FROM ({sql})"
        for number, sql in quick.items()
    ]
    if not parts:
        return {}
    # As one column: the engine takes fewer threads for a wide table, lest it runs out of memory.
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE quick AS "
        f"SELECT narrow AS kept FROM ({narrow(' UNION ALL '.join(parts), bare=True)}) AS narrow"
    )
    connection.execute("CREATE OR REPLACE TEMP VIEW quickly AS SELECT rowid AS number, kept.* FROM quick")
    found = connection.execute(
        f"SELECT file, min(number), count(*) FILTER (left_out = {literal(UNCERTAIN)}) "
        "FROM quickly GROUP BY file"
    ).fetchall()
    first = {file: number for file, number, _ in found}
    before = "[" + ", ".join(str(first.get(number, 0)) for number in range(len(places))) + "][file + 1]"
    place = "[" + ", ".join(map(literal, places)) + "][file + 1]"
    row = f"number - {before} + 1"
    connection.execute(f"""
        CREATE OR REPLACE TEMP VIEW certain AS
        SELECT * EXCLUDE (number) REPLACE ({row} AS row, coalesce(name, {place} || ({row})) AS name)
        FROM quickly WHERE left_out IS NULL""")
    return {
        file: f"SELECT {row} FROM quickly WHERE file = {file} AND left_out = {literal(UNCERTAIN)}"
        for file, _, rows in found
        if rows
    }


def _by_definition(
    number: int,
    binding: Binding,
    relation: str,
    place: str,
    rows: str | None,
    connection: duckdb.DuckDBPyConnection,
) -> str:
    """SQL for the items of a table, or of some rows of it, by the definition."""
    function = f"item_{number}"
    arrow_function(connection, function, batch_reader(binding), "VARCHAR[]", ITEM_TYPE)
    cells = ", ".join([*binding.arguments, "unreadable"])
    only = f"WHERE row IN ({rows})" if rows else ""
    return (
        f"SELECT {number} AS file, row, {literal(place)} || row AS place, item.* FROM "
        f"(SELECT row, {function}(cells) AS item FROM "
        f"(SELECT row_number() OVER () AS row, [{cells}] AS cells FROM {relation}) {only})"
    )
