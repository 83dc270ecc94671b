"""Which scopes a sign-in asks for, and which of them count as granted (specification 5.2; interface facts 3.8, 3.9).

Interface A has none, unless its registration names some. On interface B the smallest scopes for reading what we know
are asked for, written as the registration says; what was asked is kept beside what was granted.
"""

from collections.abc import Iterable
from typing import cast

from apps.directory import reaching
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from apps.wire import resource_types, scopes
from apps.wire.dialects import FhirVersion, Interface
from apps.wire.errors import WireError
from apps.wire.resource_types import RESOURCE_TYPES
from apps.wire.scopes import LaunchKind, RefreshScope, SmartVersion

LONGEST = 4000  # of the columns that hold a scope

_PERSON = "Patient"


def to_ask(
    endpoint: Endpoint, registration: ClientRegistration, server: AuthorizationServer, *, is_launched: bool
) -> str:
    """The scope parameter, or empty where none is sent. `is_launched`: the provider's own portal started us.

    Raises RequestRefused where the registration's own scope is outside the grammar.
    """
    launch = LaunchKind.EHR if is_launched else LaunchKind.STANDALONE
    if registration.scope:
        return scopes.joined(_with_launch(registration.scope.split(), launch))
    if endpoint.interface != Interface.SMART:
        return ""
    names = scopes.request(
        version=SmartVersion(registration.smart_version),
        resource_types=_types(endpoint, server),
        launch=launch,
        refresh=cast("RefreshScope", registration.refresh_scope) if registration.refresh_scope else None,
        identity=registration.asks_identity,
        supported=server.scopes_supported,
    )
    return scopes.joined(names)


def to_register(endpoint: Endpoint, registration: ClientRegistration) -> tuple[str, ...]:
    """Every scope that a sign-in at this endpoint may ask for, started here or from a provider's own portal: what the
    application is to be registered with. Empty where the interface has none, or they cannot be written."""
    server = reaching.authorization_server(endpoint, registration)
    try:
        asked = [to_ask(endpoint, registration, server, is_launched=is_launched) for is_launched in (False, True)]
    except WireError:
        return ()
    return tuple(dict.fromkeys(name for scope in asked for name in scope.split()))


def refresh_scope(registration: ClientRegistration) -> str:
    """The refresh scope that a sign-in on interface B asks for, the longer one where it asks for both; empty for none.
    What the registration writes as its whole scope is asked for, whatever else was chosen."""
    if not registration.scope:
        return registration.refresh_scope
    asked = registration.scope.split()
    return next((name for name in ("offline_access", "online_access") if name in asked), "")


def granted(requested: str, names: Iterable[str] | None) -> str:
    """What counts as granted: what the server said, or else all that was asked (RFC 6749 section 5.1). Whole names
    only, as many as the column holds."""
    written = requested if names is None else " ".join(names)
    return written if len(written) <= LONGEST else written[:LONGEST].rpartition(" ")[0]


def granted_still(held: str, names: Iterable[str] | None) -> str:
    """What counts as granted after a refresh that named these scopes: of resources those, fewer where the patient took
    some back; and all else as the sign-in left it, since many servers leave it out later. All stays where no resource
    is named."""
    before = held.split()
    told = [name for name in dict.fromkeys(names or ()) if _is_of_resources(name)]
    if not told or set(told) == {name for name in before if _is_of_resources(name)}:
        return held
    return granted(held, [*(name for name in before if not _is_of_resources(name)), *told])


def asks_identity(requested: str) -> bool:
    """Whether an ID token was asked for, which a nonce ties to this request."""
    return "openid" in requested.split()


def is_launched(requested: str) -> bool:
    """Whether the provider's own portal started the sign-in that asked for this."""
    return LaunchKind.EHR.value in requested.split()


def lacks_person(requested: str, granted_names: Iterable[str] | None) -> bool:
    """Whether the patient's own entry was asked for and not given: then nobody can be shown to say yes to."""
    asked = scopes.readable_types(requested.split())
    if granted_names is None or asked is None or _PERSON not in asked:
        return False
    given = scopes.readable_types(granted_names)
    return given is None or _PERSON not in given


def _is_of_resources(name: str) -> bool:
    return scopes.readable_types([name]) is not None


def _with_launch(names: list[str], launch: LaunchKind) -> list[str]:
    """The scope of the other kind of start would be refused (interface facts 3.4): it gives way. Without its own, the
    launch of a portal would be."""
    written = [launch.value if name in set(LaunchKind) else name for name in names]
    return [launch.value, *written] if launch is LaunchKind.EHR and launch.value not in written else written


def _types(endpoint: Endpoint, server: AuthorizationServer) -> list[str]:
    """Those we know how to ask for, less those that a server which lists its scopes leaves out."""
    version = FhirVersion(endpoint.fhir_version)
    listed = scopes.readable_types(server.scopes_supported)
    if not listed:
        return list(RESOURCE_TYPES[version])
    believed = {_PERSON, *listed, *_unsaid(listed, version)}
    return [name for name in RESOURCE_TYPES[version] if name in believed]


def _unsaid(listed: frozenset[str], version: FhirVersion) -> frozenset[str]:
    """The types of which this list says nothing: it is that of another FHIR version's root, which may share the
    authorization server, where this one's has no list (interface facts 3.3)."""
    ours, theirs = resource_types.only_in(version), resource_types.only_in_others(version)
    return ours if listed & theirs and not listed & ours else frozenset()
