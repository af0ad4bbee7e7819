"""What a report issue remembers: below the marker a state that says what is known from earlier runs.

It is an HTML comment at the head of the body. The state is versioned, compressed JSON with a check
sum; what does not read back exactly is an error that says how to recover, never a fresh start.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import textwrap
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchaudit.brief import brief_verdicts, is_whole, read_verdicts
from benchaudit.errors import StateError
from benchaudit.headlines import Headline, trails_document, trails_of
from benchaudit.kept import Kept, kept_document, kept_of
from benchaudit.markdown import comment_places, tables
from benchaudit.markers import first_line, marker
from benchaudit.models import Blob, Revision, Snapshot
from benchaudit.past import Past, PastAudit
from benchaudit.tally import Tally
from benchaudit.verdict import WORST_FIRST

VERSION = 1
BUDGET = 21_000
"""Characters of a body that the state may take, a third of what one holds."""

_MOST_BYTES = 4 << 20
_RECOVER = "run `benchaudit rebuild-state`, which audits again from the revision shown in the body"
_STATE = re.compile(r"<!-- benchaudit:state:v(\d{1,9})\s+([A-Za-z0-9+/=\s]+?)\s*-->\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is known from earlier runs.

    `seen` is the newest commit looked at; `past` the last audit, which may belong to an earlier commit
    with the same data. `settings` is the digest under which it was made, `checks` the versions.
    """

    dataset: str
    seen: str
    settings: str
    checks: Mapping[str, int]
    past: PastAudit
    history: tuple[Headline, ...] = field(default=())
    kept: Kept = field(default=Kept())


REVISION = "Revision"
"""The name of the line of a report's table that has the audited revision in full."""


def shown_revision(body: str) -> str:
    """The revision that a report says it is about; "" where it does not say so any more."""
    lines = [row for rows in tables(body) for row in rows if row[:1] == [REVISION] and len(row) == 2]
    match = re.match(r"[0-9a-f]{40,64}\b", lines[0][1]) if lines else None
    return match[0] if match else ""


def dump(state: State) -> str:
    """The state as a block of a body, with as many slices as the budget holds, leaks first."""
    ranked = sorted(
        ((place, entry) for place, entry in state.past.checks.items() if is_whole(place[1], entry)),
        key=lambda entry: (WORST_FIRST.index(entry[1].verdict), not entry[1].severe, entry[0][0] != ()),
    )
    keep = len(ranked)
    while True:
        text = _json(
            _encoded(state, dict(ranked[:keep]), complete=state.past.complete and keep == len(ranked))
        )
        block = _block(text)
        fits = len(block) <= BUDGET and len(text) < _MOST_BYTES
        if fits or keep == 0:
            return block
        keep = min(keep - 1, keep * BUDGET // len(block), keep * _MOST_BYTES // len(text))


def replaced(body: str, state: State) -> str:
    """A body with another state in place of its own, and its marker; every other character stays.

    Raises StateError where the body has none.
    """
    place, match = _found(body, state.dataset)
    end = match[0].rstrip()
    head = marker(state.dataset) + body[len(first_line(body)) : place.start]
    return head + dump(state) + match[0][len(end) :] + body[place.stop :]


def load(body: str, dataset: str, *names: str) -> State:
    """Read the state of a body that is ours; `names` are others that the dataset may have there.

    Raises StateError where it is gone, damaged or from a later version.
    """
    _, match = _found(body, dataset)
    version = int(match[1])
    if version > VERSION:
        raise StateError(
            f"the report was written by a later version (state {version}, this one reads {VERSION})",
            where=dataset,
            todo="use the later version of benchaudit",
        )
    try:
        return _decoded(_unpacked("".join(match[2].split())), {dataset, *names})
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, zlib.error, RecursionError):
        raise StateError("the state in the report is damaged", where=dataset, todo=_RECOVER) from None


def _found(body: str, dataset: str) -> tuple[slice, re.Match[str]]:
    """Where the state stands, and its block: the first that is a comment of its own and not a quotation."""
    for text in _beginnings(body):
        for place in comment_places(text):
            if match := _STATE.fullmatch(text[place]):
                return place, match
    raise StateError("the report has lost its state", where=dataset, todo=_RECOVER)


