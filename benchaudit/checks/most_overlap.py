"""Gold is the option that shares most with the question

The share of an option's different words that the question has too. Not applicable without a question.
"""

from benchaudit.checks.form import Check
from benchaudit.checks.lists import SHARED_WITH_QUESTION

check = Check(
    name="most-overlap",
    score=SHARED_WITH_QUESTION,
    version=1,
    about=__doc__,
    picks="option sharing most with the question",
    group="overlap",
    needs="question",
)
