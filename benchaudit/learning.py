"""Checks whose scores are learnt: from the rows of one half for those of the other, both ways. Pure.

Narrow rows hold a digest of each option (`keys`), so that no text is read twice. A text that the other
half does not have scores as an average option of it does. Of most items no option is known: all are tied.

Scores are fractions, and are compared as whole numbers: `scale` is so large that of two different ones the
larger stays larger when what is left of a division is dropped. Floats would part some that are equal.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchaudit.checks.form import Check
from benchaudit.packing import code_sql, column_of

_OPTIONS = """
    options_of AS (
        SELECT file, row, half, len(keys) AS k, unnest(keys) AS key,
               unnest(list_transform(keys, lambda key, place: place = gold + 1)) AS is_gold
        FROM {relation} WHERE left_out IS NULL),
    learnt AS (
        SELECT half, key, count(*) AS seen, count(*) FILTER (is_gold) AS golds FROM options_of GROUP BY ALL),
    totals AS (
        SELECT half, sum(seen) AS all_seen, sum(golds) AS all_golds,
               (max(seen) + 1)::HUGEINT * (max(seen) + 1) AS scale
        FROM learnt GROUP BY half)"""


def learnt_sql(relation: str, check: Check) -> str:
    """SQL for `file`, `row` and `packed` of the items of which an option at least is known."""
    extreme = "greatest(list_max(scores), CASE WHEN len(scores) < k THEN base END)"
    others = f"CASE WHEN base = {extreme} THEN k - len(scores) ELSE 0 END"
    tied = f"(len(list_filter(scores, lambda score: score = {extreme})) + {others})"
    hit = f"(coalesce(of_gold, base) = {extreme})::INTEGER"
    return f"""
        WITH {_OPTIONS.format(relation=relation)},
        known AS (
            SELECT 1 - half AS half, key, all_golds * scale AS base, {check.score} AS score
            FROM learnt JOIN totals USING (half))
        SELECT file, row, {code_sql("k", tied, hit)} AS packed FROM (
            SELECT file, row, any_value(k) AS k, any_value(base) AS base, list(score) AS scores,
                   max(score) FILTER (is_gold) AS of_gold
            FROM options_of JOIN known USING (half, key) GROUP BY file, row)"""


def with_learnt_sql(relation: str, learnt: Sequence[Check]) -> str:
    """SQL for narrow rows with a column for each learnt check, from tables of `learnt_sql` called like it."""
    if not learnt:
        return f"FROM {relation}"
    tied = code_sql("len(keys)", "len(keys)", "1")
    columns = "".join(
        f", CASE WHEN left_out IS NULL THEN coalesce({column_of(check.name)}.packed, {tied}) END "
        f"AS {column_of(check.name)}"
        for check in learnt
    )
    joins = "".join(f" LEFT JOIN {column_of(check.name)} USING (file, row)" for check in learnt)
    taught = "keys, texts, lot" if any(check.is_model for check in learnt) else "keys"
    return f"SELECT rows.* EXCLUDE ({taught}){columns} FROM {relation} AS rows{joins}"
