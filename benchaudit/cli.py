"""The command line: what a person or a runner asks for, and the exit status it gets.

Messages go to standard error, data to standard output. Heavy libraries are imported by the job that
needs them: `--help` and a run that finds nothing new stay light.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from benchaudit import __version__, job, remedies
from benchaudit.errors import BenchauditError, SettingsError, TrackerError
from benchaudit.progress import progress
from benchaudit.settings import Layer, Settings, declared, from_environment, settle
from benchaudit.shards import MOST_JOBS
from benchaudit.speech import complain, detail, is_quiet, say, set_volume

if TYPE_CHECKING:
    from benchaudit.audit import Audited
    from benchaudit.models import Snapshot
    from benchaudit.sources.base import Source

_WATCH_ONLY = frozenset(
    {
        *("dataset", "revision", "config", "max-commits"),
        *(
            "channel",
            "repository",
            "author",
            "labels",
            "assignees",
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
    options = _parser().parse_args(arguments)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="benchaudit",
        description="Checks of multiple-choice and preference benchmarks that need no model.",
    )
    parser.add_argument("--version", action="version", version=f"benchaudit {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    audit = commands.add_parser("audit", help="audit a file, a clone or a dataset on the Hub")
    audit.add_argument("source", metavar="SOURCE")
    audit.add_argument("--json", metavar="FILE", help="write the report as JSON; - for standard output")
    audit.add_argument("--html", metavar="FILE", help="write the report as a page that needs no network")
    _add_settings(audit, without=_WATCH_ONLY)
    audit.set_defaults(run=_audit)

    comparison = commands.add_parser("compare", help="compare two revisions, files or clones")
    comparison.add_argument("old", metavar="OLD")
    comparison.add_argument("new", metavar="NEW")
    comparison.add_argument(
        "--json", metavar="FILE", help="write the comparison as JSON; - for standard output"
    )
    comparison.add_argument("--html", metavar="FILE", help="write it as a page that needs no network")
    _add_settings(comparison, without=_WATCH_ONLY)
    _add_settings(comparison, without=frozenset(declared()) - _MAPPING, prefix="old-")
    comparison.set_defaults(run=_compare)

    look = commands.add_parser(
        "inspect", help="columns, proposed mapping, what would be left out, config to paste"
    )
    look.add_argument("source", metavar="SOURCE")
    _add_settings(look, without=_WATCH_ONLY)
    look.set_defaults(run=_inspect)

    for add, run in ((remedies.add_balance, remedies.balance), (remedies.add_controls, remedies.controls)):
        remedy = add(commands)
        _add_settings(remedy, without=_WATCH_ONLY)
        remedy.set_defaults(run=_remedy, remedy=run)

    for command, about in (
        ("watch", "the action's job: every new revision, then the issue"),
        ("rebuild-state", "audit the revision that a report shows again, and write its state anew"),
    ):
        watch = commands.add_parser(command, help=about)
        watch.add_argument("source", metavar="SOURCE", nargs="?", default="", help="a clone to watch instead")
        _add_settings(watch)
        watch.set_defaults(run=_watch, rebuild=command == "rebuild-state")

    history = commands.add_parser("history", help="a dataset's revisions over time, and pages of several")
    history.add_argument(
        "sources",
        metavar="SOURCE",
        nargs="+",
        help="a clone or dataset to audit commit by commit; or a JSON report or saved issue",
    )
    history.add_argument("--json", metavar="FILE", help="write the history as JSON; - for standard output")
    history.add_argument("--pages", metavar="DIR", help="write an index and a page for each dataset")
    _add_settings(history, without=_WATCH_ONLY - {"dataset", "max-commits"})
    history.set_defaults(run=_history)

    schema = commands.add_parser(
        "schema", help="the JSON Schema of the report, a comparison, a history or the config file"
    )
    schema.add_argument(
        "of", nargs="?", choices=("report", "comparison", "history", "config"), default="report"
    )
    schema.set_defaults(run=_schema)

    plan = commands.add_parser(
        "plan", help="JSON matrix for a workflow that fans out over the datasets of a config file"
    )
    plan.add_argument("--config", metavar="FILE", required=True, help="the config file")
    plan.add_argument(
        "--jobs", metavar="N", type=_jobs, default=MOST_JOBS, help="most jobs to make (%(default)s)"
    )
    plan.set_defaults(run=_plan)

    demo = commands.add_parser("demo", help="the whole job on an embedded dataset repository and tracker")
    demo.add_argument("--folder", metavar="DIR", default="demo", help="where to put it (%(default)s)")
    demo.set_defaults(run=_demo)
    for parser_of_command in commands.choices.values():
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
        about = entry.metadata["about"].replace("%", "%%") + (" (of OLD)" if prefix else "")
        if isinstance(entry.default, bool):
            parser.add_argument(f"--{prefix}{name}", action="store_const", const="true", help=about)
        else:
            parser.add_argument(f"--{prefix}{name}", metavar="…", help=about)


def _layers(options: argparse.Namespace, environment: Mapping[str, str], prefix: str = "") -> list[Layer]:
    """The flags that were given, and behind them the tokens as their own tools name them."""
    given = vars(options)
    flags = {
        name: (given[attribute], f"--{prefix}{name}")
        for name in declared()
        if given.get(attribute := f"{prefix}{name}".replace("-", "_")) is not None
    }
    tokens = {
        "hf-token": (environment.get("HF_TOKEN", ""), "HF_TOKEN"),
        "github-token": (environment.get("GITHUB_TOKEN", ""), "GITHUB_TOKEN"),
    }
    return [flags, tokens]


def _audited(
    name: str, settings: Settings, work: Path, *, keep_rows: bool = True
) -> tuple[Source, Snapshot, Audited]:
    from benchaudit.audit import audit_snapshot
    from benchaudit.sources import open_source

    work.mkdir(exist_ok=True)
    source = open_source(name, settings, work)
    with progress(f"Auditing {name}"):
        snapshot = source.snapshot(source.revision(""))
        for blob in snapshot.blobs:
            detail(f"{source.name}@{snapshot.revision.sha[:7]}: {blob.path}, {blob.size:,} bytes")
        began = monotonic()
        audited = audit_snapshot(source, snapshot, settings, work, say, keep_rows=keep_rows)
        detail(f"{source.name}: {audited.audit.rows:,} rows in {monotonic() - began:.1f} s")
    return source, snapshot, audited


def _keep_sources(options: argparse.Namespace, *sources: str) -> None:
    """Refuse to write a report over what it is made from."""
    for flag, name in (("--json", options.json), ("--html", options.html)):
        target = Path(name) if name and name != "-" else None
        if (
            target is not None
            and target.exists()
            and any(Path(source).exists() and target.samefile(source) for source in sources)
        ):
            raise SettingsError("is the source itself", where=f"{flag} {name}", todo="name another file")


def _audit(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from benchaudit.audit import workspace
    from benchaudit.gate import fails
    from benchaudit.report.document import audit_document, write
    from benchaudit.terminal import show, show_briefly

    settings = settle(_layers(options, environment))
    if settings.fail_on == "new-leak":
        raise SettingsError("one revision has no new leaks", where="--fail-on", todo="use `compare`, or leak")
    _keep_sources(options, options.source)
    with workspace() as work:
        source, snapshot, audited = _audited(options.source, settings, work, keep_rows=bool(options.html))
        audit = audited.audit
        if options.html:
            from benchaudit.pages import write_report

            write_report(options.html, audited, source, snapshot, settings, work)
    if options.json:
        write(options.json, audit_document(audit))
    if options.json != "-":
        show_briefly(audit) if is_quiet() else show(audit)
    return int(fails(settings.fail_on, audit.verdict, severe=audit.severe))


def _compare(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from benchaudit.audit import workspace
    from benchaudit.compare import compare, past_of
    from benchaudit.gate import fails, leaks
    from benchaudit.pairing import pair_audits
    from benchaudit.privacy import nameless_pairs
    from benchaudit.report.document import comparison_document, write
    from benchaudit.terminal import show, show_briefly

    layers = _layers(options, environment)
    settings, earlier = settle(layers), settle([_layers(options, environment, "old-")[0], *layers])
    _keep_sources(options, options.old, options.new)
    with workspace() as work:
        _, before, old = _audited(options.old, earlier, work / "old")
        source, after, new = _audited(options.new, settings, work / "new")
        pairs = pair_audits(old, new, work)
        pairs = nameless_pairs(pairs) if settings.samples == "none" else pairs
        result = compare(past_of(old.audit, before), new.audit, after, pairs)
        if options.html:
            from benchaudit.pages import write_report

            write_report(
                options.html,
                new,
                source,
                after,
                settings,
                work / "new",
                before=old.audit,
                comparison=result,
            )
    if options.json:
        write(options.json, comparison_document(result))
    if options.json != "-":
        show_briefly(new.audit) if is_quiet() else show(new.audit, result)
    new_leaks = leaks(new.audit) - leaks(old.audit)
    return int(fails(settings.fail_on, new.audit.verdict, severe=new.audit.severe, new_leaks=new_leaks))


def _inspect(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from benchaudit.audit import workspace
    from benchaudit.inspection import inspect
    from benchaudit.sources import open_source
    from benchaudit.terminal import show_inspection

    settings = settle(_layers(options, environment))
    with workspace() as work:
        source = open_source(options.source, settings, work)
        seen = inspect(source, source.snapshot(source.revision("")), settings, work)
    show_inspection(seen)
    if seen.problem is not None:
        raise seen.problem
    return 0


def _remedy(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    return int(options.remedy(options, settle(_layers(options, environment))))


def _history(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from benchaudit.audit import workspace
    from benchaudit.chronicle import chronicles
    from benchaudit.pages import write_site
    from benchaudit.report.document import history_document, write
    from benchaudit.terminal import show_history

    settings = settle(_layers(options, environment))
    with workspace() as work:
        found = chronicles(options.sources, settings, work, say)
        if options.pages:
            write_site(Path(options.pages), found, settings, work)
    documents = [history_document(chronicle.history) for chronicle in found]
    if options.json:
        write(options.json, documents[0] if len(documents) == 1 else documents)
    if options.json != "-":
        for chronicle in found:
            show_history(chronicle.history)
    return 0


def _schema(options: argparse.Namespace, _: Mapping[str, str]) -> int:
    from benchaudit.report.document import write
    from benchaudit.report.schema import comparison_schema, config_schema, history_schema, report_schema

    schemas = {
        "report": report_schema,
        "comparison": comparison_schema,
        "history": history_schema,
        "config": config_schema,
    }
    write("-", schemas[options.of]())
    return 0


def _watch(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    flags, tokens = _layers(options, environment)
    layers = [flags, from_environment(environment), tokens]
    return job.run(options.source, layers, environment, rebuild=options.rebuild)


def _jobs(text: str) -> int:
    number = int(text)
    if not 1 <= number <= MOST_JOBS:
        raise argparse.ArgumentTypeError(f"must be between 1 and {MOST_JOBS}")
    return number


def _plan(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    layers: list[Layer] = [{"config": (options.config, "--config")}, {}]
    print(json.dumps(job.plan(layers, environment, options.jobs), ensure_ascii=False))  # noqa: T201 - its output
    return 0


def _demo(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from benchaudit.demo.show import show

    return show(Path(options.folder), environment)
