"""System checks: errors for VAULT_KEYS that would seal badly, or not at all."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from apps.vault import wrapping
from apps.vault.wrapping import Flaw

_NEW_KEY = (
    "Make one with `python -c 'import base64, os; print(base64.b64encode(os.urandom(32)).decode())'`, write it as "
    "`some-id:that-text`, and put it first; keep the earlier ones behind it."
)
_ERRORS = {
    Flaw.MISSING: ("holdfast.E001", "VAULT_KEYS is empty: nothing can be sealed.", _NEW_KEY),
    Flaw.UNNAMED: (
        "holdfast.E002",
        "VAULT_KEYS has an entry that is not `id:base64`: number {number}.",
        "An id of 1 to 64 letters, digits, dots, dashes or underscores stands before a colon; commas separate entries.",
    ),
    Flaw.NOT_BASE64: (
        "holdfast.E008",
        "VAULT_KEYS has a key that cannot be read: that of entry {number} is not base64.",
        "It is written with + and /, not with - and _, filled up with =, and has no space within.",
    ),
    Flaw.WRONG_LENGTH: (
        "holdfast.E003",
        "VAULT_KEYS has a key that is not 32 bytes long: that of entry {number}.",
        _NEW_KEY,
    ),
    Flaw.DUPLICATE_ID: (
        "holdfast.E004",
        "VAULT_KEYS has two keys with one id: the second is entry {number}.",
        "Give the newer key an id of its own: data keys remember which key wrapped them.",
    ),
    Flaw.WEAK: (
        "holdfast.E005",
        "VAULT_KEYS has a key that was typed or repeats itself: that of entry {number}.",
        _NEW_KEY,
    ),
    Flaw.PUBLISHED: (
        "holdfast.E006",
        "VAULT_KEYS has a key that is published in Holdfast's own source: that of entry {number}.",
        _NEW_KEY,
    ),
}


def vault_keys(**_options: Any) -> list[CheckMessage]:
    """One error per flaw, with the number of an entry that has it and nothing of its contents. The key that tests use
    is accepted only in debug."""
    found = wrapping.flaws(getattr(settings, "VAULT_KEYS", None) or [])
    if settings.DEBUG:
        found.pop(Flaw.PUBLISHED, None)
    return [
        Error(message.format(number=found[flaw]), hint=hint, id=check_id)
        for flaw, (check_id, message, hint) in _ERRORS.items()
        if flaw in found
    ]
