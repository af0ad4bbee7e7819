"""The config file: several datasets with their own settings, and defaults for all of them.

It is read as a tree of YAML nodes, which know their lines: an error names the line it is about.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from benchaudit.errors import SettingsError
from benchaudit.settings import Given, Layer, declared, unknown
from benchaudit.sources import HUB


def from_config(path: Path) -> list[list[Layer]]:
    """The datasets of a config file, each as its layers: its own entry, then the file's defaults.

    Raises SettingsError, with the line, where the file cannot be used.
    """
    try:
        document = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except FileNotFoundError:
        raise SettingsError(
            "no such config file",
            where=str(path),
            todo="check --config; a workflow has the files of its repository after actions/checkout",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot be read ({error})", where=str(path)) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SettingsError(f"is not valid YAML ({error.problem})", where=f"{path}:{line}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise SettingsError(f"is not valid YAML ({error})", where=str(path)) from None
    return _Config(path).datasets(document)


def entry_for(source: str, path: Path) -> list[Layer]:
    """The layers of the dataset of a config file that a SOURCE is, or of the only one.

    A dataset on the Hub is known by its name, a folder by the last part of it. A source that is one file
    takes nothing from the config about which files there are. Raises SettingsError where none fits.
    """
    entries = from_config(path)
    names = [next((layer["dataset"][0] for layer in entry if "dataset" in layer), "") for entry in entries]
    fitting = [entry for entry, name in zip(entries, names, strict=True) if _is_called(source, name)]
    if len(entries) > 1 and len(fitting) != 1:
        listed = ", ".join(filter(None, names))
        raise SettingsError(
            f"tells of {len(entries)} datasets and not which of them {source} is",
            where=str(path),
            todo=f"name the source like one of {listed}",
        )
    found = fitting[0] if len(fitting) == 1 else entries[0]
    apart = {"files", "subset", "split"} if Path(source).is_file() else set()
    return [{name: given for name, given in layer.items() if name not in apart} for layer in found]


def _is_called(source: str, dataset: str) -> bool:
    """Whether a SOURCE bears the name of a dataset."""
    if source.startswith(HUB):
        rest = source.removeprefix(HUB)
        return re.fullmatch(rf"{re.escape(dataset)}([@/].*)?", rest) is not None
    return Path(source.partition("@")[0]).resolve().name == dataset.rpartition("/")[2]


class _Config:
    """A config file's tree of YAML nodes, which know their lines."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def datasets(self, document: Any) -> list[list[Layer]]:
        if document is None:
            raise SettingsError("is empty", where=str(self._path), todo="name a dataset")
        entries = [value for key, value in self._pairs(document) if key == "datasets"]
        defaults = self._layer(document, without="datasets")
        if not entries:
            return [[defaults]]
        if len(entries) > 1:
            raise SettingsError("'datasets' is set twice", where=self._where(entries[1]))
        nodes = entries[0]
        if nodes.id != "sequence" or not nodes.value:
            raise SettingsError("datasets must be a list", where=self._where(nodes))
        return [[self._layer(node), defaults] for node in nodes.value]

    def _layer(self, node: Any, without: str = "") -> Layer:
        layer: dict[str, Given] = {}
        for name, value in self._pairs(node):
            if name == without:
                continue
            if name in layer:
                raise SettingsError(f"{name!r} is set twice", where=self._where(value))
            if name not in declared():
                raise unknown(name, self._where(value))
            if name == "config":
                raise SettingsError("a config file names no other", where=self._where(value))
            layer[name] = (self._scalar(name, value), self._where(value))
        return layer

    def _pairs(self, node: Any) -> list[tuple[str, Any]]:
        if node.id != "mapping":
            raise SettingsError("names and values are expected here", where=self._where(node))
        return [(str(key.value), value) for key, value in node.value]

    def _scalar(self, name: str, node: Any) -> str:
        if node.id == "sequence" and all(item.id == "scalar" for item in node.value):
            return "\n".join(str(item.value) for item in node.value)
        if node.id != "scalar":
            raise SettingsError(f"{name} must be a text or a list of texts", where=self._where(node))
        return "" if node.tag.endswith(":null") else str(node.value)

    def _where(self, node: Any) -> str:
        return f"{self._path}:{node.start_mark.line + 1}"
