"""Further checks on their way through comparison, report, state and settings: loud where they must be."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchaudit.brief import remembered
from benchaudit.checks import GROUPS, all_checks, group_of, is_further
from benchaudit.compare import Comparison
from benchaudit.gate import leaks
from benchaudit.markdown import tables
from benchaudit.models import Snapshot
from benchaudit.past import past_of
from benchaudit.report.issue import build
from benchaudit.report.nouns import Links, Occasion, Report
from benchaudit.report.sentences import evidence_list, further_sentence
from benchaudit.report.tables import lines_of
from benchaudit.report.templates import Templates
from benchaudit.state import dump, load
from benchaudit.verdict import Audit
from tests.support import SHARED, audit_path, needs_shared
from tests.test_compare import compare_folders
from tests.test_tells import PLANTS, item

Records = list[dict[str, object]]


def records(tells: Sequence[str], n: int = 120, seed: int = 1) -> Records:
    """A slice of items for each tell; "none" has none."""
    rng = random.Random(seed)
    rows = [
        item(rng, PLANTS[tell] if tell != "none" else PLANTS["longest"], float(tell != "none"), tell)
        for tell in tells
        for _ in range(n)
    ]
    return [
        {
            "question": row.question,
            "options": row.options,
            "answer": "ABCD"[row.gold or 0],
            "topic": row.topic,
        }
        for row in rows
    ]


def as_lines(rows: Records) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def audit(folder: Path, rows: Records, **given: str) -> Audit:
    path = folder / "data.jsonl"
    path.write_bytes(as_lines(rows))
    return audit_path(path, gold_encoding="letter", slices="topic", **given)


def report(found: Audit, comparison: Comparison | None = None) -> Report:
    snapshot = Snapshot(revision=found.origin.revision, blobs=found.origin.blobs)
    occasion = Occasion(
        snapshot=snapshot,
        seen=snapshot.revision.sha,
        settings="0" * 12,
        links=Links(),
        slicings=(("topic",),),
    )
    return build(found, comparison, occasion, Templates())


def changed(folder: Path, old: Records, new: Records) -> Comparison:
    names = {"gold_encoding": "letter", "slices": "topic"}
    return compare_folders(folder, {"data.jsonl": as_lines(old)}, {"data.jsonl": as_lines(new)}, **names)[0]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory) -> Audit:
    """Slices with a tell of each of several groups, and one without."""
    tells = ("longest", "leading-space", "capital", "last", "none")
    return audit(tmp_path_factory.mktemp("mixed"), records(tells))


# --- shown ---


def test_a_slice_has_a_row_for_longest_and_shortest_and_one_for_each_further_group(mixed):
    lines = lines_of(mixed, None)
    shown = Counter((line.key, line.check) for line in lines if not is_further(line.check))
    assert shown == Counter((part.key, check) for part in mixed.slices for check in ("longest", "shortest"))
    further = [line for line in lines if is_further(line.check)]
    assert all(line.judged.verdict in {"leak", "incomplete"} for line in further)
    assert max(Counter((line.key, group_of(line.check)) for line in further).values()) == 1


def test_what_longest_or_shortest_say_as_loudly_is_not_said_again(mixed):
    """Words and bytes leak in the slice of long golds too, and no row tells of them."""
    (part,) = [part for part in mixed.slices if part.key == (("topic", "longest"),)]
    assert part.checks["most-bytes"].verdict == "leak"
    groups = {group_of(line.check) for line in lines_of(mixed, None) if line.key == part.key}
    assert groups == {"length"}
    assert not any(
        is_further(line.check) and group_of(line.check) == "length" and line.key == part.key
        for line in lines_of(mixed, None)
    )


def test_the_report_names_what_gives_gold_away(mixed):
    body = report(mixed).body
    (head,) = re.findall(r"^\*\*Severe leak\.\*\*.*$", body, re.MULTILINE)
    for group in ("length", "position", "white-space", "capitals"):
        assert GROUPS[group] in head
    assert re.search(r"^Of 31 further checks \d+ see a leak", body, re.MULTILINE)
    shown = {row[2] for table in tables(body) for row in table if table[0][0] == "Slice"}
    assert {"longest", "shortest", "leading-space", "capital"} <= shown


def test_the_evidence_names_a_slice_once_for_all_further_checks(mixed):
    named = re.findall(r"^- (.*?): (?:gold is|in )", evidence_list(lines_of(mixed, None)), re.MULTILINE)
    assert len(named) == len(set(named)) == 4


def test_where_nothing_leaks_one_line_says_so(tmp_path):
    found = audit(tmp_path, records(["none"]))
    assert found.verdict == "none-found"
    assert "31 further checks found no leak in any slice" in report(found).body
    assert {
        row[2] for table in tables(report(found).body) for row in table[1:] if table[0][0] == "Slice"
    } == {
        "longest",
        "shortest",
    }


def test_too_few_rows_are_not_called_clean(tmp_path):
    assert further_sentence(audit(tmp_path, records(["none"], n=19))) == ""


def test_what_is_not_applicable_is_named(tmp_path):
    rows = [{"question": str(n), "gold": f"g{n}", "wrong": [f"w{n}", f"v{n}"]} for n in range(30)]
    path = tmp_path / "data.jsonl"
    path.write_bytes(as_lines(rows))
    found = audit_path(path, gold="gold", distractors="wrong")
    assert "Not applicable here: first, second, third, fourth, last." in further_sentence(found)
    assert {found.all.checks[name].verdict for name in ("first", "last")} == {"not-applicable"}


# --- compared ---


def test_a_tell_that_appears_and_goes_is_one_piece_of_news(tmp_path):
    clean = records(["none"] * 1)
    spoilt = [
        row | {"options": [" " + text if place == "ABCD".index(row["answer"]) else text
                           for place, text in enumerate(row["options"])]}
        for row in clean
    ]  # fmt: skip
    worse, better = (
        changed(tmp_path / name, old, new) for name, old, new in (("a", clean, spoilt), ("b", spoilt, clean))
    )
    for found, text in ((worse, "none-found → severe leak"), (better, "severe leak → none-found")):
        news = [(item.check, item.text) for item in found.material if item.kind == "verdict"]
        assert news == [("leading-space", text)] * 2
        change = next(item for item in found.changes if item.check == "leading-space")
        assert sum(change.steps.values()) == change.moved != 0
    assert (worse.worse, better.cleared) == (True, True)


def test_several_checks_of_a_group_are_one_piece_of_news(tmp_path):
    """Gold that is longest has most words and bytes as well."""
    found = changed(tmp_path, records(["none"]), [
        row | {"topic": "none"} for row in records(["longest"])
    ])  # fmt: skip
    assert {news.check for news in found.material if news.key == (("topic", "none"),)} == {
        "longest",
        "shortest",
    }


def test_what_is_quiet_before_and_after_is_not_compared(tmp_path):
    found = changed(tmp_path, records(["none"]), records(["none"], seed=2))
    assert {change.check for change in found.changes} == {"longest", "shortest"}
    assert not [news for news in found.material if news.check]


# --- remembered ---


def test_the_state_holds_every_verdict_and_the_figures_of_leaks(mixed):
    state = report(mixed).state
    known = load(f"{report(mixed).body}", mixed.origin.dataset).past
    assert known == state.past == remembered(past_of(mixed, known.snapshot))
    for part in mixed.slices:
        for name, judged in part.checks.items():
            past = known.checks[part.key, name]
            assert past.verdict == judged.verdict
            if not is_further(name) or judged.verdict == "leak":
                assert (past.tally, past.severe) == (judged.tally, judged.severe)


def test_further_checks_take_little_of_the_state(tmp_path):
    """Of a hundred slices without a leak, less than longest and shortest take."""
    rows = [row | {"topic": str(n)} for n in range(100) for row in records(["none"], n=20, seed=n)]
    found = report(audit(tmp_path, rows))
    brief = len(dump(found.state))
    few = {place: past for place, past in found.state.past.checks.items() if not is_further(place[1])}

    alone = len(dump(replace(found.state, past=replace(found.state.past, checks=few))))
    assert load(found.body, "data.jsonl").past.complete
    assert brief < 2 * alone


def test_a_state_from_before_further_checks_is_read(mixed):
    """It knows of longest and shortest only, and its versions say that they were the only ones."""
    state = report(mixed).state

    few = {place: past for place, past in state.past.checks.items() if not is_further(place[1])}
    body = report(mixed).body
    old = replace(state, past=replace(state.past, checks=few))
    head = body.split("\n", 1)[0]
    assert load(f"{head}\n{dump(old)}\n", mixed.origin.dataset).past.checks == few


# --- accepted ---


def test_who_accepts_a_length_leak_accepts_it_in_words_and_bytes(tmp_path):
    places = [(where, check) for where in ("ALL", "topic=longest") for check in ("longest", "shortest")]
    entries = "\n".join(f"{where} | {check} | 80 | by design" for where, check in places)
    found = audit(tmp_path, records(["longest"]), accept=entries)
    assert found.all.checks["most-bytes"].verdict == "leak"
    assert leaks(found) == set()
    assert leaks(audit(tmp_path, records(["leading-space"]), accept=entries)) != set()


def test_every_check_can_be_accepted(tmp_path):
    entries = "\n".join(f"{where} | last | 80 | so sorted" for where in ("ALL", "topic=last"))
    found = audit(tmp_path, records(["last"]), accept=entries)
    accepted = {name for name, judged in found.all.checks.items() if judged.accepted}
    assert accepted == {"last"}
    assert {name for _, name in leaks(found)} <= {
        check.name for check in all_checks() if check.group == "position"
    }


# --- the leak that MMLU-Pro carried until January 2026 ---


@needs_shared
def test_white_space_before_gold_is_found_and_named_and_goes_when_trimmed(tmp_path):
    """Planted in CommonsenseQA rows: options are as long without it, and the text is the same."""
    source = SHARED / "data" / "commonsenseqa" / "2824685" / "dev_rand_split.jsonl"
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    found = {}
    for name, space in (("raw", " "), ("trimmed", "")):
        for row in rows:
            for choice in row["question"]["choices"]:
                gold = choice["label"] == row["answerKey"]
                choice["text"] = (space if gold else "") + choice["text"].strip()
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(as_lines(rows))
        found[name] = audit_path(path)
    raw, trimmed = found["raw"].all.checks, found["trimmed"].all.checks
    assert (raw["leading-space"].verdict, raw["leading-space"].severe) == ("leak", True)
    assert trimmed["leading-space"].verdict == "none-found"
    assert raw["longest-trimmed"].tally == trimmed["longest"].tally
    named = [line for line in report(found["raw"]).body.splitlines() if line.startswith("- **ALL**")]
    assert named[0].replace("\N{NO-BREAK SPACE}", " ") == (
        "- **ALL**: gold is among the options with white space in front in 1,221 of 1,221 items; picking the "
        "option with white space in front scores 100.0 %, chance is 20.0 %; odds of that by luck: 1 in "
        "10^853. Where options are stripped it is gone."
    )
    assert found["raw"].baseline.pooled.right == found["raw"].all.n
