"""Field reports R03 to R15: items that are not what they seem.

The inputs are those of the shared case folders; what is held against them is what each report says
a correct tool must do, with the mapping detected.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchaudit.models import Finding
from benchaudit.verdict import Audit
from tests.support import SHARED, audit_path, needs_shared, shared_json

pytestmark = needs_shared


def case(name: str, file: str, **given: str) -> Audit:
    """The audit of a file of a case."""
    return audit_path(SHARED / "cases" / name / file, **given)


def expected(name: str) -> Any:
    return shared_json("cases", name, "expect.json")


def finding(audit: Audit, check: str) -> Finding:
    """The one finding of a kind."""
    (found,) = [item for item in audit.findings if item.check == check]
    return found


def checks(audit: Audit) -> set[str]:
    return {item.check for item in audit.findings}


def option_counts(audit: Audit) -> dict[str, int]:
    counts: dict[str, int] = {}
    for k, _, items, _ in audit.all.checks["longest"].tally.cells:
        counts[str(k)] = counts.get(str(k), 0) + items
    return counts


def test_r03_a_repeated_gold_a_repeated_distractor_and_a_near_repeat_are_three_findings():
    audit, wanted = case("R03", "test.jsonl"), expected("R03")
    assert audit.all.n == 4
    assert list(finding(audit, "duplicate-options").sample) == wanted["exact_duplicate_option_rows"]
    assert list(finding(audit, "gold-duplicated").sample) == wanted["of_which_gold_duplicated"]
    near = finding(audit, "duplicate-options-normalised")
    assert list(near.sample) == wanted["duplicate_only_after_trim_and_casefold"]
    assert "gold-duplicated-normalised" not in checks(audit)


def test_r05_golds_that_are_no_option_or_one_only_after_a_second_look():
    audit, wanted = case("R05", "validation.jsonl"), expected("R05")["validation"]
    assert {reason: list(left.sample) for reason, left in audit.left_out.items()} == {
        "gold-not-in-options": wanted["gold_not_in_options"]
    }
    assert list(finding(audit, "gold-trimmed").sample) == wanted["gold_matches_only_after_trim"]
    assert list(finding(audit, "gold-type").sample) == wanted["gold_type_differs_from_option_type"]
    assert list(finding(audit, "gold-duplicated").sample) == wanted["gold_text_at_two_positions"]
    # The report's histogram counts the row without a gold, which is no item.
    assert option_counts(audit) == {**wanted["option_counts"], "4": wanted["option_counts"]["4"] - 1}


def test_r05_a_split_without_labels_is_one_note_and_has_no_figures():
    audit = case("R05", "test.jsonl")
    assert (audit.rows, audit.all.n) == (3, 0)
    assert {reason: left.rows for reason, left in audit.left_out.items()} == {"unlabelled": 3}
    assert checks(audit) == {"unlabelled-split"}
    assert finding(audit, "unlabelled-split").severity == "note"
    assert audit.verdict == "too-few"


def test_r07_a_letter_outside_the_options_and_a_mixture_of_option_counts():
    audit, wanted = case("R07", "items.json"), expected("R07")
    assert {reason: list(left.sample) for reason, left in audit.left_out.items()} == {
        "gold-out-of-range": wanted["gold_letter_outside_options"]
    }
    assert audit.all.n == len(wanted["valid"])
    assert str(audit.all.checks["longest"].tally.chance) == "69/140"
    assert option_counts(audit) == {"4": 1, "7": 1, "10": 1}
    assert "4 (1), 7 (1), 10 (1)" in finding(audit, "mixed-option-counts").message
    assert dict(audit.all.gold_position) == {1: 1, 3: 1, 9: 1}


def test_r09_a_key_is_read_through_the_labels_of_its_row():
    audit, wanted = case("R09", "test.jsonl"), expected("R09")
    places = [place for place in wanted["gold_index"].values() if place is not None]
    assert dict(audit.all.gold_position) == {place: places.count(place) for place in sorted(set(places))}
    assert {reason: list(left.sample) for reason, left in audit.left_out.items()} == {
        "gold-not-in-options": wanted["gold_not_among_row_labels"]
    }
    styles = wanted["label_styles"]
    assert f"{styles['letters']} with letters, {styles['digits']} with digits" in (
        finding(audit, "mixed-label-styles").message
    )


def test_r11_three_spellings_of_several_golds_are_one_finding():
    audit, wanted = case("R11", "items.jsonl"), expected("R11")
    assert {reason: list(left.sample) for reason, left in audit.left_out.items()} == {
        "several-golds": wanted["multi"],
        "gold-malformed": wanted["malformed"],
        "no-options": wanted["not_multiple_choice"],
    }
    assert audit.all.n == len(wanted["single"])
    assert dict(audit.all.gold_position) == {1: 1, 2: 1}
    mixed = finding(audit, "mixed-gold-encodings")
    assert mixed.message.endswith("1 as a letter, 2 as several letters or numbers in one text, 2 as a list")


@pytest.mark.parametrize("separator", ["", "|"], ids=["unasked", "with a separator"])
def test_r13_numpy_lists_are_read_on_purpose_and_never_as_one_option(separator):
    audit = case("R13", "test.csv", **({"option_separator": separator} if separator else {}))
    unreadable = audit.left_out.get("unreadable-options")
    assert (list(unreadable.sample) if unreadable else []) == ([] if separator else ["n6"])
    counts = {"3": 1, "4": 5 if separator else 4}
    assert option_counts(audit) == counts
    assert "numpy's print" in finding(audit, "mixed-list-cells").message


def test_r15_the_places_of_golds_are_counted_per_slice():
    audit, wanted = case("R15", "quiz.jsonl", slices="phase"), expected("R15")["quiz.jsonl"]
    places = {
        ",".join(f"{name}={value}" for name, value in part.key) or "all": {
            str(place): items for place, items in part.gold_position.items()
        }
        for part in audit.slices
    }
    assert places == wanted


def test_r15_gold_that_stands_apart_has_no_place():
    audit = case("R15", "split_columns.csv")
    assert audit.mapping.gold_apart
    assert audit.all.n == 4


@pytest.mark.parametrize("separator", ["", ","], ids=["unasked", "split at commas"])
def test_an_option_with_commas_never_becomes_several_in_silence(tmp_path: Path, separator):
    """Split at commas, the options of the second row are eleven, and that is said."""
    path = tmp_path / "test.csv"
    path.write_text(
        "question,options,answer\n"
        'a?,"red, green, blue, grey",A\n'
        'b?,"earth, wind, & fire, dearth, wind, & fire, mirth, wind, & fire, berth, none",A\n'
        'c?,"one, two, three, four",B\n',
        encoding="utf-8",
    )
    if not separator:
        with pytest.raises(Exception, match="set --"):
            audit_path(path)
        return
    audit = audit_path(path, option_separator=separator)
    assert "4 (2), 11 (1)" in finding(audit, "mixed-option-counts").message


def test_golds_that_match_only_after_trimming_are_never_counted_in_silence(tmp_path: Path):
    path = tmp_path / "test.csv"
    rows = "".join(f'{n}?,"[""red{n}"", ""blue""]",red{n}{" " * (n % 2)}\n' for n in range(20))
    path.write_text(f"question,options,answer\n{rows}", encoding="utf-8")
    audit = audit_path(path)
    assert audit.all.n == 20
    assert finding(audit, "gold-trimmed").count == 10


@needs_shared
def test_r01_length_gives_gold_away_in_one_slice_and_not_in_the_other():
    """Extremes alone and tied are counted apart, and an empty cell is a slice of its own."""
    meant = shared_json("cases", "R01", "expect.json")
    audit = audit_path(SHARED / "cases" / "R01" / "benchmark.csv", slices="who")
    found = {
        "=".join(["who", part.key[0][1] or "(empty)"]) if part.key else "all": {
            "n": part.n,
            "longest": part.checks["longest"].tally.among,
            "unique_longest": part.checks["longest"].tally.unique,
            "shortest": part.checks["shortest"].tally.among,
            "unique_shortest": part.checks["shortest"].tally.unique,
        }
        for part in audit.slices
    }
    assert found == {name: meant[name] for name in found}
    assert len(found) == 4
    assert audit.mapping.gold_apart
