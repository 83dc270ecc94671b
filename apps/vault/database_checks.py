"""Warns if VAULT_KEYS lacks a key that is needed. Not in `checks`, which is imported before models are loaded."""

from collections.abc import Sequence
from typing import Any

from django.core import checks
from django.core.checks import CheckMessage
from django.db import DEFAULT_DB_ALIAS, DatabaseError, transaction
from django.template.defaultfilters import pluralize

from apps.vault import rewrapping
from apps.vault.errors import WeakKey


def needed_keys(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """A warning, not an error: a key may be lost for good, and whatever it does not wrap must go on. Runs with
    `migrate` and with `check --database default`; before the first `migrate` there are no data keys."""
    if DEFAULT_DB_ALIAS not in (databases or []):
        return []
    try:
        with transaction.atomic():
            lost = rewrapping.missing()
    except (DatabaseError, WeakKey):  # no table or no database: other checks say so; unusable keys: `vault_keys` does
        return []
    if not lost:
        return []
    names = ", ".join(f"{use.key_id} ({use.data_keys:,} data key{pluralize(use.data_keys)})" for use in lost)
    return [
        checks.Warning(
            f"VAULT_KEYS lacks keys that data keys are wrapped by: {names}.",
            hint="Put them back, behind the first. What they wrap cannot be opened until then, and is not lost. Before "
            "a key is taken out, `manage.py rotate_keys` says whether anything needs it.",
            id="holdfast.W001",
        )
    ]
