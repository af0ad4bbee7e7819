"""The GitHub tracker, reply by reply: whose an issue is, what a refusal means, what is never repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
import requests
import responses
from responses.matchers import json_params_matcher, query_param_matcher

from benchaudit.errors import TrackerError, Unwanted
from benchaudit.markers import marker
from benchaudit.notes import with_notes
from benchaudit.plan import Close, Comment, Create, Operation, Reopen, Thread, Update
from benchaudit.tracker.connection import ACTIONS, Connection
from benchaudit.tracker.github import GitHubTracker
from tests.support import needs_shared, shared_json

DATASET = "example-org/quiz"
BODY = f"{marker(DATASET)}\nthe report"
KEY = "<!-- benchaudit:comment revision=abc -->"
API = "https://api.github.com:443"
USER = f"{API}/user"
LIST = f"{API}/repos/o/r/issues"
NEXT = '<https://api.github.com/repos/o/r/issues?page=2>; rel="next"'
ONE = f"{LIST}/7"
COMMENTS = f"{ONE}/comments"

THREAD = Thread(number=7, url="https://github.com/o/r/issues/7", title="benchaudit", body="old")
CREATE = Create(dataset=DATASET, title="benchaudit", body=BODY, labels=("leak",), assignees=("ann",))
UPDATE = Update(thread=THREAD, body=BODY)
COMMENT = Comment(thread=THREAD, key=KEY, body=f"{KEY}\nIt leaks.")


@pytest.fixture
def github() -> Iterator[responses.RequestsMock]:
    """A GitHub that answers what a test registers, each answer once and in order, and all of them."""
    with responses.RequestsMock(registry=responses.registries.OrderedRegistry) as mock:
        yield mock


def tracker(author: str = ACTIONS) -> GitHubTracker:
    """The tracker of a repository; who we are need not be asked."""
    connection = Connection(
        api="https://api.github.com", token="ghs_secret", repository="o/r", author=author, pause=0, patience=0
    )
    return GitHubTracker(connection)


def issue(
    number: int, body: str | None = BODY, *, login: str = ACTIONS, state: str = "open", kind: str = "issues"
) -> dict[str, Any]:
    """An entry of a list of issues, as far as it matters."""
    entry: dict[str, Any] = {
        "number": number,
        "title": "benchaudit",
        "body": body,
        "labels": [],
        "user": {"login": login},
        "state": state,
        "url": f"https://api.github.com/repos/o/r/issues/{number}",
        "html_url": f"https://github.com/o/r/{kind}/{number}",
    }
    return entry | ({"pull_request": {"url": entry["url"]}} if kind == "pull" else {})


def comment(body: str, *, login: str = ACTIONS, number: int = 1) -> dict[str, Any]:
    """An entry of a list of comments, as far as it matters."""
    return {
        "id": number,
        "body": body,
        "user": {"login": login},
        "url": f"https://api.github.com/repos/o/r/issues/comments/{number}",
        "html_url": f"https://github.com/o/r/issues/7#issuecomment-{number}",
    }


# --- Whose an issue is --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "foreign",
    [
        pytest.param([], id="nothing there"),
        pytest.param([issue(1, kind="pull")], id="a pull request"),
        pytest.param([issue(1, f"{marker(DATASET + '-pro')}\ntext")], id="a name that begins alike"),
        pytest.param([issue(1, f"See this:\n\n{BODY}")], id="a quoted marker"),
        pytest.param([issue(1, f"```\n{BODY}\n```")], id="a marker in a fence"),
        pytest.param([issue(1, f"  {BODY}")], id="a marker that does not begin the body"),
        pytest.param([issue(1, login="somebody")], id="another account's"),
        pytest.param([issue(1, None)], id="no body"),
    ],
)
def test_what_is_not_ours_is_not_found(github: responses.RequestsMock, foreign: list[dict[str, Any]]) -> None:
    """Marker on the first line, for this very dataset, and the acting account as author."""
    github.get(LIST, json=foreign)

    assert tracker().find(marker(DATASET)) is None


@pytest.mark.parametrize(
    ("listed", "number"),
    [
        pytest.param([issue(5), issue(3), issue(9)], 3, id="the lowest of the open"),
        pytest.param([issue(2, state="closed"), issue(9)], 9, id="an open one before a closed one"),
        pytest.param([issue(4, state="closed"), issue(2, state="closed")], 2, id="the lowest of the closed"),
        pytest.param([issue(6, BODY.replace("\n", "\r\n"))], 6, id="line ends as a browser sends them"),
        pytest.param([issue(8, login="GitHub-Actions[bot]")], 8, id="logins have no case"),
    ],
)
def test_of_several_one_is_ours(
    github: responses.RequestsMock, listed: list[dict[str, Any]], number: int
) -> None:
    """The same one in every run."""
    github.get(LIST, json=listed)

    found = tracker().find(marker(DATASET))

    assert found is not None
    assert found.number == number


def test_the_list_is_of_our_own_issues_in_both_states(github: responses.RequestsMock) -> None:
    """By creator, never by search or label: those lag behind. Each entry is taken as it is listed."""
    asked = {"state": "all", "creator": "bot", "sort": "created", "direction": "asc", "per_page": "100"}
    github.get(
        LIST, json=[issue(7, login="bot"), issue(8, "text", login="bot")], match=[query_param_matcher(asked)]
    )

    found = tracker("bot").find(marker(DATASET))

    assert found == Thread(number=7, url=THREAD.url, title="benchaudit", body=BODY, open=True)


def test_all_pages_are_read(github: responses.RequestsMock) -> None:
    """Ours may be on the last one."""
    following = '<https://api.github.com/repositories/1/issues?page=2>; rel="next"'
    github.get(LIST, json=[issue(1, "text")], headers={"Link": following})
    github.get(f"{API}/repositories/1/issues", json=[issue(90)])

    found = tracker().find(marker(DATASET))

    assert found is not None
    assert found.number == 90


@needs_shared
def test_r35_the_issue_of_the_field_report_is_found(github: responses.RequestsMock) -> None:
    """A retitled one of ours on page 2, among a prefix, a person's and a closed one."""
    for page in (1, 2):
        entries = shared_json("cases", "R35", f"issues_page{page}.json")["body"]
        told = [
            issue(entry["number"], entry["body"], login=entry["user"]["login"], state=entry["state"])
            for entry in entries
        ]
        # As in the report, the first page alone has a link.
        github.get(LIST, json=told, headers={"Link": NEXT} if page == 1 else {})

    found = tracker().find(marker(DATASET))

    assert found is not None
    assert found.number == shared_json("cases", "R35", "expect.json")["issue_to_update"]


