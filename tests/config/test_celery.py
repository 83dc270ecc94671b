"""The queue: its broker, what it accepts, and that every row of the schedule names a task."""

import inspect
import threading
from datetime import timedelta
from typing import Any

import pytest
from kombu.exceptions import OperationalError

from config import celery
from tests.fixtures.silence import silent_redis


@pytest.fixture
def tasks():
    """Every task there is, by its name."""
    celery.app.loader.import_default_modules()
    celery.app.autodiscover_tasks(force=True)
    return celery.app.tasks


class TestTheBrokersAddress:
    @pytest.mark.parametrize(
        ("given", "spelled"),
        [
            ("redis://broker.example:6379/2", "redis://broker.example:6379/2"),
            ("rediss://:password@broker.example/0", "rediss://:password@broker.example/0"),
            ("unix:///run/redis.sock?db=3", "redis+socket:///run/redis.sock?virtual_host=3"),
            ("unix:///run/redis.sock", "redis+socket:///run/redis.sock?virtual_host=0"),
            ("unix:///a%20folder/redis.sock?db=1", "redis+socket:///a folder/redis.sock?virtual_host=1"),
        ],
    )
    def test_is_spelled_as_celery_reads_it(self, given, spelled):
        assert celery.broker_address(given) == spelled


class TestTheSchedule:
    def test_names_tasks_that_exist_and_says_why(self, tasks):
        assert [row.task for row in celery.SCHEDULE if row.task not in tasks] == []
        assert all(row.reason.endswith(".") for row in celery.SCHEDULE)

    def test_has_no_row_that_a_machine_which_is_restarted_each_night_never_comes_to(self):
        """Beat waits for as long as a row says, anew each time it is started: what it keeps of them is in /tmp."""
        assert [row.task for row in celery.SCHEDULE if row.every > timedelta(hours=1)] == []

    def test_expires_where_nobody_begins_it_and_not_for_a_worker_whose_clock_is_an_hour_ahead(self):
        """Beat's machine writes the moment, the worker's judges it."""
        for entry in celery.app.conf.beat_schedule.values():
            assert entry["options"]["expires"] == entry["schedule"].total_seconds() + 3600


class TestATask:
    def test_takes_no_argument(self, tasks):
        """Messages lie in Redis in the clear: whom a task works for, and with what, stands in rows alone."""
        ours = {name: task for name, task in tasks.items() if name.startswith("apps.")}
        assert {row.task for row in celery.SCHEDULE} < ours.keys()
        assert [name for name, task in ours.items() if inspect.signature(task.run).parameters] == []


class TestTheQueue:
    def test_keeps_no_result_and_acknowledges_early(self):
        conf = celery.app.conf
        assert conf.task_ignore_result
        assert not conf.task_acks_late
        assert not conf.result_backend

    def test_reads_json_alone(self):
        assert (celery.app.conf.accept_content, celery.app.conf.task_serializer) == (["json"], "json")

    def test_that_says_nothing_holds_nobody_who_sends_for_long(self, tasks):
        """A page and a refreshing worker send, and a socket without a limit would hold them until it dies."""
        ends: list[type[Exception]] = []

        def send():
            try:
                tasks["apps.records.tasks.sync_next"].apply_async(connection=broker)
            except Exception as error:  # noqa: BLE001 - whatever it is, it ended
                ends.append(type(error))

        with silent_redis() as address, celery.app.connection_for_write(address) as broker:
            sending = threading.Thread(target=send, daemon=True)
            sending.start()
            sending.join(20)
            assert ends == [OperationalError]

    def test_is_waited_for_longer_than_it_waits_itself(self):
        """A worker asks it to answer within a second even where there is nothing to do."""
        options = celery.app.conf.broker_transport_options
        with celery.app.connection_for_read() as broker:
            channel: Any = broker.default_channel  # typed as the base class, which asks nothing
            assert options["socket_timeout"] > channel.brpop_timeout

    def test_belongs_to_this_process_alone(self, settings):
        prefix = celery.app.conf.broker_transport_options["global_keyprefix"]
        assert prefix == settings.CELERY_KEY_PREFIX != "holdfast:"
