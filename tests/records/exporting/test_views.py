"""The page Download a copy, and what its form returns."""

import json
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.audit.recording import Actor
from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection
from apps.records import deleting_copies
from apps.records.exporting import admitting
from apps.records.models import SyncRun
from apps.vault.models import DataKey
from tests.records.exporting.keeping import keep
from tests.records.exporting.taking import sign_in, take, text, unpacked, whole
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import CANARIES, allergy

pytestmark = pytest.mark.django_db

FORMATS = ("summary", "ips", "bundle", "ndjson")


@pytest.fixture
def address():
    return reverse("download_copy")


class TestThePage:
    def test_says_what_is_here_and_what_is_missing(self, hers, connection, address):
        said = text(hers.get(address))
        assert "2 entries are here." in said
        assert "These counts are higher than in your lists." in said
        assert ", Vaccines, Visits, " in said.partition("<dt>")[2].partition("</dt>")[0]
        assert "Not fetched yet." in said
        assert "Harbor Family Practice: record of Wrenna Quillfeather" in said

    def test_has_the_choice_before_what_is_missing_of_each_and_leads_there(self, hers, connection, address):
        said = text(hers.get(address))
        places = [said.index(each) for each in ('href="#contents"', 'type="submit">Get the copy', 'id="contents"')]
        assert places == sorted(places)

    def test_says_first_whose_record_is_still_arriving(self, hers, alice, connection, address):
        assert "still arriving" not in text(hers.get(address))
        SyncRun.objects.create(user=alice, connection=connection, cause="confirmed", created_at=AT)
        said = text(hers.get(address)).partition('<form method="post" novalidate>')[0]
        assert "Harbor Family Practice: <strong>Your record is still arriving.</strong> Download what is here" in said

    def test_of_an_empty_record_says_that_there_is_nothing(self, hers, alice, address):
        make_connection(alice)
        said = text(hers.get(address))
        assert "There is nothing to download yet" in said
        assert '<button class="button"' not in said

    def test_has_nothing_of_the_record_in_its_title(self, hers, connection, address):
        title = re.search("<title>(.*?)</title>", text(hers.get(address)))
        assert title
        assert title[1].split() == ["Download", "a", "copy", "\u2013", "Holdfast"]

    def test_wants_the_password(self, client, alice, connection, address):
        client.force_login(alice)
        assert reverse("account_reauthenticate") in client.get(address)["Location"]
        assert client.post(address, {"sources": [str(connection.pk)], "format": "bundle"})["Location"] == address
        assert not AuditEvent.objects.filter(event=EventType.RECORD_EXPORTED).exists()

    def test_wants_somebody_signed_in(self, client, connection, address):
        assert client.get(address).status_code == 302
        assert take(client, connection).status_code == 302

    def test_takes_no_form_of_another_site(self, alice, connection, address):
        client = Client(enforce_csrf_checks=True)
        client.force_login(alice)
        assert client.post(address, {"sources": [str(connection.pk)], "format": "bundle"}).status_code == 403

    def test_is_in_no_cache(self, hers, connection, address):
        assert "no-store" in hers.get(address)["Cache-Control"]


