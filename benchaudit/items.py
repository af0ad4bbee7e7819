"""The items relation and the one scan over it.

The scan writes a narrow row for each raw row: its names, why it was left out or, for every check,
one packed integer of (k, t, hit). All that is counted afterwards is counted from those. The narrow
rows of a revision are kept as a file, so that two revisions can be paired without their text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from benchaudit.checks.form import Check
from benchaudit.checks.lists import lists_for
from benchaudit.findings import Fetch
from benchaudit.learning import learnt_sql, with_learnt_sql
from benchaudit.mapping.batch import bind_slice
from benchaudit.models import ALL, ColumnMapping, LeftOut, SliceKey, columns_of, is_defect
from benchaudit.packing import code_sql, column_of, unpacked
from benchaudit.probe import columns_sql, guessed_sql
from benchaudit.reading import Table
from benchaudit.reading.engine import literal
from benchaudit.scan import scan
from benchaudit.tally import Counted, Halves, Tally

_UNEVEN = r"  |[\t\n\f\r\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]"
"""White space that is not one plain space: looking for it is ten times as fast as replacing it."""

_UNEVEN_ASCII = ("'  '", *(f"chr({ord(blank)})" for blank in "\t\n\f\r"))
"""The same in ASCII, as SQL for texts, each of which is looked for faster still."""

Slicing = tuple[str, ...]
"""The columns that a set of slices fixes; `()` is ALL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Everything counted in one revision. `slices` begins with ALL; `marks` are rows by finding.

    `halves` splits each slice's tallies by the half that a row's content puts it in. `notes` say how
    the files were read.
    """

    rows: int
    left_out: Mapping[str, LeftOut]
    marks: Mapping[str, LeftOut]
    slices: tuple[Counted, ...]
    halves: Mapping[SliceKey, Halves]
    notes: tuple[str, ...]


def count_items(
    tables: Sequence[Table],
    mapping: ColumnMapping,
    slicings: Sequence[Slicing],
    checks: Sequence[Check],
    connection: duckdb.DuckDBPyConnection,
    rows_file: Path | None,
    kept: Mapping[int, Path] | None = None,
) -> Counts:
    """Scan the tables once and count; the narrow rows are kept in `rows_file`, if there is to be one.

    `kept` are files of narrow rows by the number of their table, which is then not scanned; None where
    nothing is to be kept of the others either.
    """
    # What pairing alone needs is not worked out where nothing will be paired.
    selected = f"* EXCLUDE ({', '.join(_unused(checks))})" if rows_file is None and kept is None else "*"
    narrow_rows(tables, mapping, slicings, checks, connection, kept or {}, selected=selected)
    learn(connection, checks)
    if rows_file:
        connection.execute(f"COPY (FROM counted) TO {literal(str(rows_file))} (FORMAT parquet)")
    valued = _valued(tables, columns_of(slicings))
    slices = [pair for slicing in [(), *slicings] for pair in _slices(connection, slicing, valued, checks)]
    return Counts(
        rows=_integer(connection, "SELECT count(*) FROM scored"),
        left_out=_named_rows(connection, "left_out", "left_out IS NOT NULL"),
        marks=_named_rows(connection, "unnest(marks)", "true"),
        slices=tuple(counted for counted, _ in slices),
        halves={counted.key: halves for counted, halves in slices},
        notes=tuple(note for table in tables for note in table.notes),
    )


def _unused(checks: Sequence[Check]) -> list[str]:
    """Columns of narrow rows that nobody needs where nothing will be paired, shown or kept."""
    return ["id", "question", "options", "gold_text", *([] if any(c.learnt for c in checks) else ["keys"])]


def narrow_rows(
    tables: Sequence[Table],
    mapping: ColumnMapping,
    slicings: Sequence[Slicing],
    checks: Sequence[Check],
    connection: duckdb.DuckDBPyConnection,
    kept: Mapping[int, Path] | None = None,
    *,
    selected: str = "*",
    several: bool | None = None,
) -> None:
    """Make the view `scored` of the narrow rows of all tables, as `scan` says; of them what is `selected`."""

    def narrow(items: str, *, bare: bool) -> str:
        return f"SELECT {selected} FROM ({scan_sql(items, checks, bare=bare)})"

    scan(tables, mapping, columns_of(slicings), connection, narrow, kept or {}, several=several)


def scan_sql(items: str, checks: Sequence[Check], *, bare: bool = False) -> str:
    """SQL that turns an items relation into narrow rows, in their order; without checks that are learnt.

    Each list and each score is computed once for all checks. `question`, `options` (their set) and
    `gold_text` are digests: what two rows have in common tells whether they are the same item. White
    space in a question does not tell: a file that was written anew with other line ends is no change.
    `half` follows from the first two, so that neither that nor options in another order move an item to
    the other half. The shorter digests say the same to findings: `content` of all three, `ordered` of the
    options in their order, `alike` and `alike_gold` with no regard to case and to white space around an
    option, `keys` of each option alike. Where a check takes a model, `texts` are the beginnings of the
    options and `lot` is the digest by which rows are drawn for it. Where items are `bare` no option of them
    has white space around it.
    """
    plain = [check for check in checks if not check.learnt]
    scores = {score: f"score_{number}" for number, score in enumerate(dict.fromkeys(c.score for c in plain))}
    read = f"SELECT *, {_ASKED} AS asked_text FROM ({items})"
    for name, sql in lists_for([*scores, "keys"], bare=bare):
        read = f"SELECT *, {sql} AS {name} FROM ({read})"
    scored = "".join(f", {_scores(score)} AS {name}" for score, name in scores.items())
    ends = {check.name: f"list_{check.extremum}({scores[check.score]})" for check in plain}
    # A column of its own: within a lambda an extreme would be worked out once for each option.
    extremes = {end: f"end_{number}" for number, end in enumerate(dict.fromkeys(ends.values()))}
    ended = "".join(f", {end} AS {name}" for end, name in extremes.items())
    packed = "".join(
        f", {_packed(scores[check.score], extremes[ends[check.name]])} AS {column_of(check.name)}"
        for check in plain
    )
    probed = any(check.is_model for check in checks)
    texts = f", {columns_sql()}" if probed else ""
    lot = ", sha256(question || options) AS lot" if probed else ""
    return f"""
        SELECT * EXCLUDE (gold_option), (sha256(question || options) >= '8')::INTEGER AS half{lot},
               md5(gold_option) AS gold_text, hash(question, options, gold_option) AS content FROM (
        SELECT file, row, id, coalesce(nullif(id, ''), place) AS name, left_out, marks, slices, gold,
               md5(asked_text) AS question,
               CASE WHEN left_out IS NULL THEN md5(to_json(list_sort(options))::VARCHAR) END AS options,
               CASE WHEN left_out IS NULL THEN options[gold + 1] END AS gold_option,
               len(options) AS k, asked_text <> '' AS asks, hash(options) AS ordered,
               hash(lower(asked_text), list_sum(keys)) AS alike, keys[gold + 1] AS alike_gold, keys
               {texts}{packed}
        FROM (SELECT *{ended} FROM (SELECT *{scored} FROM ({read}))))"""


_EVEN = " AND ".join(
    [
        "strlen(question) = length(question)",
        *(f"NOT contains(question, {blank})" for blank in _UNEVEN_ASCII),
        "NOT starts_with(question, ' ') AND NOT ends_with(question, ' ')",
    ]
)
_ASKED = rf"""CASE WHEN {_EVEN} THEN question ELSE trim(CASE WHEN regexp_matches(question, {literal(_UNEVEN)})
    THEN regexp_replace(question, '[\s\pZ]+', ' ', 'g') ELSE question END) END"""


def learn(connection: duckdb.DuckDBPyConnection, checks: Sequence[Check]) -> None:
    """Make the view `counted`: the narrow rows, with the checks whose scores other rows teach."""
    learnt = [check for check in checks if check.learnt]
    for check in learnt:
        sql = guessed_sql(connection, "scored", check) if check.is_model else learnt_sql("scored", check)
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {column_of(check.name)} AS {sql}")
    connection.execute(f"CREATE OR REPLACE TEMP VIEW counted AS {with_learnt_sql('scored', learnt)}")


def asking(connection: duckdb.DuckDBPyConnection) -> Fetch:
    """What asks the narrow rows that were counted last on a connection; findings ask so."""
    return lambda sql: connection.execute(sql).fetchall()


def _scores(score: str) -> str:
    """SQL for the list of an item's scores. A place costs time, so a score that needs none is given none."""
    place = ", place" if re.search(r"\bplace\b", score) else ""
    return f"list_transform(options, lambda option{place}: {score})"