def test_an_account_is_asked_who_it_is_once_and_for_its_issues_once(github: responses.RequestsMock) -> None:
    """However many datasets are looked for. A token of a person or an app."""
    github.get(USER, json={"login": "bot"})
    github.get(
        LIST,
        json=[issue(7, login="bot")],
        match=[query_param_matcher({"creator": "bot"}, strict_match=False)],
    )
    ours = tracker(author="")

    found = ours.find(marker(DATASET))

    assert found is not None
    assert ours.find(marker("other/quiz")) is None


def test_a_token_that_may_not_ask_is_the_workflows(github: responses.RequestsMock) -> None:
    """The account is known without."""
    github.get(USER, status=403, json={"message": "Resource not accessible by integration"})
    github.get(LIST, json=[issue(7)], match=[query_param_matcher({"creator": ACTIONS}, strict_match=False)])

    assert tracker(author="").find(marker(DATASET)) is not None


def test_a_limit_does_not_say_that_the_token_is_a_workflows(github: responses.RequestsMock) -> None:
    """Whose issues are ours is then not known: those of another account would be looked for."""
    github.get(USER, status=403, json={"message": "You have exceeded a secondary rate limit."})

    with pytest.raises(TrackerError, match="slow down"):
        tracker(author="").find(marker(DATASET))


