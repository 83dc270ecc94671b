"""Alice's links that are about to end, and the mail about them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.accounts import preferences
from apps.accounts.models import User
from apps.connections.lapse_warnings import planning, sending
from apps.connections.models import Connection, StoredTokenSet
from tests.records.linked import give_tokens, make_connection, make_endpoint

SIGNED_IN_AT = datetime(2026, 11, 23, 14, 0, tzinfo=UTC)  # a Monday
LAPSES_AT = SIGNED_IN_AT + timedelta(hours=48)


def end(connection: Connection, *, at: datetime = LAPSES_AT, signed_in_at: datetime = SIGNED_IN_AT) -> None:
    """Its server does not rotate: it has a known end."""
    StoredTokenSet.objects.filter(pk=connection.pk).update(refresh_issued_at=signed_in_at, refresh_deadline_at=at)
    Connection.objects.filter(pk=connection.pk).update(lapses_at=at)


def beat(at: datetime) -> int:
    """What the beat does: plan, and tell. How many mails were sent."""
    planning.plan(at=at)
    return sending.send_due(at=at)


def choose(
    user: User,
    *hours: int,
    tells_of_ends: bool = True,
    names_providers: bool = False,
    time_zone: str = "",
    at: datetime = SIGNED_IN_AT,
) -> None:
    """The person's choices; none of the hours for no mail before an end."""
    preferences.choose(
        user,
        hours_before=hours,
        tells_of_ends=tells_of_ends,
        names_providers=names_providers,
        tells_of_news=False,
        time_zone=time_zone,
        at=at,
    )


@pytest.fixture
def link(alice: User) -> Callable[..., Connection]:
    """Makes a link of Alice's that ends at a known time."""
    made: list[Connection] = []

    def make(at: datetime = LAPSES_AT, *, user: User = alice, **columns: Any) -> Connection:
        endpoint = make_endpoint(f"https://fhir{len(made)}.example/r4")
        connection = make_connection(user, endpoint, **columns)
        give_tokens(connection, issued_at=SIGNED_IN_AT)
        end(connection, at=at)
        made.append(connection)
        connection.refresh_from_db()
        return connection

    return make
