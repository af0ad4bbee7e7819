"""Gold alone has a character beyond ASCII, or alone has none

Accents, dashes and typographic marks tell the hand that wrote an option.
"""

from benchaudit.checks.form import Check

check = Check(
    name="non-ascii",
    score="strlen(option) <> length(option)",
    version=1,
    about=__doc__,
    picks="option with a character beyond ASCII",
    group="characters",
)
