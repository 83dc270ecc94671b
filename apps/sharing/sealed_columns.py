"""The sealed columns of this app, which `apps.vault.renewing` reads."""

from typing import Final

from apps.sharing import places
from apps.sharing.models import Opening, Share
from apps.vault.sealed_columns import SealedColumn

COLUMNS: Final[tuple[SealedColumn, ...]] = (
    SealedColumn(table=Share.objects, field="sealed_terms", place=lambda row: places.terms_place(row.pk)),
    SealedColumn(table=Share.objects, field="sealed_wrong", place=lambda row: places.wrong_place(row.pk)),
    SealedColumn(
        table=Opening.objects,
        field="sealed_name",
        owner="share__user_id",
        place=lambda row: places.name_place(row.pk),
    ),
)
