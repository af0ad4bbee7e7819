"""Gold is the second longest option

Where one distractor was always written longer than gold. Of the different lengths in the item the second
highest counts; where all are equal there is none.
"""

from benchaudit.checks.form import Check

check = Check(
    name="second-longest",
    score="coalesce(lengths[place] = list_reverse_sort(list_distinct(lengths))[2], false)",
    version=1,
    about=__doc__,
    picks="second longest option",
    group="length",
)
