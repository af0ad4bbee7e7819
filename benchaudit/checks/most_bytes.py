"""Gold is the option with the most bytes

The same as length, counted in bytes of UTF-8, as a program may that does not decode its text.
"""

from benchaudit.checks.form import Check

check = Check(
    name="most-bytes",
    score="strlen(option)",
    version=1,
    about=__doc__,
    picks="option with the most bytes",
    group="length",
)
