"""The only valid token of a link is written as soon as the database accepts it, whatever prevented that before."""

from typing import Any, cast

import pytest
from django.db import IntegrityError, InternalError, connection
from django.utils import timezone

from apps.audit.models import Restoration
from apps.connections import refreshing

pytestmark = pytest.mark.django_db(transaction=True)


def write():
    return Restoration.objects.create(at=timezone.now())


@pytest.fixture
def pool(monkeypatch):
    """As in a deployment: a connection that is closed alive is the next one."""
    connection.close()
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "pool", {"min_size": 1, "max_size": 1, "timeout": 10})
    yield
    connection.close()
    cast("Any", connection).close_pool()  # Postgres's


@pytest.fixture
def only_read():
    """This session's database can only be read, as after a failover; a new connection reaches the new one."""
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    yield
    connection.close()


class TestAnAnswer:
    @pytest.mark.usefixtures("only_read")
    def test_is_written_when_the_database_can_be_written_again(self):
        refreshing.until_written(write, within_seconds=10)
        assert Restoration.objects.count() == 1

    @pytest.mark.usefixtures("pool", "only_read")
    def test_is_written_over_another_connection_than_the_pool_would_give_out_again(self):
        refreshing.until_written(write, within_seconds=3)
        assert Restoration.objects.count() == 1

    @pytest.mark.usefixtures("only_read")
    def test_is_not_waited_for_longer_than_it_may(self):
        with pytest.raises(InternalError):
            refreshing.until_written(write, within_seconds=0)

    def test_is_not_written_again_where_it_is_at_fault_itself(self):
        tries = []

        def at_fault():
            tries.append("tried")
            Restoration.objects.create(pk=1, at=timezone.now())
            Restoration.objects.create(pk=1, at=timezone.now())

        with pytest.raises(IntegrityError):
            refreshing.until_written(at_fault, within_seconds=10)
        assert tries == ["tried"]