# --- What is written ----------------------------------------------------------------------------


def test_an_issue_is_made_with_all_that_it_shall_have(github: responses.RequestsMock) -> None:
    """And looked up once more, for another run may have been at it too."""
    sent = {"title": "benchaudit", "body": BODY, "labels": ["leak"], "assignees": ["ann"]}
    github.post(LIST, status=201, json=issue(7), match=[json_params_matcher(sent)])
    github.get(LIST, json=[issue(7)])

    assert tracker().carry_out(CREATE).thread.number == 7


def test_a_long_title_is_cut(github: responses.RequestsMock) -> None:
    """GitHub takes 256 characters."""
    cut = json_params_matcher({"title": "x" * 256}, strict_match=False)
    github.post(LIST, status=201, json=issue(7), match=[cut])
    github.get(LIST, json=[issue(7)])

    assert tracker().carry_out(replace(CREATE, title="x" * 300)).thread.number == 7


def test_of_two_runs_that_create_at_once_the_later_issue_is_closed(github: responses.RequestsMock) -> None:
    """The other run's was first: ours goes, as a duplicate that nobody needs to look at."""
    github.post(LIST, status=201, json=issue(8))
    github.get(LIST, json=[issue(7, f"{marker(DATASET)}\nof the other run"), issue(8)])
    github.patch(
        f"{LIST}/8",
        json=issue(8, state="closed"),
        match=[json_params_matcher({"state": "closed", "state_reason": "not_planned"})],
    )
    github.get(f"{LIST}/8", json=issue(8, state="closed"))

    assert tracker().carry_out(CREATE).thread.number == 7


def test_a_list_that_lags_behind_hides_no_issue_that_was_made(github: responses.RequestsMock) -> None:
    """What the POST answered counts where the list has not heard of it yet."""
    github.post(LIST, status=201, json=issue(7))
    github.get(LIST, json=[])

    assert tracker().carry_out(CREATE).thread.number == 7


def test_an_update_sends_the_body_alone_and_reads_it_back(github: responses.RequestsMock) -> None:
    """Title, labels and state are the people's."""
    github.get(ONE, json=issue(7, "old"))
    github.patch(ONE, json=issue(7), match=[json_params_matcher({"body": BODY})])
    github.get(ONE, json=issue(7, BODY.replace("\n", "\r\n")))

    assert tracker().carry_out(UPDATE).thread.number == 7


def test_an_update_that_is_there_already_is_not_sent(github: responses.RequestsMock) -> None:
    """Another run has written the same."""
    github.get(ONE, json=issue(7))
    github.get(ONE, json=issue(7))

    assert tracker().carry_out(UPDATE).thread.number == 7


def test_notes_that_came_in_between_are_kept(github: responses.RequestsMock) -> None:
    """Somebody wrote into the issue after it was read and before it is written."""
    planned, wanted = (with_notes(BODY, notes) for notes in ("", "We know."))
    github.get(ONE, json=issue(7, with_notes("old", "We know.")))
    github.patch(ONE, json=issue(7), match=[json_params_matcher({"body": wanted})])
    github.get(ONE, json=issue(7, wanted))

    assert tracker().carry_out(replace(UPDATE, body=planned)).thread.body == wanted


def test_an_update_that_reads_back_different_is_an_error(github: responses.RequestsMock) -> None:
    """GitHub answers 200 to a body of too many bytes, and stores nothing of it."""
    github.get(ONE, json=issue(7, "old"))
    github.patch(ONE, json=issue(7))
    github.get(ONE, json=issue(7, "old"))

    with pytest.raises(TrackerError, match=r"issues/7: .*reads back different"):
        tracker().carry_out(UPDATE)


