"""Taking a FHIR answer apart into resources, without decoding their bodies.

A body is kept as the bytes that were received: decoding and encoding again would turn 13.20 into 13.2. One odd row
does not cost the page; it is counted, so that nothing goes missing silently.
"""

import re
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urljoin

import msgspec

from apps.wire.errors import Code, UnexpectedAnswer

T = TypeVar("T")

# FHIR promises [A-Za-z0-9.-]{1,64}; we refuse only what could not travel in a path.
LOGICAL_ID = re.compile(r"[^\x00-\x20\x7f/\\?#%\ud800-\udfff]{1,64}")
RESOURCE_TYPE = re.compile(r"[A-Z][A-Za-z]{0,63}")


@dataclass(frozen=True, repr=False)
class Resource:
    """One FHIR object; `body` is its JSON exactly as received."""

    resource_type: str
    logical_id: str
    body: bytes


@dataclass(frozen=True, repr=False)
class Page:
    """One searchset Bundle.

    `total` is what the server claims, if it is a number at all. `outcomes` counts OperationOutcome entries, which
    are remarks on the search and not part of the record; `unreadable` counts entries that are no identifiable resource.
    """

    resources: tuple[Resource, ...]
    next_url: str | None
    total: int | None
    outcomes: int
    unreadable: int = 0


class _Head(msgspec.Struct):
    resource_type: str = msgspec.field(name="resourceType", default="")
    logical_id: str = msgspec.field(name="id", default="")


class _Search(msgspec.Struct):
    mode: str = ""


class _Entry(msgspec.Struct):
    resource: msgspec.Raw = msgspec.Raw(b"null")
    search: msgspec.Raw = msgspec.Raw(b"null")


class _Link(msgspec.Struct):
    relation: str = ""
    url: msgspec.Raw = msgspec.Raw(b"null")


class _Bundle(msgspec.Struct):
    entry: list[msgspec.Raw] | None = None
    link: msgspec.Raw = msgspec.Raw(b"null")
    total: msgspec.Raw = msgspec.Raw(b"null")


def resource_type_of(body: bytes) -> str:
    """The resourceType of a JSON object; raises UnexpectedAnswer for what is no resource."""
    head = _decoded(body, _Head)
    if head is None or not RESOURCE_TYPE.fullmatch(head.resource_type):
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=200)
    return head.resource_type


def read_resource(body: bytes, *, resource_type: str) -> Resource:
    """One resource of the type asked for; raises UnexpectedAnswer for anything else."""
    if resource_type_of(body) != resource_type:
        raise UnexpectedAnswer(code=Code.WRONG_RESOURCE, status=200)
    resource = _resource(body)
    if resource is None:
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=200)
    return resource


def read_page(body: bytes, *, base_url: str) -> Page:
    """The rows of a searchset Bundle. A relative next link is resolved against the FHIR base URL; whether it may be
    followed is not decided here. Raises UnexpectedAnswer for what is no Bundle or has a next link nobody can read."""
    if resource_type_of(body) != "Bundle":
        raise UnexpectedAnswer(code=Code.WRONG_RESOURCE, status=200)
    bundle = _decoded(body, _Bundle)
    if bundle is None:
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=200)
    resources: list[Resource] = []
    outcomes = unreadable = 0
    for raw in bundle.entry or ():
        row, is_outcome = _row(raw)
        if is_outcome:
            outcomes += 1
        elif row is None:
            unreadable += 1
        else:
            resources.append(row)
    return Page(tuple(resources), _next_url(bundle.link, base_url), _total(bundle.total), outcomes, unreadable)


def _row(raw: msgspec.Raw) -> tuple[Resource | None, bool]:
    """One entry: its resource, if it has one, and whether it is a remark on the search."""
    entry = _decoded(raw, _Entry)
    if entry is None:
        return None, False
    search = _decoded(entry.search, _Search)
    head = _decoded(entry.resource, _Head)
    if (search and search.mode == "outcome") or (head and head.resource_type == "OperationOutcome"):
        return None, True
    return _resource(bytes(entry.resource)), False


def _resource(body: bytes) -> Resource | None:
    head = _decoded(body, _Head)
    if head is None or not RESOURCE_TYPE.fullmatch(head.resource_type) or not LOGICAL_ID.fullmatch(head.logical_id):
        return None
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:  # what is kept must open again; the decoder above skips what it does not need
        return None
    return Resource(head.resource_type, head.logical_id, body)


def _next_url(raw: msgspec.Raw, base_url: str) -> str | None:
    for link in _decoded(raw, list[msgspec.Raw]) or ():
        readable = _decoded(link, _Link)
        if readable is None or readable.relation != "next":
            continue
        url = _decoded(readable.url, str)
        if not url:  # losing it would lose the rest of the pages without a trace
            raise UnexpectedAnswer(code=Code.UNREADABLE, status=200)
        return _absolute(base_url, url)
    return None


def _absolute(base_url: str, url: str) -> str:
    try:
        return urljoin(base_url.rstrip("/") + "/", url)
    except ValueError:  # brackets that hold no address; the guard will say so
        return url


def _total(raw: msgspec.Raw) -> int | None:
    total = _decoded(raw, int)
    return total if total is not None and total >= 0 else None


def _decoded(raw: Any, kind: type[T]) -> T | None:
    """The JSON as that type, or None."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
