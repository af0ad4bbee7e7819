"""Make the pictures of the README from the demo: `make pictures`, or see whether they are of today's.

    python docs/images/make.py            make all anew
    python docs/images/make.py --check    exit with status 1 where one shows what is no longer so

The demo is the same everywhere, so what a picture shows is a text that can be made again; its digest is
kept beside the pictures. The issue is shown in a style close to GitHub's, its chart drawn by Mermaid.
A Chromium has to be installed (`chromium` on PATH, or name it in BENCHAUDIT_CHROMIUM), and npm.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

HERE = Path(__file__).resolve().parent
JUDGES = HERE.parents[1] / "tests" / "browser"
DIGESTS = HERE / "pictures.json"
MAPPING = ["--files", "benchmark/text/benchmark.csv", "--slices", "who,pref_type"]
COLUMNS = 126
STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1f2328; --soft: #59636e; --rule: #d1d9e0;
  --tint: #f6f8fa; --code: #eff1f3; --link: #0969da; }
@media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #f0f6fc; --soft: #9198a1;
  --rule: #3d444d; --tint: #151b23; --code: #262c36; --link: #4493f8; } }
body { margin: 0; padding: 24px; background: var(--paper); color: var(--ink);
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, "DejaVu Sans", sans-serif; }
main { width: 1000px; border: 1px solid var(--rule); border-radius: 6px; }
header { padding: 10px 16px; background: var(--tint); border-bottom: 1px solid var(--rule);
  color: var(--soft); }
header b { color: var(--ink); }
article { padding: 16px; }
h3 { font-size: 1.25em; margin: 24px 0 12px; }
code { padding: .15em .35em; background: var(--code); border-radius: 6px; white-space: break-spaces;
  font: 85% ui-monospace, "DejaVu Sans Mono", monospace; }
pre { padding: 12px; background: var(--tint); border-radius: 6px; overflow: hidden; }
pre code { padding: 0; background: none; }
pre.mermaid { background: none; }
table { border-collapse: collapse; font-size: 13px; margin: 12px 0; display: block; max-width: 100%; }
th, td { border: 1px solid var(--rule); padding: 5px 9px; } tr:nth-child(2n) { background: var(--tint); }
blockquote { margin: 0 0 12px; padding: 0 12px; color: var(--soft); border-left: 4px solid var(--rule); }
details { margin: 12px 0; } a { color: var(--link); } ul { padding-left: 24px; } sub { color: var(--soft); }
"""
TERMINAL = """
body { margin: 0; padding: 20px 24px; background: #1b1f24; }
pre { margin: 0; color: #e6edf3; font: 13px/1.45 "DejaVu Sans Mono", monospace; }
"""
DRAW = """async dark => {
  mermaid.initialize({ startOnLoad: false, theme: dark ? "dark" : "default" });
  await mermaid.run({ querySelector: "pre.mermaid" });
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What is photographed: a page, in one colour scheme, its upper part."""

    html: str
    width: int
    height: int
    dark: bool = False
    chart: bool = False

    @property
    def digest(self) -> str:
        """What is the same as long as the picture need not be made again."""
        said = f"{self.width} {self.height} {self.dark} {self.html}"
        return hashlib.sha256(said.encode()).hexdigest()


def github(title: str, body: str) -> str:
    """An issue's body about as GitHub shows it; charts are still texts."""
    inside = MarkdownIt("commonmark", {"html": True}).enable("table").render(body)
    chart = r'<pre><code class="language-mermaid">(.*?)</code></pre>'
    inside = re.sub(chart, r'<pre class="mermaid">\1</pre>', inside, flags=re.DOTALL)
    inside = inside.split("<h3>Rows that are no items", 1)[0]
    head = f"<header><b>github-actions</b> bot · {title}</header>"
    frame = f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>"
    return f"{frame}<main>{head}<article>{inside}</article></main>"


