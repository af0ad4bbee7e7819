"""The page in a real browser: what a reader does with it, by mouse, keyboard and screen reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchaudit.history import History, point_of
from benchaudit.html import Subject, report_page
from benchaudit.html.site import folders, history_page, index_page
from benchaudit.models import LeftOut
from benchaudit.report.templates import Templates
from benchaudit.samples import Sample
from tests.builders import BETWEEN, FAIR, LONGEST, NEW, SHORTEST, compared, paired, release
from tests.hostile import PARTS
from tests.test_report import wide

SLICES = {
    "geography": [LONGEST] * 60,
    "ethics": [SHORTEST] * 70 + [BETWEEN] * 10,
    "history": FAIR * 10,
    "日本語": FAIR * 6,
    "שאלות": [LONGEST] * 30,
    None: FAIR,
}


@pytest.fixture
def opened(page, tmp_path):
    """Open a page from disk."""

    def opened(text: str):
        path: Path = tmp_path / "report.html"
        path.write_text(text, encoding="utf-8")
        page.goto(path.as_uri())
        return page

    return opened


@pytest.fixture
def report():
    old = release(dict.fromkeys(SLICES, FAIR * 10))
    new = release(SLICES, sha=NEW, left_out={"unlabelled": LeftOut(rows=3, defective=False, sample=("1",))})
    item = Sample(name="row 1", question="<i>Q</i>", options=("long option", "b", "<b>c</b>"), gold=0)
    points = (point_of(old.audit), point_of(new.audit))
    subject = Subject(
        audit=new.audit,
        comparison=compared(old, new, paired(old, new)),
        history=History(dataset="owner/name", points=points),
        samples={((("topic", "geography"),), "longest"): (item,)},
    )
    return report_page(subject, Templates())


def column(page, place: int) -> list[str]:
    return page.locator(f"#rows > tbody > tr:not(.detail) > td:nth-child({place})").all_inner_texts()


def names(page) -> list[str]:
    return [text.replace("▸", "").strip() for text in column(page, 1)]


def test_rows_are_sorted_by_a_click_and_back_by_another(opened, report):
    page = opened(report)
    page.get_by_role("button", name="Items").click()
    items = [int(text.split()[0]) for text in column(page, 2)]
    assert items == sorted(items, reverse=True)
    assert page.locator("th[aria-sort]").all_inner_texts() == ["Items"]
    page.get_by_role("button", name="Items").click()
    assert [int(text.split()[0]) for text in column(page, 2)] == sorted(items)
    assert page.locator("th[aria-sort=ascending]").count() == 1


def test_what_has_no_change_stands_last_whichever_way(opened):
    old, new = release({"a": FAIR * 10}), release({"a": [LONGEST] * 40, "b": FAIR * 10}, sha=NEW)
    subject = Subject(audit=new.audit, comparison=compared(old, new, paired(old, new)))
    page = opened(report_page(subject, Templates()))
    for _ in range(2):
        page.get_by_role("button", name="Change").click()
        assert column(page, 9)[-2:] == ["new", "new"]


def test_rows_are_found_by_words_verdict_and_check(opened, report):
    page = opened(report)
    count = page.locator("output[name=count]")
    assert count.inner_text() == "14 rows"
    page.get_by_label("Find").fill("GEO longest")
    assert names(page) == ["topic = geography"]
    assert count.inner_text() == "1 row"
    page.get_by_label("Find").fill("日本")
    assert names(page) == ["topic = 日本語"] * 2
    page.get_by_label("Find").fill("")
    page.locator("select[name=verdict]").select_option("too-few")
    assert set(names(page)) == {"topic = (missing)"}
    page.locator("select[name=check]").select_option("shortest")
    assert count.inner_text() == "1 row"


def test_a_slice_opens_by_keyboard_and_closes(opened, report):
    page = opened(report)
    page.get_by_label("Find").fill("geography longest")
    button = page.get_by_role("button", name="Details of topic = geography, longest")
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    detail = page.locator("tr.detail")
    assert "60 of 60" in detail.inner_text()
    assert detail.locator("svg.spark").count() == 2
    assert detail.locator("li.gold").inner_text().startswith("long option")
    assert "<b>c</b>" in detail.inner_text()
    assert detail.locator("b, i").count() == 0
    longest, shorter, *_ = (bar.bounding_box()["width"] for bar in detail.locator("rect").all())
    assert longest > 5 * shorter > 0
    page.keyboard.press("Enter")
    assert (button.get_attribute("aria-expanded"), page.locator("tr.detail").count()) == ("false", 0)


def test_the_whole_is_reached_by_keyboard(opened, report):
    """The first stop skips to the slices; nothing that can be clicked is passed by."""
    page = opened(report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the slices"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "slices"
    stops = set()
    for _ in range(20):
        page.keyboard.press("Tab")
        stops.add(page.evaluate("document.activeElement.tagName + ' ' + (document.activeElement.name || '')"))
    assert {"INPUT words", "SELECT verdict", "SELECT check", "BUTTON "} <= stops


def objections(page, axe: Path) -> list[tuple[str, str]]:
    """What axe finds serious or worse. A page's own policy forbids scripts of others; a debugger is none."""
    found = page.evaluate(f"{axe.read_text(encoding='utf-8')}; axe.run()")
    assert found["passes"]
    return [(v["id"], v["impact"]) for v in found["violations"] if v["impact"] in {"serious", "critical"}]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_nothing_to_object(opened, report, axe, scheme):
    """With every part of the page open, in both schemes."""
    page = opened(report)
    page.emulate_media(color_scheme=scheme)
    for button in page.locator("button[data-slice]").all():
        button.click()
    assert objections(page, axe) == []


