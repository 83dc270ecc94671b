"""Which URLs a root announces, and in which spelling, for both metadata and the SMART configuration.

Both announce the same URLs, unless the switch `discovery_agreement` makes them differ (X29).
"""

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from apps.sandbox import scenarios
from apps.sandbox.fhir.addresses import ELSEWHERE
from apps.sandbox.smart import addresses
from apps.sandbox.smart.addresses import PERSONAS, Place

_TO_TREE = "../../.."  # from a tenant, /b/{host}/{version}/{tenant}/, up to /b


@dataclass(frozen=True)
class Announced:
    """The announced URLs of one root's authorization server. Empty: there is none."""

    authorize: str
    token: str
    revoke: str
    introspect: str
    manage: str
    key_set: str


def in_metadata(place: Place) -> Announced:
    """What the oauth-uris extension says."""
    known = _known(place)
    match scenarios.chosen("discovery_agreement"):
        case "older-token":
            return _written(replace(known, token=known.token.replace(f"/hosts/{place.host}", "")))
        case "foreign-metadata":
            return _elsewhere(known)
        case _:
            return _written(known)


def in_configuration(place: Place) -> Announced:
    """What the SMART configuration says."""
    known = _known(place)
    is_foreign = scenarios.chosen("discovery_agreement") == "foreign-configuration"
    return _elsewhere(known) if is_foreign else _written(known)


def _known(place: Place) -> Announced:
    return Announced(
        authorize=addresses.authorize(place.tenant, PERSONAS[place.host]),
        token=addresses.token(place.tenant, place.host),
        revoke=addresses.revocation(place.tenant, place.host) if scenarios.chosen("revocation") == "on" else "",
        introspect=addresses.introspection() if scenarios.chosen("introspection") == "on" else "",
        manage=addresses.manage(place.tenant) if place.host == "myrecord" else "",  # X28: where patients sign in
        key_set=addresses.key_set(),
    )


def _elsewhere(known: Announced) -> Announced:
    """The URLs that matter, on another host."""
    authorize, token = (ELSEWHERE + urlsplit(address).path for address in (known.authorize, known.token))
    return replace(known, authorize=authorize, token=token)


def _written(known: Announced) -> Announced:
    """The URLs in the current spelling. The key set's is always absolute, because it is not for this root alone."""
    spelled = {
        name: _spelled(getattr(known, name)) for name in ("authorize", "token", "revoke", "introspect", "manage")
    }
    return replace(known, **spelled)


def _spelled(address: str) -> str:
    form, path = scenarios.chosen("discovered_addresses"), urlsplit(address).path
    if not address or form == "absolute":
        return address
    if form == "from-host":
        return path
    return "../" * addresses.below_tenant().count("/") + _TO_TREE + path.removeprefix("/b")