class TestACopy:
    @pytest.mark.parametrize("what", FORMATS)
    @pytest.mark.conformance("C66")
    def test_is_given_and_written_down(self, hers, alice, connection, what):
        response = take(hers, connection, what=what)
        assert response.status_code == 200
        assert "no-store" in response["Cache-Control"]
        given = whole(response)
        named = response.get("Content-Disposition", "")
        for canary in (*CANARIES, "Harbor"):
            assert canary not in named
        assert (what == "summary") != named.startswith("attachment; filename=")
        content = b"".join(unpacked([given]).values()) if what in {"bundle", "ndjson"} else given
        assert b"Quillfeather" in content
        assert b"Pteridine" in content
        (event,) = AuditEvent.objects.filter(event=EventType.RECORD_EXPORTED)
        assert (event.user_id, event.subject_id) == (alice.pk, str(connection.pk))
        assert event.facts == {"export_format": what}

    @pytest.mark.parametrize("what", FORMATS)
    def test_gives_nothing_to_a_stranger(self, client, sam, connection, what):
        sign_in(client, sam)
        for response in (take(client, connection, what=what), client.get(reverse("download_copy"))):
            assert not response.streaming
            for canary in (*CANARIES, "Harbor"):
                assert canary not in response.content.decode()
        assert take(client, connection, what=what).status_code == 422
        assert not AuditEvent.objects.filter(event=EventType.RECORD_EXPORTED).exists()

    def test_is_of_what_was_chosen_alone(self, hers, alice, connection):
        other = make_connection(alice, make_endpoint("https://other.example"), created_at=AT)
        keep(other, allergy("other-canary"))
        given = unpacked([whole(take(hers, connection))])
        assert "source-1/bundle.json" in given
        assert b"other-canary" not in b"".join(given.values())

    def test_says_of_each_folder_whose_record_it_has(self, hers, alice, connection):
        other = make_connection(alice, connection.endpoint, fhir_patient_id="p-1")
        other.sealed_person = candidates.seal_person(other, Candidate("p-1", "Milo\nQuillfeather", "2019-01-02"))
        other.save()
        given = unpacked([whole(take(hers, connection, other))])
        lines = given["read-me-first.txt"].decode().splitlines()
        first, second = (lines.index(f"source-{number}: Harbor Family Practice") for number in (1, 2))
        assert (lines[first + 1], lines[second + 1]) == (
            "  Record of Wrenna Quillfeather",
            "  Record of Milo Quillfeather",
        )

    def test_of_a_summary_never_mixes_two_people(self, hers, alice, connection):
        other = make_connection(alice, make_endpoint("https://other.example"))
        other.sealed_person = candidates.seal_person(other, Candidate("p-1", "Milo Quillfeather", "2019-01-02"))
        other.save()
        for what in ("summary", "ips"):
            response = take(hers, connection, other, what=what)
            assert response.status_code == 422
            assert "These records belong to different people." in text(response)
        assert take(hers, connection, other, what="bundle").status_code == 200

    @pytest.mark.parametrize("what", FORMATS)
    def test_is_not_begun_where_nothing_opens(self, hers, connection, what):
        DataKey.objects.all().delete()
        response = take(hers, connection, what=what)
        assert (response.status_code, response.streaming) == (500, False)
        assert "We could not make the file" in text(response)
        assert "the page to read instead" not in text(response)

    @pytest.mark.parametrize("sent", [{}, {"format": "xml"}, {"sources": ["x"], "format": "bundle"}])
    def test_is_refused_where_the_form_is_odd(self, hers, connection, address, sent):
        response = hers.post(address, sent)
        assert response.status_code == 422
        assert "There is a problem" in text(response)

    def test_is_refused_above_so_many_an_hour_of_ones_own(self, hers, alice, sam, connection, monkeypatch):
        monkeypatch.setattr(admitting, "MOST_AN_HOUR", 2)
        answers = [take(hers, connection).status_code for _ in range(3)]
        assert answers == [200, 200, 429]
        assert AuditEvent.objects.filter(event=EventType.RECORD_EXPORTED).count() == 2
        admitting.admit(sam, [connection.pk], admitting.Format.LINES, at=timezone.now())
        assert AuditEvent.objects.filter(event=EventType.RECORD_EXPORTED, user_id=sam.pk).count() == 1

    @pytest.mark.parametrize("what", FORMATS)
    def test_is_not_given_where_its_record_is_deleted_meanwhile(self, hers, alice, connection, what, monkeypatch):
        def deleted(*_args, **_kwargs):
            deleting_copies.forget(connection, actor=Actor.user(alice.pk), at=AT)

        monkeypatch.setattr(admitting, "admit", deleted)
        answer = take(hers, connection, what=what)
        assert (answer.status_code, answer["Location"]) == (302, reverse("download_copy"))

    def test_breaks_off_after_its_time(self):
        seconds = iter((0.0, 1.0, admitting.LONGEST_SECONDS + 1))
        pieces = admitting.in_time(iter((b"1", b"2", b"3")), now=lambda: next(seconds))
        assert [next(pieces), next(pieces)] == [b"1", b"2"]
        with pytest.raises(admitting.TookTooLong):
            next(pieces)

    def test_of_a_connection_that_ended_is_given_still(self, hers, alice, connection):
        Connection.objects.update(status="disconnected", ended_at=AT)
        assert b"Pteridine" in b"".join(unpacked([whole(take(hers, connection))]).values())

    def test_of_a_connection_never_confirmed_is_not(self, hers, alice, connection):
        waiting = make_connection(
            alice,
            make_endpoint("https://other.example"),
            status="awaiting_confirmation",
            confirmed_at=None,
            confirm_by_at=timezone.now() + timedelta(minutes=5),
        )
        assert take(hers, waiting).status_code == 422


class TestThePatientSummary:
    def test_tells_how_the_person_lives_only_where_they_chose_to(self, hers, connection, address):
        answered = {"resourceType": "Observation", "id": "o1", "status": "final", "code": {"text": "Canary"},
                    "category": [{"coding": [{"code": "social-history"}]}], "valueString": "v"}  # fmt: skip
        keep(connection, answered)
        assert '<input type="checkbox" name="answers"' in text(hers.get(address))
        chosen = {"sources": [str(connection.pk)], "format": "ips", "answers": "on"}
        assert b"Canary" in hers.post(address, chosen).content
        assert b"Canary" not in take(hers, connection, what="ips").content

    def test_is_a_document(self, hers, connection):
        document = json.loads(take(hers, connection, what="ips").content)
        assert (document["type"], document["entry"][0]["resource"]["resourceType"]) == ("document", "Composition")
