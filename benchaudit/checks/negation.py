"""Gold alone has a negation, or alone has none

Words such as *not* and *never* in the languages that `benchaudit.checks.terms` lists.
"""

from benchaudit.checks.form import Check
from benchaudit.checks.lists import mentions
from benchaudit.checks.terms import NEGATION

check = Check(
    name="negation",
    score=mentions(NEGATION),
    version=1,
    about=__doc__,
    picks="option with a negation",
    group="words",
)
