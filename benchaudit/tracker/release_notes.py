"""The notes of a GitHub release: a marked section with a link, and the report as a file."""

from __future__ import annotations

from io import BytesIO

from github.GithubException import UnknownObjectException
from github.GitRelease import GitRelease

from benchaudit.errors import TrackerError
from benchaudit.lost import Lost
from benchaudit.parts import with_part
from benchaudit.plan import same_text
from benchaudit.tracker.connection import Connection

PART = "report"
FILE = "benchaudit-report.json"


class ReleaseNotes:
    """Releases of the repository of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def annotate(self, tag: str, section: str, report: bytes) -> bool:
        """Put a section into the notes of a release and attach the report; False where there is no release.

        What is there already stays as it is. Raises TrackerError.
        """
        release = self._release(tag)
        if release is None:
            return False
        body = with_part(release.body or "", PART, section)
        if not same_text(release.body or "", body):
            self._connection.read(
                lambda: release.update_release(
                    release.name or tag, body, draft=release.draft, prerelease=release.prerelease
                )
            )
        self._attach(release, report)
        return True

    def _release(self, tag: str) -> GitRelease | None:
        def ask() -> GitRelease | None:
            try:
                return self._connection.repository.get_release(tag)
            except UnknownObjectException:
                return None

        return self._connection.read(ask)

    def _attach(self, release: GitRelease, report: bytes) -> None:
        """Attach the report, unless a file of that name is there or the release takes none any more."""
        if FILE in self._connection.read(lambda: [asset.name for asset in release.get_assets()]):
            return
        try:
            self._connection.once(
                lambda: release.upload_asset_from_memory(
                    BytesIO(report), len(report), FILE, content_type="application/json"
                )
            )
        except Lost:
            # The next run of the same release finds it there or not.
            return
        except TrackerError as error:
            # Releases that are immutable take no file after they were published.
            if getattr(error.__cause__, "status", None) != 422:
                raise
