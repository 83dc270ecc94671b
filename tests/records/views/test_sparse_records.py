"""A record with next to nothing in it: no page is empty without saying why."""

from typing import Any

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.pages import main
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

BARE = "We found no further details in what Harbor Family Practice sent."
NO_FILE = "No file came with this document. Ask Harbor Family Practice for it."
NO_NAME = "Harbor Family Practice sent no name for this entry. Ask them what it is."
NO_RESULT = "No result, text or file came with this report. Ask Harbor Family Practice for it."
BEFORE_YOUR_TEAM = "You may be seeing this before your care team has."
ASPIRIN = {"medicationCodeableConcept": {"text": "aspirin"}, "status": "active", "intent": "order"}


def sparse(resource_type: str, **sent: Any) -> dict[str, Any]:
    return {"resourceType": resource_type, "id": "x1", "subject": {"reference": f"Patient/{PATIENT_ID}"}, **sent}


def entry(client, key):
    return main(client, "entry", key, Record.objects.get(logical_id="x1").pk)


class TestAnEntryThatSaysNextToNothing:
    @pytest.mark.parametrize(
        ("key", "sent", "said"),
        [
            ("medicines", sparse("MedicationRequest", **ASPIRIN), BARE),
            ("visits", sparse("Encounter", status="finished", **{"class": {"code": "AMB"}}), BARE),
            ("conditions", sparse("Condition", category=[{"text": "Problem"}]), NO_NAME),
            ("documents", sparse("DocumentReference", status="current", type={"text": "Note"}), NO_FILE),
            ("results", sparse("DiagnosticReport", status="final", code={"text": "Panel"}), NO_RESULT),
        ],
    )
    def test_says_that_there_is_no_more(self, hers, sam, connection, key, sent, said):
        keep(connection, sent)
        assert said in entry(hers, key)
        hers.force_login(sam)
        assert hers.get(reverse("entry", args=[key, Record.objects.get(logical_id="x1").pk])).status_code == 404

    def test_is_no_result_to_read_before_anybody(self, hers, connection):
        keep(connection, sparse("DiagnosticReport", status="final", code={"text": "Panel"}))
        assert BEFORE_YOUR_TEAM not in entry(hers, "results")

    @pytest.mark.parametrize(
        ("key", "sent"),
        [
            ("medicines", sparse("MedicationRequest", **ASPIRIN, note=[{"text": "With food."}])),
            ("medicines", sparse("MedicationRequest", **ASPIRIN, dosageInstruction=[{"text": "One a day"}])),
            ("medicines", sparse("MedicationRequest", status="active")),
            ("results", sparse("DiagnosticReport", status="final", code={"text": "Panel"}, conclusion="All is well.")),
            ("results", sparse("DiagnosticReport", status="registered", code={"text": "Panel"})),
            (
                "documents",
                sparse("DocumentReference", status="current", content=[{"attachment": {"url": "Binary/1"}}]),
            ),
        ],
    )
    def test_does_not_say_so_of_what_says_more_or_is_hidden_or_to_come(self, hers, connection, key, sent):
        keep(connection, sent)
        said = entry(hers, key)
        assert [each for each in (BARE, NO_FILE, NO_RESULT) if each in said] == []


class TestEverythingByDate:
    def test_says_where_to_read_why_there_is_nothing(self, hers, connection):
        keep(connection)
        said = main(hers, "everything_by_date")
        assert "No entries here. Each provider's page says what came, what did not, and why:" in said.replace(
            "&#x27;", "'"
        )
        assert f'href="{reverse("record", args=[connection.pk])}"' in said
        assert "We have not finished copying this record: entries may be missing." in said
        assert "0 entries" not in said
        assert "Save a copy" not in said

    def test_lists_what_there_is(self, hers, connection):
        keep(connection, sparse("MedicationRequest", **ASPIRIN))
        said = main(hers, "everything_by_date")
        assert "1 entry" in said
        assert "No entries here" not in said


class TestANumberThatALabComparedWithNothing:
    NO_RANGE = "The lab sent no usual range."

    def test_is_said_to_have_come_without_a_range(self, hers, connection):
        keep(connection, {**result(0), "id": "x1"})
        assert entry(hers, "results").count(self.NO_RANGE) == 1

    @pytest.mark.parametrize(
        ("key", "sent"),
        [
            ("results", {"referenceRange": [{"low": {"value": 1}, "high": {"value": 9}}]}),
            ("results", {"referenceRange": [{"text": "as for adults"}]}),
            ("results", {"interpretation": [{"coding": [{"code": "H"}]}]}),
            ("results", {"interpretation": {"coding": [{"code": "L"}]}}),
            ("results", {"valueQuantity": None, "valueString": "Positive"}),
            ("vitals", {"category": [{"coding": [{"code": "vital-signs"}]}]}),
        ],
    )
    def test_is_neither_compared_nor_a_text_nor_no_work_of_a_lab(self, hers, connection, key, sent):
        keep(connection, {**result(0), "id": "x1", **sent})
        assert self.NO_RANGE not in entry(hers, key)
