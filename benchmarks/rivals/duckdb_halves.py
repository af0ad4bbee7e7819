"""By hand in DuckDB the tallies that an audit keeps: those of `duckdb_sql` for each half of the rows.

The half is the one of `docs/statistics.md`, for questions whose white space is known to be plain.
"""

from __future__ import annotations

import sys

from duckdb_sql import tally

tally(*sys.argv[1:], half="sha256(md5(question) || md5(to_json(list_sort(texts))::VARCHAR)) >= '8'")
