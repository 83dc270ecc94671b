"""Telling providers to revoke tokens: after the transaction that deleted them, for a day, by one worker at a time."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.audit import recording
from apps.audit.models import AuditEvent, EventType
from apps.audit.recording import Actor
from apps.connections import revoking, tasks
from apps.connections.callback import confirming
from apps.connections.ending import disconnecting
from apps.connections.models import AuthorizationRequest, Connection, PendingRevocation, StoredTokenSet
from apps.connections.revoking import Told
from apps.directory import credentials
from apps.directory.models import AuthorizationServer, ClientRegistration
from apps.vault.models import DataKey
from apps.wire import transport
from apps.wire.secret import Secret
from tests.connections.provider_stand_in import CODE, REFRESH, SECRET, dribble
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


@pytest.fixture
def ended(traveller, place):
    """A connection that was ended a moment ago; nobody has told the provider yet."""
    found = traveller.link(place)
    connection = confirming.confirm(found, candidate=0, at=found.created_at).connection
    assert disconnecting.end(connection, at=found.created_at) is True
    return connection


def another_registration(connection: Connection) -> ClientRegistration:
    """One at the same place, as another provider's would be."""
    made = ClientRegistration.objects.get(pk=connection.registration_id)
    made.pk, made.redirect_id, made.launch_id, made.status = uuid4(), uuid4(), uuid4(), "retired"
    made.save(force_insert=True)
    credentials.keep(made, Secret(SECRET), at=connection.created_at)
    return made


def told(stand_in):
    return [dict(request.form)["token"] for request in stand_in.revocations]


