"""The loopback Hub, judged by the real client and by what git says of the same repository.

The client reads `HF_ENDPOINT` at import, so every `*_calls` function below runs in a process of its
own: it gives what the client made of the answers, as JSON.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from .base import Fault, status
from .hub import Hub, HubDataset, rate_limited
from .repos import FIRST_COMMIT, DatasetRepo, git, log

NAME = "owner/name"
TOKEN = "hf_reader"
README = b"# Name\n"
CSV = "data/té st.csv"
CSV_TEXT = b"question,answer\nWhy?,Because\n"
BIG = "data/big.parquet"
BIG_BYTES = bytes(range(256)) * 40
ROOT = Path(__file__).resolve().parents[2]


def ask(calls: Callable[[], Any], hub: Hub, home: Path, token: str | None = None) -> Any:
    """What `calls` gives in a process that has this Hub and nothing of ours."""
    program = f"import json, {calls.__module__} as here; print(json.dumps(here.{calls.__name__}()))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=hub.environment(home, token),
        stdout=subprocess.PIPE,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def error_of(call: Callable[[], object]) -> dict[str, Any]:
    """The class, status and text of the error that a call of the client raises."""
    from huggingface_hub.errors import HfHubHTTPError

    try:
        call()
    except HfHubHTTPError as error:
        return {"class": type(error).__name__, "status": error.response.status_code, "text": str(error)}
    return {"class": None}


@dataclass(frozen=True, slots=True)
class Plain:
    """An answer without any client in between: headers in the case in which they came."""

    status: int
    headers: dict[str, str]
    body: bytes


def fetch(url: str, method: str = "GET", **headers: str) -> Plain:
    """One request; redirects are not followed."""
    host, _, path = url.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host, timeout=30)
    try:
        connection.request(method, f"/{path}", headers=headers)
        answer = connection.getresponse()
        return Plain(answer.status, dict(answer.getheaders()), answer.read())
    finally:
        connection.close()


def lfs_pointer(content: bytes) -> bytes:
    """The text that stands in git for a file in LFS, as its specification has it."""
    lines = [
        "version https://git-lfs.github.com/spec/v1",
        f"oid sha256:{hashlib.sha256(content).hexdigest()}",
        f"size {len(content)}",
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def blob_id(content: bytes) -> str:
    """Git's id of a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def sample(path: Path) -> DatasetRepo:
    """Five commits on main, a branch, two kinds of tags, a pull request and a conversion."""
    repo = DatasetRepo.create(path)
    repo.commit("Upload", {"README.md": README, CSV: b"question,answer\n"}, message="All of it.\n\nToday.")
    repo.tag("v1")
    repo.tag("v1-signed-off", message="The first release")
    repo.commit("Add parquet", {BIG: BIG_BYTES})
    repo.branch("dev")
    repo.commit("Work", {"dev.txt": b"dev\n"}, branch="dev")
    repo.branch("refs/pr/1")
    repo.commit("Propose", {"README.md": b"# Better\n"}, branch="refs/pr/1")
    repo.commit("Convert", {"default/test.parquet": b"PAR1"}, branch="refs/convert/parquet")
    repo.commit("Add old", {"old.csv": b"a\n"})
    repo.commit("Remove old", {"old.csv": None})
    repo.commit("Answer", {CSV: CSV_TEXT})
    return repo


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> DatasetRepo:
    """The repository of the tests that only read."""
    return sample(tmp_path_factory.mktemp("repo") / "dataset.git")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A Hub with a repository of its own, for a test that changes it."""
    dataset = HubDataset(sample(tmp_path / "dataset.git").path, lfs=frozenset({"*.parquet"}), token=TOKEN)
    with Hub({NAME: dataset}) as running:
        yield running


# What the client reads without any file's content.


def reading_calls() -> dict[str, Any]:
    from huggingface_hub import HfApi

    api = HfApi()
    sha = api.dataset_info(NAME).sha
    assert sha is not None
    revisions = {
        "main": "main",
        "dev": "dev",
        "v1": "v1",
        "v1-signed-off": "v1-signed-off",
        "refs/pr/1": "refs/pr/1",
        "refs/convert/parquet": "refs/convert/parquet",
        "full id": sha,
        "short id": sha[:8],
    }
    info = api.dataset_info(NAME, files_metadata=True)
    refs = api.list_repo_refs(NAME, repo_type="dataset", include_pull_requests=True)
    tree: dict[str, Any] = {"repo_id": NAME, "repo_type": "dataset"}
    commits = api.list_repo_commits(NAME, repo_type="dataset", revision="v1-signed-off")
    return {
        "shas": {
            label: api.dataset_info(NAME, revision=revision).sha for label, revision in revisions.items()
        },
        "info": {
            "id": info.id,
            "access": [info.private, info.gated, info.disabled],
            "modified": str(info.last_modified),
            "siblings": {s.rfilename: [s.blob_id, s.lfs and s.lfs.sha256] for s in info.siblings or []},
        },
        "only sha": vars(api.dataset_info(NAME, expand=["sha"])),
        "refs": {
            kind: [[ref.name, ref.ref, ref.target_commit] for ref in getattr(refs, kind)]
            for kind in ("branches", "tags", "converts", "pull_requests")
        },
        "top": [entry.path for entry in api.list_repo_tree(**tree)],
        "folder": [entry.path for entry in api.list_repo_tree(**tree, path_in_repo="data")],
        "all": [_entry(entry) for entry in api.list_repo_tree(**tree, recursive=True)],
        "expanded": [_entry(entry) for entry in api.list_repo_tree(**tree, recursive=True, expand=True)],
        "paths info": [
            entry.path for entry in api.get_paths_info(NAME, [CSV, "data", "gone"], repo_type="dataset")
        ],
        "history": [c.commit_id for c in api.list_repo_commits(NAME, repo_type="dataset")],
        "first commit": [[c.title, c.message, str(c.created_at), c.authors] for c in commits],
    }


def _entry(entry: Any) -> dict[str, Any]:
    lfs = getattr(entry, "lfs", None)
    return {
        "path": entry.path,
        "id": getattr(entry, "blob_id", None) or entry.tree_id,
        "size": getattr(entry, "size", None),
        "lfs": lfs and [lfs.sha256, lfs.size, lfs.pointer_size],
        "last": entry.last_commit and entry.last_commit.title,
    }


@pytest.fixture(scope="module")
def reading(repo: DatasetRepo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Hub]]:
    """What the client read from a Hub with two entries a page, and that Hub."""
    dataset = HubDataset(repo.path, lfs=frozenset({"*.parquet"}))
    with Hub({NAME: dataset}, page_size=2) as hub:
        yield ask(reading_calls, hub, tmp_path_factory.mktemp("home")), hub


@pytest.mark.parametrize(
    ("label", "in_git"),
    [
        ("main", "refs/heads/main"),
        ("dev", "refs/heads/dev"),
        ("v1", "refs/tags/v1"),
        ("v1-signed-off", "refs/tags/v1"),
        ("refs/pr/1", "refs/pr/1"),
        ("refs/convert/parquet", "refs/convert/parquet"),
        ("full id", "refs/heads/main"),
        ("short id", "refs/heads/main"),
    ],
)
def test_a_revision_is_the_commit_that_git_names(
    label: str, in_git: str, repo: DatasetRepo, reading: tuple[Any, Hub]
) -> None:
    assert reading[0]["shas"][label] == git(repo.path, "rev-parse", in_git).decode().strip()


def test_info_gives_access_date_and_files(reading: tuple[Any, Hub]) -> None:
    info = reading[0]["info"]
    assert info["id"] == NAME
    assert info["access"] == [False, False, False]
    assert info["modified"] == "2026-01-01 00:07:00+00:00"
    assert info["siblings"] == {
        "README.md": [blob_id(README), None],
        CSV: [blob_id(CSV_TEXT), None],
        BIG: [blob_id(lfs_pointer(BIG_BYTES)), hashlib.sha256(BIG_BYTES).hexdigest()],
    }


def test_info_can_be_cut_down_to_the_id_of_the_commit(repo: DatasetRepo, reading: tuple[Any, Hub]) -> None:
    cut_down = {key: value for key, value in reading[0]["only sha"].items() if value is not None}
    assert cut_down == {"id": NAME, "sha": repo.head}


def test_refs_are_kept_apart(repo: DatasetRepo, reading: tuple[Any, Hub]) -> None:
    named = {
        kind: [
            name for name, ref, sha in refs if sha == git(repo.path, "rev-parse", f"{ref}^0").decode().strip()
        ]
        for kind, refs in reading[0]["refs"].items()
    }
    assert named == {
        "branches": ["dev", "main"],
        "tags": ["v1", "v1-signed-off"],
        "converts": ["parquet"],
        "pull_requests": ["1"],
    }


def test_a_tree_is_one_level_deep_unless_recursive(reading: tuple[Any, Hub]) -> None:
    told, _ = reading
    assert told["top"] == ["README.md", "data"]
    assert told["folder"] == [BIG, CSV]
    assert [entry["path"] for entry in told["all"]] == ["README.md", "data", BIG, CSV]


def test_tree_ids_are_gits_and_lfs_has_its_own(repo: DatasetRepo, reading: tuple[Any, Hub]) -> None:
    entries = {entry["path"]: entry for entry in reading[0]["all"]}
    pointer = lfs_pointer(BIG_BYTES)
    assert entries["data"]["id"] == git(repo.path, "rev-parse", "main:data").decode().strip()
    assert entries[CSV] | {"last": None} == {
        "path": CSV,
        "id": blob_id(CSV_TEXT),
        "size": len(CSV_TEXT),
        "lfs": None,
        "last": None,
    }
    assert entries[BIG]["id"] == blob_id(pointer)
    assert entries[BIG]["lfs"] == [hashlib.sha256(BIG_BYTES).hexdigest(), len(BIG_BYTES), len(pointer)]


def test_expand_adds_the_last_commit_that_touched_a_path(reading: tuple[Any, Hub]) -> None:
    told, _ = reading
    assert {entry["path"]: entry["last"] for entry in told["expanded"]} == {
        "README.md": "Upload",
        "data": "Answer",
        BIG: "Add parquet",
        CSV: "Answer",
    }
    assert all(entry["last"] is None for entry in told["all"])


def test_paths_info_leaves_out_what_is_not_there(reading: tuple[Any, Hub]) -> None:
    assert sorted(reading[0]["paths info"]) == ["data", CSV]


def test_commits_come_newest_first(repo: DatasetRepo, reading: tuple[Any, Hub]) -> None:
    told, _ = reading
    assert told["history"] == git(repo.path, "rev-list", "main").decode().split()
    assert told["first commit"] == [
        ["Upload", "All of it.\n\nToday.", "2026-01-01 00:00:00+00:00", ["Dataset Author"]]
    ]


def test_lists_come_in_pages(reading: tuple[Any, Hub]) -> None:
    _, hub = reading
    pages = [seen.query for seen in hub.api_calls if seen.path == f"/api/datasets/{NAME}/commits/main"]
    assert pages == ["", "p=1", "p=2"]
    cursors = [seen.query for seen in hub.api_calls if "recursive=true&expand=false" in seen.query]
    assert cursors == ["recursive=true&expand=false", "recursive=true&expand=false&cursor=1"]


def test_reading_about_files_sends_none_of_them(reading: tuple[Any, Hub]) -> None:
    assert reading[1].data_bytes == 0


def test_the_clients_own_probe_is_no_call_of_the_program(reading: tuple[Any, Hub]) -> None:
    _, hub = reading
    probes = [seen for seen in hub.seen if seen not in hub.api_calls]
    assert {seen.path for seen in probes} == {"/api/agent-harnesses"}


# What the client makes of files.


def content_calls() -> dict[str, Any]:
    from huggingface_hub import HfFileSystem, hf_hub_download

    plain, big = (Path(hf_hub_download(NAME, name, repo_type="dataset")) for name in (CSV, BIG))
    ranges = {}
    for name in (CSV, BIG):
        with HfFileSystem().open(f"datasets/{NAME}/{name}", block_size=8) as file:
            file.seek(5)
            ranges[name] = file.read(7).hex()
    return {"plain": plain.read_bytes().hex(), "big": big.read_bytes().hex(), "ranges": ranges}


@pytest.fixture(scope="module")
def content(repo: DatasetRepo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Hub]]:
    """What the client downloaded with a token, from a gated dataset, and the Hub it came from."""
    dataset = HubDataset(repo.path, lfs=frozenset({"*.parquet"}), gated="auto", token=TOKEN)
    with Hub({NAME: dataset}) as hub:
        yield ask(content_calls, hub, tmp_path_factory.mktemp("home"), TOKEN), hub


def test_downloads_give_the_same_bytes(content: tuple[Any, Hub]) -> None:
    told, _ = content
    assert bytes.fromhex(told["plain"]) == CSV_TEXT
    assert bytes.fromhex(told["big"]) == BIG_BYTES


def test_a_part_of_a_file_can_be_read(content: tuple[Any, Hub]) -> None:
    told, _ = content
    assert bytes.fromhex(told["ranges"][CSV]) == CSV_TEXT[5:12]
    assert bytes.fromhex(told["ranges"][BIG]) == BIG_BYTES[5:12]


def test_every_byte_of_content_is_counted_on_both_servers(content: tuple[Any, Hub]) -> None:
    _, hub = content
    # Each file once as a whole, and of each a part: the seven bytes asked for and what is read ahead.
    for sent, content_length in ((hub.sent, len(CSV_TEXT)), (hub.cdn.sent, len(BIG_BYTES))):
        assert content_length + 7 <= sent < 2 * content_length
    assert hub.data_bytes == hub.sent + hub.cdn.sent


def test_only_the_hub_is_sent_the_token(content: tuple[Any, Hub]) -> None:
    _, hub = content
    assert {seen.authorization for seen in hub.api_calls} == {f"Bearer {TOKEN}"}
    assert hub.cdn.seen
    assert hub.cdn_tokens == []


# What the client makes of errors.


def error_calls() -> dict[str, Any]:
    from functools import partial

    from huggingface_hub import HfApi, hf_hub_download

    api = HfApi()
    info, download = api.dataset_info, partial(hf_hub_download, repo_type="dataset")
    tree = partial(api.list_repo_tree, repo_type="dataset")
    other: dict[str, Any] = {"token": "hf_auditor"}
    let_in: dict[str, Any] = {"token": TOKEN}
    calls: dict[str, Callable[[], object]] = {
        "missing": lambda: info("owner/missing"),
        "missing, signed in": lambda: info("owner/missing", **other),
        "private": lambda: info("owner/private"),
        "private, signed in": lambda: info("owner/private", **other),
        "private, let in": lambda: info("owner/private", **let_in),
        "gated info": lambda: info("owner/gated"),
        "gated tree": lambda: list(tree("owner/gated")),
        "gated file": lambda: download("owner/gated", "README.md"),
        "gated file, signed in": lambda: download("owner/gated", "README.md", **other),
        "gated file, let in": lambda: download("owner/gated", "README.md", **let_in),
        "unknown token": lambda: info(NAME, token="hf_stale"),
        "disabled": lambda: info("owner/disabled"),
        "revision": lambda: info(NAME, revision="gone"),
        "expression": lambda: info(NAME, revision="main~1"),
        "file": lambda: download(NAME, "gone.csv"),
        "folder": lambda: list(tree(NAME, path_in_repo="gone")),
        "rate": lambda: info("owner/rate"),
        "401 of a proxy": lambda: info("owner/proxy"),
    }
    errors = {label: error_of(call) for label, call in calls.items()}
    errors["renamed"] = {"id": info("owner/old").id, "file": Path(download("owner/old", "README.md")).name}
    return errors


@pytest.fixture(scope="module")
def errors(repo: DatasetRepo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """What the client raised, by the name of the situation."""
    datasets = {
        NAME: HubDataset(repo.path),
        "owner/private": HubDataset(repo.path, private=True, token=TOKEN),
        "owner/gated": HubDataset(repo.path, gated="manual", token=TOKEN),
        "owner/disabled": HubDataset(repo.path, disabled=True),
        "owner/old": HubDataset(repo.path),
    }
    faults = [
        Fault(matches=lambda request: request.path.endswith("/rate"), before=rate_limited(55)),
        Fault(matches=lambda request: request.path.endswith("/proxy"), before=status(401)),
    ]
    with Hub(datasets, faults=faults) as hub:
        hub.rename("owner/old", "owner/new")
        yield ask(error_calls, hub, tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize(
    ("situation", "class_", "code"),
    [
        ("missing", "RepositoryNotFoundError", 401),
        ("missing, signed in", "RepositoryNotFoundError", 404),
        ("private", "RepositoryNotFoundError", 401),
        ("private, signed in", "RepositoryNotFoundError", 404),
        ("gated tree", "GatedRepoError", 401),
        ("gated file", "GatedRepoError", 401),
        ("gated file, signed in", "GatedRepoError", 403),
        ("unknown token", "HfHubHTTPError", 401),
        ("disabled", "DisabledRepoError", 403),
        ("revision", "RevisionNotFoundError", 404),
        ("expression", "RevisionNotFoundError", 404),
        ("file", "RemoteEntryNotFoundError", 404),
        ("folder", "RemoteEntryNotFoundError", 404),
        ("rate", "HfHubHTTPError", 429),
        ("401 of a proxy", "HfHubHTTPError", 401),
    ],
)
def test_an_error_is_the_clients_own(situation: str, class_: str, code: int, errors: Any) -> None:
    assert (errors[situation]["class"], errors[situation]["status"]) == (class_, code)


@pytest.mark.parametrize("situation", ["private, let in", "gated info", "gated file, let in"])
def test_what_may_be_seen_is_no_error(situation: str, errors: Any) -> None:
    assert errors[situation]["class"] is None


def test_a_rate_limit_says_how_long_it_lasts(errors: Any) -> None:
    assert "Retry after 55 seconds" in errors["rate"]["text"]


def test_a_renamed_dataset_leads_to_its_new_name(errors: Any) -> None:
    assert errors["renamed"] == {"id": "owner/new", "file": "README.md"}


# Discussions.


def discussion_calls() -> dict[str, Any]:
    from huggingface_hub import HfApi

    mine, theirs = HfApi(token="hf_auditor"), HfApi(token=TOKEN)
    here: dict[str, Any] = {"repo_id": NAME, "repo_type": "dataset"}
    there: dict[str, Any] = {"repo_id": "owner/quiet", "repo_type": "dataset"}
    locked: dict[str, Any] = {"repo_id": "owner/locked", "repo_type": "dataset"}
    for number in range(3):
        mine.create_discussion(**here, title=f"Mine {number}", description="First")
    num = theirs.create_discussion(**here, title="Theirs", description="Hello").num
    comment = mine.comment_discussion(**here, discussion_num=1, comment="Second")
    edited = mine.edit_discussion_comment(
        **here, discussion_num=1, comment_id=comment.id, new_content="Better"
    )
    mine.change_discussion_status(**here, discussion_num=1, new_status="closed", comment="Done")
    details = mine.get_discussion_details(**here, discussion_num=1)
    proposed = mine.get_discussion_details(**locked, discussion_num=1)
    reading = HfApi(token="hf_reading")
    listed = {
        "by me": mine.get_repo_discussions(**here, author="auditor"),
        "mine and open": mine.get_repo_discussions(**here, author="auditor", discussion_status="open"),
        "all": mine.get_repo_discussions(**here),
        "pull requests": mine.get_repo_discussions(**locked, discussion_type="pull_request"),
        "no pull requests": mine.get_repo_discussions(**locked, discussion_type="discussion"),
    }
    edit: dict[str, Any] = {"discussion_num": 1, "comment_id": comment.id, "new_content": "?"}
    return {
        "account": mine.whoami()["name"],
        "edited": [comment.id == edited.id, edited.edited, edited.content],
        "details": [details.status, details.author, [event.type for event in details.events]],
        "listed": {label: [found.title for found in each] for label, each in listed.items()},
        "edit of another's": error_of(lambda: theirs.edit_discussion_comment(**here, **edit)),
        "close another's": error_of(
            lambda: mine.change_discussion_status(**here, discussion_num=num, new_status="closed")
        ),
        "no account": error_of(lambda: HfApi(token=False).create_discussion(**here, title="Nobody")),
        "missing": error_of(lambda: mine.get_discussion_details(**here, discussion_num=99)),
        "no discussions": error_of(lambda: mine.create_discussion(**there, title="Quiet")),
        "reading token": error_of(lambda: reading.create_discussion(**here, title="Reading")),
        "short title": error_of(lambda: mine.create_discussion(**here, title="No")),
        "long title": error_of(lambda: mine.create_discussion(**here, title="No" * 101)),
        "empty comment": error_of(lambda: mine.comment_discussion(**here, discussion_num=2, comment=" ")),
        "closed twice": error_of(
            lambda: mine.change_discussion_status(**here, discussion_num=1, new_status="closed")
        ),
        "locked": error_of(lambda: mine.comment_discussion(**locked, discussion_num=1, comment="Hello")),
        "roles": [api.whoami()["auth"]["accessToken"]["role"] for api in (mine, reading)],
        "proposed": [
            proposed.is_pull_request,
            proposed.git_reference,
            proposed.status,
            proposed.target_branch,
        ],
    }


@pytest.fixture(scope="module")
def discussing(repo: DatasetRepo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Hub]]:
    """What the client made of discussions, and the Hub that holds them."""
    datasets = {
        NAME: HubDataset(repo.path, token=TOKEN),
        "owner/quiet": HubDataset(repo.path, discussions_enabled=False),
        "owner/locked": HubDataset(repo.path),
    }
    users = {"hf_auditor": "auditor", "hf_reading": "auditor"}
    datasets["owner/locked"].discuss("Add rows", "somebody", "Here.", pull_request=True).locked = True
    datasets["owner/locked"].discuss("Thanks", "somebody", "For the rows.")
    with Hub(datasets, page_size=2, users=users, read_only={"hf_reading"}) as hub:
        yield ask(discussion_calls, hub, tmp_path_factory.mktemp("home")), hub


def test_a_discussion_is_kept_as_it_was_written(discussing: tuple[Any, Hub]) -> None:
    told, hub = discussing
    assert told["account"] == "auditor"
    assert told["edited"] == [True, True, "Better"]
    assert told["details"] == ["closed", "auditor", ["comment", "comment", "comment", "status-change"]]
    assert hub.datasets[NAME].discussions[0].comments == ["First", "Better", "Done"]
    assert hub.writes == ["open"] * 4 + ["comment 1", "edit 1", "status 1"]


def test_a_pull_request_is_a_discussion_of_its_own_kind(discussing: tuple[Any, Hub]) -> None:
    told, _ = discussing
    assert told["proposed"] == [True, "refs/pr/1", "open", "refs/heads/main"]
    assert told["roles"] == ["write", "read"]


def test_discussions_are_listed_by_author_and_status(discussing: tuple[Any, Hub]) -> None:
    assert discussing[0]["listed"] == {
        "by me": ["Mine 2", "Mine 1", "Mine 0"],
        "mine and open": ["Mine 2", "Mine 1"],
        "all": ["Theirs", "Mine 2", "Mine 1", "Mine 0"],
        "pull requests": ["Add rows"],
        "no pull requests": ["Thanks"],
    }


@pytest.mark.parametrize(
    ("situation", "code"),
    [
        ("edit of another's", 403),
        ("close another's", 403),
        ("no account", 401),
        ("missing", 404),
        ("no discussions", 403),
        ("reading token", 403),
        ("short title", 400),
        ("long title", 400),
        ("empty comment", 400),
        ("closed twice", 400),
        ("locked", 403),
    ],
)
def test_a_discussion_can_be_refused(situation: str, code: int, discussing: tuple[Any, Hub]) -> None:
    assert discussing[0][situation]["status"] == code


# What the client hides, and what changes while the server runs.


def sha_of(hub: Hub, revision: str) -> str | None:
    """The commit that the Hub finds for a revision, None if it finds none."""
    answer = fetch(f"{hub.url}/api/datasets/{NAME}/revision/{revision}")
    return json.loads(answer.body)["sha"] if answer.status == 200 else None


def test_a_new_commit_shows_at_once(hub: Hub) -> None:
    repo = DatasetRepo(hub.datasets[NAME].repo)
    new = repo.commit("More", {"more.csv": b"more\n"})
    assert sha_of(hub, "main") == new


def test_squashed_history_is_gone_and_its_files_are_the_same(hub: Hub) -> None:
    repo = DatasetRepo(hub.datasets[NAME].repo)
    old, old_tree = repo.head, fetch(f"{hub.url}/api/datasets/{NAME}/tree/main?recursive=true").body
    new = repo.squash("Squashed")
    assert git(repo.path, "cat-file", "-t", old) == b"commit\n"
    assert (sha_of(hub, old), sha_of(hub, old[:8]), sha_of(hub, "main")) == (None, None, new)
    assert len(json.loads(fetch(f"{hub.url}/api/datasets/{NAME}/commits/main").body)) == 1
    assert fetch(f"{hub.url}/api/datasets/{NAME}/tree/main?recursive=true").body == old_tree


@pytest.mark.parametrize("revision", ["main~1", "main%5E", "%40", "--all", "main:data", "abcdef0", ""])
def test_no_other_spelling_of_gits_is_a_revision(revision: str, hub: Hub) -> None:
    assert sha_of(hub, revision) is None


def test_a_rename_redirects_every_request_to_a_relative_address(hub: Hub) -> None:
    hub.rename(NAME, "owner/new")
    answers = [
        fetch(f"{hub.url}/api/datasets/{NAME}/tree/refs%2Fpr%2F1/data?expand=true"),
        fetch(f"{hub.url}/datasets/{NAME}/resolve/main/README.md", "HEAD"),
    ]
    assert [(answer.status, answer.headers["Location"]) for answer in answers] == [
        (307, "/api/datasets/owner/new/tree/refs%2Fpr%2F1/data?expand=true"),
        (307, "/datasets/owner/new/resolve/main/README.md"),
    ]


def test_a_dataset_can_be_gated_and_disabled_while_it_is_served(hub: Hub) -> None:
    file = f"{hub.url}/datasets/{NAME}/resolve/main/README.md"
    before = fetch(file).status
    hub.datasets[NAME].gated = "manual"
    gated = fetch(file)
    hub.datasets[NAME].disabled = True
    disabled = fetch(file)
    assert before == 200
    assert (gated.status, gated.headers["X-Error-Code"]) == (401, "GatedRepo")
    assert (disabled.status, "X-Error-Code" in disabled.headers) == (403, False)


def test_the_default_branch_can_have_another_name(hub: Hub, tmp_path: Path) -> None:
    repo = DatasetRepo.create(tmp_path / "other.git", default_branch="trunk")
    sha = repo.commit("Upload", {"a.csv": b"a\n"})
    hub.datasets[NAME] = HubDataset(repo.path, default_branch="trunk")
    assert json.loads(fetch(f"{hub.url}/api/datasets/{NAME}").body)["sha"] == sha
    assert (sha_of(hub, "HEAD"), sha_of(hub, "main")) == (sha, None)


def test_a_clone_with_a_working_tree_is_served_like_its_origin(hub: Hub, tmp_path: Path) -> None:
    clone = DatasetRepo(hub.datasets[NAME].repo).clone(tmp_path / "clone")
    hub.datasets["owner/clone"] = HubDataset(clone, lfs=frozenset({"*.parquet"}))
    ask = "tree/main?recursive=true&expand=true"
    trees = [fetch(f"{hub.url}/api/datasets/{name}/{ask}").body for name in (NAME, "owner/clone")]
    assert trees[0] == trees[1]


def test_what_a_clone_keeps_of_its_origin_is_not_served(hub: Hub, tmp_path: Path) -> None:
    origin = DatasetRepo(hub.datasets[NAME].repo)
    clone = origin.clone(tmp_path / "clone")
    DatasetRepo(clone).branch("main", "main~1")
    hub.datasets[NAME] = HubDataset(clone)
    refs = json.loads(fetch(f"{hub.url}/api/datasets/{NAME}/refs").body)
    assert git(clone, "rev-parse", "refs/remotes/origin/main").decode().strip() == origin.head
    assert sha_of(hub, origin.head) is None
    assert [ref["name"] for ref in refs["branches"]] == ["main"]


def test_a_link_can_name_another_host_and_come_in_any_case(hub: Hub) -> None:
    hub.page_size, hub.link_origin, hub.link_header = 2, hub.cdn.url, "lINK"
    answer = fetch(f"{hub.url}/api/datasets/{NAME}/commits/main?x=1&x=2")
    assert answer.headers["lINK"] == (
        f'<{hub.cdn.url}/api/datasets/{NAME}/commits/main?x=1&x=2&p=1>; rel="next"'
    )


def test_a_caller_can_ask_for_shorter_pages(hub: Hub) -> None:
    answer = fetch(f"{hub.url}/api/datasets/{NAME}/commits/main?limit=3&p=1")
    assert len(json.loads(answer.body)) == 2
    assert "Link" not in answer.headers


def test_a_plain_file_has_the_headers_that_the_client_goes_by(hub: Hub) -> None:
    file = f"{hub.url}/datasets/{NAME}/resolve/v1/README.md"
    head, part = fetch(file, "HEAD"), fetch(file, Range="bytes=2-3")
    assert {
        key: head.headers[key] for key in ("ETag", "Content-Length", "Accept-Ranges", "X-Repo-Commit")
    } == {
        "ETag": f'"{blob_id(README)}"',
        "Content-Length": "7",
        "Accept-Ranges": "bytes",
        "X-Repo-Commit": sha_of(hub, "v1"),
    }
    assert (part.status, part.headers["Content-Range"], part.body) == (206, "bytes 2-3/7", b"Na")
    assert hub.data_bytes == 2


def test_a_range_beyond_the_end_is_refused(hub: Hub) -> None:
    answer = fetch(f"{hub.url}/datasets/{NAME}/resolve/main/README.md", Range="bytes=99-")
    assert (answer.status, answer.headers["Content-Range"]) == (416, "bytes */7")
    assert hub.data_bytes == 0


def test_an_lfs_file_is_on_the_other_server_once_the_hub_has_led_there(hub: Hub) -> None:
    sha256 = hashlib.sha256(BIG_BYTES).hexdigest()
    there = f"{hub.cdn.url}/{sha256}"
    before = fetch(there).status
    lead = fetch(f"{hub.url}/datasets/{NAME}/resolve/main/{BIG}", "HEAD")
    after = fetch(there, Authorization="Bearer leaked", Range="bytes=-3")
    assert before == 404
    assert (lead.status, lead.headers["Location"]) == (302, there)
    assert lead.headers["X-Linked-Etag"] == f'"{sha256}"'
    assert lead.headers["X-Linked-Size"] == str(len(BIG_BYTES)) != lead.headers["Content-Length"]
    assert after.body == BIG_BYTES[-3:]
    assert (hub.data_bytes, hub.cdn_tokens) == (3, ["Bearer leaked"])


def test_a_program_gets_none_of_the_callers_own_settings(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "https_proxy", "HF_TOKEN", "HF_HUB_OFFLINE", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    added = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    environment = hub.environment(tmp_path)
    assert {name: value for name, value in environment.items() if os.environ.get(name) != value} == added
    assert "http://127.0.0.1:1" not in environment.values()
    assert hub.environment(tmp_path, TOKEN) == environment | {"HF_TOKEN": TOKEN}


# The repositories themselves.


def test_whose_machine_it_is_makes_no_difference(
    repo: DatasetRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / ".gitconfig").write_text("[core]\nautocrlf = true\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    monkeypatch.setenv("GIT_DIR", str(elsewhere))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    again = sample(tmp_path / "again.git")
    assert again.head == repo.head
    assert (again.clone(tmp_path / "clone") / "README.md").read_bytes() == README
    assert not elsewhere.exists()


def test_commits_are_a_minute_apart_whoever_makes_them(tmp_path: Path) -> None:
    first = DatasetRepo.create(tmp_path / "dataset.git")
    first.commit("One", {"a": b"1"})
    second = DatasetRepo(first.path)
    second.commit("Two", {"a": b"2"}, branch="refs/pr/1")
    first.commit("Three", {"a": b"3"})
    second.squash("Four")
    times = [log(first.path, ref)[0].date for ref in ("refs/pr/1", "main")]
    assert times == [FIRST_COMMIT + timedelta(minutes=1), FIRST_COMMIT + timedelta(minutes=3)]


def test_any_path_and_content_can_be_committed(tmp_path: Path) -> None:
    repo = DatasetRepo.create(tmp_path / "dataset.git")
    files = {'a "b" \\ c.csv': b"", "new\nline": b"data 3\nabc\n\0", "deep/er/ü": b"x"}
    repo.commit("Odd", files)
    listed = git(repo.path, "ls-tree", "-r", "-z", "--name-only", "main").decode().split("\0")[:-1]
    assert {path: git(repo.path, "cat-file", "blob", f"main:{path}") for path in listed} == files
