"""The terms of a share: what it shows and what opens it, sealed as one value under its owner's key.

The passcode is not hashed: whoever could read it has the key, and could read the record as well. And its owner can look
it up again.
"""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import date
from typing import Final
from uuid import UUID

import msgspec

from apps.records.exporting.portions import EVENTS, Portion
from apps.sharing import places
from apps.sharing.models import Share
from apps.vault.sealing import KeyRing

_TOKEN_BYTES: Final = 32
_KEY_BYTES: Final = 32
_DIGITS: Final = 6
# For shares made before this was part of the terms.
_LIMITED_ONCE: Final = frozenset({"results", "vitals", "visits", "procedures", "documents"})


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """`token` is the end of the link, `key` decrypts a program's file (32 bytes), `purpose` is the owner's own note.
    `connections` are the chosen sources, all of one person. `limited` are the subjects of which only entries `since` a
    date are shown: stored when the share was made, so that a later release does not change it. `with_files`: the files
    of documents and results can be opened."""

    token: str
    passcode: str
    key: bytes
    purpose: str
    connections: tuple[UUID, ...]
    subjects: frozenset[str]
    since: date | None
    tells_sensitive: bool
    limited: frozenset[str] = _LIMITED_ONCE
    with_files: bool = False  # shares made before this was part of the terms have none

    def __repr__(self) -> str:
        """Nothing about its contents."""
        return "<Terms>"

    @property
    def portion(self) -> Portion:
        """The part of the record that may be seen."""
        return Portion(
            self.subjects,
            self.since,
            tells_sensitive=self.tells_sensitive,
            is_for_others=True,
            limited=self.limited,
        )


def new(
    connections: Sequence[UUID],
    subjects: frozenset[str],
    *,
    since: date | None,
    tells_sensitive: bool,
    with_files: bool,
    purpose: str,
) -> Terms:
    """Terms with a new link, passcode and key."""
    return Terms(
        token=secrets.token_urlsafe(_TOKEN_BYTES),
        passcode="".join(secrets.choice("0123456789") for _ in range(_DIGITS)),
        key=secrets.token_bytes(_KEY_BYTES),
        purpose=purpose,
        connections=tuple(connections),
        subjects=subjects,
        since=since,
        tells_sensitive=tells_sensitive,
        limited=EVENTS,
        with_files=with_files,
    )


def hash_of(token: str) -> bytes:
    """The hash by which a share is found. The token has 256 random bits, so the hash cannot be reversed by guessing."""
    return hashlib.sha256(token.encode()).digest()


def seal(terms: Terms, *, share_id: UUID, ring: KeyRing) -> bytes:
    """The value that the row stores. Padded, so that its length says little about what was chosen."""
    return ring.seal_body(msgspec.json.encode(terms), place=places.terms_place(share_id))


def opened(share: Share, ring: KeyRing) -> Terms:
    """The terms of this share. Raises `apps.vault.errors.VaultError`."""
    sealed = ring.open_body(bytes(share.sealed_terms), place=places.terms_place(share.pk))
    return msgspec.json.decode(sealed, type=Terms)


def is_passcode(unverified: str, terms: Terms) -> bool:
    """Whether it is the right passcode, however its digits are separated."""
    return secrets.compare_digest(digits(unverified), terms.passcode)


def digits(unverified: str) -> str:
    """The digits of what somebody typed."""
    return "".join(character for character in unverified if character.isascii() and character.isdigit())
