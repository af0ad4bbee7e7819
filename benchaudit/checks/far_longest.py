"""Gold is the longest option by far

The longest by a margin that catches the eye: at least a quarter longer than the next.
"""

from benchaudit.checks.form import Check

check = Check(
    name="far-longest",
    score=(
        "4 * lengths[place] >= 5 * list_reverse_sort(lengths)[2] "
        "AND lengths[place] > list_reverse_sort(lengths)[2]"
    ),
    version=1,
    about=__doc__,
    picks="option longest by far",
    group="length",
)
