"""A page of a search as a searchset Bundle, assembled from stored bytes: no resource is parsed."""

import json
from collections.abc import Iterable

from django.http import QueryDict

from apps.sandbox import scenarios
from apps.sandbox.fhir import addresses, paging, refusing, store
from apps.sandbox.fhir.paging import Cursor
from apps.sandbox.fhir.root import Root
from apps.sandbox.fhir.searching import Search
from apps.sandbox.fhir.store import Found, Row

_MODES = {mode: b',"search":{"mode":"%s"}' % mode.encode() for mode in ("match", "include", "outcome")}


def searchset(root: Root, search: Search, query: QueryDict, here: str) -> bytes:
    """The page of `search`. `here` is the query string as it was sent."""
    base = root.base
    way = scenarios.chosen("paging")
    found = store.find(search, repeat_last=way == "repeats")
    entries = [*_entries(found.rows, "match", base), *_strays(search, base)]
    if search.with_provenance:
        entries += _entries(store.provenance_of(search, found.rows), "include", base)
    if search.with_included:
        entries += _entries(store.medications_of(search, found.rows), "include", base)
    links = paging.links(root, search.resource_type, query, here, _following(search, found, way))
    head = f'{{"resourceType":"Bundle","type":"searchset",{_total(found.total, way)}"link":{json.dumps(links)}'
    if not entries:
        return head.encode() + b"}"
    body = b'%s,"entry":[%s]}' % (head.encode(), b",".join(entries))
    return addresses.with_attachments(body, base)


def _following(search: Search, found: Found, way: str) -> Cursor | None:
    """Where the next page begins; None after the last one, and after the second if the switch says that paging stops
    short."""
    if not found.has_more or (way == "stops-short" and search.cursor.number >= 2):
        return None
    return Cursor(search.cursor.number + 1, found.rows[-1].place, found.total)


def _total(total: int, way: str) -> str:
    if way == "no-total":
        return ""
    return f'"total":{total + 7 if way == "wrong-total" else total},'


def _entries(rows: Iterable[Row], mode: str, base: str) -> list[bytes]:
    spelling = scenarios.chosen("full_url")
    shown_mode = b"" if mode == "match" and scenarios.chosen("entry_mode") == "absent" else _MODES[mode]
    if spelling == "absent":
        return [b'{"resource":%s%s}' % (row.body, shown_mode) for row in rows]
    spelled = str.lower if spelling == "lower-case" else str
    return [
        b'{"fullUrl":"%s","resource":%s%s}'
        % (f"{base}{spelled(row.resource_type)}/{row.logical_id}".encode(), row.body, shown_mode)
        for row in rows
    ]


def _strays(search: Search, base: str) -> list[bytes]:
    """What a first page has besides matches, by the switch `stray_rows`."""
    kind = scenarios.chosen("stray_rows")
    if kind == "none" or search.cursor.number > 1:
        return []
    made = []
    if kind in ("stranger", "both"):
        stranger = store.of_somebody_else(search)
        made += _entries([stranger], "match", base) if stranger else []
    if kind in ("warning", "both"):
        warning = refusing.outcome("informational", "Some rows may be withheld.", "with-code", "warning")
        made.append(b'{"resource":%s%s}' % (json.dumps(warning).encode(), _MODES["outcome"]))
    return made
