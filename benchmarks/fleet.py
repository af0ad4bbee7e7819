"""What a dataset costs a run in which nothing is new: CPU for each of a thousand, and where it goes.

Runs the action as a process against the loopback servers of the tests, for one dataset and for many;
the difference, divided, is the cost of one more. Usage: python benchmarks/fleet.py [DATASETS]
"""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchaudit.state import replaced
from tests.e2e.quiz import leaky, with_distractors
from tests.e2e.stage import DATA, Stage


def cpu() -> float:
    """CPU seconds of all processes that have been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def look(stage: Stage, names: list[str]) -> tuple[float, float]:
    """CPU and wall seconds of a run over these datasets, in all of which nothing is new."""
    config = "slices: [who]\ndatasets:\n" + "".join(f"- dataset: {name}\n" for name in names)
    began, before = time.perf_counter(), cpu()
    run = stage.run(dataset="", config="all.yml", workspace={"all.yml": config})
    assert (run.status, run.writes) == (0, []), run.stderr
    assert len(run.hub) == len(names)
    return cpu() - before, time.perf_counter() - began


def main(datasets: int) -> None:
    """Print the table."""
    names = [f"team/quiz-{number:04d}" for number in range(datasets)]
    with TemporaryDirectory() as folder, Stage(root=Path(folder)) as stage:
        stage.repo.commit("Upload", {DATA: with_distractors(leaky())})
        stage.run()
        body, state = stage.body, stage.state
        for name in names:
            stage.hub.datasets[name] = stage.dataset
            text = replaced(body, replace(state, dataset=name))
            stage.watch.open(f"benchaudit: {name}", text, by="github-actions[bot]")
        one = min(look(stage, names[:1]) for _ in range(3))
        many = min(look(stage, names) for _ in range(3))
    each = (many[0] - one[0]) / (datasets - 1) * 1000
    print("| Unchanged datasets | CPU, s | wall, s | CPU for one more, ms |")
    print("| ---: | ---: | ---: | ---: |")
    print(f"| 1 | {one[0]:.2f} | {one[1]:.2f} | |")
    print(f"| {datasets:,} | {many[0]:.2f} | {many[1]:.2f} | {each:.1f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
