"""The oauth-uris extension in rest.security of metadata (specification 2.2, interface facts 3.2)."""

from typing import Any

from apps.sandbox import scenarios
from apps.sandbox.fhir import metadata
from apps.sandbox.smart.addresses import Place
from apps.sandbox.smart.data import announcing

Element = dict[str, Any]
_URLS = {
    "proper": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris",
    "upper-case": "http://FHIR-registry.smarthealthit.org/StructureDefinition/oauth-uris",
    "mangled": "http://fhir-registry.smarthealthit.org/fhir/r4/StructureDefinition/oauth-uris",
}
_ORDERS = {
    "token-first": ("token", "revoke", "authorize", "manage", "introspect"),
    "authorize-first": ("authorize", "token", "introspect", "revoke", "manage"),
    "manage-first": ("manage", "introspect", "authorize", "revoke", "token"),
}
_IN_DSTU2 = {"token", "authorize", "manage"}


def security(place: Place) -> Element:
    """The rest.security element of one root. The open host has neither service nor extension, since nobody signs in
    there."""
    if place.host == "open":
        return {"cors": True}
    told = metadata.security(place.version, "SMART-on-FHIR", cors=True)
    if scenarios.chosen("oauth_uris") == "absent":
        return told
    return {"extension": [_extension(place)], **told}


def _extension(place: Place) -> Element:
    announced = announcing.in_metadata(place)
    named = [
        {"url": name, "valueUri": getattr(announced, name)}
        for name in _ORDERS[scenarios.chosen("oauth_uris_order")]
        if getattr(announced, name) and (place.version == "r4" or name in _IN_DSTU2)
    ]
    return {"url": _URLS[scenarios.chosen("oauth_uris_url")], "extension": named}
