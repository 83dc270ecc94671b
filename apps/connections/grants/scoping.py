"""Which scopes a sign-in asks for, and which count as granted (specification 5.2; interface facts 3.8, 3.9).

Interface A has no scopes, unless its registration names some. On interface B we ask for the smallest scopes that read
what we can present, in the notation that the registration names. What was asked for is stored beside what was granted.
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

LONGEST = 4000  # the length of the columns that hold a scope

_PERSON = "Patient"


def to_ask(
    endpoint: Endpoint, registration: ClientRegistration, server: AuthorizationServer, *, is_launched: bool
) -> str:
    """The scope parameter, empty if none is sent. `is_launched`: the sign-in began in the provider's own portal.

    Raises RequestRefused if the registration's own scope violates the grammar.
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
    """Every scope that a sign-in at this endpoint may ask for, whether it begins here or in the provider's portal: the
    application must be registered with them. Empty if the interface has no scopes, or they cannot be written."""
    server = reaching.authorization_server(endpoint, registration)
    try:
        asked = [to_ask(endpoint, registration, server, is_launched=is_launched) for is_launched in (False, True)]
    except WireError:
        return ()
    return tuple(dict.fromkeys(name for scope in asked for name in scope.split()))


def refresh_scope(registration: ClientRegistration) -> str:
    """The refresh scope that a sign-in on interface B asks for, the longer-lasting one if it asks for both; empty for
    none. If the registration has a scope of its own, that decides, whatever else was chosen."""
    if not registration.scope:
        return registration.refresh_scope
    asked = registration.scope.split()
    return next((name for name in ("offline_access", "online_access") if name in asked), "")


def granted(requested: str, names: Iterable[str] | None) -> str:
    """What counts as granted: what the server said, or else everything that was asked for (RFC 6749 section 5.1). Cut
    to whole names that fit the column."""
    written = requested if names is None else " ".join(names)
    return written if len(written) <= LONGEST else written[:LONGEST].rpartition(" ")[0]


def granted_still(held: str, names: Iterable[str] | None) -> str:
    """What counts as granted after a refresh whose response named these scopes. Resource scopes are replaced by those
    named, which may be fewer if the patient took some back. All others stay as they were at the sign-in, because many
    servers leave them out later. If no resource scope is named, nothing changes."""
    before = held.split()
    told = [name for name in dict.fromkeys(names or ()) if _is_of_resources(name)]
    if not told or set(told) == {name for name in before if _is_of_resources(name)}:
        return held
    return granted(held, [*(name for name in before if not _is_of_resources(name)), *told])


def asks_identity(requested: str) -> bool:
    """Whether an ID token was asked for, which a nonce ties to the request."""
    return "openid" in requested.split()


def is_launched(requested: str) -> bool:
    """Whether the sign-in that asked for this scope began in the provider's own portal."""
    return LaunchKind.EHR.value in requested.split()


def lacks_person(requested: str, granted_names: Iterable[str] | None) -> bool:
    """Whether the Patient resource was asked for and not granted: then there is nobody to show for confirmation."""
    asked = scopes.readable_types(requested.split())
    if granted_names is None or asked is None or _PERSON not in asked:
        return False
    given = scopes.readable_types(granted_names)
    return given is None or _PERSON not in given


def _is_of_resources(name: str) -> bool:
    return scopes.readable_types([name]) is not None


def _with_launch(names: list[str], launch: LaunchKind) -> list[str]:
    """A server refuses the launch scope of the other kind of start (interface facts 3.4), so that one is replaced; and
    it refuses a portal's launch without the launch scope, so that is added."""
    written = [launch.value if name in set(LaunchKind) else name for name in names]
    return [launch.value, *written] if launch is LaunchKind.EHR and launch.value not in written else written


def _types(endpoint: Endpoint, server: AuthorizationServer) -> list[str]:
    """The types that we can ask for, without those that the server's list of scopes leaves out."""
    version = FhirVersion(endpoint.fhir_version)
    listed = scopes.readable_types(server.scopes_supported)
    if not listed:
        return list(RESOURCE_TYPES[version])
    believed = {_PERSON, *listed, *_unsaid(listed, version)}
    return [name for name in RESOURCE_TYPES[version] if name in believed]


def _unsaid(listed: frozenset[str], version: FhirVersion) -> frozenset[str]:
    """The types about which this list says nothing: if it lists types of another FHIR version only, it belongs to that
    version's root, which may share the authorization server, and this version's root has no list (interface facts
    3.3)."""
    ours, theirs = resource_types.only_in(version), resource_types.only_in_others(version)
    return ours if listed & theirs and not listed & ours else frozenset()