@pytest.mark.parametrize(
    ("operation", "sent", "now"),
    [
        (Close(thread=THREAD), {"state": "closed", "state_reason": "completed"}, "closed"),
        (Reopen(thread=THREAD), {"state": "open", "state_reason": "reopened"}, "open"),
    ],
    ids=["close", "reopen"],
)
def test_an_issue_is_closed_and_opened_again(
    github: responses.RequestsMock, operation: Operation, sent: dict[str, str], now: str
) -> None:
    """With the reason that people see."""
    github.patch(ONE, json=issue(7, state=now), match=[json_params_matcher(sent)])
    github.get(ONE, json=issue(7, state=now))

    assert tracker().carry_out(operation).thread.open == (now == "open")


@pytest.mark.parametrize(
    "there",
    [
        pytest.param([], id="none yet"),
        pytest.param([comment("text")], id="another one"),
        pytest.param([comment(f"> {KEY}\nquoted")], id="a quoted one"),
        pytest.param([comment(f"{KEY}\nIt leaks.", login="somebody")], id="another account's"),
    ],
)
def test_a_comment_is_made_once(github: responses.RequestsMock, there: list[dict[str, Any]]) -> None:
    """Unless ours is there."""
    made = comment(COMMENT.body, number=5)
    github.get(COMMENTS, json=there)
    github.post(COMMENTS, status=201, json=made)
    github.get(COMMENTS, json=[*there, made])

    assert tracker().carry_out(COMMENT).comment_url.endswith("#issuecomment-5")


@pytest.mark.parametrize("gone", [204, 404])
def test_of_two_runs_that_comment_at_once_the_later_comment_goes(
    github: responses.RequestsMock, gone: int
) -> None:
    """Also where the other run, or an answer that was lost, has deleted it already."""
    first, later = (comment(f"{KEY}\nnews", number=number) for number in (1, 2))
    github.get(COMMENTS, json=[])
    github.post(COMMENTS, status=201, json=later)
    github.get(COMMENTS, json=[first, later])
    github.delete(f"{LIST}/comments/2", status=gone, body="" if gone == 204 else '{"message": "Not Found"}')

    done = tracker().carry_out(COMMENT)

    assert done.comment_url == first["html_url"]


def test_a_comment_that_is_there_is_not_repeated(github: responses.RequestsMock) -> None:
    """It was made by a run that did not come to its end."""
    github.get(COMMENTS, json=[comment("text"), comment(f"{KEY}\r\nIt leaks.", number=2)])

    assert tracker().carry_out(COMMENT).comment_url.endswith("#issuecomment-2")


# --- What is lost on the way --------------------------------------------------------------------

LOSSES = [
    pytest.param({"status": 502, "json": {"message": "Server Error"}}, id="502"),
    pytest.param({"status": 500, "body": "<html>"}, id="500 without JSON"),
    pytest.param({"body": requests.ConnectionError("reset")}, id="connection cut"),
    pytest.param({"body": requests.ReadTimeout("slow")}, id="no answer in time"),
]


@pytest.mark.parametrize("loss", LOSSES)
def test_of_several_that_runs_at_once_have_left_one_stays_open(
    github: responses.RequestsMock, loss: dict[str, Any]
) -> None:
    """Though our own answer was lost, so that nobody knows which is ours. A closed one is left alone."""
    github.post(LIST, **loss)
    github.get(LIST, json=[issue(7), issue(8, state="closed"), issue(9)])
    github.patch(
        f"{LIST}/9",
        json=issue(9, state="closed"),
        match=[json_params_matcher({"state": "closed", "state_reason": "not_planned"})],
    )
    github.get(f"{LIST}/9", json=issue(9, state="closed"))

    assert tracker().carry_out(CREATE).thread.number == 7


@pytest.mark.parametrize("loss", LOSSES)
def test_an_issue_whose_answer_was_lost_is_adopted(
    github: responses.RequestsMock, loss: dict[str, Any]
) -> None:
    """It was made all the same: the list says so, and nothing is posted again."""
    github.post(LIST, **loss)
    github.get(LIST, json=[issue(7)])

    assert tracker().carry_out(CREATE).thread.number == 7


