"""What a result does not say itself, but the shelves of its connection do: whether a grave report refers to it, and
goals for its test."""

from collections.abc import Iterable
from typing import NamedTuple

from apps.connections.models import Connection
from apps.records.shelving.indexing import Aim
from apps.records.shelving.open_shelf import OpenShelf
from apps.records.subjects import PLANS, RESULTS

KNOWN_BY = RESULTS, PLANS  # the subjects whose shelves hold it


class ResultContext(NamedTuple):
    """`of_grave` are the results, as `Type/id`, that belong to what may carry grave news; `aims` are the values that
    goals set."""

    of_grave: frozenset[str] = frozenset()
    aims: tuple[Aim, ...] = ()


def of(connection: Connection, shelves: Iterable[OpenShelf]) -> ResultContext:
    """The context from those of the shelves that are this connection's; empty until they are built."""
    mine = [shelf for shelf in shelves if shelf.connection_id == connection.pk]
    of_grave = frozenset().union(*(shelf.of_grave for shelf in mine))
    return ResultContext(of_grave, tuple(aim for shelf in mine for aim in shelf.aims))
