"""The keys outside the database: VAULT_KEYS, which wrap and unwrap data keys."""

import base64
import binascii
import hashlib
import itertools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from apps.vault import holders
from apps.vault.errors import CannotOpen, KeyMissing, WeakKey
from apps.vault.holders import Holder

KEY_BYTES = 32
NONCE_BYTES = 12
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")  # ids are printed and logged: a key pasted here by mistake hardly fits

# SHA-256 of keys that are in this repository, and therefore public.
PUBLISHED = frozenset({"1e382ede41eb792bb5747412648f18ca97cb029f3c52f0b8cf56ef3aef244e7f"})


class Flaw(StrEnum):
    """What can be wrong with VAULT_KEYS."""

    MISSING = "missing"
    UNNAMED = "unnamed"
    NOT_BASE64 = "not base64"
    WRONG_LENGTH = "wrong length"
    DUPLICATE_ID = "duplicate id"
    WEAK = "weak"
    PUBLISHED = "published"


@dataclass(frozen=True, repr=False)
class WrappingKey:
    """One key of VAULT_KEYS, and the id by which data keys name it."""

    id: str
    key: bytes

    def __repr__(self) -> str:
        """Nothing about the key."""
        return "<WrappingKey>"


def flaws(given: Sequence[str]) -> dict[Flaw, int]:
    """Everything wrong with a list of `id:base64` strings: each flaw with the number, from 1, of the first entry that
    has it."""
    return dict(_parse(tuple(given))[1])


def key_ids() -> tuple[str, ...]:
    """The ids of VAULT_KEYS, the one that wraps first. Raises WeakKey if they cannot be used."""
    return tuple(key.id for key in _usable_keys())


def wrap(data_key: bytes, *, holder: Holder, name: bytes) -> tuple[str, bytes]:
    """The id of the first wrapping key, and the data key wrapped with it, bound to this holder and to the data key's
    name.

    Raises WeakKey if VAULT_KEYS cannot be used.
    """
    first = _usable_keys()[0]
    nonce = os.urandom(NONCE_BYTES)
    return first.id, nonce + AESGCM(first.key).encrypt(nonce, data_key, _wrapping_data(holder, name))


def unwrap(wrapped: bytes, *, wrapping_key_id: str, holder: Holder, name: bytes) -> bytes:
    """The data key, unwrapped with the key of VAULT_KEYS that has this id.

    Raises KeyMissing if VAULT_KEYS has no such key, CannotOpen if the row was changed or belongs to another holder,
    WeakKey if VAULT_KEYS cannot be used.
    """
    key = next((key for key in _usable_keys() if key.id == wrapping_key_id), None)
    if key is None:
        raise KeyMissing
    try:
        return AESGCM(key.key).decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], _wrapping_data(holder, name))
    except (InvalidTag, ValueError):
        raise CannotOpen from None


def _wrapping_data(holder: Holder, name: bytes) -> bytes:
    return holders.associated_data((b"data key", *holder.names(), name))


def _usable_keys() -> tuple[WrappingKey, ...]:
    keys, found = _parse(tuple(settings.VAULT_KEYS))
    if found.keys() - {Flaw.PUBLISHED}:  # the published key is for tests; outside debug a check refuses it
        raise WeakKey
    return keys


@lru_cache(maxsize=8)
def _parse(given: tuple[str, ...]) -> tuple[tuple[WrappingKey, ...], dict[Flaw, int]]:
    keys: list[WrappingKey] = []
    found: dict[Flaw, int] = {} if given else {Flaw.MISSING: 0}
    for number, entry in enumerate(given, start=1):
        key_id, colon, encoded = entry.partition(":")
        is_named = bool(colon) and _ID.fullmatch(key_id) is not None
        key = _decode(encoded)
        flaw = _flaw_of(key_id, key, beside=keys) if is_named else Flaw.UNNAMED
        if flaw is not None:
            found.setdefault(flaw, number)
        if is_named and key is not None:
            keys.append(WrappingKey(key_id, key))
    return tuple(keys), found


def _decode(encoded: str) -> bytes | None:
    try:
        return base64.b64decode(encoded, validate=True) or None
    except (binascii.Error, ValueError):
        return None


def _flaw_of(key_id: str, key: bytes | None, *, beside: Sequence[WrappingKey]) -> Flaw | None:
    """The first flaw to fix, or None."""
    if key is None:
        return Flaw.NOT_BASE64
    if len(key) != KEY_BYTES:
        return Flaw.WRONG_LENGTH
    if any(key_id == other.id for other in beside):
        return Flaw.DUPLICATE_ID
    if hashlib.sha256(key).hexdigest() in PUBLISHED:
        return Flaw.PUBLISHED
    return Flaw.WEAK if _is_weak(key) else None


def _is_weak(key: bytes) -> bool:
    """Whether 32 bytes look typed rather than random: each rule matches a random key less than once in 10**12."""
    few_different = len(set(key)) < 16
    is_text = all(32 <= byte < 127 for byte in key)
    steps = {(after - before) % 256 for before, after in itertools.pairwise(key)}
    return few_different or is_text or len(steps) == 1
