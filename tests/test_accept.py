"""Known leaks that people accept: shown, silent, and no more than what was accepted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchaudit.accept import accept, idle, read_acceptances, slice_text
from benchaudit.gate import fails, leaks
from benchaudit.history import point_of
from benchaudit.models import ALL
from benchaudit.report.sentences import accepted_lines, verdict_sentence
from benchaudit.report.tables import lines_of

from .test_compare import NOTHING, SEVERE, TOPIC, audit, comparison, kinds, side

CHECKS = ("longest", "shortest")
KNOWN = "topic=t | longest | 25 | by design"
LEAK = side([(4, 1, 100, 50)], "leak")
WORSE = side([(4, 1, 100, 51)], "leak")


def judged(here, *entries):
    """An audit of one slice besides ALL, with these entries."""
    found = audit({ALL: NOTHING, TOPIC: here})
    (check,) = found.check_versions
    listed = read_acceptances("\n".join(entries), [check])
    return replace(found, slices=accept(found.slices, listed), acceptances=listed)


def test_an_entry_is_read():
    (entry,) = read_acceptances(" who=a|b | avoid shortest | 7.5 | short | by design \n\n", CHECKS)
    assert (entry.slice, entry.check, entry.direction) == ("who=a|b", "shortest", "avoid")
    assert (entry.gain, entry.reason) == (Fraction(15, 2), "short | by design")


@pytest.mark.parametrize(
    "text",
    ["ALL", "ALL | longest | 5", "ALL | longest | 5 |", "| longest | 5 | why", "ALL | tallest | 5 | why",
     "ALL | longest | -5 | why", "ALL | longest | five | why"],
)  # fmt: skip
def test_what_is_no_entry_is_said(text):
    with pytest.raises(ValueError, match=r"slice \| check \| points of gain \| reason"):
        read_acceptances(text, CHECKS)


_name = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="|"), min_size=1)


@given(st.lists(st.tuples(_name, st.none() | _name), max_size=3))
def test_every_slice_can_be_named(pairs):
    (entry,) = read_acceptances(f"{slice_text(tuple(pairs))} | longest | 5 | why", CHECKS)
    assert entry.slice == slice_text(tuple(pairs))


@pytest.mark.parametrize(
    ("here", "entry", "verdict", "severe"),
    [
        (LEAK, KNOWN, "slight", False),
        (WORSE, KNOWN, "leak", False),
        (LEAK, KNOWN.replace("25", "24.9"), "leak", False),
        (SEVERE, KNOWN.replace("25", "40"), "slight", False),
        (SEVERE, KNOWN.replace("25", "39"), "leak", True),
        (LEAK, KNOWN.replace("longest", "avoid longest"), "leak", False),
        (LEAK, KNOWN.replace("longest", "pick longest"), "slight", False),
        (LEAK, KNOWN.replace("topic=t", "ALL"), "leak", False),
        (NOTHING, KNOWN, "none-found", False),
    ],
)
def test_a_leak_is_accepted_up_to_its_gain(here, entry, verdict, severe):
    found = judged(here, entry)
    assert (found.verdict, found.severe) == (verdict, severe)
    assert bool(leaks(found)) == fails("leak", found.verdict, severe=severe) == (verdict == "leak")


def test_what_is_accepted_is_severe_no_more():
    """Neither in the news of it, nor in what a history remembers."""
    entry = KNOWN.replace("25", "40")
    found = comparison(judged(SEVERE), judged(SEVERE, entry))
    assert [item.text for item in found.material] == ["severe leak → slight"]
    rate = point_of(found.new).rates[found.new.slices[1].key, "longest"]
    assert (rate.verdict, rate.severe) == ("slight", False)


def test_what_is_accepted_is_still_called_a_leak():
    found = judged(LEAK, KNOWN)
    assert found.slices[1].checks["longest"].verdict == "leak"
    assert accepted_lines(found) == [
        "**Accepted**: `topic` = `t`, longest: a gain of +25.0 of up to 25.0 points. by design"
    ]
    assert "No leak but 1 accepted one" in verdict_sentence(found, lines_of(found, None))


def test_an_entry_without_a_leak_is_named():
    found = judged(NOTHING, KNOWN)
    assert [entry.reason for entry in idle(found.slices, found.acceptances)] == ["by design"]
    assert accepted_lines(found) == ["Accepted, but no leak in this revision: `topic=t` longest."]


@pytest.mark.parametrize(
    ("before", "after", "news"),
    [
        (LEAK, LEAK, []),
        (NOTHING, LEAK, []),
        (side([(4, 1, 100, 41)], "leak"), LEAK, []),
        (LEAK, WORSE, ["verdict"]),
        (WORSE, LEAK, ["verdict"]),
        (LEAK, NOTHING, []),
    ],
)
def test_only_what_exceeds_is_news(before, after, news):
    found = comparison(judged(before, KNOWN), judged(after, KNOWN))
    assert [kind for kind in kinds(found) if kind == "verdict"] == news
    assert found.worse == (after is WORSE)
    if after is WORSE:
        assert [item.text for item in found.material if item.kind == "verdict"] == [
            "slight → leak, more than was accepted"
        ]
