"""Gold alone has text that was decoded wrongly, or alone has none

Such as `Ã©` for `é`: options came by different ways. The replacement character counts too.
"""

from benchaudit.checks.form import Check

check = Check(
    name="mojibake",
    score=r"regexp_matches(option, '[ÂÃ][\x{80}-\x{BF}]|â€|â\x{80}|ï»¿|\x{FFFD}')",
    version=1,
    about=__doc__,
    picks="option with wrongly decoded text",
    group="characters",
)
