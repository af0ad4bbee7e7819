"""The tables of real benchmarks in the docs are what their script makes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import findings
from tests.support import SHARED, needs_shared

PAGE = Path(__file__).resolve().parents[1] / "docs" / "findings.md"


@needs_shared
@pytest.mark.parametrize("group", findings.GROUPS, ids=lambda group: group.title)
def test_a_table_is_what_the_script_makes(group, request):
    text = PAGE.read_text(encoding="utf-8")
    made = findings.section(SHARED / "data", group)
    (written,) = re.findall(rf"^## {group.title}\n.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text.replace(written.rstrip(), made.rstrip()), encoding="utf-8")
    assert written.rstrip() == made.rstrip(), "`python benchmarks/findings.py DATA` makes it anew"


def test_every_table_is_one_of_the_script():
    titles = re.findall(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert titles == [group.title for group in findings.GROUPS]
