"""What was read of a file is never read again, and nothing that comes out tells whether it was."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchaudit import cache
from benchaudit.audit import Audited, audit_snapshot
from benchaudit.cache import KEPT_DAYS, Cache, name_of
from benchaudit.errors import SettingsError
from benchaudit.models import Blob, Revision
from benchaudit.pairing import pair_audits
from benchaudit.report.document import audit_document
from benchaudit.settings import settle
from benchaudit.sources.file import FileSource

_KEEP = Cache.keep


class Counted(FileSource):
    """Files that count how often they are fetched."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.fetched: list[str] = []

    def fetch(self, revision: Revision, blob: Blob) -> Path:
        self.fetched.append(blob.path)
        return super().fetch(revision, blob)


def csv_of(seed: int, rows: int = 30) -> str:
    lines = ["question,options,answer,kind,label\n"]
    for n in range(rows):
        texts = [f"a{seed}{n}", "b" * (n % 7 + 1), f"c {n}"]
        # Some rows are for the definition, some are left out.
        cell = ["", json.dumps([*texts, " d"]), repr(texts), repr(texts)][(n + seed) % 4].replace('"', '""')
        lines.append(f'q{seed}-{n},"{cell}",{n % 3},{n % 2},{seed}\n')
    return "".join(lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten files of one benchmark."""
    data = tmp_path / "data"
    data.mkdir()
    for seed in range(10):
        (data / f"part-{seed}.csv").write_text(csv_of(seed), encoding="utf-8")
    return data


def audited(data: Path, work: Path, cache: str = "", **given: str) -> tuple[Audited, list[str]]:
    """The audit of the files, and which of them were read for it."""
    texts = {"slices": "kind,@file", "gold-encoding": "index0", "cache": cache, **given}
    settings = settle([{name: (text, f"--{name}") for name, text in texts.items()}])
    source = Counted(data)
    work.mkdir(exist_ok=True)
    snapshot = source.snapshot(source.revision(""))
    found = audit_snapshot(source, snapshot, settings, work.resolve(), lambda _: None)
    return found, sorted(source.fetched)


def document(found: Audited) -> Any:
    return audit_document(found.audit)


def test_a_file_that_was_read_is_not_read_again(folder: Path, tmp_path: Path) -> None:
    plain, everything = audited(folder, tmp_path / "work")
    assert len(everything) == 10
    cache = str(tmp_path / "cache")
    for wanted in (everything, []):
        found, fetched = audited(folder, tmp_path / "work", cache)
        assert fetched == wanted
        assert document(found) == document(plain)


def test_of_changed_files_only_those_are_read(folder: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    before, _ = audited(folder, tmp_path / "old", cache)
    (folder / "part-3.csv").write_text(csv_of(30), encoding="utf-8")
    after, fetched = audited(folder, tmp_path / "new", cache)
    assert fetched == ["part-3.csv"]
    plain, _ = audited(folder, tmp_path / "plain")
    assert document(after) == document(plain)
    pairs = pair_audits(before, after, (tmp_path / "work-of-pairs").resolve())
    assert pairs == pair_audits(before, plain, (tmp_path / "work-of-pairs").resolve())
    assert pairs.rows["removed"] > 0


@pytest.mark.parametrize(
    "given",
    [{"slices": "label"}, {"gold-encoding": "index1"}, {"question": "kind"}, {"id": "question"}],
    ids=lambda given: next(iter(given)),
)
def test_what_figures_depend_on_is_told_apart(folder: Path, tmp_path: Path, given: dict[str, str]) -> None:
    cache = str(tmp_path / "cache")
    audited(folder, tmp_path / "work", cache)
    found, fetched = audited(folder, tmp_path / "work", cache, **given)
    assert len(fetched) == 10
    assert document(found) == document(audited(folder, tmp_path / "work", **given)[0])


@pytest.mark.parametrize("ending", ["head-*.json", "head-*.parquet", "rows-*.parquet"])
@pytest.mark.parametrize("content", [b"", b"{}", b"PAR1 nothing PAR1"])
def test_a_damaged_entry_costs_time_only(folder: Path, tmp_path: Path, ending: str, content: bytes) -> None:
    cache = tmp_path / "cache"
    plain, _ = audited(folder, tmp_path / "work", str(cache))
    damaged = sorted(cache.glob(ending))
    assert damaged
    damaged[0].write_bytes(content)
    for _ in range(3):
        found, fetched = audited(folder, tmp_path / "work", str(cache))
        assert document(found) == document(plain)
    assert fetched == []


def test_an_unused_entry_goes(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for name in ("old.json", "used.json"):
        cache.keep(name, lambda path: path.write_text("{}"))
        long_ago = time.time() - (KEPT_DAYS + 1) * 86_400
        os.utime(tmp_path / name, (long_ago, long_ago))
    assert cache.find("used.json") == tmp_path / "used.json"
    cache.keep("new.json", lambda path: path.write_text("{}"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.json", "used.json"]


def test_what_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        path.write_text("half")
        raise OSError

    cache = Cache(tmp_path)
    cache.keep("a.json", fail)
    assert (cache.find("a.json"), list(tmp_path.iterdir())) == (None, [])


def test_an_audit_whose_cache_cannot_be_written_goes_on(folder: Path, tmp_path: Path, monkeypatch) -> None:
    """As on a full disk, which the engine has an error of its own for: nothing is damaged, or done again."""
    monkeypatch.setattr(Cache, "keep", _keep_nowhere)
    monkeypatch.setattr(Cache, "forget", lambda _: pytest.fail("no entry is damaged"))
    found, _ = audited(folder, tmp_path / "work", str(tmp_path / "cache"))
    assert document(found) == document(audited(folder, tmp_path / "other")[0])


def _keep_nowhere(cache: Cache, name: str, write: Callable[[Path], object]) -> None:
    """Keep an entry where no folder is."""
    _KEEP(cache, f"gone/{name}", write)


def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="cache"):
        Cache(tmp_path / "file" / "cache")


def test_names_tell_parts_apart() -> None:
    names = {name_of("rows", parts) for parts in (["ab", "c"], ["a", "bc"], ["ab", ["c"]], [{"ab": "c"}])}
    assert len(names) == 4


def test_another_engine_finds_nothing_of_this_one(monkeypatch):
    """Narrow rows hold hashes that are its own."""
    names = []
    for number in ("1.0", "2.0"):
        monkeypatch.setattr(cache, "version", lambda _, number=number: number)
        cache.code_digest.cache_clear()
        names.append(cache.name_of("rows", []))
    cache.code_digest.cache_clear()
    assert len(set(names)) == 2
