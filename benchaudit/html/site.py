"""Pages of several datasets, to be put behind any web server: an index, and a page for each dataset."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from benchaudit.figures import integer, plural, share
from benchaudit.headlines import Place
from benchaudit.history import History
from benchaudit.html import sections
from benchaudit.html.details import spark
from benchaudit.html.page import each, head, page, scrolling
from benchaudit.html.slices import slice_name
from benchaudit.markdown import shown
from benchaudit.report.templates import Templates
from benchaudit.verdict import WORST_FIRST

_MOST_LINES = 200


def folders(names: Sequence[str]) -> list[str]:
    """A folder for each dataset, in ASCII and each another, whatever the datasets are called."""
    taken: list[str] = []
    for name in names:
        folder = re.sub(r"[^A-Za-z0-9._-]+", "--", name).strip(".-")[:80] or "dataset"
        again = sum(other.lower() == folder.lower() for other in taken)
        taken.append(f"{folder}-{len(taken) + 1}" if again else folder)
    return taken


_ROW = (
    '<tr class="{kind}"><td class="name"><a href="{folder}/index.html">{name}</a></td>'
    '<td class="badge">{verdict}</td><td class="number">{guesser}</td><td class="number">{chance}</td>'
    '<td>{line}</td><td class="number">{n}</td><td><code>{sha}</code></td><td>{when}</td></tr>'
)


def index_page(histories: Sequence[History], templates: Templates) -> str:
    """All datasets, the worst first."""
    titles = (
        "Dataset",
        "Verdict",
        "Guesser",
        "Chance",
        "Guesser over time",
        "Items",
        "Revision",
        "Committed",
    )
    entries = zip(histories, folders([history.dataset for history in histories]), strict=True)
    rows = each(_ROW, (_entry(history, folder) for history, folder in sorted(entries, key=_worst_first)))
    table = Markup("<table>{}<tbody>{}</tbody></table>").format(
        head(titles, frozenset({"Guesser", "Chance", "Items"})), rows
    )
    main = Markup("<section><h2>Datasets</h2>{}</section>").format(scrolling(table, "Table of datasets"))
    return page("Benchmarks", plural(len(histories), "dataset"), main, templates)


def _worst_first(entry: tuple[History, str]) -> tuple[int, bool, str]:
    last = entry[0].points[-1]
    ranks: dict[str, int] = {name: place for place, name in enumerate(WORST_FIRST)}
    return ranks.get(last.verdict, len(ranks)), not last.severe, entry[0].dataset


def _entry(history: History, folder: str) -> dict[str, Any]:
    last = history.points[-1]
    return {
        "kind": last.verdict,
        "folder": folder,
        "name": shown(history.dataset),
        "verdict": sections.verdict_words(last),
        "guesser": "–" if last.guesser is None else share(last.guesser, 1),
        "chance": "–" if last.chance is None else share(last.chance, 1),
        "line": sections.guesser_line(history),
        "n": integer(last.n),
        "sha": last.sha[:7],
        "when": shown(last.when),
    }


def history_page(history: History, templates: Templates) -> str:
    """A dataset of which no data was read: its revisions, and a line for each slice that is known."""
    main = Markup("{}{}{}").format(BACK, sections.history(history) or _single(history), _lines(history))
    last = history.points[-1]
    return page(history.dataset, f"Revision {last.sha[:12]}, as reports have it", main, templates)


BACK = Markup('<p><a href="../index.html">All datasets</a></p>')
"""From the page of a dataset to the index."""


def _single(history: History) -> Markup:
    point = history.points[0]
    said = f"{sections.verdict_words(point)}, {plural(point.n, 'item')}"
    return Markup("<p>One revision is known: <code>{}</code>, {}.</p>").format(point.sha[:7], said)


def _lines(history: History) -> Markup:
    places = history.places()
    if not places:
        return Markup("")
    titles = ("Slice", "Gold is", "Best rule over time", "Last", "Chance")
    rows = each(
        '<tr><td class="name">{name}</td><td>{check}</td><td>{line}</td><td class="number">{last}</td>'
        '<td class="number">{chance}</td></tr>',
        (_line(history, place) for place in places[:_MOST_LINES]),
    )
    table = Markup("<table>{}<tbody>{}</tbody></table>").format(
        head(titles, frozenset({"Last", "Chance"})), rows
    )
    more = len(places) - _MOST_LINES
    note = f"{plural(more, 'more line')} with smaller gains had no room here." if more > 0 else ""
    return Markup('<section><h2>Slices</h2>{}<p class="hint">{}</p></section>').format(
        scrolling(table, "Table of slices"), note
    )


def _line(history: History, place: Place) -> dict[str, Any]:
    key, check = place
    rates = history.rates(place)
    last = rates[-1]
    return {
        "name": slice_name(key),
        "check": check,
        "line": spark(rates, check) if sum(rate is not None for rate in rates) > 1 else "",
        "last": share(last.score, 1) if last else "gone",
        "chance": share(last.chance, 1) if last else "–",
    }
