"""Gold is the odd one out

The option whose words the others have least: of its different words the average share of options that
have it too, itself left aside.
"""

from benchaudit.checks.form import Check

check = Check(
    name="odd-one-out",
    score=(
        "(len(list_filter(all_words, lambda word: list_contains(vocabularies[place], word)))"
        " - len(vocabularies[place])) / greatest(len(vocabularies[place]), 1)"
    ),
    extremum="min",
    version=1,
    about=__doc__,
    picks="option sharing least with the others",
    group="overlap",
)
