"""A process has a database connection for every thread that may need one, and keeps none for long."""

from typing import Any

from django.conf import settings

from apps.connections.refreshing import running
from config import celery, env


class TestAWorker:
    def test_has_a_connection_for_each_thread_and_hand(self):
        assert settings.DATABASE_POOL_SIZE > celery.THREADS + running.HANDS

    def test_keeps_none_for_long(self):
        """After a failover it may lead to a server that can only be read, and answers for ever."""
        config: dict[str, Any] = env.database_config("postgres://holdfast@database.example/holdfast", pool_size=1)
        assert config["OPTIONS"]["pool"]["max_lifetime"] <= 300
