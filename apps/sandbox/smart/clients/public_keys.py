"""What a registered key set may hold: public keys for signing, each under an id of its own (RFC 7517).

Whoever sends a private key is told so, and it is not kept.
"""

from collections.abc import Mapping
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import import_key

from apps.sandbox.registration import RequestRefused

MOST_KEYS = 20
_PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
_KINDS = {"RSA", "EC"}

Keys = tuple[Mapping[str, Any], ...]


def keys_of(document: object) -> Keys:
    """The keys of a set that has the right form. Raises RequestRefused."""
    keys = document.get("keys") if isinstance(document, Mapping) else None
    if not isinstance(keys, list) or not 0 < len(keys) <= MOST_KEYS:
        raise RequestRefused('jwks is {"keys": [public keys, each with its kid]}', "jwks")
    for key in keys:
        if not isinstance(key, Mapping) or not isinstance(key.get("kid"), str) or not key["kid"]:
            raise RequestRefused("Each key of the set is an object with a kid.", "jwks")
        if _PRIVATE & key.keys():
            raise RequestRefused(
                "There is a private key in the set. It was not kept. Make a new pair, and register the public half.",
                "jwks",
            )
    return tuple(keys)


def checked(document: object) -> dict[str, Any]:
    """The set, of which every key can be used. Raises RequestRefused."""
    keys = keys_of(document)
    if len({key["kid"] for key in keys}) < len(keys):
        raise RequestRefused("Two keys of the set have the same kid.", "jwks")
    for key in keys:
        if key.get("kty") not in _KINDS or not _is_readable(key):
            raise RequestRefused("Each key is a public RSA or EC key that can be read.", "jwks")
    return {"keys": [dict(key) for key in keys]}


def _is_readable(key: Mapping[str, Any]) -> bool:
    try:
        import_key(dict(key))
    except (JoseError, ValueError, TypeError, AttributeError, KeyError):
        return False
    return True
