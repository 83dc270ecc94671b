"""A summary made from shelves equals one made from the records themselves, and opens few bodies."""

import json
from datetime import timedelta

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings

from apps.records import shelving, subjects
from apps.records.exporting import choosing, shelved, summaries
from apps.records.exporting.ips import documents
from apps.records.exporting.ips.sections import TYPES
from apps.records.models import Leaf, Record, Shelf, SyncRun
from tests.records.exporting.keeping import keep, raw, spoil
from tests.records.exporting.stories import VERSIONS, stories
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import R4_PATIENT, allergy
from tests.records.presenters import oddities
from tests.records.shelved import result

pytestmark = pytest.mark.django_db

_ODD = (
    "status", "code", "clinicalStatus", "verificationStatus", "abatementDateTime", "effectivePeriod", "intent",
    "doNotPerform", "wasNotGiven", "category", "onsetDateTime",
)  # fmt: skip
MEDICINES, ALLERGIES, PROBLEMS, RESULTS, PAST = "10160-0", "48765-2", "11450-4", "30954-2", "11348-0"


def told(user):
    """The document and what the page to read is made of, rows by what they say."""
    choices = choosing.choices(user, at=AT)
    page = summaries.summary(choices, at=AT)
    lists = [
        (each.name, each.count, each.shown, [(group.heading, [_said(row) for row in group.rows])
        for group in each.groups])
        for each in page.lists
    ]  # fmt: skip
    return json.loads(documents.document(choices, at=AT)), (lists, page.withdrawn, page.gone, page.unopened)


def _said(row):
    return row.title, row.when, row.status, row.details, row.providers


def rebuilt(user):
    for connection in user.connections.all():
        shelving.rebuild_all(connection, at=AT)
    return told(user)


def section(document, loinc):
    sections = document["entry"][0]["resource"]["section"]
    (found,) = [each for each in sections if each["code"]["coding"][0]["code"] == loinc]
    return found


def condition(logical_id, code, *, certainty=None, **elements):
    concept = {"text": "Canary condition", "coding": [{"system": "http://snomed.info/sct", "code": "1"}]}
    sure = {"verificationStatus": {"coding": [{"code": certainty}]}} if certainty else {}
    status = {"clinicalStatus": {"coding": [{"code": code}]}}
    return {"resourceType": "Condition", "id": logical_id, "code": concept, **status, **sure, **elements}


