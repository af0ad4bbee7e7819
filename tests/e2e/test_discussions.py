"""The channel `hub`: the whole program keeps its report in a discussion on the dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import pytest
from werkzeug.wrappers import Request

from benchaudit.state import State, load
from tests.loopback.base import Fault, cut
from tests.loopback.hub import Discussion

from .quiz import fair, leaky, quiz, with_distractors
from .stage import DATA, DATASET, HUB_TOKEN, SECRETS, Run, Stage

ME = "auditor"
LEAKY, FAIR, SHORT = map(with_distractors, (leaky(), fair(), quiz(["shortest"] * 40)))


@dataclass(frozen=True)
class Forum:
    """A stage whose runs go to the discussions of the dataset."""

    stage: Stage

    def run(self, **inputs: str) -> Run:
        """Run the action with this channel."""
        return self.stage.run(**{"channel": "hub", "hf_token": HUB_TOKEN, "github_token": "", **inputs})

    def commit(self, data: bytes, branch: str = "main") -> str:
        """Publish another version of the data."""
        return self.stage.repo.commit("Upload", {DATA: data}, branch=branch)

    @property
    def discussions(self) -> list[Discussion]:
        return self.stage.dataset.discussions

    @property
    def discussion(self) -> Discussion:
        """The one discussion that there is."""
        (discussion,) = self.discussions
        return discussion

    @property
    def state(self) -> State:
        """What the one discussion remembers."""
        return load(self.discussion.comments[0], DATASET)

    def writes(self) -> list[str]:
        """What was written since it was asked for last."""
        written = self.stage.hub.writes
        self.stage.hub.seen.clear()
        return written


@pytest.fixture(scope="module")
def first_report(tmp_path_factory: pytest.TempPathFactory) -> Discussion:
    """The first report on a leaking dataset of one commit."""
    with Stage(root=tmp_path_factory.mktemp("first-report")) as stage:
        forum = _opened(stage)
        assert forum.run().status == 0
        return forum.discussion


@pytest.fixture
def forum(tmp_path: Path) -> Iterator[Forum]:
    """A Hub with a leaking dataset of one commit, on which nobody has reported yet."""
    with Stage(root=tmp_path) as stage:
        forum = _opened(stage)
        yield forum
        stage.check()
    assert stage.github.seen == []
    written = [text for discussion in forum.discussions for text in (discussion.title, *discussion.comments)]
    assert not any(secret in text for text in written for secret in SECRETS)


@pytest.fixture
def reported(forum: Forum, first_report: Discussion) -> Forum:
    """The same, with its first report."""
    forum.discussions.append(deepcopy(first_report))
    return forum


def _opened(stage: Stage) -> Forum:
    stage.hub.users[HUB_TOKEN] = ME
    forum = Forum(stage)
    forum.commit(LEAKY)
    return forum


def posting(what: str) -> Callable[[Request], bool]:
    """Requests that write: `discussions` opens one, `comment`, `edit` and `status` change one."""
    return lambda request: request.method == "POST" and request.path.endswith(f"/{what}")


# --- The life of a discussion -------------------------------------------------------------------


def test_the_report_is_a_discussion_and_a_new_leak_a_comment(forum: Forum) -> None:
    """From the first report to the close that is wished for, and the leak that comes back."""
    sha = forum.stage.repo.head
    first = forum.run()
    assert (first.status, forum.writes()) == (0, ["open"])
    assert (forum.discussion.author, forum.state.seen) == (ME, sha)
    assert first.outputs["issue-url"] == f"{forum.stage.hub.url}/datasets/{DATASET}/discussions/1"

    forum.commit(with_distractors(leaky(44)))
    assert (forum.run().status, forum.writes()) == (0, ["edit 1"])

    forum.commit(FAIR)
    run = forum.run(close_when_clean="true")
    assert (run.status, forum.writes()) == (0, ["comment 1", "status 1", "edit 1"])
    assert forum.discussion.status == "closed"
    comment = forum.discussion.events[1]
    assert run.outputs["comment-url"] == f"{run.outputs['issue-url']}#{comment['id']}"

    forum.commit(LEAKY)
    assert (forum.run(close_when_clean="true").status, forum.discussion.status) == (0, "open")
    assert len(forum.discussion.comments) == 3
    assert forum.state.seen == forum.stage.repo.head


def test_nothing_new_costs_four_calls_and_writes_nothing(reported: Forum) -> None:
    """Who we are, what is ours, what it remembers, and whether there is a new commit."""
    run = reported.run()

    here = f"/api/datasets/{DATASET}"
    looks = ["/api/whoami-v2", f"{here}/discussions", f"{here}/discussions/1", f"{here}/refs"]
    assert [seen.path for seen in run.hub] == looks
    assert reported.writes() == []


def test_a_close_by_the_owner_is_respected(reported: Forum) -> None:
    """Figures go on being kept in silence; a leak that is new opens it again, once."""
    reported.discussion.change_status("team", "closed")

    reported.commit(FAIR)
    reported.run()
    assert (reported.writes(), reported.discussion.status) == (["edit 1"], "closed")

    reported.commit(SHORT)
    reported.run()
    assert (reported.writes(), reported.discussion.status) == (["comment 1", "status 1", "edit 1"], "open")


def test_a_strangers_discussion_with_our_body_is_left_alone(reported: Forum) -> None:
    """Whoever quotes the report, marker and state and all, does not become its author."""
    body = reported.discussion.comments[0]
    reported.discussions.clear()
    reported.stage.dataset.discuss("benchaudit", "somebody", body)

    assert (reported.run().status, reported.writes()) == (0, ["open"])
    assert reported.discussions[0].comments == [body]


# --- Pull requests ------------------------------------------------------------------------------


def test_a_pull_request_is_audited_before_it_is_merged(forum: Forum) -> None:
    """One comment there says what it would do, and is kept as the pull request goes on."""
    forum.stage.repo.branch("refs/pr/1")
    proposal = forum.stage.dataset.discuss("Fix lengths", "somebody", "As asked.", pull_request=True)
    forum.commit(SHORT, branch="refs/pr/1")
    first = forum.run(revision="refs/pr/1")
    assert (first.status, forum.writes()) == (0, ["comment 1"])

    sha = forum.commit(FAIR, branch="refs/pr/1")
    second = forum.run(revision="refs/pr/1")
    assert (second.status, forum.writes()) == (0, ["edit 1"])

    assert forum.run(revision="refs/pr/1").outputs["changed"] == "false"
    asked, ours = proposal.comments
    assert (asked, load(ours, DATASET).seen) == ("As asked.", sha)
    assert "No leak found" in ours
    assert first.outputs["issue-url"] == second.outputs["comment-url"]
    assert forum.writes() == []


def test_main_and_a_pull_request_have_each_a_report(reported: Forum) -> None:
    """Neither is taken for the other."""
    reported.stage.repo.branch("refs/pr/2")
    proposal = reported.stage.dataset.discuss("Fix lengths", "somebody", "As asked.", pull_request=True)
    reported.commit(FAIR, branch="refs/pr/2")
    before = reported.discussions[0].comments

    reported.run(revision="refs/pr/2")
    reported.writes()
    reported.run()

    assert reported.writes() == []
    assert (reported.discussions[0].comments, len(proposal.comments)) == (before, 2)


# --- Trouble ------------------------------------------------------------------------------------


def switched_off(stage: Stage) -> None:
    stage.dataset.discussions_enabled = False


def read_only(stage: Stage) -> None:
    stage.hub.read_only.add(HUB_TOKEN)


def out_of_order(stage: Stage) -> None:
    stage.hub.faults.append(
        Fault(matches=lambda request: "discussions" in request.path, before=cut, times=99)
    )


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        (switched_off, "let its owner switch them on in its settings"),
        (read_only, "give hf-token write access to the dataset's discussions"),
        (out_of_order, "what is written already is found again"),
    ],
)
def test_a_report_that_cannot_be_delivered_is_in_all_other_places(
    forum: Forum, trouble: Callable[[Stage], None], says: str
) -> None:
    """Summary, outputs and file have it, and the message says what to do."""
    trouble(forum.stage)

    run = forum.run()

    assert (run.status, forum.writes()) == (4, [])
    assert [says in error for error in run.errors] == [True]
    assert "Severe leak" in run.summary
    assert (run.outputs["verdict"], run.report["verdict"]) == ("leak", "leak")


def test_without_a_token_there_is_no_such_channel(forum: Forum) -> None:
    run = forum.run(hf_token="")

    assert run.status == 2
    assert ["set hf-token" in error for error in run.errors] == [True]
    assert run.hub == ()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("what", ["comment", "edit"])
def test_a_run_that_is_killed_is_made_good_by_the_next(reported: Forum, what: str, after: bool) -> None:
    """One comment, and the state of the newest commit, wherever the first run ended."""
    reported.commit(FAIR)
    reported.stage.kill(reported.stage.hub, 1, after=after, at=posting(what))

    assert reported.run().status == -9
    assert reported.run().status == 0

    assert reported.state.seen == reported.stage.repo.head
    assert len(reported.discussion.comments) == 2


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_first_run_that_is_killed_leaves_no_second_discussion(forum: Forum, after: bool) -> None:
    forum.stage.kill(forum.stage.hub, 1, after=after, at=posting("discussions"))

    assert forum.run().status == -9
    assert forum.run().status == 0

    assert forum.state.seen == forum.stage.repo.head


def test_answers_that_are_lost_change_nothing(reported: Forum) -> None:
    """What the Hub has is what an untroubled run leaves there, and nobody hears of it."""
    reported.commit(FAIR)
    faults = [Fault(matches=posting(what), after=cut) for what in ("comment", "status", "edit")]
    reported.stage.hub.faults += faults

    run = reported.run(close_when_clean="true")

    assert (run.status, [fault.times for fault in faults]) == (0, [0, 0, 0])
    events = [event["type"] for event in reported.discussion.events]
    assert events == ["comment", "comment", "status-change"]
    assert reported.state.seen == reported.stage.repo.head
