"""The report: what it says, what it leaves out, and how long it gets.

Golden files hold whole reports but for three things that are tested elsewhere or differ by machine:
the packed state, the script that counts again, and the version.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit import __version__
from benchaudit.checks import all_checks
from benchaudit.errors import RenderError
from benchaudit.figures import plural, rounded
from benchaudit.frames import audit_frame, comparison_frame
from benchaudit.headlines import Headline
from benchaudit.markdown import code_blocks, shown, structure, table, tables
from benchaudit.markers import comment_marker, marker
from benchaudit.models import ALL, Blob, ColumnMapping, Finding, LeftOut, Thresholds
from benchaudit.parts import closing, opening
from benchaudit.report.document import audit_document, comparison_document, exact, mapping_document, write
from benchaudit.report.fitting import Page
from benchaudit.report.issue import MOST_CHANGES, MOST_CHARACTERS, MOST_HISTORY
from benchaudit.report.nouns import Links
from benchaudit.report.sentences import (
    changed_sentence,
    evidence_list,
    further_sentence,
    is_quiet,
    material_list,
    verdict_sentence,
)
from benchaudit.report.snippet import snippet
from benchaudit.report.tables import SLICE_HEADER, lines_of, slice_row
from benchaudit.report.templates import Templates
from benchaudit.report.trails import MOST_FOLLOWED
from benchaudit.state import BUDGET, dump, load
from benchaudit.tally import Tally
from benchaudit.verdict import Judged
from tests.builders import (
    BETWEEN,
    FAIR,
    LONGEST,
    NEW,
    OLD,
    SHORTEST,
    Release,
    compared,
    paired,
    release,
    reported,
)
from tests.hostile import RENDERERS, seen
from tests.support import audit_path, comments

HUB = "https://hub.example/datasets/owner/name"
LINKS = Links(
    revision={sha: f"{HUB}/commit/{sha}" for sha in (OLD, NEW)},
    file={"data/test.csv": f"{HUB}/resolve/test.csv"},
)
CALM = {"geography": FAIR * 15, "history": FAIR * 10, "ethics": FAIR * 20, None: FAIR * 3}
TWO_WAYS = CALM | {"geography": [LONGEST] * 60, "ethics": [SHORTEST] * 70 + [BETWEEN] * 10}


def without_what_differs(text: str) -> str:
    """A report without packed state, script and version."""
    text = re.sub(r"(<!-- benchaudit:state:v1\n).*?(\n-->)", r"\1…\2", text, flags=re.DOTALL)
    text = re.sub(r"(```python\n).*?(\n```)", r"\1…\2", text, flags=re.DOTALL)
    return text.replace(f"benchaudit {__version__}", "benchaudit VERSION")


# --- whole reports ---


@pytest.fixture
def hold(golden):
    """Hold every text of a report against its golden files."""

    def hold(name, report):
        for part in ("body", "comment", "summary"):
            if text := getattr(report, part):
                golden(f"report-{name}.{part}.md", without_what_differs(text))
        return report

    return hold


def test_the_first_report(hold):
    """It compares already, says loudly that it is the first, and notifies nobody."""
    report = hold("first", reported(release(CALM), release(TWO_WAYS, sha=NEW), links=LINKS, first=True))
    assert report.comment == ""


def test_a_leak_that_appeared(hold):
    """The comment says what changed and why: the same rows, edited."""
    report = hold("leak-appeared", reported(release(CALM), release(TWO_WAYS, sha=NEW), links=LINKS))
    assert "none found → severe leak" in report.comment
    assert "rows edited" in report.comment


def test_a_leak_that_was_fixed(hold):
    """In one slice by editing, in the other by taking rows away."""
    fixed = TWO_WAYS | {"geography": FAIR * 15, "ethics": [BETWEEN] * 10}
    report = hold("leak-fixed", reported(release(TWO_WAYS), release(fixed, sha=NEW), links=LINKS))
    assert "severe leak → none found" in report.comment


def test_nothing_that_changed(hold):
    report = hold("unchanged", reported(release(TWO_WAYS), release(TWO_WAYS, sha=NEW), links=LINKS))
    assert report.comment == ""
    assert "no figure changed" in report.body


def test_two_hundred_slices(hold):
    """The leaks stand on top, the quiet ones are folded; what has no room is counted."""
    slices = {f"topic {number:03d}": FAIR * 8 if number % 9 else [LONGEST] * 30 for number in range(200)}
    report = hold("200-slices", reported(None, release(slices, sha=NEW), links=LINKS))
    loud, quiet = slice_tables(report.body)
    cut = re.search(r"(\d+) more rows? had no room here", report.body)
    assert len(loud) == 2 + 23
    assert len(quiet) + (int(cut[1]) if cut else 0) == 2 * 200 - 23
    assert len(quiet) > 350


def test_names_in_other_scripts(hold):
    """Wide characters, and names that are read from right to left, beside those that are not."""
    slices = {
        "日本語の質問": [LONGEST] * 40,
        "שאלות": [SHORTEST] * 40,
        "أسئلة عامة": FAIR * 10,
        "café 👩‍👩‍👧": FAIR * 10,
    }
    mapping = ColumnMapping(options=("選択肢",), gold="答え", gold_encoding="letter")
    new = release(slices, column="カテゴリ", sha=NEW, path="データ/テスト.csv", mapping=mapping)
    report = hold("scripts", reported(None, new, first=True))
    names = {row[0] for table in slice_tables(report.body) for row in table}
    assert names == {"ALL", *(f"カテゴリ = {shown(name)}" for name in slices)}


def test_a_history_that_was_rewritten(hold):
    """Rows of a revision that is gone cannot be paired: stored counts are compared, and it is said."""
    notice = "**History was rewritten**: revision `0123abc` is gone from it; only the newest is audited."
    old, new = release(CALM), release(TWO_WAYS, sha=NEW)
    comparison = compared(old, new, None)
    report = hold(
        "rewritten",
        reported(
            release(CALM),
            release(TWO_WAYS, sha=NEW),
            links=LINKS,
            comparison=comparison,
            notices=(notice,),
            skipped=3,
        ),
    )
    assert f"> {notice}" in report.body
    assert "rows could not be paired" in report.body
    assert "Because of" not in report.comment


def test_left_out_rows_and_findings(hold):
    """Defective rows first by number; what cannot be shown is not shown as clean."""
    new = release(
        {"a": [LONGEST] * 25 + [BETWEEN] * 20, "b": FAIR * 5},
        sha=NEW,
        left_out={
            "gold-not-in-options": LeftOut(rows=9, defective=True, sample=("17", "23", "row | 4")),
            "unlabelled": LeftOut(rows=120, defective=False, sample=("1", "2", "3", "4", "5")),
        },
        findings=[
            Finding(
                check="empty-option", severity="defect", count=3, sample=("7",), message="an option is empty"
            ),
            Finding(check="x", severity="note", count=1, message="1,048 rows in data/test_@a.csv"),
        ],
        notes=["data/test.csv was read as Latin-1"],
        not_run=["who"],
    )
    report = hold("left-out", reported(None, new, links=LINKS))
    assert "**Not run**: this revision has no column for `who`" in report.body


# --- the body ---


def slice_tables(markdown: str) -> list[list[list[str]]]:
    """The rows of the tables of slices, without their headers."""
    return [rows for header, *rows in tables(markdown) if header == list(SLICE_HEADER)]


def wide(count: int, name: str, leaky: str = "leak") -> Release:
    """A revision of so many slices, of which every seventh is `leaky`, and names made of this.

    Two slices are judged, and stand there again and again under other names.
    """
    judged = release(
        {"calm": FAIR * 6, "leak": [LONGEST] * 25}, column=name, sha=NEW if leaky == "leak" else OLD
    )
    parts = {part.key[0][1]: part for part in judged.audit.slices[1:]}
    slices = [
        replace(parts["calm" if number % 7 else leaky], key=((name, f"{name}{number}"),))
        for number in range(count)
    ]
    return replace(judged, audit=replace(judged.audit, slices=(judged.audit.all, *slices)))


NAMES = {
    "plain": "topic ",
    "wide": "質問の種類と難しさ" * 4,
    "emoji": "\U0001f600" * 60,
    "marks": "|`*_" * 15,
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_report_of_5000_slices_fits(name):
    """In characters and bytes, marker and state first; cut between rows, and it says how many are missing."""
    new = wide(5_000, name)
    report = reported(None, new, links=LINKS)
    for text in (report.body, report.summary):
        assert len(text) <= MOST_CHARACTERS < 65_536
        assert len(text.encode()) <= 262_144
        rows = [row for table in slice_tables(text) for row in table]
        assert all(len(row) == len(SLICE_HEADER) for row in rows)
        missing = 2 * 5_001 - len(rows)
        assert f"{plural(missing, 'more row')} had no room here" in text
        expected = sorted(lines_of(new.audit, None), key=is_quiet)[: len(rows)]
        assert rows == [as_read(line) for line in expected]
    assert report.body.startswith(f"{marker('owner/name')}\n{dump(report.state)}\n\n**Severe leak.**")
    assert load(report.body, "owner/name").past.complete is False
    assert len(dump(report.state)) <= BUDGET


def as_read(line) -> list[str]:
    """The cells of a line as a reader sees them."""
    return tables(table(SLICE_HEADER, [slice_row(line)]))[0][1]


def test_what_fits_is_not_cut():
    report = reported(None, release({str(number): FAIR * 5 for number in range(50)}))
    assert sum(map(len, slice_tables(report.body))) == 2 * 51
    assert "had no room here" not in report.body


def with_files(count: int):
    """A revision that was read from so many files."""
    new = release(TWO_WAYS, sha=NEW)
    ids = random.Random(7)
    blobs = tuple(
        Blob(path=f"data/subject-{number:04d}/test.csv", id=f"{ids.getrandbits(256):064x}", size=9)
        for number in range(count)
    )
    audit = replace(new.audit, origin=replace(new.audit.origin, blobs=blobs))
    return replace(new, audit=audit, snapshot=replace(new.snapshot, blobs=blobs))


def file_links(release_of_files) -> Links:
    return Links(file={blob.path: f"{HUB}/resolve/{blob.path}" for blob in release_of_files.snapshot.blobs})


@pytest.mark.parametrize(("count", "script"), [(20, True), (60, True), (300, False)])
def test_a_script_that_names_too_many_files_makes_room(count, script):
    """What it would take is better spent on rows, and the table of files stays short."""
    new = with_files(count)
    report = reported(None, new, links=file_links(new))
    assert bool(code_blocks(report.body, "python")) == script
    assert len(slice_tables(report.body)[0]) >= 4
    assert ("would be too long to stand here" in report.body) != script
    assert (f"and {plural(count - 20, 'more file')}" in report.body) == (count > 20)


def test_more_files_than_a_report_can_remember_are_an_error():
    """Not a body that the platform refuses, or a state that is cut."""
    new = with_files(1_500)
    with pytest.raises(
        RenderError, match=r"^issue\.md: the text is [\d,]+ characters long, .* name fewer files"
    ):
        reported(None, new)


def test_parts_make_room_where_no_row_fits():
    """Hostile names in every part: the verdict stays, whole parts go, and it is said."""
    name = "|`*_" * 30
    new = release(
        {name: [LONGEST] * 30},
        column=name,
        sha=NEW,
        notes=[name * 3] * 20,
        left_out={f"reason-{n}": LeftOut(rows=1, defective=True, sample=(name,) * 5) for n in range(12)},
        findings=[
            Finding(check=str(n), severity="note", count=1, sample=(name,) * 5, message=name * 4)
            for n in range(9)
        ],
        mapping=ColumnMapping(options=(name,) * 26, gold=name, gold_encoding="letter"),
    )
    report = reported(None, new)
    assert len(report.body) <= MOST_CHARACTERS
    assert "There is no room for this here" in report.body
    assert "**Incomplete.**" in report.body or "leak" in report.body
    for renderer in RENDERERS:
        assert seen(report.body, renderer).acting == []


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, unique=True), st.integers(0, 30))
def test_a_body_begins_with_marker_and_state(values, number):
    """Whatever follows; and what is read back is what the report remembers."""
    new = release(dict.fromkeys(values, FAIR * number), sha=NEW)
    report = reported(None, new)
    first, second, *rest = comments(report.body)
    assert (first, second, rest) == (
        marker("owner/name"),
        dump(report.state),
        [opening("notes"), closing("notes")],
    )
    assert report.body.startswith(f"{first}\n{second}\n")
    assert load(report.body, "owner/name") == report.state


def test_equal_input_gives_equal_bytes():
    """Findings, slices and pairs in the order in which they came; nothing of the clock."""
    one, other = (reported(release(CALM), release(TWO_WAYS, sha=NEW), links=LINKS) for _ in range(2))
    assert one == other


def test_a_history_is_short_and_each_revision_in_it_once():
    history = tuple(
        Headline(sha=f"{number:040x}", committed_at="", verdict="leak", severe=number % 2 == 0, n=number)
        for number in range(40)
    )
    again = Headline(sha=NEW, committed_at="", verdict="slight", severe=False, n=1)
    report = reported(None, release(CALM, sha=NEW), history=(again, *history))
    assert [entry.sha for entry in report.state.history] == [
        entry.sha for entry in history[-MOST_HISTORY + 1 :]
    ] + [NEW]
    table = next(rows for header, *rows in tables(report.body) if header[0] == "Revision")
    assert table[0][0] == NEW[:7]
    assert len(table) == MOST_HISTORY


# --- the comment ---


def test_a_comment_begins_with_the_line_that_it_is_known_by():
    report = reported(release(CALM), release(TWO_WAYS, sha=NEW))
    assert report.comment.split("\n", 1)[0] == comment_marker(NEW)
    assert comments(report.comment) == [comment_marker(NEW)]


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_comment_on_5000_slices_fits(name):
    """It names some changes and says how many more there are."""
    old, new = wide(5_000, name, leaky="calm"), wide(5_000, name)
    edited = paired(release({"a": FAIR * 6}), release({"a": [LONGEST] * 25})).moves
    moves = {
        (part.key, check): edited[(("topic", "a"),), check]
        for part in new.audit.slices
        for check in ("longest", "shortest")
    }
    comparison = compared(old, new, replace(paired(old, new), moves=moves))
    report = reported(old, new, comparison=comparison)
    assert len(report.comment) <= MOST_CHARACTERS
    assert len(report.comment.encode()) <= 262_144
    named = len(re.findall(r"^- .* → ", report.comment, re.MULTILINE))
    (missing,) = re.findall(r"^- ([\d,]+) more changes had no room here", report.comment, re.MULTILINE)
    assert named + int(missing.replace(",", "")) == len(material_list(comparison)) >= 5_000 // 7
    assert 0 < named <= MOST_CHANGES
    assert len(next(table for table in tables(report.comment) if table[0][-1] == "Because of")) == named + 1
    for renderer in RENDERERS:
        assert seen(report.comment, renderer).acting == []


def trail(body):
    """The lines of the slices that are followed, by slice and check."""
    found = [rows for rows in tables(body) if rows[0][2:3] == ["Best rule, oldest first"]]
    return {(row[0], row[1]): row[2:] for rows in found for row in rows[1:]}


def watched(*revisions):
    """The report of the last of several revisions, each reported on after the one before."""
    report, past = None, None
    for number, slices in enumerate(revisions):
        new = release(slices, sha=f"{number:040x}")
        history = report.state.history if report else ()
        report, past = reported(past, new, history=history, first=number == 0), new
    return report


def test_the_worst_slices_have_a_line_over_time():
    """From the first revision that is known of them; what comes in now is known from the one before, too."""
    leak = {"geography": [LONGEST] * 60}
    found = watched(CALM, CALM, CALM | leak, CALM | leak, CALM)
    lines = trail(found.body)
    assert lines["topic = geography", "longest"] == ["·▃██▃", "25.0 % → 25.0 %", "25.0 %"]
    assert lines["ALL", "longest"][0] == "▃▃▄▄▃"
    assert load(found.body, "owner/name") == found.state
    vanished = watched(CALM | leak, CALM | leak, {"history": FAIR * 10})
    assert trail(vanished.body)["topic = geography", "longest"] == ["██·", "100.0 %, then gone", "25.0 %"]
    assert trail(watched(CALM).body) == {}
    assert {name for name, _ in trail(watched(CALM, CALM).body)} == {"ALL"}


def test_what_is_followed_is_bounded():
    """Eight slices, no name that is a text, and twenty revisions: the state of a long history stays small."""
    slices = {f"slice {number}": [LONGEST] * 30 for number in range(40)} | {"long " * 60: [LONGEST] * 60}
    report = watched(*[slices] * (MOST_HISTORY + 3))
    history = report.state.history
    assert len(history) == MOST_HISTORY
    assert all(MOST_FOLLOWED - 1 <= len(line.rates) <= MOST_FOLLOWED for line in history)
    assert not any("long long" in repr(place) for line in history for place in line.rates)
    without = replace(report.state, history=tuple(replace(line, rates={}) for line in history))
    assert len(dump(report.state)) - len(dump(without)) < 1_500


def test_a_comment_names_rows_that_moved():
    """Up to ten of each kind."""
    old, new = release(CALM), release(TWO_WAYS | {"geography": [LONGEST] * 75}, sha=NEW)
    report = reported(old, new)
    rows = {row[0]: row for table in tables(report.comment) if table[0][0] == "Rows" for row in table[1:]}
    assert rows["added"][1] == "15"
    assert rows["added"][2].split(", ") == [f"geography-new{number}" for number in range(10)]
    assert rows["gold changed"] if "gold changed" in rows else rows["options edited"]


def test_steps_add_up_to_the_change():
    """The table's words are those of the exact decomposition."""
    old, new = release(CALM), release(TWO_WAYS | {"geography": [LONGEST] * 90}, sha=NEW)
    comparison = compared(old, new, paired(old, new))
    for change in comparison.changes:
        if change.steps:
            assert sum(change.steps.values()) == change.moved
    table = next(table for table in tables(reported(old, new).comment) if table[0][-1] == "Because of")
    row = next(row for row in table if row[0] == "topic = geography" and row[1] == "longest")
    assert row[2:] == ["25.0 % → 100.0 %", "▲ +75.0", "rows edited +75.0"]


