"""Questions: what a person is asked where the rows do not settle it, and which flag answers it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchaudit.errors import MappingError
from benchaudit.mapping.candidates import SEPARATORS, list_cell, marked_texts, separators
from benchaudit.mapping.encodings import Sample, filled, most
from benchaudit.mapping.gold import listed
from benchaudit.mapping.literal import Repeated
from benchaudit.mapping.names import DISTRACTORS, GOLD, OPTION_LISTS, by_rank, families
from benchaudit.mapping.trial import Trial
from benchaudit.models import ColumnMapping

MARKS = (*SEPARATORS, "\n")
SHOWN = 40
"""Names of columns that a message shows."""


def described(mapping: ColumnMapping) -> str:
    """A mapping in a few words."""
    if mapping.gold_apart:
        return f"gold {mapping.gold!r} with distractors {_quoted(mapping.distractors)}"
    where = "options in the text of" if mapping.options_in_question else "options"
    gold = (
        f"gold {mapping.gold!r} as {mapping.gold_encoding}"
        if mapping.gold
        else f"their own {mapping.gold_encoding}"
    )
    return f"{where} {_quoted(mapping.options)} and {gold}"


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def ambiguous(one: Trial, other: Trial, where: str) -> MappingError:
    """The question which of two readings is meant."""
    a, b = one.mapping, other.mapping
    if (a.options, a.distractors, a.gold) != (b.options, b.distractors, b.gold):
        return MappingError(
            f"more than one mapping fits: {described(a)}; or {described(b)}",
            where=where,
            todo=f"set {_flags(a)}",
        )
    if a.option_separator != b.option_separator:
        mark = repr(a.option_separator or b.option_separator)
        return MappingError(
            f"the cells of {_quoted(a.distractors)} could be one text or several joined by {mark}",
            where=where,
            todo=f"set --option-separator {mark}, or --option-separator none",
        )
    return MappingError(
        f"gold column {a.gold!r} could be read as {a.gold_encoding} or {b.gold_encoding}, and no row tells",
        where=where,
        todo=f"set --gold-encoding {a.gold_encoding} or --gold-encoding {b.gold_encoding}",
    )


def _flags(mapping: ColumnMapping) -> str:
    """The flags that settle a mapping."""
    if mapping.gold_apart:
        return f"--gold {mapping.gold!r} --distractors {','.join(mapping.distractors)!r}"
    flags = f"--options {','.join(mapping.options)!r}"
    return f"{flags} --gold {mapping.gold!r}" if mapping.gold else flags


def preference(trial: Trial, where: str) -> MappingError:
    """The question what 0 and 1 mean beside two columns called A and B: a place, or that A is preferred."""
    first, second = trial.mapping.options
    return MappingError(
        f"{trial.mapping.gold!r} holds numbers beside {first!r} and {second!r}: do they count places, or say "
        "whether the first is preferred?",
        where=where,
        todo=f"set --gold-encoding {trial.mapping.gold_encoding}, and --options in the order counted: "
        f"{f'{first},{second}'!r} or {f'{second},{first}'!r}",
    )


def comparison(trial: Trial, where: str) -> MappingError:
    """The question what -1 means beside two options: that gold is not known, or that the other is better."""
    mapping = trial.mapping
    return MappingError(
        f"{mapping.gold!r} is -1 now and then beside two options: is gold hidden, or the other one meant?",
        where=where,
        todo=f"set --gold-encoding {mapping.gold_encoding} if gold is hidden there; what compares by its "
        "sign is not read, give A and B in its place",
    )


def nothing_fits(
    sample: Sample, columns: Sequence[str], asked: ColumnMapping, where: str, nearest: Trial | None
) -> MappingError:
    """The question which columns are meant, with what can be said of those that are there."""
    what, todo = next(_answers(sample, columns, asked, nearest))
    return MappingError(what, where=where, todo=todo)


def _answers(
    sample: Sample, columns: Sequence[str], asked: ColumnMapping, nearest: Trial | None
) -> Iterator[tuple[str, str]]:
    """What is wrong and what to do about it, the most telling first."""
    known = f"the columns are: {', '.join(columns[:SHOWN])}"
    if not sample:
        yield "has no row that can be read", f"name another file, or the whole mapping; {known}"
    yield from _hints(sample, columns, asked)
    if nearest is not None and nearest.usable:
        fit = f"under which {nearest.usable} of {len(nearest.items)} rows become items"
        if nearest.repeated:
            fit += f", but in {nearest.repeated} of them gold is one of its own distractors"
        yield (
            f"no mapping fits; the nearest is {described(nearest.mapping)}, {fit}",
            f"set --options or --distractors, --gold and --gold-encoding; {known}",
        )
    options = asked.options or next(_options(sample, columns), ())
    if options and asked.gold:
        yield (
            f"gold {asked.gold!r} names none of the options {_quoted(options)} in any way that is known",
            f"set another --gold, or --gold-encoding: a letter, a place, a label or the text; {known}",
        )
    if options:
        yield (
            f"options {_quoted(options)} are there, but no column is recognised as their gold",
            f"set --gold, and --gold-encoding where it is not clear; {known}",
        )
    if distractors := asked.distractors or by_rank(columns, DISTRACTORS)[:1]:
        yield (
            f"distractors {_quoted(distractors)} are there, but no column is recognised as their gold",
            f"set --gold, and --distractors where they are more; {known}",
        )
    yield "no options are recognised", f"set --options or --distractors, and --gold; {known}"


def _options(sample: Sample, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The columns that are options by their names, whatever their gold."""
    for name in by_rank(columns, OPTION_LISTS):
        if any(list_cell(cell) is not None for cell in filled(sample, name)):
            yield (name,)
    yield from (family.columns for family in families(columns) if family.known and family.stem)


