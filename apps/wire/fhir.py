"""Asking a FHIR server: whose record this is, single resources, searches page by page, and what it supports.

Every data call carries the bearer token in its Authorization header and nowhere else (RFC 6750 section 2.1), and
goes only below the FHIR base URL it was asked for. What the answers' headers claim to be is not believed; their
resourceType is.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote, urljoin

import requests

from apps.wire import bundles, http_responses, large_answers, outcomes, public_documents, resource_types, transport
from apps.wire.addresses import Address, AddressPolicy, parse_address
from apps.wire.bundles import Page, Resource
from apps.wire.capability_statements import CapabilityStatement, OfferedType, read_capability_statement
from apps.wire.dialects import Dialect, FhirVersion
from apps.wire.errors import (
    AddressFault,
    Code,
    ForeignAddress,
    RequestRefused,
    Unavailable,
    UnexpectedAnswer,
    UnsafeAddress,
    WireError,
)
from apps.wire.secret import Secret

__all__ = [
    "AnotherResource",
    "CapabilityStatement",
    "Download",
    "FhirServer",
    "OfferedType",
    "Page",
    "Resource",
    "capability",
    "check_below",
    "download",
    "file_url",
    "find_patients",
    "follow",
    "read",
    "search",
]

T = TypeVar("T")

# A page of results may be large and slow to make; what a person waits for keeps the transport's own limits.
_PAGE_SECONDS = 30.0
_PAGE_BYTES = 20_000_000
_FILE_SECONDS = 30.0
# We ask for gzip and undo nothing else: such a file would be kept squeezed, and no program opens it.
_UNASKED_CODINGS = frozenset({"br", "compress", "zstd"})

# Of people one sign-in may choose from. Somebody is waiting, and a thread with them: no page is begun after so long.
_MOST_PATIENT_PAGES = 5
_MOST_PEOPLE = 50
_PEOPLE_SECONDS = transport.TOTAL_SECONDS


@dataclass(frozen=True)
class FhirServer:
    """One FHIR base URL, with or without a slash at its end, and how it is spoken to."""

    base_url: str
    version: FhirVersion
    dialect: Dialect
    policy: AddressPolicy

    def stating(self, version: FhirVersion) -> "FhirServer":
        """The same server, which states this version: asked for answers of it, or else of its own (facts 1.7)."""
        accept = self.dialect.accept
        wanted = ", ".join(dict.fromkeys((accept[version], accept[self.version])))
        return replace(self, dialect=replace(self.dialect, accept={**accept, self.version: wanted}))

    def url(self, *segments: str, query: Sequence[tuple[str, str]] = ()) -> str:
        """An address below the base URL, everything percent-encoded."""
        if "?" in self.base_url:
            raise UnsafeAddress(fault=AddressFault.PATH)
        path = "/".join([self.base_url.rstrip("/"), *(quote(segment, safe="") for segment in segments)])
        parameters = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in query)
        return f"{path}?{parameters}" if parameters else path


@dataclass(frozen=True, repr=False)
class Download:
    """A file as it came. `content_type` is the header's, and not to be believed."""

    content_type: str
    content: bytes


def find_patients(server: FhirServer, *, access_token: Secret) -> tuple[Resource, ...]:
    """The people this token may read about (specification P4): none, one, or several to choose from.

    The server may answer a Patient or a searchset Bundle. Raises UnexpectedAnswer for more people than anybody looks
    after, which is no patient's token; and WireError.
    """
    ends_at = time.monotonic() + _PEOPLE_SECONDS
    body = _get(server, server.url("Patient"), access_token)
    if bundles.resource_type_of(body) != "Bundle":
        return (_resource(body, "Patient"),)
    page = _page(body, server)
    found = list(page.resources)
    unreadable = page.unreadable
    pages_left = _MOST_PATIENT_PAGES
    while page.next_url and (pages_left := pages_left - 1):
        if time.monotonic() > ends_at:
            raise Unavailable(code=Code.TIMED_OUT)
        page = _followed(server, page.next_url, access_token, is_page=False)
        found += page.resources
        unreadable += page.unreadable
    people = {patient.logical_id: patient for patient in found if patient.resource_type == "Patient"}
    if page.is_cut or (unreadable and not people):  # nobody chooses among half of them, and it may be any of them
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=200)
    if len(people) > _MOST_PEOPLE:
        raise UnexpectedAnswer(code=Code.TOO_LARGE, status=200)
    return tuple(people.values())


