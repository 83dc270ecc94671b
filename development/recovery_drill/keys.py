"""The drill's wrapping keys: rotated between backup and loss, so that the backup needs one that was given up."""

import base64
import secrets

from django.conf import settings
from django.core.checks import Tags, run_checks

from apps.vault import rewrapping
from development import servers
from development.recovery_drill import running


def rotate() -> None:
    """A new key in front, everything wrapped by it, and the old one out of VAULT_KEYS."""
    new = f"drill:{base64.b64encode(secrets.token_bytes(32)).decode()}"
    settings.VAULT_KEYS = [new, *settings.VAULT_KEYS]
    running.quietly("rotate_keys")
    settings.VAULT_KEYS = [new]
    assert rewrapping.missing() == [], "something needs the old key"


def put_back() -> None:
    """Where it is missing the start-up check says so; with it nothing is missing."""
    (new,) = settings.VAULT_KEYS
    assert _is_missing(), "nobody misses the old key"
    settings.VAULT_KEYS = [new, *servers.vault_keys()]  # kept apart from the database and its backups
    assert not _is_missing(), "the old key is still missed"


def _is_missing() -> bool:
    found = run_checks(tags=[Tags.database], databases=["default"])
    return any(message.id == "holdfast.W001" for message in found)
