"""Settings: one declaration for flags, action inputs and config keys, whose names agree.

Each setting is a field of `Settings`; its metadata says what it means and how its text is read.
Layers of given texts (flags, inputs, a config file's entry, its defaults) are laid over each other,
the first that gives a setting wins, and every error names the place where the text was given.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

from benchaudit import given
from benchaudit.errors import SettingsError
from benchaudit.models import GOLD_ENCODINGS, Acceptance, ColumnMapping, Thresholds
from benchaudit.shards import read_shard

CHANNELS = ("github", "hub", "folder", "none")
SAMPLES = ("none", "ids", "text")
FAIL_ON = ("leak", "severe", "incomplete", "new-leak")

Given = tuple[str, str]
"""A text and the place where it was given, such as `--min-rows` or `benchaudit.yml:4`."""

Layer = Mapping[str, Given]
"""Given texts by setting name, dashes as in flags."""


def setting(about: str, read: Callable[[str], Any], default: Any = "", **more: Any) -> Any:
    """Declare a setting: what it means, how its text is read, and what holds where it is not given.

    A `secret` is shown nowhere. A text that is `blank` still says something; elsewhere it is unset.
    """
    return field(
        default=default, repr=not more.get("secret"), metadata={"about": about, "read": read, **more}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set; an empty text is unset. `docs/reference.md` is made from this."""

    dataset: str = setting("Dataset on the Hub to watch, as owner/name.", given.text)
    files: tuple[str, ...] = setting("Files of the dataset to audit, as paths or globs.", given.names, ())
    revision: str = setting(
        "Branch to watch; or refs/pr/N, a pull request on the Hub, which is compared with what it departs "
        "from and has no report issue: with channel hub it gets a comment there.",
        given.text,
    )
    config: str = setting("Path of a config file; it can name several datasets.", given.text)

    shard: str = setting(
        "Share of the config file's datasets to watch, as 3/12; `benchaudit plan` deals them out.",
        read_shard,
    )

    question: str = setting("Column of the question.", given.text)
    options: tuple[str, ...] = setting(
        "One column that holds a list of options, or several columns with one option each.", given.names, ()
    )
    gold: str = setting(
        "Column of the gold answer; or a column for each option with its score, one for a tie behind them.",
        given.text,
    )
    gold_fallback: str = setting("Column that counts where the gold cell is empty.", given.text)
    distractors: tuple[str, ...] = setting(
        "Columns of the wrong answers, where the gold column holds the answer's text.", given.names, ()
    )
    gold_encoding: str = setting(
        "How the gold column names the answer.", given.one_of(GOLD_ENCODINGS), choices=GOLD_ENCODINGS
    )
    option_separator: str = setting(
        "What separates the options of one cell, \\n for a line end; none where nothing does.",
        given.separator,
        blank=True,
    )
    options_in_question: bool = setting(
        "The options stand in one text behind the marks A, B, …: in the question's, or in that of --options.",
        given.flag,
        default=False,
    )
    last_turn: bool = setting("Compare the last turns of dialogues only.", given.flag, default=False)
    id: str = setting("Column that identifies a row across revisions.", given.text)
    records: str = setting("JSON pointer to the rows inside a JSON document.", given.text)
    subset: str = setting("Subset (config) of the dataset to audit.", given.text)
    split: str = setting("Split of the dataset to audit.", given.text)
    slices: tuple[tuple[str, ...], ...] = setting(
        "Columns to break the figures down by; A*B crosses two, A%100 cuts a number into bins of 100, "
        "@file, @dir, @config and @split slice by where a row was found.",
        given.slicings,
        (),
    )

    baseline_slices: str = setting(
        "Column whose values each get a rule of their own in the no-model baseline; by default the first"
        " of slices.",
        given.slicing,
    )

    repeats: bool = setting(
        "The same item may stand in several rows on purpose: it is no finding, but for another gold.",
        given.flag,
        default=False,
    )

    probe: bool = setting(
        "Let a linear model guess gold from the options alone, as one check more; needs scikit-learn, which "
        "comes with the extra probe and is not in the image of the action.",
        given.probe,
        default=False,
    )

    min_rows: int = setting("Rows that a slice needs for a verdict.", given.whole(1), 20)
    alpha: float = setting("Family-wise error rate of the verdicts.", given.number(1e-12, 0.5), 0.01)
    min_effect: float = setting("Points of gain over chance that make a leak.", given.number(0.0, 100.0), 5.0)
    min_change: float = setting(
        "Points by which a leaking slice must move to be worth a notification.", given.number(0.0, 100.0), 2.0
    )
    accept: tuple[Acceptance, ...] = setting(
        "Known leaks, a line each as slice | check | points of gain | reason: up to that gain they are shown "
        "as accepted, notify nobody and fail no gate. Slices are written ALL, who=others or "
        "who=others*updated=True.",
        given.acceptances,
        (),
    )
    fail_on: str = setting("Exit with status 1 on this verdict.", given.one_of(FAIL_ON), choices=FAIL_ON)

    channel: str = setting("Where the report goes.", given.one_of(CHANNELS), "github", choices=CHANNELS)
    repository: str = setting("Repository of the report issue; by default the workflow's own.", given.text)
    author: str = setting("Account that the report issues belong to.", given.text)
    labels: tuple[str, ...] = setting("Labels of a new report issue.", given.names, ())
    assignees: tuple[str, ...] = setting("Accounts to assign a new report issue to.", given.names, ())
    close_when_clean: bool = setting(
        "Close the report issue when its last leak is gone.", given.flag, default=False
    )
    samples: str = setting(
        "What reports show of single rows: nothing, their ids, or their text in the page that --html writes.",
        given.one_of(SAMPLES),
        "ids",
        choices=SAMPLES,
    )
    pages: str = setting(
        "Folder for an HTML page of each dataset and an index of them, below the workspace. A dataset that "
        "nothing is new of gets a page of what its report remembers.",
        given.text,
    )
    release: str = setting(
        "Tag of a release to comment on; at a `release` event it is that of the event.", given.text
    )
    annotate_release: bool = setting(
        "Put a section with a link into the notes of that GitHub release, and attach the JSON report; each "
        "dataset of a config file has its own.",
        given.flag,
        default=False,
    )
    upstream: str = setting(
        "Where to report a leak to the dataset's maintainers, as github:OWNER/REPO or hub. Only a draft is "
        "made until somebody lets it go.",
        given.upstream,
    )
    upstream_follow_up: bool = setting(
        "Comment on the report upstream when leakage changes materially.", given.flag, default=False
    )
    approval_label: str = setting(
        "Label of the report issue by which somebody who may write lets the draft for upstream go.",
        given.text,
        "upstream-approved",
    )
    templates: str = setting("Folder with templates that replace the built-in ones.", given.text)
    dry_run: bool = setting("Print what would be written instead of writing it.", given.flag, default=False)
    max_commits: int = setting("Most new commits to look at in one run.", given.whole(1), 200)
    max_bytes: int = setting("Most bytes of data to read for one revision.", given.whole(1), 8 << 30)
    cache: str = setting(
        "Folder that keeps what was read of each file, so that a file seen before is not read again; it "
        "holds text of the dataset.",
        given.text,
    )
    scheduler: str = setting(
        "Dask scheduler whose workers read a dataset's files, as tcp://HOST:PORT; or local, for workers on "
        "this machine. Needs the extra dask.",
        given.scheduler,
    )

    github_token: str = setting("Token that may write issues.", given.token, secret=True)
    upstream_token: str = setting(
        "Token for the report upstream; by default github-token or hf-token.", given.token, secret=True
    )
    hf_token: str = setting(
        "Hub token, for private or gated datasets, and to write discussions with channel hub.",
        given.token,
        secret=True,
    )

    @property
    def pull_request(self) -> int:
        """The number of the Hub's pull request that is watched, 0 where it is a branch."""
        watched = re.fullmatch(r"refs/pr/([1-9]\d{0,8})", self.revision)
        return int(watched[1]) if watched else 0

    @property
    def mapping(self) -> ColumnMapping:
        """The part of the mapping that was asked for; the rest is detected."""
        return ColumnMapping(
            question=(self.question,) if self.question else (),
            options=self.options,
            distractors=self.distractors,
            gold=self.gold,
            gold_fallback=self.gold_fallback,
            gold_encoding=self.gold_encoding,
            option_separator=self.option_separator,
            options_in_question=self.options_in_question,
            last_turn=self.last_turn,
            id=self.id,
        )

    @property
    def thresholds(self) -> Thresholds:
        """What decides verdicts and notifications."""
        return Thresholds(
            min_rows=self.min_rows, alpha=self.alpha, min_effect=self.min_effect, min_change=self.min_change
        )

    def baseline_column(self, slicings: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """The slicing whose values each get a rule of their own, of those that were run; () for none.

        Raises SettingsError where the one that is wished for is none of the slices.
        """
        wanted = tuple(self.baseline_slices.split("*")) if self.baseline_slices else next(iter(slicings), ())
        if self.baseline_slices and wanted not in self.slices:
            raise SettingsError(
                f"baseline-slices {self.baseline_slices!r} is none of the slices",
                todo="name it in slices too",
            )
        return wanted if wanted in slicings else ()

    @property
    def digest(self) -> str:
        """What must be equal for two runs to give the same figures and verdicts, as 12 hex digits.

        How far a slice must move to be news is no figure.
        """
        parts = (
            self.files,
            self.revision,
            self.records,
            self.subset,
            self.split,
            self.slices,
            self.baseline_column(self.slices),
            str(self.mapping),
            (self.min_rows, self.alpha, self.min_effect),
            self.repeats,
            [str(entry) for entry in self.accept],
            # Named only where it is set, so that reports from before there was a probe stay comparable.
            *(["probe"] if self.probe else []),
        )
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def declared() -> dict[str, Field[Any]]:
    """Every setting by its name in flags, inputs and config keys."""
    return {entry.name.replace("_", "-"): entry for entry in fields(Settings)}


def settle(layers: Iterable[Layer]) -> Settings:
    """Lay layers of given texts over each other, the first that gives a setting wins.

    Raises SettingsError for a name that is not known and a text that cannot be read.
    """
    known = declared()
    values: dict[str, Any] = {}
    for layer in layers:
        for name, (text, where) in layer.items():
            entry = known.get(name)
            if entry is None:
                raise unknown(name, where)
            if entry.name in values or not _says(entry, text):
                continue
            try:
                values[entry.name] = entry.metadata["read"](text)
            except ValueError as error:
                shown = "" if entry.metadata.get("secret") else f" {text.strip()!r}"
                raise SettingsError(f"{name}{shown} {error}", where=where) from None
    return Settings(**values)


def _says(entry: Field[Any], text: str) -> bool:
    """Whether a text sets a setting at all."""
    return bool(text if entry.metadata.get("blank") else text.strip())


def unknown(name: str, where: str) -> SettingsError:
    """The error for a name that is no setting."""
    near = difflib.get_close_matches(name.replace("_", "-").lower(), declared(), n=1, cutoff=0.5)
    todo = f"did you mean {near[0]!r}?" if near else "docs/reference.md lists the settings"
    return SettingsError(f"{name!r} is no setting", where=where, todo=todo)


def from_environment(environment: Mapping[str, str]) -> Layer:
    """The action's inputs: `INPUT_<NAME>` as the runner sets them, dashes kept, empty is unset.

    The runner sets every input that the action declares, so an empty one is left out here.
    """
    known = declared()
    inputs: dict[str, Given] = {}
    for variable, text in environment.items():
        if not variable.startswith("INPUT_") or not text:
            continue
        name = variable.removeprefix("INPUT_").lower()
        if name in known:
            inputs[name] = (text, f"input {name}")
        elif text.strip():
            raise unknown(name, f"input {name}")
    return inputs


def described(entry: Field[Any]) -> str:
    """What a setting is for: its meaning, what it may be, and its default."""
    text: str = entry.metadata["about"]
    if "choices" in entry.metadata:
        text = f"{text.rstrip('.')}; {', '.join(entry.metadata['choices'])}."
    return f"{text} By default {default_of(entry)}." if default_of(entry) else text


def default_of(entry: Field[Any]) -> str:
    """A setting's default as it would be given, "" where there is none."""
    value = entry.default
    if value is MISSING or value in ("", ()):
        return ""
    return (
        str(value).lower()
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
