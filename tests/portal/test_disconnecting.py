"""Disconnecting: tokens are forgotten at once, the provider is told, the copy is kept or not; deleting the copy
later."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from html import unescape

import pytest
from django.db import connection as database
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from apps.audit.models import AuditEvent, EventType
from apps.connections import tasks
from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection, StoredTokenSet
from apps.portal import disconnection
from apps.records import syncing
from apps.records.models import Record, Shelf, SyncRun
from tests.connections.conftest import BACKEND
from tests.fixtures.cast import PASSWORD
from tests.records.linked import AT, give_tokens, make_connection, make_endpoint
from tests.records.people import R4_PATIENT
from tests.records.provider import PATIENT
from tests.records.shelved import keep, result
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


def copy_into(connection: Connection) -> Record:
    return Record.objects.create(
        user=connection.user, connection=connection, resource_type="Patient", logical_id="p-7301", digest=b"d" * 32,
        sealed_body=b"sealed", first_received_at=AT, received_at=AT, confirmed_at=AT,
    )  # fmt: skip


@pytest.fixture
def copied(connection):
    return copy_into(connection)


@pytest.fixture
def linked(alice, endpoint):
    """A connection to a provider that serves a record."""
    linked = make_connection(alice, endpoint)
    give_tokens(linked, issued_at=timezone.now())
    return linked


@pytest.fixture
def synced(linked):
    run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
    syncing.advance(run.pk, at=timezone.now())
    return linked


def give_password(client):
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})


def words(answer):
    return " ".join(answer.content.decode().split())


def elsewhere(work):
    """Runs on a database connection of its own, as in another process."""

    def closing():
        try:
            return work()
        finally:
            database.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(closing).result()


class TestDisconnecting:
    @pytest.mark.conformance("C65")
    def test_forgets_the_tokens_and_tells_the_provider(self, traveller, connection, copied, stand_in):
        answer = traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "keep"}, follow=True)
        assert not StoredTokenSet.objects.exists()
        assert stand_in.revocations == []
        tasks.tell_providers()
        assert dict(stand_in.revocations[0].form)["token"] == "refresh-canary-e391"
        assert Connection.objects.get().status == "disconnected"
        assert Record.objects.count() == 1
        assert "Our access here ended, and we are telling them to end the permission." in answer.content.decode()

    def test_ends_no_other_connection(self, alice, sam, endpoint):
        links = sorted((make_connection(user, endpoint) for user in (alice, sam)), key=lambda link: link.pk)
        for link in links:
            give_tokens(link, issued_at=timezone.now())
        other, mine = links  # no look at all of them finds this one first
        disconnection.disconnect(mine, keeps_copy=True, at=timezone.now())
        assert dict(Connection.objects.values_list("pk", "status")) == {mine.pk: "disconnected", other.pk: "active"}
        assert StoredTokenSet.objects.get().pk == other.pk
        disconnection.delete_copy(mine, at=timezone.now())
        assert Connection.objects.get() == other

    @pytest.mark.conformance("C65")
    def test_wants_the_password_before_it_deletes_the_copy(self, traveller, connection, copied):
        address = f"/connections/{connection.pk}/disconnect/"
        answer = traveller.client.post(address, {"copy": "delete"})
        assert answer["Location"] == f"{address}?copy=delete"
        asked = traveller.client.get(answer["Location"])["Location"]
        assert asked.startswith(reverse("account_reauthenticate"))
        assert Connection.objects.get().status == "active"
        page = traveller.client.get(asked).content.decode()
        (destination,) = re.findall(r'name="next" value="([^"]+)"', page)
        back = traveller.client.post(asked, {"password": PASSWORD, "next": unescape(destination)}, follow=True)
        assert "Stop getting updates from Harbor Family Practice?" in back.content.decode()
        assert Record.objects.count() == 1
        traveller.client.post(answer["Location"], {"copy": "delete"})
        assert not Record.objects.exists()

    @pytest.mark.conformance("C65")
    def test_deletes_the_copy_where_that_was_chosen(self, traveller, connection, copied):
        give_password(traveller.client)
        traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "delete"})
        assert not Record.objects.exists()
        assert not Connection.objects.exists()
        assert AuditEvent.objects.filter(event="record.forgotten").exists()

    @pytest.mark.conformance("C65")
    def test_succeeds_here_when_the_provider_does_not_answer(self, traveller, connection, stand_in):
        stand_in.revoke = http(503)
        answer = traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "keep"}, follow=True)
        assert not StoredTokenSet.objects.exists()
        tasks.tell_providers()
        assert len(stand_in.revocations) == 1
        assert "we are telling them" in answer.content.decode()
        assert "told them" not in answer.content.decode()

    def test_succeeds_where_there_is_no_address_to_tell(self, traveller, connection, place, stand_in):
        server = place.registration.authorization_server
        server.revocation_url = ""
        server.save()
        answer = traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "keep"}, follow=True)
        assert not StoredTokenSet.objects.exists()
        assert "They gave us no way to tell them" in answer.content.decode()
        tasks.tell_providers()
        assert stand_in.revocations == []

    @pytest.mark.conformance("C65")
    @pytest.mark.parametrize("copy", ["keep", "delete"])
    def test_pressed_twice_finds_it_done_and_raises_no_doubt(self, traveller, connection, copied, stand_in, copy):
        give_password(traveller.client)
        address = f"/connections/{connection.pk}/disconnect/"
        traveller.client.post(address, {"copy": copy}, follow=True)
        again = traveller.client.post(address, {"copy": copy}, follow=True)
        assert again.status_code == 200
        assert "They gave us no way" not in again.content.decode()
        assert "telling them" not in again.content.decode()
        tasks.tell_providers()
        assert len(stand_in.revocations) == 1
        assert AuditEvent.objects.filter(event="connection.disconnected").count() == 1

    def test_asks_no_more_about_what_was_ended_with_its_copy_kept(self, traveller, connection, copied):
        address = f"/connections/{connection.pk}/disconnect/"
        traveller.client.post(address, {"copy": "keep"})
        assert traveller.client.get(address)["Location"] == reverse("connection", args=[connection.pk])
        deleting = traveller.client.get(address, {"copy": "delete"})
        assert deleting["Location"] == reverse("delete_copy", args=[connection.pk])

    def test_is_still_not_found_by_a_stranger_when_it_is_over(self, traveller, connection, make_traveller, sam):
        address = f"/connections/{connection.pk}/disconnect/"
        give_password(traveller.client)
        traveller.client.post(address, {"copy": "delete"})
        assert make_traveller(sam).client.get(address).status_code == 404

    def test_is_a_question_until_it_is_posted_with_an_answer(self, traveller, connection):
        address = f"/connections/{connection.pk}/disconnect/"
        for answer in (
            traveller.client.get(address),
            traveller.client.get(address, {"copy": "keep"}),
            traveller.client.post(address),
            traveller.client.post(address, {"copy": "everything"}),
        ):
            assert "Stop getting updates from Harbor Family Practice?" in answer.content.decode()
        assert Connection.objects.get().status == "active"

    def test_says_whose_record_it_is(self, hers, linked, alice, make_traveller, sam):
        childs = make_connection(alice, linked.endpoint, fhir_patient_id="p-2")
        childs.sealed_person = candidates.seal_person(childs, Candidate("p-2", "Milo Quillfeather", "2019-01-02"))
        childs.save()
        for each, name in ((linked, "Wrenna Quillfeather"), (childs, "Milo Quillfeather")):
            assert f"Record of {name} </p>" in words(hers.get(f"/connections/{each.pk}/disconnect/"))
        Connection.objects.update(sealed_person=b"not to be opened")
        asked = words(hers.get(f"/connections/{linked.pk}/disconnect/"))
        assert "Stop getting updates from" in asked
        assert "Record of" not in asked
        assert make_traveller(sam).client.get(f"/connections/{childs.pk}/disconnect/").status_code == 404

    @pytest.mark.conformance("C65")
    def test_needs_the_token_of_the_form(self, connection, alice):
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(alice, backend=BACKEND)
        assert strict.post(f"/connections/{connection.pk}/disconnect/", {"copy": "delete"}).status_code == 403
        assert Connection.objects.get().status == "active"

    def test_twice_is_as_once(self, traveller, connection):
        for _ in range(2):
            traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "keep"})
        assert AuditEvent.objects.filter(event="connection.disconnected").count() == 1

    def test_is_not_there_for_a_stranger(self, make_traveller, connection, sam):
        stranger = make_traveller(sam).client
        give_password(stranger)
        for answer in (
            stranger.get(f"/connections/{connection.pk}/disconnect/"),
            stranger.post(f"/connections/{connection.pk}/disconnect/", {"copy": "delete"}),
        ):
            assert answer.status_code == 404
        assert Connection.objects.get().status == "active"

    def test_with_its_copy_leads_back_to_the_list_from_an_old_page(self, traveller, connection):
        give_password(traveller.client)
        traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": "delete"})
        answer = traveller.client.get(f"/connections/{connection.pk}/confirm/", follow=True)
        assert answer.redirect_chain == [("/connections/", 302)]
        assert "already connected" not in answer.content.decode()

    @pytest.mark.parametrize("copy", ["keep", "delete"])
    def test_has_the_provider_told_by_a_task(
        self, traveller, connection, monkeypatch, django_capture_on_commit_callbacks, copy
    ):
        give_password(traveller.client)
        sent = []
        monkeypatch.setattr(tasks.tell_providers, "apply_async", lambda **options: sent.append(options))
        with django_capture_on_commit_callbacks(execute=True):
            traveller.client.post(f"/connections/{connection.pk}/disconnect/", {"copy": copy})
        assert len(sent) == 1

    def test_in_two_tabs_ends_once(self, connection):
        for _ in range(2):
            disconnection.disconnect(connection, keeps_copy=False, at=timezone.now())
        assert AuditEvent.objects.filter(event=EventType.CONNECTION_DISCONNECTED).count() == 1


@pytest.mark.django_db(transaction=True)
class TestDisconnectingUnderAWorkersHands:
    def test_ends_the_run_without_a_record(self, linked, provider):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)

        def forgotten(request):
            elsewhere(lambda: disconnection.disconnect(linked, keeps_copy=False, at=AT))
            return http(body=R4_PATIENT)

        provider.answers[PATIENT] = forgotten
        syncing.advance(run.pk, at=AT)
        assert not Record.objects.exists()
        assert not SyncRun.objects.exists()

    def test_waits_for_the_page_that_is_being_stored(self, linked):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        holds, may_end = threading.Event(), threading.Event()

        def store_a_page():
            with transaction.atomic():
                SyncRun.objects.filter(pk=run.pk).update(pauses=0)  # as a lease that is extended
                holds.set()
                may_end.wait(10)
                copy_into(linked)

        with ThreadPoolExecutor(1) as threads:
            page = threads.submit(lambda: elsewhere(store_a_page))
            holds.wait(10)
            threading.Timer(0.5, may_end.set).start()
            disconnection.disconnect(linked, keeps_copy=False, at=AT)
            page.result()
        assert not Record.objects.exists()
        assert not Connection.objects.exists()


class TestDeletingTheCopy:
    @pytest.fixture
    def over(self, synced):
        synced.disconnect(at=timezone.now())
        return synced

    @pytest.mark.conformance("C65")
    def test_wants_the_password_first(self, hers, over):
        address = reverse("delete_copy", args=[over.pk])
        assert hers.get(address)["Location"].startswith(reverse("account_reauthenticate"))
        assert hers.post(address)["Location"] == address
        assert Record.objects.count() == 3

    @pytest.mark.conformance("C65")
    def test_deletes_every_copy_and_the_row_that_names_the_person(self, hers, over):
        give_password(hers)
        address = reverse("delete_copy", args=[over.pk])
        hers.post(address)
        assert not Record.objects.exists()
        assert not Shelf.objects.exists()
        assert not Connection.objects.exists()
        assert AuditEvent.objects.get(event=EventType.RECORD_FORGOTTEN).facts == {"rows": 3}

    def test_counts_what_lists_show_and_says_that_more_goes(self, hers, over):
        give_password(hers)
        listed = hers.get(reverse("everything_by_date")).content.decode()
        asked = words(hers.get(reverse("delete_copy", args=[over.pk])))
        assert Record.objects.count() == 3  # with the patient's own
        assert "2 entries" in listed
        expected = "2 entries in your lists are deleted, with everything else that came from there, in this app only."
        assert expected in asked
        assert "Record of Wrenna Quillfeather </p>" in asked
        assert "Delete everything from there </button>" in asked  # and not the entries alone

    def test_counts_nothing_where_lists_cannot(self, hers, over):
        give_password(hers)
        Shelf.objects.exclude(subject="patient").update(sealed_index=b"not to be opened")
        asked = words(hers.get(reverse("delete_copy", args=[over.pk])))
        assert "Everything that came from there is deleted, in this app only." in asked
        assert "Delete everything from there </button>" in asked

    def test_counts_nothing_of_other_connections(self, hers, over, alice):
        keep(make_connection(alice, make_endpoint("https://other.example/r4")), result(1))
        give_password(hers)
        assert "2 entries in your lists are deleted" in words(hers.get(reverse("delete_copy", args=[over.pk])))

    def test_says_that_it_is_done(self, hers, over):
        give_password(hers)
        answer = hers.post(reverse("delete_copy", args=[over.pk]), follow=True)
        assert "Your copy is deleted." in words(answer)

    def test_offers_to_download_it_first(self, hers, over):
        give_password(hers)
        page = hers.get(reverse("delete_copy", args=[over.pk])).content.decode()
        assert f'href="{reverse("download_copy")}">Download first</a>' in page

    def test_is_refused_while_the_connection_lives(self, hers, synced):
        response = hers.post(reverse("delete_copy", args=[synced.pk]))
        assert response["Location"] == reverse("record", args=[synced.pk])
        assert Record.objects.count() == 3

    @pytest.mark.parametrize("place", ["record", "connection"])
    def test_is_offered_once_the_connection_is_over(self, hers, synced, place):
        link, page = reverse("delete_copy", args=[synced.pk]), reverse(place, args=[synced.pk])
        assert link not in hers.get(page).content.decode()
        synced.disconnect(at=timezone.now())
        assert link in hers.get(page).content.decode()

    def test_is_not_all_that_can_be_done(self, hers, over):
        page = hers.get(reverse("connection", args=[over.pk])).content.decode()
        assert f'href="{reverse("choose-version", args=[over.provider_id])}">Connect again</a>' in page

    def test_leads_to_a_newer_connection_in_place_of_another_one(self, hers, over, alice):
        newer = make_connection(alice, over.endpoint, confirmed_at=AT)
        page = words(hers.get(reverse("connection", args=[over.pk])))
        assert f'href="{reverse("connection", args=[newer.pk])}">Go to the newer connection</a>' in page
        said = f"You connected again on {date_format(AT)}, and updates now come through the newer connection."
        assert said in re.sub("</?span[^>]*>", "", page)
        assert "Connect again" not in page

    def test_leads_to_no_connection_of_somebody_else_or_in_another_way(self, hers, over, alice, sam):
        make_connection(sam, over.endpoint)
        make_connection(alice, over.endpoint, fhir_patient_id="p-child")
        make_connection(alice, make_endpoint("https://other.example/r4"))
        make_connection(alice, over.endpoint).disconnect(at=timezone.now())
        page = words(hers.get(reverse("connection", args=[over.pk])))
        assert "Go to the newer connection" not in page
        assert ">Connect again</a>" in page

    def test_leads_back_to_connections(self, hers, over):
        give_password(hers)
        page = hers.get(reverse("delete_copy", args=[over.pk])).content.decode()
        assert f'href="{reverse("connections")}"' in page.partition("breadcrumb")[2].partition("</nav>")[0]

    def test_is_not_there_for_a_stranger(self, client, sam, over):
        client.force_login(sam)
        give_password(client)
        address = reverse("delete_copy", args=[over.pk])
        assert (client.get(address).status_code, client.post(address).status_code) == (404, 404)
        assert Record.objects.count() == 3

    def test_asks_whoever_is_signed_out_to_sign_in(self, client, over):
        address = reverse("delete_copy", args=[over.pk])
        assert client.get(address)["Location"] == f"{reverse('account_login')}?next={address}"
