"""Findings: what a maintainer would want to know of that is no rate.

Rows carry marks from the moment they are read; a finding counts the rows of one kind and says what
they mean. Some marks say how a thing was spelled (`cell-json`, `gold-as-letter`): one spelling in a
release is none of anybody's business, two are a finding. `options-4@test.csv` counts the items of a
file that have so many options, `unlabelled@test.csv` the rows that name no gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from benchaudit.models import Finding, LeftOut

Severity = Literal["defect", "warning", "note"]
Marks = Mapping[str, LeftOut]
"""Rows by mark."""

SAMPLED = 5

_MEANINGS: dict[str, tuple[Severity, str]] = {
    "gold-duplicated": ("defect", "the gold's text stands among the options twice, so two answers are right"),
    "gold-duplicated-normalised": (
        "warning",
        "another option equals gold but for the case of letters and the white space around it",
    ),
    "duplicate-options": ("warning", "two options are equal, so there are fewer real options than it seems"),
    "duplicate-options-normalised": (
        "note",
        "two options are equal but for the case of letters and the white space around them",
    ),
    "empty-option": ("defect", "an option is empty, or white space only"),
    "gold-empty": ("defect", "gold is an empty option, so nobody can choose it"),
    "substitute-option": (
        "warning",
        "an option is what a program writes where it has no text, such as `nan` or `#NAME?`",
    ),
    "gold-nearly": (
        "warning",
        "gold of a row left out would be an option but for case, signs at its ends or characters unseen",
    ),
    "gold-trimmed": ("warning", "gold equals an option only after white space around it is removed"),
    "gold-type": ("note", "gold is a number or a truth value where the option is a text"),
    "label-prefix-partial": (
        "warning",
        "some options carry their own label in front and others do not, so their lengths do not compare",
    ),
}

_SPELLINGS: dict[str, tuple[str, Severity, str, dict[str, str]]] = {
    "cell-": (
        "mixed-list-cells",
        "note",
        "lists of options are written in more than one way",
        {
            "json": "as JSON",
            "python": "as Python literals",
            "numpy": "as numpy's print",
            "separated": "as joined texts",
        },
    ),
    "gold-as-": (
        "mixed-gold-encodings",
        "warning",
        "gold is written in more than one way",
        {
            "text": "as a text",
            "letter": "as a letter",
            "several": "as several letters or numbers in one text",
            "number": "as a number",
            "truth": "as a truth value",
            "list": "as a list",
        },
    ),
    "labels-as-": (
        "mixed-label-styles",
        "note",
        "rows label their options in more than one way",
        {"letters": "with letters", "digits": "with digits", "names": "with other names"},
    ),
}


def findings_of(marks: Marks) -> tuple[Finding, ...]:
    """The findings that the rows' marks speak of, in the order in which a report shows them."""
    return (
        *_simple(marks),
        *_trimmings(marks),
        *_option_counts(marks),
        *_label_prefixes(marks),
        *_mixtures(marks),
        *_unlabelled(marks),
    )


def _simple(marks: Marks) -> Iterator[Finding]:
    for name, (severity, message) in _MEANINGS.items():
        if name in marks:
            rows = marks[name]
            yield Finding(check=name, severity=severity, count=rows.rows, sample=rows.sample, message=message)


def _trimmings(marks: Marks) -> Iterator[Finding]:
    """What the figures would be without the white space around options, as steps from what they are."""
    for which in ("longest", "shortest"):
        steps = {
            (figure, way): marks[name]
            for figure in ("among", "alone")
            for way in ("more", "fewer")
            if (name := f"trimmed-{which}-{figure}-{way}") in marks
        }
        if not steps:
            continue
        said = "; ".join(
            f"{figure} the {which} in {rows.rows:,} rows {way}" for (figure, way), rows in steps.items()
        )
        yield Finding(
            check=f"trimmed-{which}",
            severity="warning",
            count=max(rows.rows for rows in steps.values()),
            sample=next(iter(steps.values())).sample,
            message=f"without the white space around options gold would be {said}",
        )


def _option_counts(marks: Marks) -> Iterator[Finding]:
    counts = _option_histogram(marks)
    if len(counts) < 2:
        return
    usual = max(counts, key=lambda k: (counts[k].rows, -k))
    odd = [counts[k] for k in counts if k != usual]
    said = ", ".join(f"{k} ({rows.rows:,})" for k, rows in counts.items())
    yield Finding(
        check="mixed-option-counts",
        severity="note",
        count=sum(rows.rows for rows in odd),
        sample=tuple(name for rows in odd for name in rows.sample)[:SAMPLED],
        message=f"items differ in the number of their options, and so in chance: {said}",
    )


def _option_histogram(marks: Marks) -> dict[int, LeftOut]:
    """Items by their number of options, all files together."""
    counts: dict[int, LeftOut] = {}
    for name, rows in marks.items():
        if name.startswith("options-"):
            k = int(name.removeprefix("options-").partition("@")[0])
            so_far = counts.get(k, LeftOut(rows=0, defective=False))
            counts[k] = LeftOut(
                rows=so_far.rows + rows.rows,
                defective=False,
                sample=(*so_far.sample, *rows.sample)[:SAMPLED],
            )
    return dict(sorted(counts.items()))


def _label_prefixes(marks: Marks) -> Iterator[Finding]:
    items = sum(rows.rows for rows in _option_histogram(marks).values())
    labelled = marks["label-prefix"].rows if "label-prefix" in marks else 0
    if 0 < labelled < items:
        yield Finding(
            check="mixed-label-prefixes",
            severity="note",
            count=min(labelled, items - labelled),
            message=f"options carry labels such as `A.` in {labelled:,} of {items:,} items; they are not "
            "counted as text there",
        )


def _mixtures(marks: Marks) -> Iterator[Finding]:
    for prefix, (check, severity, message, words) in _SPELLINGS.items():
        found = {
            said: marks[f"{prefix}{style}"] for style, said in words.items() if f"{prefix}{style}" in marks
        }
        if len(found) < 2:
            continue
        usual = max(found, key=lambda said: found[said].rows)
        others = [rows for said, rows in found.items() if said != usual]
        yield Finding(
            check=check,
            severity=severity,
            count=sum(rows.rows for rows in others),
            sample=tuple(name for rows in others for name in rows.sample)[:SAMPLED],
            message=f"{message}: " + ", ".join(f"{rows.rows:,} {said}" for said, rows in found.items()),
        )


def _unlabelled(marks: Marks) -> Iterator[Finding]:
    """One note for all splits without labels, one for rows that lack theirs in splits that have labels."""
    files = {name.partition("@")[2]: rows for name, rows in marks.items() if name.startswith("unlabelled@")}
    labelled = {name.partition("@")[2] for name in marks if name.startswith("options-")}
    for check, chosen, message in (
        ("unlabelled-split", files.keys() - labelled, "no item names its gold, so there are no figures"),
        ("unlabelled-rows", files.keys() & labelled, "rows that name no gold are in no figure"),
    ):
        if chosen:
            rows = [files[file] for file in sorted(chosen)]
            said = [f"{files[file].rows:,} rows in {file}" for file in sorted(chosen)]
            rest = [f"and so on in {len(said) - SAMPLED:,} more files"] if len(said) > SAMPLED else []
            yield Finding(
                check=check,
                severity="note",
                count=sum(part.rows for part in rows),
                sample=tuple(name for part in rows for name in part.sample)[:SAMPLED],
                message=f"{message}: {', '.join([*said[:SAMPLED], *rest])}",
            )
