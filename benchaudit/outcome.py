"""What came of one run for one dataset: what was found, and what became of the report about it."""

from __future__ import annotations

from dataclasses import dataclass

from benchaudit.chronicle import Last
from benchaudit.compare import Comparison
from benchaudit.errors import TrackerError
from benchaudit.history import History
from benchaudit.past import PastAudit
from benchaudit.plan import Thread
from benchaudit.report.nouns import Report
from benchaudit.standing import Standing
from benchaudit.state import State, load
from benchaudit.verdict import Audit


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one run found for one dataset. `audit` is None where nothing was new.

    `failure` says why a report that was made could not be delivered, `trouble` what could not be upstream,
    which stops nothing here, `remark` what was left out of what was delivered; `began` is the revision that
    all new ones follow, or itself where its data is no news, and `comparison` has the one just before the
    last. `last` is of use as long as the run's workspace is there, `page` after it.
    """

    dataset: str
    revision: str
    previous: str = ""
    changed: bool = False
    material: bool = False
    verdict: str = ""
    severe: bool = False
    baseline: str = ""
    audit: Audit | None = None
    comparison: Comparison | None = None
    began: PastAudit | None = None
    report: Report | None = None
    thread: Thread | None = None
    comment_url: str = ""
    failure: TrackerError | None = None
    trouble: TrackerError | None = None
    remark: str = ""
    last: Last | None = None
    page: tuple[History, str] | None = None

    @property
    def state(self) -> State | None:
        """What is remembered after the run; None where nothing is."""
        if self.report is not None:
            return self.report.state
        return load(self.thread.body, self.dataset) if self.thread else None


def nothing_new(state: State, known: Standing) -> Outcome:
    """What a run found that found nothing new: all of it is remembered."""
    last = state.history[-1] if state.history else None
    return Outcome(
        dataset=state.dataset,
        revision=state.past.snapshot.revision.sha,
        previous=state.history[-2].sha if len(state.history) > 1 else "",
        verdict=last.verdict if last else "",
        severe=last.severe if last else False,
        baseline=last.baseline if last else "",
        thread=known.thread,
        failure=known.failure,
    )
