"""Gold alone ends with a full stop or its like, or alone does not

Where gold was written as a sentence and the distractors were not, or by somebody else. White space
behind is passed over.
"""

from benchaudit.checks.form import Check

check = Check(
    name="final-punctuation",
    score=r"regexp_matches(option, '[.!?;:,…。！？]\s*$')",
    version=1,
    about=__doc__,
    picks="option with punctuation at its end",
    group="punctuation",
)
