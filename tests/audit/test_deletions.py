"""Deletions reach the ledger only after their commit, and none is lost."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.db import connection as database
from django.db import transaction

from apps.audit import deletion_ledger, deletions, recording, tasks
from apps.audit.deletion_ledger import Deleted
from apps.audit.models import Deletion, EventType
from apps.audit.recording import Actor

AT = datetime(2026, 11, 20, 9, 40, tzinfo=UTC)


@pytest.fixture
def ledger(settings, tmp_path):
    settings.DELETION_LEDGER = tmp_path / "deletions.jsonl"
    return settings.DELETION_LEDGER


def delete(event: EventType = EventType.CONNECTION_DISCONNECTED) -> Deleted:
    """What code that deletes writes down."""
    user_id, connection_id = uuid4(), uuid4()
    is_account = event is EventType.ACCOUNT_CLOSED
    recording.record(
        event,
        actor=Actor.user(user_id),
        at=AT,
        user_id=user_id,
        subject="user" if is_account else "connection",
        subject_id=str(user_id if is_account else connection_id),
    )
    return Deleted(event, AT, user_id, None if is_account else connection_id)


def written(path) -> list[object]:
    return list(deletion_ledger.read(path)) if path.exists() else []


@pytest.mark.django_db(transaction=True)
class TestADeletion:
    @pytest.mark.parametrize("event", sorted(deletions.LASTING))
    def test_is_in_the_ledger_when_it_is_committed(self, ledger, event):
        with transaction.atomic():
            deleted = delete(EventType(event))
            assert written(ledger) == []
        assert written(ledger) == [deleted]
        assert not Deletion.objects.exists()

    def test_that_was_taken_back_is_not(self, ledger):
        with transaction.atomic():
            delete()
            transaction.set_rollback(True)
        assert written(ledger) == []

    def test_is_the_only_event_that_is(self, ledger):
        for event in set(EventType) - deletions.LASTING:
            recording.record(event, actor=Actor.system("test"), at=AT, user_id=uuid4())
        assert written(ledger) == []
        assert not Deletion.objects.exists()

    def test_that_a_newer_release_noted_waits_for_it_and_keeps_no_other_from_being_written(self, ledger, settings):
        settings.DELETION_LEDGER = None
        delete()
        Deletion.objects.update(event="copy.of_tomorrow", at=AT - timedelta(days=1))
        deleted = delete()
        settings.DELETION_LEDGER = ledger
        tasks.write_deletions()
        assert written(ledger) == [deleted]
        assert [row.event for row in Deletion.objects.all()] == ["copy.of_tomorrow"]

    def test_waits_where_no_ledger_is_named_and_is_written_when_one_is(self, settings, tmp_path):
        deleted = [delete(), delete(EventType.ACCOUNT_CLOSED)]
        assert Deletion.objects.count() == 2
        settings.DELETION_LEDGER = tmp_path / "later.jsonl"
        tasks.write_deletions()
        assert sorted(written(settings.DELETION_LEDGER), key=repr) == sorted(deleted, key=repr)
        assert not Deletion.objects.exists()

    def test_is_not_stopped_by_a_ledger_that_cannot_be_written(self, settings, tmp_path, caplog):
        settings.DELETION_LEDGER = tmp_path / "absent" / "deletions.jsonl"
        deleted = delete()
        assert Deletion.objects.count() == 1
        assert "The deletion ledger cannot be written: FileNotFoundError" in caplog.text
        settings.DELETION_LEDGER.parent.mkdir()
        assert deletions.write_out() == 1
        assert written(settings.DELETION_LEDGER) == [deleted]

    def test_is_written_by_command_too(self, settings, tmp_path, capsys):
        delete()
        with pytest.raises(CommandError, match="Set DELETION_LEDGER"):
            call_command("write_deletions")
        settings.DELETION_LEDGER = tmp_path / "absent" / "deletions.jsonl"
        with pytest.raises(CommandError, match="Not all could be written"):
            call_command("write_deletions")
        settings.DELETION_LEDGER.parent.mkdir()
        call_command("write_deletions")
        assert capsys.readouterr().out.splitlines()[-1] == "1 deletion written."

    def test_is_written_again_rather_than_lost_in_a_crash_after_writing(self, ledger, monkeypatch):
        def die(*_given):
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr("django.db.models.query.QuerySet.delete", die)
            with pytest.raises(KeyboardInterrupt):
                delete()
        (deleted,) = written(ledger)
        assert deletions.write_out() == 1
        assert written(ledger) == [deleted, deleted]

    def test_is_written_once_where_two_write_at_once(self, ledger, settings, monkeypatch):
        monkeypatch.setattr(deletions, "BATCH", 3)
        settings.DELETION_LEDGER = None
        deleted = [delete() for _ in range(20)]
        settings.DELETION_LEDGER = ledger
        start = threading.Barrier(3)

        def write(_number):
            start.wait()
            try:
                return deletions.write_out()
            finally:
                database.close()

        with ThreadPoolExecutor(3) as threads:
            assert sum(threads.map(write, range(3))) == 20
        assert sorted(written(ledger), key=repr) == sorted(deleted, key=repr)


class TestTheCheck:
    @staticmethod
    def _found() -> list[str | None]:
        return [message.id for message in run_checks() if message.id in {"holdfast.W002", "holdfast.W003"}]

    def test_misses_a_ledger_outside_debug(self, settings):
        assert self._found() == ["holdfast.W002"]
        settings.DEBUG = True
        assert self._found() == []

    def test_is_content_with_one_that_can_be_written(self, ledger):
        assert self._found() == []
        ledger.touch()
        assert self._found() == []

    def test_wants_to_write_it(self, settings, tmp_path):
        for path in (tmp_path, tmp_path / "absent" / "ledger"):
            settings.DELETION_LEDGER = path
            assert self._found() == ["holdfast.W003"]
