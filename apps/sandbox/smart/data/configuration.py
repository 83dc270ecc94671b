"""The SMART configuration of a root, `.well-known/smart-configuration` after its path (interface facts 3.3)."""

from typing import Any

from apps.sandbox import scenarios
from apps.sandbox.fhir.offered import OFFERED
from apps.sandbox.models import Persona
from apps.sandbox.smart import scopes
from apps.sandbox.smart.addresses import PERSONAS, Place
from apps.sandbox.smart.data import announcing
from apps.sandbox.smart.identity import issuers

_COMMON = (
    *("authorize-post", "launch-ehr", "launch-standalone", "client-public", "client-confidential-symmetric"),
    *("client-confidential-asymmetric", "sso-openid-connect", "context-ehr-patient"),
    *("permission-patient", "permission-user", "permission-offline", "permission-online"),
    *("permission-v1", "permission-v2"),
)
_OF_PERSONA = {Persona.PATIENT: ("context-standalone-patient",), Persona.PROVIDER: ("context-ehr-encounter",)}


def document(place: Place) -> dict[str, Any]:
    """The whole document, for a root that requires signing in."""
    persona, announced = Persona(PERSONAS[place.host]), announcing.in_configuration(place)
    told: dict[str, Any] = {
        "issuer": issuers.configuration(place.tenant),
        "jwks_uri": announced.key_set,
        "authorization_endpoint": announced.authorize,
        "token_endpoint": announced.token,
        "revocation_endpoint": announced.revoke,
        "introspection_endpoint": announced.introspect,
        "management_endpoint": announced.manage,
        "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
        "response_types_supported": ["code"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "private_key_jwt"],
        "token_endpoint_auth_signing_alg_values_supported": ["RS384", "ES384"],
        "code_challenge_methods_supported": [] if scenarios.chosen("pkce") == "ignored" else ["S256"],
        "scopes_supported": [*_special(persona), *_of_types(place.version)],
        "capabilities": [*_COMMON, *_OF_PERSONA[persona]],
    }
    if scenarios.chosen("issuer_in_answers") in ("on", "wrong", "announced-only"):
        told["authorization_response_iss_parameter_supported"] = True
    return {name: value for name, value in told.items() if value}


def _special(persona: Persona) -> list[str]:
    launches = ["launch", "launch/patient"] if persona == Persona.PATIENT else ["launch"]
    return [*scopes.IDENTITY, *launches, *scopes.REFRESH]


def _of_types(version: str) -> list[str]:
    """Every type in both scope grammars; patient/ only for types that belong to a patient."""
    contexts = [
        f"{context}/{name}"
        for name, offered in OFFERED[version].items()
        for context in (("patient", "user") if offered.has_patient else ("user",))
    ]
    return [f"{named}.{rights}" for named in contexts for rights in ("read", "rs")]
