"""Sources: a dataset on the Hub, a clone of its repository, or plain files, behind one interface."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from benchaudit.errors import SettingsError
from benchaudit.settings import Settings
from benchaudit.sources.base import Source

HUB = "hf://datasets/"


def open_source(name: str, settings: Settings, work: Path) -> Source:
    """Return the source that a SOURCE argument stands for; without one, the dataset that is set.

    A SOURCE is a file, a directory, a clone (`path` or `path@revision`), or
    `hf://datasets/OWNER/NAME[@REVISION][/PATH-OR-GLOB]`, slashes in a revision percent-encoded.
    """
    if not name:
        return _on_hub(settings.dataset, settings.revision, settings.files, settings)
    if name.startswith(HUB):
        owner, _, rest = name.removeprefix(HUB).partition("/")
        dataset, _, pattern = rest.partition("/")
        dataset, _, revision = dataset.partition("@")
        if not (owner and dataset):
            raise SettingsError("names no dataset", where=name, todo=f"write {HUB}OWNER/NAME")
        patterns = (pattern,) if pattern else settings.files
        return _on_hub(f"{owner}/{dataset}", unquote(revision) or settings.revision, patterns, settings)
    path, at, revision = name.rpartition("@")
    if at and not Path(name).exists() and Path(path).is_dir():
        return _clone(Path(path), revision, settings, work)
    if (Path(name) / ".git").exists() or (Path(name) / "HEAD").is_file():
        return _clone(Path(name), settings.revision, settings, work)
    from benchaudit.sources.file import FileSource

    return FileSource(Path(name), settings.files)


def _clone(path: Path, revision: str, settings: Settings, work: Path) -> Source:
    from benchaudit.sources.git import GitSource

    return GitSource(path, revision, settings.files, work, name=settings.dataset)


def _on_hub(dataset: str, revision: str, patterns: tuple[str, ...], settings: Settings) -> Source:
    from benchaudit.hub import Hub
    from benchaudit.sources.hub import HubSource

    return HubSource(Hub(settings.hf_token), dataset, revision, patterns)
