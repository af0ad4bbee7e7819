"""What others have met in the field, each for its whole kind. The inputs are those of the reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from werkzeug.wrappers import Request, Response

from benchaudit.markers import comment_marker, renamed_marker
from benchaudit.state import load
from tests.loopback.base import Fault, Loopback, status
from tests.loopback.github import ACTIONS, Issue
from tests.loopback.hub import HubDataset, rate_limited
from tests.loopback.repos import DatasetRepo, log
from tests.support import SHARED, needs_shared, shared_json

from .quiz import fair, leaky, quiz, with_distractors
from .stage import DATA, DATASET, HUB_TOKEN, PROBE, REPOSITORY, Stage

LEAKY, FAIR = with_distractors(leaky()), with_distractors(fair())
WAITS = {
    "first_page_429": 56.0,
    "no_headers_429": 4.0,
    "not_the_cause_429": 8.0,
    "retry_after_429": 7.0,
}
"""Seconds to wait after each of these replies in a row: 2 to the power of its place where it does not say."""


class Stranger(Loopback):
    """A server that nobody has any business with."""

    def respond(self, request: Request) -> Response:  # noqa: ARG002 - whoever asks gets the same
        """Nothing."""
        return Response(status=404)


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    """A stranger who counts who comes by."""
    with Stranger() as server:
        yield server
    assert server.seen == []


@needs_shared
def test_r19_a_commit_that_touches_only_the_card(stage: Stage) -> None:
    """No data, first data, other prose, other YAML: an error, a baseline, silence, a report."""
    cards = [(SHARED / "cases" / "R19" / f"README_c{number}.md").read_bytes() for number in (2, 3)]
    stage.repo.commit("initial commit", {".gitattributes": b"*.csv text\n"})
    assert stage.run().status == 3
    stage.repo.commit("Upload data", {DATA: LEAKY, "README.md": cards[0].replace(b"Card text", b"Card txet")})
    baseline = stage.run()
    sha = stage.repo.commit("Fix a typo in the card", {"README.md": cards[0]})
    silent = stage.run()
    assert (silent.outputs["changed"], stage.state.seen) == ("false", sha)
    sha = stage.repo.commit("Update README.md", {"README.md": cards[1]})
    moved = stage.run()

    assert [baseline.outputs["material"], silent.outputs["material"], moved.outputs["material"]] == [
        "false",
        "false",
        "true",
    ]
    (comment,) = stage.issue.comments
    assert comment.body.startswith(comment_marker(sha))
    assert "default/test: data/test.csv" in comment.body
    assert "default/validation: data/test.csv" in comment.body
    assert moved.data_bytes > 0


def test_r21_a_paged_list_whose_links_name_another_host(reported: Stage, stranger: Stranger) -> None:
    """Pages are asked for on the configured endpoint, only as far as needed, and the token stays there.

    Of eight commits in pages of three, three are new; the tree of each has pages too.
    """
    hub = reported.hub
    hub.page_size, hub.link_origin, hub.link_header = 3, stranger.url, "link"
    for number in range(5):
        reported.repo.commit("Add a file", {f"notes/{number}.txt": b"%d" % number})
    assert reported.run(hf_token=HUB_TOKEN).status == 0
    shas = [reported.repo.commit("Change", {"notes/0.txt": b"new"})]
    shas += [reported.repo.commit("Change", {DATA: data}) for data in (FAIR, LEAKY)]

    run = reported.run(hf_token=HUB_TOKEN)

    assert run.status == 0
    assert [seen.query for seen in run.hub if "/commits/" in seen.path] == ["", "p=1"]
    trees = [seen.path.rpartition("/")[2] for seen in run.hub if "/tree/" in seen.path]
    assert list(dict.fromkeys(trees)) == shas  # oldest first
    assert len(trees) > len(shas)
    assert [comment.body.split("\n", 1)[0] for comment in reported.issue.comments] == [
        comment_marker(sha) for sha in shas[1:]
    ]
    assert {seen.authorization for seen in run.hub} == {f"Bearer {HUB_TOKEN}"}


WAITING = """
import json
from benchaudit.errors import RateLimited
from benchaudit.hub import Hub
from benchaudit.pace import WAIT_BUDGET

