"""The discussion tracker against the loopback Hub.

Whose a discussion is, what a refusal means, what is never written twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.wrappers import Request

from benchaudit.markers import marker
from benchaudit.notes import with_notes

from .discussing import DATASET, FIRST_LINES, TOKEN, Driver
from .loopback.base import Answer, Fault, cut, status
from .loopback.hub import Hub, HubDataset, rate_limited
from .loopback.repos import DatasetRepo

ME = "auditor"
BODY = f"{marker(DATASET)}\nthe report"
KEY = "<!-- benchaudit:comment revision=abc -->"
CREATE = {"do": "create", "title": "Quiz: answers can be guessed", "body": BODY}
UPDATE = {"do": "update", "body": f"{BODY} of today"}
COMMENT = {"do": "comment", "key": KEY, "body": f"{KEY}\nIt leaks."}
FIND, CLOSE, REOPEN = {"do": "find"}, {"do": "close"}, {"do": "reopen"}

Drive = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hub, Driver, Path]]:
    """A Hub, the tracker's process, and a repository with nothing in it: discussions ask for no more."""
    repo = DatasetRepo.create(tmp_path_factory.mktemp("repo") / "dataset.git").path
    with Hub() as hub, Driver(hub, tmp_path_factory.mktemp("home")) as driver:
        yield hub, driver, repo


@pytest.fixture
def dataset(server: tuple[Hub, Driver, Path]) -> HubDataset:
    """The one dataset."""
    return HubDataset(server[2])


@pytest.fixture
def hub(server: tuple[Hub, Driver, Path], dataset: HubDataset) -> Hub:
    """The Hub as it is at the beginning."""
    hub, fresh = server[0], Hub()
    hub.datasets, hub.users, hub.read_only = {DATASET: dataset}, fresh.users, fresh.read_only
    hub.page_size, hub.faults, hub.seen, hub.cdn.seen = None, [], [], []
    return hub


@pytest.fixture
def run(server: tuple[Hub, Driver, Path], hub: Hub) -> Drive:
    """Drive the tracker on this Hub."""
    return server[1].run


def posts(what: str) -> Callable[[Request], bool]:
    """Requests that write: `discussions` opens one, `comment`, `edit` and `status` change one."""
    return lambda request: request.method == "POST" and request.path.endswith(f"/{what}")


# --- Whose a discussion is ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("author", "text", "pull_request"),
    [
        pytest.param(ME, BODY, True, id="a pull request"),
        pytest.param(ME, f"{marker(DATASET + '-pro')}\ntext", False, id="a name that begins alike"),
        pytest.param(ME, f"See this:\n\n{BODY}", False, id="a quoted marker"),
        pytest.param(ME, f"```\n{BODY}\n```", False, id="a marker in a fence"),
        pytest.param("somebody", BODY, False, id="another account's"),
        pytest.param(ME, "Hello.", False, id="an own one about something else"),
    ],
)
def test_what_is_not_ours_is_not_found(
    run: Drive, dataset: HubDataset, author: str, text: str, pull_request: bool
) -> None:
    """Marker on the first line, for this very dataset, and the acting account as author."""
    dataset.discuss("benchaudit", author, text, pull_request=pull_request)

    assert run(FIND) == [{"thread": None, "comment_url": ""}]


def test_a_comment_of_ours_in_a_strangers_discussion_is_no_report(run: Drive, dataset: HubDataset) -> None:
    """Only the comment that opens a discussion is."""
    dataset.discuss("About lengths", "somebody", "Look.").comment(ME, BODY)
    dataset.discuss("Mine", ME, "Look.").comment(ME, BODY)

    assert run(FIND)[0]["thread"] is None


@pytest.mark.parametrize(
    ("states", "number"),
    [
        pytest.param(["open", "open"], 3, id="the lowest of the open"),
        pytest.param(["closed", "open"], 4, id="an open one before a closed one"),
        pytest.param(["closed", "closed"], 3, id="the lowest of the closed"),
    ],
)
def test_of_several_one_is_ours(
    run: Drive, hub: Hub, dataset: HubDataset, states: list[Any], number: int
) -> None:
    """The same one in every run, whatever its title has become, from whatever page of the list."""
    hub.page_size = 1
    dataset.discuss("Hello", "somebody", "Hello.")
    dataset.discuss("Mine", ME, "Hello.")
    for state in states:
        dataset.discuss("A title that people made", ME, BODY.replace("\n", "\r\n")).status = state

    (said,) = run(FIND)

    assert said["thread"] == {
        "number": number,
        "url": f"{hub.url}/datasets/{DATASET}/discussions/{number}",
        "title": "A title that people made",
        "body": BODY.replace("\n", "\r\n"),
        "open": "open" in states,
        "labels": [],
    }


