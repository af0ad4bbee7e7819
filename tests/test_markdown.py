"""Text that is shown and never acts: the law of escaping, and a corpus that tries to break it."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchaudit import runner
from benchaudit.errors import BenchauditError, RenderError, one_line
from benchaudit.markdown import (
    code,
    code_blocks,
    comment_places,
    fence,
    folded,
    link,
    plain,
    prose,
    shown,
    structure,
    table,
    tables,
)
from benchaudit.markers import marker
from benchaudit.models import ColumnMapping, Finding, LeftOut
from benchaudit.report.document import audit_document
from benchaudit.report.nouns import Links, Report
from benchaudit.report.templates import Templates
from benchaudit.speech import complain
from benchaudit.state import load
from tests.builders import FAIR, LONGEST, NEW, OLD, SHORTEST, Release, release, reported
from tests.hostile import PARTS, RENDERERS, Seen, corpus, seen
from tests.support import comments

TEXTS = (
    st.text(st.characters(exclude_categories=()))
    | st.text("`|\\<>&*_~[]()#@ \n\r\tab", max_size=40)
    | st.lists(st.sampled_from(PARTS), max_size=4).map("".join)
)
"""Any text at all, lone surrogates too, texts of what Markdown looks at, and of what acts."""

CORPUS = corpus()
CALM = "calm/text"
"""A text like any other, that is code wherever it stands."""


# --- what is shown of a text ---


@given(TEXTS)
@example("\ud800\x00\n\t\r\u00a0\u202e\U000e0001 \u200d")
def test_shown_spells_out_what_cannot_be_seen_and_nothing_else(text):
    """A line end, a tab, other white space, controls and the like, one by one; all else stays."""
    expected = ""
    for character in text:
        category = unicodedata.category(character)
        if character == "\n":
            expected += "⏎"
        elif character == "\t":
            expected += "⇥"
        elif character in "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0" or (
            category[0] in "CZ" and character != " "
        ):
            expected += f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"
        else:
            expected += character
    assert shown(text) == expected


@given(TEXTS)
def test_what_is_shown_is_one_line_of_visible_characters(text):
    """It can be written, printed and shown again without a change."""
    out = shown(text)
    assert shown(out) == out
    assert len(f"{out}|".splitlines()) == 1
    assert out.encode().decode() == out
    assert out.replace(" ", "").isprintable()


# --- the law of escaping ---


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), max_size=4), st.lists(TEXTS, min_size=2, max_size=2))
@example([["|", "`|`"], ["\\", "a\\|b"]], ["", " "])
@example([["", " "], ["\n", "\r\n"]], ["``", "<!-- -->"])
def test_tables_come_back_as_they_went_in(rows, header):
    """`tables(table(...))` is the text that `shown` has, whatever stood in the cells."""
    markdown = table([code(cell) for cell in header], [[code(cell) for cell in row] for row in rows])
    cut = [[_cut(shown(cell), 120) for cell in row] for row in [header, *rows]]
    assert tables(markdown) == [cut]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


@given(TEXTS, st.integers(1, 200))
@example("]: x", 9)
@example("a@example.org|", 99)
@example("a\\", 9)
@settings(max_examples=500)
def test_code_is_one_element_wherever_it_stands(text, most):
    """In a paragraph, a list, a quotation and a heading, for both renderers, cut to so many characters."""
    piece = code(text, most)
    for place in ("{}", "- {}", "> {}", "# {}", "a {} b", "**{}**", "[{}](https://example.org)"):
        for renderer in RENDERERS:
            reader = seen(place.format(piece), renderer)
            assert reader.code == [_cut(shown(text), most)]
            assert reader.tags["code"] == 1
            assert reader.tags.keys() <= {"code", "p", "ul", "li", "blockquote", "h1", "strong", "a"}
            assert reader.comments == []


@pytest.mark.parametrize("cell", ["a|b", "a\nb", "a\rb"])
def test_a_cell_that_breaks_its_table_is_refused(cell):
    with pytest.raises(RenderError, match="would break its table"):
        table(["a"], [[cell]])
    with pytest.raises(RenderError, match="would break its table"):
        table([cell], [])


def test_figures_stand_to_the_right():
    """A column of figures does; one with a text, or none at all, does not."""
    assert (
        table(["a", "b", "c"], [["1 %", "x", "–"], ["+2", "3", "▲ 1"]]).splitlines()[1]
        == "| ---: | --- | ---: |"
    )
    assert table(["a"], []).splitlines()[1] == "| --- |"


@given(TEXTS)
def test_prose_is_words_or_code(text):
    """What is not code has nothing in it that acts; what is code is all of it."""
    for renderer in RENDERERS:
        reader = seen(f"x {prose(text)} y", renderer)
        assert reader.tags.keys() <= {"p", "code"}
        assert reader.acting == []
        if not reader.code:
            assert "".join(reader.prose).rstrip("\n") == f"x {shown(text)} y"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("two options are equal, so there are fewer real options than it seems", True),
        ("lists are written in more than one way: 12 as JSON, 1,048 as joined texts", True),
        ("see GH-7", False),
        ("commit abcdef0", False),
        ("www.example", False),
        ("a :tada: b", False),
        ("3 rows in data/test.csv", False),
        ("a_b_", False),
    ],
)
def test_prose_stays_prose_where_it_can(text, words):
    assert (prose(text) == text) == words


@given(TEXTS, st.integers(1, 300))
def test_a_title_refers_to_nobody(text, most):
    """Spaces without width are all that is added, and it stays one line."""
    out = plain(text, most)
    assert out.replace("\u200b", "") == _cut(shown(text), most)
    assert not re.search(r"[@#](?!\u200b)|\bGH-\d|://", out, re.IGNORECASE)


@pytest.mark.parametrize(
    ("address", "linked"),
    [
        ("https://example.org/datasets/o/n/commit/abc", True),
        ("http://127.0.0.1:8080/a%20b?c=d#e", True),
        ("", False),
        ("git:/tmp/x:abc:data.csv", False),
        ("javascript:alert(1)", False),
        ("https://example.org/a b", False),
        ("https://example.org/a)b", False),
        ("https://example.org/[b]", False),
        ("https://example.org/100%", False),
        ("https://example.org/a\nb", False),
        ("https://example.org/<b>", False),
        ("https://example.org/&#41;", False),
        ("https://example.org/é", False),
    ],
)
def test_a_link_is_made_where_its_address_is_safe(address, linked):
    assert link("`a`", address) == (f"[`a`]({address})" if linked else "`a`")
    for renderer in RENDERERS:
        assert seen(link("`a`", address), renderer).addresses == ({address} if linked else set())


# --- blocks ---


@given(TEXTS.map(lambda text: re.sub(r"[\ud800-\udfff\0]", "", text)))
@example("```\na\n```")
@example("````")
@example("~~~")
def test_a_fence_holds_any_text(text):
    """It ends where it was meant to, and gives the text back but for line ends and blanks at its end."""
    markdown = f"{fence(text, 'python')}\n\nafter"
    (block,) = code_blocks(markdown, "python")
    assert block.rstrip() == re.sub(r"\r\n?", "\n", text).rstrip()
    assert structure(markdown) == {"fence": 1}


def test_a_fold_is_two_pieces_of_html_around_what_is_inside():
    markdown = folded("more", table(["a"], [["b"]]))
    assert structure(markdown) == {"html_block": 2, "table_open": 1, "tr_open": 2}
    assert tables(markdown) == [[["a"], ["b"]]]


def test_a_comment_is_a_block_of_its_own():
    """One in a fence, a list, a quotation, a paragraph or behind blanks that make code is none."""
    for around in ("```\n{}\n```", "- {}", "> {}", "text {}", "    {}"):
        assert comments(around.format("<!-- ours -->")) == []
    assert comments("text\n\n<!-- one -->\n<!-- two\nlines -->\n") == ["<!-- one -->", "<!-- two\nlines -->"]


@given(
    st.lists(st.sampled_from(["<!-- a -->", "b", "", "```", "<!--\n", "-->"])),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_places_of_comments_are_where_they_stand(lines, end):
    """Whatever the line ends, the text at each place is the comment."""
    markdown = end.join(lines)
    for place, text in zip(comment_places(markdown), comments(markdown), strict=True):
        assert markdown[place].strip() == text
        assert text.startswith("<!--")


def test_structure_counts_what_could_be_smuggled_in():
    smuggled = "# h\n\n| a |\n|---|\n| b |\n\n<div>\n\n---\n\n    code\n\n![i](x) <b>x</b> <code>y</code>\n"
    assert structure(smuggled) == {
        **dict.fromkeys(["heading_open", "table_open", "html_block", "hr", "code_block", "image"], 1),
        **dict.fromkeys(["tr_open", "html_inline"], 2),
    }


# --- the corpus, through everything that is written ---


@cache
def report_on(text: str) -> tuple[Report, Release, set[str]]:
    """A report in which every name and text is this one, and the addresses that it may link."""
    name = text or "-"
    common = {
        "dataset": name,
        "title": text,
        "committed_at": name,
        "left_out": {"gold-ambiguous": LeftOut(rows=3, defective=True, sample=(text, text))},
        "findings": [
            Finding(check="x", severity="note", count=2, sample=(text,), message=f"rows in {text}/")
        ],
        "notes": [text],
        "not_run": [f"{name}3"],
        "mapping": ColumnMapping(
            question=(name,),
            options=(name, name),
            gold=name,
            gold_fallback=name,
            gold_encoding="letter",
            id=name,
        ),
    }
    old = release({text: [LONGEST] * 30, "b": FAIR * 10}, column=name, path=name, layout=(text,), **common)
    new = release(
        {text: [SHORTEST] * 30, "b": FAIR * 10},
        column=name,
        path=f"{name}2",
        sha=NEW,
        layout=(f"{text}2",),
        **common,
    )
    links = Links(
        revision={sha: f"https://hub.example/{text}/commit/{sha}" for sha in (OLD, NEW)},
        file={f"{name}2": f"https://hub.example/{text}/resolve/"},
    )
    return reported(old, new, links=links), new, {*links.revision.values(), *links.file.values()}


@cache
def calm_tags(part: str, renderer: str) -> dict[str, int]:
    return _tags(seen(getattr(report_on(CALM)[0], part), renderer))


def _tags(reader: Seen) -> dict[str, int]:
    return {tag: count for tag, count in reader.tags.items() if tag != "a"}


def test_the_corpus_is_as_large_as_it_says():
    assert len(CORPUS) >= 300
    assert len(set(CORPUS)) == len(CORPUS)


@pytest.mark.parametrize("text", CORPUS, ids=[ascii(text)[1:40] for text in CORPUS])
def test_a_hostile_text_is_shown_and_does_nothing(text):
    """In body, comment and summary, for two renderers: the same tags as with a calm text, and no others."""
    report, _, addresses = report_on(text)
    for part in ("body", "comment", "summary"):
        for renderer in RENDERERS:
            reader = seen(getattr(report, part), renderer)
            assert _tags(reader) == calm_tags(part, renderer)
            assert reader.addresses <= addresses
            assert reader.acting == []
            assert shown(text) in reader.code
            assert len(reader.comments) == {"body": 4, "comment": 1, "summary": 0}[part]


@pytest.mark.parametrize("text", CORPUS, ids=[ascii(text)[1:40] for text in CORPUS])
def test_a_hostile_text_leaves_our_state_and_script_alone(text):
    """The marker is the one at the top, the state reads back, and the script names what it should."""
    report, new, _ = report_on(text)
    dataset = text or "-"
    assert comments(report.body)[0] == marker(dataset) == report.body.split("\n", 1)[0]
    assert load(report.body, dataset).past.snapshot.layout == new.snapshot.layout
    (script,) = code_blocks(report.body, "python")
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(script).body
        if isinstance(node, ast.Assign) and node.targets[0].id.isupper()
    }
    assert [path for path, _ in constants["FILES"]] == [f"{dataset}2"]
    assert constants["SLICES"] == [[dataset]]


def commands(log: str) -> list[str]:
    """What a runner takes for commands: a line that begins with `::` but for blanks, or `##[` anywhere."""
    return [
        line
        for line in re.split(r"[\r\n]+", log)
        if re.match(r"\s*::.*::", line) or re.search(r"##\[.*\]", line)
    ]


@pytest.mark.parametrize("text", CORPUS, ids=[ascii(text)[1:40] for text in CORPUS])
def test_a_hostile_text_commands_no_runner(text, tmp_path, capsys):
    """In a log line, wherever it is wrapped, an annotation, an output and a title."""
    line = runner.harmless(text)
    assert [commands(line[start:]) for start in range(len(line))] == [[]] * len(line)

    complain(BenchauditError(text, where=text, todo=text), {"GITHUB_ACTIONS": "true"})
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("::error title=benchaudit::")
    data = said.removeprefix("::error title=benchaudit::").replace("%0D", "\r").replace("%0A", "\n")
    assert data.replace("%25", "%") == one_line(str(BenchauditError(text, where=text, todo=text)))

    file = tmp_path / "output"
    runner.output("verdict", text, {"GITHUB_OUTPUT": str(file)})
    assert outputs(file.read_bytes().decode()) == {"verdict": text.encode(errors="replace").decode()}


def outputs(text: str) -> dict[str, str]:
    """The outputs of a file, as a runner reads the form with a delimiter."""
    found: dict[str, str] = {}
    while text:
        (name, _, delimiter), text = text.split("\n", 1)[0].partition("<<"), text.split("\n", 1)[1]
        value, text = text.split(f"\n{delimiter}\n", 1)
        found[name] = value
    return found


@pytest.mark.parametrize("text", CORPUS, ids=[ascii(text)[1:40] for text in CORPUS])
def test_a_hostile_error_is_a_report_of_failure_and_no_more(text):
    filled = Templates().fill("failure.md", title=code(text), message=code(text, 500))
    for renderer in RENDERERS:
        reader = seen(filled, renderer)
        assert _tags(reader) == {"h2": 1, "p": 2, "strong": 1, "code": 2}
        assert reader.acting == []
        assert reader.code == [_cut(shown(text), 120), _cut(shown(text), 500)]


@pytest.mark.parametrize("text", CORPUS, ids=[ascii(text)[1:40] for text in CORPUS])
def test_a_hostile_text_is_json_as_it_is(text):
    """Data is not escaped for print: it comes back as it was."""
    document = audit_document(report_on(text)[1].audit)
    assert json.loads(json.dumps(document)) == document
    assert {text or "-": text} in [part["slice"] for part in document["slices"]]
