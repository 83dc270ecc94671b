"""Seal and open values with their holder's data key: AES-256-GCM, bound to the place where the value is stored.

A sealed value is `format (1) · key id (4) · dictionary id (2) · nonce (12) · ciphertext and tag`. All of it is
authenticated, together with table, field, holder and identity, so a value copied to another row, column or holder does
not open. Every call is explicit: loading a row opens nothing.

The first seal for a holder creates its data key. During a renewal (`renewing`) the holder has two: both open what they
sealed, and only the newer one seals. Each function here unlocks the keys again (one query); for many values of one
holder use `key_ring`, which unlocks them once and forgets them at the end of the block. Nonces are random: NIST SP
800-38D allows 2**32 values per key, far more than one holder ever has.

All functions raise Shredded if the holder's key was destroyed, and WeakKey if VAULT_KEYS cannot be used.
"""

import hmac
import os
import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock

from cryptography.exceptions import InvalidTag

from apps.vault import bodies, data_keys, holders
from apps.vault.bodies import Packer
from apps.vault.data_keys import LockedKey, UnlockedKey, UnlockedKeys
from apps.vault.errors import CannotOpen
from apps.vault.holders import Holder, Place

__all__ = [
    "Cabinet",
    "Holder",
    "KeyRing",
    "Place",
    "key_named_by",
    "key_ring",
    "key_rings",
    "keyed_digest",
    "open_body",
    "open_sealed",
    "seal",
    "seal_body",
]

VALUE_FORMAT = 1  # the plaintext as given
_FORMATS = bodies.FORMATS | {VALUE_FORMAT}
_HEADER = struct.Struct(">B4sH")
_NONCE_BYTES = 12


def seal(plaintext: bytes, *, holder: Holder, place: Place) -> bytes:
    """Seal a short value, such as a token. Its length stays visible."""
    with key_ring(holder) as ring:
        return ring.seal(plaintext, place=place)


def open_sealed(sealed: bytes, *, holder: Holder, place: Place) -> bytes:
    """Open what `seal` sealed for this holder and place.

    Raises CannotOpen if the value was changed or moved, KeyMissing if the holder's key is not available.
    """
    with key_ring(holder) as ring:
        return ring.open(sealed, place=place)


def seal_body(plaintext: bytes, *, holder: Holder, place: Place) -> bytes:
    """Seal a resource: compressed, then padded to a multiple of 64 bytes, then sealed. At most
    `bodies.LARGEST_BODY_BYTES`."""
    with key_ring(holder) as ring:
        return ring.seal_body(plaintext, place=place)


def open_body(sealed: bytes, *, holder: Holder, place: Place) -> bytes:
    """Open what `seal_body` sealed for this holder and place. Raises as `open_sealed` does."""
    with key_ring(holder) as ring:
        return ring.open_body(sealed, place=place)


def keyed_digest(plaintext: bytes, *, holder: Holder) -> bytes:
    """A digest of 32 bytes (HMAC-SHA-256): equal for equal plaintexts of one holder, meaningless without the holder's
    key."""
    with key_ring(holder) as ring:
        return ring.keyed_digest(plaintext)


@contextmanager
def key_ring(holder: Holder) -> Iterator["KeyRing"]:
    """One holder's data keys, unlocked on first use and forgotten at the end of the block. Not thread-safe.

    Enter it inside the transaction that stores what it seals, or outside any transaction: a data key created in a
    transaction that rolls back is lost with it. Inside a transaction, the key that seals is not retired before the end;
    for the next transaction use a new ring, which checks again.
    """
    ring = KeyRing(holder)
    try:
        yield ring
    finally:
        ring.forget()


@contextmanager
def key_rings(*holders: Holder, cabinet: "Cabinet | None" = None) -> Iterator[tuple["KeyRing", ...]]:
    """As `key_ring` for several holders at once. Their data keys are looked up with one query when the first of them is
    needed, or with none if the `cabinet` has them already."""
    shared = cabinet or Cabinet(holders)
    rings = tuple(KeyRing(holder, shared) for holder in holders)
    try:
        yield rings
    finally:
        for ring in rings:
            ring.forget()


class Cabinet:
    """Data keys of several holders, still wrapped, looked up together when the first is needed. Thread-safe, and meant
    for the seconds that one piece of work takes: a key that is shredded meanwhile goes unnoticed."""

    def __init__(self, holders: Collection[Holder]) -> None:
        self._holders = list(dict.fromkeys(holders))
        self._rows: Mapping[Holder, Sequence[LockedKey]] | None = None
        self._looking = Lock()

    def __repr__(self) -> str:
        """Nothing about holders or keys."""
        return "<Cabinet>"

    def find(self, holder: Holder) -> UnlockedKeys:
        """As `data_keys.find` for one of these holders."""
        with self._looking:
            if self._rows is None:
                self._rows = data_keys.rows(self._holders)
        return UnlockedKeys(holder, self._rows.get(holder, ()))


