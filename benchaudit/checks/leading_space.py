"""Gold alone starts with white space, or alone does not

Left by a program that joined or cut the texts. It goes where options are stripped.
"""

from benchaudit.checks.form import Check
from benchaudit.checks.lists import WHITE

check = Check(
    name="leading-space",
    score=f"option <> '' AND contains('{WHITE}', option[1])",
    version=1,
    about=__doc__,
    picks="option with white space in front",
    group="white-space",
)
