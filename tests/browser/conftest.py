"""A headless Chromium for tests, and the programs that judge what it shows.

`chromium` on PATH is used, or the one that BENCHAUDIT_CHROMIUM names; Playwright brings none of its own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import npm

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HERE = Path(__file__).resolve().parent
UNJUDGED = "NOT SEEN BY A BROWSER"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A running Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason=f"{UNJUDGED}: Playwright is not installed")
    names = [os.environ.get("BENCHAUDIT_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    program = next((found for name in names if name and (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"{UNJUDGED}: no Chromium is installed (name one in BENCHAUDIT_CHROMIUM)")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page that must not ask the network for anything, nor say anything on its console."""
    asked: list[str] = []
    said: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    page.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert said == []


@pytest.fixture(scope="session")
def modules(request: pytest.FixtureRequest) -> Path:
    """The folder of installed npm packages."""
    place = request.config.cache.mkdir("browser-judges")
    return npm.installed(place, HERE, told=UNJUDGED)


@pytest.fixture(scope="session")
def mermaid(modules: Path) -> Path:
    """Mermaid's own build without its largest kinds of diagrams."""
    return modules / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js"


@pytest.fixture(scope="session")
def axe(modules: Path) -> Path:
    """The axe engine for accessibility."""
    return modules / "axe-core" / "axe.min.js"
