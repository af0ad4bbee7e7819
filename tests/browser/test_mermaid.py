"""Charts as the real Mermaid draws them: it takes each, and shows every name and bar that is in the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchaudit.markdown import code_blocks
from benchaudit.report.chart import MOST_SLICES, chart
from benchaudit.report.tables import lines_of
from tests.builders import FAIR, LONGEST, NEW, compared, paired, release
from tests.hostile import PARTS

TITLE = "Right answers without reading the question, in %; the line is chance"
GOLDEN = sorted(
    path for path in (Path(__file__).parents[1] / "golden").glob("*.md") if "mermaid" in path.read_text()
)

_DRAW = """async text => {
  mermaid.initialize({ startOnLoad: false });
  await mermaid.parse(text);
  const { svg } = await mermaid.render("chart", text);
  document.body.innerHTML = svg;
  const bars = [...document.querySelectorAll(".plot rect")];
  return {
    words: [...document.querySelectorAll("text")].map(node => node.textContent),
    bars: bars.filter(node => node.getAttribute("width") > 0).length,
    active: document.body.querySelectorAll("script, a, img, foreignObject, iframe").length,
  };
}"""


@pytest.fixture
def draw(page: Any, mermaid: Path) -> Callable[[str], dict[str, Any]]:
    """What Mermaid makes of a chart's text."""
    page.set_content("<!doctype html><title>chart</title><link rel=icon href='data:,'>")
    page.add_script_tag(path=mermaid)
    return lambda text: page.evaluate(_DRAW, text)


def labels(text: str) -> list[str]:
    return re.findall(r'"([^"]*)"', next(line for line in text.splitlines() if "x-axis" in line))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_the_chart_of_each_golden_report(draw, path):
    (text,) = code_blocks(path.read_text(encoding="utf-8"), "mermaid")
    seen = draw(text)
    assert seen["words"] == [TITLE, *labels(text)]
    values = [value for row in re.findall(r"bar \[(.*)\]", text) for value in row.split(", ")]
    assert seen["bars"] == sum(float(value) > 0 for value in values)


def test_hostile_names_are_drawn_as_names(draw):
    """As many at a time as a chart holds, as slices that leak: they come out as they went in."""
    for names in (PARTS[start : start + MOST_SLICES] for start in range(0, len(PARTS), MOST_SLICES)):
        old = release(dict.fromkeys(names, FAIR * 10), column='a"#;b')
        new = release({name: [LONGEST] * 40 for name in names}, column='a"#;b', sha=NEW)
        (text,) = code_blocks(chart(lines_of(new.audit, compared(old, new, paired(old, new)))), "mermaid")
        seen = draw(text)
        assert len(labels(text)) == 2 * (1 + len(names))
        assert [word.strip() for word in seen["words"][1:]] == [label.strip() for label in labels(text)]
        assert seen["active"] == 0
