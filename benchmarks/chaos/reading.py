"""`python -m benchmarks.chaos.shifted SECONDS benchmarks.chaos.reading`: use one link after the other, for ever, as a
sync does when it is about to ask for data."""

import random
from contextlib import suppress

import django
from django.db import connection as database
from django.db.utils import Error

django.setup()

from apps.connections import clocks, refreshing  # noqa: E402 - once Django is set up
from apps.connections.models import Connection  # noqa: E402
from apps.vault.errors import VaultError  # noqa: E402
from apps.wire.errors import WireError  # noqa: E402

_EXPECTED = (
    refreshing.NotYet,
    refreshing.NeedsReauthorization,
    refreshing.SwitchedOff,
    WireError,
    VaultError,
)


def main() -> None:
    """Until killed."""
    while True:
        try:
            _read()
        except Error:  # the database went: the next round finds another connection
            with suppress(Error):
                database.close()


def _read() -> None:
    rows = list(Connection.objects.active().select_related("endpoint__authorization_server", "registration")[:10_000])
    random.shuffle(rows)
    for connection in rows:
        with suppress(*_EXPECTED):
            refreshing.usable_token(connection, at=clocks.now())


main()