def _packed(scores: str, extreme: str) -> str:
    tied = f"len(list_filter({scores}, lambda score: score = {extreme}))"
    hit = f"({scores}[gold + 1] = {extreme})::INTEGER"
    return f"CASE WHEN left_out IS NULL THEN {code_sql(f'len({scores})', tied, hit)} END"


def slice_values(slicing: Slicing, columns: Sequence[str], of: str = "") -> list[str]:
    """SQL for the values that a slicing reads off a narrow row, or off the row `of` of a join."""
    row = f"{of}." if of else ""
    return [f"{row}slices[{columns.index(column) + 1}]" for column in slicing]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    """SQL for the value of a slice column, and whether it is there for rows that were not read too."""

    sql: str
    always: bool


def _valued(tables: Sequence[Table], columns: Slicing) -> dict[str, _Value]:
    """The slice columns: those that say where a row was found go by its file, the others by the row."""
    valued = {}
    for name, sql in zip(columns, slice_values(columns, columns), strict=True):
        parts = [bind_slice(table, name) for table in tables]
        places = ", ".join("NULL" if part.place is None else literal(part.place) for part in parts)
        always = all(part.column is None for part in parts)
        valued[name] = _Value(sql=f"[{places}][file + 1]" if always else sql, always=always)
    return valued