class AnotherResource(UnexpectedAnswer):
    """The provider answered with another resource than was asked for, of that type or of any."""

    def __init__(
        self,
        *,
        resource: Resource | None = None,
        code: Code = Code.WRONG_RESOURCE,
        status: int | None = 200,
        error_uri: str | None = None,
    ) -> None:
        super().__init__(code=code, status=status, error_uri=error_uri)
        self.resource = resource  # it may be about somebody else


def read(server: FhirServer, *, access_token: Secret, resource_type: str, logical_id: str) -> Resource:
    """One resource by its id (specification P5).

    A page on which it stands is an answer, too. Raises NotFound where it is gone, RequestRefused without asking where
    the id cannot be one, AnotherResource where another one came back, and UnexpectedAnswer where something else did;
    and WireError.
    """
    if not (bundles.RESOURCE_TYPE.fullmatch(resource_type) and bundles.LOGICAL_ID.fullmatch(logical_id)):
        raise RequestRefused(code=Code.INVALID_REQUEST)
    body = _get(server, server.url(resource_type, logical_id), access_token)
    try:
        resource = _resource(body, resource_type)
    except UnexpectedAnswer as error:
        is_other = error.code is Code.WRONG_RESOURCE
        row = _on_page(body, server, resource_type, logical_id) if is_other else None
        if row is not None:
            return row
        another = bundles.find_resource(body) if is_other else None
        if another is None:
            raise
        raise AnotherResource(resource=another) from None
    if resource.logical_id != logical_id:
        raise AnotherResource(resource=resource)
    return resource


def search(
    server: FhirServer,
    *,
    access_token: Secret,
    resource_type: str,
    patient_id: str,
    parameters: Sequence[tuple[str, str]] = (),
    is_declared: bool = False,
) -> Page:
    """The first page of one type's resources about one patient (specification 4.1, rule 2).

    A 404 raises NotFound and does not mean that there is no data: see `Dialect.fallback_statuses`. Raises
    RequestRefused without asking for a type whose route takes no patient, which is every type we do not know unless
    the server's own statement declares that parameter (`is_declared`); and WireError.
    """
    known = resource_types.find(server.version, resource_type)
    takes_patient = known.takes_patient if known else is_declared and bundles.RESOURCE_TYPE.fullmatch(resource_type)
    if not takes_patient or not bundles.LOGICAL_ID.fullmatch(patient_id):
        raise RequestRefused(code=Code.INVALID_REQUEST)
    url = server.url(resource_type, query=(("patient", patient_id), *parameters))
    response = _answered(server, url, access_token, is_page=True)
    page = _page(http_responses.data_of(response), server)
    return replace(page, answered_at=http_responses.answered_at(response))


def follow(server: FhirServer, *, access_token: Secret, next_url: str) -> Page:
    """The page behind a next link, which the server wrote and we send as it stands.

    Raises ForeignAddress, before anything is sent, where the link leaves the origin or the path of the FHIR base
    URL; and WireError.
    """
    return _followed(server, next_url, access_token, is_page=True)


def download(server: FhirServer, *, access_token: Secret, address: str, accept: str, most_bytes: int) -> Download:
    """The file behind an attachment's address, which the server wrote; a relative one is below the FHIR base URL.

    `accept` is the media type asked for: Binary answers the raw file for the type it has, and a Binary resource for a
    FHIR type (facts 1.7). Raises ForeignAddress, before anything is sent, where the address leaves the origin or the
    path of the FHIR base URL; RequestRefused with the status 406 where that type is not to be had; UnexpectedAnswer
    with the code too_large past `most_bytes`, wherever the answer says it ends; Unavailable where it came in part; and
    WireError.
    """
    url = file_url(server, address)
    session = transport.thread_session(server.policy, total_seconds=_FILE_SECONDS, max_bytes=most_bytes)
    headers = {"Accept": accept, "Authorization": f"Bearer {access_token.reveal()}"}
    response = _succeeded(session.get(url, headers=headers))
    if transport.is_cut(response):
        raise Unavailable(code=Code.UNREACHABLE, status=response.status_code)
    if response.headers.get("Content-Encoding", "").strip().lower() in _UNASKED_CODINGS:
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=response.status_code)
    return Download(response.headers.get("Content-Type", ""), response.content)


def file_url(server: FhirServer, address: str) -> str:
    """Where `download` would go for this address of an attachment; nothing is asked. Raises ForeignAddress."""
    url = _absolute(server, address)
    check_below(server, url)
    return url


