"""Seal and open values under their holder's data key: AES-256-GCM, bound to the place they live in.

A sealed value is `format (1) · key id (4) · dictionary id (2) · nonce (12) · ciphertext and tag`. All of it is
authenticated, together with table, field, holder and identity, so a value copied to another row, column or holder does
not open. Every call is explicit: loading a row opens nothing.

The first seal for a holder makes its data key. While that is being renewed (`renewing`) the holder has two: what either
sealed opens, and what is sealed is sealed by the newer one. Each function here unlocks them anew (one query); for many
values of one holder use `key_ring`, which unlocks them once and forgets them at the end of the block. Nonces are
random: NIST SP 800-38D allows 2**32 values under one key, far above what one holder gathers.

All functions raise Shredded where the holder's key was destroyed, and WeakKey where VAULT_KEYS cannot be used.
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
    """Open what `seal` made for this holder and place.

    Raises CannotOpen where the value was changed or moved, KeyMissing where no key for the holder is at hand.
    """
    with key_ring(holder) as ring:
        return ring.open(sealed, place=place)


def seal_body(plaintext: bytes, *, holder: Holder, place: Place) -> bytes:
    """Seal a resource: compressed, then padded to 64 bytes, then sealed. At most `bodies.LARGEST_BODY_BYTES`."""
    with key_ring(holder) as ring:
        return ring.seal_body(plaintext, place=place)


def open_body(sealed: bytes, *, holder: Holder, place: Place) -> bytes:
    """Open what `seal_body` made for this holder and place. Raises as `open_sealed` does."""
    with key_ring(holder) as ring:
        return ring.open_body(sealed, place=place)


def keyed_digest(plaintext: bytes, *, holder: Holder) -> bytes:
    """32 bytes that tell equal plaintexts of one holder, and mean nothing without its key (HMAC-SHA-256)."""
    with key_ring(holder) as ring:
        return ring.keyed_digest(plaintext)


@contextmanager
def key_ring(holder: Holder) -> Iterator["KeyRing"]:
    """One holder's data keys, unlocked on first use and forgotten at the end of the block. For one thread.

    Enter it inside the transaction that stores what it seals, or outside any: a data key made in a transaction that
    rolls back is gone with it. Inside, the key it seals by is not retired before the transaction ends; in the next one
    that would have to be asked anew, by a ring of its own.
    """
    ring = KeyRing(holder)
    try:
        yield ring
    finally:
        ring.forget()


@contextmanager
def key_rings(*holders: Holder, cabinet: "Cabinet | None" = None) -> Iterator[tuple["KeyRing", ...]]:
    """As `key_ring` for several holders at once, whose data keys are looked up by one query at the first use of any; or
    by none where somebody has asked the `cabinet` already."""
    shared = cabinet or Cabinet(holders)
    rings = tuple(KeyRing(holder, shared) for holder in holders)
    try:
        yield rings
    finally:
        for ring in rings:
            ring.forget()


class Cabinet:
    """Data keys of several holders, still locked, looked up together by whoever is the first to need one. For as many
    threads as like, and for the seconds of one piece of work: a key that is shredded meanwhile is noticed by none."""

    def __init__(self, holders: Collection[Holder]) -> None:
        self._holders = list(dict.fromkeys(holders))
        self._rows: Mapping[Holder, Sequence[LockedKey]] | None = None
        self._looking = Lock()

    def __repr__(self) -> str:
        """Say nothing about holders or keys."""
        return "<Cabinet>"

    def find(self, holder: Holder) -> UnlockedKeys:
        """As `data_keys.find` for one of these holders."""
        with self._looking:
            if self._rows is None:
                self._rows = data_keys.rows(self._holders)
        return UnlockedKeys(holder, self._rows.get(holder, ()))


class KeyRing:
    """Seals and opens many values of one holder with one unlocking. Obtained from `key_ring` or `key_rings`."""

    def __init__(self, holder: Holder, cabinet: Cabinet | None = None) -> None:
        self._holder = holder
        self._cabinet = cabinet
        self._keys: UnlockedKeys | None = None
        self._is_held = False
        self._unknown: set[bytes] = set()
        self._packer = Packer()
        self._is_forgotten = False

    def __repr__(self) -> str:
        """Say nothing about holder or key."""
        return "<KeyRing>"

    def __reduce__(self) -> str:
        """Refuse to be copied to another process."""
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
        """Those it may be kept under: of the key that seals and, while there is one, of the retired one."""
        return tuple(_digest(key, plaintext) for key in self._held_keys().each())

    @property
    def retired(self) -> bytes | None:
        """The short id of the key that may still have sealed, and digested, something, and is being renewed; None where
        there is no such key. Until the end of the transaction that asks, no other key is retired."""
        return self._held_keys().retired

    def reseal(self, sealed: bytes, *, place: Place) -> bytes:
        """A value or body of either key, in the same form, sealed by the one that seals. Raises as `open` does."""
        self._held_keys()
        value_format, content = self._decrypt(sealed, _FORMATS, place)
        return self._encrypt(content, value_format, place)

    def forget(self) -> None:
        """Drop the unlocked keys; the ring is of no use afterwards."""
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
        """To seal or digest by: held where that can be, also by a ring that only opened before."""
        self._refuse_if_forgotten()
        if self._keys is None or (not self._is_held and data_keys.can_hold()):  # it costs as much as sealing does
            self._keys, self._is_held = data_keys.obtain(self._holder), data_keys.can_hold()
        return self._keys

    def _opening_keys(self) -> UnlockedKeys:
        self._refuse_if_forgotten()
        self._keys = self._keys or (self._cabinet or data_keys).find(self._holder)
        return self._keys

    def _named_since(self, short_id: bytes) -> UnlockedKey:
        """Of a value that neither key sealed, as they were looked up: one that came since may have. It is asked for
        once: whatever can be read was sealed by a key that was there before."""
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
    """The short id of the key that sealed this value; nothing where it is none."""
    return _HEADER.unpack_from(sealed)[1] if len(sealed) > _HEADER.size + _NONCE_BYTES else b""


def _digest(key: UnlockedKey, plaintext: bytes) -> bytes:
    return hmac.digest(key.digest_key, plaintext, "sha256")
