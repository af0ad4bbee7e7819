"""By hand in DuckDB all that an audit tallies: as `duckdb_sql`, by the half of each row, and where gold is.

The half is what `docs/statistics.md` says it is, of questions whose white space is known to be plain.
"""

from __future__ import annotations

import sys

import duckdb

path, column = sys.argv[1:]
packed = ", ".join(
    f"""(len(lengths) * 1001 + len(list_filter(lengths, lambda length: length = {end}))) * 2
        + (lengths[gold + 1] = {end})::INTEGER AS {name}"""
    for name, end in (("longest", "highest"), ("shortest", "lowest"))
)
connection = duckdb.connect()
connection.execute(f"""
    CREATE TEMP TABLE scored AS SELECT slice, gold, half, {packed} FROM (
        SELECT *, list_max(lengths) AS highest, list_min(lengths) AS lowest FROM (
            SELECT {column} AS slice, answer AS gold,
                   sha256(md5(question) || md5(to_json(list_sort(options))::VARCHAR)) >= '8' AS half,
                   list_transform(options, lambda option: length(option)) AS lengths
            FROM read_parquet('{path}')))""")
for keys in ("'' AS slice", "slice"):
    found: dict[str, list[int]] = {}
    for slice_, _, golds, *histograms in connection.execute(f"""
        SELECT {keys}, half, histogram(gold), histogram(longest), histogram(shortest)
        FROM scored GROUP BY ALL ORDER BY ALL""").fetchall():
        among = [sum(n for code, n in histogram.items() if code % 2) for histogram in histograms]
        sums = [sum(golds.values()), *among]
        found[slice_] = [a + b for a, b in zip(found.get(slice_, (0, 0, 0)), sums, strict=True)]
    for slice_, sums in found.items():
        print(slice_, *sums, sep="\t")
