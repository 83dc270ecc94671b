"""“Is this the right person?” Nothing is copied before the answer."""

import json
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.connections import tasks
from apps.connections.authorization_responses import candidates
from apps.connections.ending import purging
from apps.connections.grants import launch_context
from apps.connections.grants.launch_context import LaunchContext
from apps.connections.models import Connection, StoredTokenSet
from apps.records import syncing
from apps.records.models import Record, RecordVersion, Shelf, SyncRun
from apps.wire.fhir import Resource
from tests.records.linked import make_connection, make_endpoint, sign_in_again
from tests.records.people import CANARIES, R4_PATIENT
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db


def address(connection):
    return reverse("confirm", args=[connection.pk])


def text_of(response):
    return re.sub(r"\s+", " ", response.content.decode())


def say(client, connection, answer="yes", **fields):
    return client.post(address(connection), {"answer": answer, **fields})


class TestQuestion:
    def test_names_the_person_found_and_where(self, hers, waiting):
        text = text_of(hers.get(address(waiting)))
        assert "<h1>Is this the right person?</h1>" in text
        assert "<strong>Wrenna Ilse Quillfeather</strong> <br> born March 9, 1984" in text
        assert "We found this record at Harbor Family Practice." in text
        assert "Nothing is copied until you say yes." in text

    @pytest.mark.conformance("C64")
    def test_comes_before_anything_is_stored(self, hers, waiting, provider):
        hers.get(address(waiting))
        assert [model for model in (Record, RecordVersion, Shelf, SyncRun) if model.objects.exists()] == []
        assert provider.asked == []

    def test_lets_her_choose_among_several(self, hers, find, child):
        text = text_of(hers.get(address(find(R4_PATIENT, child))))
        assert "<h1>Whose record do you want?</h1>" in text
        assert "lets you see 2 people" in text
        assert "Tam Quillfeather, born July 2015" in text

    def test_gives_the_browser_no_id_of_the_provider(self, hers, find, child, patient_id):
        for connection in (find(R4_PATIENT), find(R4_PATIENT, child)):
            text = text_of(hers.get(address(connection)))
            assert patient_id not in text
            assert "p-8802" not in text
            connection.delete()

    def test_warns_of_a_name_or_birth_date_that_no_other_record_of_hers_has(self, hers, alice, find, child):
        make_connection(alice, make_endpoint("https://other.example/r4"))
        text = text_of(hers.get(address(find(child))))
        assert "The name or birth date is different here" in text
        assert (
            "Harbor Family Practice has Tam Quillfeather, born July 2015. "
            "Your other records have Wrenna Quillfeather, born March 9, 1984. Check before you continue."
        ) in text

    def test_warns_nobody_of_a_person_who_is_in_another_record(self, hers, alice, waiting):
        make_connection(alice, make_endpoint("https://other.example/r4"))
        assert "different here" not in text_of(hers.get(address(waiting)))

    def test_warns_nobody_of_a_person_who_is_in_one_of_several(self, hers, alice, find, child):
        for number, person in enumerate((R4_PATIENT, child)):
            other = make_connection(alice, make_endpoint(f"https://other{number}.example/r4"))
            found = candidates.read_candidates([Resource("Patient", person["id"], json.dumps(person).encode())])
            other.sealed_person = candidates.seal_person(other, found[0])
            other.save()
        assert "different here" not in text_of(hers.get(address(find(child))))

    def test_warns_nobody_at_the_first_record(self, hers, find, child):
        assert "different here" not in text_of(hers.get(address(find(child))))

    def test_compares_with_nobody_elses_records(self, hers, sam, find, child):
        make_connection(sam, make_endpoint("https://other.example/r4"))
        assert "different here" not in text_of(hers.get(address(find(child))))

    def test_has_nothing_of_the_person_in_title_or_address(self, hers, waiting):
        title = re.search("<title>(.*?)</title>", text_of(hers.get(address(waiting))))
        assert title
        for canary in (*CANARIES, "Harbor"):
            assert canary not in title[1] + address(waiting)

    def test_stays_in_no_cache(self, hers, waiting):
        assert "no-store" in hers.get(address(waiting))["Cache-Control"]


