"""Clones: what is read of them, and what is said where that cannot be."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from benchaudit.cli import main
from tests.e2e.quiz import leaky, with_distractors
from tests.loopback.repos import DatasetRepo, git

DATA = with_distractors(leaky())


@pytest.fixture
def repo(tmp_path: Path) -> DatasetRepo:
    """A dataset of one commit."""
    repo = DatasetRepo.create(tmp_path / "bench")
    repo.commit("Upload", {"test.csv": DATA})
    return repo


def test_an_object_of_large_file_storage_is_read_from_the_clone(repo: DatasetRepo, capsys) -> None:
    """Where `git lfs pull` has put it; its commit holds a pointer."""
    main(["audit", str(repo.path), "--json", "-"], {})
    plain = json.loads(capsys.readouterr().out)
    digest = hashlib.sha256(DATA).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(DATA)}\n"
    repo.commit("To large file storage", {"test.csv": pointer.encode()})
    stored = repo.path / "lfs" / "objects" / digest[:2] / digest[2:4] / digest

    assert main(["audit", str(repo.path)], {}) == 3
    assert "git lfs pull" in capsys.readouterr().err
    stored.parent.mkdir(parents=True)
    stored.write_bytes(DATA)
    assert main(["audit", str(repo.path), "--json", "-"], {}) == 0
    assert json.loads(capsys.readouterr().out)["slices"] == plain["slices"]


def test_without_git_a_clone_is_one_line(repo: DatasetRepo, monkeypatch, capsys) -> None:
    monkeypatch.setenv("PATH", "")
    assert main(["audit", str(repo.path)], {}) == 3
    assert capsys.readouterr().err == "benchaudit: git is not installed - install git, or name a file\n"


@pytest.mark.parametrize("revision", ["v1", "main~1", "0123abc", "--all"])
def test_a_revision_that_is_not_there_is_one_line(repo: DatasetRepo, capsys, revision: str) -> None:
    assert main(["audit", f"{repo.path}@{revision}"], {}) == 3
    said = capsys.readouterr().err
    assert f"has no revision {revision!r}" in said
    assert said.count("\n") == 1


def test_an_object_that_is_lost_is_what_git_says(repo: DatasetRepo, capsys) -> None:
    oid = git(repo.path, "rev-parse", "main:test.csv").decode().strip()
    git(repo.path, "unpack-objects", "-q", stdin=git(repo.path, "pack-objects", "--all", "--stdout", "-q"))
    (lost,) = repo.path.glob(f"objects/{oid[:2]}/{oid[2:]}")
    lost.chmod(0o600)
    lost.write_bytes(b"")
    assert main(["audit", str(repo.path)], {}) == 3
    said = capsys.readouterr().err
    assert str(repo.path) in said
    assert "check that it is a git repository" in said
