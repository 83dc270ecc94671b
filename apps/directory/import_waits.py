"""What staff do while a directory is being imported waits for the import, but not for long.

An import of a million rows takes minutes, and holds locks on the search words and on the rows that it changed until its
end. A page that waited as long would seem lost, and a proxy would time out while something is still being done.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import OperationalError, connection, transaction
from django.utils.translation import gettext_lazy as _
from psycopg.errors import DeadlockDetected, LockNotAvailable

from apps.directory.models import SearchWord

NOT_DONE_YET: Final = _(
    "This is not done yet, because a list is being imported. That may take a few minutes. After that, do it again."
)
_PATIENCE: Final = "SET LOCAL lock_timeout = '10s'"


class StillImporting(Exception):
    """An import held a lock for longer than anybody should wait. What waited for it was not done."""


@contextmanager
def briefly() -> Iterator[None]:
    """A transaction in which no lock is waited for longer than ten seconds. Only what meets an import's rows is
    stopped: most can be done beside one, such as switching something off. Lock one such row at a time where you can:
    with several, each could wait for the other, and the database would stop one of the two.

    Raises StillImporting; nothing was changed then.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_PATIENCE)
            yield
    except OperationalError as error:
        if not isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
            raise
        raise StillImporting from None


@contextmanager
def after_imports() -> Iterator[None]:
    """The same after any running import, and no other begins meanwhile: for rows that an import locks in an order of
    its own. Raises StillImporting."""
    with briefly():
        SearchWord.wait_for_imports()
        yield


def wait() -> None:
    """Wait for a running import, for at most ten seconds. For what speaks to the network, and so cannot be one
    transaction: another import may begin before it is done. Raises StillImporting."""
    with after_imports():
        pass