def check_below(server: FhirServer, url: str) -> None:
    """Whether a token for this server may go there: same origin, and below the path of the base URL in whatever case,
    since servers that are asked for /r4 link to /R4. Raises ForeignAddress where not."""
    base = parse_address(server.base_url, server.policy)
    linked = _parsed_link(url, server.policy)
    root = base.path.rstrip("/").lower()
    path = linked.path.lower() if linked else ""
    if linked is None or linked.origin != base.origin or not (path == root or path.startswith(root + "/")):
        raise ForeignAddress(fault=AddressFault.PATH, code=Code.FOREIGN_ADDRESS)


def capability(server: FhirServer) -> CapabilityStatement:
    """What the server says it supports (specification P6), asked without a token.

    Raises EndpointMisconfigured where there is no statement: some servers answer 401, 403, 404 or a page of HTML
    for an address that does not exist (interface facts 1.5); and WireError.
    """
    return read_capability_statement(metadata(server))


def metadata(server: FhirServer) -> Mapping[str, Any]:
    """The statement as it came, for readers in this package. Raises as `capability` does."""
    return public_documents.document(
        server.url("metadata"),
        policy=server.policy,
        absent=Code.NO_METADATA,
        accept=server.dialect.accept[server.version],
    )


def _followed(server: FhirServer, next_url: str, access_token: Secret, *, is_page: bool) -> Page:
    check_below(server, next_url)
    return _page(_get(server, next_url, access_token, is_page=is_page), server)


def _page(body: bytes, server: FhirServer) -> Page:
    """One page of rows. A server that says in place of any that it cannot answer now has not answered, whatever the
    status says: whoever took that for a page would find nobody, or nothing."""
    page = _read(body, lambda: bundles.read_page(body, base_url=server.base_url))
    has_more = page.next_url is not None or page.is_cut
    if isinstance(page.failure, Unavailable) and not (page.resources or page.unreadable or has_more):
        raise page.failure
    return page


def _on_page(body: bytes, server: FhirServer, resource_type: str, logical_id: str) -> Resource | None:
    """Where a page came in place of a resource, its row there; None where it is none, or that is not on it."""
    try:
        with large_answers.one_at_a_time(len(body)):
            rows = bundles.read_page(body, base_url=server.base_url).resources
    except UnexpectedAnswer:
        return None
    return next((row for row in rows if (row.resource_type, row.logical_id) == (resource_type, logical_id)), None)


def _resource(body: bytes, resource_type: str) -> Resource:
    return _read(body, lambda: bundles.read_resource(body, resource_type=resource_type))


def _read(body: bytes, reader: Callable[[], T]) -> T:
    """What the reader finds there. Where that is nothing, since an OperationOutcome came alone, as errors do, with the
    status of a success: raises what it says went wrong."""
    failure: WireError
    with large_answers.one_at_a_time(len(body)):
        try:
            return reader()
        except UnexpectedAnswer as error:
            failure = error
        if failure.code is Code.WRONG_RESOURCE and bundles.resource_type_of(body) == "OperationOutcome":
            failure = outcomes.failure(body) or failure
    raise failure


def _get(server: FhirServer, url: str, access_token: Secret, *, is_page: bool = False) -> bytes:
    """The body of a data answer with status 200; raises the error of any other."""
    return http_responses.data_of(_answered(server, url, access_token, is_page=is_page))


def _answered(server: FhirServer, url: str, access_token: Secret, *, is_page: bool = False) -> requests.Response:
    return _succeeded(_ask(server, url, {"Authorization": f"Bearer {access_token.reveal()}"}, is_page=is_page))


def _succeeded(response: requests.Response) -> requests.Response:
    """The answer, where its status is 200; raises the error of any other."""
    waiting = http_responses.please_wait(response)
    if waiting is not None:
        raise waiting
    status = response.status_code
    if status == 200:
        return response
    if status < 400:
        raise UnexpectedAnswer(status=status)
    raise http_responses.data_refusal(response)


def _ask(server: FhirServer, url: str, headers: Mapping[str, str], *, is_page: bool = False) -> requests.Response:
    limits = (_PAGE_SECONDS, _PAGE_BYTES) if is_page else (transport.TOTAL_SECONDS, transport.MAX_BYTES)
    session = transport.thread_session(server.policy, total_seconds=limits[0], max_bytes=limits[1])
    return session.get(url, headers={"Accept": server.dialect.accept[server.version], **headers})


def _absolute(server: FhirServer, address: str) -> str:
    try:
        return urljoin(server.base_url.rstrip("/") + "/", address)
    except ValueError:  # brackets that hold no address; the guard says so
        return address


def _parsed_link(url: str, policy: AddressPolicy) -> Address | None:
    try:
        return parse_address(url, policy)
    except UnsafeAddress:
        return None
