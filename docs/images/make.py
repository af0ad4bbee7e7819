"""Make the pictures of the README from the demo: `python docs/images/make.py` in the project's environment.

The report issue is rendered by markdown-it-py under a style close to GitHub's, and photographed by a
headless Chromium, which has to be installed (`chromium` on PATH, or name it in CHROMIUM).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt

HERE = Path(__file__).resolve().parent
STYLE = """
:root { color-scheme: light; }
body { margin: 0; padding: 24px; background: #fff; color: #1f2328;
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, "DejaVu Sans", sans-serif; }
main { width: 1000px; border: 1px solid #d1d9e0; border-radius: 6px; }
header { padding: 10px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; color: #59636e; }
header b { color: #1f2328; }
article { padding: 16px; }
h3 { font-size: 1.25em; margin: 24px 0 12px; }
code { padding: .15em .35em; background: #eff1f3; border-radius: 6px; white-space: break-spaces;
  font: 85% ui-monospace, "DejaVu Sans Mono", monospace; }
pre { padding: 12px; background: #f6f8fa; border-radius: 6px; overflow: hidden; }
pre code { padding: 0; background: none; }
table { border-collapse: collapse; font-size: 13px; margin: 12px 0; display: block; max-width: 100%; }
th, td { border: 1px solid #d1d9e0; padding: 5px 9px; } tr:nth-child(2n) { background: #f6f8fa; }
blockquote { margin: 0 0 12px; padding: 0 12px; color: #59636e; border-left: 4px solid #d1d9e0; }
details { margin: 12px 0; } a { color: #0969da; } ul { padding-left: 24px; } sub { color: #59636e; }
"""


def page(title: str, body: str) -> str:
    """An HTML page that shows an issue's body about as GitHub does."""
    inside = MarkdownIt("commonmark", {"html": True}).enable("table").render(body)
    head = f"<header><b>github-actions</b> bot · {title}</header>"
    style = f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>"
    return f"{style}<main>{head}<article>{inside}</article></main>"


def photograph(html: str, target: Path, width: int, height: int) -> None:
    """Take a picture of the upper part of a page."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(html, encoding="utf-8")
        command = [
            os.environ.get("CHROMIUM", "chromium"),
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *("--hide-scrollbars", "--force-device-scale-factor=2", f"--user-data-dir={folder}/profile"),
            *(f"--window-size={width},{height}", f"--screenshot={target}", source.as_uri()),
        ]
        subprocess.run(command, check=True, capture_output=True)


def main() -> None:
    """Run the demo in a folder of its own and picture its issue."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "benchaudit", "demo", "--folder", f"{folder}/demo"], check=True)
        issue = next(Path(folder).glob("demo/benchaudit-reports/*/issue.md"))
        shown = page("benchaudit: demo/personal-preferences", issue.read_text(encoding="utf-8"))
        photograph(shown, HERE / "issue.png", width=1050, height=1130)


if __name__ == "__main__":
    main()
