"""Closing an account: nothing is left of it, and no crash, provider or mail server can stop it."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connection as database
from django.db import transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from apps.accounts import mailing
from apps.accounts.models import User
from apps.audit.models import AuditEvent, EventType
from apps.connections import revoking
from apps.connections.models import PendingRevocation, StoredTokenSet
from apps.portal import closing
from apps.portal.closing import AtStake, Closed
from apps.records.models import Record, Shelf, SyncRun
from apps.vault import sealing
from apps.vault.errors import Shredded
from apps.vault.models import DataKey
from apps.vault.sealing import Holder, Place
from tests.portal import leavers
from tests.records.linked import AT, make_connection
from tests.records.people import CANARIES
from tests.records.shelved import keep, result
from tests.sharing.giving import share_of
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

REVOKE = "/auth/revoke"


@pytest.fixture
def tells(endpoint, provider):
    """The provider's address for tokens that are dead; returns the requests it got."""
    server = endpoint.authorization_server
    server.revocation_url = provider.server.url(REVOKE)
    server.save()
    provider.answers[f"POST {REVOKE}"] = http()
    return lambda: provider.sent(f"POST {REVOKE}")


@contextmanager
def crashing(table: str) -> Iterator[None]:
    """The database refuses to change this table, as if it had died there."""
    with database.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION pg_temp.crash() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'crash'; END$$;"
            f"CREATE TRIGGER crash BEFORE INSERT OR UPDATE OR DELETE ON {table} EXECUTE FUNCTION pg_temp.crash()"
        )
        yield
        cursor.execute(f"DROP TRIGGER crash ON {table}; DROP FUNCTION pg_temp.crash()")


class TestAnAccountThatIsClosed:
    def test_leaves_every_table_as_if_it_had_never_been(self, alice, sam, stella, endpoint, provider, make_user):
        leavers.give_everything(sam, stella, endpoint, provider)
        User.objects.filter(pk=alice.pk).delete()
        before = leavers.rows()
        leaver = make_user("ann@example.org", first_name="Annabel")
        leavers.give_everything(leaver, stella, endpoint, provider)
        during = leavers.rows()
        closing.close(leaver, at=AT)
        after = leavers.rows()
        for table in (
            "audit_auditevent",
            "audit_deletion",
            "vault_datakey",
        ):  # ids alone; the second until it is written
            del before[table], during[table], after[table]
        assert {table for table in during if during[table] != before[table]} == {
            "account_emailaddress", "accounts_breachnotice", "accounts_consent", "accounts_session", "accounts_user",
            "axes_accessattempt", "connections_authorizationrequest", "connections_connection",
            "connections_storedtokenset", "directory_wish", "django_admin_log", "mfa_authenticator",
            "records_attachment", "records_leaf", "records_pendingread", "records_quarantinedrow", "records_record",
            "records_recordversion", "records_shelf", "records_syncrun", "records_syncstep", "sharing_fileopening",
            "sharing_opening", "sharing_share",
        }  # fmt: skip
        assert after == before

    def test_is_named_in_the_log_by_its_id_alone(self, alice, stella, endpoint, provider):
        leavers.give_everything(alice, stella, endpoint, provider)
        closing.close(alice, at=AT)
        assert AuditEvent.objects.get(event=EventType.ACCOUNT_CLOSED).user_id == alice.pk
        text = "\n".join(line for lines in leavers.rows().values() for line in lines)
        assert str(alice.pk) in text
        for personal in ("alice@example.org", "Alice", "p-7301", *CANARIES):
            assert personal not in text
            assert personal.encode().hex() not in text

    def test_has_a_key_that_opens_nothing_and_cannot_come_back(self, alice, linked):
        body, place = bytes(Record.objects.all()[0].sealed_body), Place("x", "y")
        closing.close(alice, at=AT)
        tombstone = DataKey.objects.get(holder_id=alice.pk)
        assert (tombstone.wrapped, tombstone.wrapping_key_id) == (None, "")
        with pytest.raises(Shredded):
            sealing.open_sealed(body, holder=Holder.user(alice.pk), place=place)
        with pytest.raises(Shredded):
            sealing.seal(b"late", holder=Holder.user(alice.pk), place=place)

    def test_is_told_of_in_the_order_in_which_it_went(self, alice, linked, tells):
        last = AuditEvent.objects.latest("pk").pk
        closing.close(alice, at=AT)
        told = AuditEvent.objects.filter(pk__gt=last).order_by("pk")
        assert [(event.event, event.user_id, event.at) for event in told] == [
            ("record.forgotten", alice.pk, AT),
            ("connection.disconnected", alice.pk, AT),
            ("account.closed", alice.pk, AT),
        ]
        revoking.tell_providers(at=AT)
        assert AuditEvent.objects.get(event=EventType.TOKENS_REVOKED).user_id == alice.pk

    def test_closes_once(self, alice, linked):
        for _ in range(2):
            closing.close(alice, at=AT)
        assert AuditEvent.objects.filter(event=EventType.ACCOUNT_CLOSED).count() == 1
        assert len(mail.outbox) == 1