def test_the_list_ends_where_the_hub_counts_more_than_it_shows(run: Drive, hub: Hub) -> None:
    """Discussions that are hidden may be counted."""
    miscounted = status(200, '{"discussions": [], "count": 7, "start": 0}')
    listing = Fault(matches=lambda request: bool(request.args.get("author")), before=miscounted, times=9)
    hub.faults.append(listing)

    assert run(FIND)[0]["thread"] is None
    assert listing.times == 8


def test_a_pull_request_among_the_discussions_is_passed_over(
    run: Drive, hub: Hub, dataset: HubDataset
) -> None:
    """Even where the Hub does not keep to the kind that is asked for."""
    dataset.discuss("Add rows", ME, BODY, pull_request=True)
    entry = {"num": 1, "status": "open", "isPullRequest": True}
    listed = status(200, json.dumps({"discussions": [entry], "count": 1, "start": 0}))
    hub.faults.append(Fault(matches=lambda request: bool(request.args.get("author")), before=listed))

    assert run(FIND)[0]["thread"] is None


def test_the_account_is_asked_for_once(run: Drive, hub: Hub) -> None:
    """The Hub is strict about how often one may ask."""
    run(FIND, FIND)

    assert [seen.path for seen in hub.api_calls].count("/api/whoami-v2") == 1


# --- What is written ----------------------------------------------------------------------------


def test_a_report_lives_in_one_discussion(run: Drive, hub: Hub, dataset: HubDataset) -> None:
    """Opened, edited, commented on, closed and opened again; what is there already is written once."""
    said = run(CREATE, UPDATE, UPDATE, COMMENT, COMMENT, CLOSE, CLOSE, REOPEN, FIND)

    (discussion,) = dataset.discussions
    assert hub.writes == ["open", "edit 1", "comment 1", "status 1", "status 1"]
    assert (discussion.title, discussion.status) == (CREATE["title"], "open")
    assert discussion.comments == [UPDATE["body"], COMMENT["body"]]
    assert [step["thread"]["open"] for step in said] == [True] * 5 + [False] * 2 + [True] * 2
    comment_id = discussion.events[1]["id"]
    assert said[3]["comment_url"] == said[4]["comment_url"] == f"{said[0]['thread']['url']}#{comment_id}"
    assert {seen.authorization for seen in hub.api_calls} == {f"Bearer {TOKEN}"}


def test_a_title_that_is_too_long_is_cut(run: Drive, dataset: HubDataset) -> None:
    run({**CREATE, "title": "long " * 100})

    assert dataset.discussions[0].title == ("long " * 40).strip()


def test_what_people_wrote_since_is_kept(run: Drive, hub: Hub, dataset: HubDataset) -> None:
    """The owner of the account may have edited it after the plan was made."""
    discussion = dataset.discuss("benchaudit", ME, BODY)

    def edited(request: Request) -> bool:
        discussion.events[0]["data"]["latest"]["raw"] = with_notes(BODY, "- [x] told the authors")
        return False

    calls = []

    def second_look(request: Request) -> bool:
        calls.append(request.path)
        return calls.count(f"/api/datasets/{DATASET}/discussions/1") == 2 and edited(request)

    hub.faults.append(Fault(matches=second_look))
    run(FIND, UPDATE)

    assert discussion.comments == [with_notes(UPDATE["body"], "- [x] told the authors").strip()]


def test_one_that_lost_its_marker_since_is_left_alone(run: Drive, hub: Hub, dataset: HubDataset) -> None:
    discussion = dataset.discuss("benchaudit", ME, BODY)
    calls = []

    def second_look(request: Request) -> bool:
        calls.append(request.path)
        if calls.count(f"/api/datasets/{DATASET}/discussions/1") == 2:
            discussion.events[0]["data"]["latest"]["raw"] = "This comment has been hidden"
        return False

    hub.faults.append(Fault(matches=second_look))
    _, said = run(FIND, UPDATE)

    assert "does not begin with our marker any more" in said["error"]
    assert hub.writes == []