slept = []
hub = Hub(sleep=slept.append)
said = ""
try:
    hub.refs("team/quiz", "")
except RateLimited as error:
    said = str(error)
print(json.dumps([slept, said, WAIT_BUDGET]))
"""
"""One question, and how long it was waited for: the clock only counts."""


@needs_shared
def test_r23_a_rate_limit_says_how_long_to_wait(stage: Stage) -> None:
    """The seconds that the reply asks for, where it does; a window that has calls left is not the cause."""
    stage.repo.commit("Upload", {DATA: FAIR})
    for name in WAITS:
        reply = shared_json("cases", "R23", f"{name}.json")
        answer = status(reply["status"], str(reply["body"]), reply["headers"])
        stage.hub.faults.append(Fault(matches=is_call, before=answer))

    slept, said, _ = stage.python(WAITING)

    assert (slept, said) == (list(WAITS.values()), "")


def test_r23_a_rate_limit_that_says_nothing_is_waited_for_within_a_budget(stage: Stage) -> None:
    """Longer each time, and not for ever."""
    stage.hub.faults.append(Fault(matches=is_call, before=status(429), times=1000))

    slept, said, budget = stage.python(WAITING)

    assert slept[:4] == [2.0, 4.0, 8.0, 16.0]
    assert sum(slept) <= budget
    assert said.startswith("team/quiz: the Hub's rate limit is used up")


def is_call(request: Request) -> bool:
    """Whether a request is the program's, not the client's own at its start."""
    return request.path != PROBE


def test_r23_whoever_gives_up_leaves_the_issue_alone_and_goes_on(reported: Stage) -> None:
    """More than the budget is asked for the data of one dataset; the other one is audited."""
    reported.repo.commit("Balance", {DATA: FAIR})
    before = reported.body
    other = DatasetRepo.create(reported.root / "other.git")
    other.commit("Upload", {DATA: FAIR})
    reported.hub.datasets["team/other"] = HubDataset(other.path)
    reported.hub.faults.append(
        Fault(
            matches=lambda request: (
                request.method == "GET" and request.path.endswith(DATA) and DATASET in request.path
            ),
            before=rate_limited(3600, "resolvers"),
        )
    )
    config = f"slices: [who]\ndatasets: [{{dataset: {DATASET}}}, {{dataset: team/other}}]\n"

    run = reported.run(dataset="", config="watch.yml", workspace={"watch.yml": config})

    assert run.status == 3
    (line,) = run.errors
    assert all(words in line for words in (DATASET, "rate limit", "hf-token"))
    assert reported.watch.issues[1].body == before
    assert [entry["dataset"] for entry in json.loads(run.outputs["results"])] == ["team/other"]


def test_r25_a_renamed_dataset_keeps_its_issue(reported: Stage) -> None:
    """Its redirects are followed everywhere: same issue, same history, and the token where it belongs."""
    new = "new-org/quiz-bench"
    reported.hub.rename(DATASET, new)
    sha = reported.repo.commit("Balance", {DATA: FAIR})

    run = reported.run(hf_token=HUB_TOKEN)

    assert (run.status, run.outputs["revision"]) == (0, sha)
    assert reported.issue.number == 1
    state = load(reported.body, new)
    assert (state.past.snapshot.revision.sha, len(state.history)) == (sha, 2)
    said = [comment.body.split("\n", 1)[0] for comment in reported.issue.comments]
    assert said == [renamed_marker(new), comment_marker(sha)]
    assert new in reported.issue.comments[0].body
    assert all("/new-org/quiz-bench" in seen.path for seen in run.hub[2:])

    for name in (DATASET, new):
        assert reported.run(dataset=name, hf_token=HUB_TOKEN).writes == []


def test_r25_a_dataset_that_is_renamed_and_nothing_else_says_so_once(reported: Stage) -> None:
    reported.hub.rename(DATASET, "new-org/quiz-bench")

    assert reported.run().writes == ["POST comments", "PATCH 1"]
    assert reported.run().writes == []


def test_r25_a_dry_run_of_a_renamed_dataset_goes_on_as_if_its_issue_had_the_new_name(
    reported: Stage,
) -> None:
    reported.hub.rename(DATASET, "new-org/quiz-bench")
    body = reported.body
    for files in ({}, {"README.md": b"# Quiz\n"}, {DATA: FAIR}):
        if files:
            reported.repo.commit("Change", files)
        run = reported.run(dry_run="true", pages="pages")
        assert (run.status, run.writes, run.errors) == (0, [], [])
        assert "would update" in run.stderr
        assert list((run.workspace / "pages").glob("new-org--quiz-bench/index.html"))
    assert reported.body == body


def test_r25_a_duplicate_that_kept_the_old_name_is_left_alone(reported: Stage) -> None:
    """It was closed when two first runs were at it at once, and says nothing ever since."""
    ours = reported.issue
    other = reported.watch.open(ours.title, ours.body, by=ACTIONS)
    reported.watch.turn(other, "closed", by=ACTIONS, reason="not_planned")
    reported.hub.rename(DATASET, "new-org/quiz-bench")

    assert reported.run().writes == ["POST comments", "PATCH 1"]
    reported.repo.commit("Shorten", {DATA: with_distractors(quiz(["shortest"] * 40))})
    assert reported.run().writes == ["POST comments", "PATCH 1"]
    assert reported.run().writes == []


def test_r25_another_dataset_under_the_old_name_is_another_dataset(reported: Stage) -> None:
    """It begins with a first report of its own."""
    reported.hub.rename(DATASET, "new-org/quiz-bench")
    reported.run()
    body = reported.body
    repo = DatasetRepo.create(reported.root / "other.git")
    repo.commit("Upload", {DATA: FAIR})
    reported.hub.datasets[DATASET] = HubDataset(repo.path)

    run = reported.run()

    assert (run.status, len(reported.watch.issues)) == (0, 2)
    assert reported.watch.issues[1].body == body
    assert "This is the first report here" in (reported.watch.issues[2].body or "")


def test_r25_a_dataset_renamed_by_case_alone_is_nothing_new(reported: Stage) -> None:
    """The Hub redirects what is spelt otherwise."""
    reported.hub.rename(DATASET, "Team/Quiz")

    run = reported.run()

    assert (run.status, run.outputs["changed"], run.writes) == (0, "false", [])


@needs_shared
def test_r35_our_issue_is_found_by_marker_and_author_on_every_page(reported: Stage) -> None:
    """Not a name that begins alike, not a person's issue with our title, and not a new one."""
    named = {"example-org/quiz": DATASET, "example-org/quiz-pro": f"{DATASET}-pro"}
    ours = reported.watch.issues.pop(1)
    found = [
        entry for page in (1, 2) for entry in shared_json("cases", "R35", f"issues_page{page}.json")["body"]
    ]
    for entry in found:
        body = entry["body"].replace("dataset=example-org/quiz", f"dataset={DATASET}")
        if "old report" in body:
            body = ours.body or ""
        reported.watch.issues[entry["number"]] = _issue(entry, body)
    for number in range(201, 330):
        reported.watch.issues[number] = _issue(
            {"number": number, "title": "Another bot's", "user": {"login": ACTIONS}, "state": "open"}, "text"
        )
    reported.repo.commit("Balance", {DATA: FAIR})
    before = {number: issue.body for number, issue in reported.watch.issues.items()}

    run = reported.run()

    assert named["example-org/quiz"] in (ours.body or "")
    assert len([seen for seen in run.github if seen.path.endswith("/issues")]) == 2  # the list has two pages
    assert run.writes == ["POST comments", "PATCH 90"]
    changed = [number for number, issue in reported.watch.issues.items() if issue.body != before.get(number)]
    assert changed == [90]
    assert reported.watch.issues[90].title == "Length leak in our quiz (was: benchaudit)"


