"""Requests to a FHIR server: whose record it is, single resources, searches page by page, files, and its capabilities.

Each request for data carries the bearer token in its Authorization header and nowhere else (RFC 6750 section 2.1), and
goes only to addresses below the FHIR base URL. What an answer is, its resourceType says: its headers are not believed.
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

# A page of results may be large and slow to make. Whatever a person waits for has the transport's usual limits.
_PAGE_SECONDS = 30.0
_PAGE_BYTES = 20_000_000
_FILE_SECONDS = 30.0
# We request gzip and decompress nothing else: a file would be stored compressed, and no program could open it.
_UNASKED_CODINGS = frozenset({"br", "compress", "zstd"})

# Limits for the people whom one sign-in may choose from. A person and a thread wait meanwhile, so no further page is
# requested after so many seconds.
_MOST_PATIENT_PAGES = 5
_MOST_PEOPLE = 50
_PEOPLE_SECONDS = transport.TOTAL_SECONDS


@dataclass(frozen=True)
class FhirServer:
    """One FHIR base URL, with or without a slash at its end, and what requests to it need."""

    base_url: str
    version: FhirVersion
    dialect: Dialect
    policy: AddressPolicy

    def stating(self, version: FhirVersion) -> "FhirServer":
        """The same server, whose metadata states another FHIR version than its endpoint has: requests to it accept that
        version first, and then the endpoint's (facts 1.7)."""
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
    """A file as it came. `content_type` is what the header says, which may be wrong."""

    content_type: str
    content: bytes


def find_patients(server: FhirServer, *, access_token: Secret) -> tuple[Resource, ...]:
    """The people whose records this token opens (specification P4): none, one, or several to choose from.

    The server may answer with a Patient or a searchset Bundle. Raises UnexpectedAnswer for more than 50 people, which
    no patient's token opens, and other errors of `errors`.
    """
    ends_at = time.monotonic() + _PEOPLE_SECONDS
    body = _get(server, server.url("Patient"), access_token)
    if bundles.resource_type_of(body) != "Bundle":
        return (_resource(body, "Patient"),)
    page = _page(body, server)
    found = list(page.resources)
    unreadable = page.unreadable
    for _further in range(_MOST_PATIENT_PAGES - 1):
        if not page.next_url:
            break
        if time.monotonic() > ends_at:
            raise Unavailable(code=Code.TIMED_OUT)
        page = _followed(server, page.next_url, access_token, is_page=False)
        found += page.resources
        unreadable += page.unreadable
    people = {patient.logical_id: patient for patient in found if patient.resource_type == "Patient"}
    if page.is_cut or (unreadable and not people):  # the one to choose may be among those that are missing
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=200)
    if len(people) > _MOST_PEOPLE:
        raise UnexpectedAnswer(code=Code.TOO_LARGE, status=200)
    return tuple(people.values())


class AnotherResource(UnexpectedAnswer):
    """The provider answered with another resource than the one requested, of the same or another type."""

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

    The server may also answer with a Bundle that contains it. Raises NotFound if it is gone, RequestRefused (without a
    request) for an impossible type or id, AnotherResource if another resource came, UnexpectedAnswer if anything else
    came, and other errors of `errors`.
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

    A 404 raises NotFound, but does not mean that there are no data: see `Dialect.fallback_statuses`. Raises
    RequestRefused (without a request) if the type cannot be searched by patient. A type that we do not know can only be
    if the capability statement declares that parameter (`is_declared`). Raises other errors of `errors`.
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
    """The page to which a next link leads. The link is used exactly as the server wrote it.

    Raises ForeignAddress, before anything is sent, if the link is not below the FHIR base URL, and other errors of
    `errors`.
    """
    return _followed(server, next_url, access_token, is_page=True)


def download(server: FhirServer, *, access_token: Secret, address: str, accept: str, most_bytes: int) -> Download:
    """The file at the address of an attachment. A relative address is below the FHIR base URL.

    `accept` is the requested media type: for the type of the file, Binary returns the file itself; for a FHIR type, a
    Binary resource (facts 1.7). Raises ForeignAddress, before anything is sent, if the address is not below the FHIR
    base URL; RequestRefused with status 406 if the server does not have that type; UnexpectedAnswer with the code
    too_large for more than `most_bytes`, whatever length the answer states; Unavailable if only a part came; and other
    errors of `errors`.
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
    """The address from which `download` would get this attachment. Requests nothing. Raises ForeignAddress."""
    url = _absolute(server, address)
    check_below(server, url)
    return url


def check_below(server: FhirServer, url: str) -> None:
    """Raise ForeignAddress if a token for this server must not be sent to this address. It may if the origin is the
    same and the path is below that of the base URL. Upper and lower case are the same there, because some servers at
    /r4 link to /R4."""
    base = parse_address(server.base_url, server.policy)
    linked = _parsed_link(url, server.policy)
    root = base.path.rstrip("/").lower()
    path = linked.path.lower() if linked else ""
    if linked is None or linked.origin != base.origin or not (path == root or path.startswith(root + "/")):
        raise ForeignAddress(fault=AddressFault.PATH, code=Code.FOREIGN_ADDRESS)


def capability(server: FhirServer) -> CapabilityStatement:
    """What the server says that it supports (specification P6). The request carries no token.

    Raises EndpointMisconfigured if there is no statement: for an address that does not exist, some servers answer 401,
    403, 404 or a page of HTML (interface facts 1.5). Raises other errors of `errors`.
    """
    return read_capability_statement(metadata(server))


def metadata(server: FhirServer) -> Mapping[str, Any]:
    """The statement as it came, for other modules of this package. Raises what `capability` raises."""
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
    """One page of rows. If there are none, and an OperationOutcome says that the server cannot answer now, that error
    is raised despite status 200: otherwise it would look as if there were no data."""
    page = _read(body, lambda: bundles.read_page(body, base_url=server.base_url))
    has_more = page.next_url is not None or page.is_cut
    if isinstance(page.failure, Unavailable) and not (page.resources or page.unreadable or has_more):
        raise page.failure
    return page


def _on_page(body: bytes, server: FhirServer, resource_type: str, logical_id: str) -> Resource | None:
    """The resource, if the body is a Bundle that contains it; else None."""
    try:
        with large_answers.one_at_a_time(len(body)):
            rows = bundles.read_page(body, base_url=server.base_url).resources
    except UnexpectedAnswer:
        return None
    return next((row for row in rows if (row.resource_type, row.logical_id) == (resource_type, logical_id)), None)


def _resource(body: bytes, resource_type: str) -> Resource:
    return _read(body, lambda: bundles.read_resource(body, resource_type=resource_type))


def _read(body: bytes, reader: Callable[[], T]) -> T:
    """What the reader finds in the body. If the body is only an OperationOutcome, which some servers send with status
    200, raises the error that it reports."""
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
    """The body of a data answer with status 200. Raises the error of any other."""
    return http_responses.data_of(_answered(server, url, access_token, is_page=is_page))


def _answered(server: FhirServer, url: str, access_token: Secret, *, is_page: bool = False) -> requests.Response:
    return _succeeded(_ask(server, url, {"Authorization": f"Bearer {access_token.reveal()}"}, is_page=is_page))


def _succeeded(response: requests.Response) -> requests.Response:
    """The answer, if its status is 200. Raises the error of any other."""
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
    except ValueError:  # brackets without an IPv6 address in them: the guard refuses it
        return address


def _parsed_link(url: str, policy: AddressPolicy) -> Address | None:
    try:
        return parse_address(url, policy)
    except UnsafeAddress:
        return None
