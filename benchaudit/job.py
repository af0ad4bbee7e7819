"""The action's job: watch every configured dataset, then hand over what came of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchaudit import runner
from benchaudit.edges import Edges
from benchaudit.errors import (
    AccessDenied,
    BenchauditError,
    DatasetNotFound,
    SettingsError,
    TrackerError,
    Unavailable,
    one_line,
)
from benchaudit.fleet import each
from benchaudit.settings import Layer, Settings, settle
from benchaudit.shards import matrix, share_of
from benchaudit.speech import announce, complain, masked, say, say_written

if TYPE_CHECKING:
    from benchaudit.history import History
    from benchaudit.outcome import Outcome
    from benchaudit.watch import Watcher

REPORT = "benchaudit-report.json"
STATUSES = (2, 3, 4, 1)
"""Exit statuses in the order in which they apply."""


def run(
    source: str, layers: Sequence[Layer], environment: Mapping[str, str], *, rebuild: bool = False
) -> int:
    """Watch every dataset that is configured and return the exit status; one that fails stops no other.

    `source` names a clone to watch instead of a dataset on the Hub; `rebuild` writes the states of the
    reports anew instead of watching. Raises SettingsError where the configuration as a whole cannot be
    used.
    """
    base = settle(layers)
    entries = _entries(source, base, layers, environment)
    edges = Edges(environment, many=len(entries) > 1)
    twins = _twins(entries, edges)

    def work(number: int) -> tuple[Settings, Outcome | Exception]:
        settings = base
        try:
            settings = settle(entries[number])
            twin = twins.get(number)
            return settings, twin or _watch(source, settings, edges, rebuild=rebuild)
        except Exception as error:
            # One that is none of ours too: it ends the run when all is told that there is to tell.
            return settings, error

    outcomes: list[Outcome] = []
    statuses: list[int] = []
    faults: list[Exception] = []
    sites: dict[str, list[tuple[History, str]]] = {}
    numbers = share_of(range(len(entries)), base.shard)
    for settings, found in each("Watching", numbers, work, lambda n: _name(entries[n])) if numbers else ():
        if isinstance(found, Exception) and not isinstance(found, BenchauditError):
            faults.append(found)
            continue
        statuses += _finished(partial(_tell, settings, found, environment), environment)
        if isinstance(found, BenchauditError):
            statuses.append(found.exit_status)
            continue
        outcomes.append(found)
        statuses.append(_status(found, settings))
        if found.page is not None:
            sites.setdefault(settings.pages, []).append(found.page)
    statuses += _finished(partial(hand_over, outcomes, environment), environment)
    statuses += _finished(partial(_write_pages, sites, environment), environment)
    if faults:
        raise faults[0]
    return next((status for status in STATUSES if status in statuses), 0)


def _finished(step: Callable[[], None], environment: Mapping[str, str]) -> list[int]:
    """Do one of a run's last things and give the status of an error, which keeps no other from being done."""
    try:
        step()
    except BenchauditError as error:
        complain(error, environment)
        return [error.exit_status]
    return []


def _tell(settings: Settings, found: Outcome | BenchauditError, environment: Mapping[str, str]) -> None:
    """Say what came of one dataset, in the log and in the summary. Raises TrackerError."""
    if isinstance(found, BenchauditError):
        complain(found, environment)
        _summarise_failure(settings, found, environment)
    else:
        _summarise(found, environment)


def _write_pages(sites: Mapping[str, Sequence[tuple[History, str]]], environment: Mapping[str, str]) -> None:
    """Write the pages of a run, and an index into each folder. Raises SettingsError where that cannot be."""
    if not sites:
        return
    from benchaudit.pages import write_pages

    for name, pages in sites.items():
        folder = Path(environment.get("GITHUB_WORKSPACE", "."), name)
        write_pages(folder, [history for history, _ in pages], [text for _, text in pages])
        say_written(str(folder / "index.html"))


def plan(layers: Sequence[Layer], environment: Mapping[str, str], most: int) -> dict[str, Any]:
    """The matrix for a workflow that fans out over the datasets of a config file.

    Raises SettingsError where there is none, or it cannot be read.
    """
    base = settle(layers)
    if not base.config:
        raise SettingsError("no config file is named", todo="set `config`")
    return matrix([_name(entry) for entry in _entries("", base, layers, environment)], most)


