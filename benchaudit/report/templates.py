"""Templates: prose and order. `string.Template` puts text in and never looks at it again."""

from __future__ import annotations

from pathlib import Path
from string import Template

from benchaudit.errors import SettingsError

NAMES = ("issue.md", "comment.md", "summary.md", "failure.md", "verify.py")

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
        built_in = (_CHECKED_OUT if _CHECKED_OUT.is_dir() else _PACKAGED) / name
        replaced = self._folder / name if self._folder else built_in
        path = replaced if replaced.is_file() else built_in
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"cannot be read ({error})", where=str(path), todo="check --templates"
            ) from None

    def fill(self, name: str, **values: str) -> str:
        """Put values into a template. Raises SettingsError for a placeholder that is not on offer."""
        return _closed_up(self.fill_text(name, self.text(name), **values))

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


def _closed_up(text: str) -> str:
    """Two empty lines in a row become one, but in a block of code."""
    lines: list[str] = []
    fenced = False
    for line in text.strip().split("\n"):
        fenced ^= line.startswith("```")
        if line.strip() or fenced or (lines and lines[-1].strip()):
            lines.append(line)
    return "\n".join(lines) + "\n"
