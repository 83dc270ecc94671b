"""Medicines that nobody takes: drafts are in no list, and what a pharmacy dispensed is shown under its prescription."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.urls import reverse

from apps.records.models import Record, Shelf
from apps.records.viewing.listing import fills as fills_shown
from tests.records.pages import ask, main
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db


def order(logical_id: str, name: str, **changes: Any) -> dict[str, Any]:
    return {
        "resourceType": "MedicationRequest",
        "id": logical_id,
        "status": "active",
        "intent": "order",
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "medicationCodeableConcept": {"text": name},
        "authoredOn": "2024-01-05",
        **changes,
    }


def fill(logical_id: str, name: str, on: str, *orders: str, **changes: Any) -> dict[str, Any]:
    return {
        "resourceType": "MedicationDispense",
        "id": logical_id,
        "status": "completed",
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "medicationCodeableConcept": {"text": name},
        "authorizingPrescription": [{"reference": f"MedicationRequest/{order}"} for order in orders],
        "whenHandedOver": on,
        **changes,
    }


def report(logical_id: str, name: str) -> dict[str, Any]:
    return {
        "resourceType": "MedicationStatement",
        "id": logical_id,
        "status": "active",
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "medicationCodeableConcept": {"text": name},
        "effectiveDateTime": "2024-01-05",
    }


def entry(client, logical_id):
    return main(client, "entry", "medicines", Record.objects.get(logical_id=logical_id).pk)


class TestADraft:
    @pytest.mark.parametrize("by", ["", "date"])
    def test_is_in_no_list_and_no_count_and_the_list_says_so(self, hers, connection, by):
        keep(connection, order("m1", "Lisinopril"), order("m2", "Tramadol", status="draft"))
        text = main(hers, "subject", "medicines", **({"by": by} if by else {}))
        assert "1 entry" in text
        assert "Tramadol" not in text
        assert "1 entry from Harbor Family Practice is not final, and not in this list." in text

    def test_is_not_among_everything_and_not_first_of_the_record(self, hers, connection):
        keep(connection, order("m1", "Lisinopril"), order("m2", "Tramadol", status="draft"))
        assert "Tramadol" not in main(hers, "everything_by_date")
        assert "Tramadol" not in main(hers, "whole_record")

    def test_is_shown_to_whoever_asks_for_what_is_not_final(self, hers, connection):
        keep(connection, order("m1", "Lisinopril"), order("m2", "Tramadol", status="draft"))
        text = main(hers, "subject", "medicines", by="drafts")
        assert "Tramadol" in text
        assert ">Not final<" in text
        assert "Lisinopril" not in text
        assert "Not final" in entry(hers, "m2")

    def test_alone_is_not_told_as_nothing_sent(self, hers, connection):
        keep(connection, order("m2", "Tramadol", status="draft"))
        text = main(hers, "subject", "medicines")
        assert "sent no entries" not in text
        assert "1 entry from Harbor Family Practice is not final" in text

    def test_is_shown_to_no_stranger(self, client, sam, connection):
        keep(connection, order("m2", "Tramadol", status="draft"))
        client.force_login(sam)
        assert "Tramadol" not in main(client, "subject", "medicines", by="drafts")


class TestSearching:
    @pytest.fixture
    def kept(self, connection):
        filled = fill("d1", "Lisinopril", "2024-02-07", "m1")
        keep(connection, order("m1", "Lisinopril"), order("m2", "Tramadol", status="draft"), filled)

    def test_finds_no_draft_as_no_list_has_it(self, hers, kept):
        text = ask(hers, "tramadol")
        assert "Nothing found for “tramadol” in 1 entry." in text
        assert "row-link" not in text

    def test_finds_what_was_filled(self, hers, kept):
        assert "2 entries found" in ask(hers, "lisinopril")

    def test_looks_through_as_many_as_everything_by_date_has(self, hers, kept):
        assert "Nothing found for “zebra” in 1 entry." in ask(hers, "zebra")
        assert re.search(r'role="status"> 1 entry </p>', main(hers, "everything_by_date"))

    def test_finds_nothing_for_a_stranger(self, client, sam, kept):
        client.force_login(sam)
        text = ask(client, "lisinopril")
        assert "Your record starts when you connect your first provider." in text
        assert "Lisinopril" not in text


class TestWhatAPharmacyHandedOut:
    def test_stands_under_its_prescription_and_in_no_list(self, hers, connection):
        fills = [fill(f"d{month}", "Lisinopril", f"2024-0{month}-07", "m1") for month in (2, 3)]
        keep(connection, *fills, order("m1", "Lisinopril"))
        text = main(hers, "subject", "medicines")
        assert text.count('class="row-link"') == 1
        assert "Filled" not in text
        shown = entry(hers, "m1")
        assert shown.index("Filled at a pharmacy") < shown.index("March 7, 2024") < shown.index("February 7, 2024")

    @pytest.mark.parametrize("orders", [(), ("gone",), ("gone", "lost")])
    def test_is_listed_once_by_itself_where_its_prescription_is_not_here(self, hers, connection, orders):
        keep(connection, order("m1", "Lisinopril"), fill("d1", "Metformin", "2024-02-07", *orders))
        text = main(hers, "subject", "medicines")
        assert text.count("Metformin") == 1
        assert text.index(">Current<") < text.index(">Filled at a pharmacy<") < text.index("Metformin")
        assert "2 entries" in text

    def test_of_two_prescriptions_stands_under_the_one_that_is_here(self, hers, connection):
        keep(connection, order("m1", "Lisinopril"), fill("d1", "Lisinopril", "2024-02-07", "gone", "m1"))
        assert "Filled" not in main(hers, "subject", "medicines")
        assert "February 7, 2024" in entry(hers, "m1")

    def test_is_listed_by_itself_where_its_prescription_is_a_draft(self, hers, connection):
        keep(connection, order("m1", "Tramadol", status="draft"), fill("d1", "Tramadol", "2024-02-07", "m1"))
        assert "Filled at a pharmacy" in main(hers, "subject", "medicines")

    def test_is_listed_by_itself_where_only_another_type_has_the_id_of_its_prescription(self, hers, connection):
        """Ids are unique within a type alone."""
        keep(connection, report("7", "Aspirin"), fill("d1", "Warfarin", "2024-02-07", "7"))
        text = main(hers, "subject", "medicines")
        assert text.index(">Filled at a pharmacy<") < text.index("Warfarin")
        assert "2 entries" in text

    @pytest.mark.parametrize(
        ("reference", "is_here"),
        [
            ("https://fhir.example/r4/MedicationRequest/m1", True),
            ("https://fhir.example/R4/MedicationRequest/m1/_history/2", True),
            ("MedicationRequest/m1/_history/2", True),
            ("https://elsewhere.example/r4/MedicationRequest/m1", False),
            ("https://fhir.example/r4/other/MedicationRequest/m1", False),
            ("https://fhir.example/MedicationRequest/m1", False),
            ("https://elsewhere.example/?https://fhir.example/r4/MedicationRequest/m1", False),
            ("other/MedicationRequest/m1", False),
            ("//MedicationRequest/m1", False),
            ("/MedicationRequest/m1", False),
            ("MedicationStatement/m1", False),
            ("#m1", False),
        ],
    )
    def test_stands_under_the_prescription_that_its_reference_means_and_under_no_namesake_elsewhere(
        self, hers, connection, reference, is_here
    ):
        filled = fill("d1", "Warfarin", "2024-02-07", authorizingPrescription=[{"reference": reference}])
        keep(connection, order("m1", "Lisinopril"), filled)
        assert ("February 7, 2024" in entry(hers, "m1")) == is_here
        assert ("Warfarin" not in main(hers, "subject", "medicines")) == is_here

    def test_is_on_no_page_of_another_type_with_the_id_of_its_prescription(self, hers, connection):
        reported, ordered = report("7", "Aspirin"), order("7", "Warfarin")
        keep(connection, reported, ordered, fill("d1", "Warfarin", "2024-02-07", "7"))
        pages = {
            kind: main(hers, "entry", "medicines", Record.objects.get(resource_type=kind, logical_id="7").pk)
            for kind in ("MedicationStatement", "MedicationRequest")
        }
        assert "Warfarin" not in pages["MedicationStatement"]
        assert "February 7, 2024" in pages["MedicationRequest"]

    def test_stands_under_a_prescription_that_another_prescriber_reports(self, hers, connection):
        """Its kind is a report, its type is still what a fill refers to."""
        keep(connection, order("m1", "Lisinopril", reportedBoolean=True), fill("d1", "Lisinopril", "2024-02-07", "m1"))
        assert "Filled" not in main(hers, "subject", "medicines")
        assert "February 7, 2024" in entry(hers, "m1")

    @pytest.mark.parametrize(("count", "is_said"), [(50, False), (51, True)])
    def test_longest_ago_is_not_left_out_in_silence(self, hers, connection, count, is_said):
        first = date(2020, 1, 1)
        fills = [
            fill(f"d{number}", "Lisinopril", (first + timedelta(days=number)).isoformat(), "m1")
            for number in range(count)
        ]
        keep(connection, order("m1", "Lisinopril"), *fills)
        text = entry(hers, "m1")
        assert text.count('class="row-link"') == fills_shown.MOST
        assert ("January 1, 2020" in text) != is_said
        said = "Here are the newest 50. To get the others, download everything as received."
        assert (said in text) == is_said

    def test_under_a_prescription_that_opens_no_shelf_says_so(self, hers, connection):
        keep(connection, order("m1", "Lisinopril"), fill("d1", "Lisinopril", "2024-02-07", "m1"))
        Shelf.objects.filter(subject="medicines").update(sealed_index=b"broken")
        assert "We could not open some entries" in entry(hers, "m1")

    def test_is_shown_to_no_stranger(self, client, sam, connection):
        keep(connection, order("m1", "Lisinopril"), fill("d1", "Lisinopril", "2024-02-07", "m1"))
        client.force_login(sam)
        record = Record.objects.get(logical_id="m1")
        assert client.get(reverse("entry", args=["medicines", record.pk])).status_code == 404
