"""The life of an issue that people close, write in, and come back to."""

from __future__ import annotations

from benchaudit.parts import closing, opening

from .quiz import fair, leaky, quiz, with_distractors
from .stage import DATA, Stage

LEAKY, FAIR = with_distractors(leaky()), with_distractors(fair())


def test_a_closed_issue_is_kept_in_silence_and_opened_by_a_new_leak(reported: Stage) -> None:
    """Whoever closed it knows of the leak of today, not of the one of tomorrow."""
    reported.issue.state = "closed"
    reported.repo.commit("Add more of the same", {DATA: with_distractors(leaky(44))})
    assert reported.run().writes == ["PATCH 1"]
    assert reported.issue.state == "closed"

    reported.repo.commit("Balance", {DATA: FAIR})
    assert reported.run().writes == ["PATCH 1"]

    short = with_distractors(quiz(["shortest"] * 40))
    reported.repo.commit("Shorten", {DATA: short})
    assert reported.run().writes == ["POST comments", "PATCH 1", "PATCH 1"]
    assert reported.issue.state == "open"
    assert len(reported.issue.comments) == 1


def test_the_last_leak_gone_closes_the_issue_where_that_is_wished(reported: Stage) -> None:
    reported.repo.commit("Balance", {DATA: FAIR})
    reported.run(**{"close-when-clean": "true"})
    assert (reported.issue.state, len(reported.issue.comments)) == ("closed", 1)

    reported.repo.commit("Revert", {DATA: LEAKY})
    reported.run(**{"close-when-clean": "true"})
    assert (reported.issue.state, len(reported.issue.comments)) == ("open", 2)


def test_what_people_write_into_the_issue_is_kept(reported: Stage) -> None:
    mine = "- [x] told the authors\n- [ ] heard from them"
    body = reported.body
    start, end = body.index(opening("notes")) + len(opening("notes")), body.index(closing("notes"))
    reported.issue.body = f"{body[:start]}\n{mine}\n{body[end:]}"

    assert reported.run().writes == []
    reported.repo.commit("Balance", {DATA: FAIR})
    reported.run()

    assert mine in reported.body
    assert "No leak found" in reported.body
