"""The way through: audit, search, copy the rows, audit what was written, and only then put it in place."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from benchaudit.audit import Audited, audit_snapshot
from benchaudit.balance.files import copy_rows
from benchaudit.balance.problem import LIMIT, Problem
from benchaudit.balance.rewriting import Rewrite, rewrites
from benchaudit.balance.rows import Row, Rows, open_rows
from benchaudit.balance.solver import Subset, largest, require
from benchaudit.errors import BenchauditError, MappingError, RenderError, SettingsError
from benchaudit.figures import plain
from benchaudit.markdown import MISSING, shown
from benchaudit.models import SliceKey, Snapshot
from benchaudit.settings import Settings
from benchaudit.sources.base import CARD, Source
from benchaudit.verdict import Audit

DATA = "data"
"""The folder of the subset, below the one that was asked for."""

_MOST_ROUNDS = 10

KEPT, REWRITE, FIGURES, SUMMARY = "kept.csv", "rewrite.csv", "balance.json", "balance.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Balanced:
    """What came of it. `after` is the audit of what was written, None where no row could be kept.

    `made` is the folder of the subset and the lists until they are put in place.
    """

    before: Audit
    after: Audit | None
    problem: Problem
    subset: Subset
    rewrites: tuple[Rewrite, ...]
    notes: tuple[str, ...]
    made: Path

    @property
    def on(self) -> list[str]:
        """The checks that were balanced on; others were only kept from leaking."""
        return [check for check in self.problem.checks if check not in self.problem.only]

    @property
    def dropped(self) -> list[SliceKey]:
        """The slices that lost all their rows."""
        return [key for key in self.problem.members if not self.problem.size(key, self.subset.kept)]


def balance(
    name: str,
    source: Source,
    settings: Settings,
    checks: Sequence[str],
    kin: Sequence[str],
    out: Path,
    work: Path,
    say: Callable[[str], None],
) -> Balanced:
    """Balance one revision on these checks, and make the subset and both lists of rows for `out`.

    `name` is the source as it was given; nothing is written outside `work`. Where the subset leaks by one
    of `kin`, which see the same from another side, that is held below a leak there, and all is done anew.
    Raises SettingsError where `out` cannot take them, SourceError and MappingError as an audit does,
    RenderError where the written subset would not read as meant.
    """
    require()
    snapshot = source.snapshot(source.revision(""))
    paths = [source.fetch(snapshot.revision, blob) for blob in snapshot.blobs]
    _keep_apart(out, paths)
    audited = audit_snapshot(source, snapshot, settings, work, say)
    job = _Job(name=name, snapshot=snapshot, paths=paths, settings=settings, audited=audited, checks=checks)
    only: dict[str, set[SliceKey]] = {}
    for number in range(_MOST_ROUNDS):
        place = work / f"round-{number}"
        place.mkdir()
        found = _round(job, only, place)
        leaks = [(check, key) for check, key in _leaks(found.after, kin) if key not in only.get(check, ())]
        if not leaks:
            break
        for check, key in leaks:
            only.setdefault(check, set()).add(key)
    return found


def _leaks(audit: Audit | None, checks: Iterable[str]) -> list[tuple[str, SliceKey]]:
    return [
        (check, part.key)
        for check in checks
        for part in (audit.slices if audit else ())
        if part.checks[check].verdict == "leak"
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """What stays the same from round to round."""

    name: str
    snapshot: Snapshot
    paths: Sequence[Path]
    settings: Settings
    audited: Audited
    checks: Sequence[str]


def _round(job: _Job, only: Mapping[str, Collection[SliceKey]], place: Path) -> Balanced:
    """Find, copy and audit the subset that holds to all that is known so far."""
    made, settings = place / "made", job.settings
    # A tenth of a point below what makes a leak.
    no_leak = max(LIMIT, Fraction(str(settings.min_effect)) / 100 - Fraction(1, 1000))
    limits = [*(LIMIT for _ in job.checks), *(no_leak for _ in only)]
    with open_rows(job.audited, [*job.checks, *only], place) as rows:
        problem = rows.problem(limits, settings.min_rows, only)
        with _quiet():
            subset, wanted = largest(problem), rewrites(problem)
        notes = _copy(rows, subset, job.snapshot, job.paths, made, settings)
        _list_rows(made / KEPT, job.snapshot, _kept(rows, subset))
        _list_rows(made / REWRITE, job.snapshot, _rewritten(rows, problem, wanted), ("points", "slices"))
    after = _audit_again(job.name, settings, made, job.audited, problem, subset) if subset.rows else None
    return Balanced(
        before=job.audited.audit,
        after=after,
        problem=problem,
        subset=subset,
        rewrites=tuple(wanted),
        notes=tuple(notes),
        made=made,
    )


def _keep_apart(out: Path, sources: Iterable[Path]) -> None:
    """Refuse a folder in which the subset would be written over, or beside, what it is made from."""
    if out.exists() and not out.is_dir():
        raise SettingsError("is no folder", where=f"--out {out}", todo="name a new folder")
    data = (out / DATA).resolve()
    if any(path.resolve().is_relative_to(data) for path in sources):
        raise SettingsError("holds the source itself", where=f"--out {out}", todo="name another folder")


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing on standard output, which is for data: the solver prints a line of its own now and then."""
    sys.stdout.flush()
    try:
        saved = os.dup(1)
    except OSError:
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(saved, 1)
        os.close(nowhere)
        os.close(saved)


