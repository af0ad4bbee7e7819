"""The command line: what each command takes, what it prints where, and the exit status."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from benchaudit import __version__, commands
from benchaudit.cli import main
from benchaudit.compare import Comparison
from benchaudit.errors import (
    AccessDenied,
    BenchauditError,
    MappingError,
    SettingsError,
    SourceError,
    StateError,
)
from benchaudit.figures import rounded
from benchaudit.models import Finding, LeftOut
from benchaudit.settings import declared
from benchaudit.terminal import show
from tests.builders import FAIR, LONGEST, NEW, SHORTEST, compared, paired, release
from tests.hostile import corpus

COMMANDS = ("audit", "compare", "inspect", "balance", "controls", "history", "watch", "schema", "demo")
ELSEWHERE = {
    "dataset",
    "revision",
    "channel",
    "repository",
    "labels",
    "github-token",
    "dry-run",
    "max-commits",
}
"""Settings of the watch that an audit of one file has no use for."""


def csv(leaky: bool, gold: str = "answer", rows: int = 40) -> str:
    """A benchmark whose golds are the longest options, or are not."""
    lines = [f"question,who,{gold},wrong_1,wrong_2,wrong_3"]
    for number in range(rows):
        options = ["aaaa", "bbb", "cc", "d"]
        right = options.pop(0 if leaky else (0, 1, 3, 2)[number % 4])
        lines.append(
            ",".join([f"Q{number}?", "us", f"{right}{number:02d}", *(f"{o}{number:02d}" for o in options)])
        )
    return "\n".join(lines) + "\n"


@pytest.fixture
def bench(tmp_path):
    """Three files: one that leaks, one that does not, and that one with another name for its gold."""
    for name, text in {"leaky": csv(True), "calm": csv(False), "renamed": csv(False, "right")}.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path


MAPPING = ("--gold", "answer", "--distractors", "wrong_1,wrong_2,wrong_3")


def run(capsys, *arguments: str, environment: dict[str, str] | None = None) -> tuple[int, str, list[str]]:
    """Exit status, standard output, and the lines of standard error."""
    status = main([str(argument) for argument in arguments], environment or {})
    printed = capsys.readouterr()
    return status, printed.out, printed.err.splitlines()


def used_wrongly(capsys, *arguments: str) -> str:
    """What is said of arguments that cannot be used."""
    with pytest.raises(SystemExit) as caught:
        main(list(arguments), {})
    assert caught.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err
    return printed.err


# --- what each command takes ---


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command, capsys):
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"], {})
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: benchaudit {command}")


def test_the_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"], {})
    said = capsys.readouterr().out
    assert all(re.search(rf"^ +{command} ", said, re.MULTILINE) for command in COMMANDS)


def test_the_watch_takes_every_setting(capsys):
    with pytest.raises(SystemExit):
        main(["watch", "--help"], {})
    said = capsys.readouterr().out
    for name, entry in declared().items():
        assert re.search(rf"^  --{name}\b", said, re.MULTILINE), name
        assert entry.metadata["about"].split()[0] in said


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
@pytest.mark.parametrize("command", ["audit", "inspect"])
def test_an_audit_of_a_file_takes_no_setting_of_the_watch(command, name, capsys):
    assert f"--{name}" in used_wrongly(capsys, command, "x.csv", f"--{name}", "x")


def test_the_version(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"], {})
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"benchaudit {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "COMMAND"),
        (("nothing",), "invalid choice: 'nothing'"),
        (("audit",), "SOURCE"),
        (("compare", "a.csv"), "NEW"),
        (("audit", "a.csv", "--mni-rows", "5"), "--mni-rows"),
        (("audit", "a.csv", "--min-rows"), "expected one argument"),
        (("schema", "nothing"), "invalid choice: 'nothing'"),
        (("compare", "a", "b", "--old-slices", "x"), "--old-slices"),
    ],
)
def test_wrong_usage_is_said(arguments, said, capsys):
    assert said in used_wrongly(capsys, *arguments)


# --- exit status ---


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SettingsError, 2),
        (MappingError, 2),
        (SourceError, 3),
        (AccessDenied, 3),
        (StateError, 4),
        (BenchauditError, 2),
    ],
)
def test_an_error_is_one_line_and_a_status(error, status, capsys, monkeypatch):
    """Whatever a user, a dataset or a platform causes; no traceback."""

    def fail(options, environment):
        raise error("what\nhappened", where="a/b@abc1234 data.csv:3", todo="do this")

    monkeypatch.setattr(commands, "schema", fail)
    assert run(capsys, "schema") == (
        status,
        "",
        ["benchaudit: a/b@abc1234 data.csv:3: what happened - do this"],
    )
    said = run(capsys, "schema", environment={"GITHUB_ACTIONS": "true"})[2]
    assert said == ["::error title=benchaudit::a/b@abc1234 data.csv:3: what happened - do this"]


def test_an_interruption_is_no_error(capsys, monkeypatch):
    def interrupted(options, environment):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "schema", interrupted)
    assert run(capsys, "schema") == (130, "", [])


@pytest.mark.parametrize("of", ["comparison", "config"])
def test_a_reader_that_goes_away_is_no_error(of):
    """As with `| head`: neither a complaint nor a status, whether it fits a buffer or not."""
    buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchaudit", "schema", of],
            stdout=write,
            stderr=subprocess.PIPE,
            env=buffered,
            check=False,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_source_that_is_not_there(tmp_path, capsys):
    status, out, said = run(capsys, "audit", tmp_path / "none.csv")
    assert (status, out) == (3, "")
    assert said == [f"benchaudit: {tmp_path}/none.csv: no such file or directory - check the path"]


def test_a_setting_that_cannot_be_read_names_its_flag(bench, capsys):
    status, _, said = run(capsys, "audit", bench / "calm.csv", "--min-rows", "few")
    assert status == 2
    assert said == ["benchaudit: --min-rows: min-rows 'few' must be a whole number"]


@pytest.mark.parametrize(
    ("name", "condition", "status"),
    [
        ("leaky", "leak", 1),
        ("leaky", "severe", 1),
        ("leaky", "incomplete", 1),
        ("leaky", "", 0),
        ("calm", "leak", 0),
        ("calm", "incomplete", 0),
    ],
)
def test_a_condition_decides_the_status_of_an_audit(name, condition, status, bench, capsys):
    flags = ("--fail-on", condition) if condition else ()
    assert run(capsys, "audit", bench / f"{name}.csv", *MAPPING, *flags)[0] == status


def test_one_revision_has_no_new_leaks(bench, capsys):
    """A gate that could never fail would be a false assurance."""
    status, _, said = run(capsys, "audit", bench / "leaky.csv", *MAPPING, "--fail-on", "new-leak")
    assert status == 2
    assert said == ["benchaudit: --fail-on: one revision has no new leaks - use `compare`, or leak"]


@pytest.mark.parametrize(
    ("old", "new", "status"), [("calm", "leaky", 1), ("leaky", "leaky", 0), ("leaky", "calm", 0)]
)
def test_a_new_leak_decides_the_status_of_a_comparison(old, new, status, bench, capsys):
    flags = (*MAPPING, "--fail-on", "new-leak")
    assert run(capsys, "compare", bench / f"{old}.csv", bench / f"{new}.csv", *flags)[0] == status


def test_a_misspelt_flag_is_told_what_it_may_mean(bench, capsys):
    with pytest.raises(SystemExit) as end:
        main(["audit", str(bench / "leaky.csv"), "--slcies=who"], {})
    assert end.value.code == 2
    assert "unrecognized arguments: --slcies=who - did you mean --slices?" in capsys.readouterr().err


def test_what_two_files_are_called_is_no_news(bench, capsys):
    """They are compared, whatever their names."""
    (bench / "copy.csv").write_bytes((bench / "leaky.csv").read_bytes())
    status, printed, _ = run(capsys, "compare", bench / "leaky.csv", bench / "copy.csv", *MAPPING)
    assert status == 0
    assert "nothing changed that matters" in printed or "The same" in printed
    assert "file" not in printed


# --- what is printed where ---


def test_an_audit_goes_to_standard_output_and_its_evidence_to_standard_error(bench, capsys):
    status, out, said = run(capsys, "audit", bench / "leaky.csv", *MAPPING, "--slices", "who")
    assert status == 0
    assert out.startswith("leaky.csv@")
    assert "Verdict: severe leak" in out
    assert "who=us" in out
    assert said
    assert all(line.startswith("leaky.csv@") for line in said)


def test_json_on_standard_output_is_alone_there(bench, capsys):
    _, out, _ = run(capsys, "audit", bench / "leaky.csv", *MAPPING, "--json", "-")
    document = json.loads(out)
    assert (document["verdict"], document["usable"]) == ("leak", 40)


def test_json_in_a_file_stands_beside_the_print(bench, capsys):
    _, out, _ = run(capsys, "audit", bench / "leaky.csv", *MAPPING, "--json", bench / "out.json")
    assert "severe leak" in out
    assert json.loads((bench / "out.json").read_text(encoding="utf-8"))["verdict"] == "leak"


def test_a_file_that_cannot_be_written_is_named(bench, capsys):
    status, _, said = run(
        capsys, "audit", bench / "leaky.csv", *MAPPING, "--json", bench / "none" / "out.json"
    )
    assert status == 2
    assert said[-1].startswith(f"benchaudit: {bench}/none/out.json: cannot be written")


def test_the_same_file_gives_the_same_bytes(bench, capsys):
    one, other = (run(capsys, "audit", bench / "calm.csv", *MAPPING, "--json", "-")[1] for _ in range(2))
    assert one == other


@pytest.mark.parametrize("spelt", [".", "inner/.."])
def test_a_folder_has_its_name_however_it_is_given(bench, capsys, monkeypatch, spelt):
    (bench / "inner").mkdir()
    monkeypatch.chdir(bench)
    _, out, _ = run(capsys, "audit", spelt, "--files", "calm.csv", *MAPPING, "--json", "-")
    assert json.loads(out)["source"]["dataset"] == bench.name


def test_a_comparison_says_what_changed(bench, capsys):
    _, out, _ = run(capsys, "compare", bench / "calm.csv", bench / "leaky.csv", *MAPPING)
    assert "changed: ALL longest none-found → severe leak" in out
    _, out, _ = run(capsys, "compare", bench / "calm.csv", bench / "calm.csv", *MAPPING)
    assert "nothing changed that matters" in out
    document = json.loads(
        run(capsys, "compare", bench / "calm.csv", bench / "leaky.csv", *MAPPING, "--json", "-")[1]
    )
    assert {"old", "new", "material", "rows", "slices"} <= document.keys()


def test_the_old_revision_may_need_another_mapping(bench, capsys):
    """Only what differs is said once more, with `--old-` in front."""
    arguments = ("compare", bench / "renamed.csv", bench / "calm.csv", *MAPPING)
    assert run(capsys, *arguments, "--old-gold", "right")[0] == 0
    status, _, said = run(capsys, *arguments, "--old-gold", "none")
    assert status == 2
    assert "none" in said[-1]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("calm", "bare", "column gone: not sliced by who"),
        ("bare", "calm", "new column: sliced by who"),
    ],
)
def test_a_slice_column_that_one_of_two_revisions_lacks_is_news(bench, capsys, old, new, told):
    """One that neither has is a slip of the pen."""
    (bench / "bare.csv").write_text(csv(False).replace("who", "by"), encoding="utf-8")
    arguments = ("compare", bench / f"{old}.csv", bench / f"{new}.csv", *MAPPING)

    status, out, _ = run(capsys, *arguments, "--slices", "who", "--json", "-")

    assert (status, [entry["text"] for entry in json.loads(out)["material"]]) == (0, [told])
    assert run(capsys, *arguments, "--slices", "whom")[0] == 2


@pytest.mark.parametrize("of", ["report", "comparison", "history", "config"])
def test_a_schema_is_json_on_standard_output(of, capsys):
    status, out, said = run(capsys, "schema", of)
    assert (status, said) == (0, [])
    jsonschema.Draft202012Validator.check_schema(json.loads(out))
    assert json.loads(out)["type"] == "object"


# --- the terminal ---


@pytest.fixture
def shown(monkeypatch, capsys):
    """Print an audit on a terminal of some width and return its lines."""

    def lines(audit, comparison: Comparison | None = None, width: int = 200) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        show(audit, comparison)
        return capsys.readouterr().out.splitlines()

    return lines


def test_a_terminal_shows_what_the_report_shows(shown):
    old = release({"a": FAIR * 10, None: FAIR * 10})
    new = release(
        {"a": [LONGEST] * 40, None: FAIR * 10},
        sha=NEW,
        left_out={"gold-ambiguous": LeftOut(rows=1, defective=True, sample=("17",))},
        findings=[Finding(check="x", severity="defect", count=2, message="an option is empty")],
        notes=["read as Latin-1"],
    )
    text = "\n".join(shown(new.audit, compared(old, new, paired(old, new))))
    for said in (
        "owner/name@4567def",
        "81 rows, 80 of them items. Verdict: severe leak",
        "topic=(missing)",
        "100.0 %",
        "▲ +75.0",
        "1 gold-ambiguous",
        "defect: 2 rows, an option is empty",
        "note: read as Latin-1",
        "changed: topic=a longest none-found → severe leak",
    ):
        assert said in text


def test_a_narrow_terminal_shows_fewer_figures(shown):
    """And no figure in part."""
    audit = release({"a": FAIR * 10}).audit
    wide, narrow = shown(audit, width=160), shown(audit, width=80)
    assert "expected" in "".join(wide)
    assert "expected" not in "".join(narrow)
    assert all(len(line) <= 80 for line in narrow)
    assert any("25.0 %" in line for line in narrow)


def test_a_verdict_of_none_says_what_it_could_have_shown(shown):
    """However narrow the terminal; and the table is followed by what its names and signs mean."""
    audit = release({"a": FAIR * 10}).audit
    gains = {part.checks["longest"].detectable_gain for part in audit.slices}
    for width in (80, 160):
        lines = shown(audit, width=width)
        for gain in gains:
            assert any(f"none-found (≥ {rounded(Fraction(gain) * 100)})" in line for line in lines)
        assert "longest: gold is the longest option" in lines
        assert "so many points or more would have shown" in " ".join(lines)
        assert "change:" not in " ".join(lines)


def test_of_many_checks_the_worst_are_explained(shown, monkeypatch):
    """The others are named, with the page that explains them."""
    monkeypatch.setattr("benchaudit.terminal._MOST_TITLES", 1)
    lines = shown(release({"a": [LONGEST] * 40}).audit)
    assert "longest: gold is the longest option" in lines
    assert any(re.fullmatch(r"shortest(, [a-z-]+)*: see docs/checks\.md", line) for line in lines)


def test_a_sign_of_change_is_a_direction_and_is_explained(shown):
    """Where gold is never the longest any more, picking scores less: down, and worse."""
    old, new = release({"a": FAIR * 15}), release({"a": [SHORTEST] * 60}, sha=NEW)
    lines = shown(new.audit, compared(old, new, paired(old, new)))
    assert any(line.startswith("Worse since ") for line in lines)
    assert any("longest" in line and "▼ −25.0" in line for line in lines)
    assert "change: ▲ up and ▼ down say how far picking scores moved" in "\n".join(lines)


TEXTS = [text for text in corpus() if text]


@pytest.mark.parametrize("width", [60, 200])
@pytest.mark.parametrize("part", range(12))
def test_a_hostile_text_commands_no_terminal_and_no_runner(part, width, shown, monkeypatch):
    """No control character, and nothing that a runner takes for a command, wherever lines break."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    texts = TEXTS[part::12]
    common = {
        "left_out": {"gold-ambiguous": LeftOut(rows=1, defective=True, sample=tuple(texts[:5]))},
        "notes": texts,
    }
    common["findings"] = [Finding(check="x", severity="note", count=1, message=text) for text in texts]
    old = release(dict.fromkeys(texts, FAIR), column=texts[0], layout=(texts[1],), dataset=texts[2], **common)
    new = release(
        {text: [LONGEST] * 20 for text in texts},
        column=texts[0],
        dataset=texts[2],
        path=texts[3],
        sha=NEW,
        **common,
    )
    lines = shown(new.audit, compared(old, new, paired(old, new)), width)
    for line in lines:
        assert not re.match(r"\s*::", line)
        assert "##[" not in line
        assert line.replace(" ", "").replace("\N{NO-BREAK SPACE}", "").isprintable()


