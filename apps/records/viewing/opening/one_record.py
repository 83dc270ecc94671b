"""One record of a user, with the connection it came by, as its pages need it."""

from typing import Final

from django.db import DEFAULT_DB_ALIAS

from apps.accounts.models import User
from apps.records.binary_cursors import binary_cursor
from apps.records.models import Record
from apps.records.viewing.opening import connected

# The columns that pages need; any other is fetched on access.
_RECORD: Final = ("id", "user_id", "connection_id", "resource_type", "logical_id", "sealed_body", "received_at")
# Written out, like that for connections (`connected`): building it in Python takes four times as long.
_FOUND: Final = f"""
SELECT {connected.columns("record", _RECORD)}, {connected.COLUMNS}
FROM {connected.JOINED} JOIN records_record AS record ON record.connection_id = link.id
WHERE record.id = %(pk)s AND record.user_id = %(user_id)s AND link.confirmed_at IS NOT NULL
"""  # noqa: S608  # nosec B608 -- names of columns, written above


def find(user: User, pk: int) -> Record:
    """A record of this user's confirmed connections: one query. Raises Record.DoesNotExist for anybody else's."""
    with binary_cursor() as cursor:
        cursor.execute(_FOUND, {"pk": pk, "user_id": user.pk})
        row = cursor.fetchone()
    if row is None:
        raise Record.DoesNotExist
    record = Record.from_db(DEFAULT_DB_ALIAS, _RECORD, row[: len(_RECORD)])
    record.user, record.connection = user, connected.read(row[len(_RECORD) :])
    return record
