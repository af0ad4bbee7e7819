"""The notes of a GitHub release: a marked section with a link, and the report as a file.

A run of many datasets has a section and a file for each.
"""

from __future__ import annotations

import re
from io import BytesIO
from threading import Lock

from github.GithubException import UnknownObjectException
from github.GitRelease import GitRelease

from benchaudit.errors import TrackerError
from benchaudit.lost import Lost
from benchaudit.markers import inert
from benchaudit.parts import with_part
from benchaudit.plan import same_text
from benchaudit.tracker.connection import Connection

PART = "report"
FILE = "benchaudit-report"


class ReleaseNotes:
    """Releases of the repository of a connection, annotated by the run of one dataset or of `many`.

    Notes are read, and written as a whole: several threads do that one after another.
    """

    def __init__(self, connection: Connection, *, many: bool = False) -> None:
        self._connection, self._many = connection, many
        self._lock = Lock()

    def annotate(self, tag: str, dataset: str, section: str, report: bytes) -> bool:
        """Put a section into the notes of a release and attach the report; False where there is no release.

        What is there already stays as it is. Raises TrackerError.
        """
        with self._lock:
            return self._annotate(tag, dataset, section, report)

    def _annotate(self, tag: str, dataset: str, section: str, report: bytes) -> bool:
        release = self._release(tag)
        if release is None:
            return False
        part = f"{PART} dataset={inert(dataset)}" if self._many else PART
        body = with_part(release.body or "", part, section)
        if not same_text(release.body or "", body):
            self._connection.read(
                lambda: release.update_release(
                    release.name or tag, body, draft=release.draft, prerelease=release.prerelease
                )
            )
        apart = f"-{re.sub(r'[^A-Za-z0-9._-]+', '--', dataset)}" if self._many else ""
        self._attach(release, f"{FILE}{apart}.json", report)
        return True

    def _release(self, tag: str) -> GitRelease | None:
        def ask() -> GitRelease | None:
            try:
                return self._connection.repository.get_release(tag)
            except UnknownObjectException:
                return None

        return self._connection.read(ask)

    def _attach(self, release: GitRelease, name: str, report: bytes) -> None:
        """Attach the report, unless a file of that name is there or the release takes none any more."""
        if name in self._connection.read(lambda: [asset.name for asset in release.get_assets()]):
            return
        try:
            self._connection.once(
                lambda: release.upload_asset_from_memory(
                    BytesIO(report), len(report), name, content_type="application/json"
                )
            )
        except Lost:
            # The next run of the same release finds it there or not.
            return
        except TrackerError as error:
            # Releases that are immutable take no file after they were published.
            if getattr(error.__cause__, "status", None) != 422:
                raise
