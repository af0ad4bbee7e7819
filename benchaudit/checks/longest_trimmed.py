"""Gold is the longest option, white space around it left aside

What the length would give away if options were stripped. A leak of *longest* that is none here is made
of white space alone.
"""

from benchaudit.checks.form import Check

check = Check(
    name="longest-trimmed",
    score="length(stripped[place])",
    version=1,
    about=__doc__,
    picks="longest option but for white space around it",
    group="length",
)