def test_news_of_files_and_layout_are_in_the_comment():
    old = release(TWO_WAYS, path="old.csv", layout=("default: train old.csv",))
    new = release(TWO_WAYS, path="new.csv", layout=("default: test new.csv",), sha=NEW)
    comment = reported(old, new).comment
    for news in ("new file new.csv", "file gone: old.csv", "the card said default: train old.csv"):
        assert news in comment


# --- the check of structure ---

PARTS = ("verdict", "slices", "quiet", "left_out", "findings", "measured", "snippet", "history", "footer")


def filled(template: str, tmp_path, **values: str) -> str:
    """A page of this template."""
    (tmp_path / "page.md").write_text(template, encoding="utf-8")
    page = Page(template="page.md", templates=Templates(str(tmp_path)), most=10_000, head="<!-- ours -->\n")
    return page.fill(values, lambda _: {}, 0)


SMUGGLED = {
    "heading": "text\n\n# No leak found",
    "underlined heading": "No leak found\n===",
    "table": "| a |\n|---|\n| b |",
    "html": "<div>\n\ntext",
    "comment": "text\n\n<!-- benchaudit:v1 dataset=owner/name -->",
    "open comment": "text\n\n<!-- open",
    "fence": "```\ncode\n```",
    "open fence": "text\n\n```",
    "indented code": "text\n\n    code",
    "rule": "text\n\n***",
    "picture": "text ![i](https://hub.example/p.png)",
    "tag": "text <img src=x>",
    "closing tag": "text </details>",
}


