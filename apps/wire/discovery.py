"""Discovering where the people of a SMART deployment sign in. Both documents are read, and nothing is guessed.

The SMART configuration is preferred. Without one, the extension of the capability statement is used. If the two differ,
that is reported (interface facts 3.3; SMART App Launch 1.0 had both, and 2.2 calls the extension deprecated). No token
is sent, and only addresses below the FHIR base URL are requested.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from apps.wire import fhir, public_documents
from apps.wire.addresses import parse_address
from apps.wire.errors import (
    Code,
    EndpointMisconfigured,
    OrganizationNotEnabled,
    Unavailable,
    UnexpectedAnswer,
    UnsafeAddress,
    WireError,
)
from apps.wire.fhir import FhirServer
from apps.wire.smart_configuration import SmartConfiguration, Stated, read_oauth_uris, read_smart_configuration

__all__ = ["Discovered", "DiscoverySource", "SmartConfiguration", "discover"]

_LARGEST_CONFIGURATION_BYTES = 1_000_000
# These mean that there is no such document. Any other fault, such as an untrusted certificate, is the whole server's.
_ABSENT = frozenset({Code.NO_SMART_CONFIGURATION, Code.NO_METADATA, Code.REDIRECTED, Code.TOO_LARGE, Code.UNREADABLE})
_FORBIDDEN = 403
_INDISPENSABLE = ("authorize_url", "token_url")


class DiscoverySource(StrEnum):
    """Which document the authorize and token addresses come from."""

    SMART_CONFIGURATION = "smart_configuration"
    CAPABILITY_STATEMENT = "capability_statement"


@dataclass(frozen=True)
class Discovered:
    """What was found, and what staff should review about it, by the names of SmartConfiguration's fields.

    `disagreements` are stated differently by the two documents. `refused` are addresses that we would not connect to.
    `unavailable` are documents that could not be read just now, so that something may be missing.
    """

    configuration: SmartConfiguration
    source: DiscoverySource
    disagreements: tuple[str, ...]
    refused: tuple[str, ...] = ()
    unavailable: tuple[DiscoverySource, ...] = ()


def discover(server: FhirServer) -> Discovered:
    """Request both documents, one after the other, which takes up to twice the transport's total time.

    Raises EndpointMisconfigured (NO_SMART_CONFIGURATION) if neither states both addresses; UnsafeAddress if we would
    not connect to the addresses or to the FHIR base URL itself; EndpointMisconfigured with the transport's code if the
    server's certificate is not trusted; OrganizationNotEnabled if both documents are forbidden, as they are for a
    tenant that lets nobody in (interface facts 3.1); Unavailable if nothing was found, and a document could not be read
    now.
    """
    found, failures = _asked(server)
    preferred = next((source for source in DiscoverySource if source in found and found[source].is_enough), None)
    if preferred is not None:
        return _discovered(server, found, preferred)
    if failures:
        raise failures[0]
    for stated in found.values():
        for name in _INDISPENSABLE:
            if name in stated.refused:
                raise UnsafeAddress(fault=stated.refused[name])
    raise EndpointMisconfigured(code=Code.NO_SMART_CONFIGURATION)


def _asked(server: FhirServer) -> tuple[dict[DiscoverySource, Stated], list[WireError]]:
    """What each document states, and why some could not be read. If only one is forbidden, it counts as absent."""
    found: dict[DiscoverySource, Stated] = {}
    failures: list[WireError] = []
    refusals: list[WireError] = []
    for source in DiscoverySource:
        try:
            found[source] = _stated(server, source)
        except Unavailable as failure:
            failures.append(failure)
        except OrganizationNotEnabled as refusal:
            found[source] = Stated()
            refusals.append(refusal)
    return found, refusals if len(refusals) == len(DiscoverySource) else failures


def _stated(server: FhirServer, source: DiscoverySource) -> Stated:
    """What one document states; nothing if there is no such document. Raises what is wrong with the server as a
    whole."""
    try:
        if source is DiscoverySource.SMART_CONFIGURATION:
            document = public_documents.document(
                # appended to the whole base URL, unlike RFC 8414: SMART App Launch 2.2, interface facts 3.3
                server.url(".well-known", "smart-configuration"),
                policy=server.policy,
                absent=Code.NO_SMART_CONFIGURATION,
                max_bytes=_LARGEST_CONFIGURATION_BYTES,
            )
            return read_smart_configuration(document, base_url=server.base_url, policy=server.policy)
        return read_oauth_uris(fhir.metadata(server), base_url=server.base_url, policy=server.policy)
    except (EndpointMisconfigured, UnexpectedAnswer) as failure:
        if failure.code not in _ABSENT:
            raise
        is_forbidden = failure.status == _FORBIDDEN
    if is_forbidden:  # raised outside the except block, so that the other failure does not become its context
        raise OrganizationNotEnabled(code=Code.UNAUTHORIZED_CLIENT, status=_FORBIDDEN)
    return Stated()


def _discovered(server: FhirServer, found: dict[DiscoverySource, Stated], source: DiscoverySource) -> Discovered:
    """The authorize and token address of the preferred document, as a pair; of the rest, what either document
    states."""
    stated = found[source]
    others = [other for name, other in found.items() if name is not source]
    values: dict[str, Any] = {}
    for each in (*others, stated):  # the preferred one last: it states both of the two and so decides them
        values |= each.addresses
    values |= found.get(DiscoverySource.SMART_CONFIGURATION, Stated()).abilities
    disagreements = {
        name
        for other in others
        for name, url in other.addresses.items()
        if name in stated.addresses and not _is_same(url, stated.addresses[name], server)
    }
    return Discovered(
        configuration=SmartConfiguration(**values),
        source=source,
        disagreements=tuple(sorted(disagreements)),
        refused=tuple(sorted({name for each in found.values() for name in each.refused})),
        unavailable=tuple(each for each in DiscoverySource if each not in found),
    )


def _is_same(one: str, other: str, server: FhirServer) -> bool:
    """Whether two addresses are the same, apart from the case of the host and an explicit default port."""
    if one == other:
        return True
    first, second = parse_address(one, server.policy), parse_address(other, server.policy)
    return first == second and one.partition("?")[1:] == other.partition("?")[1:]
