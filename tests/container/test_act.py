"""The workflows, really run: by act, on a Docker daemon or what speaks like one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.quiz import fair, leaky, with_distractors
from tests.e2e.stage import DATA, DATASET, REPOSITORY, ROOT, SECRETS, TOKEN, Stage

CHECKOUT = "actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd"
RUNNER = os.environ.get("BENCHAUDIT_RUNNER", "")
ACT = Path(sys.executable).with_name("act")

pytestmark = pytest.mark.skipif(
    not (ACT.exists() and RUNNER and os.environ.get("DOCKER_HOST")),
    reason="NO WORKFLOW WAS RUN: .ci/container installs act and serves an engine to it",
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What is tracked of this checkout, as it is now, in a repository of its own."""
    place = tmp_path / "checkout"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes((ROOT / name).read_bytes())
            (place / name).chmod((ROOT / name).stat().st_mode)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.invalid"]
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "Checkout"]):
        subprocess.run([*git, *command], cwd=place, check=True)
    return place


def act(checkout: Path, workflow: Path, *options: str) -> str:
    """Run a workflow by hand to its end and return the log; it must succeed."""
    command = [
        *(str(ACT), "workflow_dispatch", "--workflows", str(workflow), "--pull=false"),
        *("--platform", f"ubuntu-24.04={RUNNER}", "--platform", f"ubuntu-latest={RUNNER}"),
        *("--env", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"),
        *("--container-daemon-socket", "-", "--secret", f"GITHUB_TOKEN={TOKEN}", *options),
    ]
    home = checkout.parent / "home"
    own = {
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
    }
    done = subprocess.run(
        command,
        cwd=checkout,
        env=os.environ | own,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-6000:]
    return done.stdout


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """The servers, without runs of their own."""
    with Stage(root=tmp_path) as stage:
        yield stage
        stage.check()


def test_the_self_test_passes(checkout: Path) -> None:
    log = act(checkout, Path(".github/workflows/self-test.yml"))
    assert "Job succeeded" in log


def test_the_watch_of_the_docs_writes_the_issue(checkout: Path, stage: Stage) -> None:
    """As pasted, but for the dataset's name and the action, which is this checkout's."""
    text = (checkout / "docs" / "workflows" / "watch.yml").read_text(encoding="utf-8")
    for pasted, here in (
        ("benchaudit/benchaudit-action@v0", "./"),
        ("dataset: bowen-upenn/PersonaMem-v2", f"dataset: {DATASET}"),
        ("files: benchmark/text/benchmark.csv", f"files: {DATA}"),
        ("slices: who,pref_type", "slices: who"),
        ("    steps:\n", f"    steps:\n      - uses: {CHECKOUT}\n"),
    ):
        assert text.count(pasted) == 1, pasted
        text = text.replace(pasted, here)
    (checkout / ".github" / "workflows" / "pasted.yml").write_text(text, encoding="utf-8")
    servers = (
        *("--env", f"GITHUB_API_URL={stage.github.url}", "--env", f"HF_ENDPOINT={stage.hub.url}"),
        *("--env", f"GITHUB_REPOSITORY={REPOSITORY}", "--env", "BENCHAUDIT_PAUSE=0"),
    )

    stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
    log = act(checkout, Path(".github/workflows/pasted.yml"), *servers)
    assert not any(secret in log for secret in SECRETS)
    assert stage.state.seen == stage.repo.head
    stage.repo.commit("Balance", {DATA: with_distractors(fair())})
    act(checkout, Path(".github/workflows/pasted.yml"), *servers)
    assert len(stage.issue.comments) == 1
