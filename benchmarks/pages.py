"""Area `pages`: what a page costs in processor time. Each program is measured in a process with its own settings.

Goals for every page of a record of twenty thousand rows: within one and a half times its time with two hundred, at most
twelve queries, the slowest twentieth at most four times a signed-in page without a record; a search at most six times,
and as much among as many names that are all different, whatever is looked for.
That is told twice: to the median of that page, and, `_alike`, to its own slowest twentieth (`record_pages`).
What is made of it in one answer to take along costs at most five seconds.
"""

from collections.abc import Iterator

from benchmarks.figure import Figure
from benchmarks.measuring import measured


def figures() -> Iterator[Figure]:
    """The sandbox's pages of a hundred rows, which must never be a benchmark's bottleneck; the site's welcome page; and
    the record's pages."""
    for version in ("dstu2", "r4"):
        rows = measured("benchmarks.sandbox_page", "config.settings.sandbox_test", version)
        yield Figure(f"sandbox_{version}_page_of_100_rows", rows["ms"], 2, " ms")
    rows = measured("benchmarks.sandbox_smart_page", "config.settings.sandbox_test")
    yield Figure("sandbox_smart_page_of_100_rows", rows["ms"], 2, " ms")
    welcome = measured("benchmarks.welcome_page", "config.settings.test")
    yield Figure("welcome_page_to_empty_page", welcome["welcome_ms"] / welcome["empty_ms"], 8, "")
    record = measured("benchmarks.record_pages", "config.settings.test")
    for name, value in record.items():
        if name.endswith("_seconds"):
            yield Figure(f"record_{name}", value, 5, " s")
            continue
        page, _, kind = name.rpartition("_to_") if "_to_" in name else (name, "", "queries")
        of_empty = 6 if page.startswith("search") else 4
        bound = {"small": 1.5, "empty": of_empty, "empty_alike": of_empty, "queries": 12}[kind]
        yield Figure(f"record_{name}", value, bound, "")
    for name, value in measured("benchmarks.search_names", "config.settings.test").items():
        yield Figure(f"search_of_names_{name}", value, 6, "")
