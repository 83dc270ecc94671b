"""What a share is about, and what opens it: sealed as one value, under the key of whose record it is.

The passcode is no password hash: nobody opens the record without the same key, so that whoever could read the passcode
could read the record as well; and its owner can look it up again.
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
# Of a share that was made before its terms said so.
_LIMITED_ONCE: Final = frozenset({"results", "vitals", "visits", "procedures", "documents"})


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """`token` is what the link ends with, `key` what a program opens its file with (32 bytes), `purpose` the owner's
    own note. `connections` are the sources that were chosen, all of one person. `limited` are the subjects of which is
    told what happened `since` alone: as it stood where they chose, whatever a later release limits."""

    token: str
    passcode: str
    key: bytes
    purpose: str
    connections: tuple[UUID, ...]
    subjects: frozenset[str]
    since: date | None
    tells_sensitive: bool
    limited: frozenset[str] = _LIMITED_ONCE

    def __repr__(self) -> str:
        """Say nothing of it."""
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
    connections: Sequence[UUID], subjects: frozenset[str], *, since: date | None, tells_sensitive: bool, purpose: str
) -> Terms:
    """With a link, a passcode and a key that nobody has seen."""
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
    )


def hash_of(token: str) -> bytes:
    """By which a share is found. It has 256 random bits: nobody guesses what a hash is of."""
    return hashlib.sha256(token.encode()).digest()


def seal(terms: Terms, *, share_id: UUID, ring: KeyRing) -> bytes:
    """As the row keeps it. Padded, so that its length says little of what was chosen."""
    return ring.seal_body(msgspec.json.encode(terms), place=places.terms_place(share_id))


def opened(share: Share, ring: KeyRing) -> Terms:
    """The terms of this share. Raises `apps.vault.errors.VaultError`."""
    sealed = ring.open_body(bytes(share.sealed_terms), place=places.terms_place(share.pk))
    return msgspec.json.decode(sealed, type=Terms)


def is_passcode(unverified: str, terms: Terms) -> bool:
    """Whether it is the right one, however its digits are set apart."""
    return secrets.compare_digest(digits(unverified), terms.passcode)


def digits(unverified: str) -> str:
    """What may be a passcode of what somebody typed."""
    return "".join(character for character in unverified if character.isascii() and character.isdigit())