@pytest.mark.parametrize("text", SMUGGLED.values(), ids=SMUGGLED.keys())
@pytest.mark.parametrize("name", ["verdict", "baseline", "changed", "notices", "material", "footer"])
def test_a_value_that_smuggles_something_in_is_refused(name, text, tmp_path):
    """Prose may bring paragraphs, lists and quotations; nothing is written then."""
    with pytest.raises(RenderError, match=rf"^page\.md: \${name} brought .* nothing was written$"):
        filled(f"## Title\n\n${name}\n\nend\n", tmp_path, **{name: text})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("slices", f"{SMUGGLED['table']}\n\n{SMUGGLED['table']}"),
        ("slices", f"{SMUGGLED['table']}\n\n{SMUGGLED['heading']}"),
        ("findings", f"### Findings\n\n# No leak found\n\n{SMUGGLED['table']}"),
        ("snippet", f"```\na\n```\n\n{SMUGGLED['fence']}"),
        ("history", SMUGGLED["comment"]),
    ],
)
def test_a_table_brings_no_more_than_a_table(name, text, tmp_path):
    with pytest.raises(RenderError, match=rf"\${name} brought"):
        filled(f"${name}\n", tmp_path, **{name: text})


@pytest.mark.parametrize("name", PARTS)
def test_prose_is_let_through_everywhere(name, tmp_path):
    text = "A **paragraph**, a `</code> span`, a [link](https://hub.example/).\n\n- a list\n\n> a quotation"
    assert text in filled(f"${name}\n", tmp_path, **{name: text})


