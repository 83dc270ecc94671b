"""The contents of the key set and the openid-configuration, correct or as their switches say."""

from datetime import datetime
from typing import Any

from apps.sandbox.models import KeyPurpose
from apps.sandbox.smart.identity import issuers, signing_keys


def keys(mode: str, *, at: datetime) -> dict[str, list[dict[str, Any]]]:
    """The key set, as the switch `jwks` says."""
    whole = signing_keys.key_set(at=at)["keys"]
    match mode:
        case "without-newest":
            newest = {signing_keys.newest(purpose, at=at).created_at for purpose in KeyPurpose}
            return {
                "keys": [
                    signing_keys.public(row) for row in signing_keys.standing(at=at) if row.created_at not in newest
                ]
            }
        case "doubled":
            kinds = {key["kty"] + key.get("crv", "") for key in whole}
            return {"keys": [twin for kind in sorted(kinds) for twin in _under_each_name(whole, kind)]}
        case "empty":
            return {"keys": []}
        case _:
            return {"keys": whole}


def configuration(tenant: str, persona: str, mode: str) -> dict[str, Any]:
    """The openid-configuration, as the switch says. It announces no authorization endpoint, because sign-in uses
    SMART."""
    issuer = "https://login.example/" if mode == "foreign-issuer" else issuers.identity(tenant, persona)
    jwks_uri = "https://keys.example/jwk" if mode == "foreign-keys" else f"{issuers.authorization()}jwk"
    return {
        "issuer": issuer,
        "jwks_uri": jwks_uri,
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "scopes_supported": ["openid", "fhirUser", "profile"],
        "claims_supported": ["iss", "sub", "aud", "azp", "exp", "iat", "nonce", "fhirUser", "profile"],
    }


def _under_each_name(whole: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """Every key of a kind under every id of the kind, so that no id identifies a key any more."""
    alike = [key for key in whole if key["kty"] + key.get("crv", "") == kind]
    return [{**key, "kid": name["kid"]} for name in alike for key in alike]
