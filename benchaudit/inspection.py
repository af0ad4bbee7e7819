"""A look at a source before it is watched: its columns, the mapping that is proposed, and what to paste."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchaudit.checks import EXTREMA
from benchaudit.errors import MappingError
from benchaudit.findings import findings_of
from benchaudit.mapping.literal import Value
from benchaudit.mapping.row import text_of
from benchaudit.models import ColumnMapping, Finding, LeftOut, Snapshot
from benchaudit.report.document import mapping_document
from benchaudit.settings import Settings, declared
from benchaudit.sources.base import Source

MOST_SLICES = 30
"""Values that a column may have at most to be proposed for slices."""

LONGEST_VALUE = 60
"""Characters that such a value may have: what is longer, or has a line end, is text and no name."""

IN_LARGE = Fraction(9, 10)
"""Share of the rows that must be in parts large enough for a verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A column, or a place inside one, with how many values it has in the sample and one of them."""

    name: str
    values: int
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What was seen. `problem` says why no mapping is proposed; then what follows from one is empty.

    `sampled` is the number of rows that `columns` tell of; `config` an entry of the config file, `step`
    the same as the inputs of a workflow's step.
    """

    dataset: str
    revision: str
    files: tuple[str, ...]
    notes: tuple[str, ...]
    sampled: int
    columns: tuple[Seen, ...]
    slices: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    config: str = ""
    step: str = ""
    rows: int = 0
    usable: int = 0
    left_out: Mapping[str, LeftOut] | None = None
    findings: tuple[Finding, ...] = ()
    problem: MappingError | None = None


def inspect(source: Source, snapshot: Snapshot, settings: Settings, work: Path) -> Inspection:
    """Look at one revision. Raises SourceError where its files cannot be read."""
    from benchaudit.audit import placed
    from benchaudit.items import count_items
    from benchaudit.mapping import resolve, sample_rows
    from benchaudit.opening import open_tables
    from benchaudit.reading.engine import engine, last_resort

    paths = [source.fetch(snapshot.revision, blob) for blob in snapshot.blobs]
    files = ", ".join(blob.path for blob in snapshot.blobs[:3])
    with engine(paths, work) as connection, placed(source, snapshot, settings), last_resort(files):
        tables = open_tables(snapshot, paths, settings.records, work, connection)
        sample, names = sample_rows(tables[0], settings.mapping, connection)
        seen = Inspection(
            dataset=source.name,
            revision=snapshot.revision.sha,
            files=tuple(blob.path for blob in snapshot.blobs),
            notes=tuple(note for table in tables for note in table.notes),
            sampled=len(sample),
            columns=tuple(_seen(name, sample) for name in names),
            slices=tuple(name for name in names if _slices(name, sample, settings.min_rows)),
        )
        try:
            proposal = resolve(tables[0], settings.mapping, connection, tables[1:])
        except MappingError as error:
            return replace(seen, problem=error)
        counts = count_items(tables, proposal.mapping, [], EXTREMA, connection, None)
    mapping = proposal.mapping
    used = {*mapping.question, *mapping.options, *mapping.distractors, *mapping.gold_columns}
    used |= {mapping.gold_fallback, mapping.id}
    slices = tuple(name for name in seen.slices if name not in used)
    found = _found(source.name, seen.files, mapping, slices)
    return replace(
        seen,
        slices=slices,
        evidence=proposal.evidence,
        rows=counts.rows,
        usable=counts.slices[0].n,
        left_out=counts.left_out,
        findings=findings_of(counts.marks),
        config=_config(found),
        step=_step(found),
    )


def _seen(name: str, sample: Sequence[Mapping[str, Value]]) -> Seen:
    texts = [text for row in sample if (text := text_of(row.get(name))) is not None]
    return Seen(name=name, values=len(set(texts)), example=texts[0] if texts else "")


def _slices(name: str, sample: Sequence[Mapping[str, Value]], min_rows: int) -> bool:
    """Whether a column cuts the sample into a few parts that are large enough to say something of."""
    if "." in name:
        return False
    values = [row.get(name) for row in sample]
    if any(isinstance(value, list | dict) for value in values):
        return False
    counts = Counter(map(text_of, values))
    large = [count for count in counts.values() if count >= min_rows]
    named = all(
        text is None or (len(text) <= LONGEST_VALUE and len(text.splitlines()) < 2) for text in counts
    )
    few = 2 <= len(counts) <= MOST_SLICES and len(large) >= 2
    return few and named and sum(large) >= IN_LARGE * len(values)


def _found(
    dataset: str, files: Sequence[str], mapping: ColumnMapping, slices: Sequence[str]
) -> dict[str, Any]:
    """What was found, by the names of settings."""
    named = dataset if "/" in dataset else "OWNER/NAME"
    found = {"dataset": named, "files": list(files), **mapping_document(mapping), "slices": list(slices)}
    return {name: value for name, value in found.items() if value and name in declared()}


def _config(found: Mapping[str, Any]) -> str:
    """An entry of the config file. Texts are written as JSON, which YAML reads whatever they hold."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in found.items()]
    return "datasets:\n  - " + "\n    ".join(lines) + "\n"


def _step(found: Mapping[str, Any]) -> str:
    """The same as inputs of the action, which are texts: lists are separated by commas."""
    lines = [f"  {name}: {json.dumps(_input(value), ensure_ascii=False)}" for name, value in found.items()]
    return "\n".join(["with:", *lines]) + "\n"


def _input(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list) else str(value)
