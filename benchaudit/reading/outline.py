"""Where in a JSON document its records are, and what they are in any of the layouts that people release."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from benchaudit.errors import MappingError, SourceError
from benchaudit.reading.document import Window

Layout = Literal["array", "members", "columns", "documents"]

_DEPTH = 2
"""How deep records are looked for without being told where: `/data`, `/data/examples`."""

_OUTLINED = 1000
"""Members of one object that are looked at; more than those are rows, and all alike."""

_MOST_BY_COLUMN = 64 << 20
"""Characters of a document that is stored by column: it is turned in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The records of a file: where, and whether in an array, an object's members, columns or documents."""

    path: tuple[str, ...] = ()
    layout: Layout = "array"

    @property
    def about(self) -> str:
        """What to say of it, for it was not asked for."""
        if self.layout == "documents":
            return "its rows are documents one after another"
        where = f"at {pointer_to(self.path)}" if self.path else "in one object"
        how = {"array": "", "members": ", one a member, whose names are not read", "columns": ", by column"}
        return f"its rows are {where}{how[self.layout]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """What is known of a value: of an array its length, of an object its members."""

    kind: Literal["records", "list", "object", "value"]
    length: int = 0
    members: Mapping[str, _Node] = field(default_factory=dict)


def find_records(window: Window, pointer: str, name: str) -> Place:
    """Find the records of a document below a JSON pointer, "" for the whole of it.

    Raises SourceError where there are none, and MappingError where more than one place could be meant or the
    pointer leads to none: there the file is well, and --records is to be set.
    """
    path = _steps(pointer, name)
    _enter(window, path, name)
    if window.peek() == "[":
        return Place(path=path)
    if window.peek() != "{":
        raise MappingError(f"has no records at {pointer_to(path)}", where=name, todo="check --records")
    root = _outline(window, _DEPTH)
    if not path and window.peek() == "{":
        if _outline(window, 1).members.keys() == root.members.keys():
            return Place(layout="documents")
        raise SourceError(
            "holds several JSON documents that are not alike", where=name, todo="write one record per line"
        )
    found = _choose(root, name)
    if not path:
        window.end()
    return Place(path=path + found.path, layout=found.layout)


def records_at(window: Window, place: Place, name: str) -> Iterator[str]:
    """Yield the text of each record at a place of the document, spelled as it is there."""
    _enter(window, place.path, name)
    if place.layout == "columns":
        yield from _by_row(window, name)
        return
    if place.layout == "documents":
        while window.peek():
            yield window.value()
        return
    for _ in window.elements() if place.layout == "array" else window.members():
        yield window.value()
    if not place.path:
        window.end()


def pointer_to(path: Sequence[str]) -> str:
    """The JSON pointer (RFC 6901) that these names and indexes make."""
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in path)


def _steps(pointer: str, name: str) -> tuple[str, ...]:
    if pointer and not pointer.startswith("/"):
        raise MappingError(f"cannot look up {pointer!r}", where=name, todo="begin --records with a slash")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def _enter(window: Window, path: Sequence[str], name: str) -> None:
    for depth, step in enumerate(path, start=1):
        mark = window.peek()
        names: Iterator[str] = iter(())
        if mark == "{":
            names = window.members()
        elif mark == "[":
            names = (str(index) for index, _ in enumerate(window.elements()))
        for found in names:
            if found == step:
                break
            window.skip()
        else:
            raise MappingError(
                f"has nothing at {pointer_to(path[:depth])}", where=name, todo="check --records"
            )


def _outline(window: Window, depth: int) -> _Node:
    mark = window.peek()
    if mark == "[":
        records = length = 0
        for _ in window.elements():
            records += window.value().startswith("{")
            length += 1
        return _Node(kind="records" if records else "list", length=length)
    if mark != "{" or depth == 0:
        window.skip()
        return _Node(kind="value")
    members = window.members()
    outlined = {member: _outline(window, depth - 1) for member in islice(members, _OUTLINED)}
    for _ in members:
        window.skip()
    return _Node(kind="object", members=outlined)


def _choose(root: _Node, name: str) -> Place:
    """The one place of a document whose records an object holds."""
    members = root.members
    layout = _table_layout(members)
    arrays: list[tuple[str, ...]] = [(member,) for member, node in members.items() if node.kind == "records"]
    if not arrays and layout is None:
        arrays = [
            (member, inner)
            for member, node in members.items()
            for inner, below in node.members.items()
            if below.kind == "records"
        ]
    if len(arrays) == 1:
        return Place(path=arrays[0])
    if not arrays and layout is not None:
        return Place(layout=layout)
    if arrays:
        said = ", ".join(map(pointer_to, arrays[:10]))
        raise MappingError(
            f"wraps several arrays of records ({said})", where=name, todo="name one with --records"
        )
    said = ", ".join(map(repr, list(members)[:10])) or "none"
    raise SourceError(
        f"wraps no array of records (its members are: {said})",
        where=name,
        todo="name their place with --records",
    )


def _table_layout(members: Mapping[str, _Node]) -> Layout | None:
    """How an object is a table of its own, None where it is none.

    pandas numbers the rows of what it writes by column; members that share names otherwise are records.
    """
    nodes = list(members.values())
    if len(nodes) < 2 or len({node.kind for node in nodes}) != 1:
        return None
    if nodes[0].kind == "list":
        return "columns" if len({node.length for node in nodes}) == 1 else None
    if nodes[0].kind != "object":
        return None
    if all(node.members and all(map(str.isdecimal, node.members)) for node in nodes):
        return "columns" if len({tuple(node.members) for node in nodes}) == 1 else None
    common = set(nodes[0].members).intersection(*(node.members for node in nodes))
    return "members" if common else None


def _by_row(window: Window, name: str) -> Iterator[str]:
    """Turn a table that is stored by column; a row that a column does not have lacks its name."""
    columns: dict[str, dict[str, str]] = {}
    size = 0
    for column in window.members():
        cells = columns[json.dumps(column)] = {}
        array = window.peek() == "["
        rows = (str(index) for index, _ in enumerate(window.elements())) if array else window.members()
        for row in rows:
            cells[row] = window.value()
            size += len(cells[row])
            if size > _MOST_BY_COLUMN:
                raise SourceError(
                    f"stores more than {_MOST_BY_COLUMN >> 20} MiB by column",
                    where=name,
                    todo="store it by row, as JSON lines do",
                )
    for row in dict.fromkeys(row for cells in columns.values() for row in cells):
        yield (
            "{"
            + ", ".join(f"{column}: {cells[row]}" for column, cells in columns.items() if row in cells)
            + "}"
        )
