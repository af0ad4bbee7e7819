"""The one door to DuckDB: a connection that reads its inputs and nothing else.

A dataset is data, never a query. The connection may touch its inputs and a working directory of its
own; everything else on the machine, and every extension, is locked away before the first byte of a
dataset is read. Names that come from data enter SQL quoted, or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from benchaudit.errors import SourceError

MEMORY_LIMIT = "768MB"
"""What the engine may hold before it spills to disk. The rest of a process takes about a tenth of this."""

LEAN_LIMIT = "240MB"
"""What a scan needs, unless the parts of a file are enormous."""

PAIRING_LIMIT = "512MB"
"""What pairing needs, however many rows there are."""


class Refused(Exception):
    """The engine read a table otherwise than its definition does, or not to its end."""


@contextmanager
def refusals(files: str) -> Iterator[None]:
    """Raise Refused where the engine cannot go on, and SourceError where memory does not suffice."""
    try:
        yield
    except duckdb.OutOfMemoryException:
        raise SourceError("takes more memory than is allowed", where=files, todo="split it") from None
    except duckdb.Error as error:
        raise Refused(str(error)) from None


@contextmanager
def last_resort(files: str) -> Iterator[None]:
    """Raise SourceError where the engine cannot go on with what was read to its end: no other way is left."""
    try:
        with refusals(files):
            yield
    except Refused as error:
        raise SourceError(f"cannot be read ({error})", where=files) from None


@contextmanager
def engine(
    inputs: Iterable[Path], work: Path, memory_limit: str = MEMORY_LIMIT, kept: Path | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection that may read `inputs`, and read and write below `work` and `kept`."""
    connection = duckdb.connect(
        config={
            "memory_limit": memory_limit,
            "temp_directory": str(work / "spill"),
            "threads": os.cpu_count() or 1,
            # A file may be completed while it is read, and what was read is not read again.
            "enable_external_file_cache": False,
        }
    )
    try:
        allowed = [name for path in inputs for name in {str(path), glob_escaped(path)}]
        connection.execute(
            f"SET allowed_directories = {literals([str(path) for path in (work, kept) if path])}"
        )
        connection.execute(f"SET allowed_paths = {literals(allowed)}")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    finally:
        connection.close()


def arrow_function(
    connection: duckdb.DuckDBPyConnection, name: str, function: Callable[..., Any], takes: str, gives: str
) -> None:
    """Let SQL call a Python function of one Arrow array; nulls are handed over like any other value."""
    connection.create_function(
        name,
        function,
        [duckdb.sqltype(takes)],
        duckdb.sqltype(gives),
        type=PythonUDFType.ARROW,
        null_handling=FunctionNullHandling.SPECIAL,
    )


def literal(text: str) -> str:
    """`text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def literals(texts: Iterable[str]) -> str:
    """`texts` as an SQL list."""
    return "[" + ", ".join(map(literal, sorted(texts))) + "]"


def glob_escaped(path: Path) -> str:
    """A path that DuckDB takes to the letter, whatever stars and brackets its name holds."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in str(path))
