"""The number of entries in all lists together, as "Everything by date" counts them.

More is stored than that: practitioners and places, and what is not final, was withdrawn, or is gone.
"""

from uuid import UUID

from apps.records.shelving import reading
from apps.records.subjects import LISTED
from apps.vault import sealing
from apps.vault.sealing import Holder


def listed(user_id: UUID, *, connection_id: UUID | None = None) -> int | None:
    """For all connections of a user, or for one. None if a shelf does not open: then lists do not know the number,
    either.

    One query, and one for the key.
    """
    with sealing.key_ring(Holder.user(user_id)) as ring:
        found = reading.shelves(user_id, ring, subjects=[subject.key for subject in LISTED])
    indexes = [shelf.index for shelf in found if connection_id in {None, shelf.connection_id}]
    return None if None in indexes else sum(index.count for index in indexes if index is not None)
