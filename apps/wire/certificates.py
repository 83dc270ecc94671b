"""Looking at the certificate of a host: who issued it, until when it is valid, and what is wrong with it.

Only a TLS handshake is made, to addresses that the guard allows and under one deadline; no request is sent. If it
fails, a second handshake without verification looks at the certificate, so that staff learn why. Nothing is sent over
that connection either.
"""

import hashlib
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from cryptography import x509
from cryptography.x509.oid import NameOID

from apps.wire import sockets, transport
from apps.wire.addresses import Address, AddressPolicy, parse_address
from apps.wire.errors import Code, Unavailable, UnexpectedAnswer
from apps.wire.sockets import Deadline

_ISSUERS_NAME = (NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME)
_LONGEST_NAME = 100
_OLD_TLS = frozenset({"TLSv1", "TLSv1.1", "SSLv3"})


class CertificateFault(StrEnum):
    """Why we do not connect to a host with this certificate."""

    EXPIRED = "expired"
    NOT_YET = "not_yet"
    OTHER_HOST = "other_host"
    UNTRUSTED = "untrusted"
    OLD_TLS = "old_tls"


# X509_V_ERR_…: openssl-verification-options(1), x509_vfy.h. Every other code means that it is untrusted.
_BY_VERIFY_CODE = {
    9: CertificateFault.NOT_YET,
    10: CertificateFault.EXPIRED,
    62: CertificateFault.OTHER_HOST,
    64: CertificateFault.OTHER_HOST,
}


@dataclass(frozen=True)
class Certificate:
    """The certificate of a host. `issuer` is its issuer's common name, or else organization, or empty. `digest` is the
    SHA-256 of the whole certificate in hexadecimal. `tls_version` is, for example, "TLSv1.3". `fault` is None if we
    would connect."""

    host: str
    issuer: str
    ends_at: datetime
    digest: str
    tls_version: str
    fault: CertificateFault | None


def presented(url: str, *, policy: AddressPolicy, total_seconds: float = transport.TOTAL_SECONDS) -> Certificate | None:
    """The certificate of the host of this address; None for plain http, which has none.

    Raises UnsafeAddress before anything is sent, Unavailable if no handshake is completed in time, and UnexpectedAnswer
    if the certificate cannot be read.
    """
    address = parse_address(url, policy)
    if address.scheme != "https":
        return None
    deadline = Deadline()
    deadline.start(total_seconds)
    failure: Exception
    try:
        return _seen(address, deadline)
    except OSError as unprintable:  # TLS errors are of this kind
        is_late = deadline.is_over() or isinstance(unprintable, TimeoutError)
        failure = Unavailable(code=Code.TIMED_OUT if is_late else Code.UNREACHABLE)
    except (ValueError, x509.InvalidVersion):
        failure = UnexpectedAnswer(code=Code.UNREADABLE)
    raise failure  # not inside an except block, where the library's exception would become its context


def _seen(address: Address, deadline: Deadline) -> Certificate:
    fault = None
    try:
        encoded, tls_version = _handshake(address, deadline, transport.tls_context)
    except ssl.SSLError as refusal:
        encoded, tls_version = _handshake(address, deadline, _looking_context)
        fault = _fault(refusal, tls_version)
    certificate = x509.load_der_x509_certificate(encoded)
    return Certificate(
        host=address.host,
        issuer=_issuer(certificate),
        ends_at=certificate.not_valid_after_utc,
        digest=hashlib.sha256(encoded).hexdigest(),
        tls_version=tls_version,
        fault=fault,
    )


def _handshake(address: Address, deadline: Deadline, context: Callable[[], ssl.SSLContext]) -> tuple[bytes, str]:
    """The encoded certificate, and the TLS version. The handshake is one call, which the socket's time-out limits."""
    with sockets.connect(address.host, address.port, scheme="https", deadline=deadline) as plain:
        plain.settimeout(deadline.remaining_seconds())
        with context().wrap_socket(plain, server_hostname=address.host) as wrapped:
            encoded, version = wrapped.getpeercert(binary_form=True), wrapped.version()
    if encoded is None or version is None:
        raise ssl.SSLError
    return encoded, version


def _fault(refusal: ssl.SSLError, tls_version: str) -> CertificateFault:
    if isinstance(refusal, ssl.SSLCertVerificationError):
        return _BY_VERIFY_CODE.get(refusal.verify_code, CertificateFault.UNTRUSTED)
    if tls_version in _OLD_TLS:
        return CertificateFault.OLD_TLS
    raise refusal  # the first handshake failed and the second did not, for an unknown reason


@lru_cache(maxsize=1)
def _looking_context() -> ssl.SSLContext:
    """A context that verifies nothing and accepts every version: only for looking at a certificate that was refused."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.set_ciphers("ALL:@SECLEVEL=0")
    return context


def _issuer(certificate: x509.Certificate) -> str:
    for name in _ISSUERS_NAME:
        for attribute in certificate.issuer.get_attributes_for_oid(name):
            written = attribute.value if isinstance(attribute.value, str) else ""
            shown = "".join(character for character in written if character.isprintable())[:_LONGEST_NAME]
            if shown:
                return shown
    return ""