@pytest.mark.parametrize(
    "template",
    [
        "```\n$slices\n",
        "<!--\n\n$slices\n",
        "    $slices\n",
        "<div>\n$slices\n</div>\n",
        "> x\n$slices\n",
        "x $slices\n",
    ],
)
def test_a_template_that_swallows_a_value_is_refused(template, tmp_path):
    """What a user's own template makes of a table is looked at like anything else."""
    with pytest.raises(RenderError, match=r"^page\.md: the text has .* were meant"):
        filled(template, tmp_path, slices=SMUGGLED["table"])


def test_a_value_may_stand_twice(tmp_path):
    text = filled("$slices\n\n## Again\n\n${slices}\n", tmp_path, slices=SMUGGLED["table"])
    assert structure(text) == {"html_block": 1, "table_open": 2, "tr_open": 4, "heading_open": 1}


def test_a_text_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(RenderError, match=r"10,0\d\d characters long, 10,000 are the most"):
        filled("$verdict\n", tmp_path, verdict="x" * 10_000)


# --- sentences and tables ---


def sentence(slices, **more) -> str:
    audit = release(slices, **more).audit
    return verdict_sentence(audit, lines_of(audit, None))


def test_the_verdict_names_slices_that_leak_and_both_directions():
    """The worst of each check is among the four: two that point opposite ways are the news."""
    slices = {f"long {number}": [LONGEST] * 80 for number in range(9)} | {"short": [SHORTEST] * 30}
    lines = lines_of(release(slices).audit, None)
    said = evidence_list(lines)
    assert "overall and in 10 of 10 slices, " in sentence(slices)
    assert len(re.findall(r"^- ", said, re.MULTILINE)) == 4
    assert "`topic` = `short`: gold is among the shortest options in 30 of 30 items" in said
    assert "picking the shortest option scores 100.0 %, chance is 25.0 %" in said.replace(
        "\N{NO-BREAK SPACE}", " "
    )


