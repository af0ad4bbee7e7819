"""Detection: propose the one mapping that the names and the contents of a file speak for.

Every candidate is tried on the rows themselves, by the same definition of an item that the audit
uses; a candidate that does not turn the labelled rows into items is none. Where two candidates
would give different golds, that is a question for a person, not a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from benchaudit.errors import MappingError
from benchaudit.mapping.cells import Cell, Unreadable, Value, decode_list
from benchaudit.mapping.names import CONTEXT, DISTRACTORS, GOLD, ID, OPTION_LISTS, QUESTION, families, rank
from benchaudit.mapping.row import Item, Row, item_reader, last_turn
from benchaudit.models import ColumnMapping, is_defect

LEAST_USABLE = 0.5
"""Share of the labelled rows of the sample that a proposed mapping must turn into items."""

LEAST_READ = 0.8
"""Share of the labelled rows of the sample whose gold it must be able to read."""

LEAST_LABELLED = 0.5
"""Share of the rows of the sample in which a proposed gold column must name something."""

Sample = Sequence[Mapping[str, Value]]
"""Rows of decoded cells by column name, nested places by their dotted names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A mapping and what speaks for it, a line each."""

    mapping: ColumnMapping
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    """A mapping tried on the sample."""

    mapping: ColumnMapping
    items: tuple[Item, ...]

    @property
    def usable(self) -> int:
        return sum(item.left_out is None for item in self.items)

    @property
    def labelled(self) -> int:
        """Rows in which gold names something: items, and rows whose gold or options are defective."""
        return sum(item.left_out is None or is_defect(item.left_out) for item in self.items)

    def _left_out(self, *reasons: str) -> int:
        return sum(item.left_out in reasons for item in self.items)

    @property
    def holds(self) -> bool:
        """Whether the rows speak for it: a gold that the encoding reads but no option answers to still does."""
        several = self._left_out("several-golds")
        read = self.usable + several + self._left_out("gold-out-of-range")
        labelled = self.labelled + several
        return (
            labelled >= LEAST_LABELLED * len(self.items)
            and self.usable >= max(1.0, LEAST_USABLE * self.labelled)
            and read >= LEAST_READ * labelled
        )

    @property
    def unlabelled(self) -> bool:
        """Whether the options are there in every row and gold is in none, as in a hidden test split."""
        return bool(self.items) and self._left_out("unlabelled") == len(self.items)

    @property
    def golds(self) -> tuple[str | None, ...]:
        """Each row's gold text, None where there is none."""
        return tuple(None if item.gold is None else item.options[item.gold] for item in self.items)


def propose(sample: Sample, columns: Sequence[str], asked: ColumnMapping, where: str) -> Proposal:
    """Complete what was asked for from names and contents.

    `columns` are the names that a candidate may take, nested places included; `where` is what a
    message calls the file. Raises MappingError where nothing fits, or more than one thing does.
    """
    asked = _with_names(sample, columns, asked)
    trials = [_try(mapping, sample) for mapping in _candidates(sample, columns, asked)]
    explicit = bool(asked.options or asked.distractors) and bool(
        asked.gold or asked.gold_encoding == "scores"
    )
    fitting = _plainest([trial for trial in trials if trial.holds])
    fitting = fitting or [trial for trial in trials if trial.unlabelled][:1]
    if not fitting and explicit and trials:
        # What the user names is taken at their word; the rows left out will say how well it fits.
        best = max(trials, key=lambda trial: trial.usable)
        if asked.gold_encoding or best.usable or best.labelled == 0:
            return _proposal(best)
    if not fitting:
        raise _nothing(trials, columns, asked, where)
    return _proposal(_only(fitting, where))


def _plainest(fitting: list[_Trial]) -> list[_Trial]:
    """A column before a place inside one: leave the nested out where a plain one fits."""

    def nested(trial: _Trial) -> bool:
        return any("." in name for name in (*trial.mapping.options, *trial.mapping.distractors))

    return [trial for trial in fitting if not nested(trial)] or fitting


def _with_names(sample: Sample, columns: Sequence[str], asked: ColumnMapping) -> ColumnMapping:
    """Question and id by name alone: they take no part in any rate."""
    question = asked.question
    if not question:
        texts = [name for name in columns if not any(isinstance(row.get(name), dict) for row in sample)]
        best = _by_rank(texts, QUESTION)
        question = tuple(best[:1]) + tuple(_by_rank(columns, CONTEXT)[:1])
    id_ = asked.id or next(iter(_by_rank([name for name in columns if "." not in name], ID)), "")
    return replace(asked, question=question, id=id_)


