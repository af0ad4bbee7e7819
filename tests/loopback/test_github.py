"""The loopback GitHub, spoken to by the real PyGithub client.

Every server that a test starts through `served` must end without a violation of GitHub's own
description, where that is at hand; what is expected to break it starts a server of its own.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import github as pygithub
import pytest
import requests
from werkzeug.wrappers import Request

from .base import Fault, cut
from .github import (
    ACTIONS,
    GRAPHQL,
    ROUTES,
    Account,
    GitHub,
    Issue,
    Reply,
    Repository,
    described,
    primary_limit,
    secondary_limit,
)

REPLIES = Path(__file__).resolve().parents[2] / ".." / "shared" / "cases" / "R43" / "responses.json"
WRITE = {"issues": "write", "contents": "write"}
READ = {"issues": "read", "contents": "read"}

needs_description = pytest.mark.skipif(described() is None, reason="GitHub's description is not at hand")


def accounts() -> dict[str, Account]:
    return {
        "writer-token": Account("writer", can={"o/r": WRITE, "o/hidden": WRITE}),
        "reader-token": Account("reader", can={"o/r": READ}),
        "visitor-token": Account("visitor"),
        "bot-token": Account("report-bot", "bot", can={"o/r": WRITE}),
        "workflow-token": Account(kind="actions", can={"o/r": {"issues": "write", "contents": "read"}}),
        "blind-token": Account("blind", can={"o/hidden": {"contents": "read"}}),
    }


def new_server(**options: Any) -> GitHub:
    repositories = {
        "o/r": Repository(collaborators={"alice": "maintain", "bob": "triage", "carol": "admin"}),
        "o/hidden": Repository(private=True),
        "Corp/Data": Repository(),
    }
    return GitHub(repositories=repositories, accounts=accounts(), **options)


@pytest.fixture
def served() -> Iterator[GitHub]:
    with new_server() as server:
        yield server
    assert server.violations == []


@pytest.fixture
def repository(served: GitHub) -> Repository:
    return served.repositories["o/r"]


def client(server: GitHub, token: str | None = "writer-token") -> pygithub.Github:
    return pygithub.Github(
        auth=None if token is None else pygithub.Auth.Token(token),
        base_url=server.url,
        seconds_between_requests=None,
        seconds_between_writes=None,
        retry=None,
    )


def remote(server: GitHub, token: str = "writer-token", name: str = "o/r") -> Any:
    return client(server, token).get_repo(name)


def refusal(action: Callable[[], object]) -> pygithub.GithubException:
    with pytest.raises(pygithub.GithubException) as caught:
        action()
    return caught.value


def told(action: Callable[[], object]) -> tuple[int, str]:
    """Status and message of the refusal that the action meets."""
    error = refusal(action)
    return error.status, error.data["message"]


def faulty_fields(action: Callable[[], object]) -> list[tuple[str, str]]:
    """Field and code of each error of the 422 that the action meets."""
    error = refusal(action)
    assert error.status == 422
    return [(fault["field"], fault["code"]) for fault in error.data["errors"]]


NOT_PERMITTED = (403, "Resource not accessible by integration")
NOT_YOURS = (403, "Must have admin rights to Repository.")


# Accounts


def test_an_account_sees_itself(served: GitHub) -> None:
    user = client(served, "writer-token").get_user()
    assert (user.login, user.type) == ("writer", "User")


@pytest.mark.parametrize(("token", "login"), [("workflow-token", ACTIONS), ("bot-token", "report-bot")])
def test_the_token_of_an_app_may_not_ask_who_it_is_but_whose_view_it_has(
    served: GitHub, token: str, login: str
) -> None:
    assert told(lambda: client(served, token).get_user().login) == NOT_PERMITTED
    _, answer = client(served, token).requester.graphql_query("{ viewer { login } }", {})
    assert answer["data"]["viewer"]["login"] == login
    assert served.writes == []


def test_an_old_name_of_a_repository_leads_to_the_new_one(served: GitHub) -> None:
    served.renamed["o/old"] = "o/r"
    assert client(served).get_repo("o/old").full_name == "o/r"
    address = f"{served.url}/repos/o/old/issues?x=1"
    led_on = requests.post(address, json={"title": "title"}, timeout=10, allow_redirects=False)
    assert (led_on.status_code, led_on.headers["Location"]) == (307, f"{served.url}/repos/o/r/issues?x=1")
    assert served.writes == []


def test_a_workflow_token_acts_as_github_actions(served: GitHub) -> None:
    issue = remote(served, "workflow-token").create_issue("title")
    assert (issue.user.login, issue.user.type) == (ACTIONS, "Bot")


@pytest.mark.parametrize("path", ["/user", "/repos/o/r", "/repos/o/r/issues"])
@pytest.mark.parametrize(
    ("token", "message"),
    [(None, "Requires authentication"), ("stolen", "Bad credentials")],
    ids=["no token", "unknown token"],
)
def test_nothing_is_served_without_a_known_token(
    served: GitHub, path: str, token: str | None, message: str
) -> None:
    requester = client(served, token).requester
    assert told(lambda: requester.requestJsonAndCheck("GET", path)) == (401, message)


# Repositories


def test_a_repository_is_found_in_any_case(served: GitHub, repository: Repository) -> None:
    repository.open("one", by="alice")
    repository.open("two", by="alice")
    repository.turn(repository.issues[2], "closed", by="alice")
    found = remote(served, name="O/R")
    assert (found.full_name, found.owner.login, found.open_issues_count) == ("o/r", "o", 1)
    assert (found.private, found.archived, found.has_issues) == (False, False, True)
    assert remote(served, name="corp/data").full_name == "Corp/Data"


@pytest.mark.parametrize(("token", "push"), [("writer-token", True), ("workflow-token", False)])
def test_a_repository_tells_what_the_token_may_do(served: GitHub, token: str, push: bool) -> None:
    permissions = remote(served, token).permissions
    assert (permissions.pull, permissions.push, permissions.admin) == (True, push, False)


@pytest.mark.parametrize(
    ("token", "name"),
    [("writer-token", "o/nowhere"), ("reader-token", "o/hidden"), ("workflow-token", "o/hidden")],
)
def test_an_unknown_repository_and_an_invisible_one_look_alike(served: GitHub, token: str, name: str) -> None:
    requester = client(served, token).requester
    for path in (f"/repos/{name}", f"/repos/{name}/issues"):
        assert told(partial(requester.requestJsonAndCheck, "GET", path)) == (404, "Not Found")


@pytest.mark.parametrize(
    ("login", "permission", "role"),
    [
        ("o", "admin", "admin"),
        ("alice", "write", "maintain"),
        ("bob", "read", "triage"),
        ("carol", "admin", "admin"),
        ("stranger", "read", "read"),
    ],
)
def test_the_permission_of_a_login(served: GitHub, login: str, permission: str, role: str) -> None:
    found = remote(served)
    assert found.get_collaborator_permission(login) == permission
    assert found.get_collaborator_role_name(login) == role


def test_a_stranger_has_no_permission_in_a_private_repository(served: GitHub) -> None:
    assert remote(served, name="o/hidden").get_collaborator_permission("stranger") == "none"


def test_a_visitor_may_not_ask_for_permissions(served: GitHub) -> None:
    found = remote(served, "visitor-token")
    assert refusal(lambda: found.get_collaborator_permission("alice")).status == 403


# Issues


def test_a_created_issue_is_there_under_the_next_number(served: GitHub, repository: Repository) -> None:
    repository.open("first", by="alice")
    made = remote(served).create_issue("second", body="text", labels=["New"], assignees=["alice"])
    assert made.number == 2
    kept = repository.issues[2]
    assert (kept.title, kept.body, kept.author) == ("second", "text", "writer")
    assert (kept.labels, kept.assignees, kept.state, kept.state_reason) == (["New"], ["alice"], "open", None)
    assert list(repository.labels) == ["New"]
    assert remote(served).get_issue(2).body == "text"


def test_every_write_that_is_carried_out_is_recorded(served: GitHub) -> None:
    found = remote(served)
    issue = found.create_issue("title")
    issue.edit(body="text")
    refusal(lambda: issue.edit(title="x" * 257))
    comment = issue.create_comment("hello")
    comment.delete()
    written = [(write.method, write.path, write.json) for write in served.writes]
    assert written == [
        ("POST", "/repos/o/r/issues", {"title": "title"}),
        ("PATCH", "/repos/o/r/issues/1", {"body": "text"}),
        ("POST", "/repos/o/r/issues/1/comments", {"body": "hello"}),
        ("DELETE", f"/repos/o/r/issues/comments/{comment.id}", None),
    ]


def test_an_edit_changes_only_what_it_sends(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", "text", by="alice", labels=["a"], assignees=["bob"])
    before = issue.updated_at
    remote(served).get_issue(1).edit(body="new")
    assert (issue.title, issue.body, issue.labels, issue.assignees) == ("title", "new", ["a"], ["bob"])
    assert (issue.state, issue.events[1:]) == ("open", [])
    assert issue.updated_at > before


def test_an_edit_replaces_labels_and_assignees(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", by="alice", labels=["a", "b"], assignees=["bob"])
    remote(served).get_issue(1).edit(labels=["B", "c"], assignees=["alice", "writer"])
    assert issue.labels == ["b", "c"]
    assert issue.assignees == ["alice", "writer"]


def test_a_person_retitles_an_issue(served: GitHub, repository: Repository) -> None:
    issue = repository.open("ours", by=ACTIONS)
    issue.title = "theirs"
    assert remote(served).get_issue(1).title == "theirs"


@pytest.mark.parametrize(
    ("sent", "reason"),
    [({}, "completed"), ({"state_reason": "not_planned"}, "not_planned")],
)
def test_closing_and_reopening(
    served: GitHub, repository: Repository, sent: dict[str, str], reason: str
) -> None:
    kept = repository.open("title", by="alice")
    issue = remote(served).get_issue(1)
    issue.edit(state="closed", **sent)
    assert (issue.state, issue.state_reason, issue.closed_by.login) == ("closed", reason, "writer")
    assert issue.closed_at is not None
    issue.edit(state="open")
    assert (issue.state, kept.state_reason, kept.closed_at) == ("open", "reopened", None)
    assert [event.name for event in kept.events] == ["closed", "reopened"]


def test_a_reason_without_a_change_of_state_is_ignored(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", by="alice")
    remote(served).get_issue(1).edit(state="open", state_reason="not_planned")
    assert (issue.state_reason, issue.events) == (None, [])


def test_an_issue_that_is_not_there(served: GitHub) -> None:
    assert told(lambda: remote(served).get_issue(7)) == (404, "Not Found")


@pytest.mark.parametrize(
    ("filters", "numbers"),
    [
        ({}, [5, 4, 1]),
        ({"state": "closed"}, [3, 2]),
        ({"state": "all"}, [5, 4, 3, 2, 1]),
        ({"state": "all", "direction": "asc"}, [1, 2, 3, 4, 5]),
        ({"state": "all", "creator": "Alice"}, [3, 1]),
        ({"state": "all", "labels": ["A"]}, [4, 2, 1]),
        ({"state": "all", "labels": ["a", "b"]}, [2]),
        ({"state": "all", "sort": "updated"}, [1, 3, 2, 5, 4]),
        ({"state": "all", "sort": "comments"}, [1, 5, 4, 3, 2]),
    ],
    ids=str,
)
def test_the_list_of_issues_is_filtered_and_sorted(
    served: GitHub, repository: Repository, filters: dict[str, Any], numbers: list[int]
) -> None:
    for by, labels in [("alice", "a"), ("bob", "ab"), ("alice", ""), ("bob", "a"), (ACTIONS, "")]:
        repository.open("title", by=by, labels=labels)
    for number in (2, 3):
        repository.turn(repository.issues[number], "closed", by="carol")
    repository.comment(repository.issues[1], "hello", by="bob")
    assert [issue.number for issue in remote(served).get_issues(**filters)] == numbers


def test_the_list_of_issues_since_a_time(served: GitHub, repository: Repository) -> None:
    old, new = (repository.open("title", by="alice") for _ in range(2))
    since = remote(served).get_issue(new.number).updated_at
    assert [issue.number for issue in remote(served).get_issues(since=since)] == [new.number]
    repository.comment(old, "hello", by="bob")
    assert {issue.number for issue in remote(served).get_issues(since=since)} == {old.number, new.number}


def test_the_list_of_issues_holds_pull_requests(served: GitHub, repository: Repository) -> None:
    repository.open("an issue", by="alice")
    repository.open("a pull request", by="alice", pull_request=True)
    pull, issue = remote(served).get_issues()
    assert (issue.pull_request, pull.number) == (None, 2)
    assert pull.pull_request.html_url == f"{served.url}/o/r/pull/2"


def test_all_pages_together_hold_every_issue_once(served: GitHub, repository: Repository) -> None:
    for number in range(1, 251):
        repository.open(f"title {number}", by="alice")
    found = client(served)
    found.per_page = 100
    assert [issue.number for issue in found.get_repo("o/r").get_issues()] == list(range(250, 0, -1))
    assert [seen.query for seen in served.seen if seen.path.endswith("/issues")] == [
        "per_page=100",
        "page=2&per_page=100",
        "page=3&per_page=100",
    ]


@pytest.mark.parametrize(
    ("page", "rels", "length"),
    [
        (1, {"next": 2, "last": 4}, 30),
        (2, {"prev": 1, "next": 3, "last": 4, "first": 1}, 30),
        (4, {"prev": 3, "first": 1}, 11),
        (5, {"prev": 4, "first": 1}, 0),
    ],
)
def test_a_page_links_to_the_others_on_the_same_host(
    served: GitHub, repository: Repository, page: int, rels: dict[str, int], length: int
) -> None:
    for _ in range(101):
        repository.open("title", by="alice")
    answer = get(served, f"/repos/o/r/issues?state=all&page={page}")
    pages = {rel: link["url"] for rel, link in answer.links.items()}
    assert pages == {rel: f"{served.url}/repos/o/r/issues?state=all&page={n}" for rel, n in rels.items()}
    assert len(answer.json()) == length


def test_a_page_holds_a_hundred_at_most_and_one_page_has_no_link(
    served: GitHub, repository: Repository
) -> None:
    for _ in range(101):
        repository.open("title", by="alice")
    assert len(get(served, "/repos/o/r/issues?per_page=1000").json()) == 100
    assert "Link" not in get(served, "/repos/o/r/labels").headers


def get(server: GitHub, path: str, token: str = "writer-token") -> requests.Response:
    return requests.get(server.url + path, headers={"Authorization": f"Bearer {token}"}, timeout=10)


# Comments


def test_the_life_of_a_comment(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", by="alice")
    comment = remote(served).get_issue(1).create_comment("first")
    repository.comment(issue, "second", by="bob")
    repository.comment(issue, "third", by="o")
    comment.edit("changed")
    assert (comment.body, comment.user.login) == ("changed", "writer")
    assert remote(served).get_issue(1).get_comment(comment.id).body == "changed"
    listed = remote(served).get_issue(1).get_comments()
    assert [(one.body, one.author_association) for one in listed] == [
        ("changed", "NONE"),
        ("second", "COLLABORATOR"),
        ("third", "OWNER"),
    ]
    assert remote(served).get_issue(1).comments == 3
    comment.delete()
    assert [one.body for one in issue.comments] == ["second", "third"]
    assert told(lambda: comment.edit("again")) == (404, "Not Found")


def test_comments_since_a_time(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", by="alice")
    first = remote(served).get_issue(1).create_comment("first")
    second = remote(served).get_issue(1).create_comment("second")
    listed = remote(served).get_issue(1).get_comments(since=second.created_at)
    assert [comment.id for comment in listed] == [second.id]
    assert first.id in {comment.id for comment in issue.comments}


def pin(server: GitHub, comment_id: int, verb: str = "PUT", token: str = "writer-token") -> Any:
    path = f"/repos/o/r/issues/comments/{comment_id}/pin"
    return client(server, token).requester.requestJsonAndCheck(verb, path)[1]


def test_a_comment_is_pinned_and_unpinned(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", by="alice")
    comment = repository.comment(issue, "hello", by="bob")
    assert pin(served, comment.id)["pin"]["pinned_by"]["login"] == "writer"
    shown = remote(served).get_issue(1).raw_data["pinned_comment"]
    assert (shown["id"], shown["pin"]["pinned_at"] is None) == (comment.id, False)
    assert pin(served, comment.id, "DELETE") is None
    assert comment.pinned_at is None
    assert remote(served).get_issue(1).raw_data["pinned_comment"] is None


def test_an_issue_has_one_pinned_comment(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", by="alice")
    first, second = (repository.comment(issue, text, by="bob") for text in ("one", "two"))
    pin(served, first.id)
    pin(served, second.id)
    assert (first.pinned_by, second.pinned_by) == (None, "writer")


def test_a_comment_on_a_pull_request_is_not_pinned(served: GitHub, repository: Repository) -> None:
    comment = repository.comment(repository.open("title", by="alice", pull_request=True), "hello", by="bob")
    assert faulty_fields(lambda: pin(served, comment.id)) == [("pin", "custom")]


@pytest.mark.parametrize("token", ["reader-token", "visitor-token"])
def test_to_pin_needs_write_access(served: GitHub, repository: Repository, token: str) -> None:
    comment = repository.comment(repository.open("title", by="alice"), "hello", by="visitor")
    assert told(lambda: pin(served, comment.id, token=token)) == NOT_PERMITTED
    assert comment.pinned_at is None


# Labels and events


def test_labels_of_an_issue(served: GitHub, repository: Repository) -> None:
    kept = repository.open("title", by="alice", labels=["old"])
    issue = remote(served).get_issue(1)
    issue.add_to_labels("new", "needs/review")
    assert [label.name for label in issue.get_labels()] == ["old", "new", "needs/review"]
    issue.remove_from_labels("needs/review")
    assert kept.labels == ["old", "new"]
    issue.set_labels("other")
    assert kept.labels == ["other"]
    assert told(lambda: issue.remove_from_labels("old")) == (404, "Label does not exist")
    assert faulty_fields(lambda: issue.add_to_labels("")) == [("name", "missing_field")]
    assert list(repository.labels) == ["old", "new", "needs/review", "other"]


def test_labels_of_the_repository(served: GitHub, repository: Repository) -> None:
    found = remote(served)
    issue = repository.open("title", by="alice", labels=["kept"])
    made = found.create_label("a b", "00ff00", "words")
    assert [label.name for label in found.get_labels()] == ["a b", "kept"]
    assert (found.get_label("A B").color, made.description) == ("00ff00", "words")
    found.get_label("kept").edit("renamed", "112233", "more words")
    assert (issue.labels, repository.labels["renamed"].color) == (["renamed"], "112233")
    found.get_label("renamed").delete()
    assert (issue.labels, list(repository.labels)) == ([], ["a b"])
    assert told(lambda: found.get_label("renamed")) == (404, "Not Found")


@pytest.mark.parametrize(
    ("label", "fault"),
    [
        (("TAKEN", "000000", ""), ("name", "already_exists")),
        (("x" * 51, "000000", ""), ("name", "custom")),
        ((" ", "000000", ""), ("name", "missing_field")),
        (("new", "#00000", ""), ("color", "invalid")),
        (("new", "000000", "x" * 101), ("description", "custom")),
    ],
    ids=["taken", "long name", "no name", "no colour", "long description"],
)
def test_a_label_that_cannot_be(
    served: GitHub, repository: Repository, label: tuple[str, str, str], fault: tuple[str, str]
) -> None:
    repository.label("taken")
    assert faulty_fields(lambda: remote(served).create_label(*label)) == [fault]
    assert list(repository.labels) == ["taken"]


def test_events_tell_who_added_a_label(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", by=ACTIONS)
    repository.relabel(issue, ["approved"], by="alice")
    repository.relabel(issue, [], by="bob")
    repository.relabel(issue, ["approved"], by="stranger")
    found = remote(served).get_issue(1)
    happened = [("labeled", "alice"), ("unlabeled", "bob"), ("labeled", "stranger")]
    assert [(event.event, event.actor.login) for event in found.get_events()] == happened
    assert {event.label.name for event in found.get_events()} == {"approved"}


def test_the_timeline_has_events_and_comments_in_order(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", by="alice", labels=["a"])
    repository.comment(issue, "hello", by="bob")
    repository.turn(issue, "closed", by="carol")
    timeline = list(remote(served).get_issue(1).get_timeline())
    assert [(event.event, event.actor.login) for event in timeline] == [
        ("labeled", "alice"),
        ("commented", "bob"),
        ("closed", "carol"),
    ]
    assert timeline[1].body == "hello"


def test_the_list_is_late_with_labels() -> None:
    with new_server(label_lag=10) as server:
        repository = server.repositories["o/r"]
        issue = repository.open("title", by="alice", labels=["old"])
        server.clock.count += 10
        repository.relabel(issue, ["new"], by="alice")

        def found(label: str) -> list[int]:
            return [issue.number for issue in remote(server).get_issues(labels=[label])]

        assert (found("old"), found("new")) == ([1], [])
        assert [label.name for label in remote(server).get_issue(1).labels] == ["new"]
        server.clock.count += 10
        assert (found("old"), found("new")) == ([], [1])
    assert server.violations == []


def test_each_request_takes_a_second(served: GitHub, repository: Repository) -> None:
    before = served.clock.count
    for _ in range(3):
        get(served, "/repos/o/r")
    assert served.clock.count == before + 3


# Releases


def test_releases_are_listed_and_found(served: GitHub, repository: Repository) -> None:
    for tag in ("v1", "v2"):
        repository.release(tag, name=f"Release {tag}", body="notes")
    repository.release("v3-rc", prerelease=True)
    repository.release("v3", draft=True)
    found = remote(served)
    assert [release.tag_name for release in found.get_releases()] == ["v3", "v3-rc", "v2", "v1"]
    assert found.get_release("v1").body == "notes"
    assert found.get_release(repository.releases[3].id).draft
    assert found.get_latest_release().tag_name == "v2"
    for tag in ("v3", "v9"):
        assert told(partial(found.get_release, tag)) == (404, "Not Found")


def test_a_draft_is_hidden_from_those_who_cannot_write(served: GitHub, repository: Repository) -> None:
    draft = repository.release("v1", draft=True)
    found = remote(served, "workflow-token")
    assert list(found.get_releases()) == []
    assert told(lambda: found.get_release(draft.id)) == (404, "Not Found")
    assert told(found.get_latest_release) == (404, "Not Found")


def test_a_release_is_edited_and_takes_a_file(served: GitHub, repository: Repository) -> None:
    kept = repository.release("v1", body="notes", draft=True)
    release = remote(served).get_release(kept.id)
    release = release.update_release("name", "more notes", draft=False)
    assert (kept.name, kept.body, kept.draft, kept.published_at is None) == (
        "name",
        "more notes",
        False,
        False,
    )
    upload(release, b"{}", "the report.json")
    (asset,) = release.get_assets()
    assert (asset.name, asset.size, kept.assets[0].content) == ("the.report.json", 2, b"{}")
    assert [asset.name for asset in remote(served).get_release("v1").assets] == ["the.report.json"]
    assert faulty_fields(lambda: upload(release, b"{}", "the report.json")) == [("name", "already_exists")]
    asset.delete_asset()
    assert kept.assets == []
    assert told(asset.delete_asset) == (404, "Not Found")


def upload(release: Any, content: bytes, name: str) -> Any:
    return release.upload_asset_from_memory(
        io.BytesIO(content), len(content), name, content_type="application/json"
    )


def test_a_file_needs_a_name(served: GitHub, repository: Repository) -> None:
    release = remote(served).get_release(repository.release("v1").id)
    assert faulty_fields(lambda: upload(release, b"{}", "...")) == [("name", "missing_field")]


def test_a_file_is_uploaded_from_disk(served: GitHub, repository: Repository, tmp_path: Path) -> None:
    kept = repository.release("v1")
    (tmp_path / "report.json").write_bytes(b"[1]")
    remote(served).get_release("v1").upload_asset(str(tmp_path / "report.json"), label="The report")
    (asset,) = kept.assets
    assert (asset.name, asset.label, asset.content) == ("report.json", "The report", b"[1]")
    assert asset.content_type == "application/json"


def test_an_immutable_release_lets_only_its_title_and_notes_change(
    served: GitHub, repository: Repository
) -> None:
    kept = repository.release("v1", draft=True, immutable=True)
    release = remote(served).get_release(kept.id)
    upload(release, b"{}", "early.json")
    assert release.raw_data["immutable"] is False
    release = release.update_release("name", "notes", draft=False)
    assert release.raw_data["immutable"] is True
    release.update_release("new name", "new notes")
    assert (kept.name, kept.body) == ("new name", "new notes")
    assert told(lambda: upload(release, b"{}", "late.json"))[0] == 422
    assert told(release.get_assets()[0].delete_asset)[0] == 422
    edits: list[dict[str, Any]] = [{"tag_name": "v2"}, {"draft": True}, {"prerelease": True}]
    for edit in [*edits, {"target_commitish": "other"}]:
        faults = faulty_fields(partial(release.update_release, "x", "x", **edit))
        assert faults == [(*edit, "custom")]
    assert (kept.tag, kept.name, kept.draft, kept.prerelease, kept.target) == (
        "v1",
        "new name",
        False,
        False,
        "main",
    )
    assert [asset.name for asset in kept.assets] == ["early.json"]


def test_release_notes_have_a_limit_of_their_own(served: GitHub, repository: Repository) -> None:
    kept = repository.release("v1")
    release = remote(served).get_release("v1")
    release.update_release("name", "x" * 125_000)
    assert faulty_fields(lambda: release.update_release("name", "x" * 125_001)) == [("body", "custom")]
    assert len(kept.body) == 125_000


def test_releases_need_their_own_permission(served: GitHub, repository: Repository) -> None:
    kept = repository.release("v1", body="notes")
    release = remote(served, "workflow-token").get_release("v1")
    assert told(lambda: release.update_release("name", "changed")) == NOT_PERMITTED
    assert told(lambda: upload(release, b"{}", "report.json")) == NOT_PERMITTED
    assert (kept.body, kept.assets) == ("notes", [])


# Search and limits


def test_search_finds_nothing(served: GitHub, repository: Repository) -> None:
    repository.open("title", by="writer")
    assert client(served).search_issues("title repo:o/r").totalCount == 0
    assert client(served).get_repo("o/r").get_issues().totalCount == 1


def test_search_needs_a_query() -> None:
    with new_server() as server:
        assert get(server, "/search/issues").status_code == 422


def test_the_rate_limit_is_told(served: GitHub) -> None:
    hub = client(served)
    assert hub.get_rate_limit().rate.remaining == 5_000
    assert hub.get_rate_limit().resources.core.remaining == 4_999
    assert hub.rate_limiting == (4_999, 5_000)


# What it refuses


@pytest.mark.parametrize("character", ["x", "\N{GRINNING FACE}"], ids=["ASCII", "emoji"])
def test_a_body_holds_65536_characters(served: GitHub, repository: Repository, character: str) -> None:
    fits = character * 65_536
    issue = remote(served).create_issue("title", body=fits)
    issue.edit(body=fits)
    comment = issue.create_comment(fits)
    comment.edit(fits)
    kept = repository.issues[1]
    assert (kept.body, kept.comments[0].body) == (fits, fits)


def test_a_longer_body_is_refused(served: GitHub, repository: Repository) -> None:
    long = "x" * 65_537
    found, kept = remote(served), repository.open("title", "text", by="alice")
    comment = repository.comment(kept, "hello", by="alice")
    issue = found.get_issue(1)
    refused: list[Callable[[], object]] = [
        lambda: found.create_issue("title", body=long),
        lambda: issue.edit(body=long),
    ]
    for action in refused:
        assert faulty_fields(action) == [("body", "custom")]
    refused = [lambda: issue.create_comment(long), lambda: issue.get_comment(comment.id).edit(long)]
    for action in refused:
        assert faulty_fields(action) == [("data", "unprocessable")]
    assert (len(repository.issues), kept.body, len(kept.comments), comment.body) == (1, "text", 1, "hello")
    assert served.writes == []


def test_a_patch_of_more_than_262144_bytes_is_answered_200_and_stores_nothing(
    served: GitHub, repository: Repository
) -> None:
    heavy = "\N{GRINNING FACE}" * 65_536 + "x"
    kept = repository.open("title", "text", by="alice")
    comment = repository.comment(kept, "hello", by="alice")
    issue = remote(served).get_issue(1)
    issue.edit(title="new", body=heavy)
    issue.get_comment(comment.id).edit(heavy)
    assert (kept.title, kept.body, comment.body) == ("title", "text", "hello")
    assert [write.method for write in served.writes] == ["PATCH", "PATCH"]
    assert refusal(lambda: issue.create_comment(heavy)).status == 422


def test_a_title_holds_256_characters(served: GitHub, repository: Repository) -> None:
    found = remote(served)
    issue = found.create_issue("x" * 256)
    error = refusal(lambda: found.create_issue("x" * 257))
    assert error.data["errors"][0]["message"] == "title is too long (maximum is 256 characters)"
    assert faulty_fields(lambda: issue.edit(title="x" * 257)) == [("title", "custom")]
    assert [len(issue.title) for issue in repository.issues.values()] == [256]


@pytest.mark.parametrize("title", ["", "  "])
def test_an_issue_needs_a_title(served: GitHub, repository: Repository, title: str) -> None:
    assert faulty_fields(lambda: remote(served).create_issue(title)) == [("title", "missing_field")]
    repository.open("title", by="alice")
    assert faulty_fields(lambda: remote(served).get_issue(1).edit(title=title)) == [
        ("title", "missing_field")
    ]


def test_a_comment_needs_a_body(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", by="alice")
    assert faulty_fields(lambda: remote(served).get_issue(1).create_comment("")) == [
        ("body", "missing_field")
    ]
    assert issue.comments == []


def test_only_people_of_the_repository_are_assigned(served: GitHub, repository: Repository) -> None:
    found = remote(served)
    assert faulty_fields(lambda: found.create_issue("title", assignees=["alice", "stranger"])) == [
        ("assignees", "invalid")
    ]
    assert repository.issues == {}


def test_a_refused_edit_changes_nothing(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", "text", by="alice", labels=["a"])
    edit = {"title": "new", "labels": ["b"], "state": "closed", "assignees": ["stranger"]}
    assert refusal(lambda: remote(served).get_issue(1).edit(**edit)).status == 422
    assert (issue.title, issue.labels, issue.state) == ("title", ["a"], "open")


@pytest.mark.parametrize(
    "action",
    [
        lambda found: found.create_issue("title"),
        lambda found: found.get_issue(1).edit(body="new"),
        lambda found: found.get_issue(1).create_comment("hello"),
        lambda found: found.get_issue(1).get_comments()[0].edit("new"),
        lambda found: found.get_issue(1).get_comments()[0].delete(),
        lambda found: found.get_issue(1).add_to_labels("a"),
        lambda found: found.create_label("a", "000000"),
        lambda found: found.get_release("v1").update_release("name", "notes"),
    ],
    ids=["open", "edit", "comment", "edit comment", "delete comment", "label", "new label", "release"],
)
@pytest.mark.parametrize("barrier", ["read-only", "archived"])
def test_no_write_passes_a_barrier(
    served: GitHub, repository: Repository, action: Callable[[Any], object], barrier: str
) -> None:
    repository.comment(repository.open("title", by="reader"), "hello", by="reader")
    repository.release("v1")
    repository.archived = barrier == "archived"
    token, expected = {
        "read-only": ("reader-token", NOT_PERMITTED),
        "archived": ("writer-token", (403, "Repository was archived so is read-only.")),
    }[barrier]
    assert told(lambda: action(remote(served, token))) == expected
    assert served.writes == []


def test_issues_that_are_switched_off(served: GitHub, repository: Repository) -> None:
    repository.has_issues = False
    found = remote(served)
    assert not found.has_issues
    for action in (lambda: found.create_issue("title"), lambda: list(found.get_issues())):
        assert told(action) == (410, "Issues are disabled for this repo")


def test_a_locked_issue_is_read_and_not_written(served: GitHub, repository: Repository) -> None:
    kept = repository.open("title", "text", by="writer")
    comment = repository.comment(kept, "hello", by="writer")
    kept.locked = True
    issue = remote(served).get_issue(1)
    assert (issue.locked, issue.get_comment(comment.id).body) == (True, "hello")
    refused: list[Callable[[], object]] = [
        lambda: issue.edit(body="new"),
        lambda: issue.create_comment("new"),
        lambda: issue.get_comment(comment.id).edit("new"),
        lambda: issue.add_to_labels("new"),
        lambda: pin(served, comment.id),
    ]
    for action in refused:
        assert told(action) == (403, "Unable to create comment because issue is locked.")
    assert served.writes == []


def test_the_refusals_that_were_reported(served: GitHub, repository: Repository) -> None:
    """The status, message and faulty fields of five real refusals are met to the letter."""
    if not REPLIES.is_file():
        pytest.skip("the reported refusals are not at hand")
    reported = [(one["status"], one["body"]) for one in json.loads(REPLIES.read_text(encoding="utf-8"))]
    locked = repository.open("title", by="writer")
    locked.locked = True
    off = served.repositories["o/hidden"]
    off.has_issues = False
    actions: list[Callable[[], object]] = [
        lambda: remote(served, "reader-token").create_issue("title"),
        lambda: remote(served, name="o/hidden").create_issue("title"),
        lambda: remote(served).get_issue(1).edit(body="new"),
        lambda: remote(served, "reader-token", "o/hidden").get_issues()[0],
        lambda: remote(served).create_issue("x" * 257),
    ]
    met = []
    for action in actions:
        error = refusal(action)
        met.append((error.status, {k: v for k, v in error.data.items() if k in {"message", "errors"}}))
    assert met == reported


def test_a_private_repository_without_the_permission(served: GitHub) -> None:
    found = remote(served, "blind-token", "o/hidden")
    assert told(lambda: list(found.get_issues())) == NOT_PERMITTED
    assert list(found.get_releases()) == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", 400),
        (b'"text"', 400),
        (b'{"title": "\\ud83d"}', 400),
        (b"", 422),
        (b"[]", 422),
        (b'{"title": 3}', 422),
        (b'{"title": "x", "labels": "a"}', 422),
    ],
)
def test_a_body_that_cannot_be_read(body: bytes, code: int) -> None:
    with new_server() as server:
        headers = {"Authorization": "token writer-token"}
        answer = requests.post(f"{server.url}/repos/o/r/issues", data=body, headers=headers, timeout=10)
        assert answer.status_code == code
        assert server.repositories["o/r"].issues == {}


@pytest.mark.parametrize(
    ("query", "field"),
    [("state=ajar", "state"), ("sort=colour", "sort")],
)
def test_a_filter_that_cannot_be(query: str, field: str) -> None:
    with new_server() as server:
        answer = get(server, f"/repos/o/r/issues?{query}")
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)


@pytest.mark.parametrize("edit", [{"state": "ajar"}, {"state_reason": "bored"}])
def test_a_state_that_cannot_be(edit: dict[str, str]) -> None:
    with new_server() as server:
        server.repositories["o/r"].open("title", by="writer")
        requester = client(server).requester
        path = "/repos/o/r/issues/1"
        assert faulty_fields(lambda: requester.requestJsonAndCheck("PATCH", path, input=edit)) == [
            (*edit, "invalid")
        ]


# Visitors of a public repository


def test_a_visitor_opens_an_issue_and_labels_are_dropped(served: GitHub, repository: Repository) -> None:
    issue = remote(served, "visitor-token").create_issue("title", labels=["a"], assignees=["alice"])
    kept = repository.issues[issue.number]
    assert (kept.author, kept.labels, kept.assignees) == ("visitor", [], [])
    issue.create_comment("hello").edit("changed")
    issue.edit(body="text", state="closed", labels=["a"])
    assert (kept.body, kept.state, kept.labels, kept.comments[0].body) == ("text", "closed", [], "changed")


def test_a_visitor_changes_only_their_own(served: GitHub, repository: Repository) -> None:
    kept = repository.open("title", "text", by="alice")
    comment = repository.comment(kept, "hello", by="alice")
    issue = remote(served, "visitor-token").get_issue(1)
    refused: list[Callable[[], object]] = [
        lambda: issue.edit(body="new"),
        lambda: issue.get_comment(comment.id).edit("new"),
        lambda: issue.get_comment(comment.id).delete(),
    ]
    for action in refused:
        assert told(action) == NOT_YOURS
    assert told(lambda: issue.add_to_labels("a")) == NOT_PERMITTED
    assert (kept.body, kept.labels, kept.comments) == ("text", [], [comment])


def test_a_workflow_token_writes_in_no_other_repository() -> None:
    with GitHub(repositories={"up/stream": Repository()}, accounts=accounts()) as server:
        for token in ("workflow-token", "bot-token"):
            found = remote(server, token, "up/stream")
            assert list(found.get_issues()) == []
            assert told(partial(found.create_issue, "title")) == NOT_PERMITTED
    assert server.violations == []


# Faults


def is_post(request: Request) -> bool:
    return request.method == "POST"


def test_a_cut_after_the_work_leaves_the_issue_there(served: GitHub, repository: Repository) -> None:
    found = remote(served)
    served.faults.append(Fault(matches=is_post, after=cut))
    with pytest.raises(requests.exceptions.ConnectionError):
        found.create_issue("title")
    assert [issue.title for issue in repository.issues.values()] == ["title"]
    assert [issue.title for issue in found.get_issues(state="all", creator="writer")] == ["title"]


def test_a_cut_before_the_work_leaves_nothing(served: GitHub, repository: Repository) -> None:
    found = remote(served)
    served.faults.append(Fault(matches=is_post, before=cut))
    with pytest.raises(requests.exceptions.ConnectionError):
        found.create_issue("title")
    assert (repository.issues, served.writes) == ({}, [])
    assert found.create_issue("title").number == 1


def test_the_primary_limit(served: GitHub) -> None:
    found = remote(served)
    served.faults.append(Fault(before=primary_limit(reset=1_800_000_000)))
    error = refusal(lambda: list(found.get_issues()))
    assert isinstance(error, pygithub.RateLimitExceededException)
    headers = error.headers or {}
    assert (headers["x-ratelimit-remaining"], headers["x-ratelimit-reset"]) == ("0", "1800000000")
    assert "retry-after" not in headers
    assert list(found.get_issues()) == []


@pytest.mark.parametrize(("wait", "header"), [(7, "7"), (None, None)])
def test_the_secondary_limit(served: GitHub, wait: int | None, header: str | None) -> None:
    found = remote(served)
    served.faults.append(Fault(matches=is_post, before=secondary_limit(retry_after=wait)))
    error = refusal(lambda: found.create_issue("title"))
    assert isinstance(error, pygithub.RateLimitExceededException)
    assert (error.headers or {}).get("retry-after") == header
    served.faults.append(Fault(matches=is_post, before=secondary_limit(code=429)))
    assert refusal(lambda: found.create_issue("title")).status == 429
    assert served.writes == []


# Repeatable


def test_equal_calls_leave_equal_things() -> None:
    def run() -> tuple[dict[int, Issue], list[str]]:
        with new_server() as server:
            issue = remote(server).create_issue("title", labels=["a"])
            issue.create_comment("hello")
            issue.edit(state="closed")
            times = [str(moment) for moment in (issue.created_at, issue.updated_at, issue.closed_at)]
            return server.repositories["o/r"].issues, times

    first = run()
    assert first == run()
    assert first[1] == sorted(first[1])


def test_ids_are_given_once(served: GitHub, repository: Repository) -> None:
    issue = repository.open("title", by="alice", labels=["a", "b"])
    repository.comment(issue, "hello", by="alice")
    other = served.repositories["o/hidden"].open("title", by="alice")
    ids = [issue.id, other.id, *(comment.id for comment in issue.comments)]
    ids += [event.id for event in issue.events]
    ids += [label.id for label in repository.labels.values()]
    assert len(set(ids)) == len(ids) == 7
    assert min(ids) > 2**31


def test_a_repository_that_was_filled_before_keeps_its_times_in_the_past() -> None:
    repository = Repository()
    earlier = [repository.open("title", by="alice").created_at for _ in range(20)]
    with GitHub(repositories={"o/r": repository}, accounts=accounts()) as server:
        later = remote(server).create_issue("later")
    assert repository.issues[later.number].created_at > max(earlier)


# The description


@needs_description
def test_every_endpoint_is_one_of_githubs() -> None:
    description = described()
    assert description is not None
    faults = {}
    rules = [rule for rule in ROUTES.iter_rules() if rule.rule != GRAPHQL]
    for rule in rules:
        (method,) = (rule.methods or set()) - {"HEAD"}
        # The status is none that any endpoint foresees: only a known endpoint says so.
        known = list(description.answer(method, rule.endpoint.template, Reply(299)))
        asked = list(description.request(method, rule.endpoint.template, {}, None))
        faults[method, rule.endpoint.template] = ["the description has no such endpoint" in asked, known]
    assert len(faults) == len(rules)
    assert {str(fault) for fault in faults.values()} == {"[False, ['the description has no such status']]"}


@needs_description
def test_what_the_description_does_not_foresee() -> None:
    description = described()
    assert description is not None
    comment = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
    assert list(description.request("GET", "/nowhere", {}, None)) == ["the description has no such endpoint"]
    assert list(description.request("GET", "/user", {}, {})) == ["a body is not foreseen"]
    assert list(description.request("PATCH", comment, {}, None)) == ["missing body"]
    assert list(description.request("GET", "/search/issues", {}, None)) == ["missing parameter 'q'"]
    assert list(description.answer("DELETE", comment, Reply(204, {}))) == ["a body is not foreseen"]
    assert list(description.answer("DELETE", comment, Reply(403, "text"))) == [
        "$: 'text' is not of type 'object'"
    ]


@needs_description
@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        ({"body": "text"}, "'title' is a required property"),
        ({"title": "x", "lables": ["a"]}, "unknown field 'lables'"),
        ({"title": "x", "body": 3}, "$.body: 3 is not of type 'string'"),
    ],
)
def test_a_request_that_does_not_fit_is_noted(sent: dict[str, Any], fault: str) -> None:
    with new_server() as server:
        requester = client(server).requester
        with contextlib.suppress(pygithub.GithubException):
            requester.requestJsonAndCheck("POST", "/repos/o/r/issues", input=sent)
    (violation,) = server.violations
    assert violation.startswith("POST /repos/o/r/issues, request: ")
    assert fault in violation


@needs_description
@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("direction=up", "'up' is not one of ['asc', 'desc']"),
        ("page=two", "parameter 'page': $: 'two' is not of type 'integer'"),
        ("since=yesterday", "'yesterday' is not a 'date-time'"),
    ],
)
def test_a_parameter_that_does_not_fit_is_noted(query: str, fault: str) -> None:
    with new_server() as server:
        get(server, f"/repos/o/r/issues?{query}")
    (violation,) = server.violations
    assert fault in violation


@needs_description
def test_an_answer_that_does_not_fit_is_noted() -> None:
    with new_server() as server:
        issue = server.repositories["o/r"].open("title", by="alice")
        issue.closed_by, issue.state_reason = "alice", "bored"
        get(server, "/repos/o/r/issues/1")
        get(server, "/repos/o/r/issues")
    assert len(server.violations) == 2
    assert all("'bored' is not one of" in violation for violation in server.violations)
    assert server.violations[0].startswith("GET /repos/o/r/issues/1, answer 200: $.state_reason: ")


@needs_description
def test_what_was_sound_is_judged_again_when_it_changed() -> None:
    with new_server() as server:
        issue = server.repositories["o/r"].open("title", by="alice")
        get(server, "/repos/o/r/issues")
        assert server.violations == []
        issue.state_reason = "bored"
        get(server, "/repos/o/r/issues")
    assert len(server.violations) == 1


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("/repos/o/r/pulls", "GET /repos/o/r/pulls: not served here"),
        ("/repos/o/r/issues/", "GET /repos/o/r/issues/: not served here"),
        ("/repos/o/r//issues", "GET /repos/o/r//issues: not served here"),
        ("/repos/o/r/issues?milestone=1", "GET /repos/o/r/issues: parameter 'milestone' is not served here"),
    ],
)
def test_what_is_not_served_is_noted(path: str, fault: str) -> None:
    with new_server() as server:
        get(server, path)
    assert server.violations == [fault]