def test_markup_of_the_printer_is_text(shown):
    audit = release({"[bold]x[/bold]": FAIR, "[link=https://example.org]y": FAIR, ":tada:": FAIR}).audit
    text = "\n".join(shown(audit))
    for name in ("[bold]x[/bold]", "[link=https://example.org]y", ":tada:"):
        assert f"topic={name}" in text


def test_away_from_a_runner_a_text_stays_as_it_is(shown, monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    assert "topic=std::string" in "\n".join(shown(release({"std::string": FAIR}).audit))


def test_a_report_is_not_written_over_its_source(tmp_path, capsys):
    path = tmp_path / "test.csv"
    path.write_text("question,A,B,answer\nQ1,x,yy,B\nQ2,xx,y,A\n")
    before = path.read_bytes()
    assert main(["audit", str(path), "--json", str(path)], {}) == 2
    assert "is the source itself" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("mapping", "status", "what"),
    [
        ((), 2, "has no row that can be read"),
        (("--options", "options"), 2, "has no row that can be read"),
        (("--options", "options", "--gold", "gold"), 2, "has no row that can be read"),
        (("--options", "options", "--gold", "gold", "--gold-encoding", "letter"), 3, "holds no row"),
        (("--question", "question", "--options", "a,b", "--gold", "gold"), 2, "no column 'a'"),
    ],
)
def test_a_header_without_rows_is_said_to_be_one(capsys, tmp_path, mapping, status, what):
    """Whatever is named of its columns."""
    (tmp_path / "data.csv").write_text("question,options,gold\n")
    said = run(capsys, "audit", tmp_path / "data.csv", *mapping)
    assert said[:2] == (status, "")
    assert what in said[2][-1]


@pytest.mark.parametrize("name", [b"\xff.csv", b"\xff\xf0\x9f\x98\x80.csv"])
def test_a_file_whose_name_is_not_utf8_is_one_line(name, tmp_path, capsys):
    """Whatever else is in the name."""
    (folder := tmp_path / "bench").mkdir()
    (folder / os.fsdecode(name)).write_bytes(b"question,gold,wrong\nq,a,b\n")
    assert main(["audit", str(folder)], {}) == 3
    assert "has a file whose name is not UTF-8 - rename it" in capsys.readouterr().err


def test_a_file_that_this_user_may_not_read_is_one_line(tmp_path, monkeypatch, capsys):
    """As in a container that runs as another user; root may read all, so that it is told otherwise."""
    path = tmp_path / "test.csv"
    path.write_text("a,b\n")

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    assert main(["audit", str(path)], {}) == 3
    assert (
        capsys.readouterr().err
        == f"benchaudit: {path}: cannot be read (Permission denied) - let this user read it\n"
    )


def test_a_path_that_no_system_has_is_no_fault_of_the_disk(capsys):
    assert main(["audit", "x" * 300], {}) == 3
    assert capsys.readouterr().err.startswith(f"benchaudit: {'x' * 300}: ")
