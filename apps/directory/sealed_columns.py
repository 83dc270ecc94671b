"""The sealed columns of this app, sealed for the installation; `apps.vault.renewing` reads this."""

from typing import Final

from apps.directory import credentials, signing
from apps.directory.models import ClientRegistration, SigningKey
from apps.vault.holders import HolderKind
from apps.vault.sealed_columns import SealedColumn

COLUMNS: Final = (
    SealedColumn(
        table=ClientRegistration.objects,
        field="sealed_secret",
        holder=HolderKind.INSTALLATION,
        place=credentials.place_of,
    ),
    SealedColumn(
        table=SigningKey.objects,
        field="sealed_private_jwk",
        holder=HolderKind.INSTALLATION,
        place=lambda row: signing.place_of(row.kid),
    ),
)
