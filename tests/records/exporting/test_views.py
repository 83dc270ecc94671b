"""The page Download a copy, and what its form gives."""

import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.audit.recording import Actor
from apps.connections.answers import candidates
from apps.connections.answers.candidates import Candidate
from apps.connections.models import Connection
from apps.records import forgetting, shelving
from apps.records.exporting import granting
from apps.records.exporting.summaries import Summary
from apps.records.models import Record, Shelf, SyncRun
from apps.vault.models import DataKey
from tests.fixtures.cast import PASSWORD
from tests.records.exporting.keeping import keep, spoil
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import CANARIES, R4_PATIENT, allergy

pytestmark = pytest.mark.django_db

CONTACT = {
    "name": {"given": ["Ida"], "family": "<Canary>"},
    "relationship": [{"coding": [{"code": "C", "display": "Emergency contact"}]}],
    "telecom": [{"system": "phone", "use": "mobile", "value": "555-0199"}],
    "period": {"end": "2019-03"},
}
FORMATS = ("summary", "ips", "bundle", "ndjson")


@pytest.fixture
def connection(alice):
    connection = make_connection(alice)
    keep(connection, R4_PATIENT, allergy("a1"))
    return connection


@pytest.fixture
def in_a_row(connection):
    """One test on 218 days, and a few that were done once or twice."""
    days = [(date(2024, 12, 31) - timedelta(days=number)).isoformat() for number in range(218)]
    keep(
        connection,
        *(measured(f"s{number}", "Sodium", day, 140) for number, day in enumerate(days)),
        measured("r1", "Rarely done", "1999-05-03", 6.5),
        measured("r2", "Rarely done", "2001-05-03", 7.5),
        measured("r3", "Seldom done", "2023-05-03", 3),
        {**measured("r4", "Ordered only", "2001-01-01", 1), "status": "registered"},
    )
    shelving.rebuild_all(connection, at=AT)


def measured(logical_id, name, on, value):
    return {
        "resourceType": "Observation",
        "id": logical_id,
        "status": "final",
        "category": [{"coding": [{"code": "laboratory"}]}],
        "code": {"text": name, "coding": [{"system": "urn:lab", "code": name}]},
        "effectiveDateTime": on,
        "valueQuantity": {"value": value, "unit": "mg/L"},
    }


def listed(said):
    """The rows of a summary's results."""
    return re.findall(r'row-title">([^<]+)<', said.partition("<h2>Results")[2])


@pytest.fixture
def address():
    return reverse("download_copy")


def sign_in(client, user):
    """As somebody who gave the password a moment ago."""
    client.force_login(user)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})


@pytest.fixture
def hers(client, alice):
    sign_in(client, alice)
    return client


def take(client, *connections, what="bundle"):
    sent = {"sources": [str(each.pk) for each in connections], "format": what}
    return client.post(reverse("download_copy"), sent)


def whole(response):
    return b"".join(response) if response.streaming else response.content


def text(response):
    return re.sub(r"\s+", " ", response.content.decode())


