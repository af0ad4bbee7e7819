"""Clones: what is read of them, and what is said where that cannot be."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from benchaudit.cli import main
from benchaudit.settings import Settings
from benchaudit.sources import open_source
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


def test_a_clone_of_another_user_is_said_with_what_makes_git_trust_it(
    repo: DatasetRepo, monkeypatch, capsys
) -> None:
    """As in a container, whose workspace belongs to somebody on the host."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    # Somebody may trust all directories of this machine.
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    assert main(["audit", str(repo.path)], {}) == 3
    said = capsys.readouterr().err
    assert "belongs to another user" in said
    assert f"safe.directory {repo.path}" in said
    assert said.count("\n") == 1


def test_a_history_that_a_shallow_clone_cuts_is_not_one_that_was_rewritten(
    repo: DatasetRepo, tmp_path: Path
) -> None:
    seen = repo.head
    for data in (b"a,b\n", DATA):
        repo.commit("Change", {"test.csv": data})
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{repo.path}", str(shallow))
    cut, whole = (
        open_source(str(path), Settings(), tmp_path).history(seen, 9) for path in (shallow, repo.path)
    )
    assert (cut.found, cut.cut, len(cut.revisions)) == (False, True, 1)
    assert (whole.found, whole.cut, len(whole.revisions)) == (True, False, 2)

    gone = open_source(str(repo.path), Settings(), tmp_path).history("0" * 40, 9)
    assert (gone.found, gone.cut) == (False, False)


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


@pytest.mark.parametrize("mark", ["\u2028", "\x0c", "\x1c", "\x85", "\r"])
def test_a_title_may_hold_what_ends_a_line_elsewhere(tmp_path: Path, capsys, mark: str) -> None:
    """Git ends a line in one way only; a tag may hold some of these marks, too."""
    repo = DatasetRepo.create(tmp_path / "bench")
    repo.commit(f"Upload{mark}data", {"test.csv": DATA})
    if mark == "\u2028":
        git(repo.path, "tag", f"v1{mark}0")
    assert main(["history", str(repo.path), "--json", "-"], {}) == 0
    assert len(json.loads(capsys.readouterr().out)["revisions"]) == 1
    source = open_source(str(repo.path), Settings(), tmp_path)
    assert source.revision("").title.startswith("Upload")
    assert all(sha == source.refs().head for sha in (source.refs().tags or {}).values())


def test_how_people_like_their_log_changes_nothing(repo: DatasetRepo, capsys) -> None:
    """Signatures that are verified would stand between the commits."""
    (script := repo.path / "verify").write_text("#!/bin/sh\necho it is signed >&2\nexit 1\n")
    script.chmod(0o700)
    for name, value in (("log.showSignature", "true"), ("gpg.program", str(script))):
        git(repo.path, "config", name, value)
    tree, parent = (git(repo.path, "rev-parse", name).decode().strip() for name in ("main^{tree}", "main"))
    who = "A <a@example.invalid> 1767225600 +0000"
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    signed = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n{signature}\n\nSigned\n"
    sha = git(repo.path, "hash-object", "-t", "commit", "-w", "--stdin", stdin=signed.encode()).decode()
    git(repo.path, "update-ref", "refs/heads/main", sha.strip())
    assert main(["history", str(repo.path)], {}) == 0
    assert main(["audit", str(repo.path)], {}) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_the_version_of_git_does_not_change_a_byte(repo: DatasetRepo, tmp_path: Path, monkeypatch, capsys):
    """Up to 2.44 git writes the time of a commit in UTC with `+00:00`, and with `Z` from then on."""
    said = []
    (programs := tmp_path / "programs").mkdir()
    for wrote, writes in (("Z", "+00:00"), ("+00:00", "Z")):
        (script := programs / "git").write_text(
            f"#!/bin/sh\n'{shutil.which('git')}' \"$@\" | sed 's/{wrote}/{writes}/'\n"
        )
        script.chmod(0o700)
        with monkeypatch.context() as patch:
            patch.setenv("PATH", str(programs), prepend=os.pathsep)
            assert main(["audit", str(repo.path), "--json", "-"], {}) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert json.loads(said[0])["source"]["committed_at"].endswith("+00:00")


def test_a_hook_of_another_repository_does_not_change_what_is_read(
    repo: DatasetRepo, tmp_path: Path, monkeypatch, capsys
) -> None:
    """Git tells its hooks by these variables which repository they are run for."""
    other = DatasetRepo.create(tmp_path / "other")
    other.commit("Upload", {"other.csv": b"a,b\n1,2\n"})
    monkeypatch.setenv("GIT_DIR", str(other.path))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert main(["audit", str(repo.path), "--json", "-"], {}) == 0
    source = json.loads(capsys.readouterr().out)["source"]
    assert [file["path"] for file in source["files"]] == ["test.csv"]