class TestASummaryFromShelves:
    def test_is_the_same_as_from_the_records_of_both_versions(self, alice):
        for version in VERSIONS:
            connection = make_connection(alice, make_endpoint(f"https://{version}.example", version=version))
            keep(connection, *stories()["george"][version], *stories()["ines"][version])
        from_records = told(alice)
        assert not Shelf.objects.exists()
        assert rebuilt(alice) == from_records

    def test_prints_no_result_of_a_grave_report_where_no_shelf_tells_of_it(self, alice):
        report = {
            "resourceType": "DiagnosticReport", "id": "r1", "status": "final", "code": {"text": "Pathology"},
            "result": [{"reference": "Observation/o1"}],
        }  # fmt: skip
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        keep(make_connection(alice), result(1, value=777, name="Diagnosis", code="x-1"), report)
        keep(other, result(1, value=888, name="Diagnosis", code="x-1"))
        _document, page = told(alice)
        assert "777" not in str(page)
        assert "888" in str(page)
        assert rebuilt(alice)[1] == page

    def test_has_equals_of_two_providers_in_the_order_that_they_were_stored_in(self, alice):
        first = make_connection(alice, created_at=AT - timedelta(days=2))
        second = make_connection(alice, make_endpoint("https://other.example/r4"), created_at=AT - timedelta(days=1))
        keep(second, result(1, value=888))
        keep(first, result(1, value=777))
        from_records = told(alice)
        assert rebuilt(alice) == from_records

    @pytest.mark.parametrize("since", ["withdrawn", "gone", "masked"])
    def test_has_nothing_that_the_provider_took_back_since_they_were_built(self, alice, since):
        connection = make_connection(alice)
        keep(connection, allergy("a1", code={"text": "Canary"}), allergy("a2", code={"text": "Stays"}))
        rebuilt(alice)
        if since == "gone":
            Record.objects.filter(logical_id="a1").update(removed_at=AT)
        elif since == "masked":
            keep(connection, allergy("a1", code={"text": "Canary"}, meta={"security": [{"code": "masked"}]}))
        else:
            keep(connection, allergy("a1", code={"text": "Canary"}, verificationStatus="entered-in-error"))
        document = json.dumps(told(alice)[0])
        assert "Stays" in document
        assert "Canary" not in document

    def test_counts_what_the_provider_hid_since_they_were_built(self, alice):
        connection = make_connection(alice)
        keep(connection, allergy("a1"))
        rebuilt(alice)
        keep(connection, allergy("a1", meta={"security": [{"code": "masked"}]}))
        document, _page = told(alice)
        assert "1 entry is hidden by the provider." in section(document, ALLERGIES)["text"]["div"]

    @pytest.mark.parametrize(("before", "now"), [("active", "resolved"), ("resolved", "active")])
    def test_tells_how_an_entry_stands_now(self, alice, before, now):
        connection = make_connection(alice)
        keep(connection, condition("c1", before))
        rebuilt(alice)
        keep(connection, condition("c1", now))
        document, _page = told(alice)
        words = {loinc: section(document, loinc)["text"]["div"] for loinc in (PROBLEMS, PAST)}
        assert [loinc for loinc, said in words.items() if "Canary condition" in said] == [
            PROBLEMS if now == "active" else PAST
        ]
        assert "Not listed" not in str(words)

    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(oddities.odd(*_ODD))
    def test_is_the_same_as_from_the_records_whatever_came(self, sam, content):
        connection = sam.connections.first() or make_connection(sam)
        Record.objects.filter(connection=connection).delete()
        Shelf.objects.filter(connection=connection).delete()
        body = json.dumps(content).encode()
        keep(connection, *(raw(kind, name, body) for kind in ("Patient", *TYPES) for name in ("odd", "even")))
        assert told(sam) == rebuilt(sam)

    def test_lists_by_itself_what_was_filled_for_a_prescription_that_is_not_here(self, alice):
        """Another type may have its id: ids are unique within a type alone."""
        named = {"status": "active", "medicationCodeableConcept": {"text": "Aspirin"}}
        filled = {
            "resourceType": "MedicationDispense", "id": "d1", "status": "completed",
            "medicationCodeableConcept": {"text": "Canary drug"},
            "authorizingPrescription": [{"reference": "MedicationRequest/7"}],
        }  # fmt: skip
        keep(make_connection(alice), {"resourceType": "MedicationStatement", "id": "7", **named}, filled)
        document, from_records = told(alice)
        assert "Canary drug" in str(from_records)
        assert rebuilt(alice) == (document, from_records)
        assert "no place for their kind: 1." in section(document, MEDICINES)["text"]["div"]

    def test_lists_a_possible_condition_where_its_own_status_puts_it(self, alice):
        keep(
            make_connection(alice),
            condition("c1", "active", onsetDateTime="2020"),
            condition("c2", "resolved", certainty="provisional", onsetDateTime="2021"),
        )
        document, _page = rebuilt(alice)
        assert len(section(document, PROBLEMS)["entry"]) == 1
        assert len(section(document, "11348-0")["entry"]) == 1

    def test_opens_no_body_of_what_it_does_not_list(self, alice):
        connection = make_connection(alice)
        keep(connection, R4_PATIENT, *(result(number) for number in range(120)), allergy("a1"))
        shelving.rebuild_all(connection, at=AT)
        for number in range(1, 120):  # of one test the newest alone is listed
            spoil(connection, "Observation", f"o{number}")
        document, (lists, *_others) = told(alice)
        assert len(section(document, RESULTS)["entry"]) == 1
        assert "older or repeated: 119." in section(document, RESULTS)["text"]["div"]
        assert ("Results", 120, 120) in [each[:3] for each in lists]

    def test_asks_the_database_no_more_for_a_longer_record(self, alice, sam):
        asked = []
        for user, count in ((alice, 210), (sam, 420)):
            connection = make_connection(user, make_endpoint(f"https://{count}.example/r4"))
            keep(connection, R4_PATIENT, *(result(number) for number in range(count)))
            shelving.rebuild_all(connection, at=AT)
            choices = choosing.choices(user, at=AT)
            with CaptureQueriesContext(database) as queries:
                summaries.summary(choices, at=AT)
                documents.document(choices, at=AT)
            asked.append(len(queries))
        assert asked[0] == asked[1]

    def test_reads_the_records_where_a_shelf_cannot_be_read(self, alice):
        connection = make_connection(alice)
        keep(connection, R4_PATIENT, result(1), allergy("a1"))
        whole = rebuilt(alice)
        leaves = Leaf.objects.filter(shelf__connection=connection, shelf__subject="results")
        leaves.update(sealed_rows=b"spoiled")
        assert told(alice) == whole
        leaves.delete()
        assert told(alice) == whole
        Shelf.objects.filter(connection=connection, subject="allergies").update(sealed_index=b"spoiled")
        assert told(alice) == whole
        Shelf.objects.filter(connection=connection).delete()
        assert told(alice) == whole

    def test_does_not_read_what_is_still_arriving(self, alice):
        connection = make_connection(alice)
        keep(connection, R4_PATIENT, allergy("a1"))
        SyncRun.objects.create(user=alice, connection=connection, cause="confirmed", created_at=AT)
        (choice,) = choosing.choices(alice, at=AT)
        assert shelved.types_off_shelves(choice, [each for each in subjects.SUBJECTS if each.key == "allergies"]) == ()
        _document, (lists, *_others) = told(alice)
        assert all(count == 0 for _name, count, _shown, _groups in lists)

    def test_reads_the_records_of_a_shelf_that_does_not_open_while_more_arrives(self, alice):
        connection = make_connection(alice)
        keep(connection, R4_PATIENT, allergy("a1"))
        whole = rebuilt(alice)[1]
        SyncRun.objects.create(user=alice, connection=connection, cause="confirmed", created_at=AT)
        Shelf.objects.filter(connection=connection, subject="allergies").update(sealed_index=b"spoiled")
        assert told(alice)[1] == whole