class TestWhatIsAtStake:
    def test_counts_what_holds_and_what_lists_show(self, alice, sam, endpoint, linked, provider):
        kept = make_connection(alice, endpoint, fhir_patient_id="p-2", status="disconnected")
        keep(kept, result(1))
        theirs = leavers.link(sam, endpoint, provider)
        share_of(alice, kept, at=AT)
        share_of(alice, kept, at=AT - timedelta(days=8))  # it is over
        share_of(sam, theirs, at=AT)
        assert closing.at_stake(alice, at=AT) == AtStake(connections=1, has_copies=True, entries=3, shares=1)

    def test_is_nothing_where_only_others_have_anything(self, sam, linked):
        assert closing.at_stake(sam, at=AT) == AtStake(connections=0, has_copies=False, entries=0, shares=0)

    def test_is_not_counted_where_lists_cannot(self, alice, linked):
        Shelf.objects.exclude(subject="patient").update(sealed_index=b"not to be opened")
        assert closing.at_stake(alice, at=AT) == AtStake(connections=1, has_copies=True, entries=None, shares=0)


class TestTheProviders:
    def test_are_told_when_it_is_over(self, alice, linked, tells):
        assert closing.close(alice, at=AT) == Closed(told=1, untold=0)
        assert tells() == []
        assert revoking.tell_providers(at=AT) == 1
        assert [dict(request.form)["token"] for request in tells()] == ["refresh-canary"]
        assert not PendingRevocation.objects.exists()

    @pytest.mark.parametrize(
        "answer",
        [http(503), b"\x00nonsense\r\n\r\n", http(400, {"error": "invalid_client"})],
        ids=["busy", "nonsense", "refusal"],
    )
    def test_that_do_not_confirm_are_told_again(self, alice, linked, provider, tells, answer):
        provider.answers[f"POST {REVOKE}"] = answer
        closing.close(alice, at=AT)
        assert revoking.tell_providers(at=AT) == 0
        provider.answers[f"POST {REVOKE}"] = http()
        assert revoking.tell_providers(at=AT + timedelta(hours=1)) == 1
        assert len(tells()) == 2

    def test_that_cannot_be_told_are_counted(self, alice, linked, endpoint):
        assert closing.close(alice, at=AT) == Closed(told=0, untold=1)
        assert not PendingRevocation.objects.exists()

    def test_are_not_asked_about_what_ended_before(self, alice, linked, tells):
        StoredTokenSet.objects.all().delete()
        assert closing.close(alice, at=AT) == Closed(told=0, untold=0)
        revoking.tell_providers(at=AT)
        assert tells() == []

    def test_are_told_from_a_row_that_names_nobody(self, alice, linked, tells):
        closing.close(alice, at=AT)
        text = "\n".join(leavers.rows()["connections_pendingrevocation"])
        assert str(alice.pk) in text
        for personal in ("alice@example.org", "Alice", "p-7301", "refresh-canary", *CANARIES):
            assert personal not in text
            assert personal.encode().hex() not in text