def _beginnings(body: str) -> Iterator[str]:
    """The lines of a body up to what looks like its state, then all: no block is changed by later ones.

    Of a thousand datasets without news, looking at whole bodies was most of the work.
    """
    if match := _STATE.search(body):
        yield body[: body.find("\n", match.end() - 1) + 1 or len(body)]
    yield body


def _json(content: dict[str, Any]) -> bytes:
    # A name that is no Unicode (a lone surrogate) is remembered as it is, and read back by `json.loads`.
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode(errors="surrogatepass")


def _block(text: bytes) -> str:
    packed = base64.b64encode(hashlib.sha256(text).digest()[:8] + zlib.compress(text, 9)).decode()
    return f"<!-- benchaudit:state:v{VERSION}\n" + "\n".join(textwrap.wrap(packed, 120)) + "\n-->"


def _unpacked(packed: str) -> dict[str, Any]:
    try:
        raw = base64.b64decode(packed, validate=True)
    except binascii.Error:
        raise ValueError("not base64") from None
    inflate = zlib.decompressobj()
    text = inflate.decompress(raw[8:], _MOST_BYTES)
    if inflate.unconsumed_tail or not inflate.eof or hashlib.sha256(text).digest()[:8] != raw[:8]:
        raise ValueError("cut, or altered")
    content = json.loads(text)
    if not isinstance(content, dict):
        raise TypeError
    return content


def _encoded(state: State, checks: Mapping[Any, Past], *, complete: bool) -> dict[str, Any]:
    past, snapshot = state.past, state.past.snapshot
    return {
        "dataset": state.dataset,
        "seen": state.seen,
        "settings": state.settings,
        "check_versions": dict(state.checks),
        "revision": [snapshot.revision.sha, snapshot.revision.committed_at, snapshot.revision.title[:200]],
        "blobs": [[blob.path, blob.id, blob.size] for blob in snapshot.blobs],
        "layout": list(snapshot.layout),
        "rows": past.rows,
        "defects": past.defects,
        "encoding": past.encoding,
        "slicings": sorted(map(list, past.slicings)),
        "columns": None if past.columns is None else sorted(past.columns),
        "complete": complete,
        "checks": [
            [
                list(map(list, key)),
                name,
                entry.verdict,
                entry.severe,
                entry.direction,
                list(map(list, entry.tally.cells)),
            ]
            for (key, name), entry in sorted(checks.items(), key=lambda item: repr(item[0]))
        ],
        "kept": kept_document(state.kept),
        **brief_verdicts(past, {key for key, _ in checks}),
        "history": [[h.sha, h.committed_at, h.verdict, h.severe, h.n, h.baseline] for h in state.history],
        **trails_document(state.history),
    }


def _decoded(content: dict[str, Any], datasets: Collection[str]) -> State:
    dataset = content["dataset"]
    if dataset not in datasets:
        raise ValueError("another dataset's")
    sha, committed_at, title = content["revision"]
    snapshot = Snapshot(
        revision=Revision(sha=sha, committed_at=committed_at, title=title),
        blobs=tuple(Blob(path=path, id=id_, size=size) for path, id_, size in content["blobs"]),
        layout=tuple(content["layout"]),
    )
    checks = {
        (tuple((name, value) for name, value in key), check): Past(
            tally=Tally(tuple((k, t, items, hits) for k, t, items, hits in cells)),
            verdict=verdict,
            severe=severe,
            direction=direction,
        )
        for key, check, verdict, severe, direction, cells in content["checks"]
    }
    return State(
        dataset=dataset,
        seen=content["seen"],
        settings=content["settings"],
        checks=content["check_versions"],
        past=PastAudit(
            snapshot=snapshot,
            rows=content["rows"],
            defects=content["defects"],
            encoding=content["encoding"],
            checks=read_verdicts(content) | checks,
            slicings=frozenset(map(tuple, content["slicings"])),
            complete=content["complete"],
            columns=None if content["columns"] is None else frozenset(content["columns"]),
        ),
        # The first reports kept nothing of releases.
        kept=kept_of(content["kept"]) if "kept" in content else Kept(),
        history=tuple(
            Headline(
                sha=sha, committed_at=at, verdict=verdict, severe=severe, n=n, baseline=baseline, rates=rates
            )
            for (sha, at, verdict, severe, n, baseline), rates in zip(
                content["history"], trails_of(content), strict=True
            )
        ),
    )
