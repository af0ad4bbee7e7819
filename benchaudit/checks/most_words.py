"""Gold is the option with the most words

The same as length, counted in words: letters and digits in a row, and each Chinese character.
"""

from benchaudit.checks.form import Check

check = Check(
    name="most-words",
    score="len(words[place])",
    version=1,
    about=__doc__,
    picks="option with the most words",
    group="length",
)
