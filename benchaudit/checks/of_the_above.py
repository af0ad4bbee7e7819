"""Gold alone is "all of the above" or its like, or alone is not

"None of the above", "both A and B" and what other languages say for it count too.
"""

from benchaudit.checks.form import Check
from benchaudit.checks.lists import mentions
from benchaudit.checks.terms import OF_THE_ABOVE

check = Check(
    name="of-the-above",
    score=mentions(OF_THE_ABOVE),
    version=1,
    about=__doc__,
    picks="option referring to the others",
    group="words",
)
