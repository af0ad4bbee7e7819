"""Stages that tests begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .quiz import leaky, with_distractors
from .stage import DATA, Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """An empty stage."""
    with Stage(root=tmp_path) as stage:
        yield stage
        stage.check()


@pytest.fixture(scope="session")
def first_report(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A stage, closed by now, on which a leaking dataset of one commit has had its first report."""
    with Stage(root=tmp_path_factory.mktemp("first-report")) as stage:
        _publish(stage)
        assert stage.run().status == 0
        stage.check()
    return stage


@pytest.fixture
def reported(stage: Stage, first_report: Stage) -> Stage:
    """A stage with a leaking dataset of one commit, and its first report."""
    _publish(stage)
    stage.take_over(first_report)
    return stage


def _publish(stage: Stage) -> None:
    stage.repo.commit("Upload", {DATA: with_distractors(leaky()), "README.md": b"# Quiz\n"})
