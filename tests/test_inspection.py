"""A look at a source: what it shows, which columns it proposes to slice by, and what it gives to paste."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from benchaudit.cli import main
from benchaudit.settings import from_environment, settle

COLUMNS: dict[str, Any] = {
    "question": lambda n: f"Which of these is number {n}?",
    "A": lambda n: f"the first of {n}",
    "B": lambda n: f"the second one of {n}",
    "C": lambda n: f"the third of all {n}",
    "answer": lambda n: "ABC"[n % 3],
    "topic": lambda n: ["law", "maths", "art"][n % 3],
    "level": lambda n: n % 2,
    "hint": lambda n: ["", "none"][n % 2] if n % 5 else f"a note that was written for row {n // 20} only",
    "essay": lambda n: ["a text of two\nlines", "and another\none"][n % 2],
    "wordy": lambda n: ["long " * 20, "longer " * 20][n % 2],
    "rare": lambda n: "usual" if n < 97 else "odd",
    "constant": lambda _: "same",
    "number": lambda n: n,
}


@pytest.fixture
def quiz(tmp_path: Path) -> Path:
    """A hundred questions with columns of every kind beside them."""
    path = tmp_path / "quiz.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([make(n) for make in COLUMNS.values()] for n in range(100))
    return path


def test_names_of_groups_are_proposed_and_text_is_not(quiz, capsys):
    """Few values, each a name, that are repeated often enough for a verdict in nearly all rows."""
    assert main(["inspect", str(quiz), "-q"], {}) == 0
    (entry,) = yaml.safe_load(capsys.readouterr().out)["datasets"]
    assert entry["slices"] == ["topic", "level"]


def test_what_is_proposed_depends_on_the_rows_that_a_slice_needs(quiz, capsys):
    assert main(["inspect", str(quiz), "-q", "--min-rows", "40"], {}) == 0
    (entry,) = yaml.safe_load(capsys.readouterr().out)["datasets"]
    assert entry["slices"] == ["level"]


def test_the_inputs_of_a_step_say_what_the_config_says(quiz, tmp_path, capsys):
    """Read by the action's own reader both give the same settings."""
    from benchaudit.config import from_config

    assert main(["inspect", str(quiz)], {}) == 0
    said = capsys.readouterr().out
    config = tmp_path / "config.yml"
    config.write_text(said[said.index("datasets:") : said.index("\nor without")], encoding="utf-8")
    step = yaml.safe_load(said[said.index("with:") :])["with"]
    inputs = {f"INPUT_{name.upper()}": value for name, value in step.items()}
    (entry,) = from_config(config)
    assert settle([from_environment(inputs)]) == settle(entry)


def test_the_head_says_what_was_read_and_how_much_of_it(quiz, capsys):
    assert main(["inspect", str(quiz)], {}) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["1 file read: quiz.csv", "columns, in the first 100 rows:"]
    assert lines[3].split() == ["column", "different", "for", "example"]


@pytest.mark.parametrize("command", ["audit", "inspect"])
def test_a_stray_file_among_the_data_leads_to_the_flag_that_names_files(command, quiz, capsys):
    """Of one file that was named there is nothing to choose."""
    (quiz.parent / "settings.json").write_text(json.dumps({"a": 1, "b": {"c": 2}}), encoding="utf-8")
    assert main([command, str(quiz.parent)], {}) == 3
    said = capsys.readouterr().err
    assert " settings.json: " in said
    assert "no part of the benchmark, name those that are with --files" in said
    assert main([command, str(quiz.parent), "--files", "settings.json"], {}) == 3
    assert "--files" not in capsys.readouterr().err
    assert main([command, str(quiz.parent), "--files", "*.csv"], {}) == 0


@pytest.mark.parametrize("command", ["audit", "inspect"])
def test_a_config_file_says_how_a_source_is_read(command, quiz, capsys):
    """The entry that is called like the source; which file a source that is one has is no question."""
    config = quiz.parent / "benchaudit.yml"
    entries = [
        {"dataset": "owner/other", "slices": ["hint"]},
        {"dataset": f"owner/{quiz.parent.name}", "files": ["quiz.csv"], "slices": ["topic"]},
    ]
    config.write_text(yaml.safe_dump({"min-rows": 30, "datasets": entries}), encoding="utf-8")
    assert main([command, str(quiz.parent), "--config", str(config)], {}) == 0
    said = capsys.readouterr().out
    assert ("topic=law" in said) == (command == "audit")
    assert main([command, str(quiz), "--config", str(config)], {}) == 2
    assert "not which of them" in capsys.readouterr().err
    config.write_text(yaml.safe_dump({"datasets": entries[1:]}), encoding="utf-8")
    assert main([command, str(quiz), "--config", str(config)], {}) == 0


def test_both_sides_of_a_comparison_are_read_by_the_config(quiz, capsys):
    """What is given for the old side outweighs it there."""
    config = quiz.parent / "benchaudit.yml"
    config.write_text("gold: answer\nslices: topic\n", encoding="utf-8")
    old = quiz.parent / "old.csv"
    old.write_text(quiz.read_text(encoding="utf-8").replace("answer", "key", 1), encoding="utf-8")
    arguments = ["compare", str(old), str(quiz), "--config", str(config)]
    assert main(arguments, {}) == 2
    assert "'answer'" in capsys.readouterr().err
    assert main([*arguments, "--old-gold", "key"], {}) == 0
    assert "topic=law" in capsys.readouterr().out


def test_a_path_is_no_name_of_a_dataset(quiz, capsys):
    """It is said before anything is asked of the Hub, or a token is missed."""
    assert main(["watch", "--dataset", str(quiz)], {}) == 2
    said = capsys.readouterr().err
    assert "takes a name on the Hub" in said
    assert f"`benchaudit watch {quiz}`" in said


def test_files_that_were_written_are_named(quiz, capsys):
    """A line each on standard error; not where it is quiet, nor for what goes to standard output."""
    report, page = quiz.parent / "report.json", quiz.parent / "page.html"
    arguments = ["audit", str(quiz), "--json", str(report), "--html", str(page)]
    assert main(arguments, {}) == 0
    assert {f"written: {page}", f"written: {report}"} <= set(capsys.readouterr().err.splitlines())
    assert main([*arguments, "--quiet"], {}) == 0
    assert capsys.readouterr().err == ""
    assert main(["audit", str(quiz), "--json", "-"], {}) == 0
    assert "written" not in capsys.readouterr().err


def test_what_takes_too_much_memory_is_said_to(quiz, monkeypatch, capsys):
    def exhausted(*_: Any, **__: Any) -> None:
        raise duckdb.OutOfMemoryException("no room")

    monkeypatch.setattr("benchaudit.items.scan", exhausted)
    assert main(["inspect", str(quiz)], {}) == 3
    assert "quiz.csv: takes more memory than is allowed - split it" in capsys.readouterr().err