_REPORT = {"resourceType": "DiagnosticReport", "status": "final", "code": {"text": "Scan of the chest"}}


class TestASection:
    def test_of_medicines_leaves_out_what_is_ordered_not_to_be_taken(self, alice):
        order = {
            "resourceType": "MedicationRequest", "id": "m1", "status": "active", "intent": "order",
            "doNotPerform": True, "medicationCodeableConcept": {"text": "Canary drug"},
        }  # fmt: skip
        keep(make_connection(alice), order)
        for document, _page in (told(alice), rebuilt(alice)):
            assert "Canary drug" not in str(document)
            assert "over, ruled out or not done: 1." in section(document, MEDICINES)["text"]["div"]

    def test_counts_no_fill_whose_prescription_is_here(self, alice):
        order = {"resourceType": "MedicationRequest", "id": "m1", "status": "active", "intent": "order"}
        filled = {
            "resourceType": "MedicationDispense", "id": "d1", "status": "completed",
            "authorizingPrescription": [{"reference": "MedicationRequest/m1"}],
        }  # fmt: skip
        keep(make_connection(alice), order, filled)
        for document, _page in (told(alice), rebuilt(alice)):
            assert "no place" not in section(document, MEDICINES)["text"]["div"]

    def test_has_what_a_report_concludes_and_of_a_panel_the_newest(self, alice):
        concluded = [
            {**_REPORT, "id": f"ct{day}", "conclusion": f"Canary {day}", "effectiveDateTime": f"2026-03-0{day}"}
            for day in (1, 2)
        ]
        panels = [
            {**_REPORT, "id": f"p{day}", "code": {"text": "Blood count"}, "effectiveDateTime": f"2026-03-0{day}",
             "result": [{"reference": f"Observation/{day}"}, {"reference": "Observation/9"}]}
            for day in (3, 4)
        ]  # fmt: skip
        cancelled = {**_REPORT, "id": "no", "status": "cancelled", "conclusion": "Never written"}
        keep(make_connection(alice), *concluded, *panels, cancelled)
        for document, _page in (told(alice), rebuilt(alice)):
            text = section(document, RESULTS)["text"]["div"]
            assert all(said in text for said in ("Canary 1", "Canary 2", "2 results", "older or repeated: 1."))
            assert "over, ruled out or not done: 1." in text
            assert "Never written" not in str(document)
            assert text.count("Blood count") == 1

    def test_says_that_something_of_it_does_not_open(self, alice):
        connection = make_connection(alice)
        keep(connection, R4_PATIENT, allergy("a1"), result(1))
        spoil(connection, "AllergyIntolerance", "a1")
        provider = connection.provider.name
        for document, (*_lists, unopened) in (told(alice), rebuilt(alice)):
            text = section(document, ALLERGIES)["text"]["div"]
            assert f"Entries from {provider} that may belong here could not be opened." in text
            assert "could not be opened" not in section(document, RESULTS)["text"]["div"]
            assert unopened == ((provider, "Allergies and reactions"),)

    def test_says_so_of_what_its_shelf_tells_and_does_not_open_since(self, alice):
        connection = make_connection(alice)
        keep(connection, allergy("a1"))
        rebuilt(alice)
        spoil(connection, "AllergyIntolerance", "a1")
        assert "could not be opened" in section(told(alice)[0], ALLERGIES)["text"]["div"]

    def test_says_nothing_of_what_does_not_open_and_is_gone(self, alice):
        connection = make_connection(alice)
        keep(connection, allergy("a1"))
        spoil(connection, "AllergyIntolerance", "a1")
        Record.objects.update(removed_at=AT)
        for document, (*_lists, unopened) in (told(alice), rebuilt(alice)):
            assert "could not be opened" not in str(document)
            assert unopened == ()

    def test_never_says_none_known_because_that_was_ruled_out(self, alice):
        none = {"coding": [{"system": "http://snomed.info/sct", "code": "716186003"}], "text": "No known allergies"}
        refuted = {"coding": [{"code": "refuted"}]}
        keep(make_connection(alice), allergy("a1", code=none, verificationStatus=refuted))
        for document, _page in (told(alice), rebuilt(alice)):
            assert "no-known-allergies" not in str(document)
            assert "no-allergy-info" in str(document)

    def test_takes_unnamed_results_for_results_of_different_tests(self, alice):
        unnamed = [{**result(number), "code": {}} for number in range(3)]
        keep(make_connection(alice), *unnamed)
        for document, _page in (told(alice), rebuilt(alice)):
            assert len(section(document, RESULTS)["entry"]) == 3
