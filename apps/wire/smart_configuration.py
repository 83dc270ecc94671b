"""Reading the two documents in which a SMART server describes itself.

They are the SMART configuration (under `.well-known`) and the oauth-uris extension of the capability statement; both
are read into the same dataclass. Nothing is derived: no address from another address, no issuer from an address
(specification 4.2 rule 1; interface facts 3.2, 3.3 and 3.7). An address that the guard refuses is reported, and counts
as not stated.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from apps.wire.addresses import AddressPolicy, check_address
from apps.wire.capability_statements import objects, servers
from apps.wire.errors import AddressFault, UnsafeAddress

OAUTH_URIS = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"

_WELL_KNOWN_NAMES = {  # nosec B105 - names, not tokens
    "authorization_endpoint": "authorize_url",
    "token_endpoint": "token_url",
    "revocation_endpoint": "revocation_url",
    "management_endpoint": "management_url",
    "introspection_endpoint": "introspection_url",
    "jwks_uri": "jwks_url",
}
_EXTENSION_NAMES = {  # nosec B105 - names, not tokens
    "authorize": "authorize_url",
    "token": "token_url",
    "revoke": "revocation_url",
    "manage": "management_url",
    "introspect": "introspection_url",
}
_STATEMENTS = ("Conformance", "CapabilityStatement")  # a tuple and no set, because a server may send an unhashable list
_MOST_NAMES = 2_000  # Cerner lists 303 scopes
_NAME = re.compile(r"[\x21-\x7e]{1,300}")


@dataclass(frozen=True)
class SmartConfiguration:
    """The addresses and abilities of one deployment. Every address is absolute, and passed the guard.

    None or empty means that it is not stated; an empty `pkce_methods` is stated, though, and means that there are none.
    `names_issuer`: authorization responses have an `iss` (RFC 9207). `issuer` is exactly as written, for comparison.
    """

    authorize_url: str
    token_url: str
    revocation_url: str | None = None
    management_url: str | None = None
    introspection_url: str | None = None
    issuer: str | None = None
    jwks_url: str | None = None
    capabilities: frozenset[str] = frozenset()
    scopes_supported: tuple[str, ...] = ()
    pkce_methods: frozenset[str] | None = None
    names_issuer: bool = False


@dataclass(frozen=True)
class Stated:
    """What one document states, by the names of SmartConfiguration's fields.

    `refused` are the addresses that we would not connect to, each with the reason.
    """

    addresses: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, AddressFault] = field(default_factory=dict)
    abilities: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_enough(self) -> bool:
        """Whether it has the two addresses without which nobody can sign in."""
        return "authorize_url" in self.addresses and "token_url" in self.addresses


def read_smart_configuration(document: Mapping[str, Any], *, base_url: str, policy: AddressPolicy) -> Stated:
    """Read the JSON below `.well-known` (interface facts 3.3). Raises nothing: invalid values count as not stated."""
    written = {ours: document[theirs] for theirs, ours in _WELL_KNOWN_NAMES.items() if document.get(theirs)}
    addresses, refused = _judged(written, base_url=base_url, policy=policy)
    issuer = document.get("issuer")
    if issuer:
        fault = _fault(issuer, policy)
        if fault is None:
            addresses["issuer"] = issuer
        else:
            refused["issuer"] = fault
    methods = document.get("code_challenge_methods_supported")
    abilities = {
        "capabilities": frozenset(_names(document.get("capabilities"))),
        "scopes_supported": tuple(dict.fromkeys(_names(document.get("scopes_supported")))),
        "pkce_methods": frozenset(_names(methods)) if isinstance(methods, list) else None,
        "names_issuer": document.get("authorization_response_iss_parameter_supported") is True,
    }
    return Stated(addresses, refused, abilities)


def read_oauth_uris(statement: Mapping[str, Any], *, base_url: str, policy: AddressPolicy) -> Stated:
    """Read the oauth-uris extension of a Conformance or CapabilityStatement (interface facts 3.2).

    If no extension has exactly that URL, one whose URL differs only in case is taken, if it is the only one and all its
    addresses pass the guard. Raises nothing: invalid values, and those stated twice and differently, count as not
    stated.
    """
    if statement.get("resourceType") not in _STATEMENTS:
        return Stated()
    extensions = [extension for server in servers(statement) for extension in _security_extensions(server)]
    exact = [extension for extension in extensions if extension["url"] == OAUTH_URIS]
    alike = [extension for extension in extensions if extension["url"].lower() == OAUTH_URIS.lower()]
    if not exact and len(alike) != 1:
        return Stated()
    written: dict[str, Any] = {}
    for extension in exact or alike:
        for name, value in _inner(extension):
            written[name] = value if written.get(name, value) == value else None
    stated = {ours: written[theirs] for theirs, ours in _EXTENSION_NAMES.items() if written.get(theirs)}
    addresses, refused = _judged(stated, base_url=base_url, policy=policy)
    return Stated(addresses, refused) if exact or not refused else Stated({}, refused)


def _security_extensions(server: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    security = server.get("security")
    for extension in objects(security, "extension") if isinstance(security, dict) else ():
        if isinstance(extension.get("url"), str):
            yield extension


def _inner(extension: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The name and the address of each inner extension."""
    for inner in objects(extension, "extension"):
        if isinstance(inner.get("url"), str):
            yield inner["url"], inner.get("valueUri")


def _judged(
    written: Mapping[str, Any], *, base_url: str, policy: AddressPolicy
) -> tuple[dict[str, str], dict[str, AddressFault]]:
    """The addresses that pass the guard, and why the others do not. Relative ones are below the FHIR base URL."""
    addresses: dict[str, str] = {}
    refused: dict[str, AddressFault] = {}
    for name, value in written.items():
        url = _absolute(base_url, value) if isinstance(value, str) else value
        fault = _fault(url, policy)
        if fault is None:
            addresses[name] = url
        else:
            refused[name] = fault
    return addresses, refused


def _absolute(base_url: str, url: str) -> str:
    try:
        return urljoin(base_url.rstrip("/") + "/", url)
    except ValueError:  # brackets without an IPv6 address in them: the guard will refuse it
        return url


def _fault(url: object, policy: AddressPolicy) -> AddressFault | None:
    if not isinstance(url, str):
        return AddressFault.CHARACTER
    try:
        check_address(url, policy)
    except UnsafeAddress as refusal:
        return refusal.fault
    return None


def _names(value: object) -> Iterator[str]:
    """The valid members of a list of names."""
    for name in (value if isinstance(value, list) else [])[:_MOST_NAMES]:
        if isinstance(name, str) and _NAME.fullmatch(name):
            yield name
