"""Gold is the last option

The place of gold in the order of the release. Not applicable where gold is stored apart from the
distractors.
"""

from benchaudit.checks.form import Check

check = Check(
    name="last",
    score="place = len(options)",
    version=1,
    about=__doc__,
    picks="last option",
    group="position",
    needs="order",
)
