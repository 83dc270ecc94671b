"""A resource as the provider sent it, formatted for people to read."""

import re
from typing import Final

import msgspec

from apps.records import bodies
from apps.records.models import Record
from apps.vault import sealing
from apps.vault.sealing import Holder

MOST_BYTES: Final = 200_000  # the rest is in the download
_DEEPEST: Final = 40  # nested brackets; indented, 200 kB of them are 8 MB at most
_BRACKETS: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)  # skips those in strings
_STEPS: Final = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


def text(record: Record) -> str:
    """The resource as received, one element per line: names, order and digits are the provider's. Raises VaultError."""
    with sealing.key_ring(Holder.user(record.user_id)) as ring:
        body = bodies.of(record, ring)
    return _laid_out(body)[:MOST_BYTES].decode(errors="replace")


def _laid_out(body: bytes) -> bytes:
    """Indented, if a person can read that. When nested lists are indented, their size grows with the square of their
    depth: a long or deep body stays as it came."""
    if len(body) > MOST_BYTES or _is_deep(body):
        return body
    try:
        return msgspec.json.format(body, indent=2)
    except (msgspec.MsgspecError, RecursionError):
        return body


def _is_deep(body: bytes) -> bool:
    """Whether it nests deeper than a resource does."""
    depth = 0
    for found in _BRACKETS.finditer(body):
        depth += _STEPS.get(found[0], 0)
        if depth > _DEEPEST:
            return True
    return False
