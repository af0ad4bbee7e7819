"""Gold is the shortest option

A guesser who always picks a shortest option, ties at random, scores the credit. Length is counted in
Unicode code points.
"""

from benchaudit.checks.form import Check

check = Check(
    name="shortest",
    score="length(option)",
    extremum="min",
    version=1,
    about=__doc__,
    picks="shortest option",
    group="length",
    family="extrema",
)
