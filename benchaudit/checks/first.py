"""Gold is the first option

The place of gold in the order of the release. Not applicable where gold is stored apart from the
distractors.
"""

from benchaudit.checks.form import Check

check = Check(
    name="first",
    score="place = 1",
    version=1,
    about=__doc__,
    picks="first option",
    group="position",
    needs="order",
)
