"""What a channel needs is missed before anything is asked of it, in one line that says what to set."""

from __future__ import annotations

from typing import Any

import pytest

from benchaudit.edges import Edges
from benchaudit.errors import SettingsError
from benchaudit.job import plan
from benchaudit.settings import settle
from benchaudit.tracker.folder import FolderTracker
from benchaudit.tracker.github import GitHubTracker
from benchaudit.tracker.nowhere import NoTracker

ISSUES = {"channel": "github", "github-token": "ghs_1", "repository": "team/watch", "dataset": "team/quiz"}


def settings_of(**given: str) -> Any:
    """Settings, `_` for `-`."""
    named = {name.replace("_", "-"): text for name, text in given.items()}
    return settle([{name: (text, name) for name, text in named.items()}])


@pytest.mark.parametrize(
    ("given", "todo"),
    [
        (ISSUES | {"github-token": ""}, "github-token"),
        (ISSUES | {"repository": ""}, "repository"),
        (ISSUES | {"repository": "watch"}, "repository"),
        (ISSUES | {"repository": "a/b/c"}, "repository"),
        ({"channel": "hub", "dataset": "team/quiz"}, "hf-token"),
        ({"channel": "hub", "hf-token": "hf_1"}, "dataset"),
    ],
)
def test_a_channel_that_lacks_something_says_what_to_set(given: dict[str, str], todo: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Edges({}).tracker(settings_of(**given))
    assert todo in caught.value.todo
    assert caught.value.exit_status == 2


def test_datasets_of_one_repository_share_its_issues() -> None:
    """So a fleet asks for the list once."""
    edges = Edges({})
    one, two = (edges.tracker(settings_of(**ISSUES, revision=name)) for name in ("main", "v2"))
    other = edges.tracker(settings_of(**ISSUES | {"author": "bot"}))
    assert isinstance(one, GitHubTracker)
    assert one is two
    assert one is not other


def test_datasets_of_one_folder_share_it() -> None:
    """So that of two that are new at once each has a number of its own."""
    edges = Edges({})
    one, two = (edges.tracker(settings_of(channel="folder", dataset=name)) for name in ("a/b", "a/c"))
    assert one is two


def test_the_repository_of_the_workflow_is_taken_where_none_is_named() -> None:
    edges = Edges({"GITHUB_REPOSITORY": "team/watch"})
    assert isinstance(edges.tracker(settings_of(**ISSUES | {"repository": ""})), GitHubTracker)


def test_a_folder_and_nothing_need_no_token() -> None:
    assert isinstance(Edges({}).tracker(settings_of(channel="folder")), FolderTracker)
    assert isinstance(Edges({}).tracker(settings_of(channel="none")), NoTracker)


def test_upstream_is_let_go_on_an_issue_only() -> None:
    given = settings_of(upstream="hub", approval_label="go", channel="folder", dataset="team/quiz")
    with pytest.raises(SettingsError, match="approved by a label"):
        Edges({}).upstream(Edges({}).tracker(given), given)


def test_what_is_proposed_is_not_reported_upstream() -> None:
    """A config that both share may wish for it."""
    given = settings_of(upstream="hub", revision="refs/pr/3", **ISSUES)
    assert Edges({}).upstream(Edges({}).tracker(given), given) is None


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ({}, True),
        ({"dataset": "Team/Quiz", "repository": "Team/Watch", "files": "b.csv", "revision": "v2"}, True),
        ({"repository": ""}, True),
        ({"dataset": "team/other"}, False),
        ({"repository": "team/other"}, False),
        ({"author": "bot"}, False),
        ({"channel": "folder"}, False),
        ({"channel": "hub", "hf-token": "hf_1"}, False),
    ],
)
def test_two_entries_have_one_report_where_they_share_its_place(other: dict[str, str], is_same: bool) -> None:
    edges = Edges({"GITHUB_REPOSITORY": "team/watch"})
    assert (edges.place(settings_of(**ISSUES)) == edges.place(settings_of(**ISSUES | other))) is is_same


def test_what_keeps_no_report_has_no_place() -> None:
    for given in ({"channel": "none"}, {"revision": "refs/pr/3"}, {"dataset": ""}):
        assert Edges({}).place(settings_of(**ISSUES | given)) == ()


@pytest.mark.parametrize("environment", [{}, {"GITHUB_REPOSITORY": "team/watch"}])
def test_notes_of_releases_need_the_repository_and_its_token(environment: dict[str, str]) -> None:
    assert Edges(environment).notes(settings_of()) is None
    with pytest.raises(SettingsError, match="set github-token"):
        Edges(environment).notes(settings_of(annotate_release="true"))


def test_a_plan_is_of_a_config_file() -> None:
    with pytest.raises(SettingsError, match="no config file is named - set `config`"):
        plan([], {}, 10)
