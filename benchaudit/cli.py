"""The command line: what a person or a runner asks for, and the exit status it gets.

Messages go to standard error, data to standard output. What a command does is in `commands`.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchaudit import __version__, commands, remedies
from benchaudit.errors import BenchauditError, TrackerError
from benchaudit.settings import declared, described
from benchaudit.shards import MOST_JOBS
from benchaudit.speech import complain, set_volume

_WATCH_ONLY = frozenset(
    {
        *("dataset", "revision", "config", "max-commits"),
        *(
            "channel",
            "repository",
            "author",
            "labels",
            "assignees",
            "pages",
            "templates",
            "close-when-clean",
            "dry-run",
            "github-token",
            "release",
            "annotate-release",
            "upstream",
            "upstream-follow-up",
            "upstream-token",
            "approval-label",
        ),
    }
)
_OF_ONE = _WATCH_ONLY - {"config"}
"""What a command on one source does not take: it may be told by a config file how to read it."""

_MAPPING = frozenset(
    {
        *("question", "options", "options-in-question", "option-separator", "distractors", "last-turn"),
        *("gold", "gold-encoding", "gold-fallback", "id", "records"),
    }
)


def main(arguments: Sequence[str] | None = None, environment: Mapping[str, str] | None = None) -> int:
    """Run one command and return its exit status. Whatever a user or a dataset can cause is one line."""
    environment = os.environ if environment is None else environment
    _open_streams()
    options = _parsed(arguments)
    set_volume(options.volume or "normal")
    try:
        status = int(options.run(options, environment))
        # Here and not on the way out, where nobody would catch what it says.
        sys.stdout.flush()
    except BenchauditError as error:
        complain(error, environment)
        return error.exit_status
    except BrokenPipeError:
        # Nobody reads on, as with `| head`; Python would complain once more on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # The rooms name what they touch; what is left is the disk or the stream under our feet.
        undelivered = TrackerError(f"the system refused ({error})", todo="check the disk and the output")
        complain(undelivered, environment)
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return undelivered.exit_status
    except KeyboardInterrupt:
        return 130
    return status


def _open_streams() -> None:
    """Streams that take whatever is said: one that is closed goes nowhere, one in ASCII gets escapes."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - it stands for the stream to the end
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115 - it stands for the stream to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of a command line; a flag that no command knows ends the program, with what it may mean."""
    parser = _parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        flags = [f"--{name}" for name in declared()]
        near = difflib.get_close_matches(unknown[0].split("=")[0], flags, n=1)
        hint = f" - did you mean {near[0]}?" if near else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="benchaudit",
        description="Checks of multiple-choice and preference benchmarks that need no model.",
    )
    parser.add_argument("--version", action="version", version=f"benchaudit {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")

    audit = subparsers.add_parser("audit", help="audit a file, a clone or a dataset on the Hub")
    audit.add_argument("source", metavar="SOURCE")
    audit.add_argument("--json", metavar="FILE", help="write the report as JSON; - for standard output")
    audit.add_argument("--html", metavar="FILE", help="write the report as a page that needs no network")
    _add_settings(audit, without=_OF_ONE)
    audit.set_defaults(run=commands.audit)

    comparison = subparsers.add_parser("compare", help="compare two revisions, files or clones")
    comparison.add_argument("old", metavar="OLD")
    comparison.add_argument("new", metavar="NEW")
    comparison.add_argument(
        "--json", metavar="FILE", help="write the comparison as JSON; - for standard output"
    )
    comparison.add_argument("--html", metavar="FILE", help="write it as a page that needs no network")
    _add_settings(comparison, without=_OF_ONE)
    _add_settings(comparison, without=frozenset(declared()) - _MAPPING, prefix="old-")
    comparison.set_defaults(run=commands.compare)

    look = subparsers.add_parser(
        "inspect", help="columns, proposed mapping, what would be left out, config to paste"
    )
    look.add_argument("source", metavar="SOURCE")
    _add_settings(look, without=_OF_ONE)
    look.set_defaults(run=commands.inspect)

    for add, run in ((remedies.add_balance, remedies.balance), (remedies.add_controls, remedies.controls)):
        remedy = add(subparsers)
        _add_settings(remedy, without=_OF_ONE)
        remedy.set_defaults(run=commands.remedy, remedy=run)

    for command, about in (
        ("watch", "the action's job: every new revision, then the issue"),
        ("rebuild-state", "audit the revision that a report shows again, and write its state anew"),
    ):
        watch = subparsers.add_parser(command, help=about)
        watch.add_argument("source", metavar="SOURCE", nargs="?", default="", help="a clone to watch instead")
        _add_settings(watch)
        watch.set_defaults(run=commands.watch, rebuild=command == "rebuild-state")

    history = subparsers.add_parser("history", help="a dataset's revisions over time, and pages of several")
    history.add_argument(
        "sources",
        metavar="SOURCE",
        nargs="+",
        help="a clone or dataset to audit commit by commit; or a JSON report or saved issue",
    )
    history.add_argument("--json", metavar="FILE", help="write the history as JSON; - for standard output")
    history.add_argument("--pages", metavar="DIR", help="write an index and a page for each dataset")
    _add_settings(history, without=_WATCH_ONLY - {"dataset", "max-commits"})
    history.set_defaults(run=commands.history)

    schema = subparsers.add_parser(
        "schema", help="the JSON Schema of the report, a comparison, a history or the config file"
    )
    schema.add_argument(
        "of", nargs="?", choices=("report", "comparison", "history", "config"), default="report"
    )
    schema.set_defaults(run=commands.schema)

    plan = subparsers.add_parser(
        "plan", help="JSON matrix for a workflow that fans out over the datasets of a config file"
    )
    plan.add_argument("--config", metavar="FILE", required=True, help="the config file")
    plan.add_argument(
        "--jobs", metavar="N", type=_jobs, default=MOST_JOBS, help="most jobs to make (%(default)s)"
    )
    plan.set_defaults(run=commands.plan)

    demo = subparsers.add_parser("demo", help="the whole job on an embedded dataset repository and tracker")
    demo.add_argument("--folder", metavar="DIR", default="demo", help="where to put it (%(default)s)")
    demo.set_defaults(run=commands.demo)
    for parser_of_command in subparsers.choices.values():
        _add_volume(parser_of_command)
    return parser


def _add_volume(parser: argparse.ArgumentParser) -> None:
    volume = parser.add_mutually_exclusive_group()
    for short, name, about in (
        ("-q", "quiet", "say nothing but errors, and of an audit its verdict only"),
        ("-v", "verbose", "say more on the way: files, sizes, times"),
    ):
        volume.add_argument(short, f"--{name}", dest="volume", action="store_const", const=name, help=about)


def _add_settings(
    parser: argparse.ArgumentParser, without: frozenset[str] = frozenset(), prefix: str = ""
) -> None:
    for name, entry in declared().items():
        if name in without:
            continue
        # The parser takes a % for the beginning of a name of its own.
        about = described(entry).replace("%", "%%") + (" (of OLD)" if prefix else "")
        if isinstance(entry.default, bool):
            parser.add_argument(f"--{prefix}{name}", action="store_const", const="true", help=about)
        else:
            parser.add_argument(f"--{prefix}{name}", metavar="…", help=about)


def _jobs(text: str) -> int:
    number = int(text)
    if not 1 <= number <= MOST_JOBS:
        raise argparse.ArgumentTypeError(f"must be between 1 and {MOST_JOBS}")
    return number
