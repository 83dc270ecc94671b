"""Area `directory`: finding a provider among fifty thousand, and importing a list of them.

Bounds: a search costs at most three empty pages of the site, and at fifty thousand endpoints twice what it costs at
five hundred; an import costs at most one and a half times reading the file and copying its rows.
"""

from collections.abc import Iterator

from benchmarks.figure import Figure
from benchmarks.measuring import measured


def figures() -> Iterator[Figure]:
    """Searching, then importing."""
    search = measured("benchmarks.directory_search", "config.settings.test")
    yield Figure("search_to_empty_page", search["to_empty_page"], 3, "")
    yield Figure("search_of_50000_to_500", search["large_ms"] / search["small_ms"], 2, "")
    yield Figure("search_queries", search["queries"], 14, "")
    yield Figure("search_queries_at_most", search["most_queries"], 24, "")
    yield Figure("search_processor", search["processor_ms"], 60, " ms")
    imported = measured("benchmarks.directory_import", "config.settings.test")
    yield Figure("import_to_parsing_and_copy", imported["to_parsing_and_copy"], 1.5, "")
