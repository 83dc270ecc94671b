"""The keys with which issuers sign ID tokens: fetched from the issuer, cached, and fetched again for an unknown key.

OpenID Connect Discovery 1.0 section 4 and RFC 7517. Callers ask only about issuers that are allowed, the address of a
key set has to pass the guard, and no token can make us fetch often (interface facts 3.7).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from apps.wire import public_documents
from apps.wire.addresses import AddressPolicy
from apps.wire.errors import Code, EndpointMisconfigured, IdentityFault, IdentityRefused

_KEPT_FOR = timedelta(hours=1)  # for so long we may use a key that the issuer has withdrawn
_ASKED_AGAIN_AFTER = timedelta(seconds=60)  # for a key that we do not know
_MOST_ISSUERS = 5_000  # Cerner publishes 1,359 tenants, each with its own
_MOST_KEYS = 100  # a real key set had nine: interface facts 3.7 [CEL]
_LARGEST_DOCUMENT_BYTES = 500_000


@dataclass(frozen=True)
class PublishedKey:
    """One member of a key set, as published. Whoever uses it has to check that it is suitable."""

    key_id: str | None
    members: Mapping[str, Any]


@dataclass(frozen=True)
class _KeySet:
    keys: tuple[PublishedKey, ...]
    fetched_at: datetime


class KeyFinder:
    """Finds the keys of issuers, and caches them. All threads of a process share one.

    `policy` is called for each fetch, because staff can change what it allows.
    """

    def __init__(self, policy: Callable[[], AddressPolicy]) -> None:
        self._policy = policy
        self._lock = Lock()
        self._key_sets: dict[str, _KeySet] = {}

    def find(self, issuer: str, key_id: str | None, *, at: datetime) -> tuple[PublishedKey, ...]:
        """The issuer's keys with that id, or all of them for None. Fetches them at most once.

        Raises IdentityRefused (ISSUER) if the issuer's own document names another issuer; EndpointMisconfigured
        (NO_KEYS) if a document is missing; UnsafeAddress, Unavailable and UnexpectedAnswer like the transport.
        """
        known = self._key_sets.get(issuer)
        found = _matching(known, key_id)
        age = at - known.fetched_at if known else _KEPT_FOR
        if age >= _KEPT_FOR or (not found and age >= _ASKED_AGAIN_AFTER):
            found = _matching(self._fetch(issuer, at), key_id)
        return found

    def find_anew(self, issuer: str, key_id: str | None, *, at: datetime) -> tuple[PublishedKey, ...] | None:
        """The same, fetched now, for a signature that fits none of the keys that `find` returned: the issuer may have
        replaced a key and kept its id, or use no ids. None if they were fetched a moment ago. Raises what `find`
        raises."""
        known = self._key_sets.get(issuer)
        if known is not None and at - known.fetched_at < _ASKED_AGAIN_AFTER:
            return None
        return _matching(self._fetch(issuer, at), key_id)

    def _fetch(self, issuer: str, at: datetime) -> _KeySet:
        """Fetch without holding the lock. Two threads may do so at once, and get the same answer."""
        fetched = _KeySet(_published_keys(issuer, self._policy()), at)
        with self._lock:
            self._key_sets.pop(issuer, None)
            self._key_sets[issuer] = fetched
            while len(self._key_sets) > _MOST_ISSUERS:
                del self._key_sets[next(iter(self._key_sets))]
        return fetched


def _matching(key_set: _KeySet | None, key_id: str | None) -> tuple[PublishedKey, ...]:
    keys = key_set.keys if key_set else ()
    return tuple(key for key in keys if key_id is None or key.key_id == key_id)


def _published_keys(issuer: str, policy: AddressPolicy) -> tuple[PublishedKey, ...]:
    configuration = _document(issuer.removesuffix("/") + "/.well-known/openid-configuration", policy)
    if configuration.get("issuer") != issuer:  # OpenID Connect Discovery 4.3: exactly the same
        raise IdentityRefused(fault=IdentityFault.ISSUER)
    jwks_url = configuration.get("jwks_uri")
    if not isinstance(jwks_url, str):
        raise EndpointMisconfigured(code=Code.NO_KEYS, status=200)
    members = _document(jwks_url, policy).get("keys")
    if not isinstance(members, list):
        raise EndpointMisconfigured(code=Code.NO_KEYS, status=200)
    return tuple(_published_key(key) for key in members[:_MOST_KEYS] if isinstance(key, dict))


def _published_key(members: Mapping[str, Any]) -> PublishedKey:
    key_id = members.get("kid")
    return PublishedKey(key_id if isinstance(key_id, str) else None, members)


def _document(url: str, policy: AddressPolicy) -> dict[str, Any]:
    return public_documents.document(url, policy=policy, absent=Code.NO_KEYS, max_bytes=_LARGEST_DOCUMENT_BYTES)
