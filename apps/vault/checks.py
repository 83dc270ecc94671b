"""Refuses to start with VAULT_KEYS that would seal badly, or not at all."""

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
    Flaw.MALFORMED: (
        "holdfast.E002",
        "VAULT_KEYS has an entry that is not `id:base64`.",
        "An id has 1 to 64 letters, digits, dots, dashes or underscores; entries are separated by commas.",
    ),
    Flaw.WRONG_LENGTH: ("holdfast.E003", "VAULT_KEYS has a key that is not 32 bytes long.", _NEW_KEY),
    Flaw.DUPLICATE_ID: (
        "holdfast.E004",
        "VAULT_KEYS has two keys with one id.",
        "Give the newer key an id of its own: data keys remember which key wrapped them.",
    ),
    Flaw.WEAK: ("holdfast.E005", "VAULT_KEYS has a key that was typed or repeats itself.", _NEW_KEY),
    Flaw.PUBLISHED: (
        "holdfast.E006",
        "VAULT_KEYS has a key that is published in Holdfast's own source.",
        _NEW_KEY,
    ),
}


def vault_keys(**_options: Any) -> list[CheckMessage]:
    """One error per flaw. The key that the tests use passes in debug alone."""
    flaws = wrapping.flaws(getattr(settings, "VAULT_KEYS", None) or [])
    if settings.DEBUG:
        flaws -= {Flaw.PUBLISHED}
    return [
        Error(message, hint=hint, id=check_id) for flaw, (check_id, message, hint) in _ERRORS.items() if flaw in flaws
    ]
