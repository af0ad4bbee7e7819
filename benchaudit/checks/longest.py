"""Gold is the longest option

A guesser who always picks a longest option, ties at random, scores the credit. Length is counted in
Unicode code points.
"""

from benchaudit.checks.form import Check

check = Check(
    name="longest",
    score="length(option)",
    version=1,
    about=__doc__,
    picks="longest option",
    group="length",
    family="extrema",
)
