"""What is written about settings and outputs is what the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from benchaudit import job
from benchaudit.cli import main
from benchaudit.outcome import Outcome
from benchaudit.settings import declared, described

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference.md"
START, END = "<!-- made from the code: `make golden` -->\n", "<!-- end of what is made -->\n"


def settings_table() -> str:
    rows = [f"| `{name}` | {described(entry)} |" for name, entry in declared().items()]
    return "\n".join(["| Setting | Meaning |", "| --- | --- |", *rows]) + "\n"


def test_the_reference_lists_every_setting(request):
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    made, after = rest.split(END)
    if request.config.getoption("--update-golden"):
        made = f"\n{settings_table()}\n"
        PAGE.write_text(before + START + made + END + after, encoding="utf-8")
    assert made == f"\n{settings_table()}\n", "`make golden` writes it anew"


def test_the_action_has_the_settings_as_inputs():
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    assert {name: entry["description"] for name, entry in inputs.items()} == {
        name: described(entry) for name, entry in declared().items()
    }
    # An input that is always set would outweigh the config file.
    assert {name for name, entry in inputs.items() if "default" in entry} == {"github-token"}


def test_the_reference_lists_every_output():
    outputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["outputs"]
    _, _, section = PAGE.read_text(encoding="utf-8").partition("\n## Outputs\n")
    assert re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", section, re.MULTILINE) == [
        (name, entry["description"]) for name, entry in outputs.items()
    ]


def test_the_action_has_the_outputs_that_are_set(tmp_path):
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    target = tmp_path / "output"
    outcome = Outcome(dataset="o/n", revision="1" * 40)
    job.hand_over([outcome], {"GITHUB_OUTPUT": str(target), "GITHUB_WORKSPACE": str(tmp_path)})
    names = re.findall(r"^([a-z-]+)<<", target.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(names) == sorted(action["outputs"])


def test_the_help_of_every_command_can_be_read(capsys):
    """A sign that argparse takes for its own breaks the help, and nothing else."""
    for command in (
        "audit",
        "compare",
        "inspect",
        "balance",
        "controls",
        "history",
        "watch",
        "rebuild-state",
        "schema",
        "demo",
    ):
        with pytest.raises(SystemExit) as end:
            main([command, "--help"], {})
        assert end.value.code == 0
        assert command in capsys.readouterr().out


def test_the_workflow_of_the_readme_uses_inputs_that_exist():
    tokens = MarkdownIt("commonmark").parse((ROOT / "README.md").read_text(encoding="utf-8"))
    workflows = [yaml.safe_load(token.content) for token in tokens if token.info == "yaml"]
    (steps,) = [job_["steps"] for workflow in workflows for job_ in workflow["jobs"].values()]
    used = steps[-1]["with"]
    assert used.keys() <= declared().keys()
    assert workflows[0]["jobs"]["watch"]["permissions"] == {"issues": "write"}


@pytest.mark.parametrize("of", ["report", "comparison", "history", "config"])
def test_the_published_schemas_are_those_of_the_code(of, capsys, request):
    path = ROOT / "docs" / "schema" / f"{of}.schema.json"
    assert main(["schema", of], {}) == 0
    made = capsys.readouterr().out
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(made, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == made, "`make golden` writes it anew"
