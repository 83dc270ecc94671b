"""A process has a database connection for every thread that may want one."""

from django.conf import settings

from apps.connections.refreshing import running
from config import celery


class TestAWorker:
    def test_has_a_connection_for_each_thread_and_hand(self):
        assert settings.DATABASE_POOL_SIZE > celery.THREADS + running.HANDS
