"""A visit's page gathers what belongs to it, and a condition's page the visits about it, by reference only."""

from typing import Any

import pytest
from django.urls import reverse

from apps.records.models import Leaf, Record, Shelf
from apps.records.viewing.listing import related
from tests.records.pages import main
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db

OF_V1 = {"reference": "Encounter/v1"}
ABOUT = {"subject": {"reference": f"Patient/{PATIENT_ID}"}}
FHIR_ROOT = "https://fhir.example/r4"


def visit(logical_id: str = "v1", *, on: str = "2020-03-04", **parts: Any) -> dict[str, Any]:
    kind = {"status": "finished", "class": {"code": "AMB"}, "type": [{"text": f"Seen {logical_id}"}]}
    return {"resourceType": "Encounter", "id": logical_id, **kind, **ABOUT, "period": {"start": on, "end": on}, **parts}


def asthma(**parts: Any) -> dict[str, Any]:
    return {"resourceType": "Condition", "id": "c1", "code": {"text": "Asthma"}, **ABOUT, **parts}


def page_of(client, resource_type: str, logical_id: str) -> str:
    subject = {"Encounter": "visits", "Condition": "conditions", "Observation": "results"}[resource_type]
    record = Record.objects.get(resource_type=resource_type, logical_id=logical_id)
    return main(client, "entry", subject, record.pk)


class TestAVisit:
    @pytest.mark.parametrize(
        ("resource", "heading", "named"),
        [
            ({**result(1, name="Sodium"), "encounter": OF_V1}, "Results", "Sodium"),
            ({**asthma(), "encounter": OF_V1}, "Health conditions", "Asthma"),
            (
                {"resourceType": "MedicationRequest", "id": "m", "status": "active", "intent": "order",
                 "medicationCodeableConcept": {"text": "Zinc"}, **ABOUT, "encounter": OF_V1},
                "Medicines", "Zinc",
            ),
            (
                {"resourceType": "MedicationStatement", "id": "m", "status": "active", **ABOUT,
                 "medicationCodeableConcept": {"text": "Zinc"}, "context": OF_V1},
                "Medicines", "Zinc",
            ),
            (
                {"resourceType": "DocumentReference", "id": "d", "status": "current", **ABOUT, "description": "Letter",
                 "context": {"encounter": [OF_V1]}},
                "Documents and notes", "Letter",
            ),
            (
                {"resourceType": "DocumentReference", "id": "d", "status": "current", **ABOUT, "description": "Letter",
                 "context": {"encounter": {"reference": "Encounter/v1/_history/2"}}},
                "Documents and notes", "Letter",
            ),
            ({**visit("v2"), "partOf": OF_V1}, "Visits", "Seen v2"),
            ({**result(1), "encounter": {"reference": f"{FHIR_ROOT}/Encounter/v1"}}, "Results", "Sodium"),
        ],
    )  # fmt: skip
    def test_gathers_what_names_it_by_subject(self, hers, connection, resource, heading, named):
        type(connection.endpoint).objects.filter(pk=connection.endpoint_id).update(fhir_base_url=FHIR_ROOT)
        connection.endpoint.refresh_from_db()
        keep(connection, visit(), resource)
        gathered = page_of(hers, "Encounter", "v1").split("From this visit", 1)[1]
        assert f"<h3>{heading}</h3>" in gathered
        assert named in gathered

    @pytest.mark.parametrize("prescribed", [["m1"], ["m1", "m2"], ["elsewhere"], ["elsewhere", "m1"], []])
    def test_gathers_what_was_handed_out_there_wherever_it_is_listed(self, hers, connection, prescribed):
        filled = {
            "resourceType": "MedicationDispense", "id": "d1", "status": "completed", **ABOUT, "context": OF_V1,
            "medicationCodeableConcept": {"text": "Zinc capsules"}, "whenHandedOver": "2020-03-05",
            "authorizingPrescription": [{"reference": f"MedicationRequest/{each}"} for each in prescribed],
        }  # fmt: skip
        others = ({**filled, "id": "d2", "medicationCodeableConcept": {"text": "Iron"}, "context": None},)
        keep(connection, visit(), order("m1"), order("m2"), filled, *others)
        gathered = page_of(hers, "Encounter", "v1").split("From this visit", 1)[1]
        assert "<h3>Medicines</h3>" in gathered
        assert gathered.count("row-link") == 1
        assert "Zinc capsules" in gathered
        assert "Filled" in gathered

    def test_gathers_nothing_by_its_date_nor_from_another_root(self, hers, connection):
        elsewhere = {"reference": "https://other.example/r4/Encounter/v1"}
        keep(
            connection, visit(), {**result(1), "effectiveDateTime": "2020-03-04"}, {**result(2), "encounter": elsewhere}
        )
        assert "From this visit" not in page_of(hers, "Encounter", "v1")

    def test_gathers_nothing_of_another_provider_with_the_same_ids(self, hers, connection, other):
        keep(connection, visit())
        keep(other, {**result(1), "encounter": OF_V1})
        assert "From this visit" not in page_of(hers, "Encounter", "v1")

    def test_finds_few_among_many_and_says_where_there_are_more(self, hers, connection):
        many = [
            {**result(number, name=f"Test {number}", code=str(number)), **({} if number % 7 else {"encounter": OF_V1})}
            for number in range(300)
        ]
        keep(connection, visit(), *many)
        gathered = page_of(hers, "Encounter", "v1").split("From this visit", 1)[1]
        assert gathered.count("row-link") == related.MOST
        assert "Test 7<" in gathered
        assert "Test 8<" not in gathered
        assert f"Here are the newest {related.MOST}." in gathered

    def test_gathers_no_draft_and_nothing_that_was_withdrawn_or_is_gone(self, hers, connection):
        withdrawn = {**result(1, name="Canary"), "status": "entered-in-error", "encounter": OF_V1}
        keep(connection, visit(), withdrawn, {**result(2, name="Sodium"), "encounter": OF_V1})
        gathered = page_of(hers, "Encounter", "v1").split("From this visit", 1)[1]
        assert "Sodium" in gathered
        assert "Canary" not in gathered
        assert gathered.count("row-link") == 1

    def test_gathers_no_result_beside_the_report_that_tells_it(self, hers, connection):
        of_it = {"encounter": OF_V1, "result": [{"reference": "Observation/o1"}]}
        told = {"resourceType": "DiagnosticReport", "id": "r", "status": "final", **ABOUT, **of_it}
        sodium, other = ({**result(n, name=name), "encounter": OF_V1} for n, name in ((1, "Sodium"), (2, "Calcium")))
        keep(connection, visit(), told, sodium, other)
        gathered = page_of(hers, "Encounter", "v1").split("From this visit", 1)[1]
        assert gathered.count("row-link") == 2
        assert "Calcium" in gathered

    def test_finds_a_report_behind_all_the_results_that_it_tells(self, hers, connection):
        results = [
            {**result(number, name=f"Test {number}", code=str(number)), "encounter": OF_V1} for number in range(40)
        ]
        of_it = {"encounter": OF_V1, "result": [{"reference": f"Observation/o{number}"} for number in range(40)]}
        told = {"resourceType": "DiagnosticReport", "id": "r", "status": "final", **ABOUT, **of_it}
        keep(connection, visit(), {**told, "code": {"text": "Panel"}, "effectiveDateTime": "2001"}, *results)
        gathered = page_of(hers, "Encounter", "v1").split("From this visit", 1)[1]
        assert "Panel" in gathered
        assert gathered.count("row-link") == 1
        assert "Here are the newest" not in gathered

    def test_does_not_say_grave_news_unasked(self, hers, connection):
        grave = {**result(1, name="HIV 1 RNA", code="20447-9", value=93.5), "encounter": OF_V1}
        keep(connection, visit(), grave)
        gathered = page_of(hers, "Encounter", "v1").split("From this visit", 1)[1]
        assert "93.5" not in gathered
        assert "Open it to see the result" in gathered

    def test_says_so_where_its_shelves_do_not_open(self, hers, connection):
        keep(connection, visit(), {**result(1), "encounter": OF_V1})
        Leaf.objects.filter(arrangement="related").update(sealed_rows=b"\x03" + bytes(80))
        assert "We could not open some entries" in page_of(hers, "Encounter", "v1")

    def test_says_nothing_where_an_earlier_release_built_its_shelves(self, hers, connection):
        keep(connection, visit())
        Shelf.objects.all().delete()
        assert "From this visit" not in page_of(hers, "Encounter", "v1")

    @pytest.mark.parametrize(
        ("subject", "logical_id"), [("visits", "v1"), ("results", "o1"), ("conditions", "c1"), ("medicines", "m1")]
    )
    def test_costs_no_page_more_than_twelve_queries(
        self, hers, connection, django_assert_max_num_queries, subject, logical_id
    ):
        condition, prescription = ({**each, "encounter": OF_V1} for each in (asthma(), order("m1")))
        keep(connection, visit(), condition, prescription, *({**result(n), "encounter": OF_V1} for n in range(60)))
        record = Record.objects.get(logical_id=logical_id)
        main(hers, "entry", subject, record.pk)
        with django_assert_max_num_queries(12):
            main(hers, "entry", subject, record.pk)

    def test_is_no_matter_of_a_stranger(self, client, sam, connection):
        keep(connection, visit(), {**result(1), "encounter": OF_V1})
        client.force_login(sam)
        record = Record.objects.get(resource_type="Encounter")
        assert client.get(reverse("entry", args=["visits", record.pk])).status_code == 404


