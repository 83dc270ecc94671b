"""What the shelves of a connection know of its results that no result says itself."""

from typing import NamedTuple

from apps.connections.models import Connection
from apps.records.shelving import reading
from apps.records.shelving.indexing import Aim
from apps.records.subjects import PLANS, RESULTS
from apps.vault.sealing import KeyRing


class Known(NamedTuple):
    """`of_grave` are the results, as `Type/id`, that belong to what may carry grave news; `aims` what goals want."""

    of_grave: frozenset[str] = frozenset()
    aims: tuple[Aim, ...] = ()


def of(connection: Connection, ring: KeyRing) -> Known:
    """What is known; nothing until its shelves are built. One query. Raises `apps.vault.errors.VaultError` where a key
    is missing."""
    found = reading.shelves(connection.user_id, ring, subjects=[RESULTS.key, PLANS.key])
    mine = [shelf for shelf in found if shelf.connection_id == connection.pk]
    of_grave = frozenset().union(*(shelf.of_grave for shelf in mine))
    return Known(of_grave, tuple(aim for shelf in mine for aim in shelf.aims))
