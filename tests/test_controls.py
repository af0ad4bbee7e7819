"""The controls to print beside a score: table, CSV, JSON, badge, and the section of a card."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit import controls
from benchaudit.cards import with_section
from benchaudit.cli import main
from benchaudit.errors import RenderError, SettingsError
from benchaudit.markdown import tables
from tests.builders import BETWEEN, FAIR, LONGEST, SHORTEST, release
from tests.hostile import corpus
from tests.support import SHARED, audit_path, needs_shared

TIED = "*aaaa | bbbb | cc | d"
SECTION = f"{controls.START}\n\nNew figures.\n\n{controls.END}\n"


def audit(**slices):
    return release(slices or {"maths": [LONGEST] * 30, "art": [SHORTEST, BETWEEN] * 20}).audit


def test_a_line_says_what_guessing_scores():
    made = audit(maths=[LONGEST] * 20 + [TIED] * 10)
    _, maths = controls.markdown(made).splitlines()[2:4]
    assert [cell.strip().replace("\xa0", " ") for cell in maths.split("|")[1:-1]] == [
        *("`topic` = `maths`", "30", "25.0 %", "83.3 %", "0.0 %", "66.7 %", "0.0 %", "83.3 %", "pick longest")
    ]


def test_the_three_forms_say_the_same():
    made = audit()
    (shown,) = tables(controls.markdown(made))
    read = list(csv.reader(io.StringIO(controls.separated(made))))
    slices = controls.document(made)["slices"]
    for cells, row, entry in zip(shown[1:], read[1:], slices, strict=True):
        assert [cell.replace("\xa0%", "") for cell in cells[1:8]] == row[1:8]
        names = ("chance", "longest", "shortest", "alone_longest", "alone_shortest", "best")
        assert [float(cell) for cell in row[2:8]] == [round(entry[name] * 100, 1) for name in names]
        assert cells[8] == row[8] == ", ".join(entry["rules"])
    assert json.loads(json.dumps(controls.document(made), allow_nan=False)) == controls.document(made)


@pytest.mark.parametrize(
    ("items", "colour"), [([LONGEST] * 30, "red"), (FAIR * 10, "brightgreen"), (FAIR, "lightgrey")]
)
def test_a_badge_has_the_fields_of_an_endpoint_and_the_colour_of_the_verdict(items, colour):
    made = controls.badge(audit(maths=items))
    assert made.keys() == {"schemaVersion", "label", "message", "color"}
    assert (made["schemaVersion"], made["color"]) == (1, colour)
    assert made["message"].endswith("% (chance 25.0 %)")


def test_without_items_there_is_nothing_to_print():
    made = audit(maths=[])
    assert controls.markdown(made).startswith("No item could be counted")
    assert controls.badge(made)["message"] == "no items"
    assert controls.separated(made).count("\n") == 1
    assert controls.document(made)["baseline"] is None


@pytest.mark.parametrize("text", corpus())
def test_a_slice_cannot_break_the_table_or_the_section(text):
    made = release({text: [LONGEST] * 30, "art": FAIR * 5}).audit
    (shown,) = tables(controls.markdown(made))
    assert {len(row) for row in shown} == {9}
    assert len(list(csv.reader(io.StringIO(controls.separated(made))))) == 4
    card = with_section("# A card\n", controls.section(made))
    assert with_section(card, controls.section(made)) == card


def test_the_section_names_the_data_and_not_the_commit():
    slices = {"maths": FAIR * 10}
    one, two = (release(slices, sha="1" * 40, path=path).audit for path in ("a.csv", "b.csv"))
    assert controls.section(one) != controls.section(two)
    assert "1111111" not in controls.section(one)


CARDS = [
    "",
    "# Card",
    "---\nlicense: mit\n---\n# Card\n\nText.\n",
    f"# Card\n\n{controls.START}\nold\n{controls.END}\n\nBehind it.\n",
    f"# Card\n\n```\n{controls.START}\n{controls.END}\n```\n",
    f"> {controls.START}\n",
]


@pytest.mark.parametrize("line", ["\n", "\r\n"])
@pytest.mark.parametrize("card", CARDS)
def test_a_card_keeps_all_but_its_section(card, line):
    card, section = card.replace("\n", line), SECTION.replace("\n", line if card else "\n")
    made = with_section(card, SECTION)
    if "\n" not in card:
        section = SECTION
    assert section in made
    assert with_section(made, SECTION) == made
    old = f"{controls.START}{line}old{line}{controls.END}{line}"
    if old in card and "```" not in card:
        assert made == card.replace(old, section)
    else:
        assert made.startswith(card.rstrip("\r\n"))
        assert made.endswith(section)


@given(st.text(st.sampled_from("ab#-`<>! \n"), max_size=60))
def test_whatever_a_card_says_it_is_kept_or_refused(card):
    try:
        made = with_section(card, SECTION)
    except RenderError:
        return
    assert made.startswith(card.rstrip("\r\n"))
    assert with_section(made, SECTION) == made


@pytest.mark.parametrize(
    "marks",
    [
        (controls.START,),
        (controls.END,),
        (controls.END, controls.START),
        (controls.START, controls.START, controls.END),
    ],
)
def test_marks_that_are_no_pair_are_refused(marks):
    with pytest.raises(SettingsError, match="no pair"):
        with_section("\n\n".join(marks) + "\n", SECTION)


def test_a_card_that_would_swallow_the_section_is_refused():
    with pytest.raises(RenderError, match="swallow"):
        with_section("# Card\n\n```\nan open fence\n", SECTION)


ROWS = "question,who,correct_answer,incorrect_answers\n" + "".join(
    f'"Q{number}?",{"me" if number % 3 else "you"},"a much longer answer","[""b"", ""c{number}"", ""d""]"\n'
    for number in range(60)
)


@pytest.fixture
def bench(tmp_path):
    path = tmp_path / "bench.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_the_command_prints_what_was_asked_for(bench, capsys):
    printed = {}
    for form in ("markdown", "csv", "json"):
        assert main(["controls", str(bench), "--slices", "who", "--format", form], {}) == 0
        printed[form] = capsys.readouterr().out
    made = audit_path(bench, slices="who")
    assert printed["markdown"] == controls.markdown(made)
    assert printed["csv"] == controls.separated(made)
    assert json.loads(printed["json"]) == controls.document(made)


def test_the_gate_is_for_controls_too(bench, capsys):
    assert main(["controls", str(bench), "--fail-on", "leak"], {}) == 1
    assert main(["controls", str(bench), "--fail-on", "new-leak"], {}) == 2


def test_badge_and_card_are_written_and_a_card_that_is_up_to_date_is_left_alone(bench, tmp_path, capsys):
    card, badge = tmp_path / "README.md", tmp_path / "badge.json"
    card.write_text("# My benchmark\n", encoding="utf-8")
    command = ["controls", str(bench), "--slices", "who", "--card", str(card), "--badge", str(badge)]
    assert main(command, {}) == 0
    assert json.loads(badge.read_text(encoding="utf-8"))["message"] == "100.0 % (chance 25.0 %)"
    first = card.read_bytes()
    assert controls.section(audit_path(bench, slices="who")).encode() in first
    assert "has been brought up to date" in capsys.readouterr().err
    card.chmod(0o444)
    assert main(command, {}) == 0
    assert "README.md: up to date" in capsys.readouterr().err
    assert card.read_bytes() == first


@pytest.mark.parametrize("flag", ["--card", "--badge"])
def test_nothing_is_written_over_the_source(bench, capsys, flag):
    assert main(["controls", str(bench), flag, str(bench)], {}) == 2
    assert "is the source itself" in capsys.readouterr().err
    assert bench.read_text(encoding="utf-8") == ROWS


@pytest.mark.parametrize(("name", "said"), [("none.md", "cannot be read"), ("latin.md", "is not UTF-8")])
def test_a_card_that_cannot_be_read(bench, tmp_path, capsys, name, said):
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    assert main(["controls", str(bench), "--card", str(tmp_path / name)], {}) == 2
    assert said in capsys.readouterr().err


def test_a_runner_finds_no_command_in_what_is_printed(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    path = tmp_path / "bench.csv"
    path.write_text(ROWS.replace(",me,", ',"##[error]x\n::warning::y",'), encoding="utf-8")
    for form in ("markdown", "csv", "json"):
        main(["controls", str(path), "--slices", "who", "--format", form], {})
        printed = capsys.readouterr().out
        assert "##[" not in printed
        assert not [line for line in printed.splitlines() if line.lstrip().startswith("::")]


@needs_shared
def test_the_figures_of_personamem():
    """As the report has them that this project automates: the longest alone, and the best of each type."""
    (source,) = (SHARED / "data" / "personamem-v1").glob("*/questions_32k.csv")
    made = controls.document(audit_path(source, slices="question_type"))
    assert round(made["slices"][0]["longest"] * 100, 1) == 50.5
    assert made["baseline"]["accuracy"] > 0.6
    assert round(made["baseline"]["chance"] * 100, 1) == 25.0