class TestWhatIsPartOfAVisit:
    def test_leads_back_to_it(self, hers, connection):
        keep(connection, visit(), visit("v2"), {**result(1), "encounter": OF_V1})
        text = page_of(hers, "Observation", "o1").split("Part of this visit", 1)[1]
        assert "Seen v1" in text
        assert "Seen v2" not in text

    @pytest.mark.parametrize("named", [{}, {"encounter": {"reference": "Encounter/elsewhere"}}])
    def test_says_nothing_where_it_names_none_that_is_here(self, hers, connection, named):
        keep(connection, visit(), {**result(1), **named})
        assert "Part of this visit" not in page_of(hers, "Observation", "o1")


class TestACondition:
    @pytest.mark.parametrize(
        ("parts", "mentioned"),
        [
            ({}, {"diagnosis": [{"condition": {"reference": "Condition/c1"}}]}),
            ({}, {"indication": [{"reference": "Condition/c1"}]}),
            ({}, {"reasonReference": [{"reference": "Condition/c1"}]}),
            ({"encounter": OF_V1}, {}),
            ({"encounter": OF_V1}, {"diagnosis": [{"condition": {"reference": "Condition/c1"}}]}),
        ],
    )
    def test_names_the_visits_that_mention_it_once(self, hers, connection, parts, mentioned):
        keep(connection, asthma(**parts), visit(**mentioned), visit("v2"))
        text = page_of(hers, "Condition", "c1").split("Visits that mention this", 1)[1]
        assert text.count("Seen v1") == 1
        assert "Seen v2" not in text

    def test_that_no_visit_mentions_says_nothing_of_visits(self, hers, connection):
        keep(connection, asthma(), visit())
        assert "Visits that mention this" not in page_of(hers, "Condition", "c1")
