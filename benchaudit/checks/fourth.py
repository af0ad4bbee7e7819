"""Gold is the fourth option

The place of gold in the order of the release. Not applicable where gold is stored apart from the
distractors.
"""

from benchaudit.checks.form import Check

check = Check(
    name="fourth",
    score="place = 4",
    version=1,
    about=__doc__,
    picks="fourth option",
    group="position",
    needs="order",
)
