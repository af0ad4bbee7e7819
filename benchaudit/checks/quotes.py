"""Gold alone has quotation marks, or alone has none

Where the true answer was quoted from a text. An apostrophe is no quotation mark.
"""

from benchaudit.checks.form import Check

check = Check(
    name="quotes",
    score="regexp_matches(option, '[\"“”„‟«»「」『』]')",
    version=1,
    about=__doc__,
    picks="option with quotation marks",
    group="quotes",
)