class TestYes:
    @pytest.mark.conformance("C11")
    def test_keeps_the_id_of_the_person_found(self, hers, waiting):
        response = say(hers, waiting, candidate=0)
        waiting.refresh_from_db()
        assert (waiting.status, waiting.fhir_patient_id) == ("active", "p-7301")
        assert waiting.sealed_candidates is None
        assert response["Location"] == reverse("record", args=[waiting.pk])

    def test_starts_the_first_sync(self, hers, waiting):
        say(hers, waiting, candidate=0)
        run = SyncRun.objects.get()
        assert (run.connection, run.cause, run.outcome) == (waiting, SyncRun.Cause.CONFIRMED, "")

    @pytest.mark.django_db(transaction=True)
    def test_is_followed_by_the_record(self, hers, waiting, worker, provider):
        say(hers, waiting, candidate=0)
        deadline = timezone.now() + timedelta(seconds=15)
        while not SyncRun.objects.filter(outcome="complete").exists():
            assert timezone.now() < deadline, "no record came"
        assert "Quillfeather" in text_of(hers.get(reverse("record", args=[waiting.pk])))

    def test_takes_the_person_chosen(self, hers, find, child):
        connection = find(R4_PATIENT, child)
        say(hers, connection, candidate=1)
        connection.refresh_from_db()
        assert connection.fhir_patient_id == "p-8802"

    @pytest.mark.parametrize("candidate", ["", "2", "-1", "p-7301", "0x0"])
    def test_without_a_person_of_the_list_asks_again(self, hers, find, child, candidate):
        connection = find(R4_PATIENT, child)
        response = say(hers, connection, candidate=candidate)
        assert "Choose the person whose record you want." in text_of(response)
        assert not SyncRun.objects.exists()
        connection.refresh_from_db()
        assert connection.status == Connection.Status.AWAITING_CONFIRMATION

    def test_twice_shows_the_present_truth(self, hers, waiting):
        say(hers, waiting, candidate=0)
        response = say(hers, waiting, candidate=0)
        assert response["Location"] == reverse("record", args=[waiting.pk])
        assert SyncRun.objects.count() == 1
        assert AuditEvent.objects.filter(event=EventType.CONNECTION_CONFIRMED).count() == 1

    def test_after_no_shows_that_nothing_was_copied(self, hers, waiting):
        say(hers, waiting, "no")
        assert "Nothing was copied" in text_of(say(hers, waiting, candidate=0))
        assert not SyncRun.objects.exists()

    def test_to_somebody_already_connected_renews_that_connection(self, hers, waiting, find):
        say(hers, waiting, candidate=0)
        SyncRun.objects.update(finished_at=timezone.now(), outcome="complete")
        again = find(R4_PATIENT)
        response = say(hers, again, candidate=0)
        assert response["Location"] == reverse("record", args=[waiting.pk])
        assert SyncRun.objects.filter(connection=waiting).count() == 2
        assert not Connection.objects.filter(pk=again.pk).exists()

    @pytest.mark.parametrize("is_here", [True, False])
    def test_to_somebody_already_connected_leads_to_the_visit_they_came_from(self, hers, waiting, find, is_here):
        say(hers, waiting, candidate=0)
        waiting.refresh_from_db()
        visit = {"resourceType": "Encounter", "id": "v1" if is_here else "v2", "type": [{"text": "Yearly checkup"}]}
        keep(waiting, visit)
        again = find(R4_PATIENT)
        again.sealed_context = launch_context.seal(again, LaunchContext(encounter="v1"))
        again.save()
        sign_in_again(again, at=timezone.now())
        response = say(hers, again, candidate=0)
        its_page = reverse("entry", args=["visits", Record.objects.get(resource_type="Encounter").pk])
        record = reverse("record", args=[waiting.pk])
        assert response["Location"] == (f"{its_page}?of={waiting.pk}" if is_here else record)
        text = text_of(hers.get(response["Location"]))
        assert ("<h1>Yearly checkup</h1>" in text) is is_here
        assert ("You are already connected. We renewed the connection" in text) is is_here

    def test_leaves_nothing_half_done(self, hers, waiting, monkeypatch):
        def broken(*args, **options):
            raise RuntimeError

        monkeypatch.setattr(syncing, "start", broken)
        with pytest.raises(RuntimeError):
            say(hers, waiting, candidate=0)
        waiting.refresh_from_db()
        assert waiting.status == Connection.Status.AWAITING_CONFIRMATION