def test_what_reads_back_different_is_an_error(run: Drive, hub: Hub, dataset: HubDataset) -> None:
    """A Hub that cuts a text says 200 all the same."""
    discussion = dataset.discuss("benchaudit", ME, BODY)

    def cut_short(request: Request) -> Any:
        discussion.events[0]["data"]["latest"]["raw"] = BODY
        return status(200, json.dumps({"updatedComment": discussion.events[0]}))(request)

    hub.faults.append(Fault(matches=posts("edit"), after=cut_short))
    _, said = run(FIND, UPDATE)

    assert "reads back different" in said["error"]


def test_a_list_that_lags_behind_is_not_waited_for(run: Drive, hub: Hub, dataset: HubDataset) -> None:
    """What was opened is read by its number."""
    lagging = status(200, '{"discussions": [], "count": 0, "start": 0}')
    listed = Fault(matches=lambda request: bool(request.args.get("author")), before=lagging, times=2)
    hub.faults.append(listed)

    said = run(FIND, CREATE)

    assert (said[1]["thread"]["number"], said[1]["thread"]["body"]) == (1, BODY)
    assert (listed.times, hub.writes) == (0, ["open"])


def test_of_two_runs_at_a_time_one_discussion_stays_open(run: Drive, hub: Hub, dataset: HubDataset) -> None:
    """The first; ours goes, and it is written to no more."""

    def rival(request: Request) -> bool:
        if posts("discussions")(request):
            dataset.discuss("benchaudit", ME, BODY)
        return False

    hub.faults.append(Fault(matches=rival))
    said = run(FIND, CREATE)

    assert [discussion.status for discussion in dataset.discussions] == ["open", "closed"]
    assert said[1]["thread"]["number"] == 1
    assert hub.writes == ["open", "status 2"]


# --- What is never written twice ----------------------------------------------------------------

LOST = [
    pytest.param(cut, id="cut"),
    pytest.param(status(502), id="502"),
    pytest.param(status(504, "<html>"), id="504"),
    pytest.param(status(200, "<html>"), id="an answer that is none"),
]
WRITES = [
    pytest.param("discussions", [CREATE], id="open"),
    pytest.param("edit", [CREATE, UPDATE], id="edit"),
    pytest.param("comment", [CREATE, COMMENT], id="comment"),
    pytest.param("status", [CREATE, CLOSE], id="status"),
]


@pytest.mark.parametrize("answer", LOST)
@pytest.mark.parametrize(("what", "steps"), WRITES)
def test_a_write_whose_answer_is_lost_is_found_again(
    run: Drive, hub: Hub, dataset: HubDataset, what: str, steps: list[dict[str, Any]], answer: Answer
) -> None:
    """Done once, seen once, and no error."""
    untroubled = run(*steps)
    once = [list(map(dict, discussion.events)) for discussion in dataset.discussions]
    dataset.discussions.clear()
    hub.faults.append(Fault(matches=posts(what), after=answer))

    said = run(*steps)

    assert said == untroubled
    assert [list(map(dict, discussion.events)) for discussion in dataset.discussions] == once


@pytest.mark.parametrize("what", ["discussions", "comment"])
def test_a_post_that_did_nothing_is_an_error_and_no_second_post(
    run: Drive, hub: Hub, dataset: HubDataset, what: str
) -> None:
    """Whether the Hub is still at work on it nobody knows: the next run will see."""
    hub.faults.append(Fault(matches=posts(what), before=status(502)))

    said = run(CREATE, COMMENT)[-1]

    assert said["class"] == "TrackerError"
    assert "answered 502 - run again" in said["error"]
    assert len([seen for seen in hub.seen if seen.method == "POST" and seen.path.endswith(f"/{what}")]) == 1


@pytest.mark.parametrize(("what", "steps"), WRITES)
def test_what_the_rate_limit_turned_away_is_sent_again(
    run: Drive, hub: Hub, dataset: HubDataset, what: str, steps: list[dict[str, Any]]
) -> None:
    """429 says that nothing was done."""
    untroubled = run(*steps)
    dataset.discussions.clear()
    hub.faults.append(Fault(matches=posts(what), before=rate_limited(5), times=2))

    assert run(*steps) == untroubled


