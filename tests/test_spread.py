"""Files read apart from each other make the entries that a count of all makes; `e2e` has real workers."""

from __future__ import annotations

import builtins
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchaudit import spread
from benchaudit.audit import audit_snapshot
from benchaudit.cluster import Crew
from benchaudit.errors import MappingError, SettingsError, SourceError, Unavailable
from benchaudit.models import Blob, Revision
from benchaudit.report.document import audit_document
from benchaudit.settings import Settings, settle
from benchaudit.sources.file import FileSource
from benchaudit.spread import Job, code_here, read_part

SECRETS = {"hf_token": "hf_secret", "github_token": "ghs_secret", "upstream_token": "ghs_other"}
# Rows that are read in SQL, rows that only the definition reads, and rows that are no items.
CERTAIN = "q{0},\"['x{0}', 'longer {0}']\",{1},{2}\n"
DEFINED = "q{0},\"['x{0}', 'longer {0} ']\",{1},{2}\n"
BROKEN = "q{0},\"['x', 'y'\",{1},{2}\n"


def csv_of(seed: int, rows: int = 24) -> str:
    kinds = [CERTAIN, DEFINED, CERTAIN, CERTAIN, BROKEN]
    lines = [kinds[(n + seed) % 5].format(100 * seed + n, n % 2, n % 3) for n in range(rows)]
    return "question,options,answer,kind\n" + "".join(lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four files of one benchmark."""
    data = tmp_path / "data"
    data.mkdir()
    for seed in range(4):
        (data / f"part-{seed}.csv").write_text(csv_of(seed), encoding="utf-8")
    return data


class Here(Crew):
    """Workers that are not apart, but for what a wire does to what it carries; the last file comes first."""

    jobs: list[tuple[Job, list[int]]]

    def each(self, function: Any, job: Any, numbers: Sequence[int]) -> Iterator[tuple[int, Any]]:
        self.jobs.append((job, list(numbers)))
        for number in reversed(numbers):
            carried = pickle.loads(pickle.dumps((function, job, number)))
            yield number, pickle.loads(pickle.dumps(carried[0](*carried[1:])))


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Job, list[int]]]:
    """What was asked of workers: the job and the numbers of its files."""
    found: list[tuple[Job, list[int]]] = []
    monkeypatch.setattr(Here, "jobs", found, raising=False)
    monkeypatch.setattr(spread, "Crew", Here)
    return found


def document(data: Path, work: Path, **given: str) -> Any:
    """The report of the files with these settings."""
    texts = {"slices": "kind,@file", "gold": "answer", "gold-encoding": "index0", **given}
    settings = settle([{name.replace("_", "-"): (text, f"--{name}") for name, text in texts.items()}])
    work.mkdir(exist_ok=True)
    source = FileSource(data)
    snapshot = source.snapshot(source.revision(""))
    return audit_document(audit_snapshot(source, snapshot, settings, work.resolve(), lambda _: None).audit)


def asked(jobs: list[tuple[Job, list[int]]]) -> list[tuple[str, bool, list[int]]]:
    """What was asked of workers, in short: which rows, whether the engine was trusted, of which files."""
    return [("all" if job.mapping else "first", job.trusting, numbers) for job, numbers in jobs]


def test_the_report_is_the_same(folder: Path, tmp_path: Path, jobs: list[Any]) -> None:
    plain = document(folder, tmp_path / "plain")
    assert jobs == []
    assert document(folder, tmp_path / "work", scheduler="local", **SECRETS) == plain
    assert asked(jobs) == [("first", True, [0, 1, 2, 3]), ("all", True, [0, 1, 2, 3])]
    assert plain["left_out"]["unreadable-options"]["sample"]


def test_no_token_goes_along(folder: Path, tmp_path: Path, jobs: list[Any]) -> None:
    document(folder, tmp_path / "work", scheduler="local", **SECRETS)
    sent = pickle.dumps([job for job, _ in jobs])
    assert jobs
    assert [secret for secret in SECRETS.values() if secret.encode() in sent] == []


def test_of_files_that_were_read_before_nothing_is_asked(
    folder: Path, tmp_path: Path, jobs: list[Any]
) -> None:
    cache = str(tmp_path / "cache")
    document(folder, tmp_path / "work", cache=cache)
    document(folder, tmp_path / "work", cache=cache, scheduler="local")
    assert asked(jobs) == [("first", True, []), ("all", True, [])]
    (folder / "part-2.csv").write_text(csv_of(20), encoding="utf-8")
    found = document(folder, tmp_path / "work", cache=cache, scheduler="local")
    assert asked(jobs[2:]) == [("first", True, [2]), ("all", True, [2])]
    assert found == document(folder, tmp_path / "plain")


def test_a_file_that_the_engine_gets_wrong_is_read_to_its_end(
    folder: Path, tmp_path: Path, jobs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All is done again without trust, as it is on one machine."""
    from benchaudit.counting import Counting
    from benchaudit.reading.engine import Refused

    real = Counting.keep_part

    def refuse(self: Counting, number: int, *arguments: Any, trusting: bool) -> Any:
        if number == 1 and trusting and arguments[1] is not None:
            raise Refused("other rows than there are")
        return real(self, number, *arguments, trusting=trusting)

    monkeypatch.setattr(Counting, "keep_part", refuse)
    found = document(folder, tmp_path / "work", scheduler="local")
    every = [0, 1, 2, 3]
    assert asked(jobs) == [(rows, trusting, every) for trusting in (True, False) for rows in ("first", "all")]
    assert found == document(folder, tmp_path / "plain")


def test_an_error_is_the_one_of_a_single_machine(folder: Path, tmp_path: Path, jobs: list[Any]) -> None:
    (folder / "part-3.csv").write_text("question,answer\nq,1\n", encoding="utf-8")
    said = []
    for given in ({}, {"scheduler": "local"}):
        with pytest.raises(MappingError) as error:
            document(folder, tmp_path / "work", **given)
        said.append(str(error.value))
    assert said[0] == said[1]
    assert [numbers for _, numbers in jobs] == [[0, 1, 2, 3], [0, 1, 2, 3]]


def test_one_file_is_read_here(folder: Path, tmp_path: Path, jobs: list[Any]) -> None:
    document(folder / "part-0.csv", tmp_path / "work", scheduler="local", slices="kind")
    assert jobs == []


def job_of(data: Path, **changed: Any) -> Job:
    source = FileSource(data)
    snapshot = source.snapshot(source.revision(""))
    return replace(
        Job(address=source.address, snapshot=snapshot, settings=Settings(), code=code_here()), **changed
    )


def test_a_worker_that_sees_another_file_says_so(folder: Path) -> None:
    job = job_of(folder)
    (folder / "part-1.csv").write_text(csv_of(7), encoding="utf-8")
    (folder / "part-2.csv").unlink()
    found = [read_part(job, number) for number in range(3)]
    assert [isinstance(result, SourceError) for result in found] == [False, True, True]
    assert str(found[1]).startswith("part-1.csv: is another file on a worker than here")
    assert str(found[2]).startswith("part-2.csv: is not there on a worker")
    assert isinstance(read_part(replace(job, address=str(folder / "nowhere")), 0), SourceError)


def test_a_worker_with_another_version_says_so(folder: Path) -> None:
    job = job_of(folder, code={**code_here(), "duckdb": "0.1"})
    found = read_part(job, 0)
    assert isinstance(found, SettingsError)
    assert "a worker has another duckdb than this side" in str(found)


def test_what_may_be_well_later_is_tried_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster tries again what was raised, and hands over what was returned."""

    def fail(self: FileSource, revision: Revision, blob: Blob) -> Path:
        raise Unavailable("the network is down")

    monkeypatch.setattr(FileSource, "fetch", fail)
    with pytest.raises(Unavailable):
        read_part(job_of(folder), 0)


def test_without_dask_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *arguments: Any, **more: Any) -> Any:
        if name == "distributed":
            raise ImportError(name)
        return real(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(SettingsError, match=r"benchaudit-action\[dask\]"):
        list(Crew("local").each(lambda _, number: number, None, [1]))


class Client:
    """The client of a cluster of which one worker knows nothing of this package."""

    def run(self, function: Any, name: str, *, on_error: str) -> dict[str, Any]:
        assert on_error == "return"
        gone: dict[str, Any] = {"tcp://a:3": OSError("gone")}
        return gone | {"tcp://a:1": function(name), "tcp://a:2": None}


def test_workers_without_the_package_are_given_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they could not read would end them, whoever else they work for."""
    crew = Crew("tcp://a:0")
    monkeypatch.setattr(crew, "_client", Client())
    with pytest.raises(SettingsError, match="not installed on 1 of 3 workers, as tcp://a:2"):
        crew._check()
