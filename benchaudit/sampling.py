"""Which rows of a slice bear a leak out: by their ids, and on request with their text.

Ids come from the narrow rows that an audit left behind. Text is read again from the files, for the
few rows that are shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb

from benchaudit.audit import Audited
from benchaudit.items import Slicing, slice_values
from benchaudit.mapping.batch import ITEM_TYPE, batch_reader, bind
from benchaudit.models import ColumnMapping, SliceKey, Snapshot
from benchaudit.opening import open_tables
from benchaudit.packing import right_sql
from benchaudit.reading import Table
from benchaudit.reading.engine import arrow_function, engine, literal
from benchaudit.samples import Sample, Samples
from benchaudit.settings import Settings
from benchaudit.sources.base import Source
from benchaudit.verdict import Judged

MOST = 5
"""Rows of a slice and check that are shown."""

_CLAIMS = frozenset({"leak", "incomplete", "slight"})
_Found = dict[tuple[SliceKey, str], list[tuple[int, int, str]]]
"""File, row and name of the rows of a slice and check."""


def sampled(audited: Audited, source: Source, snapshot: Snapshot, settings: Settings, work: Path) -> Samples:
    """Up to five rows for each slice and check that is more than chance; `samples` says how much of them.

    Raises SourceError where their text cannot be read again.
    """
    if settings.samples == "none":
        return {}
    found = _found(audited, work)
    named: Samples = {place: tuple(Sample(name=name) for _, _, name in rows) for place, rows in found.items()}
    if settings.samples == "ids":
        return named
    wanted = {(file, row) for rows in found.values() for file, row, _ in rows}
    texts = _texts(wanted, audited.audit.mapping, source, snapshot, settings, work)
    return {
        place: tuple(
            replace(texts[file, row], name=name) if (file, row) in texts else Sample(name=name)
            for file, row, name in rows
        )
        for place, rows in found.items()
    }


def _found(audited: Audited, work: Path) -> _Found:
    claims = {
        (part.key, name): judged
        for part in audited.audit.slices
        for name, judged in part.checks.items()
        if judged.verdict in _CLAIMS
    }
    found: _Found = {}
    with engine([audited.kept_rows], work) as connection:
        for slicing in [(), *audited.slicings]:
            found |= _of_slicing(connection, audited, slicing, claims)
    return found


def _of_slicing(
    connection: duckdb.DuckDBPyConnection,
    audited: Audited,
    slicing: Slicing,
    claims: Mapping[tuple[SliceKey, str], Judged],
) -> _Found:
    """Rows on which the better rule is right: gold at the extremum for *pick*, elsewhere for *avoid*.

    Where all options are tied a rule is but a guess.
    """
    mine = {place: judged for place, judged in claims.items() if tuple(n for n, _ in place[0]) == slicing}
    checks = sorted({name for _, name in mine})
    if not checks:
        return {}
    values = slice_values(slicing, audited.columns)
    picked = [
        f"arg_min([file::VARCHAR, row::VARCHAR, name], (file, row), {MOST}) FILTER ({right_sql(check, hit)})"
        for check in checks
        for hit in (1, 0)
    ]
    rows = connection.execute(
        f"SELECT {', '.join([*values, *picked])} FROM read_parquet({literal(str(audited.kept_rows))}) "
        f"WHERE left_out IS NULL {'GROUP BY ALL' if slicing else ''}"
    ).fetchall()
    found: _Found = {}
    for row in rows:
        key = tuple(zip(slicing, row, strict=False))
        for number, check in enumerate(checks):
            if judged := mine.get((key, check)):
                side = 0 if judged.direction == "pick" else 1
                named = row[len(values) + 2 * number + side] or []
                found[key, check] = [(int(file), int(at), name) for file, at, name in named]
    return found


def _texts(
    wanted: Iterable[tuple[int, int]],
    mapping: ColumnMapping,
    source: Source,
    snapshot: Snapshot,
    settings: Settings,
    work: Path,
) -> dict[tuple[int, int], Sample]:
    """The items in these rows of these files."""
    by_file: dict[int, list[int]] = defaultdict(list)
    for file, row in wanted:
        by_file[file].append(row)
    paths = [source.fetch(snapshot.revision, blob) for blob in snapshot.blobs]
    with engine(paths, work) as connection:
        tables = open_tables(snapshot, paths, settings.records, work, connection)
        return {
            (file, row): sample
            for file, rows in sorted(by_file.items())
            for row, sample in _items(connection, tables[file], file, mapping, rows)
        }


def _items(
    connection: duckdb.DuckDBPyConnection,
    table: Table,
    file: int,
    mapping: ColumnMapping,
    rows: Sequence[int],
) -> list[tuple[int, Sample]]:
    binding = bind(table, mapping, [])
    function = f"sample_{file}"
    arrow_function(connection, function, batch_reader([binding]), "VARCHAR[]", ITEM_TYPE)
    cells = ", ".join([literal("0"), *binding.arguments, "unreadable"])
    read: list[tuple[Any, ...]] = connection.execute(
        f"SELECT row, item.question, item.options, item.gold FROM (SELECT row, {function}([{cells}]) AS item "
        f"FROM (SELECT row_number() OVER () AS row, * FROM {table.relation}) "
        f"WHERE row IN ({', '.join(map(str, sorted(rows)))})) WHERE item.left_out IS NULL"
    ).fetchall()
    return [
        (row, Sample(name="", question=question or "", options=tuple(options), gold=gold))
        for row, question, options, gold in read
    ]