class TestAPendingRevocation:
    def test_waits_until_the_tokens_are_gone(self, ended, stand_in):
        assert not StoredTokenSet.objects.exists()
        assert stand_in.revocations == []
        assert revoking.tell_providers(at=ended.created_at) == 1
        assert told(stand_in) == [REFRESH]

    def test_is_gone_when_the_provider_confirmed(self, ended, stand_in):
        revoking.tell_providers(at=ended.created_at)
        assert not PendingRevocation.objects.exists()
        (event,) = AuditEvent.objects.filter(event="tokens.revoked")
        assert (event.user_id, event.subject_id) == (ended.user_id, str(ended.pk))
        assert event.facts == {"provider_id": str(ended.provider_id), "revoked_at_provider": True}

    def test_says_nothing_of_another_connection_of_the_same_person(self, ended, traveller, make_place):
        found = traveller.link(make_place("Other Practice"))
        other = confirming.confirm(found, candidate=0, at=found.created_at).connection
        revoking.tell_providers(at=ended.created_at)
        disconnecting.end(other, at=found.created_at)
        assert (revoking.told(ended), revoking.told(other)) == (Told.CONFIRMED, Told.PENDING)
        PendingRevocation.objects.all().delete()  # as after a day
        assert (revoking.told(ended), revoking.told(other)) == (Told.CONFIRMED, Told.NEVER)

    def test_is_told_as_confirmed_whatever_is_written_down_of_the_connection_later(self, ended):
        revoking.tell_providers(at=ended.created_at)
        recording.record(
            EventType.RECORD_VIEWED,
            actor=Actor.user(ended.user_id),
            at=ended.created_at,
            user_id=ended.user_id,
            subject="connection",
            subject_id=str(ended.pk),
        )
        assert revoking.told(ended) is Told.CONFIRMED

    def test_is_sealed_for_the_installation(self, ended):
        row = PendingRevocation.objects.get()
        assert REFRESH.encode() not in bytes(row.sealed_token)
        DataKey.objects.filter(holder_kind="user").delete()
        assert revoking.tell_providers(at=ended.created_at) == 1

    def test_opens_in_no_other_row(self, ended, stand_in):
        revoking.remember(ended, Secret("the token of another row"), at=ended.created_at)
        one, other = PendingRevocation.objects.all()
        PendingRevocation.objects.filter(pk=one.pk).update(sealed_token=other.sealed_token)
        PendingRevocation.objects.filter(pk=other.pk).update(sealed_token=one.sealed_token)
        assert revoking.tell_providers(at=ended.created_at) == 0
        assert stand_in.revocations == []

    def test_that_cannot_be_sealed_keeps_nobody_connected(self, traveller, place):
        """The vault's key for the installation is broken: the tokens go all the same, and nobody is told."""
        found = traveller.link(place)
        DataKey.objects.filter(holder_kind="installation").update(wrapped=bytes(60))
        assert disconnecting.end(found, at=found.created_at) is False
        assert not StoredTokenSet.objects.exists()
        assert not PendingRevocation.objects.exists()

    def test_is_tried_again_later_and_later(self, ended, stand_in):
        stand_in.revoke = http(503)
        at, waits = ended.created_at, []
        for _ in range(8):
            assert revoking.tell_providers(at=at) == 0
            next_at = PendingRevocation.objects.get().try_at
            waits.append((next_at - at) // timedelta(minutes=1))
            assert revoking.tell_providers(at=next_at - timedelta(seconds=1)) == 0
            at = next_at
        assert waits == [2, 4, 8, 16, 32, 60, 60, 60]
        assert len(stand_in.revocations) == 8
        stand_in.revoke = http()
        assert revoking.tell_providers(at=at) == 1

    @pytest.mark.conformance("C65")
    def test_is_dropped_after_a_day_of_tries(self, ended, stand_in):
        stand_in.revoke = http(503)
        at = ended.created_at
        while PendingRevocation.objects.exists():
            revoking.tell_providers(at=at)
            at += timedelta(minutes=30)
        assert timedelta(hours=24) <= at - ended.created_at - timedelta(minutes=30) <= timedelta(hours=25)
        assert len(stand_in.revocations) > 20
        assert not AuditEvent.objects.filter(event="tokens.revoked").exists()

    def test_that_does_not_open_is_dropped_after_a_day_too(self, ended, stand_in):
        PendingRevocation.objects.update(sealed_token=b"\x01" + bytes(80))
        assert revoking.tell_providers(at=ended.created_at) == 0
        assert PendingRevocation.objects.exists()
        assert revoking.tell_providers(at=ended.created_at + timedelta(hours=24)) == 0
        assert not PendingRevocation.objects.exists()
        assert stand_in.revocations == []

    def test_is_not_made_where_nobody_can_be_told(self, traveller, place):
        server = place.registration.authorization_server
        server.revocation_url = ""
        server.save()
        found = traveller.link(place)
        assert disconnecting.end(found, at=found.created_at) is False
        assert not PendingRevocation.objects.exists()

    def test_of_a_kind_the_provider_ends_never_is_expected_and_tried_once(self, ended, stand_in, caplog):
        """An access token runs out by itself (interface facts 3.10)."""
        stand_in.revoke = http(400, {"error": "unsupported_token_type"})
        assert revoking.tell_providers(at=ended.created_at) == 0
        assert not PendingRevocation.objects.exists()
        assert len(stand_in.revocations) == 1
        assert not AuditEvent.objects.filter(event="tokens.revoked").exists()
        assert "was not revoked" not in caplog.text

    def test_shows_nothing_of_its_token(self, ended):
        assert REFRESH not in repr(PendingRevocation.objects.get())


class TestTokensNobodyMayKeep:
    """Those of a sign-in that failed after its exchange."""

    @pytest.fixture
    def come_back(self, traveller, place, stand_in):
        stand_in.patient = http(404)

        def came() -> AuthorizationRequest:
            departed = traveller.leave(place)
            traveller.come_back(place, code=CODE, state=departed.state)
            return AuthorizationRequest.objects.latest("created_at")

        return came

    def test_are_given_back_at_once_and_then_forgotten(self, come_back, stand_in):
        come_back()
        assert told(stand_in) == [REFRESH]
        assert not PendingRevocation.objects.exists()

    def test_are_not_kept_where_the_provider_ends_none_of_their_kind(self, come_back, stand_in, caplog):
        stand_in.revoke = http(400, {"error": "unsupported_token_type"})
        come_back()
        assert told(stand_in) == [REFRESH]
        assert not PendingRevocation.objects.exists()
        assert "was not revoked" not in caplog.text

    @pytest.mark.conformance("C65")
    def test_are_given_back_later_where_the_provider_does_not_answer(self, come_back, stand_in):
        stand_in.revoke = http(503)
        request = come_back()
        pending = PendingRevocation.objects.get()
        assert REFRESH.encode() not in bytes(pending.sealed_token)
        assert (pending.user_id, pending.connection_id) == (request.user_id, None)
        stand_in.revoke = http()
        assert revoking.tell_providers(at=pending.try_at) == 1
        assert told(stand_in) == [REFRESH, REFRESH]
        (event,) = AuditEvent.objects.filter(event="tokens.revoked")
        assert (event.user_id, event.subject_id) == (request.user_id, "")

    def test_are_not_kept_where_nobody_can_be_told(self, come_back):
        AuthorizationServer.objects.update(revocation_url="")
        come_back()
        assert not PendingRevocation.objects.exists()


class TestTellingProviders:
    def test_ends_in_time_however_many_do_not_answer(self, ended, stand_in, monkeypatch):
        monkeypatch.setitem(transport.guard.__kwdefaults__, "total_seconds", 0.3)
        monkeypatch.setattr(revoking, "TELLING_SECONDS", 0.5)
        stand_in.revoke = dribble
        for _ in range(4):
            ended.registration = another_registration(ended)
            revoking.remember(ended, Secret(REFRESH), at=ended.created_at)
        revoking.tell_providers(at=ended.created_at)
        assert 1 <= len(stand_in.revocations) < 5

    @pytest.mark.conformance("C65")
    def test_asks_one_that_does_not_answer_once_and_goes_on_to_the_others(self, ended, stand_in, monkeypatch):
        monkeypatch.setitem(transport.guard.__kwdefaults__, "total_seconds", 0.3)
        for _ in range(3):
            revoking.remember(ended, Secret("of the dead one"), at=ended.created_at)
        ended.registration = another_registration(ended)
        revoking.remember(ended, Secret("of the other"), at=ended.created_at + timedelta(seconds=1))

        def answer(request):
            yield from (dribble(request) if request.form[0] != ("token", "of the other") else [http()])

        stand_in.revoke = answer
        assert revoking.tell_providers(at=ended.created_at + timedelta(minutes=1)) == 1
        assert len(stand_in.revocations) == 2
        assert PendingRevocation.objects.filter(tries=0).count() == 3

    def test_drops_nothing_unasked_because_another_provider_does_not_answer(self, ended, stand_in):
        """As after a day on which nobody was told anything."""
        ended.registration = another_registration(ended)
        revoking.remember(ended, Secret("of the other"), at=ended.created_at + timedelta(seconds=1))

        def answer(request):
            yield http() if request.form[0] == ("token", "of the other") else http(503)

        stand_in.revoke = answer
        assert revoking.tell_providers(at=ended.created_at + timedelta(hours=25)) == 1
        assert told(stand_in) == [REFRESH, "of the other"]

    def test_keeps_nothing_longer_because_it_was_not_asked(self, ended, stand_in):
        stand_in.revoke = http(503)
        for _ in range(3):
            revoking.remember(ended, Secret(REFRESH), at=ended.created_at)
        revoking.remember(ended, Secret(REFRESH), at=ended.created_at + timedelta(hours=1))
        revoking.tell_providers(at=ended.created_at + timedelta(hours=24))
        assert PendingRevocation.objects.get().created_at == ended.created_at + timedelta(hours=1)

    def test_is_a_task_that_carries_nothing(self, ended, monkeypatch, django_capture_on_commit_callbacks):
        sent = []
        monkeypatch.setattr(tasks.tell_providers, "apply_async", lambda **options: sent.append(options))
        with django_capture_on_commit_callbacks(execute=True):
            tasks.enqueue_telling()
        assert sent == [{"expires": 60}]

    def test_as_a_task_tells_what_is_due(self, ended, stand_in):
        PendingRevocation.objects.update(try_at=timezone.now())
        tasks.tell_providers()
        assert told(stand_in) == [REFRESH]

    def test_follows_when_a_link_ran_out(self, traveller, place, monkeypatch, django_capture_on_commit_callbacks):
        traveller.link(place)
        Connection.objects.update(confirm_by_at=timezone.now())
        sent = []
        monkeypatch.setattr(tasks.tell_providers, "apply_async", lambda **options: sent.append(options))
        for _ in range(2):
            with django_capture_on_commit_callbacks(execute=True):
                tasks.purge_unconfirmed()
        assert len(sent) == 1

    def test_survives_a_queue_that_is_gone(self, ended, monkeypatch, django_capture_on_commit_callbacks):
        def gone(**_options):
            raise ConnectionError

        monkeypatch.setattr(tasks.tell_providers, "apply_async", gone)
        with django_capture_on_commit_callbacks(execute=True):
            tasks.enqueue_telling()
        assert PendingRevocation.objects.exists()
