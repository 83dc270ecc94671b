"""Where a search goes on: the place to go on from, pages that come round again, and one that came and waits."""