def _by_rank(columns: Sequence[str], known: tuple[str, ...]) -> list[str]:
    """The columns with a known name, the most usual first; a nested place after a plain one."""
    ranked = [(place, name.count("."), name) for name in columns if (place := rank(name, known)) is not None]
    return [name for *_, name in sorted(ranked)]


def _candidates(sample: Sample, columns: Sequence[str], asked: ColumnMapping) -> Iterator[ColumnMapping]:
    golds = [asked.gold] if asked.gold else _by_rank(columns, GOLD)
    if not asked.options:
        yield from _apart(sample, columns, golds, asked)
    if not asked.distractors:
        yield from _among(sample, columns, golds, asked)


def _apart(
    sample: Sample, columns: Sequence[str], golds: Sequence[str], asked: ColumnMapping
) -> Iterator[ColumnMapping]:
    """Gold's text in one column, distractors in another, or in several."""
    if asked.gold_encoding not in {"", "text"}:
        return
    singles = [(name,) for name in _by_rank(columns, DISTRACTORS)]
    several = [
        family
        for family in families(list(columns))
        if rank(family[0][:-1].rstrip("_ "), DISTRACTORS) is not None
    ]
    for distractors in [asked.distractors] if asked.distractors else [*several, *singles]:
        lists = len(distractors) == 1 and _holds_lists(sample, distractors[0])
        separators = (
            [asked.option_separator] if lists or asked.option_separator else _separators(sample, distractors)
        )
        for gold in golds:
            if gold in distractors:
                continue
            for separator in separators:
                yield replace(
                    asked,
                    distractors=distractors,
                    distractor_lists=lists,
                    option_separator=separator,
                    gold=gold,
                    gold_encoding="text",
                    last_turn=asked.last_turn or (not asked.gold and _dialogues(sample, gold)),
                )


def _separators(sample: Sample, columns: tuple[str, ...]) -> list[str]:
    """No separator, and each that would split most cells: whether to is for a person to say."""
    cells = [str(row[name]) for row in sample for name in columns if row.get(name) not in (None, "")]
    return ["", *(mark for mark in ";|" if sum(mark in cell for cell in cells) * 2 > len(cells))]


def _dialogues(sample: Sample, column: str) -> bool:
    """Whether the cells of a column are dialogues of several turns, of which the last is the answer."""
    filled = [row[column] for row in sample if row.get(column) not in (None, "")]
    return bool(filled) and all(last_turn(value) != value for value in filled)


def _holds_lists(sample: Sample, column: str) -> bool:
    """Whether most cells of a column are lists; a column holds lists or texts, never now one, now the other."""
    filled = [row[column] for row in sample if row.get(column) not in (None, "")]
    return sum(_list_cell(value) is not None for value in filled) * 2 > len(filled)


def _list_cell(value: Value, separator: str = "") -> Cell | None:
    try:
        return decode_list(value, separator)
    except Unreadable:
        return None


def _among(
    sample: Sample, columns: Sequence[str], golds: Sequence[str], asked: ColumnMapping
) -> Iterator[ColumnMapping]:
    """A list of options, or a column for each, and a gold that names one of them."""
    lists = [(name,) for name in _by_rank(columns, OPTION_LISTS)]
    for options in [asked.options] if asked.options else [*lists, *families(list(columns))]:
        cells = _option_cells(sample, options, asked.separator)
        if not cells:
            continue
        if any(cell.scores for cell in cells) and asked.gold_encoding in {"", "scores"}:
            yield replace(asked, options=options, gold_encoding="scores")
            continue
        labelled = any(cell.labels for cell in cells)
        for gold in golds:
            if gold not in options:
                for encoding in _encodings(asked.gold_encoding, labelled=labelled):
                    yield replace(asked, options=options, gold=gold, gold_encoding=encoding)


def _option_cells(sample: Sample, options: tuple[str, ...], separator: str) -> list[Cell]:
    """The cells of an option column that are lists; of option columns, a token cell for each row."""
    if len(options) > 1:
        return [Cell(options=[]) for _ in sample]
    cells = [_list_cell(row.get(options[0]), separator) for row in sample]
    return [cell for cell in cells if cell is not None]


def _encodings(asked: str, *, labelled: bool) -> tuple[str, ...]:
    if asked:
        return (asked,)
    if labelled:
        return ("labels", "text")
    # Letters last but one: that encoding takes a stray number, the others take no letter.
    return ("index0", "index1", "letter", "text")