@pytest.mark.parametrize(
    ("said", "slices", "more"),
    [
        (
            (
                "**Leak.** A guesser who never reads the question scores **62.5 %**, chance is 25.0 %: "
                "overall and in 1 of 1 slice, the length of the options gives the gold away."
            ),
            {"a": [LONGEST] * 50 + [BETWEEN] * 30},
            {},
        ),
        ("**No leak found** in 80 items", {"a": FAIR * 20}, {}),
        ("**Too few rows** for a verdict: 4 items of 20.", {"a": FAIR}, {}),
        (
            (
                "**No leak, but a slight tell.** A guesser who never reads the question scores **50.0 %**, "
                "chance is 25.0 %; the length of the options is worth more than chance, by less than 40"
            ),
            {"a": [LONGEST] * 50 + FAIR * 25},
            {"thresholds": Thresholds(min_effect=40.0)},
        ),
        (
            "**Incomplete.** So many rows are defective",
            {"a": FAIR * 20},
            {"left_out": {"gold-ambiguous": LeftOut(rows=60, defective=True)}},
        ),
        (
            "**Nothing could be measured**: none of 3 rows is a single-gold item (3 unlabelled).",
            {},
            {"left_out": {"unlabelled": LeftOut(rows=3, defective=False)}},
        ),
    ],
)
def test_the_verdict_in_a_sentence(said, slices, more):
    assert sentence(slices, **more).startswith(said)