class TestNo:
    @pytest.mark.conformance("C64")
    def test_has_the_provider_told_by_a_task(self, hers, waiting, monkeypatch, django_capture_on_commit_callbacks):
        sent = []
        monkeypatch.setattr(tasks.tell_providers, "apply_async", lambda **options: sent.append(options))
        with django_capture_on_commit_callbacks(execute=True):
            say(hers, waiting, answer="no")
        assert len(sent) == 1

    def test_drops_everything_and_says_so(self, hers, waiting):
        response = say(hers, waiting, "no")
        assert not Connection.objects.exists()
        assert not StoredTokenSet.objects.exists()
        page = text_of(hers.get(response["Location"]))
        assert "<h1>Nothing was copied</h1>" in page
        assert "We dropped the permission." in page

    def test_twice_says_the_same(self, hers, waiting):
        say(hers, waiting, "no")
        assert "Nothing was copied" in text_of(say(hers, waiting, "no"))

    SAID_YES = "You already said yes. You can disconnect, and delete what was copied."

    def test_after_yes_shows_the_record_and_says_why(self, hers, waiting):
        say(hers, waiting, candidate=0)
        response = say(hers, waiting, "no")
        assert response["Location"] == reverse("record", args=[waiting.pk])
        assert Connection.objects.get().status == "active"
        assert self.SAID_YES in text_of(hers.get(response["Location"]))

    def test_is_not_what_somebody_said_who_said_yes_twice(self, hers, waiting):
        say(hers, waiting, candidate=0)
        response = say(hers, waiting, candidate=0)
        assert self.SAID_YES not in text_of(hers.get(response["Location"]))


class TestTooLate:
    @pytest.fixture
    def overdue(self, waiting):
        waiting.confirm_by_at = timezone.now() - timedelta(seconds=1)
        waiting.save()
        return waiting

    def test_is_told_and_nothing_is_copied(self, hers, overdue):
        for response in (hers.get(address(overdue)), say(hers, overdue, candidate=0)):
            assert "This took too long, so we stopped" in text_of(response)
            assert "Quillfeather" not in text_of(response)
        assert not SyncRun.objects.exists()

    def test_is_told_once_the_link_is_gone_as_well(self, hers, overdue):
        purging.purge_unconfirmed(at=timezone.now())
        assert not Connection.objects.exists()
        assert "This took too long, so we stopped" in text_of(hers.get(address(overdue)))


class TestStranger:
    def test_finds_nothing(self, client, sam, waiting):
        client.force_login(sam)
        response = client.get(address(waiting))
        assert response.status_code == 404
        assert "Quillfeather" not in text_of(response)

    @pytest.mark.parametrize("answer", ["yes", "no"])
    def test_can_answer_nothing(self, client, sam, waiting, answer):
        client.force_login(sam)
        assert say(client, waiting, answer, candidate=0).status_code == 404
        waiting.refresh_from_db()
        assert waiting.status == Connection.Status.AWAITING_CONFIRMATION

    def test_finds_nothing_of_a_link_that_ended(self, client, sam, hers, waiting):
        say(hers, waiting, "no")
        client.force_login(sam)
        assert client.get(address(waiting)).status_code == 404

    def test_who_is_signed_out_is_asked_to_sign_in(self, client, waiting):
        response = client.get(address(waiting))
        assert response["Location"] == f"{reverse('account_login')}?next={address(waiting)}"

    def test_of_another_site_cannot_answer_for_her(self, alice, waiting):
        from django.test import Client

        strict = Client(enforce_csrf_checks=True)
        strict.force_login(alice)
        strict.cookies["csrftoken"] = "a" * 32
        response = say(strict, waiting, candidate=0)
        assert response.status_code == 403
        assert "This page was open too long" in text_of(response)
        assert not SyncRun.objects.exists()
