"""The folder tracker keeps the promises of the protocol, and what people wrote."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from benchaudit.errors import TrackerError
from benchaudit.markers import marker
from benchaudit.notes import notes_of, with_notes
from benchaudit.plan import Close, Comment, Create, Reopen, Update
from benchaudit.tracker.folder import FolderTracker
from benchaudit.tracker.nowhere import NoTracker


def body(dataset: str, text: str = "text") -> str:
    return f"{marker(dataset)}\n\n{text}\n"


def creation(dataset: str = "owner/name", text: str = "text") -> Create:
    return Create(dataset=dataset, title=f"benchaudit: {dataset}", body=body(dataset, text), labels=("a",))


def created(tracker: FolderTracker, dataset: str = "owner/name"):
    return tracker.carry_out(creation(dataset)).thread


def files(root: Path) -> dict[str, str]:
    """Every file below a folder, by its name there."""
    return {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.is_file()
    }


def test_where_nothing_is_nothing_is_found(tmp_path):
    tracker = FolderTracker(tmp_path / "none")
    assert tracker.find(marker("owner/name")) is None
    assert not (tmp_path / "none").exists()


def test_an_issue_is_created_and_found_again(tmp_path):
    """What is read back is what was written, by this tracker and by the next run's."""
    done = FolderTracker(tmp_path).carry_out(creation())
    assert done.comment_url == ""
    assert done.thread == FolderTracker(tmp_path).find(marker("owner/name"))
    assert (done.thread.number, done.thread.title, done.thread.open) == (1, "benchaudit: owner/name", True)
    assert done.thread.body == creation().body == Path(done.thread.url).read_text(encoding="utf-8")
    about = json.loads((tmp_path / "001-owner--name" / "issue.json").read_text(encoding="utf-8"))
    assert about == {
        "number": 1,
        "title": "benchaudit: owner/name",
        "state": "open",
        "labels": ["a"],
        "assignees": [],
    }


def test_each_dataset_has_an_issue_of_its_own(tmp_path):
    """Names that begin alike, and names that make the same folder name, are told apart."""
    tracker = FolderTracker(tmp_path)
    names = ["owner/name", "owner/name-2", "owner--name", "../up", "a b", "日本/語", ""]
    for number, name in enumerate(names, 1):
        assert created(tracker, name).number == number
    assert [tracker.find(marker(name)).number for name in names] == list(range(1, len(names) + 1))
    assert all(path.parent.parent == tmp_path for path in tmp_path.rglob("issue.md"))
    assert tracker.find(marker("owner/nam")) is None


def test_datasets_that_are_new_at_once_have_numbers_of_their_own(tmp_path):
    tracker, begun = FolderTracker(tmp_path), Barrier(8)

    def create(number):
        begun.wait(10)
        return created(tracker, f"owner/{number}").number

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(create, range(8))) == list(range(1, 9))


def test_an_update_replaces_the_body_and_nothing_else(tmp_path):
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    before = files(tmp_path)
    done = tracker.carry_out(Update(thread=thread, body=body("owner/name", "new")))
    assert done.thread == replace(thread, body=body("owner/name", "new"))
    assert files(tmp_path) == before | {"001-owner--name/issue.md": body("owner/name", "new")}


def test_what_people_wrote_since_the_plan_was_made_is_kept(tmp_path):
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    Path(thread.url).write_text(with_notes(thread.body, "- [x] seen"), encoding="utf-8")
    done = tracker.carry_out(Update(thread=thread, body=with_notes(body("owner/name", "new"), "")))
    assert notes_of(done.thread.body) == "- [x] seen"
    assert done.thread.body == with_notes(body("owner/name", "new"), "- [x] seen")


def test_an_issue_is_closed_and_opened_again(tmp_path):
    """Its text, labels and comments stay."""
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    before = files(tmp_path)
    assert tracker.carry_out(Close(thread=thread)).thread == replace(thread, open=False)
    assert tracker.find(marker("owner/name")) == replace(thread, open=False)
    assert tracker.carry_out(Reopen(thread=thread)).thread == thread
    assert files(tmp_path) == before


def test_an_issue_that_was_damaged_meanwhile_is_an_error(tmp_path):
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    for about in ("", "[]", "null"):
        Path(thread.url).with_name("issue.json").write_text(about, encoding="utf-8")
        with pytest.raises(TrackerError):
            tracker.carry_out(Close(thread=thread))


