"""The snippet with which anybody counts again, without this project.

The template is a script in segments: a line `#: a b` opens one that is kept where `a` or `b` is
needed, `#: end` ends it. What a mapping has no use for is left out, so that the script stays short
enough to be read before it is run.
"""

from __future__ import annotations

import json
import pprint
import re
from collections.abc import Mapping, Sequence

from benchaudit.models import ColumnMapping
from benchaudit.report.templates import Templates
from benchaudit.verdict import Audit

_SEGMENT = "#: "
_SHORT = frozenset({"text", "letter", "index0", "index1", "labels", "scores"})
"""Gold encodings that a short script can read."""

_ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
}


def snippet(
    audit: Audit, addresses: Mapping[str, str], slicings: Sequence[Sequence[str]], templates: Templates
) -> str:
    """A script for the standard library (and pyarrow for Parquet), pinned to the audited revision.

    `addresses` says where each file's bytes are to be had. The figures that it prints are those of the
    report's table. "" where a short script would misread the files.
    """
    mapping = audit.mapping
    by_name = mapping.gold_encoding == "labels" and len(mapping.options) > 1
    lengthy = mapping.options_in_question or len(mapping.gold_columns) > 1 or by_name
    if not audit.plain or lengthy or mapping.gold_encoding not in _SHORT:
        return ""
    containers = {_container(path) for path in addresses}
    keys = (
        _mapping_keys(mapping, slicings) | containers | {_scheme(address) for address in addresses.values()}
    )
    template = templates.text("verify.py")
    column = mapping.options[0] if mapping.options else ""
    return templates.fill_text(
        "verify.py",
        _selected(template, keys),
        dependencies='"pyarrow"' if "parquet" in containers else "",
        dataset=_in_comment(audit.origin.dataset),
        revision=audit.origin.revision.sha,
        files=_literal([[path, _address(address)] for path, address in addresses.items()]),
        slices=_literal([list(columns) for columns in slicings]),
        gold=_literal(mapping.gold),
        fallback=_literal(mapping.gold_fallback),
        distractors=_literal(list(mapping.distractors)),
        options=_literal(list(mapping.options)),
        column=_literal(column),
        separator=_literal(mapping.separator),
        base="1" if mapping.gold_encoding == "index1" else "0",
    )


def _mapping_keys(mapping: ColumnMapping, slicings: Sequence[Sequence[str]]) -> set[str]:
    """The segments that a mapping needs."""
    named = [
        *mapping.options,
        *mapping.distractors,
        mapping.gold,
        *(name for columns in slicings for name in columns),
    ]
    keys = {"nested" if any("." in name for name in named) else "flat"}
    keys.add("fallback" if mapping.gold_fallback else "gold" if mapping.gold else "no-gold")
    if mapping.gold_apart:
        keys.add("turn" if mapping.last_turn else "apart")
        if mapping.separator:
            keys.add("separated")
        elif mapping.distractor_lists and len(mapping.distractors) == 1:
            keys |= {"distractor-lists", "list"}
        return keys
    encoding = mapping.gold_encoding
    if encoding == "scores":
        return keys | {"scores", "list", "place"}
    keys |= {"place", "one-gold", "list", "prefixes"}
    if len(mapping.options) > 1:
        keys.add("columns")
    elif mapping.separator:
        keys.add("options-separated")
    else:
        keys.add("labels" if encoding == "labels" else "option-list")
    keys.add({"labels": "by-label", "text": "by-text", "letter": "letter"}.get(encoding, "by-index"))
    return keys


def _selected(template: str, keys: set[str]) -> str:
    """The lines outside segments, and those of the segments that are needed."""
    lines, kept = [], True
    for line in template.splitlines():
        if line.startswith(_SEGMENT):
            names = line.removeprefix(_SEGMENT).split()
            kept = names == ["end"] or not keys.isdisjoint(names)
        elif kept:
            lines.append(line)
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)) + "\n"


def _container(path: str) -> str:
    name = path.lower().removesuffix(".gz")
    return next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), "json")


def _scheme(address: str) -> str:
    if address.startswith(("http://", "https://")):
        return "http"
    return "git" if address.startswith("git:") else "file"


def _address(address: str) -> object:
    return address.split(":", 3)[1:] if address.startswith("git:") else address


def _literal(value: object) -> str:
    """A Python literal in ASCII, whatever quotes and line ends the texts hold."""
    text = pprint.pformat(json.loads(json.dumps(value)), width=110, sort_dicts=False)
    return text.encode("ascii", "backslashreplace").decode()


def _in_comment(text: str) -> str:
    return "".join(character for character in text if character.isalnum() or character in "-_./")