class TestThePage:
    def test_says_what_is_here_and_what_is_missing(self, hers, connection, address):
        said = text(hers.get(address))
        assert "2 entries are here." in said
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
        content = b"".join(unpacked(given).values()) if what in {"bundle", "ndjson"} else given
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
        given = unpacked(whole(take(hers, connection)))
        assert "source-1/bundle.json" in given
        assert b"other-canary" not in b"".join(given.values())

    def test_of_a_summary_never_mixes_two_people(self, hers, alice, connection):
        other = make_connection(alice, make_endpoint("https://other.example"))
        other.sealed_person = candidates.seal_person(other, Candidate("p-1", "Milo Quillfeather", "2019-01-02"))
        other.save()
        for what in ("summary", "ips"):
            response = take(hers, connection, other, what=what)
            assert response.status_code == 422
            assert "These records are of different people." in text(response)
        assert take(hers, connection, other, what="bundle").status_code == 200

    @pytest.mark.parametrize("what", FORMATS)
    def test_is_not_begun_where_nothing_opens(self, hers, connection, what):
        DataKey.objects.all().delete()
        response = take(hers, connection, what=what)
        assert (response.status_code, response.streaming) == (500, False)
        assert "We could not make the file" in text(response)

    @pytest.mark.parametrize("sent", [{}, {"format": "xml"}, {"sources": ["x"], "format": "bundle"}])
    def test_is_refused_where_the_form_is_odd(self, hers, connection, address, sent):
        response = hers.post(address, sent)
        assert response.status_code == 422
        assert "There is a problem" in text(response)

    def test_is_refused_above_so_many_an_hour(self, hers, alice, connection, monkeypatch):
        monkeypatch.setattr(granting, "MOST_AN_HOUR", 2)
        answers = [take(hers, connection).status_code for _ in range(3)]
        assert answers == [200, 200, 429]
        assert AuditEvent.objects.filter(event=EventType.RECORD_EXPORTED).count() == 2

    @pytest.mark.parametrize("what", ["summary", "ips"])
    def test_is_not_given_where_its_record_is_deleted_meanwhile(self, hers, alice, connection, what, monkeypatch):
        def deleted(*_args, **_kwargs):
            forgetting.forget(connection, actor=Actor.user(alice.pk), at=AT)

        monkeypatch.setattr(granting, "grant", deleted)
        answer = take(hers, connection, what=what)
        assert (answer.status_code, answer["Location"]) == (302, reverse("download_copy"))

    def test_breaks_off_after_its_time(self):
        seconds = iter((0.0, 1.0, granting.LONGEST_SECONDS + 1))
        pieces = granting.in_time(iter((b"1", b"2", b"3")), now=lambda: next(seconds))
        assert [next(pieces), next(pieces)] == [b"1", b"2"]
        with pytest.raises(granting.TookTooLong):
            next(pieces)

    def test_of_a_connection_that_ended_is_given_still(self, hers, alice, connection):
        Connection.objects.update(status="disconnected", ended_at=AT)
        assert b"Pteridine" in b"".join(unpacked(whole(take(hers, connection))).values())

    def test_of_a_connection_never_confirmed_is_not(self, hers, alice, connection):
        waiting = make_connection(
            alice,
            make_endpoint("https://other.example"),
            status="awaiting_confirmation",
            confirmed_at=None,
            confirm_by_at=timezone.now() + timedelta(minutes=5),
        )
        assert take(hers, waiting).status_code == 422