class KeyRing:
    """Seals and opens many values of one holder, unlocking the keys once. Obtained from `key_ring` or `key_rings`."""

    def __init__(self, holder: Holder, cabinet: Cabinet | None = None) -> None:
        self._holder = holder
        self._cabinet = cabinet
        self._keys: UnlockedKeys | None = None
        self._is_held = False
        self._unknown: set[bytes] = set()
        self._packer = Packer()
        self._is_forgotten = False

    def __repr__(self) -> str:
        """Nothing about holder or keys."""
        return "<KeyRing>"

    def __reduce__(self) -> str:
        """Refuse to be pickled, and so to leave this process."""
        raise TypeError("A key ring cannot be pickled.")

    def seal(self, plaintext: bytes, *, place: Place) -> bytes:
        """As the function `seal`."""
        return self._encrypt(plaintext, VALUE_FORMAT, place)

    def open(self, sealed: bytes, *, place: Place) -> bytes:
        """As the function `open_sealed`."""
        return self._decrypt(sealed, frozenset({VALUE_FORMAT}), place)[1]

    def seal_body(self, plaintext: bytes, *, place: Place) -> bytes:
        """As the function `seal_body`."""
        body_format, packed = self._packer.pack(plaintext)
        return self._encrypt(packed, body_format, place)

    def open_body(self, sealed: bytes, *, place: Place) -> bytes:
        """As the function `open_body`."""
        body_format, packed = self._decrypt(sealed, bodies.FORMATS, place)
        return self._packer.unpack(body_format, packed)

    def keyed_digest(self, plaintext: bytes) -> bytes:
        """As the function `keyed_digest`."""
        return _digest(self._held_keys().current, plaintext)

    def keyed_digests(self, plaintext: bytes) -> tuple[bytes, ...]:
        """Every digest under which it may be stored: by the current key and, if there is one, by the retired key."""
        return tuple(_digest(key, plaintext) for key in self._held_keys().each())

    @property
    def retired(self) -> bytes | None:
        """The short id of the holder's retired key, or None. Until the calling transaction ends, no other key is
        retired."""
        return self._held_keys().retired

    def reseal(self, sealed: bytes, *, place: Place) -> bytes:
        """Seal again, with the current key and in the same format, a value or body that either key sealed. Raises as
        `open` does."""
        self._held_keys()
        value_format, content = self._decrypt(sealed, _FORMATS, place)
        return self._encrypt(content, value_format, place)

    def forget(self) -> None:
        """Drop the unlocked keys; the ring cannot be used afterwards."""
        self._keys = None
        self._is_forgotten = True

    def _encrypt(self, plaintext: bytes, value_format: int, place: Place) -> bytes:
        key = self._held_keys().current
        header = _HEADER.pack(value_format, key.short_id, bodies.NO_DICTIONARY)
        nonce = os.urandom(_NONCE_BYTES)
        return header + nonce + key.cipher.encrypt(nonce, plaintext, holders.place_data(self._holder, place, header))

    def _decrypt(self, sealed: bytes, formats: frozenset[int], place: Place) -> tuple[int, bytes]:
        header, nonce = sealed[: _HEADER.size], sealed[_HEADER.size : _HEADER.size + _NONCE_BYTES]
        if len(nonce) < _NONCE_BYTES:
            raise CannotOpen
        value_format, short_id, dictionary_id = _HEADER.unpack(header)
        keys = self._opening_keys()
        if value_format not in formats or dictionary_id != bodies.NO_DICTIONARY:
            raise CannotOpen
        key = keys.named(short_id) or self._named_since(short_id)
        rest = sealed[_HEADER.size + _NONCE_BYTES :]
        try:
            return value_format, key.cipher.decrypt(nonce, rest, holders.place_data(self._holder, place, header))
        except InvalidTag:
            raise CannotOpen from None

    def _held_keys(self) -> UnlockedKeys:
        """The keys to seal or digest with. In a transaction the current key is locked, even if this ring has only
        opened so far."""
        self._refuse_if_forgotten()
        if self._keys is None or (not self._is_held and data_keys.can_hold()):  # costs as much as sealing
            self._keys, self._is_held = data_keys.obtain(self._holder), data_keys.can_hold()
        return self._keys

    def _opening_keys(self) -> UnlockedKeys:
        self._refuse_if_forgotten()
        self._keys = self._keys or (self._cabinet or data_keys).find(self._holder)
        return self._keys

    def _named_since(self, short_id: bytes) -> UnlockedKey:
        """The key of a value that neither known key sealed: it may be newer than our lookup. Each unknown id is looked
        up only once, since a value that can be read was sealed by a key that existed before."""
        if short_id in self._unknown:
            raise CannotOpen
        keys = data_keys.find(self._holder)
        key = keys.named(short_id)
        if key is None:
            self._unknown.add(short_id)
            raise CannotOpen
        self._keys, self._is_held = keys, False
        return key

    def _refuse_if_forgotten(self) -> None:
        if self._is_forgotten:
            raise RuntimeError("This key ring was forgotten at the end of its block.")


def key_named_by(sealed: bytes) -> bytes:
    """The short id of the key that sealed this value; empty if it is not a sealed value."""
    return _HEADER.unpack_from(sealed)[1] if len(sealed) > _HEADER.size + _NONCE_BYTES else b""


def _digest(key: UnlockedKey, plaintext: bytes) -> bytes:
    return hmac.digest(key.digest_key, plaintext, "sha256")
