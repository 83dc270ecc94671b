"""Everything dies at random, for minutes, and no link is lost: `python -m benchmarks.chaos` (see `__main__`)."""
