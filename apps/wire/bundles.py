"""Taking a FHIR answer apart into resources, without decoding their bodies.

A body is kept as the bytes that were received: decoding and encoding it again would turn 13.20 into 13.2. If one row
cannot be read, the others of the page still are, and it is counted, so that nothing is lost silently. `repairing_json`
says what is repaired first. Bytes that are not UTF-8 become the replacement character.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urljoin

import msgspec

from apps.wire import outcomes, repairing_json
from apps.wire.errors import Code, UnexpectedAnswer, WireError
from apps.wire.repairing_json import decoded

_MOST_ROWS = 2**31 - 1
# As many rows of 200 bytes fit on the largest page that we read, and real rows are longer. Whoever sends more wants to
# keep us busy: we would look at each of ten million numbers in place of rows.
_MOST_ENTRIES = 100_000
_BLANK = b" \t\r\n"
_ENTRIES = b'"entry"'
_NOTHING = {b"null", b"{}"}
_LONGEST_BODY = 20_000_000  # as long as a page may be: what is repaired can become several times as long
_LONGEST_LINK = 8192  # as long as an address may be: we would not follow a longer one
# Types of a Bundle that is no answer to a search. One without a type, or a collection, may be an answer.
_OTHER_ANSWERS = frozenset(
    {"history", "batch-response", "transaction-response", "batch", "transaction", "document", "message"}
)
_HISTORY = "history"
# Relations of links between pages, if links are a map (RFC 8288 section 3.3 and its registry).
_RELATIONS = frozenset({"self", "first", "last", "next", "prev", "previous"})

# Characters that no URL may contain, but that many servers leave in a query, such as the "|" of a token parameter.
_UNESCAPED = re.compile(r'[ "<>\\^`{|}\x80-\U0010ffff]+')

# FHIR promises [A-Za-z0-9.-]{1,64}, but some servers send longer ids. We refuse only what cannot be a segment of a path
# (dot segments neither), and what is longer than our columns.
LONGEST_ID = 256
LOGICAL_ID = re.compile(rf"(?!\.{{1,2}}\Z)[^\x00-\x20\x7f/\\?#%\ud800-\udfff]{{1,{LONGEST_ID}}}")
RESOURCE_TYPE = re.compile(r"[A-Z][A-Za-z]{0,63}")


@dataclass(frozen=True, repr=False)
class Resource:
    """One FHIR resource. `body` is its JSON as received, in valid UTF-8 that every decoder can read."""

    resource_type: str
    logical_id: str
    body: bytes


@dataclass(frozen=True, repr=False)
class Page:
    """One searchset Bundle.

    `total` is what the server claims, if that is a number. `failure` is the error that an OperationOutcome among the
    entries reports, so that rows may be missing. `unreadable` counts entries without a resource that we can identify.
    `is_cut`: there is a next link, but it cannot be read. `may_go_on`: there may be a next link, because something
    among the links is not a link, or because the Bundle's type says that it does not answer a search. `answered_at` is
    the time of the first page of a search, by the server's clock.
    """

    resources: tuple[Resource, ...]
    next_url: str | None
    total: int | None
    unreadable: int = 0
    is_cut: bool = False
    may_go_on: bool = False
    failure: WireError | None = None
    answered_at: datetime | None = None


class _Head(msgspec.Struct):
    resource_type: str = msgspec.field(name="resourceType", default="")
    logical_id: str | int = msgspec.field(name="id", default="")  # a string in FHIR; some servers send a number


class _Search(msgspec.Struct):
    mode: str = ""


class _BareEntry(msgspec.Struct):
    resource: msgspec.Raw = msgspec.Raw(b"null")
    response: msgspec.Raw = msgspec.Raw(b"null")


class _Entry(_BareEntry):
    search: _Search | None = None


class _AddressedEntry(msgspec.Struct):
    full_url: str = msgspec.field(name="fullUrl", default="")


class _Response(msgspec.Struct):
    outcome: msgspec.Raw = msgspec.Raw(b"null")


class _Request(msgspec.Struct):
    method: str = ""
    url: str = ""


class _RequestedEntry(msgspec.Struct):
    request: _Request


class _Link(msgspec.Struct):
    """With the names that FHIR uses, or those of other formats."""

    relation: str = ""
    rel: str = ""
    url: msgspec.Raw = msgspec.Raw(b"null")
    href: msgspec.Raw = msgspec.Raw(b"null")


class _Bundle(msgspec.Struct):
    resource_type: str = msgspec.field(name="resourceType", default="")
    kind: msgspec.Raw = msgspec.field(name="type", default=msgspec.Raw(b"null"))
    entry: list[msgspec.Raw] | dict[str, msgspec.Raw] | None = None
    link: msgspec.Raw = msgspec.Raw(b"null")
    total: msgspec.Raw = msgspec.Raw(b"null")


_HEAD = msgspec.json.Decoder(_Head)
_BUNDLE = msgspec.json.Decoder(_Bundle)
_ENTRY = msgspec.json.Decoder(_Entry)
_BARE_ENTRY = msgspec.json.Decoder(_BareEntry)
_ADDRESSED_ENTRY = msgspec.json.Decoder(_AddressedEntry)
_REQUESTED_ENTRY = msgspec.json.Decoder(_RequestedEntry)
_RESPONSE = msgspec.json.Decoder(_Response)
_NO_ENTRY = msgspec.Raw(b"null")
_LINKS = msgspec.json.Decoder(list[msgspec.Raw])
_LINK = msgspec.json.Decoder(_Link)
_MAP = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)
_COUNT = msgspec.json.Decoder(int, strict=False)  # some servers send a string


def resource_type_of(body: bytes) -> str:
    """The resourceType of a JSON object. Raises UnexpectedAnswer for anything that is not a resource."""
    body = repairing_json.mended(body)
    head = decoded(body, _HEAD)
    if head is None:  # perhaps because of a single row
        head = decoded(repairing_json.without_odd_rows(body), _HEAD)
    if head is None or not RESOURCE_TYPE.fullmatch(head.resource_type):
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=200)
    return head.resource_type


def read_resource(body: bytes, *, resource_type: str) -> Resource:
    """A resource of this type. Raises UnexpectedAnswer for anything else."""
    body = _whole(body)
    if resource_type_of(body) != resource_type:
        raise UnexpectedAnswer(code=Code.WRONG_RESOURCE, status=200)
    resource = _resource(body, decoded(body, _HEAD))
    if resource is None:
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=200)
    return resource


def find_resource(body: bytes) -> Resource | None:
    """The resource, of whatever type; None if it has no type or id."""
    body = _whole(body)
    return _resource(body, decoded(body, _HEAD))


def _whole(body: bytes) -> bytes:
    """The body of one resource, repaired if that makes it readable."""
    body = repairing_json.mended(body)
    if decoded(body, _HEAD) is None and len(body) <= _LONGEST_BODY:
        return repairing_json.readable(body) or body
    return body


def read_page(body: bytes, *, base_url: str) -> Page:
    """The rows of a searchset Bundle. A relative next link is resolved against the FHIR base URL; the caller decides
    whether to follow it. Raises UnexpectedAnswer for anything but a Bundle, and for a Bundle with too many entries.

    Rows of a Bundle of another type are taken as well. Of a history, only the newest version of each resource is, and
    none of a resource that was deleted.
    """
    body = repairing_json.mended(body)
    bundle = _bundle(body)
    if bundle is None or bundle.resource_type != "Bundle":
        is_other = bundle is not None and bundle.resource_type != ""
        raise UnexpectedAnswer(code=Code.WRONG_RESOURCE if is_other else Code.UNREADABLE, status=200)
    resources: list[Resource] = []
    remarks: list[bytes] = []
    unreadable = 0
    kind = (decoded(bundle.kind, _TEXT) or "").strip().lower()
    entries = _entries(bundle, body)
    if len(entries) > _MOST_ENTRIES:
        raise UnexpectedAnswer(code=Code.TOO_LARGE, status=200)
    for raw in _standing(entries) if kind == _HISTORY else entries:
        row, remark = _row(raw)
        if remark is not None:
            remarks.append(remark)
        elif row is None:
            unreadable += 1
        else:
            resources.append(row)
    links, total = _links(bundle.link), _total(bundle.total)
    next_url = _next_url(links, base_url)
    return Page(
        resources=tuple(resources),
        next_url=next_url or None,
        total=total,
        unreadable=unreadable,
        is_cut=next_url == "",
        may_go_on=next_url is None and (kind in _OTHER_ANSWERS or None in links),
        failure=next(filter(None, map(outcomes.failure, remarks)), None),
    )


def _bundle(body: bytes) -> _Bundle | None:
    try:
        return _BUNDLE.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):  # perhaps because of a single row
        return decoded(repairing_json.without_odd_rows(body), _BUNDLE)


def _entries(bundle: _Bundle, body: bytes) -> list[msgspec.Raw]:
    """The entries. A server that converts from XML may send a single entry without a list, or several lists."""
    if isinstance(bundle.entry, dict):
        return [msgspec.Raw(msgspec.json.encode(bundle.entry))]
    entries = bundle.entry or []
    every = [msgspec.Raw(row) for row in repairing_json.rows(body)] if body.count(_ENTRIES) > 1 else []
    return every if len(every) > len(entries) else entries


def _standing(entries: list[msgspec.Raw]) -> Iterator[msgspec.Raw]:
    """Of a history, the first entry of each resource, which is the newest. An entry that cannot be read replaces that
    of a deleted resource, so that it is counted."""
    told: set[tuple[str, str]] = set()
    for raw in entries:
        deleted = _deleted(raw)
        row = _row(raw)[0] if deleted is None else None
        named = deleted or (row and (row.resource_type, row.logical_id))
        if named not in told:
            yield raw if deleted is None else _NO_ENTRY
        if named:
            told.add(named)


def _deleted(raw: msgspec.Raw) -> tuple[str, str] | None:
    """Type and id of the resource whose deletion an entry of a history records; None if it records none."""
    entry = decoded(raw, _REQUESTED_ENTRY)
    if entry is None or entry.request.method.strip().upper() != "DELETE":
        return None
    beginning, _, logical_id = entry.request.url.rpartition("/")
    return beginning.rpartition("/")[2], logical_id


def _row(raw: msgspec.Raw) -> tuple[Resource | None, bytes | None]:
    """One entry: its resource, or else the OperationOutcome that it has as a remark on the search, or in place of a
    resource. A Bundle within the Bundle is not taken, because nobody checks whom its rows are about."""
    typical = decoded(raw, _ENTRY)
    entry = typical or decoded(raw, _BARE_ENTRY)  # only its search element cannot be read
    if entry is None:
        return None, None
    is_remark = typical is not None and typical.search is not None and typical.search.mode == "outcome"
    head = decoded(entry.resource, _HEAD)
    resource_type = head.resource_type if head else ""
    if resource_type == "OperationOutcome" or (is_remark and not resource_type):  # a resource is one despite the mode
        return None, bytes(entry.resource)
    if head is None or head.resource_type == "Bundle":
        return None, _failed(entry.response)
    if head.logical_id == "":
        head.logical_id = _id_in_address(raw, head.resource_type)
    return _resource(bytes(entry.resource), head), None


def _failed(response: msgspec.Raw) -> bytes | None:
    """The OperationOutcome of an entry without a resource, if it reports an error."""
    readable = decoded(response, _RESPONSE)
    outcome = bytes(readable.outcome) if readable else b""
    return outcome if outcomes.failure(outcome) else None


def _id_in_address(raw: msgspec.Raw, resource_type: str) -> str:
    """The id in the `fullUrl` of a row without an id, if that ends with type and id. Some servers write the type there
    in lower case (interface facts 1.4)."""
    addressed = decoded(raw, _ADDRESSED_ENTRY)
    beginning, _, logical_id = (addressed.full_url if addressed else "").rpartition("/")
    return logical_id if beginning.rpartition("/")[2].lower() == resource_type.lower() else ""


def _resource(body: bytes, head: _Head | None) -> Resource | None:
    if head is None or not RESOURCE_TYPE.fullmatch(head.resource_type):
        return None
    logical_id = str(head.logical_id)
    if not LOGICAL_ID.fullmatch(logical_id):
        return None
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:  # the decoder above did not look at everything, but what is stored must be readable
        body = body.decode("utf-8", "replace").encode()
    if len(body) > _LONGEST_BODY:
        return None
    return Resource(head.resource_type, logical_id, body)


def _links(raw: msgspec.Raw) -> list[_Link | None]:
    """The links; a single one may be sent without a list. None stands for a link without a relation, such as an address
    alone: with one of these, this page may or may not be the last."""
    written = decoded(raw, _LINKS)
    return [link for one in ([raw] if written is None else written) for link in _read_links(one)]


def _read_links(raw: msgspec.Raw) -> Iterator[_Link | None]:
    """One link, or those of a map of addresses; nothing for null or an empty object."""
    if bytes(raw).translate(None, _BLANK) in _NOTHING:
        return
    link = decoded(raw, _LINK)
    if link is not None and (link.relation or link.rel):
        yield link
        return
    named = decoded(raw, _MAP) or {}
    if not named or not {name.strip().lower() for name in named} <= _RELATIONS:
        yield None
        return
    for name, address in named.items():
        inner = decoded(address, _LINK)
        if bytes(address).strip(_BLANK) != b"null":
            yield _Link(relation=name, url=address, href=inner.href if inner else _NO_ENTRY)


def _next_url(links: list[_Link | None], base_url: str) -> str | None:
    """The address of the next page; None if there is no next page, and empty if there is one whose address cannot be
    read. `next` is also recognized in other spellings: otherwise the first page would pass for everything."""
    for link in links:
        if link is None or (link.relation or link.rel).strip().lower() != "next":
            continue
        url = (decoded(link.url, _TEXT) or decoded(link.href, _TEXT) or "").strip()
        return _absolute(base_url, url) if 0 < len(url) <= _LONGEST_LINK else ""
    return None


def _absolute(base_url: str, url: str) -> str:
    address, mark, query = url.partition("?")
    url = address + mark + _UNESCAPED.sub(lambda found: quote(found[0]), query)
    try:
        return urljoin(base_url.rstrip("/") + "/", url)
    except ValueError:  # brackets without an IPv6 address in them: the guard will refuse it
        return url


def _total(raw: msgspec.Raw) -> int | None:
    total = decoded(raw, _COUNT)
    return total if total is not None and 0 <= total <= _MOST_ROWS else None
