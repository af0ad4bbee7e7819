"""Gold is the option that is gold elsewhere

The text alone tells, whatever the question: a constant "unknown", say. How often a text is gold is
learnt on one half of the rows and scored on the other, both ways; case and the white space around a text
do not count. A text that the other half does not have scores as an average one.
"""

from benchaudit.checks.form import Check

check = Check(
    name="option-prior",
    score="(golds * all_seen + all_golds) * scale // (seen + 1)",
    version=2,
    about=__doc__,
    picks="option known as gold elsewhere",
    group="prior",
    learnt="texts",
)