def test_a_comment_is_written_once(tmp_path):
    """It is known by its first line, whatever else it says the second time."""
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    first = tracker.carry_out(Comment(thread=thread, key="<!-- 1 -->", body="<!-- 1 -->\none"))
    again = tracker.carry_out(Comment(thread=thread, key="<!-- 1 -->", body="<!-- 1 -->\nother"))
    second = tracker.carry_out(Comment(thread=thread, key="<!-- 2 -->", body="<!-- 2 -->\ntwo"))
    assert first.comment_url == again.comment_url != second.comment_url
    assert Path(first.comment_url).read_text(encoding="utf-8") == "<!-- 1 -->\none"
    assert sorted(path.name for path in tmp_path.glob("*/comment-*")) == ["comment-001.md", "comment-002.md"]
    assert first.thread == thread


def test_a_comment_that_quotes_another_is_not_that_one(tmp_path):
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    tracker.carry_out(Comment(thread=thread, key="a", body="a\n<!-- 1 -->\n"))
    done = tracker.carry_out(Comment(thread=thread, key="<!-- 1 -->", body="<!-- 1 -->\none"))
    assert Path(done.comment_url).name == "comment-002.md"


def test_no_comment_is_written_over(tmp_path):
    """Where somebody took one away, or put a file of another name beside it."""
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    for number in (1, 2, 3):
        tracker.carry_out(Comment(thread=thread, key=f"key {number}", body=f"key {number}\n"))
    folder = Path(thread.url).parent
    (folder / "comment-001.md").unlink()
    (folder / "comment-mine.md").write_text("mine", encoding="utf-8")
    done = tracker.carry_out(Comment(thread=thread, key="key 4", body="key 4\n"))
    assert Path(done.comment_url).name == "comment-004.md"
    assert (folder / "comment-003.md").read_text(encoding="utf-8") == "key 3\n"


def test_an_open_issue_comes_before_a_closed_one_and_then_the_lower_number(tmp_path):
    tracker = FolderTracker(tmp_path)
    for text in ("first", "second", "third"):
        tracker.carry_out(creation(text=text))
    close(tmp_path / "001-owner--name")
    assert tracker.find(marker("owner/name")).number == 2
    close(tmp_path / "002-owner--name")
    close(tmp_path / "003-owner--name")
    found = tracker.find(marker("owner/name"))
    assert (found.number, found.open) == (1, False)


def close(folder: Path) -> None:
    about = json.loads((folder / "issue.json").read_text(encoding="utf-8"))
    (folder / "issue.json").write_text(json.dumps(about | {"state": "closed"}), encoding="utf-8")


def test_an_issue_is_ours_by_its_first_line(tmp_path):
    """One that somebody else wrote there, and one that quotes the marker, is not."""
    tracker = FolderTracker(tmp_path)
    for text in ("my notes", f"> {marker('owner/name')}", f"x\n{marker('owner/name')}"):
        tracker.carry_out(replace(creation(), body=text))
    assert tracker.find(marker("owner/name")) is None


def test_a_person_may_retitle_it(tmp_path):
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    about = Path(thread.url).with_name("issue.json")
    about.write_text(
        about.read_text(encoding="utf-8").replace("benchaudit: ", "[wontfix] "), encoding="utf-8"
    )
    done = tracker.carry_out(
        Update(thread=tracker.find(marker("owner/name")), body=body("owner/name", "new"))
    )
    assert done.thread.title == "[wontfix] owner/name"


