"""What goes out to the runner: outputs, summary, annotations and lines of its log."""

from __future__ import annotations

import re
import secrets

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchaudit import job, runner
from benchaudit.errors import BenchauditError, SettingsError, TrackerError, one_line
from benchaudit.settings import Settings
from benchaudit.speech import announce, complain, say

TEXTS = st.text(st.characters(exclude_categories=())) | st.text(":#[] \n\r%=<error", max_size=30)
RUNNER = {"GITHUB_ACTIONS": "true"}


def parsed_command(line: str) -> tuple[str, str] | None:
    """Name and data of the command that a runner finds in a line: `::` after blanks, `##[` anywhere."""
    new = re.match(r"\s*::([a-z-]+)(?: [^:]*)?::(.*)", line, re.DOTALL)
    old = re.search(r"##\[([^\]]+)\](.*)", line, re.DOTALL)
    found = new or old
    if not found:
        return None
    return found[1], re.sub(
        "%0[DA]|%25", lambda match: {"%0D": "\r", "%0A": "\n", "%25": "%"}[match[0]], found[2]
    )


def parsed_outputs(text: str) -> list[tuple[str, str]]:
    """Names and values of a file of outputs, in the form with a delimiter."""
    found = []
    while text:
        first, text = text.split("\n", 1)
        name, delimiter = first.split("<<", 1)
        value, text = text.split(f"\n{delimiter}\n", 1)
        found.append((name, value))
    return found


# --- outputs ---


@given(st.lists(TEXTS, max_size=4))
@example(["a\nverdict<<EOF\nleak\nEOF\n", "", "\n", "x\r\ny"])
def test_outputs_come_back_as_they_were_set(tmp_path_factory, values):
    """One after the other, whatever stands in them; only what is no Unicode becomes a question mark."""
    file = tmp_path_factory.mktemp("runner") / "output"
    for value in values:
        runner.output("verdict", value, {"GITHUB_OUTPUT": str(file)})
    text = file.read_bytes().decode() if values else ""
    assert parsed_outputs(text) == [("verdict", value.encode(errors="replace").decode()) for value in values]


