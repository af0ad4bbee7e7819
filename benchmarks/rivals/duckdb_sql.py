"""By hand in DuckDB: the (k, t) tallies of the longest and the shortest option, for ALL and each slice.

It knows its columns, has no defective row, and takes a literal list for what its regular expression says.
"""

from __future__ import annotations

import sys

import duckdb

LITERAL = r"'((?:[^''\\]|\\.)*)''|\"((?:[^\"\\]|\\.)*)\"".replace("''", "'")


def tally(path: str, column: str, half: str = "true") -> None:
    """Print items, gold among the longest and among the shortest of each slice, tallied by the SQL `half`."""
    source, options, answer = f"read_parquet('{path}')", "options", "answer"
    if path.endswith(".csv"):
        source = f"read_csv('{path}', all_varchar=true)"
        options = f"regexp_extract_all(options, $${LITERAL}$$)"
        options = f"list_transform({options}, lambda text: text[2:-2])"
        answer = "answer::INTEGER"
    packed = ", ".join(
        f"""(len(lengths) * 1001 + len(list_filter(lengths, lambda length: length = {end}))) * 2
            + (lengths[gold + 1] = {end})::INTEGER AS {name}"""
        for name, end in (("longest", "highest"), ("shortest", "lowest"))
    )
    connection = duckdb.connect()
    connection.execute(f"""
        CREATE TEMP TABLE scored AS SELECT slice, half, {packed} FROM (
            SELECT *, list_max(lengths) AS highest, list_min(lengths) AS lowest FROM (
                SELECT slice, gold, {half} AS half,
                       list_transform(texts, lambda option: length(option)) AS lengths
                FROM (SELECT question, {column} AS slice, {answer} AS gold, {options} AS texts
                      FROM {source})))""")
    for keys in ("'' AS slice", "slice"):
        slices: dict[str, list[int]] = {}
        for name, _, *histograms in connection.execute(f"""
            SELECT {keys}, half, histogram(longest), histogram(shortest)
            FROM scored GROUP BY ALL ORDER BY ALL""").fetchall():
            among = [sum(n for code, n in histogram.items() if code % 2) for histogram in histograms]
            found = [sum(histograms[0].values()), *among]
            slices[name] = [a + b for a, b in zip(slices.get(name, (0, 0, 0)), found, strict=True)]
        for name, found in slices.items():
            print(name, *found, sep="\t")


if __name__ == "__main__":
    tally(*sys.argv[1:])
