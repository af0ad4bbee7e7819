"""A section of a Markdown file that is kept up to date between two marks. Pure: text in, text out."""

from __future__ import annotations

from collections.abc import Collection

from benchaudit.errors import RenderError, SettingsError
from benchaudit.markdown import comment_places


def with_section(card: str, section: str) -> str:
    """The card with its section brought up to date, or with one at its end where it has none.

    `section` begins with one mark and ends with the other, each a comment on a line of its own. All else
    of the card stays as it is, and the section takes its line ends. Raises SettingsError where the marks
    in the card are no pair, RenderError where the section would be swallowed by what is before it.
    """
    marks = tuple(section.strip().splitlines()[place] for place in (0, -1))
    line = "\r\n" if "\r\n" in card else "\n"
    section = section.replace("\n", line)
    places = _places(card, marks)
    if not places:
        before = card.rstrip("\r\n")
        made = f"{before}{line}{line}{section}" if before else section
    elif [card[place].strip() for place in places] == [*marks]:
        made = card[: places[0].start] + section + card[places[1].stop :]
    else:
        raise SettingsError(
            "its marks of the section are no pair",
            where="--card",
            todo=f"leave one {marks[0]} and one {marks[1]}",
        )
    places = _places(made, marks)
    if len(places) != 2 or made[places[0].start : places[1].stop] != section:
        raise RenderError("the card would swallow its section", todo="close what is open at its end")
    return made


def _places(card: str, marks: Collection[str]) -> list[slice]:
    """Where the marks are; one inside a fence, a quotation or a list is none."""
    return [place for place in comment_places(card) if card[place].strip() in marks]
