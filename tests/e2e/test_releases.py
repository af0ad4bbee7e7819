"""Releases: one comment for each, pinned to its revision, and silent afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchaudit.markers import release_marker
from tests.loopback.base import Fault, status
from tests.loopback.github import Account, Comment, secondary_limit
from tests.loopback.hub import HubDataset
from tests.loopback.repos import DatasetRepo

from .quiz import fair, leaky, with_distractors
from .stage import DATA, DATASET, REPOSITORY, Run, Stage

LEAKY, FAIR = with_distractors(leaky()), with_distractors(fair())


def about_releases(stage: Stage) -> dict[str, Comment]:
    """The comments about releases, by the marker in their first line."""
    comments = {comment.body.split("\n", 1)[0]: comment for comment in stage.issue.comments}
    return {key: comment for key, comment in comments.items() if "benchaudit:release" in key}


def released(stage: Stage, tag: str, tmp_path: Path, action: str = "published", **inputs: str) -> Run:
    """A run that the release of this tag has started."""
    event = tmp_path / "event.json"
    event.write_text(
        json.dumps({"action": action, "release": {"tag_name": tag, "draft": False}}), encoding="utf-8"
    )
    environment = {"GITHUB_EVENT_NAME": "release", "GITHUB_EVENT_PATH": str(event)}
    return stage.run(environment=environment, **inputs)


def test_a_new_tag_of_the_dataset_is_a_release(reported: Stage) -> None:
    """Its comment is pinned to the tag's revision, which need not be the newest one."""
    old = reported.repo.head
    reported.repo.tag("v1.0", message="The first release")
    reported.repo.commit("Balance", {DATA: FAIR})

    run = reported.run()

    assert run.status == 0
    (comment,) = about_releases(reported).values()
    assert comment.body.startswith(release_marker("v1.0"))
    assert old in comment.body
    assert "Severe leak" in comment.body
    assert "No earlier release is known" in comment.body
    assert comment.pinned_at is not None
    assert run.outputs["comment-url"] in reported.body
    assert "No leak found" in reported.body
    assert reported.run().writes == []


def test_a_release_is_compared_with_the_one_before_and_pinned_in_its_place(reported: Stage) -> None:
    reported.repo.tag("v1.0")
    reported.run()
    first = about_releases(reported)[release_marker("v1.0")]
    said = first.body
    reported.repo.commit("Balance", {DATA: FAIR})
    reported.repo.tag("v1.1")

    reported.run()

    second = about_releases(reported)[release_marker("v1.1")]
    assert "**Better** since release `v1.0`" in second.body
    assert (first.pinned_at, first.body) == (None, said)
    assert second.pinned_at is not None
    assert reported.run().writes == []


def test_a_revision_that_cannot_be_audited_holds_up_no_release(reported: Stage) -> None:
    """The tag is of an earlier one; the issue goes on once the data is mended."""
    reported.repo.tag("v1.0")
    reported.repo.commit("Break", {DATA: b"nothing,that,fits\n1,2,3\n"})

    run = reported.run()

    assert (run.status, list(about_releases(reported))) == (2, [release_marker("v1.0")])
    assert reported.run().writes == []
    reported.repo.commit("Mend", {DATA: FAIR})
    assert reported.run().writes == ["POST comments", "PATCH 1"]


def test_tags_that_were_there_before_the_first_report_are_no_news(stage: Stage) -> None:
    stage.repo.commit("Upload", {DATA: LEAKY})
    stage.repo.tag("v1.0")

    assert stage.run().status == 0
    assert stage.run().writes == []
    stage.repo.commit("Balance", {DATA: FAIR})
    stage.repo.tag("v1.1")
    stage.run()

    (comment,) = about_releases(stage).values()
    assert "since release `v1.0`" in comment.body


def test_a_tag_that_was_moved_has_its_comment_written_anew(reported: Stage) -> None:
    reported.repo.tag("v1.0")
    reported.run()
    moved = reported.repo.commit("Balance", {DATA: FAIR})
    reported.repo.tag("v1.0")

    reported.run()

    (comment,) = about_releases(reported).values()
    assert moved in comment.body
    assert reported.run().writes == []


def test_a_release_of_the_repository_stands_for_the_revision_of_that_day(
    reported: Stage, tmp_path: Path
) -> None:
    """A rerun for the same tag says the same, whatever the dataset has become since."""
    then = reported.repo.head
    assert released(reported, "2026.1", tmp_path).status == 0
    said = about_releases(reported)[release_marker("2026.1")].body
    assert then in said
    reported.repo.commit("Balance", {DATA: FAIR})
    reported.run()

    again = released(reported, "2026.1", tmp_path)

    assert (again.status, again.writes) == (0, [])
    assert about_releases(reported)[release_marker("2026.1")].body == said


def test_a_release_that_was_taken_back_is_none(reported: Stage, tmp_path: Path) -> None:
    assert released(reported, "v1", tmp_path, action="deleted").writes == []


def test_a_release_can_be_named_by_hand(reported: Stage) -> None:
    assert reported.run(release="v9 & <b>").status == 0
    assert list(about_releases(reported)) == [release_marker("v9 & <b>")]
    assert reported.run(release="v9 & <b>").writes == []