def terminal(command: str, output: str) -> str:
    """What a command printed in a terminal, colours and all."""
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: PTH123, SIM115
    console.print(Text.assemble(("$ ", "bold green"), command))
    console.print(Text.from_ansi(output))
    code = console.export_html(theme=MONOKAI, inline_styles=True, code_format="{code}")
    return f"<!doctype html><meta charset=utf-8><style>{TERMINAL}</style><pre>{code}</pre>"


def run(*arguments: str, folder: Path) -> str:
    """What the program prints, run in a folder, with colours."""
    names = ("GITHUB_", "INPUT_", "NO_COLOR", "COLORTERM", "HF_")
    inside = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    inside |= {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "PYTHONUTF8": "1"}
    inside["PYTHONPATH"] = str(HERE.parents[1])
    command = [sys.executable, "-m", "benchaudit", *arguments]
    done = subprocess.run(command, cwd=folder, env=inside, check=True, capture_output=True)
    return done.stdout.decode()


def pictures(folder: Path) -> dict[str, Picture]:
    """Every picture by its file's name."""
    run("demo", "--folder", "demo", folder=folder)
    issue = next(folder.glob("demo/benchaudit-reports/*/issue.md"))
    shown = github("benchaudit: demo/personal-preferences", issue.read_text(encoding="utf-8"))
    dataset = shutil.move(folder / "demo" / "dataset", folder / "personal-preferences")
    source = Path(dataset).name
    run("history", source, *MAPPING, "--pages", "pages", folder=folder)
    page = (folder / "pages" / source / "index.html").read_text(encoding="utf-8")
    printed = run("audit", source, *MAPPING, folder=folder)
    words = f"benchaudit audit {source} --files {MAPPING[1]} --slices {MAPPING[3]}"
    over_time = run("history", source, *MAPPING, folder=folder)
    return {
        "issue.png": Picture(html=shown, width=1050, height=1110, chart=True),
        "issue-dark.png": Picture(html=shown, width=1050, height=1110, chart=True, dark=True),
        "page.png": Picture(html=page, width=1200, height=1180),
        "page-dark.png": Picture(html=page, width=1200, height=1180, dark=True),
        "terminal.png": Picture(html=terminal(words, printed), width=1076, height=500, dark=True),
        "history.png": Picture(
            html=terminal(f"benchaudit history {source} …", over_time), width=1076, height=440, dark=True
        ),
    }


def mermaid(folder: Path) -> Path:
    """The Mermaid that the tests pin."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(JUDGES / name, folder / name)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "node_modules" / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js"


def photograph(taken: dict[str, Picture], folder: Path) -> None:
    """Take the pictures."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which(os.environ.get("BENCHAUDIT_CHROMIUM", "chromium"))
    drawing = mermaid(folder)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, picture in taken.items():
            source = folder / f"{name}.html"
            source.write_text(picture.html, encoding="utf-8")
            page = browser.new_page(
                viewport={"width": picture.width, "height": picture.height},
                color_scheme="dark" if picture.dark else "light",
                device_scale_factor=1.5,
            )
            page.goto(source.as_uri())
            if picture.chart:
                page.add_script_tag(path=drawing)
                page.evaluate(DRAW, picture.dark)
            page.screenshot(path=HERE / name)
            page.close()
        browser.close()


def stale(taken: dict[str, Picture]) -> Iterator[str]:
    """The names of pictures that are not there or show what is no longer so."""
    known = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}
    for name in sorted(taken.keys() | known.keys()):
        if name not in taken or taken[name].digest != known.get(name) or not (HERE / name).exists():
            yield name


def main() -> int:
    """Make the pictures, or say which are stale."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        taken = pictures(folder)
        if "--check" in sys.argv:
            found = list(stale(taken))
            if found:
                sys.stderr.write(f"stale: {', '.join(found)} - `make pictures` makes them anew\n")
            return int(bool(found))
        photograph(taken, folder)
    digests = {name: picture.digest for name, picture in taken.items()}
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
