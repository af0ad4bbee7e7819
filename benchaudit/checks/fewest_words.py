"""Gold is the option with the fewest words

The same as length, counted in words: letters and digits in a row, and each Chinese character.
"""

from benchaudit.checks.form import Check

check = Check(
    name="fewest-words",
    score="len(words[place])",
    extremum="min",
    version=1,
    about=__doc__,
    picks="option with the fewest words",
    group="length",
)