# --- interruptions ---


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("writes", range(4))
@pytest.mark.parametrize("step", ["write", "replace"])
def test_killed_at_any_write_and_run_again_it_ends_the_same(tmp_path, monkeypatch, writes, step):
    """One issue, one comment, whole texts, and no draft in the way."""

    def job() -> None:
        tracker = FolderTracker(tmp_path / "there")
        thread = tracker.find(marker("owner/name")) or created(tracker)
        tracker.carry_out(Comment(thread=thread, key="<!-- 1 -->", body="<!-- 1 -->\none"))
        tracker.carry_out(Update(thread=thread, body=body("owner/name", "new")))

    left = iter(range(writes))
    name = "write_text" if step == "write" else "replace"
    real = getattr(Path, name)

    def until_killed(self, *args, **kwargs):
        if next(left, None) is None:
            if step == "write":
                real(self, "half of the te", encoding="utf-8")
            raise Killed
        return real(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(Path, name, until_killed)
        with pytest.raises(Killed):
            job()
    job()
    there = files(tmp_path / "there")
    assert there.keys() == {
        f"001-owner--name/{name}" for name in ("issue.md", "issue.json", "comment-001.md")
    }
    assert there["001-owner--name/issue.md"] == body("owner/name", "new")
    assert there["001-owner--name/comment-001.md"] == "<!-- 1 -->\none"


# --- damage ---


@pytest.mark.parametrize(
    "about",
    [
        *("", "{", "[]", "null", "{}", '"x"', "\ud800", '{"number": 1, "title": "t"}'),
        *(f'{{"number": {number}, "title": "t", "state": "open"}}' for number in ('"x"', "null", "[]")),
    ],
    ids=ascii,
)
def test_a_damaged_description_is_an_error_that_names_the_folder(tmp_path, about):
    """Never a second issue beside one that cannot be read."""
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    Path(thread.url).with_name("issue.json").write_bytes(about.encode(errors="surrogatepass"))
    for act in (lambda: tracker.find(marker("owner/name")), lambda: created(tracker)):
        with pytest.raises(
            TrackerError, match=r"001-owner--name: cannot be read .* - mend it, or move it away"
        ) as caught:
            act()
        assert caught.value.exit_status == 4
        assert "\n" not in str(caught.value)
    assert len(list(tmp_path.rglob("issue.md"))) == 1


def test_a_description_that_is_gone_is_an_error(tmp_path):
    tracker = FolderTracker(tmp_path)
    Path(created(tracker).url).with_name("issue.json").unlink()
    with pytest.raises(TrackerError, match="cannot be read"):
        tracker.find(marker("owner/name"))


def test_bodies_and_comments_that_are_no_text_are_an_error(tmp_path):
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    Path(thread.url).with_name("comment-001.md").write_bytes(b"\xff")
    with pytest.raises(TrackerError, match="cannot be written"):
        tracker.carry_out(Comment(thread=thread, key="k", body="k\n"))
    Path(thread.url).write_bytes(b"\xff")
    with pytest.raises(TrackerError, match="cannot be read"):
        tracker.find(marker("owner/name"))


def test_an_issue_that_was_deleted_meanwhile_is_an_error(tmp_path):
    tracker = FolderTracker(tmp_path)
    thread = created(tracker)
    for path in Path(thread.url).parent.iterdir():
        path.unlink()
    Path(thread.url).parent.rmdir()
    for operation in (Update(thread=thread, body="x"), Comment(thread=thread, key="k", body="k\n")):
        with pytest.raises(TrackerError, match=r"cannot be written .* - check the folder"):
            tracker.carry_out(operation)


def test_a_place_that_is_no_folder_is_an_error(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(TrackerError, match="cannot be written"):
        created(FolderTracker(tmp_path / "file"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_an_error(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(TrackerError, match="cannot be written"):
        created(FolderTracker(tmp_path))


# --- any history ---

NAMES = st.sampled_from(["owner/name", "owner/name-2", "x"])


class Histories(RuleBasedStateMachine):
    """Runs for a few datasets in any order, against a plain model of what a tracker holds."""

    def __init__(self):
        super().__init__()
        self._place = TemporaryDirectory()
        self.root = Path(self._place.name)
        self.bodies: dict[str, str] = {}
        self.said: dict[str, dict[str, str]] = {}

    def teardown(self):
        self._place.cleanup()

    @rule(name=NAMES, text=st.sampled_from(["a", "b\n", "日本"]))
    def report(self, name, text):
        tracker = FolderTracker(self.root)
        held = tracker.find(marker(name))
        assert (held.body if held else None) == self.bodies.get(name)
        operation = Update(thread=held, body=body(name, text)) if held else creation(name, text)
        assert tracker.carry_out(operation).thread.body == body(name, text)
        self.bodies[name] = body(name, text)

    @rule(name=NAMES, key=st.sampled_from(["<!-- 1 -->", "<!-- 2 -->", "<!-- 3 -->"]))
    def comment(self, name, key):
        tracker = FolderTracker(self.root)
        held = tracker.find(marker(name))
        if held:
            done = tracker.carry_out(Comment(thread=held, key=key, body=f"{key}\n{name}"))
            assert self.said.setdefault(name, {}).setdefault(key, done.comment_url) == done.comment_url

    @invariant()
    def holds_what_was_written(self):
        assert len(list(self.root.rglob("issue.md"))) == len(self.bodies)
        urls = [url for said in self.said.values() for url in said.values()]
        assert sorted(urls) == sorted(map(str, self.root.rglob("comment-*.md")))


Histories.TestCase.settings = settings(max_examples=30, stateful_step_count=15, deadline=None)
TestHistories = Histories.TestCase


# --- the tracker of no channel ---


def test_no_tracker_holds_nothing():
    """Every run is a first report, and goes nowhere."""
    tracker = NoTracker()
    thread = tracker.carry_out(creation()).thread
    assert (thread.number, thread.url, thread.body) == (0, "", creation().body)
    assert tracker.carry_out(Comment(thread=thread, key="k", body="k\n")).comment_url == ""
    assert tracker.find(marker("owner/name")) is None
