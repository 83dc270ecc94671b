"""Area `directory`: finding a provider among fifty thousand, the registration desk beside them, and importing a list.

Bounds: a search costs at most three empty pages of the site, and at fifty thousand endpoints twice what it costs at
five hundred; a page of the desk at most eight; an import costs at most one and a half times reading the file and
copying its rows, and its memory does not grow with their number. Reading checks every address and finds every word that
searching looks for; what import costs above believing the file (`json.loads` and one COPY) has a bound of our own.
"""

from collections.abc import Iterator

from benchmarks.figure import Figure
from benchmarks.measuring import measured


def figures() -> Iterator[Figure]:
    """Searching, then importing."""
    search = measured("benchmarks.directory_search", "config.settings.test")
    yield Figure("search_to_empty_page", search["to_empty_page"], 3, "")
    yield Figure("search_of_50000_to_500", search["of_large_to_small"], 2, "")
    yield Figure("search_queries", search["queries"], 10, "")
    yield Figure("search_queries_at_most", search["most_queries"], 16, "")
    yield Figure("search_processor", search["processor_ms"], 60, " ms")
    desk = measured("benchmarks.directory_desk", "config.settings.test")
    yield Figure("desk_to_empty_page", desk["desk_to_empty_page"], 8, "")
    yield Figure("desk_processor", desk["desk_processor_ms"], 60, " ms")
    yield Figure("desk_registration_to_empty_page", desk["registration_to_empty_page"], 8, "")
    yield Figure("desk_registration_processor", desk["registration_processor_ms"], 60, " ms")
    imported = measured("benchmarks.directory_import", "config.settings.test")
    yield Figure("import_to_parsing_and_copy", imported["to_reading_and_copy"], 1.5, "")
    yield Figure("import_to_bare_json_and_copy", imported["to_bare_json_and_copy"], 8, "")
    yield Figure("unchanged_import_to_parsing_and_copy", imported["again_to_reading_and_copy"], 1.5, "")
    yield Figure("import_memory_of_5000", imported["grown_by_few_mb"], 20, " MB")
    more = imported["grown_by_many_mb"] - imported["grown_by_few_mb"]
    yield Figure("import_memory_of_50000_over_5000", more, 5, " MB")
