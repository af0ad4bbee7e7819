"""What the release workflow asks for: `check TAG`, `notes VERSION` and `pin IMAGE`.

A release is made from a tag `release-1.2.3` on main, where `action.yml` builds the Dockerfile. The tag
`v1.2.3` that users name is made by the workflow, on a commit of its own in which `action.yml` refers to
the published image by digest; a pinned workflow then runs the very image that was attested.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ACTION = ROOT / "action.yml"
_TAG = re.compile(r"release-(\d+\.\d+\.\d+)")
_IMAGE = re.compile(r"[a-z0-9.:-]+(/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}")
_BUILT = "  image: Dockerfile\n"


def check(tag: str) -> str:
    """Return a tag's version; exits where it is not the code's, or the changelog says nothing of it."""
    match = _TAG.fullmatch(tag)
    if match is None:
        sys.exit(f"{tag}: a release is tagged release-X.Y.Z")
    version = match[1]
    code = (ROOT / "benchaudit" / "__init__.py").read_text(encoding="utf-8")
    if f'__version__ = "{version}"\n' not in code:
        sys.exit(f"{tag}: benchaudit/__init__.py has another version")
    notes(version)
    return version


def notes(version: str) -> str:
    """Return the changelog's section of a version, without its heading; exits where there is none."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        if heading.split() and heading.split()[0] == version and body.strip():
            return f"{body.strip()}\n"
    sys.exit(f"CHANGELOG.md has no section for {version}")


def pin(image: str) -> str:
    """Let `action.yml` refer to an image, given by name and digest, in place of the Dockerfile."""
    if not _IMAGE.fullmatch(image):
        sys.exit(f"{image}: not an image by name and digest")
    text = ACTION.read_text(encoding="utf-8")
    if text.count(_BUILT) != 1:
        sys.exit("action.yml does not build the Dockerfile: is this main?")
    ACTION.write_text(text.replace(_BUILT, f"  image: docker://{image}\n"), encoding="utf-8")
    return f"action.yml runs {image}\n"


if __name__ == "__main__":
    jobs = {"check": check, "notes": notes, "pin": pin}
    if len(sys.argv) != 3 or sys.argv[1] not in jobs:
        sys.exit(f"usage: release.py {{{','.join(jobs)}}} ARGUMENT")
    sys.stdout.write(jobs[sys.argv[1]](sys.argv[2]))
