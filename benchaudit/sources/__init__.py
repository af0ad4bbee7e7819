"""Sources: a dataset on the Hub, a clone of its repository, or plain files, behind one interface."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from benchaudit.errors import SettingsError
from benchaudit.settings import Settings
from benchaudit.sources.base import Selection, Source, unreadable

HUB = "hf://datasets/"
"""How a SOURCE on the Hub begins."""


def open_source(name: str, settings: Settings, work: Path) -> Source:
    """Return the source that a SOURCE argument stands for; without one, the dataset that is set.

    A SOURCE is a file, a directory, a clone (`path` or `path@revision`), or
    `hf://datasets/OWNER/NAME[@REVISION][/PATH-OR-GLOB]`, slashes in a revision percent-encoded.
    """
    selection = Selection(patterns=settings.files, config=settings.subset, split=settings.split)
    if not name:
        return _on_hub(settings.dataset, settings.revision, selection, settings)
    if name.startswith(HUB):
        owner, _, rest = name.removeprefix(HUB).partition("/")
        dataset, _, pattern = rest.partition("/")
        dataset, _, revision = dataset.partition("@")
        if not (owner and dataset):
            raise SettingsError("names no dataset", where=name, todo=f"write {HUB}OWNER/NAME")
        selection = replace(selection, patterns=(pattern,)) if pattern else selection
        return _on_hub(f"{owner}/{dataset}", unquote(revision) or settings.revision, selection, settings)
    path, at, revision = name.rpartition("@")
    if at and not Path(name).exists() and Path(path).is_dir():
        return _clone(Path(path), revision, selection, settings, work)
    if _is_clone(Path(name)):
        return _clone(Path(name), settings.revision, selection, settings, work)
    from benchaudit.sources.file import FileSource

    return FileSource(Path(name), selection)


def _is_clone(path: Path) -> bool:
    try:
        return (path / ".git").exists() or (path / "HEAD").is_file()
    except OSError as error:
        raise unreadable(path, error) from None


def _clone(path: Path, revision: str, selection: Selection, settings: Settings, work: Path) -> Source:
    from benchaudit.sources.git import GitSource

    return GitSource(path, revision, selection, work, name=settings.dataset)


def _on_hub(dataset: str, revision: str, selection: Selection, settings: Settings) -> Source:
    from benchaudit.hub import Hub
    from benchaudit.sources.hub import HubSource

    return HubSource(Hub(settings.hf_token), dataset, revision, selection)
