"""After a backup was restored, what people had deleted is deleted again, and nothing else is."""

import io
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import transaction
from django.db.models import F

from apps.accounts.models import User
from apps.audit import deletion_ledger, deletions, restorations
from apps.audit.deletion_ledger import Deleted
from apps.audit.models import AuditEvent, Deletion, EventType
from apps.audit.recording import Actor
from apps.connections.callback import confirming
from apps.connections.models import Connection, PendingRevocation, StoredTokenSet
from apps.directory.models import AuthorizationServer
from apps.portal import closing, deletion_replay, disconnection
from apps.records.models import Record
from apps.vault import sealing
from apps.vault.errors import Shredded
from apps.vault.sealing import Holder
from tests.portal import leavers
from tests.records.linked import AT, make_connection

pytestmark = pytest.mark.django_db

LATER = AT + timedelta(hours=3)
ACTOR = Actor.system("test")


@pytest.fixture
def ledger(settings, tmp_path):
    settings.DELETION_LEDGER = tmp_path / "deletions.jsonl"
    return settings.DELETION_LEDGER


@pytest.fixture
def restored(ledger):
    """`with restored():` what happens within it is in the ledger, and the database is then as it was before."""

    class Restored:
        def __enter__(self):
            self.backup = transaction.savepoint()

        def __exit__(self, *_error):
            deletions.write_out()
            transaction.savepoint_rollback(self.backup)

    return Restored


def replay(ledger):
    return deletion_replay.replay(deletion_ledger.read(ledger), actor=ACTOR, at=LATER)


class TestAClosedAccount:
    def test_is_closed_again(self, alice, linked, restored, ledger):
        with restored():
            closing.close(alice, at=AT)
        assert User.objects.filter(pk=alice.pk).exists()
        mail.outbox.clear()
        assert replay(ledger).accounts == {alice.pk}
        assert not User.objects.filter(pk=alice.pk).exists()
        assert not Record.objects.exists()
        assert not StoredTokenSet.objects.exists()
        with pytest.raises(Shredded):
            sealing.keyed_digest(b"x", holder=Holder.user(alice.pk))
        assert mail.outbox == []

    def test_reads_in_the_log_as_it_did(self, alice, linked, restored, ledger):
        with restored():
            closing.close(alice, at=AT)
        replay(ledger)
        closed = AuditEvent.objects.get(event=EventType.ACCOUNT_CLOSED)
        assert (closed.at, closed.user_id) == (AT, alice.pk)
        told = AuditEvent.objects.get(event=EventType.DELETIONS_REPLAYED)
        assert (told.at, told.actor_name, told.facts) == (LATER, "test", {"count": 2})

    def test_takes_no_stranger_along(self, alice, sam, endpoint, provider, linked, restored, ledger):
        leavers.link(sam, endpoint, provider)
        with restored():
            closing.close(alice, at=AT)
        replay(ledger)
        assert list(User.objects.filter(pk=sam.pk)) == [sam]
        assert Record.objects.filter(user=sam).count() == 3
        assert StoredTokenSet.objects.get().connection.user == sam


class TestAConnectionThatWasEnded:
    def test_is_ended_again_and_its_copy_stays(self, linked, restored, ledger):
        with restored():
            disconnection.disconnect(linked, keeps_copy=True, at=AT)
        assert replay(ledger).connections == {linked.pk}
        linked.refresh_from_db()
        assert (linked.status, linked.ended_at) == (Connection.Status.DISCONNECTED, AT)
        assert not StoredTokenSet.objects.exists()
        assert Record.objects.count() == 3

    def test_is_told_to_its_provider_again(self, linked, endpoint, restored, ledger):
        server = endpoint.authorization_server
        server.revocation_url = server.token_url
        server.save()
        with restored():
            disconnection.disconnect(linked, keeps_copy=True, at=AT)
        assert not PendingRevocation.objects.exists()
        replay(ledger)
        assert PendingRevocation.objects.get().connection_id == linked.pk

    def test_is_told_to_its_provider_for_a_day_from_now(self, linked, endpoint, restored, ledger):
        """However long ago it was ended: a day that began then would be over before anybody was asked."""
        AuthorizationServer.objects.update(revocation_url=F("token_url"))
        with restored():
            disconnection.disconnect(linked, keeps_copy=True, at=AT)
        deletion_replay.replay(deletion_ledger.read(ledger), actor=ACTOR, at=AT + timedelta(days=3))
        pending = PendingRevocation.objects.get()
        assert (pending.created_at, pending.try_at) == (AT + timedelta(days=3), AT + timedelta(days=3))

    def test_goes_again_with_its_copy(self, linked, restored, ledger):
        with restored():
            disconnection.disconnect(linked, keeps_copy=False, at=AT)
        replay(ledger)
        assert not Connection.objects.exists()
        assert not Record.objects.exists()

    def test_loses_again_the_copy_that_was_deleted_later(self, linked, restored, ledger):
        with restored():
            disconnection.disconnect(linked, keeps_copy=True, at=AT)
            disconnection.delete_copy(Connection.objects.get(), at=LATER)
        assert replay(ledger).connections == {linked.pk}
        assert not Connection.objects.exists()

    def test_is_declined_again(self, waiting, restored, ledger):
        with restored():
            assert confirming.decline(waiting, at=AT)
        assert replay(ledger).connections == {waiting.pk}
        assert not Connection.objects.exists()

    def test_is_left_alone_where_it_was_confirmed_by_the_backup(self, alice, linked, ledger):
        """Nobody can confirm after declining; a line that says so is no reason to end a link."""
        deletion_ledger.append(ledger, [Deleted(EventType.CONNECTION_DECLINED, AT, alice.pk, linked.pk)])
        assert replay(ledger).connections == set()
        linked.refresh_from_db()
        assert linked.status == Connection.Status.ACTIVE

    def test_of_somebody_else_is_left_alone(self, sam, linked, ledger):
        deletion_ledger.append(ledger, [Deleted(EventType.RECORD_FORGOTTEN, AT, sam.pk, linked.pk)])
        assert replay(ledger).connections == set()
        assert Record.objects.count() == 3