class TestASummary:
    def test_leaves_out_and_counts_what_was_withdrawn_or_is_gone(self, hers, connection):
        keep(
            connection,
            allergy(
                "a2", code={"text": "Withdrawn canary"}, verificationStatus={"coding": [{"code": "entered-in-error"}]}
            ),
            allergy("a3", code={"text": "Gone canary"}),
        )
        Record.objects.filter(logical_id="a3").update(removed_at=AT)
        said = text(take(hers, connection, what="summary"))
        assert "canary" not in said
        assert "1 entry was withdrawn by Harbor Family Practice." in said
        assert "1 entry is no longer at Harbor Family Practice, and not listed here." in said

    def test_says_how_current_it_is_and_what_is_missing(self, hers, connection):
        said = text(take(hers, connection, what="summary"))
        assert "From Harbor Family Practice · We cannot tell how current this is." in said
        missing = said.partition("<h2>What is missing</h2>")[2].partition("<section>")[0]
        assert "<h3>Harbor Family Practice</h3>" in missing
        assert missing.count("Not fetched yet.") == 1  # for all subjects of which the same is to be said
        assert "Results, Medicines, Allergies and reactions" in missing
        assert "Nothing is missing" not in missing

    def test_says_whose_entries_do_not_open_and_where_they_may_belong(self, hers, connection):
        keep(connection, allergy("a2", code={"text": "Canary"}))
        spoil(connection, "AllergyIntolerance", "a2")
        said = text(take(hers, connection, what="summary"))
        assert (
            "Entries from Harbor Family Practice could not be opened, and are not listed here. They may belong to: "
            "Allergies and reactions. This is ours to fix; nothing is lost."
        ) in said

    def test_is_not_whole_where_something_does_not_open(self):
        summary = Summary("", "", choices=(), lists=(), withdrawn=(), gone=(), unopened=())
        assert summary.is_whole
        assert not replace(summary, unopened=(("Harbor Family Practice", "Results"),)).is_whole

    def test_begins_with_allergies_medicines_and_conditions(self, hers, connection):
        names = ("MedicationStatement", "Condition", "Immunization", "Encounter", "Observation")
        keep(connection, *({"resourceType": name, "id": "n1", "code": {"text": "Canary"}} for name in names))
        said = text(take(hers, connection, what="summary"))
        found = re.findall(r"<h2>([^<(]+) \(", said)
        assert found[:4] == ["Allergies and reactions", "Medicines", "Health conditions", "Results"]

    def test_tells_a_medicine_once_with_a_line_for_each_of_its_orders(self, hers, connection):
        orders = [
            {
                "resourceType": "MedicationRequest",
                "id": f"m{year}",
                "status": "completed",
                "intent": "order",
                "medicationCodeableConcept": {"text": "Lisinopril 10 mg"},
                "authoredOn": f"{year}-09-16",
            }
            for year in (2023, 2024, 2025)
        ]
        keep(connection, *orders)
        said = text(take(hers, connection, what="summary"))
        assert said.count("Lisinopril 10 mg") == 1
        assert re.search("2025.*2024.*2023", re.sub(r"\s+", " ", said.split("Lisinopril 10 mg")[1]))
        assert "Medicines (3)" in said

    def test_says_that_no_medicine_is_listed_and_what_that_means(self, hers, connection):
        said = text(take(hers, connection, what="summary"))
        nothing = "<p>Nothing is listed. This does not mean that there is none.</p>"
        assert f"<h2>Medicines (0)</h2> {nothing}" in said
        assert f"<h2>Health conditions (0)</h2> {nothing}" in said
        assert said.count(nothing) == 2

    def test_shows_no_markup_a_provider_sent(self, hers, connection):
        keep(connection, allergy("a2", code={"text": "<script>alert(1)</script>"}))
        said = text(take(hers, connection, what="summary"))
        assert "<script>alert" not in said
        assert "&lt;script&gt;alert(1)" in said

    def test_of_a_long_list_says_that_it_is_not_all(self, hers, connection):
        keep(connection, *(allergy(f"n{number}", code={"text": f"Thing {number:04}"}) for number in range(210)))
        said = text(take(hers, connection, what="summary"))
        assert "Here are the first 200 of 211." in said
        assert said.count("Thing 0") < 211

    def test_of_a_long_list_has_the_newest_value_of_every_test_however_old(self, hers, connection, in_a_row):
        said = text(take(hers, connection, what="summary"))
        assert "Here are 200 of 222: the newest value of each test, then the newest of all others." in said
        assert said.index("The newest value of each test") < said.index("Rarely done") < said.index("Others, newest")
        assert said.count("Rarely done") == 1  # of two the newer
        assert "7.5 mg/L" in said
        assert "6.5 mg/L" not in said
        assert "Ordered only" in said

    def test_of_a_long_list_has_the_newest_value_of_every_test_where_its_shelf_is_not_built(
        self, hers, connection, in_a_row
    ):
        built = text(take(hers, connection, what="summary"))
        Shelf.objects.all().delete()
        assert listed(text(take(hers, connection, what="summary"))) == listed(built)

    def test_of_a_part_of_late_has_the_newest_value_of_every_test_in_it(self, hers, connection, in_a_row):
        chosen = {"sources": [str(connection.pk)], "format": "summary", "subjects": ["results"], "span": "5-years"}
        said = text(hers.post(reverse("download_copy"), chosen))
        assert "Rarely done" not in said
        assert "Seldom done" in said

    def test_names_contact_persons_and_how_to_reach_them(self, hers, connection):
        keep(connection, {**R4_PATIENT, "contact": [CONTACT, CONTACT]})
        shelving.rebuild_all(connection, at=AT)
        said = text(take(hers, connection, what="summary"))
        told = said.partition("<h2>Contact persons</h2>")[2].partition("</dl>")[0]
        assert told.count("Ida &lt;Canary&gt;") == 1
        assert "Emergency contact" in told
        assert "555-0199" in told
        assert "Until March 2019" in told
        chosen = {"sources": [str(connection.pk)], "format": "summary", "subjects": ["results"], "span": "all"}
        assert "555-0199" not in text(hers.post(reverse("download_copy"), chosen))

    def test_says_that_contact_persons_may_be_missing_where_they_do_not_open(self, hers, connection):
        shelving.rebuild_all(connection, at=AT)
        Shelf.objects.filter(subject="patient").update(sealed_index=b"\x03" + bytes(80))
        said = text(take(hers, connection, what="summary"))
        assert "could not be opened, and are not listed here. They may belong to: Personal details." in said

    def test_says_what_is_not_printed_in_place_of_sensitive_news(self, hers, connection):
        told = {"resourceType": "Observation", "id": "o1", "status": "final", "code": {"text": "Histology of a biopsy"}}
        report = {"resourceType": "DiagnosticReport", "id": "r1", "code": told["code"], "conclusion": "Sorrowful words"}
        keep(connection, {**told, "valueString": "Sorrowful words"}, report)
        shelving.rebuild_all(connection, at=AT)
        said = text(take(hers, connection, what="summary"))
        assert said.count("Not printed, as it may be sensitive news: it is in your record") == 2
        assert "Sorrowful" not in said
        assert "Open it" not in said


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


def unpacked(content):
    packed = zipfile.ZipFile(io.BytesIO(content))
    return {name: packed.read(name) for name in packed.namelist()}