def by_value(key: SliceKey) -> list[tuple[bool, str]]:
    """How slices of one slicing are sorted: by value, the missing one last."""
    return [(value is None, value or "") for _, value in key]


def _slices(
    connection: duckdb.DuckDBPyConnection,
    slicing: Slicing,
    valued: Mapping[str, _Value],
    checks: Sequence[Check],
) -> list[tuple[Counted, Halves]]:
    """The slices of one slicing, sorted. ALL is there even if it is empty.

    A row that was not read has its place in ALL, and in slices that say where it was found.

    What is counted of a row, where gold is and a packed integer for each check, is laid one below the other:
    the engine takes longer to plan a histogram for each than to count the rows of most files.
    """
    wanted = [valued[name] for name in slicing]
    values = "".join(f"{value.sql} AS value_{number}, " for number, value in enumerate(wanted))
    there = "true" if all(value.always for value in wanted) else "slices IS NOT NULL"
    figures = ["gold", *(column_of(check.name) for check in checks)]
    slices: dict[SliceKey, list[tuple[Any, ...]]] = {} if slicing else {ALL: []}
    for row in connection.execute(f"""
        SELECT *, count(*) FROM (
            SELECT {values}left_out, half, unnest(range({len(figures)})) AS figure,
                   unnest([{", ".join(figures)}]) AS code
            FROM counted WHERE {there}) GROUP BY ALL""").fetchall():
        key = tuple(zip(slicing, row, strict=False))
        slices.setdefault(key, []).append(row[len(slicing) :])
    return [_counted(key, slices[key], checks) for key in sorted(slices, key=by_value)]


def _counted(
    key: SliceKey, groups: Sequence[tuple[Any, ...]], checks: Sequence[Check]
) -> tuple[Counted, Halves]:
    """Add up the groups of one slice: (left_out, half, figure, code, rows), gold's place as figure 0."""
    left_out: Counter[str] = Counter()
    positions: Counter[int] = Counter()
    packed: dict[tuple[int, int], dict[int, int]] = {}
    for reason, half, figure, code, rows in groups:
        if figure and reason is None:
            packed.setdefault((half, figure), {})[code] = rows
        elif not figure:
            (positions if reason is None else left_out)[code if reason is None else reason] += rows

    def halved(half: int) -> dict[str, Tally]:
        return {
            check.name: Tally.of(unpacked(packed.get((half, figure), {})))
            for figure, check in enumerate(checks, start=1)
        }

    halves = halved(0), halved(1)
    counted = Counted(
        key=key,
        left_out=dict(sorted(left_out.items())),
        gold_position=dict(sorted(positions.items())),
        tallies={check.name: halves[0][check.name] + halves[1][check.name] for check in checks},
    )
    return counted, halves


def _named_rows(connection: duckdb.DuckDBPyConnection, code: str, condition: str) -> dict[str, LeftOut]:
    """Rows by code, each with the names of up to five."""
    rows = connection.execute(
        f"SELECT code, count(*), arg_min(name, (file, row), 5) FROM "
        f"(SELECT {code} AS code, file, row, name FROM scored WHERE {condition}) GROUP BY code ORDER BY code"
    ).fetchall()
    return {
        code: LeftOut(rows=number, defective=is_defect(code), sample=tuple(names))
        for code, number, names in rows
    }


def _integer(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    ((number,),) = connection.execute(sql).fetchall()
    return int(number)
