"""`python -m apps.records.exporting.pdf`: reads JSON with a page and its style from standard input, and writes the PDF
to standard output.

The PDF is tagged, so that readers who have it read aloud find headings and lists (PDF/UA-1). Pages contain what
providers wrote: nothing that they refer to is fetched, from the network or the disk, and time and memory are limited.
No file is written, except one setting of the kernel: if the machine runs out of memory, it kills this process first,
not the site or its database.
"""

import contextlib
import json
import resource
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

from weasyprint import CSS, HTML
from weasyprint.urls import URLFetcher

_MOST_BYTES: Final = 2_000_000_000
_MOST_SECONDS: Final = 60  # of CPU time
_GOES_FIRST: Final = Path("/proc/self/oom_score_adj")  # on Linux


class _Nothing(URLFetcher):  # type: ignore[misc] # the library has no types
    def fetch(self, url: str, headers: object = None) -> NoReturn:  # noqa: ARG002 - its signature
        raise ValueError("Nothing is fetched.")


def main() -> None:
    """Read the input, make the PDF, write it."""
    for what, most in (
        (resource.RLIMIT_AS, _MOST_BYTES),
        (resource.RLIMIT_CPU, _MOST_SECONDS),
        (resource.RLIMIT_CORE, 0),  # a core dump would put a record on disk
    ):
        with contextlib.suppress(ValueError, OSError):  # if the system has no such limit, or a lower one
            resource.setrlimit(what, (most, most))
    with contextlib.suppress(OSError):
        _GOES_FIRST.write_text("1000")
    given: dict[str, Any] = json.load(sys.stdin.buffer)
    nothing = _Nothing()
    style = CSS(string=given["style"], url_fetcher=nothing)
    page = HTML(string=given["page"], url_fetcher=nothing)
    page.write_pdf(sys.stdout.buffer, stylesheets=[style], pdf_variant="pdf/ua-1")


if __name__ == "__main__":
    main()