@pytest.mark.parametrize("loss", LOSSES)
def test_an_issue_that_was_not_made_is_not_posted_again(
    github: responses.RequestsMock, loss: dict[str, Any]
) -> None:
    """It may come to light later: the next run will know."""
    github.post(LIST, **loss)
    github.get(LIST, json=[])

    with pytest.raises(TrackerError, match="run again"):
        tracker().carry_out(CREATE)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_comment_whose_answer_was_lost_is_adopted(
    github: responses.RequestsMock, loss: dict[str, Any]
) -> None:
    """The same for comments."""
    github.get(COMMENTS, json=[])
    github.post(COMMENTS, **loss)
    github.get(COMMENTS, json=[comment(COMMENT.body, number=5)])

    assert tracker().carry_out(COMMENT).comment_url.endswith("#issuecomment-5")


@pytest.mark.parametrize("loss", LOSSES)
def test_an_update_is_sent_again(github: responses.RequestsMock, loss: dict[str, Any]) -> None:
    """To set a text to what it shall be does no harm twice."""
    for answer in (loss, {"json": issue(7)}):
        github.get(ONE, json=issue(7, "old"))
        github.patch(ONE, **answer)
    github.get(ONE, json=issue(7))

    assert tracker().carry_out(UPDATE).thread.body == BODY


@pytest.mark.parametrize("loss", LOSSES)
def test_an_update_whose_answer_was_lost_is_not_sent_again(
    github: responses.RequestsMock, loss: dict[str, Any]
) -> None:
    """It took place: a look at the issue says so."""
    github.get(ONE, json=issue(7, "old"))
    github.patch(ONE, **loss)
    github.get(ONE, json=issue(7))
    github.get(ONE, json=issue(7))

    assert tracker().carry_out(UPDATE).thread.body == BODY


@pytest.mark.parametrize("loss", LOSSES)
def test_a_question_is_asked_four_times(github: responses.RequestsMock, loss: dict[str, Any]) -> None:
    """And then that is that."""
    for _ in range(4):
        github.get(LIST, **loss)

    with pytest.raises(TrackerError, match=r"o/r: GitHub .* run again"):
        tracker().find(marker(DATASET))


# --- Who let something go -----------------------------------------------------------------------


def labeled(by: str | None) -> dict[str, Any]:
    """An event of the label's; None is an account that was deleted."""
    actor = {"login": by} if by else None
    return {"id": 1, "event": "labeled", "actor": actor, "label": {"name": "go"}, "url": f"{LIST}/events/1"}


@pytest.mark.parametrize(
    ("events", "role", "who"),
    [
        pytest.param([labeled("ann")], "write", "ann", id="somebody who may write"),
        pytest.param([labeled("ann")], "read", "", id="somebody who may read"),
        pytest.param([labeled("ann")], None, "", id="somebody whom GitHub does not know any more"),
        pytest.param([labeled("ann"), labeled(None)], "", "", id="a deleted account, after somebody who may"),
    ],
)
def test_what_counts_is_who_put_the_label_on_last(
    github: responses.RequestsMock, events: list[dict[str, Any]], role: str | None, who: str
) -> None:
    github.get(f"{ONE}/events", json=events)
    if role != "":
        known = (
            {"status": 404, "json": {"message": "Not Found"}}
            if role is None
            else {"json": {"permission": role}}
        )
        github.get(f"{API}/repos/o/r/collaborators/ann/permission", **known)

    assert tracker().approver(THREAD, "go") == who


# --- What is refused ----------------------------------------------------------------------------


class Refusal(NamedTuple):
    """What GitHub answers to a write, and what is said of it."""

    status: int
    message: str
    said: str
    headers: tuple[tuple[str, str], ...] = ()


