"""Templates: what they may ask for, what comes out of them, and what a user's own do."""

from __future__ import annotations

from string import Template

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchaudit.errors import SettingsError
from benchaudit.report.templates import NAMES, Templates
from tests.builders import FAIR, LONGEST, NEW, release, reported
from tests.hostile import PARTS

MARKDOWN = ("issue.md", "comment.md", "summary.md", "failure.md")


class Recorded(Templates):
    """Built-in templates that remember what they were offered."""

    def __init__(self, replacements: str = "") -> None:
        super().__init__(replacements)
        self.offered: dict[str, set[str]] = {}

    def fill_text(self, name: str, text: str, **values: str) -> str:
        self.offered.setdefault(name, set()).update(values)
        return super().fill_text(name, text, **values)


def written(name: str, text: str, folder) -> Templates:
    """Templates of which one is a user's."""
    (folder / name).write_text(text, encoding="utf-8")
    return Templates(str(folder))


def report(templates: Templates):
    return reported(release({"a": FAIR * 10}), release({"a": [LONGEST] * 40}, sha=NEW), templates=templates)


def test_every_built_in_template_asks_for_what_the_report_offers():
    """No more, and of what is offered nothing by another name."""
    templates = Recorded()
    report(templates)
    assert templates.offered.keys() == {"issue.md", "comment.md", "summary.md", "verify.py"}
    for name, offered in templates.offered.items():
        template = Template(templates.text(name))
        assert template.is_valid()
        assert set(template.get_identifiers()) <= offered, name


def test_every_template_is_there():
    for name in NAMES:
        assert Templates().text(name).strip()
    assert set(Template(Templates().text("failure.md")).get_identifiers()) == {"title", "message"}


@pytest.mark.parametrize("name", ["issue.md", "comment.md", "summary.md"])
def test_an_unknown_placeholder_of_a_users_template_is_named(name, tmp_path):
    """At the first report, not on the day of the first leak; and with what is on offer."""
    templates = written(name, "$verdict\n\n${no_such_thing}\n", tmp_path)
    with pytest.raises(SettingsError) as caught:
        reported(None, release({"a": FAIR * 10}), templates=templates, first=True)
    said = str(caught.value)
    assert said.startswith(f"template {name}: asks for no_such_thing - on offer are: ")
    assert "baseline" in said
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("text", ["costs 5$", "$", "${", "${}", "$1", "${a b}", "$é"])
def test_a_dollar_that_names_nothing_is_named(text, tmp_path):
    templates = written("failure.md", f"$title\n{text}\n", tmp_path)
    with pytest.raises(SettingsError, match=r"failure\.md: asks for a \$ that names nothing"):
        templates.fill("failure.md", title="a", message="b")


def test_a_users_template_takes_the_place_of_one(tmp_path):
    """All others stay as they are; `$$` is a dollar, and a placeholder may stand twice."""
    templates = written("summary.md", "# $dataset\n\n$slices\n\n$$5 $verdict\n\n$slices\n", tmp_path)
    made = report(templates)
    assert made.summary.startswith("# `owner/name`\n\n| Slice |")
    assert "\n$5 **Severe leak.**" in made.summary
    assert made.summary.count("| Slice |") == 2
    assert made.body == report(Templates()).body


def test_a_folder_that_is_none_is_named(tmp_path):
    with pytest.raises(SettingsError, match=r"none: no such folder - check --templates"):
        Templates(str(tmp_path / "none"))


def test_a_template_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "issue.md").write_bytes(b"\xff")
    with pytest.raises(SettingsError, match=r"issue\.md: cannot be read"):
        Templates(str(tmp_path)).text("issue.md")


VALUES = st.text() | st.lists(st.sampled_from(PARTS)).map("".join) | st.text("$ {}\nvalue", max_size=30)


@given(VALUES, VALUES)
@example("$message ${message} $$", "$title")
def test_a_value_comes_out_as_it_went_in(title, message):
    """Nothing in it is looked at again: no placeholder, and no empty line."""
    filled = Templates().fill("failure.md", title=f"<{title}>", message=f"<{message}>")
    before, after = Templates().text("failure.md").split("$title")
    between, end = after.split("$message")
    assert filled == f"{before}<{title}>{between}<{message}>{end}"


def test_lines_that_stay_empty_close_up(tmp_path):
    """But not those of a value."""
    text = "\n\n$a\n\n$b\n\n$c\n\n\nend\n\n"
    templates = written("issue.md", text, tmp_path)
    assert templates.fill("issue.md", a="", b="", c="") == "end\n"
    assert templates.fill("issue.md", a="1", b="", c="2\n\n\n3") == "1\n\n2\n\n\n3\n\nend\n"
    assert templates.fill("issue.md", a="1", b="2", c="3") == "1\n\n2\n\n3\n\nend\n"


def test_uses_are_counted(tmp_path):
    """Escaped dollars are none."""
    templates = written("issue.md", "$a ${b} $$c $a\n$a ${b}x\n", tmp_path)
    assert templates.uses("issue.md") == {"a": 3, "b": 2}


@pytest.mark.parametrize("name", MARKDOWN)
def test_built_in_templates_hold_no_text_of_ours_but_prose(name):
    """Marker and state are put in front of what a template makes, so that none can lose them."""
    assert "<!--" not in Templates().text(name)
