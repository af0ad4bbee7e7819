"""A Hub for a workflow that tests the action: run by its steps, and gone with its job.

    python -m tests.container.stagehand serve FOLDER [HOST]    in the background
    python -m tests.container.stagehand commit FOLDER          the next version of the quiz

FOLDER/hub then holds the Hub's address. It has `team/quiz`, which leaks until the next version is
committed, and for ever on its branch `leaky` and as release `v1.0`, and `team/gated`, which nobody is let
into.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from tests.e2e.quiz import fair, leaky, with_distractors
from tests.loopback.hub import Hub, HubDataset
from tests.loopback.repos import DatasetRepo

DATA = "data/test.csv"


def serve(folder: Path, host: str) -> None:
    """Serve until the process is ended."""
    folder.mkdir(parents=True)
    quiz = DatasetRepo.create(folder / "quiz.git")
    quiz.commit("Upload", {DATA: with_distractors(leaky())})
    quiz.branch("leaky")
    quiz.tag("v1.0")
    gated = HubDataset(quiz.path, gated="manual")
    with Hub(datasets={"team/quiz": HubDataset(quiz.path), "team/gated": gated}, host=host) as hub:
        # Written under another name first: who waits for the file never reads half of it.
        (folder / "hub.part").write_text(hub.url, encoding="utf-8")
        (folder / "hub.part").rename(folder / "hub")
        signal.pause()


def commit(folder: Path) -> None:
    """Let the quiz leak no longer."""
    DatasetRepo(folder / "quiz.git").commit("Balance", {DATA: with_distractors(fair())})


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve", place, *host]:
            serve(Path(place), host[0] if host else "127.0.0.1")
        case ["commit", place]:
            commit(Path(place))
        case _:
            sys.exit(__doc__)
