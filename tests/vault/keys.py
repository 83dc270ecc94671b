"""Entries of VAULT_KEYS for tests, and holders whose data keys they wrap."""

import base64
import os
from uuid import uuid4

from apps.vault import sealing
from apps.vault.holders import Holder, Place

PLACE = Place("t", "f")


def entry(key_id: str, key: bytes | None = None) -> str:
    """One entry; its key is drawn unless it is given."""
    return f"{key_id}:{base64.b64encode(os.urandom(32) if key is None else key).decode()}"


def sealed_for(holder: Holder, text: bytes = b"x") -> bytes:
    """A value of this holder, which has a data key from then on."""
    return sealing.seal(text, holder=holder, place=PLACE)


def opened_for(holder: Holder, sealed: bytes) -> bytes:
    """What `sealed_for` sealed."""
    return sealing.open_sealed(sealed, holder=holder, place=PLACE)


def people(count: int) -> list[Holder]:
    """So many users, each with a data key."""
    holders = [Holder.user(uuid4()) for _ in range(count)]
    for holder in holders:
        sealed_for(holder)
    return holders
