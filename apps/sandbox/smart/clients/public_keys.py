"""Validate a key set for registration: public signing keys, each with its own id (RFC 7517).

Whoever sends a private key is told so, and it is not stored.
"""

from collections.abc import Mapping
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import import_key

from apps.sandbox.registration import RequestRefused

MOST_KEYS = 20
_PUBLIC = ("kty", "kid", "use", "alg", "crv", "x", "y", "n", "e")
_PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
_KINDS = {"RSA", "EC"}

Keys = tuple[Mapping[str, str], ...]


class PrivateKey(RequestRefused):
    """Somebody sent a private key."""


def keys_of(document: object) -> Keys:
    """The keys of a well-formed set, with their public members only. Raises RequestRefused, and PrivateKey if one is
    private."""
    keys = document.get("keys") if isinstance(document, Mapping) else None
    if not isinstance(keys, list) or not 0 < len(keys) <= MOST_KEYS:
        raise RequestRefused('jwks is {"keys": [public keys, each with its kid]}', "jwks")
    if any(isinstance(key, Mapping) and _PRIVATE & key.keys() for key in keys):
        raise PrivateKey(
            "There is a private key in the set. It was not kept. Make a new pair, and register the public half.", "jwks"
        )
    if not all(isinstance(key, Mapping) and key.get("kid") and key.get("kty") and _is_text(key) for key in keys):
        raise RequestRefused("Each key of the set is an object with a kty and a kid.", "jwks")
    return tuple({name: key[name] for name in _PUBLIC if name in key} for key in keys)


def checked(document: object) -> dict[str, Any]:
    """The set, if every key in it can be used. Raises RequestRefused."""
    keys = keys_of(document)
    if len({key["kid"] for key in keys}) < len(keys):
        raise RequestRefused("Two keys of the set have the same kid.", "jwks")
    for key in keys:
        if key.get("kty") not in _KINDS or not _is_readable(key):
            raise RequestRefused("Each key is a public RSA or EC key that can be read.", "jwks")
    return {"keys": [dict(key) for key in keys]}


def _is_text(key: Mapping[str, Any]) -> bool:
    """Whether every public member is text that can be shown and stored: no NUL, no lone surrogate."""
    return all(isinstance(key[name], str) and key[name].isprintable() for name in _PUBLIC if name in key)


def _is_readable(key: Mapping[str, Any]) -> bool:
    try:
        import_key(dict(key))
    except (JoseError, ValueError, TypeError, AttributeError, KeyError):
        return False
    return True
