"""The edges of a run, opened from its settings and environment: trackers, and the way upstream."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypedDict, Unpack

from benchaudit.errors import SettingsError
from benchaudit.settings import Settings
from benchaudit.speech import say

if TYPE_CHECKING:
    from benchaudit.tracker.base import Tracker
    from benchaudit.tracker.connection import Connection
    from benchaudit.tracker.folder import FolderTracker
    from benchaudit.tracker.github import GitHubTracker
    from benchaudit.tracker.release_notes import ReleaseNotes
    from benchaudit.upstream import Upstream

REPORTS = "benchaudit-reports"
"""The folder of the channel `folder`, in the workspace."""


class _Given(TypedDict, total=False):
    """What a connection is told of the repository: as `Connection` takes it."""

    named: bool
    inputs: tuple[str, str]


class Edges:
    """What a run of one or `many` datasets speaks to; datasets that report to one place share its tracker."""

    def __init__(self, environment: Mapping[str, str], *, many: bool = False) -> None:
        self.environment, self._many = environment, many
        self._shared: dict[tuple[str, str, str], GitHubTracker] = {}
        self._folder: FolderTracker | None = None
        self._notes: dict[str, ReleaseNotes] = {}
        self._lock = Lock()

    def tracker(self, settings: Settings) -> Tracker:
        """Return the tracker of the channel that is set. Raises SettingsError where it lacks something."""
        if settings.channel == "folder":
            return self._files()
        if settings.channel == "none" or (settings.channel == "github" and settings.pull_request):
            # What is proposed has no report issue: that is about what was published.
            from benchaudit.tracker.nowhere import NoTracker

            return NoTracker()
        if settings.channel == "hub":
            return self._discussions(settings, settings.hf_token, settings.pull_request)
        repository = settings.repository or self.environment.get("GITHUB_REPOSITORY", "")
        if not settings.github_token:
            raise SettingsError(
                "no token to write issues with", todo="set github-token, or channel to folder or none"
            )
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository, re.ASCII):
            what = "is no name of a repository" if repository else "no repository for the report issue"
            raise SettingsError(what, where=repository, todo="set `repository`, as owner/name")
        return self._issues(settings, repository)

    def _files(self) -> FolderTracker:
        from benchaudit.tracker.folder import FolderTracker

        with self._lock:
            if self._folder is None:
                self._folder = FolderTracker(Path(self.environment.get("GITHUB_WORKSPACE", ".")) / REPORTS)
            return self._folder

    def place(self, settings: Settings) -> tuple[str, ...]:
        """What makes a report the one that it is: its dataset and where it goes; () where none is kept."""
        if not settings.dataset or settings.channel == "none" or settings.pull_request:
            return ()
        place = {
            "github": (
                (settings.repository or self.environment.get("GITHUB_REPOSITORY", "")).lower(),
                settings.author,
                settings.github_token,
            ),
            "hub": (settings.hf_token,),
        }.get(settings.channel, ())
        return (settings.dataset.lower(), settings.channel, *place)

    def _issues(self, settings: Settings, repository: str) -> GitHubTracker:
        from benchaudit.tracker.github import GitHubTracker

        place = (settings.github_token, repository, settings.author)
        with self._lock:
            if place not in self._shared:
                connection = self._connection(settings, repository, named=bool(settings.repository))
                self._shared[place] = GitHubTracker(connection)
            return self._shared[place]

    def upstream(self, tracker: Tracker, settings: Settings) -> Upstream | None:
        """The way to a dataset's maintainers, where one is wished for; what is proposed is not reported."""
        if not settings.upstream or settings.pull_request:
            return None
        from benchaudit.report.upstream import Wish
        from benchaudit.tracker.github import GitHubTracker
        from benchaudit.upstream import Upstream

        if not isinstance(tracker, GitHubTracker):
            raise SettingsError("upstream is approved by a label of an issue", todo="set channel to github")

        def there() -> Tracker:
            if settings.upstream == "hub":
                return self._discussions(settings, settings.upstream_token or settings.hf_token)
            repository = settings.upstream.removeprefix("github:")
            connection = self._connection(
                replace(settings, author=""),
                repository,
                settings.upstream_token,
                named=True,
                inputs=("upstream", "upstream-token"),
            )
            return GitHubTracker(connection)

        wish = Wish(
            where=settings.upstream, label=settings.approval_label, follow_up=settings.upstream_follow_up
        )
        return Upstream(wish=wish, desk=tracker, there=there, say=say)

    def notes(self, settings: Settings) -> ReleaseNotes | None:
        """The notes of releases of the repository that watches, where they are to be annotated."""
        if not settings.annotate_release:
            return None
        repository = self.environment.get("GITHUB_REPOSITORY", "")
        if not (settings.github_token and repository):
            raise SettingsError(
                "no repository and token whose release could be annotated", todo="set github-token"
            )
        from benchaudit.tracker.release_notes import ReleaseNotes

        with self._lock:
            if settings.github_token not in self._notes:
                connection = self._connection(settings, repository)
                self._notes[settings.github_token] = ReleaseNotes(connection, many=self._many)
            return self._notes[settings.github_token]

    def _connection(
        self, settings: Settings, repository: str, token: str = "", **more: Unpack[_Given]
    ) -> Connection:
        """A connection to a repository, with a token of its own or the one that writes our issues."""
        from benchaudit.tracker.connection import PATIENCE, Connection

        api = self.environment.get("GITHUB_API_URL", "https://api.github.com")
        if not re.match(r"https?://[^/\s]", api):
            raise SettingsError("is no address of GitHub", where=f"GITHUB_API_URL={api}", todo="correct it")
        return Connection(
            api=api,
            token=token or settings.github_token,
            repository=repository,
            author=settings.author,
            pause=self._pause,
            patience=float(self.environment.get("BENCHAUDIT_PATIENCE", PATIENCE)),
            **more,
        )

    def _discussions(self, settings: Settings, token: str, pull_request: int = 0) -> Tracker:
        """The tracker of the dataset's discussions; in a pull request that is watched, one comment."""
        if not token:
            raise SettingsError("no token to write discussions with", todo="set hf-token")
        if not settings.dataset:
            raise SettingsError(
                "no dataset whose discussions to write in", todo="set `dataset`, as owner/name"
            )
        from benchaudit.discussions import Discussions
        from benchaudit.hub import Hub
        from benchaudit.tracker.discussions import DiscussionTracker

        return DiscussionTracker(
            Discussions(Hub(token), settings.dataset), pull_request=pull_request, pause=self._pause
        )

    @property
    def _pause(self) -> float:
        return float(self.environment.get("BENCHAUDIT_PAUSE", "1"))
