"""The visit that was open in the provider's portal when a patient came from there, as the first page of their record
offers it (specification 2.3, `encounter`).

The portal named it by its id, which is no proof of anything: the visit is shown only if it came with the patient's own
record, and if lists show it as well. Each sign-in replaces what the one before it named. It is offered for a day, as
long as the sign-in itself is remembered (`connections.ending.purging`): nobody comes from there months later.
"""

import logging
from datetime import datetime
from typing import Final

from apps.connections.grants import launch_context
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from apps.records.models import Record
from apps.records.shelving.reading import Shelved
from apps.records.subjects import VISITS
from apps.records.viewing import entries
from apps.records.viewing.listing import rows
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Source
from apps.vault import sealing
from apps.vault.errors import VaultError
from apps.vault.sealing import Holder

_LOG = logging.getLogger(__name__)
_SIGNED_IN: Final = (Outcome.COMPLETED, Outcome.CONFIRMED, Outcome.ALREADY_CONNECTED)


def find(connection: Connection, *, at: datetime) -> Row | None:
    """Decrypt what the latest sign-in named, and that one visit. None if that was days ago or named none, if the visit
    did not come or is no longer there, if the provider took it back or hides its details, and if it does not open."""
    if not AuthorizationRequest.objects.filter(connection=connection, outcome__in=_SIGNED_IN).exists():
        return None
    visit_id = launch_context.find(connection).encounter
    if not visit_id:
        return None
    mine = Record.objects.filter(user_id=connection.user_id, connection_id=connection.pk, removed_at=None)
    record = mine.filter(resource_type__in=VISITS.resource_types, logical_id=visit_id).first()
    if record is None:
        return None
    record.connection = connection
    try:
        with sealing.key_ring(Holder.user(connection.user_id)) as ring:
            entry = entries.by_itself(record, ring)
    except VaultError as error:
        _LOG.error("A record does not open: connection %s, %s.", connection.pk, type(error).__name__)
        return None
    if entry.is_withdrawn or entry.is_withheld:
        return None
    shelved = Shelved(record.pk, connection.pk, VISITS.key, (0, "", "", record.pk), entry)
    source = Source(connection, connection.last_checked_at, is_out_of_date=False)
    (row,) = rows.of([shelved], {connection.pk: source}, at=at)
    return row
