"""One link of interface A that holds."""

from datetime import datetime
from types import SimpleNamespace

import pytest

from apps.connections import clocks
from apps.connections.callback import confirming
from apps.connections.models import Connection, StoredTokenSet


@pytest.fixture
def connection(traveller, place, stand_in) -> Connection:
    """Linked with an access token of 300 seconds (the server does not say) and a refresh token of 48 hours."""
    found = traveller.link(place)
    confirmed = confirming.confirm(found, candidate=0, at=found.created_at).connection
    stand_in.server.requests.clear()
    return confirmed


@pytest.fixture
def issued_at(connection) -> datetime:
    issued_at = StoredTokenSet.objects.get().refresh_issued_at
    assert issued_at is not None
    return issued_at


@pytest.fixture
def stopwatch(monkeypatch) -> SimpleNamespace:
    """`seconds` pass when they are set, and no others, for whoever counts on from a moment he was told."""
    stands = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: stands.seconds))
    return stands
