"""The files of a snapshot as tables of raw rows, with the names that its card gives to numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from benchaudit.models import Snapshot
from benchaudit.reading import Table, open_table
from benchaudit.sources.card import labels_of


def open_tables(
    snapshot: Snapshot,
    paths: Sequence[Path],
    records: str,
    place: Path,
    connection: duckdb.DuckDBPyConnection,
) -> list[Table]:
    """Open the files, which `paths` names in the order of the snapshot. Raises SourceError."""
    return [
        replace(
            open_table(path, blob.path, place, connection, records),
            labels=labels_of(blob.path, snapshot.layout),
        )
        for path, blob in zip(paths, snapshot.blobs, strict=True)
    ]
