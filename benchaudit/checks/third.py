"""Gold is the third option

The place of gold in the order of the release. Not applicable where gold is stored apart from the
distractors.
"""

from benchaudit.checks.form import Check

check = Check(
    name="third",
    score="place = 3",
    version=1,
    about=__doc__,
    picks="third option",
    group="position",
    needs="order",
)
