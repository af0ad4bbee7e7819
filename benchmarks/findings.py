"""What every check says of real benchmarks, as the tables of `docs/findings.md`.

    python benchmarks/findings.py DATA            all tables; DATA is a folder of released files
    python benchmarks/findings.py DATA LLMBar     those whose title holds a word

Each column is what `benchaudit audit` says of one file; the command stands below its table.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchaudit.audit import audit_snapshot
from benchaudit.checks import all_checks
from benchaudit.figures import integer, points, share
from benchaudit.models import SliceKey
from benchaudit.settings import settle
from benchaudit.sources.file import FileSource
from benchaudit.verdict import Audit, Judged, SliceAudit


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One file or slice: its name in the table, the file, the flags, and the slice's value."""

    name: str
    file: str
    flags: Mapping[str, str]
    slice: tuple[str, str] | None = None

    @property
    def key(self) -> SliceKey:
        """The slice of the audit."""
        return (self.slice,) if self.slice else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The columns of one table."""

    title: str
    columns: Sequence[Column]


_BBQ = {
    "options": "ans0,ans1,ans2",
    "gold": "label",
    "gold-encoding": "index0",
    "slices": "context_condition",
}
_LLMBAR = {"options": "output_1,output_2", "gold": "label", "gold-encoding": "index1"}
_AGIEVAL = {"options": "options", "gold": "label", "gold-encoding": "letter"}
_MC1 = {"options": "mc1_targets", "gold-encoding": "scores"}
_CSV = {"gold": "Best Answer", "distractors": "Best Incorrect Answer"}
_PERSONA = {
    "options": "all_options",
    "gold": "correct_answer",
    "gold-encoding": "letter",
    "id": "question_id",
}

GROUPS = (
    Group(
        title="BBQ, physical appearance",
        columns=[
            Column(
                name=name,
                file="bbq/9eba1ba/Physical_appearance.jsonl",
                flags=_BBQ,
                slice=("context_condition", name) if name != "all" else None,
            )
            for name in ("all", "ambig", "disambig")
        ],
    ),
    Group(
        title="LLMBar",
        columns=[
            Column(name=name, file=f"llmbar/900616b/{file}.json", flags=_LLMBAR)
            for name, file in {
                "Natural": "Natural",
                "Neighbor": "Adversarial_Neighbor",
                "GPTInst": "Adversarial_GPTInst",
                "GPTOut": "Adversarial_GPTOut",
                "Manual": "Adversarial_Manual",
            }.items()
        ],
    ),
    Group(
        title="AGIEval",
        columns=[
            Column(name=name, file=f"agieval/5c77d07/{name}.jsonl", flags=_AGIEVAL)
            for name in ("aqua-rat", "gaokao-biology", "gaokao-physics", "lsat-ar", "sat-math")
        ],
    ),
    Group(
        title="TruthfulQA",
        columns=[
            Column(name="MC1, 2021", file="truthfulqa/cff67ae/mc_task.json", flags=_MC1),
            Column(name="MC1, 2025", file="truthfulqa/f6be04e/mc_task.json", flags=_MC1),
            Column(name="binary, 2025", file="truthfulqa/f6be04e/TruthfulQA.csv", flags=_CSV),
        ],
    ),
    Group(
        title="PersonaMem v1",
        columns=[Column(name="32k", file="personamem-v1/b90e91a/questions_32k.csv", flags=_PERSONA)],
    ),
)


def audited(data: Path, column: Column) -> Audit:
    """The audit of a column's file."""
    source = FileSource(data / column.file)
    settings = settle([{name: (text, f"--{name}") for name, text in column.flags.items()}])
    with TemporaryDirectory() as work:
        snapshot = source.snapshot(source.revision(""))
        return audit_snapshot(source, snapshot, settings, Path(work).resolve(), lambda _: None).audit


def said(judged: Judged) -> str:
    """A cell: what the better rule gains, with its direction; a dot where nothing was found."""
    if judged.verdict == "none-found":
        return "·"
    if judged.verdict in {"too-few", "not-applicable"}:
        return "too few" if judged.verdict == "too-few" else "–"
    text = f"{judged.direction} {points(judged.gain)}"
    return f"**{text}**" if judged.verdict == "leak" else f"{text}{'?' * (judged.verdict == 'incomplete')}"


def table(group: Group, audits: Sequence[tuple[Audit, SliceAudit]]) -> Iterator[str]:
    """The lines of a table: a row for each check that says something of any column."""
    yield f"| | {' | '.join(column.name for column in group.columns)} |"
    yield f"| --- |{' --- |' * len(group.columns)}"
    yield f"| items | {' | '.join(integer(part.n) for _, part in audits)} |"
    scores = [audit.baseline.slices[part.key] for audit, part in audits if audit.baseline]
    yield f"| chance | {' | '.join(share(found.chance, found.n) for found in scores)} |"
    yield f"| no-model baseline | {' | '.join(share(found.right, found.n) for found in scores)} |"
    quiet = []
    for check in all_checks():
        cells = [said(part.checks[check.name]) for _, part in audits]
        if set(cells) <= {"·", "–"}:
            quiet.append(f"`{check.name}`")
        else:
            yield f"| `{check.name}` | {' | '.join(cells)} |"
    if quiet:
        yield ""
        yield f"Nothing found, or not applicable: {', '.join(quiet)}."


def commands(group: Group) -> Iterator[str]:
    """How to get each column."""
    for file, flags in {column.file: column.flags for column in group.columns}.items():
        given = " ".join(f"--{name} {shlex.quote(text)}" for name, text in flags.items())
        yield f"- `benchaudit audit DATA/{shlex.quote(file)} {given} --json -`"


def section(data: Path, group: Group) -> str:
    """A table with its title, its findings and its commands."""
    by_file = {column.file: audited(data, column) for column in group.columns}
    audits = []
    for column in group.columns:
        audit = by_file[column.file]
        audits.append((audit, next(part for part in audit.slices if part.key == column.key)))
    findings = [
        f"- {column.name}: {integer(finding.count)} × `{finding.check}`, {finding.message}"
        for column in group.columns
        if not column.key
        for finding in by_file[column.file].findings
        if finding.check not in {"mixed-option-counts", "mixed-list-cells"}
    ]
    lines = [[f"## {group.title}"], table(group, audits), findings, commands(group)]
    return "\n\n".join(filter(None, map("\n".join, lines))) + "\n"


def main() -> None:
    """Print the tables that are asked for."""
    data, words = Path(sys.argv[1]), sys.argv[2:]
    chosen = [group for group in GROUPS if not words or any(word in group.title for word in words)]
    print("\n".join(section(data, group) for group in chosen))


if __name__ == "__main__":
    main()
