"""The sealed columns of this app, sealed for their user or the installation; `apps.vault.renewing` reads this."""

from typing import Final

from apps.connections import revoking
from apps.connections.authorization_requests import launching, request_columns
from apps.connections.authorization_responses import candidates
from apps.connections.grants import launch_context
from apps.connections.models import (
    AuthorizationRequest,
    Connection,
    PendingLaunch,
    PendingRevocation,
    StoredTokenSet,
)
from apps.connections.refreshing import token_columns
from apps.vault.holders import HolderKind
from apps.vault.sealed_columns import SealedColumn


def _of_people(field: str) -> SealedColumn:
    return SealedColumn(table=Connection.objects, field=field, place=lambda row: candidates.place_of(row, field))


def _of_tokens(field: str) -> SealedColumn:
    return SealedColumn(
        table=StoredTokenSet.objects,
        field=field,
        owner="connection__user_id",
        related=("connection",),
        place=lambda row: token_columns.place_of(row.connection, field),
    )


def _of_requests(field: str) -> SealedColumn:
    return SealedColumn(
        table=AuthorizationRequest.objects, field=field, place=lambda row: request_columns.place_of(row.pk, field)
    )


COLUMNS: Final = (
    _of_people("sealed_candidates"),
    _of_people("sealed_person"),
    SealedColumn(table=Connection.objects, field="sealed_context", place=launch_context.place_of),
    _of_tokens("sealed_access_token"),
    _of_tokens("sealed_refresh_token"),
    _of_requests("sealed_pkce_verifier"),
    _of_requests("sealed_launch"),
    SealedColumn(
        table=PendingLaunch.objects,
        field="sealed_launch",
        holder=HolderKind.INSTALLATION,
        place=lambda row: launching.place_of(row.pk),
    ),
    SealedColumn(
        table=PendingRevocation.objects,
        field="sealed_token",
        holder=HolderKind.INSTALLATION,
        place=revoking.place_of,
    ),
)