def test_a_closed_issue_hears_of_a_release_only_where_somebody_asks(reported: Stage) -> None:
    reported.issue.state = "closed"
    reported.repo.tag("v1.0")
    assert reported.run().writes == ["PATCH 1"]

    assert reported.run(release="v1.0").writes == ["POST comments", "PUT pin", "PATCH 1"]
    assert reported.issue.state == "closed"


@pytest.mark.parametrize("answer", [403, 404, 422])
def test_where_nothing_can_be_pinned_the_body_has_the_link(reported: Stage, answer: int) -> None:
    """As on an enterprise server that does not know of pins."""
    reported.github.faults.append(
        Fault(matches=lambda request: request.path.endswith("/pin"), before=status(answer, "{}"))
    )
    reported.repo.tag("v1.0")

    run = reported.run()

    assert run.status == 0
    assert run.outputs["comment-url"] in reported.body
    assert "(pinned)" not in reported.body


def test_a_rate_limit_does_not_say_that_nothing_can_be_pinned(reported: Stage) -> None:
    reported.github.faults.append(
        Fault(matches=lambda request: request.path.endswith("/pin"), before=secondary_limit())
    )
    reported.repo.tag("v1.0")

    assert reported.run().status == 4
    assert reported.run().writes == ["PUT pin", "PATCH 1"]


def test_pins_that_cannot_be_asked_for_are_made_good_by_the_next_run(reported: Stage) -> None:
    """The comment is there by then, and is not repeated."""
    reported.github.faults.append(
        Fault(
            matches=lambda request: request.method == "GET" and "/issues/comments/" in request.path,
            before=status(502, "<html>"),
            times=99,
        )
    )
    reported.repo.tag("v1.0")

    run = reported.run()

    assert (run.status, run.writes) == (4, ["POST comments"])
    assert ["answered 502" in error for error in run.errors] == [True]
    reported.github.faults.clear()
    assert reported.run().writes == ["PUT pin", "PATCH 1"]


def test_release_notes_get_a_section_and_a_file_once(reported: Stage, tmp_path: Path) -> None:
    """What people wrote there stays."""
    reported.github.accounts[next(iter(reported.github.accounts))] = Account(
        kind="actions", can={REPOSITORY: {"issues": "write", "contents": "write"}}
    )
    release = reported.watch.release("v1", body="Better options.")

    assert released(reported, "v1", tmp_path, annotate_release="true").status == 0

    assert release.body.startswith("Better options.")
    assert "Severe leak" in release.body
    (asset,) = release.assets
    assert asset.name == "benchaudit-report.json"
    assert json.loads(asset.content)["verdict"] == "leak"
    assert released(reported, "v1", tmp_path, annotate_release="true").writes == []


def test_release_notes_of_many_datasets_have_a_section_and_a_file_of_each(
    reported: Stage, tmp_path: Path
) -> None:
    """Whichever comes last, and none twice."""
    reported.github.accounts[next(iter(reported.github.accounts))] = Account(
        kind="actions", can={REPOSITORY: {"issues": "write", "contents": "write"}}
    )
    release = reported.watch.release("v1", body="Better options.")
    names = [DATASET, "team/one", "team/two"]
    for name in names[1:]:
        repo = DatasetRepo.create(reported.root / f"{name[-3:]}.git")
        repo.commit("Upload", {DATA: with_distractors(fair())})
        reported.hub.datasets[name] = HubDataset(repo.path)
    config = "slices: who\ndatasets:\n" + "".join(f"- dataset: {name}\n" for name in names)

    for _ in range(2):
        run = reported.run(
            dataset="",
            slices="",
            release="v1",
            annotate_release="true",
            config="all.yml",
            workspace={"all.yml": config},
        )
        assert (run.status, run.errors) == (0, [])
        assert release.body.startswith("Better options.")
        assert [release.body.count(f"of `{name}`.") for name in names] == [1, 1, 1]
        assert {asset.name for asset in release.assets} == {
            f"benchaudit-report-{name.replace('/', '--')}.json" for name in names
        }


def test_files_that_cannot_be_listed_are_asked_for_again(reported: Stage, tmp_path: Path) -> None:
    reported.github.accounts[next(iter(reported.github.accounts))] = Account(
        kind="actions", can={REPOSITORY: {"issues": "write", "contents": "write"}}
    )
    release = reported.watch.release("v1")
    reported.github.faults.append(
        Fault(
            matches=lambda request: (request.method, request.path[-7:]) == ("GET", "/assets"),
            before=status(502, "<html>"),
        )
    )

    assert released(reported, "v1", tmp_path, annotate_release="true").status == 0
    assert len(release.assets) == 1


def test_an_immutable_release_takes_the_section_only(reported: Stage, tmp_path: Path) -> None:
    reported.github.accounts[next(iter(reported.github.accounts))] = Account(
        kind="actions", can={REPOSITORY: {"issues": "write", "contents": "write"}}
    )
    release = reported.watch.release("v1", immutable=True)

    assert released(reported, "v1", tmp_path, annotate_release="true").status == 0
    assert "Severe leak" in release.body
    assert release.assets == []


def test_a_token_that_may_not_write_releases_is_said(reported: Stage, tmp_path: Path) -> None:
    """The comment is there all the same, and found again by the next run."""
    reported.watch.release("v1")

    run = released(reported, "v1", tmp_path, annotate_release="true")

    assert run.status == 4
    assert len(about_releases(reported)) == 1
    assert released(reported, "v1", tmp_path).writes == ["PATCH 1"]