def test_a_delimiter_is_random(tmp_path):
    """A value that was written to fit the last run's does not fit this one's."""
    file = tmp_path / "output"
    for _ in range(2):
        runner.output("a", "b", {"GITHUB_OUTPUT": str(file)})
    one, other = re.findall("^a<<(.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert one != other
    assert len(one) > 32


def test_a_delimiter_is_never_part_of_its_value(tmp_path, monkeypatch):
    """Drawn again until it is not."""
    drawn = iter(["collides", "collides too", "free"])
    monkeypatch.setattr(secrets, "token_hex", lambda _: next(drawn))
    value = "x\nbenchaudit-collides\nbenchaudit-collides too\ny"
    runner.output("a", value, {"GITHUB_OUTPUT": str(tmp_path / "output")})
    text = (tmp_path / "output").read_text(encoding="utf-8")
    assert text.startswith("a<<benchaudit-free\n")
    assert parsed_outputs(text) == [("a", value)]


def test_without_a_runner_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for environment in ({}, {"GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": ""}):
        runner.output("a", "b", environment)
        runner.summary("text", environment)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    """The report was made, and could not be handed over."""
    with pytest.raises(TrackerError, match="cannot be written"):
        runner.output("a", "b", {"GITHUB_OUTPUT": str(tmp_path)})
    with pytest.raises(TrackerError, match="cannot be written"):
        runner.summary("a", {"GITHUB_STEP_SUMMARY": str(tmp_path / "none" / "summary")})


# --- the summary ---


def test_a_summary_is_added_to(tmp_path):
    environment = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    runner.summary("# one", environment)
    runner.summary("two \ud800", environment)
    assert (tmp_path / "summary").read_bytes() == b"# one\ntwo ?\n"


@pytest.mark.parametrize(
    "line", ["x" * 1_000, "値" * 300, "\U0001f600" * 200], ids=["plain", "wide", "emoji"]
)
def test_all_that_a_step_adds_keeps_the_limit(tmp_path, line):
    """In whole lines and whole characters: more, and the runner would drop all of it."""
    environment = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    text = "\n".join([line] * 700)
    for _ in range(5):
        runner.summary(text, environment)
    data = (tmp_path / "summary").read_bytes()
    assert len(data) <= runner.SUMMARY_BYTES < len(data) + 2 * len(f"{line}\n".encode())
    assert set(data.decode().splitlines()) == {line}


# --- annotations and the log ---


@given(TEXTS)
@example("100 % ::error::\r\n##[error]x")
def test_an_annotation_is_one_command_with_the_text_in_it(text):
    line = runner.command("warning", text)
    assert len(f"{line}|".splitlines()) == 1
    assert parsed_command(line) == ("warning", one_line(text))


@given(TEXTS)
@example("  ::error::x")
@example("a ##[error]b")
@example(":::::")
@example("###[x]")
def test_a_line_of_the_log_is_no_command_wherever_it_is_wrapped(text):
    line = runner.harmless(text)
    assert len(f"{line}|".splitlines()) == 1
    for start in range(len(line)):
        assert parsed_command(line[start:]) is None
    assert line.replace(" ", "") == one_line(text).replace(" ", "")


def test_an_ordinary_line_stays_as_it_is():
    for text in ("owner/name@abc1234: nothing new", "https://hub.example:8080/a#b", "a: b, # c, ## d [e]"):
        assert runner.harmless(text) == text


@pytest.mark.parametrize(
    ("environment", "is_runner"),
    [({}, False), (RUNNER, True), ({"GITHUB_ACTIONS": "false"}, False), ({"GITHUB_OUTPUT": "x"}, True)],
)
def test_who_reads_along(environment, is_runner):
    assert runner.is_runner(environment) == is_runner


def test_people_get_lines_and_a_runner_gets_annotations(capsys):
    announce("warning", "a\nb 100 %", {})
    announce("warning", "a\nb 100 %", RUNNER)
    say(" ::error::x")
    assert capsys.readouterr().err.splitlines() == [
        "benchaudit: a b 100 %",
        "::warning title=benchaudit::a b 100 %25",
        ": :error: :x",
    ]


def test_an_error_says_what_where_and_what_to_do(capsys):
    complain(SettingsError("is no number", where="benchaudit.yml:4", todo="write a number"), {})
    assert capsys.readouterr().err == "benchaudit: benchaudit.yml:4: is no number - write a number\n"


@pytest.mark.parametrize(
    "name", ["HF_TOKEN", "GITHUB_TOKEN", "INPUT_GITHUB-TOKEN", "INPUT_HF-TOKEN", "my_token"]
)
def test_no_token_is_echoed(name, capsys):
    """Wherever it came from, and whatever quotes it."""
    error = BenchauditError("refused s3cr3t", where="https://s3cr3t@hub", todo="s3cr3t")
    complain(error, {name: "s3cr3t", "PATH": "refused"})
    complain(error, {name: "s3cr3t"} | RUNNER)
    said = capsys.readouterr().err
    assert "s3cr3t" not in said
    assert said.count("***") == 6
    assert said.count("refused") == 2


def test_no_token_is_in_a_summary_not_even_in_part(tmp_path):
    """A long message is cut, and may be cut within one."""
    token = "s3cr3t" * 10
    for length in (*range(60, 130, 7), *range(400, 520, 7)):
        summary, quoting = tmp_path / f"{length}.md", f"{'x' * length} {token}"
        environment = {"GITHUB_STEP_SUMMARY": str(summary), "HF_TOKEN": token}
        job._summarise_failure(Settings(dataset=quoting), BenchauditError(quoting), environment)
        assert "xxx" in summary.read_text(encoding="utf-8")
        assert "s3cr3t" not in summary.read_text(encoding="utf-8")


def test_a_token_that_is_next_to_nothing_masks_nothing(capsys):
    """An empty one would stand between all letters."""
    complain(BenchauditError("a message"), {"HF_TOKEN": "", "GITHUB_TOKEN": "a"})
    assert capsys.readouterr().err == "benchaudit: a message\n"
