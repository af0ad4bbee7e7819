"""Gold is the shortest option, white space around it left aside

What the length would give away if options were stripped. A leak of *shortest* that is none here is made
of white space alone.
"""

from benchaudit.checks.form import Check

check = Check(
    name="shortest-trimmed",
    score="length(stripped[place])",
    extremum="min",
    version=1,
    about=__doc__,
    picks="shortest option but for white space around it",
    group="length",
)
