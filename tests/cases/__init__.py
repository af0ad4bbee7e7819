"""Field reports about real benchmarks, each with its smallest input."""