def _issue(entry: dict[str, Any], body: str) -> Issue:
    """An issue of the report's list; high numbers are the oldest, so that ours is on the last page."""
    age = 1000 - entry["number"]
    return Issue(
        id=entry["number"],
        number=entry["number"],
        title=entry["title"],
        body=body,
        author=entry["user"]["login"],
        created_at=age,
        updated_at=age,
        state=entry["state"],
    )


@needs_shared
def test_r41_inputs_with_dashes_are_read_by_their_exact_names(stage: Stage) -> None:
    """Several lines, capitals, blanks and an empty value, as a runner hands them over."""
    given = shared_json("cases", "R41", "env.json")
    stage.hub.datasets[given["INPUT_DATASET"]] = stage.dataset
    stage.github.accounts[given["INPUT_GITHUB-TOKEN"]] = stage.account
    stage.repo.commit("Upload", {DATA: FAIR})

    run = stage.run(environment=given)

    assert (run.status, run.writes) == (0, [])
    assert "dry run: would create" in run.stderr
    assert [list(part["slice"]) for part in run.report["slices"]] == [[], ["who"], ["pref_type"]]
    assert run.report["thresholds"]["min-rows"] == 20
    assert given["INPUT_GITHUB-TOKEN"] not in run.said


@needs_shared
def test_r41_a_misspelt_input_is_named(stage: Stage) -> None:
    """An underscore where the name has a dash is not overlooked."""
    run = stage.run(environment=shared_json("cases", "R41", "env_underscore.json"))

    assert run.status == 2
    (line,) = run.errors
    assert ("'dry_run'" in line, "'dry-run'" in line) == (True, True)
    assert run.hub == run.github == ()


