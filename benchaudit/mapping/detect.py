"""Detection: propose the one mapping that the names and the contents of a file speak for.

Every candidate is tried on the rows themselves; one that does not turn the labelled rows into items
is none. Where two of them would give different golds, that is a question for a person, not a guess.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchaudit.errors import MappingError
from benchaudit.mapping.candidates import Candidate, candidates
from benchaudit.mapping.encodings import Sample, filled
from benchaudit.mapping.names import CONTEXT, ID, QUESTION, by_rank, plain
from benchaudit.mapping.questions import ambiguous, comparison, described, nothing_fits, preference
from benchaudit.mapping.trial import Trial, tried
from benchaudit.models import ColumnMapping

LEAST_LABELLED = 0.5
"""Share of the rows that another gold column labels in which a proposed one must name something."""

EVIDENCE = 10
"""How many times as many misses as another reading dismiss one."""


LEAST_RUN = 10
"""Rows of one kind on end, on average, where a split is labelled or is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A mapping and what speaks for it, a line each."""

    mapping: ColumnMapping
    evidence: tuple[str, ...] = ()


def propose(sample: Sample, columns: Sequence[str], asked: ColumnMapping, where: str) -> Proposal:
    """Complete what was asked for from names and contents.

    `columns` are the names that a candidate may take, nested places included; `where` is what a
    message calls the file. Raises MappingError where nothing fits, or more than one thing does.
    """
    _check(asked, where)
    asked = _with_names(sample, columns, asked)
    trials = [tried(candidate, sample) for candidate in candidates(sample, columns, asked)]
    if _is_complete(asked) and len(trials) <= 1:
        # What the user names is taken at their word; the rows left out will say how well it fits.
        return _proposal(trials[0] if trials else tried(Candidate(mapping=asked), sample), ())
    fitting = [trial for trial in trials if trial.holds] or _nearly(trials, asked)
    if not fitting:
        raise nothing_fits(sample, columns, asked, where, max(trials, key=_usable, default=None))
    clear = [trial for trial in fitting if asked.gold_encoding or not _may_compare(trial, sample)]
    if not clear:
        raise comparison(fitting[0], where)
    chosen = _only(_plainest(clear), asked, where)
    rivals = [trial for trial in trials if _reads_the_same(trial, chosen) and not trial.agrees(chosen)]
    return _proposal(chosen, rivals)


def _check(asked: ColumnMapping, where: str) -> None:
    """Raise MappingError where what was asked for contradicts itself."""
    if asked.distractors and (asked.options or asked.options_in_question):
        raise MappingError(
            "options are named, and distractors beside them",
            where=where,
            todo="leave --options or --distractors out: with distractors, gold is none of the options",
        )
    if asked.distractors and asked.gold_encoding not in {"", "text"}:
        raise MappingError(
            f"gold stands apart from the distractors, so it is no {asked.gold_encoding}",
            where=where,
            todo="leave --gold-encoding or --distractors out",
        )


def _with_names(sample: Sample, columns: Sequence[str], asked: ColumnMapping) -> ColumnMapping:
    """Question and id by name alone: they take no part in any rate."""
    question = asked.question
    if not question:
        names = by_rank(columns, QUESTION)
        texts = (name for name in names if not any(isinstance(row.get(name), dict) for row in sample))
        question = tuple(itertools.islice(texts, 1))
        question += tuple(name for name in by_rank(columns, CONTEXT)[:1] if name not in question)
    ids = [name for name in by_rank(columns, ID) if "." not in name and _is_id(sample, name)]
    return replace(asked, question=question, id=asked.id or next(iter(ids), ""))


def _is_id(sample: Sample, column: str) -> bool:
    """Whether a column tells most rows apart: what many rows share is no name for one."""
    values = {str(row.get(column)) for row in sample if row.get(column) is not None}
    return len(values) * 2 > len(sample)


def _is_complete(asked: ColumnMapping) -> bool:
    """Whether nothing that decides a figure is left to find."""
    if asked.distractors:
        return bool(asked.gold)
    options = asked.options or (asked.options_in_question and asked.question)
    return bool(
        options and asked.gold_encoding and (asked.gold or asked.gold_encoding in {"scores", "ranks"})
    )


def _nearly(trials: Sequence[Trial], asked: ColumnMapping) -> list[Trial]:
    """What may do where nothing holds: what the user named in part, or a split without labels."""
    named = bool(asked.options or asked.distractors) and bool(asked.gold)
    usable = [trial for trial in trials if named and trial.usable]
    return usable or [trial for trial in trials if trial.unlabelled][:1]


def _usable(trial: Trial) -> int:
    return trial.usable


def _plainest(fitting: Sequence[Trial]) -> list[Trial]:
    """Known names before unknown ones, columns before places inside one, full columns before sparse ones."""
    plainest = min(trial.candidate.tier for trial in fitting)
    plain_ones = [trial for trial in fitting if trial.candidate.tier == plainest]
    labelled = max(trial.labelled for trial in plain_ones)
    return [trial for trial in plain_ones if trial.labelled >= LEAST_LABELLED * labelled]


def _only(fitting: Sequence[Trial], asked: ColumnMapping, where: str) -> Trial:
    """The one trial that the rest agree with. Raises MappingError where they do not."""
    groups: dict[object, list[Trial]] = {}
    for trial in fitting:
        groups.setdefault(_columns_of(trial), []).append(trial)
    readings = [_left(group) for group in groups.values()]
    sure = [left[0] for left in readings if len(left) == 1]
    if not sure:
        raise ambiguous(readings[0][0], readings[0][1], where)
    best = max(sure, key=lambda trial: (trial.usable, not trial.mapping.gold_apart))
    for left in readings:
        if not any(trial.agrees(best) for trial in left):
            raise ambiguous(best, left[0], where)
    if not asked.gold_encoding and all(map(_may_be_preference, sure)):
        raise preference(best, where)
    return best


def _columns_of(trial: Trial) -> object:
    mapping = trial.mapping
    return mapping.options, mapping.distractors, mapping.gold


def _left(group: Sequence[Trial]) -> list[Trial]:
    """The readings of the same columns that the evidence leaves, the best first."""
    if any(trial.mapping.gold_encoding == "labels" for trial in group):
        # A key that is among the row's own labels is one, whatever place it could be as well.
        group = [trial for trial in group if not trial.mapping.gold_encoding.startswith("index")]
    best = max(group, key=_usable)
    rivals = [trial for trial in group if not trial.agrees(best) or _splits_otherwise(trial, best)]
    return [best, *(trial for trial in rivals if not _is_dismissed(trial, best))]


def _splits_otherwise(one: Trial, other: Trial) -> bool:
    return one.mapping.separator != other.mapping.separator


def _is_dismissed(rival: Trial, best: Trial) -> bool:
    """Whether the rows speak against a reading: a value equal to k, say, where places count from 0."""
    return rival.misses > 0 and rival.misses >= EVIDENCE * best.misses


def _may_be_preference(trial: Trial) -> bool:
    mapping = trial.mapping
    lettered = [plain(name)[-1:] for name in mapping.options] == ["a", "b"]
    return lettered and mapping.gold_encoding.startswith("index")


def _may_compare(trial: Trial, sample: Sample) -> bool:
    """Whether -1 stands among the places of two options as if it said that the other one is better.

    Where it hides a gold, it does so in a whole split, and not now and then.
    """
    mapping = trial.mapping
    if not mapping.gold_encoding.startswith("index") or any(len(item.options) > 2 for item in trial.items):
        return False
    hidden = [str(cell).strip() in {"-1", "-1.0"} for cell in filled(sample, mapping.gold)]
    changes = sum(one is not other for one, other in itertools.pairwise(hidden))
    return changes * LEAST_RUN > len(hidden)


def _reads_the_same(trial: Trial, chosen: Trial) -> bool:
    return _columns_of(trial) == _columns_of(chosen) and trial is not chosen


def _proposal(trial: Trial, dismissed: Sequence[Trial]) -> Proposal:
    mapping, rows = trial.mapping, len(trial.items)
    evidence = [f"{described(mapping)}: {trial.usable} of the first {rows} rows become items"]
    if trial.unlabelled:
        evidence.append("no row names its gold, so there will be no figures")
    for rival in dismissed:
        encoding = rival.mapping.gold_encoding
        evidence.append(f"not as {encoding}: {rival.misses} of the first {rows} rows would be defective")
    if mapping.question:
        evidence.append(f"question {', '.join(map(repr, mapping.question))}, by name")
    if mapping.id:
        evidence.append(f"id {mapping.id!r}, by name")
    if mapping.last_turn:
        evidence.append("the texts are dialogues: their last turns are compared")
    return Proposal(mapping=mapping, evidence=tuple(evidence))