def test_a_rate_limit_beyond_the_budget_is_an_error(run: Drive, hub: Hub) -> None:
    hub.faults.append(Fault(before=rate_limited(3000), times=99))

    (said,) = run(FIND)

    assert said["class"] == "TrackerError"
    assert "rate limit is used up" in said["error"]


@pytest.mark.parametrize("answer", LOST[:2])
def test_reading_is_tried_again(run: Drive, hub: Hub, dataset: HubDataset, answer: Answer) -> None:
    dataset.discuss("benchaudit", ME, BODY)
    hub.faults.append(Fault(matches=lambda request: "discussions" in request.path, before=answer, times=3))

    assert run(FIND)[0]["thread"]["number"] == 1


def test_reading_is_not_tried_for_ever(run: Drive, hub: Hub) -> None:
    hub.faults.append(Fault(before=status(503), times=99))

    (said,) = run(FIND)

    assert "the Hub answered 503" in said["error"]


# --- What a refusal means -----------------------------------------------------------------------


def disabled_discussions(hub: Hub) -> None:
    hub.datasets[DATASET].discussions_enabled = False


def disabled_dataset(hub: Hub) -> None:
    hub.datasets[DATASET].disabled = True


def private_dataset(hub: Hub) -> None:
    hub.datasets[DATASET].private = True


def stale_token(hub: Hub) -> None:
    hub.users = {}


def read_only_token(hub: Hub) -> None:
    hub.read_only.add(TOKEN)


def locked(hub: Hub) -> None:
    hub.datasets[DATASET].discuss("benchaudit", ME, BODY).locked = True


def removed(hub: Hub) -> None:
    """It goes when it is looked up for the second time."""
    hub.datasets[DATASET].discuss("benchaudit", ME, BODY)
    calls = []

    def second_look(request: Request) -> bool:
        calls.append(request.path)
        if calls.count(f"/api/datasets/{DATASET}/discussions/1") == 2:
            hub.datasets[DATASET].discussions.clear()
        return False

    hub.faults.append(Fault(matches=second_look))


@pytest.mark.parametrize(
    ("trouble", "steps", "says"),
    [
        (disabled_discussions, [FIND], "discussions are switched off"),
        (disabled_discussions, [FIND], "or set `channel` to github or folder"),
        (disabled_dataset, [FIND], "disabled by the Hub"),
        (private_dataset, [FIND], "cannot be seen with the token"),
        (stale_token, [FIND], "does not accept the token"),
        (read_only_token, [CREATE], "give hf-token write access to the dataset's discussions"),
        (locked, [FIND, UPDATE], "the discussion is locked"),
        (locked, [FIND, COMMENT], "the discussion is locked"),
        (removed, [FIND, UPDATE], "no such discussion or comment"),
        (lambda _: None, [{**CREATE, "title": "?"}], "title must be a text of 3 to 200 characters"),
    ],
)
def test_a_refusal_says_what_to_do(
    run: Drive, hub: Hub, trouble: Callable[[Hub], None], steps: list[dict[str, Any]], says: str
) -> None:
    """In one line, that names the dataset."""
    trouble(hub)

    said = run(*steps)[-1]

    assert said["class"] in {"TrackerError", "Unwanted"}
    assert said["error"].startswith(f"{DATASET}: ")
    assert says in said["error"]
    assert hub.writes == []


def test_without_a_token_nothing_is_asked(run: Drive, hub: Hub) -> None:
    (said,) = run(FIND, token="")

    assert "set hf-token" in said["error"]
    assert hub.api_calls == []


@pytest.mark.parametrize("name", ["team/../quiz", "team/quiz/discussions", "..", "team/quiz?x="])
def test_a_name_that_no_dataset_can_have_is_sent_nowhere(run: Drive, hub: Hub, name: str) -> None:
    (said,) = run(FIND, dataset=name)

    assert said["class"] == "SettingsError"
    assert hub.api_calls == []


