"""Gold alone has parentheses, or alone has none

Where only the true answer was made precise.
"""

from benchaudit.checks.form import Check

check = Check(
    name="parentheses",
    score="regexp_matches(option, '[()（）]')",
    version=1,
    about=__doc__,
    picks="option with parentheses",
    group="parentheses",
)