def _try(mapping: ColumnMapping, sample: Sample) -> _Trial:
    item_of = item_reader(mapping)
    return _Trial(
        mapping=mapping,
        items=tuple(
            item_of(
                Row(
                    question=[row.get(name) for name in mapping.question],
                    options=[row.get(name) for name in mapping.options],
                    distractors=[row.get(name) for name in mapping.distractors],
                    gold=row.get(mapping.gold),
                )
            )
            for row in sample
        ),
    )


def _only(fitting: Sequence[_Trial], where: str) -> _Trial:
    """The one trial that the rest agree with. Raises MappingError where they do not."""
    best = max(fitting, key=lambda trial: trial.usable)
    rivals = [
        trial
        for trial in fitting
        if not _agree(trial, best) and not (_other_encoding(trial, best) and trial.usable < best.usable)
    ]
    if not rivals:
        return best
    rival = rivals[0]
    if best.mapping.option_separator != rival.mapping.option_separator:
        mark = best.mapping.option_separator or rival.mapping.option_separator
        raise MappingError(
            f"the cells of {', '.join(best.mapping.distractors)!r} could be one text or several joined by {mark!r}",
            where=where,
            todo=f"set --option-separator {mark!r}, or --option-separator none",
        )
    if _same_columns(rival, best):
        raise MappingError(
            f"gold column {best.mapping.gold!r} could be read as {best.mapping.gold_encoding} or as "
            f"{rival.mapping.gold_encoding}",
            where=where,
            todo=f"set --gold-encoding {best.mapping.gold_encoding} or {rival.mapping.gold_encoding}",
        )
    raise MappingError(
        f"more than one mapping fits: {_described(best.mapping)}; or {_described(rival.mapping)}",
        where=where,
        todo=f"set {_flags(best.mapping)}",
    )


def _agree(one: _Trial, other: _Trial) -> bool:
    """Whether two trials name the same options and gold wherever both are usable."""
    return all(
        a.left_out is not None
        or b.left_out is not None
        or (sorted(a.options), gold_a) == (sorted(b.options), gold_b)
        for a, b, gold_a, gold_b in zip(one.items, other.items, one.golds, other.golds, strict=True)
    )


def _other_encoding(one: _Trial, other: _Trial) -> bool:
    return _same_columns(one, other) and one.mapping.gold_encoding != other.mapping.gold_encoding


def _same_columns(one: _Trial, other: _Trial) -> bool:
    a, b = one.mapping, other.mapping
    return (a.options, a.distractors, a.gold) == (b.options, b.distractors, b.gold)


def _described(mapping: ColumnMapping) -> str:
    if mapping.gold_apart:
        return f"gold {mapping.gold!r} with distractors {', '.join(map(repr, mapping.distractors))}"
    gold = (
        f" and gold {mapping.gold!r} as {mapping.gold_encoding}" if mapping.gold else " with their own scores"
    )
    return f"options {', '.join(map(repr, mapping.options))}{gold}"


def _flags(mapping: ColumnMapping) -> str:
    """The flags that settle a mapping."""
    if mapping.gold_apart:
        return f"--gold {mapping.gold!r} --distractors {','.join(mapping.distractors)!r}"
    flags = f"--options {','.join(mapping.options)!r}"
    return f"{flags} --gold {mapping.gold!r}" if mapping.gold else flags


def _proposal(trial: _Trial) -> Proposal:
    mapping = trial.mapping
    evidence = [
        f"{_described(mapping)}: {trial.usable} of the first {len(trial.items)} rows become items",
    ]
    if mapping.question:
        evidence.append(f"question {', '.join(map(repr, mapping.question))}, by name")
    if mapping.id:
        evidence.append(f"id {mapping.id!r}, by name")
    if mapping.last_turn:
        evidence.append("the texts are dialogues: their last turns are compared")
    return Proposal(mapping=mapping, evidence=tuple(evidence))


def _nothing(
    trials: Sequence[_Trial], columns: Sequence[str], asked: ColumnMapping, where: str
) -> MappingError:
    known = ", ".join(columns[:40])
    best = max(trials, key=lambda trial: trial.usable, default=None)
    if best is not None and best.usable:
        return MappingError(
            f"no mapping fits; the nearest is {_described(best.mapping)}, under which {best.usable} of "
            f"{len(best.items)} rows become items",
            where=where,
            todo=f"set --options or --distractors, --gold and --gold-encoding; the columns are: {known}",
        )
    missing = "options" if not (asked.options or asked.distractors) else "gold"
    return MappingError(
        f"no {missing} column is recognised",
        where=where,
        todo=f"set --options or --distractors, and --gold; the columns are: {known}",
    )
