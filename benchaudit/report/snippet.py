"""The snippet with which anybody counts again, without this project."""

from __future__ import annotations

import json
import pprint

from benchaudit.report.templates import Templates
from benchaudit.verdict import Audit


def snippet(audit: Audit, addresses: dict[str, str], slicings: list[list[str]], templates: Templates) -> str:
    """A script for the standard library (and pyarrow for Parquet), pinned to the audited revision.

    `addresses` says where each file's bytes are to be had. The figures that it prints are those of the
    report's table.
    """
    mapping = audit.mapping
    parquet = any(path.endswith(".parquet") for path in addresses)
    described = {
        "options": list(mapping.options),
        "distractors": list(mapping.distractors),
        "gold": mapping.gold,
        "encoding": mapping.gold_encoding,
        "separator": mapping.separator,
        "lists": mapping.distractor_lists,
        "last_turn": mapping.last_turn,
    }
    return templates.fill(
        "verify.py",
        dependencies='"pyarrow"' if parquet else "",
        dataset=_in_comment(audit.origin.dataset),
        revision=audit.origin.revision.sha,
        files=_literal([list(item) for item in addresses.items()]),
        mapping=_literal(described),
        slices=_literal(slicings),
    )


def _literal(value: object) -> str:
    """A Python literal in ASCII, whatever quotes and line ends the texts hold."""
    return (
        pprint.pformat(json.loads(json.dumps(value)), width=110, sort_dicts=False)
        .encode("ascii", "backslashreplace")
        .decode()
    )


def _in_comment(text: str) -> str:
    return "".join(character for character in text if character.isalnum() or character in "-_./")
