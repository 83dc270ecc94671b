"""What is sealed for the installation in a table of the sign-in library; `apps.vault.renewing` reads it.

The library stores the text that `adapters.MFAAdapter` returns inside a JSON value, beside other things.
"""

from base64 import b64decode, b64encode
from binascii import Error
from typing import Any, Final

from allauth.mfa.models import Authenticator
from django.db.models import QuerySet

from apps.accounts.adapters import AUTHENTICATOR_PLACE
from apps.vault.holders import Holder, HolderKind
from apps.vault.sealed_columns import SealedColumn
from apps.vault.sealing import KeyRing, key_named_by

_SEALED: Final = (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)  # a passkey has no secret on our side


class _AuthenticatorColumn(SealedColumn):
    """Its rows are few, and are searched one by one."""

    def left(self, holder: Holder, key: bytes) -> list[tuple[Any, int]]:
        rows = self.rows_of(holder).filter(type__in=_SEALED).values_list("pk", "data")
        return [(pk, 0) for pk, data in rows.iterator() if _has(data, key)]

    def sealed_by(self, key: bytes, rows: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002 - it is within JSON
        return rows.filter(type__in=_SEALED)

    def anew(self, row: Any, ring: KeyRing) -> dict[str, Any]:
        return {self.field: _resealed(row.data, ring)}


def _has(value: Any, key: bytes) -> bool:
    """Whether this key sealed a text somewhere inside the value."""
    if isinstance(value, dict | list):
        return any(_has(part, key) for part in (value.values() if isinstance(value, dict) else value))
    return _key_of(value) == key


def _resealed(value: Any, ring: KeyRing) -> Any:
    """The same value, with each sealed text inside it sealed again."""
    if isinstance(value, dict):
        return {name: _resealed(part, ring) for name, part in value.items()}
    if isinstance(value, list):
        return [_resealed(part, ring) for part in value]
    if _key_of(value) != ring.retired:
        return value
    return b64encode(ring.reseal(b64decode(value), place=AUTHENTICATOR_PLACE)).decode()


def _key_of(value: Any) -> bytes:
    try:
        return key_named_by(b64decode(value, validate=True)) if isinstance(value, str) else b""
    except (Error, ValueError):
        return b""


COLUMNS: Final = (
    _AuthenticatorColumn(
        table=Authenticator.objects,
        field="data",
        holder=HolderKind.INSTALLATION,
        place=lambda _row: AUTHENTICATOR_PLACE,
    ),
)
