"""The page as text: its policy, its data, and that nothing in it comes from a dataset as markup."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from benchaudit.errors import SettingsError
from benchaudit.history import History, point_of
from benchaudit.html import Subject, report_page, svg
from benchaudit.html.slices import PAGE_ROWS
from benchaudit.models import Finding, LeftOut
from benchaudit.pages import write
from benchaudit.report.templates import Templates
from benchaudit.samples import Sample
from tests.builders import FAIR, LONGEST, NEW, SHORTEST, compared, paired, release
from tests.hostile import PARTS

CALM = {"maths": FAIR * 15, "art": FAIR * 15}
LEAKY = {"maths": [LONGEST] * 60, "art": FAIR * 15}
# Many short names, many to a line.
# fmt: off
TAGS = {
    "html", "head", "meta", "title", "link", "style", "script", "body", "a", "header", "main", "footer",
    "section", "h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "dl", "div", "dt", "dd", "figure", "figcaption",
    "table", "thead", "tbody", "tr", "th", "td", "form", "label", "input", "select", "option", "output",
    "button", "noscript", "span", "strong", "em", "code", "wbr", "svg", "g", "line", "circle", "rect", "path",
    "text",
}
# fmt: on


def a_page(**fields) -> str:
    old, new = release(CALM), release(LEAKY, sha=NEW)
    points = (point_of(old.audit), point_of(new.audit))
    subject = Subject(
        audit=new.audit,
        comparison=compared(old, new, paired(old, new)),
        history=History(dataset="owner/name", points=points),
    )
    return report_page(replace(subject, **fields), Templates())


def data_of(text: str) -> dict:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


class _Tags(html.parser.HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}


def elements(text: str) -> _Tags:
    parser = _Tags()
    parser.feed(text)
    for part in data_of(text).get("details", []):
        parser.feed(part)
    for row in data_of(text).get("rows", []):
        parser.feed(row["html"])
    return parser


def test_the_policy_names_style_and_script_by_their_digests():
    text = a_page()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for element, directive in (("style", "style-src"), ("script", "script-src")):
        (inside,) = re.findall(rf"<{element}>(.*?)</{element}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}';" in policy


def test_a_page_asks_for_nothing():
    """No address anywhere, no style in an element, no handler."""
    seen = elements(a_page())
    assert seen.tags <= TAGS
    names = {name for name, _ in seen.attributes}
    assert not names & {"src", "style", "srcset", "action"}
    assert not any(name.startswith("on") for name in names)
    assert {value for name, value in seen.attributes if name == "href"} == {"#slices", "data:,"}


@pytest.mark.parametrize("start", range(0, len(PARTS), 20))
def test_text_of_a_dataset_is_text(start):
    """In slices, columns, ids, questions, options, file names and findings."""
    parts = (PARTS * 2)[start : start + 20]
    new = release(
        dict.fromkeys(parts, [LONGEST] * 25),
        column=parts[0],
        sha=NEW,
        dataset=parts[-1],
        path=parts[1],
        committed_at=parts[2],
        left_out={"unlabelled": LeftOut(rows=3, defective=False, sample=parts[:5])},
        findings=[Finding(check="x", severity="note", count=1, sample=parts[5:9], message=parts[3])],
    )
    sample = Sample(name=parts[4], question=parts[5], options=tuple(parts[6:10]), gold=1)
    samples = {(part.key, "longest"): (sample,) for part in new.audit.slices}
    text = report_page(Subject(audit=new.audit, samples=samples), Templates())
    seen = elements(text)
    assert seen.tags <= TAGS
    assert {value for name, value in seen.attributes if name == "href"} == {"#slices", "data:,"}
    assert text.count("</script>") == 2


@given(st.text())
def test_data_reads_back_and_ends_no_element(text):
    page = a_page(samples={((), "longest"): (Sample(name=f"</script><!--{text}<script>"),)})
    assert page.count("</script>") == 2
    assert "<!--" not in page
    assert len(data_of(page)["rows"]) == 6


def test_a_row_has_its_figures_and_what_it_is_sorted_by():
    (row,) = [r for r in data_of(a_page())["rows"] if r["name"] == "topic = maths longest"]
    assert row["verdict"] == "leak"
    assert row["sort"] == {
        "name": "topic = maths",
        "n": 60,
        "check": "longest",
        "rank": 0,
        "score": 1.0,
        "chance": 0.25,
        "gain": 0.75,
        "among": 1.0,
        "change": 0.75,
    }
    for said in ("severe leak", "pick 100.0 %", "25.0 %", "+75.0", "100.0 % (94.0–100.0)", "▲ +75.0"):
        assert said in row["html"]


def test_more_rows_than_a_page_shows_are_in_the_data():
    new = release({str(number): FAIR * 5 for number in range(80)})
    text = report_page(Subject(audit=new.audit), Templates())
    assert len(data_of(text)["rows"]) == 162
    assert text.split("<tbody>", 1)[1].split("</tbody>", 1)[0].count("<tr") == PAGE_ROWS
    assert "62 more rows need JavaScript" in text


def test_samples_are_ids_unless_there_is_text():
    key = (("topic", "maths"),)
    ids = {(key, "longest"): (Sample(name="row 7"), Sample(name="row <9>"))}
    (detail,) = [part for part in data_of(a_page(samples=ids))["details"] if "row 7" in part]
    assert "<code>row &lt;9&gt;</code>" in detail
    full = {(key, "longest"): (Sample(name="row 7", question="Q?", options=("aa", "b" * 8), gold=1),)}
    (detail,) = [part for part in data_of(a_page(samples=full))["details"] if "row 7" in part]
    assert '<li class="gold"><span>bbbbbbbb</span> <span class="hint">(8 characters, gold)</span>' in detail
    assert re.findall(r'<rect width="([\d.]+)"', detail) == ["50.0", "200.0"]


def test_a_revision_alone_has_no_history():
    new = release(LEAKY, sha=NEW)
    assert "History" not in report_page(Subject(audit=new.audit), Templates())
    assert "<h2>History</h2>" in a_page()


def test_without_a_leak_there_is_no_chart_of_the_worst():
    assert "Worst slices" not in report_page(Subject(audit=release(CALM).audit), Templates())
    assert "Worst slices" in a_page()


def test_a_page_that_cannot_be_written_is_one_line(tmp_path):
    with pytest.raises(SettingsError, match="cannot be written"):
        write(str(tmp_path / "no" / "page.html"), "x")


# --- pictures ---


def test_a_missing_rate_breaks_the_line():
    drawn = str(svg.sparkline([0.0, None, 1.0, 0.5], [0.25] * 4, "x"))
    (line,) = re.findall(r'class="line" d="([^"]*)"', drawn)
    assert re.findall("[ML]", line) == ["M", "M", "L"]
    assert drawn.count("<circle") == 3


@given(st.text(max_size=60), st.integers(1, 40))
def test_a_clipped_text_begins_as_it_did(text, most):
    clipped = svg.clipped(text, most)
    assert clipped == text or (clipped[-1] == "…" and text.startswith(clipped[:-1]) and len(clipped) <= most)


def test_a_label_is_escaped():
    bar = svg.Bar(label="<b>&", said="1 %", rate=0.5, interval=(0.4, 0.6), expected=0.25)
    drawn = str(svg.chart([bar], '"<'))
    assert drawn.count(str(escape("<b>&"))) == 2
    assert "<b>" not in drawn


def test_shortest_is_a_leak_too():
    """What stands to the left of chance is drawn there."""
    new = release({"maths": [SHORTEST] * 60}, sha=NEW)
    text = report_page(Subject(audit=new.audit), Templates())
    assert "topic = maths, shortest" in text
