"""Somebody else writes to an authorization server's row while a discovery of it is under way."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection as database
from django.db import connections, transaction

from apps.audit.recording import Actor
from apps.directory import moving, trusting
from apps.directory.models import AuthorizationServer, Endpoint, KnownOrigins
from apps.directory.moving import Addresses
from apps.wire.errors import WireError
from tests.directory.conftest import AT
from tests.directory.smart_deployment import LOGIN, register

pytestmark = pytest.mark.django_db(transaction=True)

OURS = "https://identity.example/idsps/9/"
STAFF = Actor.system("test")


def wait_for_somebody_before_a_lock(*, number: int = 1, or_until: Callable[[], bool] = lambda: False) -> None:
    asks = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    for _ in range(500):
        with database.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(asks)
            if cursor.fetchone()[0] >= number or or_until():
                return
        time.sleep(0.01)
    raise AssertionError("nobody waited")


def by_itself(call: Callable[[], object]) -> None:
    """In a thread, whatever becomes of it."""
    try:
        call()
    except WireError:
        pass
    finally:
        connections.close_all()


class TestAnIssuerThatStaffAllowMeanwhile:
    def test_is_not_lost(self, root):
        server = root.discover()

        with ThreadPoolExecutor(1) as pool:
            with transaction.atomic():
                trusting.allow_issuer(server, OURS, actor=STAFF, at=AT)
                discovered = pool.submit(by_itself, root.discover)
                wait_for_somebody_before_a_lock()
            discovered.result(timeout=20)
        server.refresh_from_db()
        assert server.id_token_issuers == [LOGIN, OURS]


class TestAnApprovalThatIsTakenBackMeanwhile:
    @pytest.fixture
    def there(self, root):
        """Where the endpoint is about to come, approved: known from another endpoint of that server."""
        before = root.discover()
        new = {
            name: value.replace("login.example", "new.example")
            for name, value in root.configuration.items()
            if isinstance(value, str)
        }
        root.says(**new)
        there = AuthorizationServer.objects.create(
            authorize_url=new["authorization_endpoint"], token_url=new["token_endpoint"], source="discovered",
            found_at=AT, is_sandbox=before.is_sandbox,
        )  # fmt: skip
        found = Addresses(there.authorize_url, there.token_url)
        moving.know(register(before), root.endpoint, found, actor=STAFF, at=AT)
        return there

    def test_leaves_the_endpoint_to_staff_and_where_it_was(self, root, there):
        before = root.endpoint.authorization_server

        def withdraw() -> None:
            with transaction.atomic():
                moving.forget(list(KnownOrigins.objects.all()), root.endpoint, actor=STAFF, at=AT)

        with ThreadPoolExecutor(2) as pool:
            with transaction.atomic():
                AuthorizationServer.objects.select_for_update().get(pk=there.pk)
                discovered = pool.submit(by_itself, root.discover)
                wait_for_somebody_before_a_lock()  # it is about to follow
                withdrawn = pool.submit(by_itself, withdraw)
                wait_for_somebody_before_a_lock(number=2, or_until=withdrawn.done)
            discovered.result(timeout=20)
            withdrawn.result(timeout=20)
        endpoint = Endpoint.objects.get(pk=root.endpoint.pk)
        assert moving.awaits(endpoint)
        assert (endpoint.authorization_server, endpoint.moved_from) == (before, None)
