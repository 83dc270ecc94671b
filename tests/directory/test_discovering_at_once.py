"""What is written about an authorization server while a discovery of it is under way."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection as database
from django.db import connections, transaction

from apps.audit.recording import Actor
from apps.directory import trusting
from tests.directory.conftest import AT
from tests.directory.smart_deployment import LOGIN

pytestmark = pytest.mark.django_db(transaction=True)

OURS = "https://identity.example/idsps/9/"


def wait_for_somebody_before_a_lock() -> None:
    asks = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    for _ in range(500):
        with database.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(asks)
            if cursor.fetchone()[0]:
                return
        time.sleep(0.01)
    raise AssertionError("nobody waited")


class TestAnIssuerThatStaffAllowMeanwhile:
    def test_is_not_lost(self, root):
        server = root.discover()

        def discover() -> None:
            try:
                root.discover()
            finally:
                connections.close_all()

        with ThreadPoolExecutor(1) as pool:
            with transaction.atomic():
                trusting.allow_issuer(server, OURS, actor=Actor.system("test"), at=AT)
                discovered = pool.submit(discover)
                wait_for_somebody_before_a_lock()
            discovered.result(timeout=20)
        server.refresh_from_db()
        assert server.id_token_issuers == [LOGIN, OURS]
