"""What is said on the way: bars on a terminal, plain lines without one, less, more, and no colours."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from tests.e2e.quiz import fair, leaky, with_distractors
from tests.loopback.repos import DatasetRepo

COLOUR = re.compile(rb"\x1b\[[0-9;]*3[0-7]m|\x1b\[[0-9;]*38;")


@pytest.fixture
def clone(tmp_path):
    """A dataset of two commits."""
    repo = DatasetRepo.create(tmp_path / "bench")
    repo.commit("Upload", {"test.csv": with_distractors(leaky())})
    repo.commit("Balance", {"test.csv": with_distractors(fair())})
    return repo.path


def said(*arguments: str, terminal: bool, **environment: str) -> tuple[bytes, bytes]:
    """What a run writes to standard output and to standard error, of which a terminal can be the end."""
    names = {"NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM", "GITHUB_ACTIONS", "GITHUB_OUTPUT"}
    inside = {name: value for name, value in os.environ.items() if name not in names}
    inside |= {"TERM": "xterm-256color", "COLUMNS": "100"} | environment
    ours, theirs = pty.openpty() if terminal else os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchaudit", *arguments],
            stdout=theirs if terminal else subprocess.PIPE,
            stderr=theirs if terminal else subprocess.PIPE,
            env=inside,
        )
        if not terminal:
            return process.communicate()
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            written += part
        assert process.wait() == 0
        return written, written
    finally:
        os.close(ours)


def test_a_terminal_sees_how_far_it_is(clone):
    """And the lines that are said meanwhile stand whole; in the end the bar is gone."""
    seen, _ = said("history", str(clone), "--slices", "who", terminal=True)
    text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", seen).decode()
    assert re.search(r"Auditing bench.*[━╸]+.* \d/2", text)
    assert re.search(r"[\r\n]bench@[0-9a-f]{7}: question[^\r\n]*\r\n", text)
    assert "▃" in text


def test_without_a_terminal_there_are_plain_lines(clone):
    out, err = said("history", str(clone), "--slices", "who", terminal=False)
    assert b"\x1b" not in out + err
    assert b"\r" not in err
    lines = err.decode().splitlines()
    assert lines
    assert all(re.match(r"bench@[0-9a-f]{7}: ", line) for line in lines)


def test_quiet_is_a_line_and_no_more(clone):
    out, err = said("audit", str(clone), "--slices", "who", "--quiet", terminal=False)
    assert err == b""
    assert re.fullmatch(r"bench@[0-9a-f]{7}: none-found, guesser [\d.]+ %, chance 25\.0 %\n", out.decode())
    seen, _ = said("history", str(clone), "-q", terminal=True)
    assert b"Auditing" not in seen


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (("history", "{clone}"), 1),
        (("balance", "{clone}", "--out", "{out}"), 1),
        (("watch", "{clone}", "--channel", "folder"), 0),
        (("demo", "--folder", "{out}"), 6),
    ],
)
def test_every_command_can_be_quiet(arguments, lines, clone, tmp_path):
    """It says what came of it, and nothing on the way."""
    named = [text.format(clone=clone, out=tmp_path / "out") for text in arguments]
    out, err = said(*named, "--quiet", terminal=False, GITHUB_WORKSPACE=str(tmp_path))
    assert [line for line in err.decode().splitlines() if "leakage changed" not in line] == []
    assert 0 < len(out.decode().splitlines()) <= lines or lines == 0 == len(out)


@pytest.mark.parametrize(
    "arguments",
    [("history", "{clone}"), ("controls", "{clone}"), ("watch", "{clone}", "--channel", "none")],
)
def test_every_command_can_be_verbose(arguments, clone, tmp_path):
    named = [text.format(clone=clone) for text in arguments]
    _, err = said(*named, "-v", terminal=False, GITHUB_WORKSPACE=str(tmp_path))
    assert re.search(rb"^bench@[0-9a-f]{7}: test\.csv, [\d,]+ bytes$", err, re.MULTILINE)
    assert re.search(rb"^bench: \d+ rows in [\d.]+ s$", err, re.MULTILINE)


def test_verbose_says_files_sizes_and_times(clone):
    _, plain = said("audit", str(clone), terminal=False)
    _, err = said("audit", str(clone), "--verbose", terminal=False)
    added = [line for line in err.decode().splitlines() if line not in plain.decode().splitlines()]
    assert re.fullmatch(r"bench@[0-9a-f]{7}: test\.csv, [\d,]+ bytes", added[0])
    assert re.fullmatch(r"bench: \d+ rows in [\d.]+ s", added[1])
    assert len(added) == 2


def test_quiet_and_verbose_do_not_go_together(clone):
    _, err = said("audit", str(clone), "-q", "-v", terminal=False)
    assert b"not allowed with argument" in err


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_left_out_where_nobody_wants_them(clone, environment, coloured):
    seen, _ = said("audit", str(clone), "--slices", "who", terminal=True, **environment)
    assert bool(COLOUR.search(seen)) == coloured
    assert "none-found" in seen.decode()
