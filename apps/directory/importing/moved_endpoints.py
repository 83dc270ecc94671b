"""Endpoints of the patient access API that a list moved to another origin: their links stay, and staff are asked.

A list proves as little about addresses as the documents of a SMART deployment do (`moving`).
"""

from datetime import datetime

from django.db import connection
from django.db.models import F, Q, QuerySet

from apps.directory import moving, pinning
from apps.directory.models import AuthorizationServer, Endpoint
from apps.wire.dialects import Interface

_LED = """
UPDATE directory_endpoint AS led
SET moved_from_id = parted.server_id, named_authorize_url = now.authorize_url, named_token_url = now.token_url
FROM import_parted AS parted, directory_authorizationserver AS now
WHERE led.id = parted.endpoint_id AND led.interface = %s AND now.id = led.authorization_server_id
"""


def ask_staff(*, at: datetime) -> None:
    """Update the questions to staff, for endpoints that left a server where patients sign in and those asked about
    before.

    Endpoints that lead where the links are, or to the same origins, need no question any more, unless they are held
    (`moving`). Those that lead to origins which staff approved for the registration follow it.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LED, [Interface.PATIENT_ACCESS.value])
    rows = moving.awaiting().filter(interface=Interface.PATIENT_ACCESS)
    pairs = list(rows.order_by().values_list("moved_from", "authorization_server").distinct())
    servers = AuthorizationServer.objects.in_bulk({pk for pair in pairs for pk in pair})
    for before_id, now_id in pairs:
        _settle(rows, servers.get(before_id), servers.get(now_id), at=at)


def _settle(
    rows: QuerySet[Endpoint], before: AuthorizationServer | None, now: AuthorizationServer | None, *, at: datetime
) -> None:
    of_pair = rows.filter(moved_from=before, authorization_server=now)
    if before is None or now is None or pinning.share_origins(before, now):
        is_held = Q(named_token_url=F("authorization_server__token_url"), moved_from=F("authorization_server"))
        of_pair.exclude(is_held).update(moved_from=None, named_authorize_url="", named_token_url="")
    elif known := [row for row in before.registrations.all() if pinning.knows(row, now)]:
        moving.come(known, of_pair, at=at)
    else:
        of_pair.exclude(named_authorize_url=now.authorize_url, named_token_url=now.token_url).update(
            named_authorize_url=now.authorize_url, named_token_url=now.token_url
        )