def _copy(
    rows: Rows, subset: Subset, snapshot: Snapshot, paths: Sequence[Path], made: Path, settings: Settings
) -> list[str]:
    """Write the kept rows of each file that has any, and say what was changed about the files."""
    keep = {file: bytearray(number) for file, number in rows.sizes().items()}
    for file, row, _, _ in rows.chosen(subset.kept):
        keep[file][row - 1] = 1
    notes = []
    for file, (blob, path) in enumerate(zip(snapshot.blobs, paths, strict=True)):
        flags = keep.get(file, bytearray())
        if not any(flags):
            notes.append(f"{blob.path}: no row of it is kept")
            continue
        place = made.parent / f"copy-{file}"
        notes += copy_rows(path, blob.path, flags, made / DATA / blob.path, place, settings.records)
    card = _card(snapshot.layout)
    if card and subset.rows:
        (made / DATA / CARD).write_text(card, encoding="utf-8")
    return notes


def _card(layout: Sequence[str]) -> str:
    """A card that says of configs and splits what the source's own says; JSON is YAML too."""
    configs: dict[str, list[dict[str, str]]] = {}
    for line in layout:
        names, colon, path = line.partition(": ")
        config, _, split = names.rpartition("/")
        if colon:
            configs.setdefault(config, []).append({"split": split, "path": path})
    if not configs:
        return ""
    entries = [{"config_name": config, "data_files": files} for config, files in configs.items()]
    return f"---\n{json.dumps({'configs': entries}, indent=2, ensure_ascii=False)}\n---\n"


def _kept(rows: Rows, subset: Subset) -> Iterator[tuple[Row, tuple[str, ...]]]:
    return ((row, ()) for row in rows.chosen(subset.kept))


def _rewritten(
    rows: Rows, problem: Problem, wanted: Sequence[Rewrite]
) -> Iterator[tuple[Row, tuple[str, ...]]]:
    """The rows to rewrite, those that contribute most first, each with its points and its slices."""
    numbers = [0] * len(problem.classes)
    rank = {each.place: (order, plain(each.contribution * 100, 3)) for order, each in enumerate(wanted)}
    for each in wanted:
        numbers[each.place] = each.rows
    for row in sorted(rows.chosen(numbers), key=lambda row: (rank[row[3]][0], row[:2])):
        yield row, (rank[row[3]][1], _named(problem.classes[row[3]].slices))


def _named(slices: Iterable[SliceKey]) -> str:
    """Slices as one cell of a list, without ALL."""
    named = (
        ", ".join(f"{shown(column)}={MISSING if value is None else shown(value)}" for column, value in key)
        for key in slices
        if key
    )
    return "; ".join(named)


def _list_rows(
    target: Path, snapshot: Snapshot, rows: Iterable[tuple[Row, tuple[str, ...]]], more: Sequence[str] = ()
) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf-8", errors="replace", newline="") as file:
        # Only what is quoted may hold a lone carriage return.
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["file", "row", "id", *more])
        for (number, row, name, _), others in rows:
            writer.writerow([snapshot.blobs[number].path, row, name, *others])


def _audit_again(
    name: str, settings: Settings, made: Path, audited: Audited, problem: Problem, subset: Subset
) -> Audit:
    """Audit what was written as it will be audited, and hold it to what was meant."""
    from benchaudit.sources import open_source

    data, origin = made / DATA, audited.audit.origin
    single = Path(name).is_file()
    written = [blob.path for blob in origin.blobs if (data / blob.path).is_file()]
    again = settings if single else replace(settings, files=tuple(written), revision="")
    work = made.parent / "again"
    work.mkdir()
    try:
        source = open_source(str(data / written[0] if single else data), again, work)
        snapshot = source.snapshot(source.revision(""))
        audit = audit_snapshot(source, snapshot, again, work, lambda _: None).audit
    except MappingError as error:
        raise _misread(f"its mapping is not clear ({error.what})") from None
    except BenchauditError as error:
        raise _misread(f"it cannot be audited ({error})") from None
    meant = {
        key: tallies
        for key, tallies in problem.tallies(subset.kept).items()
        if next(iter(tallies.values())).n
    }
    found = {part.key: {check: part.checks[check].tally for check in problem.checks} for part in audit.slices}
    if audit.rows != subset.rows or found != meant:
        raise _misread(f"{audit.rows:,} rows are found where {subset.rows:,} were written, or other figures")
    return audit


def _misread(what: str) -> RenderError:
    return RenderError(
        f"the subset would not be read as it is meant: {what}",
        todo="name the mapping with --question, --options, --gold and --gold-encoding",
    )


def place(made: Path, out: Path) -> None:
    """Put what was made where it belongs; only what an earlier balance has written is written over.

    Nothing is deleted, so a folder with other data is refused. Raises SettingsError.
    """
    ours = {path.relative_to(made) for path in made.rglob("*") if path.is_file()}
    there = {path.relative_to(out) for path in (out / DATA).rglob("*") if path.is_file()}
    others = there - ours
    if not (out / FIGURES).is_file():
        others |= {path for path in ours if (out / path).exists()}
    if others:
        raise SettingsError(
            f"holds other data already ({min(others)})", where=f"--out {out}", todo="name a new folder"
        )
    try:
        for path in sorted(ours):
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made / path, out / path)
    except OSError as error:
        raise SettingsError(
            f"cannot be written ({error.strerror})", where=f"--out {out}", todo="name another folder"
        ) from None
