"""Templates: prose and order. `string.Template` puts text in and never looks at it again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from string import Template

from benchaudit.errors import SettingsError

NAMES = (
    *("issue.md", "comment.md", "release.md", "upstream.md", "summary.md", "failure.md", "verify.py"),
    *("report.html", "report.css", "report.js"),
)

_PACKAGED = Path(__file__).resolve().parents[1] / "templates"
_CHECKED_OUT = Path(__file__).resolve().parents[2] / "templates"


class Templates:
    """The built-in templates; a folder may replace any of them by a file of the same name."""

    def __init__(self, replacements: str = "") -> None:
        self._folder = Path(replacements) if replacements else None
        if self._folder is not None and not self._folder.is_dir():
            raise SettingsError("no such folder", where=replacements, todo="check --templates")

    def text(self, name: str) -> str:
        """Return a template as it is written."""
        built_in = (_PACKAGED if _PACKAGED.is_dir() else _CHECKED_OUT) / name
        replaced = self._folder / name if self._folder else built_in
        path = replaced if replaced.is_file() else built_in
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"cannot be read ({error})", where=str(path), todo="check --templates"
            ) from None

    def fill(self, name: str, **values: str) -> str:
        """Put values into a template, line by line: of the lines that stay empty in a row, one is left.

        Values come out as they went in. Raises SettingsError for a placeholder that is not on offer.
        """
        lines: list[str] = []
        for line in self.text(name).split("\n"):
            filled = self.fill_text(name, line, **values)
            if filled.strip() or (lines and lines[-1].strip()):
                lines.append(filled)
        return "\n".join(lines).rstrip("\n") + "\n"

    def uses(self, name: str) -> Counter[str]:
        """How often each placeholder stands in a template."""
        matches = Template.pattern.finditer(self.text(name))
        return Counter(match["named"] or match["braced"] for match in matches if not match["escaped"])

    def fill_text(self, name: str, text: str, **values: str) -> str:
        """Put values into the text of a template, or into what was selected from it."""
        template = Template(text)
        if not template.is_valid() or (unknown := set(template.get_identifiers()) - values.keys()):
            said = ", ".join(sorted(unknown)) if template.is_valid() else "a $ that names nothing"
            raise SettingsError(
                f"asks for {said}",
                where=f"template {name}",
                todo=f"on offer are: {', '.join(sorted(values))}",
            )
        return template.substitute(values)
