"""A session engine for Django: whoever reads the database can sign in as nobody and open no session.

A session's key is the value of its cookie: 32 characters out of 36, drawn at random, about 165 bits. The row is found
by the SHA-256 of the key; its data are sealed with AES-256-GCM under a key derived from the session's key and
SECRET_KEY (HKDF, RFC 5869). So only the browser's own cookie opens a row, and write access to the database is not
enough to forge one. docs/decisions/0006 says why.

The clock is read here: Django's middleware calls the engine, at the edge.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.contrib.auth import SESSION_KEY as SIGNED_IN_USER
from django.contrib.sessions.backends.base import VALID_KEY_CHARS, SessionBase, UpdateError
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.encoding import force_bytes

from apps.accounts.models import Session

SIGN_IN = "sign_in"  # when and where from, for the list of sessions: see `apps/accounts/user_sessions.py`

_KEY_CHARACTERS = 32
_FORMAT = b"\x01"
_NONCE_BYTES = 12


def last_moment(held: Mapping[str, Any] | SessionBase) -> datetime | None:
    """When a session ends however it is used, counted from signing in; None if nobody signed in."""
    signed_in_at = held.get(SIGN_IN, {}).get("signed_in_at")
    return datetime.fromisoformat(signed_in_at) + settings.SESSION_LONGEST if signed_in_at else None


def digest(session_key: str) -> str:
    """The name under which the database stores a session. It reveals nothing about the key, which is too long to be
    guessed."""
    return hashlib.sha256(_bytes(session_key)).hexdigest()


class SessionStore(SessionBase):
    """What Django asks of an engine; `session_key` is the cookie's value. The asynchronous methods are Django's own,
    and call these. `ends_at` is when the loaded session ends unless it is saved again; None before it is loaded."""

    ends_at: datetime | None = None

    def load(self) -> dict[str, Any]:
        """The session's data. For an unknown key, an expired session or a row that was changed this is empty, and the
        key is dropped: no browser chooses its own key."""
        key = self.session_key or ""
        kept = Session.objects.filter(pk=digest(key), expires_at__gt=timezone.now())
        sealed, self.ends_at = kept.values_list("sealed_data", "expires_at").first() or (None, None)
        plaintext = None if sealed is None else _open(bytes(sealed), key)
        if plaintext is None:
            self._session_key = None
            return {}
        held: dict[str, Any] = self.serializer().loads(plaintext)
        return held

    def exists(self, session_key: str) -> bool:
        """Whether there is a row for the key."""
        return Session.objects.filter(pk=digest(session_key)).exists()

    def create(self) -> None:
        """Start a session under a new key, with the data of this one. Keys of this length do not collide by chance."""
        self._session_key = get_random_string(_KEY_CHARACTERS, VALID_KEY_CHARS)
        self.save(must_create=True)
        self.modified = True

    def save(self, must_create: bool = False) -> None:  # noqa: FBT001, FBT002  Django's signature
        """Seal and store the data. Raises UpdateError if the session was ended meanwhile: it must not come back."""
        if self.session_key is None:
            return self.create()
        held: dict[str, Any] = self._get_session(no_load=must_create)  # type: ignore[attr-defined]  # not in the stubs
        columns = self._columns(held)
        if must_create:
            Session.objects.create(pk=digest(self.session_key), **columns)
        elif not Session.objects.filter(pk=digest(self.session_key)).update(**columns):
            raise UpdateError
        return None

    def delete(self, session_key: str | None = None) -> None:
        """End the session of this key, or this one."""
        if key := session_key or self.session_key:
            Session.objects.filter(pk=digest(key)).delete()

    @classmethod
    def clear_expired(cls) -> None:
        """Delete the rows of sessions that ended by themselves."""
        Session.objects.filter(expires_at__lt=timezone.now()).delete()

    def _columns(self, held: dict[str, Any]) -> dict[str, Any]:
        """Sealed data, and in the clear what the list of somebody's sessions needs."""
        ends_at = self.get_expiry_date()
        return {
            "sealed_data": _seal(self.serializer().dumps(held), self.session_key or ""),
            "expires_at": min(ends_at, last_moment(held) or ends_at),
            "user_id": held.get(SIGNED_IN_USER),
            **held.get(SIGN_IN, {}),
        }


def _seal(plaintext: bytes, session_key: str) -> bytes:
    nonce = os.urandom(_NONCE_BYTES)
    cipher = next(_ciphers(session_key))
    return _FORMAT + nonce + cipher.encrypt(nonce, plaintext, _FORMAT)


def _open(sealed: bytes, session_key: str) -> bytes | None:
    """The plaintext, or None where it was not sealed under this key, or was changed since."""
    nonce = sealed[1 : 1 + _NONCE_BYTES]
    if sealed[:1] != _FORMAT or len(nonce) < _NONCE_BYTES:
        return None
    for cipher in _ciphers(session_key):
        try:
            return cipher.decrypt(nonce, sealed[1 + _NONCE_BYTES :], _FORMAT)
        except InvalidTag:
            continue
    return None


def _ciphers(session_key: str) -> Iterator[AESGCM]:
    """One for SECRET_KEY, which seals, and one for each key that is being rotated out. Associated data need not name
    the row, because every row has a key of its own."""
    for secret_key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        derivation = HKDF(algorithm=SHA256(), length=32, salt=force_bytes(secret_key), info=b"holdfast session sealing")
        yield AESGCM(derivation.derive(_bytes(session_key)))


def _bytes(text: str) -> bytes:
    """surrogatepass: a cookie holds whatever somebody writes into it."""
    return text.encode("utf-8", "surrogatepass")
