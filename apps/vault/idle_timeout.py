"""Transactions of a key renewal, which the database aborts if the process goes silent, releasing their locks.

A process may be frozen in the middle of a transaction, with its host or by a debugger, while its connection stays open.
Whoever wants to seal for that holder, or to close the account, would wait as long.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import InterfaceError, InternalError, OperationalError, connection
from django.db import transaction as transactions

_MOST_SILENT = "60s"  # the largest transaction takes some seconds, even on a busy machine

# What a statement raises after the timeout: InternalError for 25P03, or more often only that the connection is gone.
ENDED: Final = (OperationalError, InternalError, InterfaceError)


@contextmanager
def transaction() -> Iterator[None]:
    """An atomic block with this timeout. Raises any of `ENDED` after it."""
    with transactions.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = '{_MOST_SILENT}'")
        yield