def called(call: str) -> Callable[[Request], bool]:
    """Requests like the one of the report, on our repository and on our issue."""
    method, path = call.split(" ")
    path = path.replace("/repos/o/r", f"/repos/{REPOSITORY}").replace("/issues/22", "/issues/1")
    return lambda request: (request.method, request.path) == (method, path)


REFUSALS = (
    "add `permissions: issues: write` to the job",
    "issues are switched off here",
    "the report issue is locked",
    "the repository cannot be seen with this token",
    "title is too long",
)
"""What is said of each reply of the field report, in its order."""


@needs_shared
@pytest.mark.parametrize("number", range(len(REFUSALS)))
def test_r43_a_report_that_is_refused_is_in_all_other_places(
    number: int, stage: Stage, first_report: Stage
) -> None:
    """Summary, outputs and file have it; the message names what is missing; nothing is asked twice."""
    refusal = shared_json("cases", "R43", "responses.json")[number]
    stage.repo.commit("Upload", {DATA: LEAKY, "README.md": b"# Quiz\n"})
    if refusal["call"].startswith("PATCH"):
        stage.take_over(first_report)
        stage.repo.commit("Shorten", {DATA: with_distractors(quiz(["shortest"] * 40))})
    matches = called(refusal["call"])
    answer = status(refusal["status"], json.dumps(refusal["body"]), {"Content-Type": "application/json"})
    fault = Fault(matches=matches, before=answer, times=9)
    stage.github.faults.append(fault)

    run = stage.run()

    assert (run.status, fault.times) == (4, 8)
    (line,) = run.errors
    assert REFUSALS[number] in line
    assert "Severe leak" in run.summary
    assert (run.outputs["verdict"], run.report["verdict"]) == ("leak", "leak")
    assert run.outputs["revision"] == stage.repo.head


class Hurried(DatasetRepo):
    """A repository whose commits are all of one second."""

    def _stamp(self) -> str:
        return "Dataset Author <author@example.invalid> 1767225600 +0000"


def test_r21_commits_of_one_second_keep_the_order_of_the_list(reported: Stage, stranger: Stranger) -> None:
    """Each is compared with the one that came before it, over pages whose links lead elsewhere."""
    hub = reported.hub
    hub.page_size, hub.link_origin = 2, stranger.url
    repo = Hurried(reported.repo.path)
    data = [FAIR, with_distractors(quiz(["shortest"] * 40)), LEAKY, FAIR]
    shas = [repo.commit("Change", {DATA: each}) for each in data]

    run = reported.run(hf_token=HUB_TOKEN)

    assert run.status == 0
    assert len({commit.date for commit in log(repo.path, repo.head, limit=4)}) == 1
    assert [entry.sha for entry in reported.state.history[-4:]] == shas
    assert [comment.body.split("\n", 1)[0] for comment in reported.issue.comments] == [
        comment_marker(sha) for sha in shas
    ]
