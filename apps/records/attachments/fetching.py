"""Ask a connection's provider for one file, once somebody wants it.

The token goes only to addresses below the connection's own FHIR base URL: `wire` refuses any other address before it
sends anything, and follows no redirect (C56, C62). If the provider refuses the token, it is refreshed once (C45).
"""

import base64
import binascii
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from apps.connections import refreshing
from apps.connections.models import Connection
from apps.connections.refreshing import NeedsReauthorization, NotYet, SwitchedOff
from apps.directory import reaching
from apps.records.attachments import sniffing
from apps.records.attachments.refusals import FileRefused, Reason
from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.observations import values
from apps.records.syncing import version_changes
from apps.records.syncing.workers import rate_limiting
from apps.wire import fhir
from apps.wire.dialects import FhirVersion
from apps.wire.errors import (
    AccessRefused,
    AuthorizationExpired,
    Code,
    EndpointMisconfigured,
    ForeignAddress,
    NotFound,
    RequestRefused,
    UnexpectedAnswer,
    WireError,
)
from apps.wire.fhir import Download, FhirServer
from apps.wire.secret import Secret

MOST_BYTES = 20_000_000  # less than the vault's limit for sealing

_LOG = logging.getLogger(__name__)
_FHIR_TYPES: Mapping[FhirVersion, str] = {  # facts 1.7: Binary refuses application/json
    FhirVersion.DSTU2: "application/json+fhir",
    FhirVersion.R4: "application/fhir+json",
}
_JSON = frozenset({"application/json", "application/fhir+json", "application/json+fhir", "text/json", ""})
_FHIR_XML = re.compile(
    rb"""\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?<(Binary|OperationOutcome)\s[^>]{0,500}?http://hl7\.org/fhir["']"""
)
_XML_DATA = re.compile(rb"""<(?:data|content)\s+value\s*=\s*["']([A-Za-z0-9+/=\s]++)["']""")
_REASONS: tuple[tuple[type[Exception], Reason], ...] = (
    (AccessRefused, Reason.NOT_ALLOWED),
    (NotFound, Reason.NOT_SENT),
    (RequestRefused, Reason.NOT_SENT),
    (ForeignAddress, Reason.ELSEWHERE),
    (UnexpectedAnswer, Reason.NOT_SENT),
    (AuthorizationExpired, Reason.SIGN_IN),
    (NeedsReauthorization, Reason.SIGN_IN),
    (SwitchedOff, Reason.SWITCHED_OFF),
)

Clock = Callable[[], datetime]


def inline(sent: Element) -> bytes | None:
    """The inline content of an Attachment or a Binary (`content` in DSTU2); None if there is none.

    Raises FileRefused if it is not base64, or too large.
    """
    written = sent.get("data") or sent.get("content")
    if not isinstance(written, str) or not written:
        return None
    if len(written) > MOST_BYTES * 3 // 2:
        raise FileRefused(Reason.TOO_LARGE, size=len(written) * 3 // 4)
    try:
        return base64.b64decode("".join(written.split()), validate=True)
    except (binascii.Error, ValueError):
        raise FileRefused(Reason.NOT_SENT) from None


def fetch(connection: Connection, sent: Element, *, clock: Clock) -> bytes:
    """Fetch the content of an Attachment in this connection's records. Call it outside of transactions.

    Raises FileRefused.
    """
    described = values.attachment(sent)
    if described.size > MOST_BYTES:
        raise FileRefused(Reason.TOO_LARGE, size=described.size)
    try:
        content = _unwrapped(_Asking(connection, clock).file(str(sent.get("url") or ""), described.media_type))
    except (WireError, NotYet, NeedsReauthorization, SwitchedOff) as error:
        _log(connection, error)
        raise FileRefused(_reason(error), size=described.size) from None
    if not content or sniffing.is_page_instead(content, declared=described.media_type):
        raise FileRefused(Reason.NOT_SENT)
    return content


class _Asking:
    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        server = reaching.fhir_server(connection.endpoint, connection.registration)
        self._server: FhirServer = replace(server, version=version_changes.version_of(connection))
        self._has_refreshed = False

    def file(self, address: str, declared: str) -> Download:
        """Ask for the file as its declared type, then as a Binary resource: as the server's FHIR type, then as in every
        other call (specification 4.1, rule 3).

        An address at another server is refused first, before anybody is asked to sign in for it.
        """
        fhir.file_url(self._server, address)
        accepted = tuple(self._accepted(declared))
        for accept in accepted[:-1]:
            try:
                return self._ask(address, accept)
            except RequestRefused as refusal:
                if refusal.status != 406:
                    raise
        return self._ask(address, accepted[-1])

    def _accepted(self, declared: str) -> Iterator[str]:
        fhir_type = _FHIR_TYPES[self._server.version]
        name = sniffing.media_type(declared)
        if name and name not in _JSON:
            yield name
        yield fhir_type
        usual = self._server.dialect.accept[self._server.version]
        if usual != fhir_type:
            yield usual

    def _ask(self, address: str, accept: str) -> Download:
        token = refreshing.usable_token(self._connection, at=self._clock())
        try:
            return self._download(address, accept, token)
        except AuthorizationExpired as refusal:
            if self._has_refreshed:
                raise
            _log(self._connection, refusal)
        self._has_refreshed = True
        token = refreshing.usable_token(self._connection, at=self._clock(), refused=token)
        return self._download(address, accept, token)

    def _download(self, address: str, accept: str, token: Secret) -> Download:
        rate_limiting.take_turn(self._connection, most=self._server.dialect.requests_per_minute, at=self._clock())
        return fhir.download(self._server, access_token=token, address=address, accept=accept, most_bytes=MOST_BYTES)


def _unwrapped(download: Download) -> bytes:
    """The file within a Binary resource, which servers may send whatever we accept; else the content itself. Raises
    FileRefused for an OperationOutcome."""
    name = sniffing.media_type(download.content_type)
    if name not in _JSON or not download.content.lstrip().startswith(b"{"):
        return _unwrapped_xml(download.content)
    resource = elements.parse(download.content)
    kind = elements.text(resource, "resourceType")
    if kind == "OperationOutcome":
        raise FileRefused(Reason.NOT_SENT)
    return (inline(resource) or b"") if kind == "Binary" else download.content


def _unwrapped_xml(content: bytes) -> bytes:
    """The same for a Binary in XML, which some servers send if we accept application/xml. We search it as text: we need
    only one attribute, and a parser could be tricked."""
    wrapped = _FHIR_XML.match(content)
    if wrapped is None:
        return content
    data = _XML_DATA.search(content, wrapped.end()) if wrapped[1] == b"Binary" else None
    if data is None:
        raise FileRefused(Reason.NOT_SENT)
    return inline({"data": data[1].decode("ascii")}) or b""


def _reason(error: Exception) -> Reason:
    if isinstance(error, WireError) and error.code is Code.TOO_LARGE:
        return Reason.TOO_LARGE
    if isinstance(error, EndpointMisconfigured) and error.code is Code.REDIRECTED:
        return Reason.ELSEWHERE
    return next((reason for kind, reason in _REASONS if isinstance(error, kind)), Reason.LATER)


def _log(connection: Connection, error: Exception) -> None:
    """Log the connection and the kind of error, but nothing that the provider sent, and no address."""
    code = error.code.value if isinstance(error, WireError) else ""
    _LOG.warning("A file did not come: connection %s: %s %s", connection.pk, type(error).__name__, code)