def _name(entry: Sequence[Layer]) -> str:
    """The dataset of an entry, as it is given; one that gives none is told when it is watched."""
    return next((layer["dataset"][0].strip() for layer in entry if "dataset" in layer), "?")


def _entries(
    source: str, base: Settings, layers: Sequence[Layer], environment: Mapping[str, str]
) -> list[list[Layer]]:
    """The layers of each dataset: flags and inputs, the config file's, tokens of the environment.

    A clone is one dataset, however many the config file tells of.
    """
    if not base.config:
        return [list(layers)]
    from benchaudit.config import entry_for, from_config

    path = Path(environment.get("GITHUB_WORKSPACE", "."), base.config)
    entries = [entry_for(source, path)] if source else from_config(path)
    return [[*layers[:-1], *entry, *layers[-1:]] for entry in entries]


def _twins(entries: Sequence[Sequence[Layer]], edges: Edges) -> dict[int, SettingsError]:
    """Why some entries are not watched: the report of their dataset is that of an entry before them.

    Two audits under one report would take turns in writing it, run after run.
    """
    taken: set[tuple[str, ...]] = set()
    twins: dict[int, SettingsError] = {}
    for number, entry in enumerate(entries):
        try:
            settings = settle(entry)
        except SettingsError:
            continue
        place = edges.place(settings)
        if place in taken:
            where = next(layer["dataset"][1] for layer in entry if "dataset" in layer)
            twins[number] = SettingsError(
                f"the report of {settings.dataset} is that of an entry before this one",
                where=where,
                todo="make one entry of them, or set another `repository` or `channel`",
            )
        taken |= {place} if place else set()
    return twins


def _watch(source: str, settings: Settings, edges: Edges, *, rebuild: bool) -> Outcome:
    from benchaudit.audit import workspace
    from benchaudit.auditor import Auditor
    from benchaudit.report.templates import Templates
    from benchaudit.sources import open_source
    from benchaudit.watch import Watcher

    if not (settings.dataset or source):
        raise SettingsError("no dataset is named", todo="set `dataset`, as owner/name")
    if not source:
        _refuse_path(settings.dataset)
    settings = replace(settings, release=settings.release or released(edges.environment))
    tracker = edges.tracker(settings)
    with workspace() as work:
        watcher = Watcher(
            auditor=Auditor(
                source=open_source(source, settings, work), settings=settings, work=work, say=say
            ),
            tracker=tracker,
            templates=Templates(settings.templates),
            upstream=edges.upstream(tracker, settings),
            notes=edges.notes(settings),
        )
        try:
            outcome = watcher.rebuild() if rebuild else watcher.run()
            return replace(_with_page(outcome, watcher), last=None)
        except (DatasetNotFound, AccessDenied, Unavailable) as error:
            # A folder may be called like a dataset: that it was meant is known when there is no such one.
            hint = "" if source else _hint(settings.dataset)
            todo = "; or ".join(filter(None, [error.todo, hint]))
            raise type(error)(error.what, where=error.where, todo=todo) from None


def _with_page(outcome: Outcome, watcher: Watcher) -> Outcome:
    """The outcome with the dataset's page, where pages are wished for and something is known."""
    state = outcome.state if watcher.settings.pages else None
    if state is None:
        return outcome
    from benchaudit.history import history_of_state, point_of

    history, last = history_of_state(state), outcome.last
    if last is not None:
        now = point_of(last.audited.audit)
        points = tuple(now if point.sha == now.sha else point for point in history.points)
        history = replace(history, points=points)
    return replace(outcome, page=(history, watcher.auditor.page(history, last)))


def _hint(dataset: str) -> str:
    """What to do where a path of this machine was given for the name of a dataset; "" where none was."""
    if not Path(dataset).exists():
        return ""
    return f"`benchaudit watch {dataset}` watches a clone, `benchaudit audit {dataset}` looks at files once"


def _refuse_path(dataset: str) -> None:
    """Refuse what can be no name on the Hub and is a path here, before anything is asked or missing."""
    may_be_name = re.fullmatch(r"[\w-][\w.-]*(/[\w.-]+)?", dataset) and not Path(dataset).is_file()
    if _hint(dataset) and not may_be_name:
        raise SettingsError(
            "is a path, and `dataset` takes a name on the Hub", where=dataset, todo=_hint(dataset)
        )


