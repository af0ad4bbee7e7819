"""What a user, a dataset or a platform can get wrong: one line says what, where and what to do.

Every case begins with a report issue that must be as it was at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass

import pytest

from tests.loopback.base import Fault, status
from tests.loopback.github import Account

from .quiz import fair, leaky, with_distractors, with_option_columns
from .stage import DATA, HUB_TOKEN, PROBE, REPOSITORY, TOKEN, Run, Stage

NOWHERE = "http://127.0.0.1:1"
"""An address at which nobody answers."""


def as_it_is(_: Stage) -> None:
    """Change nothing on the stage."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A run that cannot do its work: how it comes about, its exit status, and what its line must say."""

    status: int
    says: tuple[str, ...]
    arrange: Callable[[Stage], None]
    environment: Mapping[str, str]
    inputs: Mapping[str, str]


def wrong(
    status: int,
    *says: str,
    arrange: Callable[[Stage], None] = as_it_is,
    environment: Mapping[str, str] | None = None,
    **inputs: str,
) -> Case:
    """A case in one line."""
    return Case(status=status, says=says, arrange=arrange, environment=environment or {}, inputs=inputs)


def new_data(stage: Stage) -> None:
    """Something to report."""
    stage.repo.commit("Balance", {DATA: with_distractors(fair())})


def empty_data(stage: Stage) -> None:
    """A file without a byte."""
    stage.repo.commit("Upload", {DATA: b""})


def ambiguous_data(stage: Stage) -> None:
    """Golds 1 to 3 of four options: counted from 0 or from 1."""
    items = [item for item in leaky() if item.gold]
    stage.repo.commit("Upload", {DATA: None, "data/test.jsonl": with_option_columns(items)})


def disabled(stage: Stage) -> None:
    """The Hub has taken the dataset down."""
    stage.dataset.disabled = True


def gated(stage: Stage) -> None:
    """The dataset's terms are to be accepted first."""
    new_data(stage)
    stage.dataset.gated = "manual"


def withheld(stage: Stage) -> None:
    """A file that the tree lists is not to be had."""
    new_data(stage)
    gone = status(404, headers={"X-Error-Code": "EntryNotFound"})
    stage.hub.faults.append(Fault(matches=lambda request: request.path.endswith(DATA), before=gone, times=99))


def refused_elsewhere(stage: Stage) -> None:
    """The server that holds the Hub's large files lets nobody through: its address has run out."""
    new_data(stage)
    stage.dataset.lfs = frozenset({"*.csv"})
    stage.hub.cdn.faults.append(Fault(before=status(403, "<Error>Request has expired</Error>"), times=99))


def withdrawn(stage: Stage) -> None:
    """A court has a say in it."""
    gone = status(451, '{"error": "Unavailable for legal reasons"}')
    stage.hub.faults.append(Fault(matches=lambda request: request.path != PROBE, before=gone, times=99))


def failing(stage: Stage) -> None:
    """The Hub is in trouble itself."""
    new_data(stage)
    stage.hub.faults.append(Fault(matches=lambda request: "/tree/" in request.path, before=status(503)))


def read_only(stage: Stage) -> None:
    """A token that may read issues, as on a pull request from a fork."""
    new_data(stage)
    stage.github.accounts[TOKEN] = Account(kind="actions", can={REPOSITORY: {"issues": "read"}})


def issues_off(stage: Stage) -> None:
    """The repository has no issues, as a fork by default."""
    new_data(stage)
    stage.watch.has_issues = False


def locked(stage: Stage) -> None:
    """Somebody has locked the report issue."""
    new_data(stage)
    stage.issue.locked = True


def archived(stage: Stage) -> None:
    """The repository takes no writes any more."""
    new_data(stage)
    stage.watch.archived = True


def damaged(stage: Stage) -> None:
    """Somebody has edited the block that the report remembers by."""
    new_data(stage)
    stage.issue.body = stage.body.replace("benchaudit:state:v1\n", "benchaudit:state:v1\nAAAA", 1)


WORKSPACE = {
    "misspelt.yml": "slices: [who]\ndatasets:\n  - dataset: team/quiz\n    min-rows: 20\n    min_effect: 5\n",
    "broken.yml": "slices: [who\ndatasets: []\n",
    "empty.yml": "# later\n",
}

