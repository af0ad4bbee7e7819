"""The commands for maintainers: a balanced subset of a benchmark, and the controls to print beside scores.

Their parsers and what they do; what all commands share is in `cli` and `commands`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchaudit import runner
from benchaudit.commands import keep_sources
from benchaudit.errors import SettingsError
from benchaudit.gate import fails, refuse_new_leak
from benchaudit.settings import Settings
from benchaudit.speech import is_quiet, say, say_written

if TYPE_CHECKING:
    from benchaudit.verdict import Audit

Commands = Any
"""What argparse's `add_subparsers` returns; it has no public name."""

LENGTH = "longest,shortest"


def add_balance(commands: Commands) -> argparse.ArgumentParser:
    """Declare `balance`, but for the settings that commands share."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "balance", help="the largest subset in which length tells nothing, and the rows to rewrite first"
    )
    parser.add_argument("source", metavar="SOURCE")
    parser.add_argument(
        "--out", metavar="DIR", required=True, help="folder for the subset and the lists of rows"
    )
    parser.add_argument(
        "--on", metavar="…", default=LENGTH, help="checks to balance on, by default %(default)s"
    )
    return parser


def balance(options: argparse.Namespace, settings: Settings) -> int:
    """Write a balanced subset and print what it keeps. 1 where none is left, or `--fail-on` holds for it."""
    from benchaudit.audit import workspace
    from benchaudit.balance.reports import document, summary, text
    from benchaudit.balance.work import FIGURES, SUMMARY, place
    from benchaudit.balance.work import balance as balanced
    from benchaudit.report.document import write
    from benchaudit.sources import open_source

    refuse_new_leak(settings.fail_on)
    (checks, kin), out = _checks(options.on), Path(options.out)
    with workspace() as work:
        source = open_source(options.source, settings, work)
        result = balanced(options.source, source, settings, checks, kin, out, work, say)
        printed = text(result)
        write(str(result.made / FIGURES), document(result))
        _save(result.made / SUMMARY, printed)
        place(result.made, out)
    say_written(str(out / SUMMARY))
    _print(f"{summary(result)}\n" if is_quiet() else printed)
    return 1 if result.after is None else _status(settings, result.after)


def add_controls(commands: Commands) -> argparse.ArgumentParser:
    """Declare `controls`, but for the settings that commands share."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "controls", help="the table to print beside a leaderboard: what a guesser scores without the question"
    )
    parser.add_argument("source", metavar="SOURCE")
    parser.add_argument(
        "--format", choices=("markdown", "csv", "json"), default="markdown", help="by default %(default)s"
    )
    parser.add_argument("--badge", metavar="FILE", help="write JSON for an endpoint badge")
    parser.add_argument(
        "--card", metavar="FILE", help="keep a section of this card up to date between its marks"
    )
    return parser


def controls(options: argparse.Namespace, settings: Settings) -> int:
    """Print the controls; write a badge and a card's section where they are asked for."""
    from benchaudit.audit import audit_snapshot, workspace
    from benchaudit.controls import badge, document, markdown, section, separated
    from benchaudit.report.document import write
    from benchaudit.sources import open_source

    refuse_new_leak(settings.fail_on)
    keep_sources(options, ["badge", "card"], options.source)
    with workspace() as work:
        source = open_source(options.source, settings, work)
        snapshot = source.snapshot(source.revision(""))
        audit = audit_snapshot(source, snapshot, settings, work, say, keep_rows=False).audit
    if options.badge:
        write(options.badge, badge(audit))
        say_written(options.badge)
    if options.card:
        _update(Path(options.card), section(audit))
    if options.format == "json":
        write("-", document(audit))
    else:
        _print(markdown(audit) if options.format == "markdown" else separated(audit))
    return _status(settings, audit)


def _update(path: Path, section: str) -> None:
    """Bring a card's section up to date, and leave a card alone that is."""
    from benchaudit.cards import with_section

    try:
        card = path.read_bytes().decode()
    except OSError as error:
        raise SettingsError(
            f"cannot be read ({error.strerror})",
            where=f"--card {path}",
            todo="name the card, such as README.md",
        ) from None
    except UnicodeDecodeError:
        raise SettingsError("is not UTF-8", where=f"--card {path}", todo="store it as UTF-8") from None
    made = with_section(card, section)
    if made == card:
        say(f"{path}: up to date")
        return
    _save(path, made)
    say(f"{path}: its section has been brought up to date")


def _checks(names: str) -> tuple[list[str], list[str]]:
    """The checks that are named, and the others of their groups."""
    from benchaudit.checks import all_checks

    known = {check.name: check for check in all_checks()}
    wanted = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    if not wanted or not set(wanted) <= set(known):
        raise SettingsError(
            f"{names!r} is no list of checks", where="--on", todo=f"there are {', '.join(known)}"
        )
    groups = {known[name].group for name in wanted}
    return wanted, [name for name, check in known.items() if name not in wanted and check.group in groups]


def _status(settings: Settings, audit: Audit) -> int:
    return int(fails(settings.fail_on, audit.verdict, severe=audit.severe))


def _save(path: Path, text: str) -> None:
    try:
        path.write_bytes(text.encode("utf-8", "replace"))
    except OSError as error:
        raise SettingsError(
            f"cannot be written ({error.strerror})", where=str(path), todo="name another file"
        ) from None


def _print(text: str) -> None:
    """Print data; where a runner reads along, without what it would take for a command."""
    if runner.is_runner():
        text = "".join(f"{runner.harmless(line)}\n" for line in text.splitlines())
    sys.stdout.write(text.encode("utf-8", "replace").decode())
