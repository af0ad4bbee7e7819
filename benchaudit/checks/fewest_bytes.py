"""Gold is the option with the fewest bytes

The same as length, counted in bytes of UTF-8, as a program may that does not decode its text.
"""

from benchaudit.checks.form import Check

check = Check(
    name="fewest-bytes",
    score="strlen(option)",
    extremum="min",
    version=1,
    about=__doc__,
    picks="option with the fewest bytes",
    group="length",
)
