"""A list of published lists: where each vendor publishes its endpoints. It has no endpoints itself.

[{"FormatType", "URL", "EndpointName": the vendor, "FileName"}]
"""

from collections.abc import Iterator
from typing import Any

from apps.directory.list_formats import guarding
from apps.directory.list_formats.rows import PublishedListRow, Refused, Row
from apps.directory.list_formats.texts import loose


def is_row(raw: Any) -> bool:
    """Whether it is a row of such a list, and not of endpoints."""
    return isinstance(raw, dict) and "FormatType" in raw and "EndpointName" in raw


def rows(raw: dict[str, Any], number: int, numbers: Iterator[int]) -> Iterator[Row]:
    """One vendor. The address is often a page for people, so any web address is accepted."""
    name = loose(raw.get("EndpointName"), longest=200)
    url = guarding.link(raw.get("URL"))
    if not name or not url:
        yield Refused(f"row {number}", "URL is not a link" if name else "EndpointName is missing", blocks=True)
        return
    yield PublishedListRow(next(numbers), name, url, loose(raw.get("FileName"), longest=200))
