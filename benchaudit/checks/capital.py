"""Gold alone starts with a capital letter, or alone does not

The first letter counts, whatever stands before it.
"""

from benchaudit.checks.form import Check

check = Check(
    name="capital",
    score=r"regexp_matches(option, '^\P{L}*\p{Lu}')",
    version=1,
    about=__doc__,
    picks="option with a capital first",
    group="capitals",
)
