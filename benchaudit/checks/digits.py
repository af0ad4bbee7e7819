"""Gold alone has a digit, or alone has none

Where only the true answer was given to the number, or only the false ones were.
"""

from benchaudit.checks.form import Check

check = Check(
    name="digits",
    score=r"regexp_matches(option, '\p{Nd}')",
    version=1,
    about=__doc__,
    picks="option with a digit",
    group="digits",
)
