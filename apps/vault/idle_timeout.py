"""Transactions of a renewal: the database ends one whose process says nothing any more, and with it what it holds.

A process may be frozen in the middle, with its host or by whoever looks into it, while its connection stays. Whoever
seals for that holder, or closes the account, would wait for as long.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import InterfaceError, InternalError, OperationalError, connection
from django.db import transaction as transactions

_MOST_SILENT = "60s"  # sealing the most rows of one takes some seconds, on a busy machine as well

# What a statement raises after that. It is 25P03, which is of the second kind; mostly only that the connection is gone.
ENDED: Final = (OperationalError, InternalError, InterfaceError)


@contextmanager
def transaction() -> Iterator[None]:
    """One that is ended so. Raises any of `ENDED`."""
    with transactions.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = '{_MOST_SILENT}'")
        yield
