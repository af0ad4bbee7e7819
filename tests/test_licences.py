"""What is shipped with the program may be, and the documentation lists it."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "licences.md"
START, END = "<!-- made from the installed packages: `make golden` -->", "<!-- end of what is made -->"

COMPATIBLE = {
    *(
        "MIT",
        "MIT-0",
        "0BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "Zlib",
        "CC0-1.0",
        "Apache-2.0",
        "PSF-2.0",
    ),
    *("MPL-2.0", "LGPL-3.0-or-later"),  # what these two ask for, the page says
}
SPELLED = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL-3.0-or-later",
}
"""Classifiers of packages that give no expression."""


LOCKED = [
    Requirement(line.removesuffix(" \\"))
    for line in (ROOT / "requirements" / "runtime.txt").read_text(encoding="utf-8").splitlines()
    if re.match(r"\w", line)
]
SHIPPED = {entry.name: entry for entry in LOCKED if entry.marker is None or entry.marker.evaluate()}
"""What the lock has for this Python and platform."""


def as_locked() -> bool:
    """Whether the locked versions are those that are installed."""
    try:
        return all(entry.specifier.contains(metadata.version(name)) for name, entry in SHIPPED.items())
    except metadata.PackageNotFoundError:
        return False


pytestmark = pytest.mark.skipif(not as_locked(), reason="other versions are installed than the locked ones")


def licence(name: str) -> str:
    """A package's licence as an SPDX expression."""
    about = metadata.metadata(name)
    if expression := about.get("License-Expression"):
        return str(expression)
    classifiers = [
        line.rpartition(" :: ")[2] for line in about.get_all("Classifier", []) if "License ::" in line
    ]
    if classifiers:
        return " AND ".join(SPELLED[line] for line in classifiers)
    return str(about["License"])


@pytest.mark.parametrize("name", SHIPPED)
def test_a_package_may_be_shipped(name: str) -> None:
    choices = re.split(r"\s+OR\s+", licence(name).strip("()"))
    assert any(set(re.split(r"\s+AND\s+", choice)) <= COMPATIBLE for choice in choices), licence(name)


def test_the_page_lists_what_is_shipped(request: pytest.FixtureRequest) -> None:
    rows = "\n".join(f"| {name} | {licence(name)} |" for name in sorted(SHIPPED))
    wanted = f"\n| Package | Licence |\n| --- | --- |\n{rows}\n"
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    made, after = rest.split(END)
    if request.config.getoption("--update-golden"):
        made = wanted
        PAGE.write_text(before + START + made + END + after, encoding="utf-8")
    assert made == wanted, "`make golden` writes it anew"