def test_pages_of_several_datasets_lead_to_each_other(page, axe, tmp_path):
    """From the index to the worst and back; axe has nothing to object to either."""
    calm, leaky = release({"a": FAIR * 10}, dataset="owner/calm"), release({"a": [LONGEST] * 40})
    histories = [
        History(dataset="owner/calm", points=(point_of(calm.audit),)),
        History(dataset="日本/データ", points=(point_of(calm.audit), point_of(leaky.audit))),
    ]
    names = folders([history.dataset for history in histories])
    texts = {"": index_page(histories, Templates())}
    texts |= {
        name: history_page(history, Templates()) for name, history in zip(names, histories, strict=True)
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "index.html").write_text(text, encoding="utf-8")
    page.goto((tmp_path / "index.html").as_uri())
    assert objections(page, axe) == []
    page.get_by_role("link").nth(1).click()
    assert page.locator("h1").inner_text() == "日本/データ"
    assert objections(page, axe) == []
    page.get_by_role("link", name="All datasets").click()
    assert page.locator("h1").inner_text() == "Benchmarks"


def test_dark_mode_is_dark_and_paper_is_white(opened, report):
    page = opened(report)

    def paper() -> int:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    page.emulate_media(color_scheme="dark")
    assert paper() < 150
    page.emulate_media(color_scheme="light")
    assert paper() == 765
    page.emulate_media(media="print", color_scheme="dark")
    assert paper() == 765
    assert not page.locator("#filters").is_visible()


def test_5000_slices(opened):
    page = opened(report_page(Subject(audit=wide(5_000, "topic ").audit), Templates()))
    assert page.locator("output[name=count]").inner_text() == "10,002 rows"
    assert len(names(page)) == 100
    page.get_by_role("button", name="Show 100 more rows").click()
    assert len(names(page)) == 200
    page.get_by_label("Find").fill("4998 shortest")
    assert names(page) == ["topic  = topic 4998"]


def test_hostile_text_acts_nowhere(opened, page):
    """Every part as a slice that is opened: no element of theirs, no request, no word on the console."""
    new = release(dict.fromkeys(PARTS[:90], [LONGEST] * 25), sha=NEW)
    opened(report_page(Subject(audit=new.audit), Templates()))
    for button in page.locator("button[data-slice]").all()[:60]:
        button.click()
    assert page.locator("img, iframe, script[src], b, i, base, object, [onload], [onerror]").count() == 0


def test_without_javascript_the_worst_rows_are_there(browser, report, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report, encoding="utf-8")
    page = browser.new_page(java_script_enabled=False)
    page.goto(path.as_uri())
    assert len(names(page)) == 14
    assert not page.locator("#filters").is_visible()
    page.close()
