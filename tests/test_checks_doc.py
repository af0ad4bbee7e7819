"""What is written about checks is what the code has."""

from __future__ import annotations

from pathlib import Path

from benchaudit.checks import GROUPS, all_checks

PAGE = Path(__file__).resolve().parents[1] / "docs" / "checks.md"
START, END = "<!-- made from the code: `make golden` -->\n", "<!-- end of what is made -->\n"


def checks_table() -> str:
    lines = ["| Group | Check | It asks | More |", "| --- | --- | --- | --- |"]
    for group in GROUPS:
        lines += [
            f"| {group} | `{check.name}` | {check.title} | {check.explanation} |"
            for check in all_checks(probe=True)
            if check.group == group
        ]
    return "\n".join(lines) + "\n"


def test_the_page_lists_every_check(request):
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    made, after = rest.split(END)
    if request.config.getoption("--update-golden"):
        made = f"\n{checks_table()}\n"
        PAGE.write_text(before + START + made + END + after, encoding="utf-8")
    assert made == f"\n{checks_table()}\n", "`make golden` writes it anew"
