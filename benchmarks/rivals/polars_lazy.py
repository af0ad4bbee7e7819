"""Polars, lazily: how many items a slice has, and in how many gold is among the longest and the shortest."""

from __future__ import annotations

import sys

import polars as pl

path, column = sys.argv[1:]
lengths = pl.col("options").list.eval(pl.element().str.len_chars())
gold = lengths.list.get(pl.col("answer"))
rows = pl.scan_parquet(path).select(
    slice=pl.col(column), longest=gold == lengths.list.max(), shortest=gold == lengths.list.min()
)
counts = [pl.len().alias("n"), pl.col("longest").sum(), pl.col("shortest").sum()]
total, slices = pl.collect_all([rows.select(counts), rows.group_by("slice").agg(counts).sort("slice")])
for row in [("", *total.row(0)), *slices.rows()]:
    print(*row, sep="\t")