SPENT = (("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1"))
REFUSALS = {
    "unknown token": Refusal(401, "Bad credentials", "token is not accepted"),
    "primary limit": Refusal(403, "API rate limit exceeded for user ID 1.", "rate limit is used up", SPENT),
    "primary limit, 429": Refusal(429, "Too many requests", "rate limit is used up", SPENT),
    "secondary limit": Refusal(403, "Please wait a few minutes.", "slow down", (("Retry-After", "60"),)),
    "secondary limit, 429": Refusal(429, "You have exceeded a secondary rate limit.", "slow down"),
    "secondary limit of old": Refusal(
        403, "You have triggered an abuse detection mechanism. Please wait a few minutes.", "slow down"
    ),
    "secondary limit of old, on writes": Refusal(
        403,
        "You have triggered an abuse detection mechanism and have been temporarily blocked.",
        "slow down",
    ),
    "no permission": Refusal(403, "Resource not accessible by integration", "issues: write"),
    "archived": Refusal(403, "Repository was archived so is read-only.", "archived"),
    "not to be seen": Refusal(404, "Not Found", "cannot be seen"),
    "issues off": Refusal(410, "Issues are disabled for this repo", "switched off"),
    "blocked": Refusal(451, "Repository access blocked", "451"),
    "blocked account": Refusal(403, "You have been blocked from this repository.", "account .* is blocked"),
    "locked": Refusal(403, "Unable to create comment because issue is locked.", "issue is locked"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_only_what_somebody_wants_not_written_is_unwanted(github: responses.RequestsMock, name: str) -> None:
    """A limit that passes is no word of a maintainer's."""
    refusal = REFUSALS[name]
    github.post(LIST, status=refusal.status, json={"message": refusal.message}, headers=dict(refusal.headers))

    with pytest.raises(TrackerError) as caught:
        tracker().carry_out(CREATE)

    shut = {"archived", "issues off", "blocked account", "locked"}
    assert isinstance(caught.value, Unwanted) == (name in shut)


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
@pytest.mark.parametrize("operation", [CREATE, UPDATE], ids=["create", "update"])
def test_a_refusal_is_told_and_not_repeated(
    github: responses.RequestsMock, operation: Operation, refusal: Refusal
) -> None:
    """One request, one line that says where and what to do, and no token in it."""
    answer = {
        "status": refusal.status,
        "json": {"message": refusal.message},
        "headers": dict(refusal.headers),
    }
    if operation is CREATE:
        github.post(LIST, **answer)
    else:
        github.get(ONE, json=issue(7, "old"))
        github.patch(ONE, **answer)

    with pytest.raises(TrackerError, match=refusal.said) as caught:
        tracker().carry_out(operation)

    line = str(caught.value)
    assert line.startswith("o/r: ")
    assert " - " in line
    assert ("\n" in line, "ghs_secret" in line) == (False, False)


R43 = ("issues: write", "switched off", "locked", "cannot be seen", "title is too long")
"""What is to be said of the replies of the field report, in its order."""


@needs_shared
@pytest.mark.parametrize("number", range(len(R43)), ids=R43)
def test_r43_the_refusals_of_the_field_report(github: responses.RequestsMock, number: int) -> None:
    """Each by the call that met it."""
    case = shared_json("cases", "R43", "responses.json")[number]
    method, path = case["call"].split(" ")
    if method == "PATCH":
        github.get(f"{API}{path}", json=issue(22, "old"))
    github.add(method, f"{API}{path}", status=case["status"], json=case["body"])
    locked = replace(UPDATE, thread=replace(THREAD, number=22))
    calls: dict[str, Callable[[], object]] = {
        "POST": lambda: tracker().carry_out(CREATE),
        "PATCH": lambda: tracker().carry_out(locked),
        "GET": lambda: tracker().find(marker(DATASET)),
    }

    with pytest.raises(TrackerError, match=R43[number]):
        calls[method]()