@pytest.mark.parametrize(
    ("said", "before", "after"),
    [
        ("**Worse** since X: 2 slices began to leak, the guesser went from 1 to 2.", CALM, TWO_WAYS),
        ("**Better** since X: 2 slices no longer leak, the guesser went from 1 to 2.", TWO_WAYS, CALM),
        (
            (
                "**Better and worse** since X: 1 slice began to leak, 1 slice no longer leaks, the "
                "guesser went from 1 to 2."
            ),
            CALM | {"geography": [LONGEST] * 60},
            CALM | {"ethics": [SHORTEST] * 80},
        ),
        (
            "**Worse** since X: 1 slice leaks more, the guesser went from 1 to 2.",
            {"a": [LONGEST] * 60 + [BETWEEN] * 40},
            {"a": [LONGEST] * 70 + [BETWEEN] * 30},
        ),
        (
            "**Changed** since X: the guesser went from 1 to 2, 1 slice appeared.",
            CALM,
            CALM | {"new": FAIR * 9},
        ),
        ("**The same** as X: no figure changed.", CALM, CALM),
        ("**Nothing that matters changed** since X.", CALM, CALM | {"history": FAIR * 11}),
    ],
)
def test_what_changed_in_a_sentence(said, before, after):
    old, new = release(before), release(after, sha=NEW)
    assert changed_sentence(compared(old, new, paired(old, new)), "X", ("1", "2")) == said


