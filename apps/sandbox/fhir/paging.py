"""Where a page starts, and the link to the next one.

A next link has `page=N-…` (or `pageContext=N-…`, depending on the root): N is for people, the rest is opaque and
contains the last row of the page before and the total, so that each page after the first needs one indexed query.
Clients follow the link unchanged.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

from apps.sandbox import scenarios
from apps.sandbox.fhir.addresses import ELSEWHERE
from apps.sandbox.fhir.refusing import Refusal
from apps.sandbox.fhir.root import Root

_PAGE = re.compile(r"(\d{1,6})-([A-Za-z0-9_-]{4,64})", re.ASCII)
_PLACE = re.compile(rb"(\d{1,18}):(\d{1,9})")


@dataclass(frozen=True)
class Cursor:
    """Page `number` begins after the row `after`; `total` is None until it has been counted."""

    number: int = 1
    after: int = 0
    total: int | None = None


def read_cursor(written: str | None) -> Cursor:
    """The cursor from a `page` parameter; without one, the first page. Raises Refusal for a cursor that is not ours."""
    if written is None:
        return Cursor()
    page = _PAGE.fullmatch(written)
    try:
        place = _PLACE.fullmatch(base64.urlsafe_b64decode(page[2] + "==")) if page else None
    except (ValueError, binascii.Error):
        place = None
    if page is None or place is None:
        raise Refusal(400, "invalid", "page is not one this server gave out")
    return Cursor(int(page[1]), int(place[1]), int(place[2]))


def write_cursor(cursor: Cursor) -> str:
    """The value of a `page` parameter."""
    place = base64.urlsafe_b64encode(f"{cursor.after}:{cursor.total or 0}".encode()).decode().rstrip("=")
    return f"{cursor.number}-{place}"


def links(
    root: Root, resource_type: str, query: QueryDict, here: str, following: Cursor | None
) -> list[dict[str, str]]:
    """Bundle.link: self, and next if there is one. `here` is the query string as it was sent."""
    route = root.base + resource_type
    self_link = {"relation": "self", "url": f"{route}?{here}" if here else route}
    if following is None:
        return [self_link]
    next_link = {"relation": "next", "url": _next(root, route, query, self_link["url"], following)}
    pair = [next_link, self_link]
    return pair if scenarios.chosen("link_order") == "next-first" else pair[::-1]


def _next(root: Root, route: str, query: QueryDict, here: str, following: Cursor) -> str:
    way = scenarios.chosen("paging")
    if way == "loops":
        return here
    turning = [*root.page_extras, (root.page_parameter, write_cursor(following))]
    replaced = {name for name, _ in turning}
    pairs = [(name, value) for name, values in query.lists() if name not in replaced for value in values]
    address = f"{route}?{urlencode([*pairs, *turning])}"
    if way == "foreign-host":
        return ELSEWHERE + address[address.index("/", 8) :]
    return address
