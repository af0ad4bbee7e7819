"""First lines that say whose a text is: of issues, comments and reports upstream. Pure.

They are HTML comments, which nobody sees, and what is ours is found again by them alone.
"""

from __future__ import annotations

import re


def marker(dataset: str) -> str:
    """The first line of a body that is ours; what a name on the Hub cannot hold is percent-encoded."""
    return f"<!-- benchaudit:v1 dataset={inert(dataset)} -->"


def upstream_marker(dataset: str) -> str:
    """The first line of the one report to the maintainers of a dataset."""
    return f"<!-- benchaudit:upstream dataset={inert(dataset)} -->"


def inert(name: str) -> str:
    """A name that can stand in an HTML comment: what no name on the Hub has is percent-encoded."""
    # Two dashes in a row would end the comment, in some readings of it.
    return re.sub(
        r"[^A-Za-z0-9._/-]|(?<=-)-",
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode(errors="surrogatepass")),
        name,
    )


OURS = "<!-- benchaudit:"
"""How the first line of all that is ours begins."""

RELEASED = "<!-- benchaudit:release "
"""How the first line of a comment about a release begins."""


def release_marker(tag: str) -> str:
    """The first line of the one comment about a release."""
    return f"{RELEASED}tag={inert(tag)} -->"


def first_line(text: str) -> str:
    """The first line of a body or a comment, whatever its line ends."""
    return text.replace("\r\n", "\n").split("\n", 1)[0].rstrip()


def dataset_of(body: str) -> str:
    """The dataset that the marker of a body names; "" where it begins with none."""
    match = re.fullmatch(r"<!-- benchaudit:v1 dataset=([A-Za-z0-9._/%-]+) -->", first_line(body))
    return re.sub(r"(?:%[0-9A-F]{2})+", _decoded_bytes, match[1]) if match else ""


def _decoded_bytes(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode(errors="surrogatepass")


def renamed_marker(dataset: str) -> str:
    """The first line of our comment about a new name."""
    return f"<!-- benchaudit:comment renamed={inert(dataset)} -->"


def comment_marker(sha: str) -> str:
    """The first line of our comment about a revision."""
    return f"<!-- benchaudit:comment revision={sha} -->"
