"""What each command does; every one takes its options and the environment, and returns an exit status.

Heavy libraries are imported by the command that needs them: `--help` and a run that finds nothing new
stay light.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchaudit import job
from benchaudit.errors import SettingsError
from benchaudit.progress import progress
from benchaudit.settings import Layer, Settings, declared, from_environment, settle
from benchaudit.speech import is_quiet, say, say_written

if TYPE_CHECKING:
    from benchaudit.audit import Audited
    from benchaudit.models import Snapshot
    from benchaudit.sources.base import Source


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


def _settings(source: str, layers: Sequence[Layer], environment: Mapping[str, str]) -> Settings:
    """The settings for one source; a config file's are those of the dataset that it is.

    Raises SettingsError where the file tells of several datasets and none of them is the source.
    """
    base = settle(layers)
    if not base.config:
        return base
    from benchaudit.config import entry_for

    entry = entry_for(source, Path(environment.get("GITHUB_WORKSPACE", "."), base.config))
    return settle([*layers[:-1], *entry, *layers[-1:]])


def _audited(
    name: str,
    settings: Settings,
    work: Path,
    *,
    optional: Collection[tuple[str, ...]] = (),
    keep_rows: bool = True,
) -> tuple[Source, Snapshot, Audited]:
    from benchaudit.audit import audit_snapshot
    from benchaudit.sources import open_source

    work.mkdir(exist_ok=True)
    source = open_source(name, settings, work)
    with progress(f"Auditing {name}"):
        snapshot = source.snapshot(source.revision(""))
        audited = audit_snapshot(
            source, snapshot, settings, work, say, optional=optional, keep_rows=keep_rows
        )
    return source, snapshot, audited


def keep_sources(options: argparse.Namespace, flags: Sequence[str], *sources: str) -> None:
    """Refuse to write what these flags name over what it is made from. Raises SettingsError."""
    for flag in flags:
        name = getattr(options, flag)
        target = Path(name) if name and name != "-" else None
        if (
            target is not None
            and target.exists()
            and any(Path(source).exists() and target.samefile(source) for source in sources)
        ):
            raise SettingsError("is the source itself", where=f"--{flag} {name}", todo="name another file")


def audit(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Audit one revision."""
    from benchaudit.audit import workspace
    from benchaudit.gate import fails, refuse_new_leak
    from benchaudit.report.document import audit_document, write

    settings = _settings(options.source, _layers(options, environment), environment)
    refuse_new_leak(settings.fail_on)
    keep_sources(options, ["json", "html"], options.source)
    with workspace() as work:
        source, snapshot, audited = _audited(options.source, settings, work, keep_rows=bool(options.html))
        audit = audited.audit
        if options.html:
            from benchaudit.pages import write_report

            write_report(options.html, audited, source, snapshot, settings, work)
    if options.json:
        write(options.json, audit_document(audit))
    say_written(options.html, options.json)
    if options.json != "-":
        from benchaudit.terminal import show, show_briefly

        show_briefly(audit) if is_quiet() else show(audit)
    return int(fails(settings.fail_on, audit.verdict, severe=audit.severe))


def compare(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Compare two revisions."""
    from benchaudit.audit import workspace
    from benchaudit.compare import compare
    from benchaudit.gate import fails, leaks
    from benchaudit.pairing import pair_audits
    from benchaudit.past import past_of
    from benchaudit.privacy import nameless_pairs
    from benchaudit.report.document import comparison_document, write
    from benchaudit.terminal import show, show_briefly

    layers = _layers(options, environment)
    earlier_layers = [_layers(options, environment, "old-")[0], *layers]
    settings = _settings(options.new, layers, environment)
    earlier = _settings(options.old, earlier_layers, environment)
    keep_sources(options, ["json", "html"], options.old, options.new)
    with workspace() as work:
        # A column that one of the two lacks is news, one that both lack is a slip of the pen.
        _, before, old = _audited(options.old, earlier, work / "old", optional=earlier.slices)
        source, after, new = _audited(options.new, settings, work / "new", optional=old.slicings)
        pairs = pair_audits(old, new, work)
        pairs = nameless_pairs(pairs) if settings.samples == "none" else pairs
        if Path(options.old).is_file() and Path(options.new).is_file():
            # What two plain files are called is no news.
            (one,), (other,) = before.blobs, after.blobs
            before = replace(before, blobs=(replace(one, path=other.path),))
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
    say_written(options.html, options.json)
    if options.json != "-":
        show_briefly(new.audit) if is_quiet() else show(new.audit, result)
    new_leaks = leaks(new.audit) - leaks(old.audit)
    return int(fails(settings.fail_on, new.audit.verdict, severe=new.audit.severe, new_leaks=new_leaks))


def inspect(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Look at a source and propose a mapping. Raises the MappingError where there is none."""
    from benchaudit.audit import workspace
    from benchaudit.inspection import inspect
    from benchaudit.sources import open_source
    from benchaudit.terminal import show_inspection

    settings = _settings(options.source, _layers(options, environment), environment)
    with workspace() as work:
        source = open_source(options.source, settings, work)
        seen = inspect(source, source.snapshot(source.revision("")), settings, work)
    show_inspection(seen)
    if seen.problem is not None:
        raise seen.problem
    return 0


def remedy(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Balance a source, or print its controls."""
    settings = _settings(options.source, _layers(options, environment), environment)
    return int(options.remedy(options, settings))


def history(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Tell of a dataset's revisions over time."""
    from benchaudit.audit import workspace
    from benchaudit.chronicle import chronicles
    from benchaudit.pages import write_site
    from benchaudit.report.document import history_document, write
    from benchaudit.terminal import show_history, show_history_briefly

    settings = settle(_layers(options, environment))
    keep_sources(options, ["json"], *options.sources)
    with workspace() as work:
        found = chronicles(options.sources, settings, work, say)
        if options.pages:
            write_site(Path(options.pages), found, settings, work)
    documents = [history_document(chronicle.history) for chronicle in found]
    if options.json:
        write(options.json, documents[0] if len(documents) == 1 else documents)
    say_written(options.pages and str(Path(options.pages) / "index.html"), options.json)
    if options.json != "-":
        for chronicle in found:
            show_history_briefly(chronicle.history) if is_quiet() else show_history(chronicle.history)
    return 0


def schema(options: argparse.Namespace, _: Mapping[str, str]) -> int:
    """Print a JSON Schema."""
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


def watch(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Do the action's job."""
    flags, tokens = _layers(options, environment)
    layers = [flags, from_environment(environment), tokens]
    return job.run(options.source, layers, environment, rebuild=options.rebuild)


def plan(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Print the matrix of a workflow that fans out."""
    layers: list[Layer] = [{"config": (options.config, "--config")}, {}]
    print(json.dumps(job.plan(layers, environment, options.jobs), ensure_ascii=False))  # noqa: T201 - its output
    return 0


def demo(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Show the whole job."""
    from benchaudit.demo.show import show

    return show(Path(options.folder), environment)