class TestReplaying:
    def test_twice_is_as_once(self, alice, linked, restored, ledger):
        make_connection(alice, linked.endpoint, fhir_patient_id="p-2", status="disconnected")
        with restored():
            disconnection.disconnect(linked, keeps_copy=True, at=AT)
        replay(ledger)
        before = leavers.rows()
        again = replay(ledger)
        assert (again.accounts, again.connections) == (set(), set())
        after = leavers.rows()
        assert len(after.pop("audit_auditevent")) == len(before.pop("audit_auditevent")) + 1
        assert after == before

    @pytest.mark.parametrize("is_restored", [True, False])
    def test_that_finds_nothing_tells_of_a_backup_only_where_somebody_says_so(self, linked, ledger, is_restored):
        deletion_ledger.append(ledger, [Deleted(EventType.ACCOUNT_CLOSED, AT, uuid4(), None)])
        deletion_replay.replay(deletion_ledger.read(ledger), actor=ACTOR, at=LATER, is_restored=is_restored)
        assert restorations.was_restored_since(AT) is is_restored

    def test_that_finds_something_tells_of_a_backup(self, linked, restored, ledger):
        with restored():
            disconnection.disconnect(linked, keeps_copy=True, at=AT)
        replay(ledger)
        assert restorations.was_restored_since(AT)

    def test_passes_over_what_the_backup_never_had(self, ledger):
        deletion_ledger.append(
            ledger,
            [
                Deleted(EventType.ACCOUNT_CLOSED, AT, uuid4(), None),
                Deleted(EventType.RECORD_FORGOTTEN, AT, uuid4(), uuid4()),
            ],
        )
        replayed = replay(ledger)
        assert (replayed.lines, replayed.accounts, replayed.connections) == (2, set(), set())

    def test_reads_a_ledger_of_any_length_by_the_chunk(self, linked, restored, ledger, monkeypatch):
        monkeypatch.setattr(deletion_replay, "CHUNK", 2)
        others = [Deleted(EventType.ACCOUNT_CLOSED, AT, uuid4(), None) for _ in range(5)]
        deletion_ledger.append(ledger, others)
        with restored():
            disconnection.disconnect(linked, keeps_copy=True, at=AT)
        assert (replay(ledger).lines, Deletion.objects.count()) == (6, 1)


class TestTheCommand:
    @staticmethod
    def _run(*arguments) -> str:
        said = io.StringIO()
        call_command("replay_deletions", *arguments, stdout=said)
        return said.getvalue().strip()

    def test_says_what_it_would_do_and_then_does_it(self, linked, restored, ledger):
        with restored():
            disconnection.disconnect(linked, keeps_copy=False, at=AT)
        would = self._run("--dry-run")
        assert "accounts would be deleted: 0; connections would be deleted, or their copies: 1." in would
        assert Connection.objects.exists()
        assert self._run() == (
            "2 lines read; accounts deleted again: 0; connections deleted again, or their copies: 1."
        )
        assert not Connection.objects.exists()

    def test_takes_ledgers_by_name(self, linked, restored, ledger, settings):
        with restored():
            disconnection.disconnect(linked, keeps_copy=True, at=AT)
        settings.DELETION_LEDGER = None
        assert "connections deleted again, or their copies: 1." in self._run(ledger)

    def test_takes_all_it_can_read_and_ends_with_1_for_the_rest(self, linked, restored, ledger):
        ledger.write_text('{"torn')
        with restored():
            disconnection.disconnect(linked, keeps_copy=True, at=AT)
        with pytest.raises(CommandError, match="1 line cannot be read, such as 1"):
            self._run()
        linked.refresh_from_db()
        assert linked.status == Connection.Status.DISCONNECTED

    def test_wants_a_ledger(self, settings, tmp_path):
        with pytest.raises(CommandError, match="set DELETION_LEDGER"):
            self._run()
        with pytest.raises(CommandError, match=re.escape(f"There is no ledger at {tmp_path / 'absent'}.")):
            self._run(tmp_path / "absent")

    def test_deletes_nothing_where_one_of_its_ledgers_is_not_there(self, linked, restored, ledger, tmp_path):
        """What was done until then would not be known for a restored backup's."""
        with restored():
            disconnection.disconnect(linked, keeps_copy=True, at=AT)
        with pytest.raises(CommandError, match="There is no ledger at"):
            self._run(ledger, tmp_path / "absent")
        linked.refresh_from_db()
        assert linked.status == Connection.Status.ACTIVE

    def test_says_which_ledger_it_cannot_read(self, tmp_path):
        with pytest.raises(CommandError, match=re.escape(f"The ledger {tmp_path} cannot be read: Is a directory.")):
            self._run(tmp_path)