def released(environment: Mapping[str, str]) -> str:
    """The tag of the release that started this run; "" where something else did."""
    if environment.get("GITHUB_EVENT_NAME") != "release":
        return ""
    try:
        event = json.loads(Path(environment.get("GITHUB_EVENT_PATH", "")).read_text(encoding="utf-8"))
        gone = event["action"] in {"deleted", "unpublished"} or event["release"]["draft"]
        return "" if gone else str(event["release"]["tag_name"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _status(outcome: Outcome, settings: Settings) -> int:
    from benchaudit.gate import fails, leaks

    if outcome.failure is not None:
        return outcome.failure.exit_status
    known = outcome.began.checks if outcome.began else {}
    new = {
        place
        for place in (leaks(outcome.audit) if outcome.audit else ())
        if place not in known or known[place].verdict != "leak"
    }
    return int(fails(settings.fail_on, outcome.verdict, severe=outcome.severe, new_leaks=new))


def _summarise(outcome: Outcome, environment: Mapping[str, str]) -> None:
    if outcome.report is not None:
        runner.summary(outcome.report.summary, environment)
    else:
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        name, sha = one_line(outcome.dataset), outcome.revision[:7]
        runner.summary(f"{name}: looked at {now}, no new data since `{sha}`.", environment)
    if outcome.failure is not None:
        complain(outcome.failure, environment)
    if outcome.remark:
        announce("warning", f"{outcome.dataset}: {outcome.remark}", environment)
    if outcome.material and outcome.comparison is not None:
        where = outcome.thread.url if outcome.thread else "the job summary"
        line = f"{outcome.dataset}@{outcome.revision[:7]}: leakage changed, see {where}"
        announce("warning", line, environment)


def _summarise_failure(settings: Settings, error: BenchauditError, environment: Mapping[str, str]) -> None:
    if environment.get("GITHUB_STEP_SUMMARY"):
        from benchaudit.markdown import code
        from benchaudit.report.templates import Templates

        # Without tokens before it is cut: in a part of one nobody would see what it is.
        name, said = (masked(text, environment) for text in (settings.dataset or settings.config, str(error)))
        text = Templates().fill("failure.md", title=f"benchaudit: {code(name)}", message=code(said, 500))
        runner.summary(text, environment)


def hand_over(outcomes: Sequence[Outcome], environment: Mapping[str, str]) -> None:
    """Write the JSON report and set the step's outputs; of several datasets the scalars are the worst's."""
    if not outcomes:
        return
    from benchaudit.verdict import WORST_FIRST

    entries = [_result(outcome) for outcome in outcomes]
    ranks: dict[str, int] = {name: place for place, name in enumerate(WORST_FIRST)}
    worst = min(entries, key=lambda entry: (ranks.get(entry["verdict"], len(ranks)), not entry["severe"]))
    for name in (
        "revision",
        "previous-revision",
        "verdict",
        "no-model-baseline",
        "issue-number",
        "issue-url",
        "comment-url",
    ):
        runner.output(name, worst[name], environment)
    for name in ("changed", "material"):
        runner.output(name, str(any(entry[name] for entry in entries)).lower(), environment)
    runner.output("results", json.dumps(entries, ensure_ascii=False), environment)
    runner.output("report", _write_reports(outcomes, environment), environment)


def _result(outcome: Outcome) -> dict[str, Any]:
    thread = outcome.thread
    return {
        "dataset": outcome.dataset,
        "revision": outcome.revision,
        "previous-revision": outcome.previous,
        "changed": outcome.changed,
        "material": outcome.material,
        "verdict": outcome.verdict,
        "severe": outcome.severe,
        "no-model-baseline": outcome.baseline,
        "issue-number": str(thread.number) if thread and thread.number else "",
        "issue-url": thread.url if thread else "",
        "comment-url": outcome.comment_url,
    }


def _write_reports(outcomes: Sequence[Outcome], environment: Mapping[str, str]) -> str:
    """The JSON of every audit of the run, its name relative to the workspace; "" where nothing was new.

    Raises TrackerError where it cannot be written: nobody has named that file.
    """
    from benchaudit.report.document import run_document, write

    documents = [
        run_document(outcome.audit, outcome.comparison) for outcome in outcomes if outcome.audit is not None
    ]
    if not documents:
        return ""
    folder = Path(environment.get("GITHUB_WORKSPACE", "."))
    try:
        write(str(folder / REPORT), documents[0] if len(documents) == 1 else documents)
    except SettingsError as error:
        raise TrackerError(error.what, where=error.where, todo="check the workspace") from None
    say_written(str(folder / REPORT))
    return REPORT
