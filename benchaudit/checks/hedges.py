"""Gold alone has a hedge, or alone has none

Words such as *usually* and *may*: writers of tests put them into what must be true.
"""

from benchaudit.checks.form import Check
from benchaudit.checks.lists import mentions
from benchaudit.checks.terms import HEDGES

check = Check(
    name="hedges",
    score=mentions(HEDGES),
    version=1,
    about=__doc__,
    picks="option with a hedge",
    group="words",
)
