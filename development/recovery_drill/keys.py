"""The drill's wrapping keys: rotated between backup and loss, so that the backup needs one that was retired."""

import base64
import secrets

from django.conf import settings
from django.core.checks import Tags, run_checks

from apps.vault import rewrapping
from development import servers
from development.recovery_drill import running


def rotate() -> None:
    """Put a new key in front, rewrap everything with it, and remove the old one from VAULT_KEYS."""
    new = f"drill:{base64.b64encode(secrets.token_bytes(32)).decode()}"
    settings.VAULT_KEYS = [new, *settings.VAULT_KEYS]
    running.quietly("rotate_keys")
    settings.VAULT_KEYS = [new]
    assert rewrapping.missing() == [], "something needs the old key"


def put_back() -> None:
    """Without the old key the start-up check reports it as missing; with it, nothing is missing."""
    (new,) = settings.VAULT_KEYS
    assert _is_missing(), "nobody misses the old key"
    settings.VAULT_KEYS = [new, *servers.vault_keys()]  # kept apart from the database and its backups
    assert not _is_missing(), "the old key is still missed"


def _is_missing() -> bool:
    found = run_checks(tags=[Tags.database], databases=["default"])
    return any(message.id == "holdfast.W001" for message in found)