def test_lines_are_worst_first_below_all():
    audit = release(TWO_WAYS).audit
    lines = lines_of(audit, None)
    assert [line.key for line in lines[:2]] == [ALL, ALL]
    ranks = [line.judged.rank for line in lines[2:]]
    assert ranks == sorted(ranks)
    assert not is_quiet(lines[0])


@pytest.mark.parametrize(("by_length", "shown"), [("incomplete", set()), ("none-found", {"digits"})])
def test_what_rows_out_leave_open_stands_once_a_slice(by_length, shown):
    """Every check is incomplete by the same rows: a line for each would hide those that matter."""
    audit = release({"a": FAIR * 15}).audit
    tally = audit.all.checks["longest"].tally
    better = Tally.of([(4, 1, 60, 30)])
    further = {
        name: Judged(tally=better if name == "digits" else tally, verdict="incomplete")
        for name in ("first", "digits", "quotes")
    }
    extrema = {name: Judged(tally=tally, verdict=by_length) for name in ("longest", "shortest")}
    slices = tuple(replace(part, checks=extrema | further) for part in audit.slices)
    lines = lines_of(replace(audit, slices=slices), None)
    for key in {line.key for line in lines}:
        assert {line.check for line in lines if line.key == key} == {"longest", "shortest"} | shown
    assert "Of 3 further checks 3 cannot exclude a leak" in further_sentence(replace(audit, slices=slices))


def test_a_guesser_above_chance_is_no_contradiction_of_no_leak():
    """The sentence says what would have shown, and what the difference is worth."""
    audit = release(CALM).audit
    assert audit.baseline is not None
    pooled = audit.baseline.pooled
    gain = max(audit.all.checks[name].detectable_gain for name in ("longest", "shortest"))

    def said(right):
        found = replace(audit, baseline=replace(audit.baseline, pooled=replace(pooled, right=right)))
        return verdict_sentence(found, lines_of(found, None))

    above, same = said(pooled.chance + 5), said(pooled.chance)
    assert f"a gain of {rounded(Fraction(gain) * 100)} points by option length would have shown" in above
    assert above.endswith(", a difference that no check can tell from luck.")
    assert "luck" not in same + said(pooled.chance - 5)


def test_a_check_without_meaning_has_no_rates():
    """An empty slice has no rate; it is not 0 %."""
    line = lines_of(release(CALM).audit, None)[0]
    row = slice_row(replace(line, judged=Judged(tally=Tally(), verdict="not-applicable")))
    assert row[3:] == [
        "not applicable",
        *("–", "–", "–", "–"),
        *("0\N{NO-BREAK SPACE}(–)", "–", "0\N{NO-BREAK SPACE}(–)"),
    ]
    assert row[1] == "192"


def test_a_missing_value_is_told_from_an_empty_one():
    names = {
        row[0]
        for table in slice_tables(reported(None, release({None: FAIR, "": FAIR})).body)
        for row in table
    }
    assert names == {"ALL", "topic = (missing)", "topic = "}


# --- documents and frames ---


@given(st.fractions(max_denominator=999))
def test_sums_are_exact(value):
    """A whole number, or a fraction as a text that reads back."""
    text = exact(value)
    assert Fraction(text) == value
    assert isinstance(text, int) == (value.denominator == 1)


def test_a_document_is_sorted_where_order_has_no_meaning():
    """Equal input gives equal bytes, whatever order the counts came in."""
    audit = release(
        CALM, left_out={"z": LeftOut(rows=1, defective=True), "a": LeftOut(rows=2, defective=True)}
    ).audit
    first, *rest = audit.slices
    turned = replace(
        first,
        left_out=dict(reversed(first.left_out.items())),
        gold_position=dict(reversed(first.gold_position.items())),
    )
    other = replace(audit, slices=(turned, *rest), left_out=dict(reversed(audit.left_out.items())))
    assert json.dumps(audit_document(other)) == json.dumps(audit_document(audit))


def test_every_column_of_a_mapping_is_in_the_document():
    mapping = ColumnMapping(
        question=("q",),
        options=("o",),
        distractors=("d",),
        gold="g",
        gold_fallback="f",
        gold_encoding="letter",
        option_separator="; ",
        options_in_question=True,
        last_turn=True,
        id="i",
    )
    assert mapping_document(mapping) == {
        "question": ["q"],
        "options": ["o"],
        "distractors": ["d"],
        "gold": "g",
        "gold-fallback": "f",
        "gold-encoding": "letter",
        "option-separator": "; ",
        "options-in-question": True,
        "last-turn": True,
        "id": "i",
    }
    assert mapping_document(ColumnMapping()) == {}