def test_a_renamed_dataset_is_followed(run: Drive, hub: Hub, dataset: HubDataset) -> None:
    """Writes too are led to the new name."""
    hub.rename(DATASET, "team/exam")

    said = run(FIND, CREATE, UPDATE, COMMENT)

    assert said[-1]["comment_url"]
    (discussion,) = hub.datasets["team/exam"].discussions
    assert discussion.comments == [UPDATE["body"], COMMENT["body"]]


@pytest.mark.parametrize(("what", "steps"), WRITES)
def test_the_token_follows_to_no_other_host(
    run: Drive, hub: Hub, what: str, steps: list[dict[str, Any]]
) -> None:
    """Wherever an answer leads."""
    elsewhere = status(307, headers={"Location": f"{hub.cdn.url}/elsewhere"})
    hub.faults += [Fault(matches=posts(what), before=elsewhere)]

    said = run(*steps)[-1]

    assert said["class"] == "TrackerError"
    assert [seen.path for seen in hub.cdn.seen] == ["/elsewhere"]
    assert hub.cdn_tokens == []


# --- Pull requests, and other texts -------------------------------------------------------------


def test_a_pull_request_has_one_comment_of_ours(run: Drive, hub: Hub, dataset: HubDataset) -> None:
    """It is edited; nothing else ever happens there."""
    theirs = dataset.discuss("Add rows", "somebody", "I add rows.", pull_request=True)
    theirs.comment("somebody", BODY)

    said = run(FIND, CREATE, COMMENT, UPDATE, UPDATE, CLOSE, REOPEN, FIND, pull_request=1)

    assert theirs.comments == ["I add rows.", BODY, UPDATE["body"]]
    assert hub.writes == ["comment 1", "edit 1"]
    url = f"{hub.url}/datasets/{DATASET}/discussions/1#{theirs.events[2]['id']}"
    assert said[0]["thread"] is None
    assert {step["thread"]["url"] for step in said[1:]} == {url}
    assert said[2]["comment_url"] == url
    assert all(step["thread"]["open"] for step in said[1:])
    assert said[-1]["thread"]["body"] == UPDATE["body"]


@pytest.mark.parametrize("state", ["draft", "open", "merged", "closed"])
def test_what_becomes_of_a_pull_request_is_not_ours_to_say(
    run: Drive, hub: Hub, dataset: HubDataset, state: Any
) -> None:
    theirs = dataset.discuss("Add rows", "somebody", "I add rows.", pull_request=True)
    theirs.comment(ME, BODY)
    theirs.status = state

    said = run(FIND, CLOSE, REOPEN, pull_request=1)

    assert [step["thread"]["open"] for step in said] == [True] * 3
    assert (theirs.status, hub.writes) == (state, [])


@pytest.mark.parametrize("answer", LOST)
def test_the_comment_in_a_pull_request_is_not_repeated(
    run: Drive, hub: Hub, dataset: HubDataset, answer: Answer
) -> None:
    theirs = dataset.discuss("Add rows", "somebody", "I add rows.", pull_request=True)
    hub.faults.append(Fault(matches=posts("comment"), after=answer))

    run(CREATE, pull_request=1)

    assert theirs.comments == ["I add rows.", BODY]


def test_a_discussion_is_not_taken_for_a_pull_request(run: Drive, hub: Hub, dataset: HubDataset) -> None:
    dataset.discuss("Add rows?", "somebody", "Shall I?")

    (said,) = run(FIND, pull_request=1)

    assert "is no pull request" in said["error"]


def test_texts_of_another_kind_have_a_discussion_of_their_own(
    run: Drive, hub: Hub, dataset: HubDataset
) -> None:
    """What is told upstream is found by its own first line, and whether people closed it is seen."""
    dataset.discuss("benchaudit", ME, BODY)
    upstream = {**CREATE, "body": f"{FIRST_LINES['upstream'](DATASET)}\nDear authors"}

    said = run(FIND, upstream, COMMENT, kind="upstream")
    dataset.discussions[1].change_status("team", "closed")
    (later,) = run(FIND, kind="upstream")

    assert said[0]["thread"] is None
    assert (later["thread"]["number"], later["thread"]["open"]) == (2, False)
    assert [discussion.comments for discussion in dataset.discussions] == [
        [BODY],
        [upstream["body"], COMMENT["body"]],
    ]