CASES: dict[str, Case] = {
    "read-only token": wrong(4, "issues: write", arrange=read_only),
    "issues off": wrong(4, "issues are switched off", "switch them on", arrange=issues_off),
    "locked issue": wrong(4, "is locked", "unlock it", arrange=locked),
    "archived repository": wrong(4, "is archived", "`repository`", arrange=archived),
    "damaged state": wrong(4, "damaged", "rebuild-state", arrange=damaged),
    "unreachable GitHub": wrong(
        4, "does not answer", "run again", arrange=new_data, environment={"GITHUB_API_URL": NOWHERE}
    ),
    "unknown GitHub token": wrong(
        4, "not accepted", "github-token", arrange=new_data, github_token="ghs_other"
    ),
    "no such repository": wrong(
        4, "cannot be seen", "`repository`", arrange=new_data, repository="team/none"
    ),
    "no token": wrong(2, "no token", "github-token", github_token=""),
    "no dataset": wrong(2, "no dataset", "owner/name", dataset=""),
    "malformed dataset": wrong(2, "a/b/c", "owner/name", dataset="a/b/c"),
    "missing dataset": wrong(3, "team/none", "hf-token", dataset="team/none"),
    "unknown Hub token": wrong(3, "team/quiz", "not accept", "hf-token", hf_token="hf_other"),
    "disabled dataset": wrong(3, "team/quiz", "disabled", arrange=disabled),
    "gated dataset": wrong(3, "team/quiz", "gated", "accept its terms", arrange=gated),
    "withheld file": wrong(
        3, "title=benchaudit::team/quiz@", f" {DATA}: lists a file", "look for it", arrange=withheld
    ),
    "file that another server refuses": wrong(
        3, f" {DATA}: 127.0.0.1:", "answered 403", "lets that host through", arrange=refused_elsewhere
    ),
    "withdrawn dataset": wrong(3, "team/quiz", "disabled", arrange=withdrawn),
    "failing Hub": wrong(3, "team/quiz@", "answered 503", "run again", arrange=failing),
    "no such branch": wrong(3, "team/quiz", "no such revision", "branch", revision="none"),
    "no such file": wrong(3, "team/quiz@", "'none.csv'", DATA, files="none.csv"),
    "empty file": wrong(3, "team/quiz@", DATA, "is empty", arrange=empty_data),
    "too much data": wrong(3, "team/quiz@", "max-bytes", arrange=new_data, max_bytes="10"),
    "unreachable Hub": wrong(3, NOWHERE, "HF_ENDPOINT", environment={"HF_ENDPOINT": NOWHERE}),
    "Hub that may not be asked": wrong(
        3, "HF_HUB_OFFLINE", "unset it", arrange=new_data, environment={"HF_HUB_OFFLINE": "1"}
    ),
    "address of a proxy that is none": wrong(
        2, "'port'", "HTTP_PROXY", environment={"HTTP_PROXY": "http://127.0.0.1:port"}
    ),
    "proxy that cannot be": wrong(
        2, "socksio", "ALL_PROXY", environment={"ALL_PROXY": "socks5://127.0.0.1:9"}
    ),
    "line break in the Hub's token": wrong(2, "input hf-token", "paste it anew", hf_token="hf_1\nhf_2"),
    "mark that nobody sees in GitHub's token": wrong(
        2, "input github-token", "paste it anew", github_token="ghs_1\u200b"
    ),
    "no address of GitHub": wrong(
        2, "GITHUB_API_URL=github", "is no address", environment={"GITHUB_API_URL": "github"}
    ),
    "address of a repository": wrong(
        2, "https://github.com/team/watch", "owner/name", repository="https://github.com/team/watch"
    ),
    "cache that cannot be written": wrong(
        3,
        *("team/quiz@", "cannot be kept", "Not a directory", "HF_HOME"),
        arrange=new_data,
        environment={"HF_HOME": "/dev/null/hf"},
    ),
    "column not found": wrong(2, "team/quiz@", DATA, "'golden'", "correct_answer", gold="golden"),
    "slice column not found": wrong(2, "team/quiz@", DATA, "'whom'", "'who'", slices="whom"),
    "ambiguous mapping": wrong(
        2, "team/quiz@", "index0", "index1", "--gold-encoding", arrange=ambiguous_data
    ),
    "unknown input": wrong(2, "'dry_run'", "'dry-run'", environment={"INPUT_DRY_RUN": "yes"}),
    "bad number": wrong(2, "input min-rows", "'many'", "whole number", min_rows="many"),
    "bad choice": wrong(2, "input fail-on", "'maybe'", "new-leak", fail_on="maybe"),
    "no config file": wrong(2, "none.yml", "no such", "actions/checkout", config="none.yml"),
    "unknown key in the config": wrong(
        2, "misspelt.yml:5", "'min_effect'", "'min-effect'", config="misspelt.yml"
    ),
    "broken YAML": wrong(2, "broken.yml:2", "YAML", config="broken.yml"),
    "empty config": wrong(2, "empty.yml", "name a dataset", config="empty.yml"),
    "no such templates": wrong(2, "none", "--templates", templates="none"),
}


def run(stage: Stage, case: Case) -> Run:
    """Bring it about and run."""
    case.arrange(stage)
    issue = deepcopy(stage.issue)
    done = stage.run(environment=case.environment, workspace=WORKSPACE, **case.inputs)
    assert (done.writes, stage.issue) == ([], issue)
    return done


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_one_line_says_what_is_wrong_and_the_issue_is_untouched(reported: Stage, case: Case) -> None:
    """The exit status says of which kind it is; the line stands once, as an annotation."""
    done = run(reported, case)

    assert done.status == case.status, done.stderr
    (line,) = done.errors
    assert [words for words in case.says if words not in line] == []
    message = line.removeprefix("::error title=benchaudit::")
    assert done.stderr.count(message) == 1
    assert (done.report is not None) == (case.status == 4)
    if case.status == 4:
        # Nothing of the audit is lost but the issue.
        assert done.outputs["verdict"] == done.report["verdict"] == "none-found"
        assert "No leak found" in done.summary


def test_a_token_in_a_message_is_masked(reported: Stage) -> None:
    """A token that was taken for something else, and is quoted in the error about that."""
    done = reported.run(hf_token=HUB_TOKEN, dataset=HUB_TOKEN, environment={"HF_TOKEN": HUB_TOKEN})

    assert (done.status, "***" in done.stderr) == (3, True)


def test_a_slip_in_a_slice_is_an_error_even_where_an_earlier_revision_is_known(stage: Stage) -> None:
    """A column that was never there is no column that is gone."""
    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    stage.repo.commit("Balance", {DATA: with_distractors(fair())})

    run = stage.run(slices="whom")

    assert (run.status, run.writes) == (2, [])
    assert "'whom'" in run.errors[0]
    assert "did you mean 'who'" in run.errors[0]