MISREAD: dict[str, dict[str, object]] = {
    "columns named by gold": {"response_1": "reeds", "response_2": "moss", "label": "response_2"},
    "a letter with its text": {"options": ["reeds", "moss"], "answer": "B. moss"},
    "one message": {
        name: [{"role": "assistant", "content": text}] for name, text in (("chosen", "a"), ("rejected", "bb"))
    },
}


@pytest.mark.parametrize("form", MISREAD)
def test_there_is_no_script_for_what_a_short_one_would_misread(form, tmp_path):
    def script(row: dict[str, object]) -> str:
        (tmp_path / "test.jsonl").write_text(f"{json.dumps({'question': '?', **row})}\n" * 3)
        audit = audit_path(tmp_path / "test.jsonl")
        assert audit.rows == audit.slices[0].n
        return snippet(audit, {"test.jsonl": "https://data.example/test.jsonl"}, [], Templates())

    assert not script(MISREAD[form])
    assert script({"options": ["reeds", "moss"], "answer": "B"})


def test_a_comparison_as_a_document():
    old, new = release(CALM), release(TWO_WAYS, sha=NEW)
    document = comparison_document(compared(old, new, paired(old, new)))
    assert json.loads(json.dumps(document)) == document
    assert (document["old"], document["new"]) == (OLD, NEW)
    part = next(part for part in document["slices"] if part["slice"] == {"topic": "geography"})["checks"][
        "longest"
    ]
    assert (part["old"]["credit"], part["new"]["credit"], part["change"]) == (15, 60, "3/4")
    assert sum(map(Fraction, part["steps"].values())) == Fraction(3, 4)
    assert part["material"]


def test_a_document_goes_to_a_file_or_to_standard_output(tmp_path, capsys):
    """As UTF-8, and on a log without anything that a runner takes for a command."""
    document = {"a": "é ##[error]x \ud800", "b": ["::error::x"]}
    write(str(tmp_path / "report.json"), document)
    write("-", document)
    written, printed = (tmp_path / "report.json").read_text(encoding="utf-8"), capsys.readouterr().out
    meant = {"a": "é ##[error]x ?", "b": ["::error::x"]}
    assert json.loads(written) == json.loads(printed) == meant
    assert "é" in written
    assert "##[" not in printed
    assert not any(line.lstrip().startswith("::") for line in printed.splitlines())


def test_the_frame_of_an_audit():
    """One row a slice and check; what a slice does not fix is missing."""
    frame = audit_frame(release(TWO_WAYS).audit)
    assert len(frame) == len(all_checks()) * 5
    frame = frame[frame["check"].isin(["longest", "shortest"])]
    row = frame[(frame["topic"] == "geography") & (frame["check"] == "longest")].iloc[0]
    assert (row["n"], row["among"], row["verdict"], row["direction"]) == (60, 60, "leak", "pick")
    assert row["gain"] == pytest.approx(0.75)
    assert list(frame[frame["topic"].isna()]["slicing"]) == ["", "", "topic", "topic"]


@pytest.mark.parametrize("column", ["n", "check", "verdict", "slicing"])
def test_a_slice_column_hides_no_figure(column):
    frame = audit_frame(release({"a": FAIR * 10}, column=column).audit)
    assert set(frame[f"@{column}"].dropna()) == {"a"}
    assert set(frame["n"]) == {40}
    assert set(frame["check"]) == {check.name for check in all_checks()}


def test_the_frame_of_an_empty_audit_has_no_rows():
    assert isinstance(audit_frame(replace(release({}).audit, slices=())), pd.DataFrame)
    assert pd.isna(audit_frame(release({}).audit)["gain"]).all()


def test_the_frame_of_a_comparison():
    old, new = release(CALM), release(TWO_WAYS, sha=NEW)
    frame = comparison_frame(compared(old, new, paired(old, new))).set_index(["slice", "check"])
    row = frame.loc[("topic=geography", "longest")]
    assert (row["old_verdict"], row["new_verdict"], row["material"]) == ("none-found", "leak", True)
    assert row["change"] == pytest.approx(0.75)
    assert sum(
        row[name] for name in ("removed", "moved_out", "edited", "moved_in", "added")
    ) == pytest.approx(0.75)
    assert ("topic=(missing)", "longest") in frame.index
