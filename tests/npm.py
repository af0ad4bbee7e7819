"""Programs of other people that tests are judged by: npm's own lock pins them, pytest's cache keeps them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

LOCKED = ("package.json", "package-lock.json")


def installed(place: Path, here: Path, *, told: str, node: int = 0) -> Path:
    """The `node_modules` of the lock in `here`, installed into `place` once for each version of it.

    Skips the test, with a reason that begins with `told`, where npm or Node.js from `node` on is missing.
    """
    modules = place / "node_modules"
    if not (modules.is_dir() and all(_same(place / name, here / name) for name in LOCKED)):
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip(f"{told}: Node.js and npm are not installed")
        for name in LOCKED:
            shutil.copy(here / name, place / name)
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"{told}: npm cannot install it ({done.stderr.strip()[-300:]})")
    if node and (version := _node_version()) < node:
        pytest.skip(f"{told}: it needs Node.js {node}, this is {version or 'none'}")
    return modules


def _same(one: Path, other: Path) -> bool:
    return one.exists() and one.read_bytes() == other.read_bytes()


def _node_version() -> int:
    node = shutil.which("node")
    if node is None:
        return 0
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return int(said.lstrip("v").partition(".")[0])
