"""Gold alone has a list marker in front, or alone has none

A bullet, a dash or a number with a full stop. Labels that every option of an item carries are no part of
its text.
"""

from benchaudit.checks.form import Check

check = Check(
    name="list-marker",
    score=r"regexp_matches(option, '^\s*(?:[-*•·‣–—]|\(?[0-9]{1,3}[.)])\s')",
    version=1,
    about=__doc__,
    picks="option with a list marker in front",
    group="list-marker",
)
