"""How many requests a minute one connection may send."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from apps.connections.models import Connection
from apps.connections.refreshing import NotYet
from apps.records.syncing.workers import rate_limiting
from tests.records.linked import AT

MINUTE = AT.replace(second=0, microsecond=0)
NEXT = MINUTE + timedelta(minutes=1)


def turns(connection: Connection, *, most: int, at: datetime) -> int:
    """How many there were to take, of three more than there may be."""
    taken = 0
    for _turn in range(most + 3):
        try:
            rate_limiting.take_turn(connection, most=most, at=at)
        except NotYet:
            continue
        taken += 1
    return taken


@pytest.fixture
def connection() -> Connection:
    return Connection(pk=uuid4())


@pytest.mark.conformance("C60")
class TestAMinute:
    @pytest.mark.parametrize("most", [1, 20])
    def test_has_as_many_requests_as_it_may_and_no_more(self, connection, most):
        assert turns(connection, most=most, at=MINUTE) == most

    def test_is_one_from_its_first_moment_to_its_last(self, connection):
        rate_limiting.take_turn(connection, most=2, at=MINUTE)
        assert turns(connection, most=2, at=NEXT - timedelta(microseconds=1)) == 1

    def test_that_is_full_says_when_the_next_begins(self, connection):
        rate_limiting.take_turn(connection, most=1, at=MINUTE)
        with pytest.raises(NotYet) as wait:
            rate_limiting.take_turn(connection, most=1, at=MINUTE + timedelta(seconds=59))
        assert wait.value.until == NEXT

    def test_takes_nothing_from_the_next(self, connection):
        turns(connection, most=2, at=MINUTE)
        rate_limiting.take_turn(connection, most=2, at=NEXT)

    def test_takes_nothing_from_another_connection(self, connection):
        turns(connection, most=2, at=MINUTE)
        assert turns(Connection(pk=uuid4()), most=2, at=MINUTE) == 2

    def test_is_waited_for_where_the_cache_does_not_answer(self, connection, settings):
        """Nobody knows how often the provider was asked: the next minute finds out, and no run breaks."""
        unreachable = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
        settings.CACHES = {"default": unreachable}
        with pytest.raises(NotYet) as wait:
            rate_limiting.take_turn(connection, most=20, at=MINUTE)
        assert wait.value.until == NEXT
