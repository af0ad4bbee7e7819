"""The walls of the house: who imports what, read from the code."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "benchaudit"
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")
}

PURE = {
    *("tally", "null", "intervals", "verdict", "baseline", "models", "plan", "gate"),
    *("past", "moves", "changes", "material", "compare"),
    *(
        "figures",
        "markdown",
        "state",
        "markers",
        "headlines",
        "brief",
        "findings",
        "checks",
        "report.sentences",
        "report.tables",
    ),
    *("learning", "packing"),
    *(
        "report.nouns",
        "report.measured",
        "report.snippet",
        "report.fitting",
        "report.rows",
        "report.listing",
        "report.release",
        "report.upstream",
    ),
    *(
        "report.chart",
        "report.trails",
        "history",
        "samples",
        "html",
        "accept",
        "kept",
        "parts",
        "notes",
        "privacy",
        "shards",
    ),
    *("balance.problem", "balance.solver", "balance.rewriting", "controls", "cards"),
    *(
        f"mapping.{room}"
        for room in ("literal", "cells", "gold", "unnamed", "row", "names", "detect", "trial")
    ),
    "mapping.slicing",
}
"""Rooms without network, clock, environment or engine; a package's name covers what is in it."""

IMPURE = {
    *("os", "time", "datetime", "socket", "subprocess", "random", "secrets", "tempfile", "pathlib", "urllib"),
    *("requests", "github", "huggingface_hub", "duckdb", "pyarrow", "pandas", "yaml"),
}

DOORS = {
    "huggingface_hub": {"hub", "hub_errors", "discussions"},
    "github": {"tracker.connection", "tracker.github", "tracker.release_notes"},
    "markdown_it": {"markdown"},
    "duckdb": {
        *(
            "reading",
            "mapping",
            "scan",
            "items",
            "pairing",
            "partners",
            "sampling",
            "opening",
            "counting",
            "files",
            "heads",
        ),
        *("balance.rows", "probe"),
    },
    "markupsafe": {"html"},
    "scipy": {"balance.solver", "probe"},
    "sklearn": {"probe"},
    "distributed": {"cluster"},
    "yaml": {"config", "sources.card"},
    "rich": {"terminal", "demo"},
}
"""A library and the rooms that may import it."""


def imported(path: Path, *, run_time_only: bool = False) -> set[str]:
    """Full names of the modules that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(node)
        for branch in ast.walk(tree)
        if run_time_only and isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.unparse(branch.test)
        for node in ast.walk(branch)
    }
    names: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def within(module: str, rooms: set[str]) -> bool:
    """Whether a module is one of the rooms, or in one."""
    return any(f"{module}.".startswith(f"benchaudit.{room}.") for room in rooms)


@pytest.mark.parametrize("module", sorted(name for name in MODULES if within(name, PURE)))
def test_a_pure_room_imports_no_edge(module):
    found = {name for name in imported(MODULES[module], run_time_only=True) if name.split(".")[0] in IMPURE}
    assert found == set()


@pytest.mark.parametrize("library", sorted(DOORS))
def test_a_library_comes_in_by_its_door_only(library):
    users = {
        name for name, path in MODULES.items() if library in {item.split(".")[0] for item in imported(path)}
    }
    assert users, f"nobody imports {library}"
    assert {name for name in users if not within(name, DOORS[library])} == set()


def test_data_goes_one_way():
    """No edge is imported by a pure room, not even for its types."""
    edges = {
        "watch",
        "job",
        "cli",
        "hub",
        "discussions",
        "sources",
        "tracker",
        "reading",
        "scan",
        "items",
        "pairing",
        "partners",
        "cluster",
        "spread",
        "audit",
        "auditor",
        "releases",
        "upstream",
        "settings",
    }
    for module in sorted(name for name in MODULES if within(name, PURE - {"checks"})):
        ours = {
            name for name in imported(MODULES[module], run_time_only=True) if name.startswith("benchaudit.")
        }
        assert {name for name in ours if within(name, edges)} == set(), module


def test_there_is_no_circle():
    """Modules can be put in an order in which each imports only earlier ones, at run time."""
    graph = {
        name: {item for item in imported(path, run_time_only=True) if item in MODULES and item != name}
        for name, path in MODULES.items()
    }
    left = dict(graph)
    while left:
        free = [name for name, needs in left.items() if not needs & left.keys()]
        assert free, f"a circle among {sorted(left)}"
        for name in free:
            del left[name]


@pytest.mark.parametrize(
    ("start", "absent"),
    [
        (
            "benchaudit.cli",
            {
                *("duckdb", "pandas", "numpy", "pyarrow", "scipy", "github", "huggingface_hub", "rich"),
                *("distributed", "sklearn"),
            },
        ),
        (
            "benchaudit.watch",
            {"duckdb", "pandas", "numpy", "pyarrow", "scipy", "rich", "distributed", "sklearn"},
        ),
    ],
)
def test_what_starts_often_starts_light(start, absent):
    """A run that finds nothing new imports no engine and no table library."""
    code = f"import sys, {start}; print(*sorted({absent!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_an_audit_has_no_use_for_a_table_library(tmp_path):
    """Not where its rows have to be read by the definition either."""
    data = tmp_path / "quiz.csv"
    rows = [f"""q{n},yes,"['no', 'it\\\\'s \\\\x41', None]"\n""" for n in range(60)]
    data.write_text("question,correct_answer,incorrect_answers\n" + "".join(rows))
    code = (
        "import sys; from benchaudit.cli import main; "
        f"main(['audit', {str(data)!r}], {{}}); print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