def _hints(sample: Sample, columns: Sequence[str], asked: ColumnMapping) -> Iterator[tuple[str, str]]:
    texts = asked.options if len(asked.options) == 1 else tuple(by_rank(columns, OPTION_LISTS))
    for name in (*asked.question, *texts) if not asked.options_in_question else ():
        if most(marked_texts(sample, name), len(filled(sample, name))):
            flag = (
                "--options-in-question"
                if name in asked.question
                else f"--options {name!r} --options-in-question"
            )
            yield (
                f"the texts of {name!r} hold options behind marks such as A, B, C",
                f"set {flag}, and --gold",
            )
    yield from _repeated(sample, texts)
    for name in texts if not asked.option_separator else ():
        for mark in (
            separators(sample, (name,), MARKS) if not any(map(list_cell, filled(sample, name))) else ()
        ):
            yield (
                f"the cells of {name!r} are no lists",
                f"set --option-separator {mark!r} if that joins the options",
            )
    for name in texts if not asked.gold_encoding else ():
        cells = [list_cell(value, scored=True) for value in filled(sample, name)]
        if any(cell.scores for cell in cells if cell is not None):
            yield (
                f"the scores that come with the options {name!r} are not 0 and 1",
                f"set --options {name!r} --gold-encoding scores if the highest is gold",
            )
    if not asked.gold_encoding:
        yield from _lists(sample, [asked.gold] if asked.gold else by_rank(columns, GOLD), texts)


def _repeated(sample: Sample, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in texts:
        cells = filled(sample, name)
        if most(sum(isinstance(cell, Repeated) for cell in cells), len(cells)):
            yield f"in the records of {name!r} a name stands twice", "give each option a name of its own"


def _lists(sample: Sample, golds: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in golds:
        lists = [listed(value) or () for value in filled(sample, name)]
        # The labels of options are a list in every row, and no gold.
        if name.rpartition(".")[0] not in texts and most(sum(len(some) > 1 for some in lists), len(lists)):
            ways = "scores if the highest is gold, ranks if the lowest is, order if the first is"
            yield f"the cells of {name!r} are lists", f"set --gold {name!r} with --gold-encoding {ways}"
