"""By hand in DuckDB: the (k, t) tallies of the longest and the shortest option, for ALL and each slice.

It knows its columns, has no defective row, and takes a literal list for what its regular expression says.
"""

from __future__ import annotations

import sys

import duckdb

path, column = sys.argv[1:]
LITERAL = r"'((?:[^''\\]|\\.)*)''|\"((?:[^\"\\]|\\.)*)\"".replace("''", "'")
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
    CREATE TEMP TABLE scored AS SELECT slice, {packed} FROM (
        SELECT *, list_max(lengths) AS highest, list_min(lengths) AS lowest FROM (
            SELECT {column} AS slice, {answer} AS gold,
                   list_transform({options}, lambda option: length(option)) AS lengths
            FROM {source}))""")
for keys in ("'' AS slice", "slice"):
    for row in connection.execute(
        f"SELECT {keys}, histogram(longest), histogram(shortest) FROM scored GROUP BY ALL ORDER BY ALL"
    ).fetchall():
        among = [sum(n for code, n in histogram.items() if code % 2) for histogram in row[1:]]
        print(row[0], sum(row[1].values()), *among, sep="\t")
