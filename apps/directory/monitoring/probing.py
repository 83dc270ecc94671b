"""Probe an endpoint: its certificate, its capability statement, and where its patients sign in.

Requests carry no token, and nothing that could lock or count against anybody. Of the hosts where patients sign in, only
the certificate is checked: a request there would need a client id to be meaningful, and without one might count as a
failed authentication. If nothing answers, nothing more is requested there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from apps.audit.recording import Actor
from apps.directory import discovering, reaching
from apps.directory.models import Endpoint, EndpointCheck
from apps.wire import certificates, fhir, resource_types
from apps.wire.addresses import parse_address
from apps.wire.capability_statements import CapabilityStatement
from apps.wire.certificates import Certificate, CertificateFault
from apps.wire.dialects import DIALECTS, Interface
from apps.wire.errors import Code, Unavailable, WireError

Finding = EndpointCheck.Finding

_BY_CODE: Mapping[Code, EndpointCheck.Finding] = {
    Code.UNSAFE_ADDRESS: Finding.UNSAFE_ADDRESS,
    Code.REDIRECTED: Finding.REDIRECTED,
    Code.TOO_LARGE: Finding.TOO_LARGE,
    Code.UNTRUSTED_CERTIFICATE: Finding.CERTIFICATE_UNTRUSTED,
    Code.UNKNOWN_VERSION: Finding.UNKNOWN_VERSION,
    Code.NO_SMART_CONFIGURATION: Finding.NO_SMART_CONFIGURATION,
    Code.FOREIGN_ADDRESS: Finding.ADDRESSES_MOVED,
    Code.UNAUTHORIZED_CLIENT: Finding.NOT_ENABLED,
}
_BY_CERTIFICATE: Mapping[CertificateFault, EndpointCheck.Finding] = {
    CertificateFault.EXPIRED: Finding.CERTIFICATE_EXPIRED,
    CertificateFault.NOT_YET: Finding.CERTIFICATE_NOT_YET,
    CertificateFault.OTHER_HOST: Finding.CERTIFICATE_OTHER_HOST,
    CertificateFault.UNTRUSTED: Finding.CERTIFICATE_UNTRUSTED,
    CertificateFault.OLD_TLS: Finding.OLD_TLS,
}


@dataclass
class Seen:
    """What was found. `hosts`, by origin, are all that were asked for a certificate, whether they presented one or
    not."""

    faults: list[EndpointCheck.Finding] = field(default_factory=list)
    statement: CapabilityStatement | None = None
    certificates: list[Certificate] = field(default_factory=list)
    hosts: dict[str, str] = field(default_factory=dict)

    def is_wrong(self, fault: EndpointCheck.Finding) -> None:
        """Add a fault, once."""
        if fault not in self.faults:
            self.faults.append(fault)


def probe(endpoint: Endpoint, *, actor: Actor, at: datetime) -> Seen:
    """Request everything, one after the other: a minute at most. The endpoint object is updated by discovery.

    Never raises for what the server does. Speaks to the network: call it outside transactions.
    """
    seen = Seen()
    if endpoint.dialect not in DIALECTS:
        seen.is_wrong(Finding.INTERFACE_NOT_SPOKEN)
        return seen
    _look_at_host(seen, endpoint.fhir_base_url, silent=Finding.NO_ANSWER)
    if not seen.faults:
        _look_at_statement(seen, endpoint)
        if endpoint.interface == Interface.SMART and Finding.NO_ANSWER not in seen.faults:
            _look_for_sign_in(seen, endpoint, actor=actor, at=at)
    for url in _sign_in_addresses(endpoint):
        _look_at_host(seen, url, silent=Finding.NO_SIGN_IN)
    return seen


def _look_at_host(seen: Seen, url: str, *, silent: EndpointCheck.Finding) -> None:
    """Check its certificate, unless that was done already; `silent` is the finding if there is no answer."""
    policy = reaching.address_policy()
    try:
        address = parse_address(url, policy)
        if address.origin in seen.hosts:
            return
        seen.hosts[address.origin] = address.host
        certificate = certificates.presented(url, policy=policy)
    except WireError as error:
        seen.is_wrong(_BY_CODE.get(error.code, silent))
        return
    if certificate is not None:
        seen.certificates.append(certificate)
        if certificate.fault is not None:
            seen.is_wrong(_BY_CERTIFICATE[certificate.fault])


def _look_at_statement(seen: Seen, endpoint: Endpoint) -> None:
    """Interface facts 1.5, and specification 4.1 rule 1: the directory determines the version."""
    try:
        seen.statement = fhir.capability(reaching.fhir_server(endpoint))
    except Unavailable:
        seen.is_wrong(Finding.NO_ANSWER)
        return
    except WireError as error:
        seen.is_wrong(_BY_CODE.get(error.code, Finding.NO_METADATA))
        return
    if seen.statement.version != endpoint.fhir_version or seen.statement.is_odd:
        seen.is_wrong(Finding.OTHER_VERSION)


def _look_for_sign_in(seen: Seen, endpoint: Endpoint, *, actor: Actor, at: datetime) -> None:
    """Discover again, and store as always. If an organization admits nobody, there is no statement either."""
    try:
        discovering.discover(endpoint, at=at, actor=actor)
    except WireError as error:
        fault = _BY_CODE.get(error.code, Finding.NOT_DISCOVERED)
        if fault is Finding.NOT_ENABLED and Finding.NO_METADATA in seen.faults:
            seen.faults.remove(Finding.NO_METADATA)
        seen.is_wrong(fault)


def _sign_in_addresses(endpoint: Endpoint) -> Iterator[str]:
    server = endpoint.authorization_server
    if server is not None:
        yield server.authorize_url
        yield server.token_url


def offers_something(statement: CapabilityStatement) -> bool:
    """Whether it offers a resource type that a search by patient can copy."""
    known = (resource_types.find(statement.version, name) for name in statement.types)
    return any(found is not None and found.takes_patient for found in known)
