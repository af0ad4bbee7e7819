"""Gold alone has an absolute term, or alone has none

Words such as *always*, *all* and *only*: writers of tests put them into what is false.
"""

from benchaudit.checks.form import Check
from benchaudit.checks.lists import mentions
from benchaudit.checks.terms import ABSOLUTES

check = Check(
    name="absolutes",
    score=mentions(ABSOLUTES),
    version=1,
    about=__doc__,
    picks="option with an absolute term",
    group="words",
)
