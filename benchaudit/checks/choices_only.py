"""Gold is the option that a model guesses from the options alone

A linear model of the words and letter sequences in an option learns on one half of the rows which option is
gold, and is scored on the other, both ways. It never sees a question. Only run with the setting *probe*.
"""

from benchaudit.checks.form import Check

check = Check(
    name="choices-only",
    score="guess",
    version=1,
    about=__doc__,
    picks="option that the model takes for gold",
    group="probe",
    learnt="model",
)
