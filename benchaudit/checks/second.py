"""Gold is the second option

The place of gold in the order of the release. Not applicable where gold is stored apart from the
distractors.
"""

from benchaudit.checks.form import Check

check = Check(
    name="second",
    score="place = 2",
    version=1,
    about=__doc__,
    picks="second option",
    group="position",
    needs="order",
)
