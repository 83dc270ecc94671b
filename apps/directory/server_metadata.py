"""Copy an authorization server's metadata from a discovery to its row. Nothing is saved here.

A missing value erases nothing, unless the document that would contain it was read. Tokens are revoked and introspected
where they were issued, so such addresses at other origins are not stored. The issuer's origin never changes, because ID
tokens are trusted by it (interface facts 3.7); another one is left for staff to review.
"""

from collections.abc import Iterable, Iterator

from apps.directory import pinning
from apps.directory.models import AuthorizationServer
from apps.wire import resource_types, scopes
from apps.wire.dialects import FhirVersion
from apps.wire.discovery import Discovered, DiscoverySource, SmartConfiguration

_LONGEST_ADDRESS = 1000
_BESIDE_TOKENS = ("revocation_url", "introspection_url")
_ANYWHERE = ("management_url", "jwks_url")


def describe(server: AuthorizationServer, found: Discovered, version: FhirVersion) -> list[str]:
    """Set the columns. `version` is that of the FHIR base URL that was asked. Returns notes for staff about what was
    not believed."""
    is_complete = found.source is DiscoverySource.SMART_CONFIGURATION and not found.unavailable
    notes = [
        *_addresses(server, found.configuration, is_complete=is_complete),
        *_issuer(server, found.configuration.issuer),
    ]
    if found.source is DiscoverySource.SMART_CONFIGURATION:
        _abilities(server, found.configuration, version)
    return notes


def _addresses(server: AuthorizationServer, configuration: SmartConfiguration, *, is_complete: bool) -> Iterator[str]:
    for name in (*_BESIDE_TOKENS, *_ANYWHERE):
        url = getattr(configuration, name) or ""
        if len(url) > _LONGEST_ADDRESS:
            yield f"{name} too long"
        elif url and name in _BESIDE_TOKENS and not pinning.is_same_origin(url, server.token_url):
            yield f"{name} foreign"
        elif url or is_complete:
            setattr(server, name, url)


def _issuer(server: AuthorizationServer, issuer: str | None) -> Iterator[str]:
    """Learn the issuer, and allow ID tokens to name it. Issuers that staff added stay."""
    if not issuer or issuer == server.issuer:
        return
    if len(issuer) > _LONGEST_ADDRESS:
        yield "issuer too long"
    elif server.issuer and not pinning.is_same_origin(issuer, server.issuer):
        yield "issuer moved"
    else:
        others = [known for known in server.id_token_issuers if known not in {server.issuer, issuer}]
        server.issuer, server.id_token_issuers = issuer, [issuer, *others]


def _abilities(server: AuthorizationServer, configuration: SmartConfiguration, version: FhirVersion) -> None:
    methods = configuration.pkce_methods
    said = _short(configuration.scopes_supported, longest=300)
    server.capabilities = _short(sorted(configuration.capabilities), longest=100)
    server.scopes_supported = list(dict.fromkeys([*said, *_of_other_versions(server.scopes_supported, version)]))
    server.pkce_methods = None if methods is None else _short(sorted(methods), longest=20)
    server.names_issuer = configuration.names_issuer


def _of_other_versions(names: Iterable[str], version: FhirVersion) -> Iterator[str]:
    """Scopes for types that only another FHIR version has: a FHIR base URL of this version does not show that they are
    gone if both share an authorization server."""
    theirs = resource_types.only_in_others(version)
    for name in names:
        named = scopes.readable_types([name])
        if named and named <= theirs:
            yield name


def _short(names: Iterable[str], *, longest: int) -> list[str]:
    """Names that fit the column; no name that we know is longer."""
    return [name for name in names if len(name) <= longest]