class TestACrash:
    @pytest.mark.parametrize(
        "table",
        [
            "records_syncrun", "records_record", "records_shelf", "connections_pendingrevocation",
            "connections_connection", "vault_datakey", "accounts_user", "audit_auditevent", "audit_deletion",
        ],
    )  # fmt: skip
    def test_before_the_end_leaves_everything_to_the_next_press(self, alice, linked, tells, table):
        before = leavers.rows()
        with crashing(table), pytest.raises(DatabaseError, match="crash"):
            closing.close(alice, at=AT)
        assert leavers.rows() == before
        assert mail.outbox == []
        assert not PendingRevocation.objects.exists()
        assert closing.close(alice, at=AT) == Closed(told=1, untold=0)
        assert not User.objects.exists()

    def test_after_the_end_leaves_an_account_that_is_gone(self, alice, linked, tells, monkeypatch):
        def die(*_given: Any, **_named: Any) -> None:
            raise SystemExit

        monkeypatch.setattr(mailing, "send", die)
        with pytest.raises(SystemExit):
            closing.close(alice, at=AT)
        assert not User.objects.exists()
        assert not Record.objects.exists()
        assert closing.close(alice, at=AT) == Closed(told=0, untold=0)


class TestTheLastMail:
    def test_says_what_was_done_and_what_stays(self, alice, linked):
        closing.close(alice, at=AT)
        (message,) = mail.outbox
        assert message.to == ["alice@example.org"]
        assert message.subject == "Your Holdfast account is deleted"
        body = str(message.body)
        assert body.startswith("Hello Alice,\n\nAs you asked, we deleted your account")
        assert "on November 20, 2026 at 9:40 a.m. (UTC)" in body
        assert "Harbor" not in body
        assert "Settings" not in body

    def test_is_in_their_language(self, alice):
        User.objects.filter(pk=alice.pk).update(language="es")
        closing.close(alice, at=AT)
        (message,) = mail.outbox
        assert message.subject == "Su cuenta de Holdfast fue borrada"
        assert "Hola, Alice:\n\nComo pidió, borramos su cuenta" in str(message.body)

    def test_does_not_stop_it_where_it_cannot_be_sent(self, alice, linked, tells, settings):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
        assert closing.close(alice, at=AT) == Closed(told=1, untold=0)
        assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
class TestClosingWhileOthersWork:
    @staticmethod
    def _elsewhere(work: Any) -> Any:
        """On a database connection of its own, as in another process."""
        try:
            return work()
        finally:
            database.close()

    def test_waits_for_the_page_that_is_being_stored(self, alice, linked):
        run = SyncRun.objects.earliest("created_at")
        holds, may_end = threading.Event(), threading.Event()

        def store_a_page():
            with transaction.atomic():
                SyncRun.objects.filter(pk=run.pk).update(pauses=1)  # as a lease that is extended
                holds.set()
                may_end.wait(10)
                Record.objects.create(
                    user=alice, connection=linked, resource_type="Goal", logical_id="g-1", digest=b"d" * 32,
                    sealed_body=b"sealed", first_received_at=AT, received_at=AT, confirmed_at=AT,
                )  # fmt: skip

        with ThreadPoolExecutor(1) as threads:
            page = threads.submit(self._elsewhere, store_a_page)
            holds.wait(10)
            threading.Timer(0.5, may_end.set).start()
            closing.close(alice, at=AT)
            page.result()
        assert not Record.objects.exists()
        assert not User.objects.exists()

    def test_in_two_tabs_closes_once(self, alice, linked):
        def press():
            return closing.close(alice, at=timezone.now())

        with ThreadPoolExecutor(2) as threads:
            for answer in [threads.submit(self._elsewhere, press) for _ in range(2)]:
                answer.result()
        assert AuditEvent.objects.filter(event=EventType.ACCOUNT_CLOSED).count() == 1
        assert not User.objects.exists()
