"""Rows with ids longer than FHIR allows (64 characters), which some servers send, are copied like any other."""

import json

import pytest
from django.urls import reverse

from apps.records import ledger
from apps.records.models import Record, SyncStep
from tests.records.linked import AT, give_tokens, make_connection
from tests.records.people import R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, statement
from tests.records.runs import step, stored, sync
from tests.wire.servers import http

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unhurried")]

LONG = "a" * 65
LONGEST = "b" * 256
DOCTOR = "d_" + "d" * 198


class TestALongId:
    def test_is_kept_and_shown(self, linked, provider, hers):
        provider.answers[ALLERGIES] = http(body=bundle(allergy(LONG), allergy(LONGEST), total=2))
        run = sync(linked)
        assert (run.outcome, stored(), step(run).rows_unreadable) == ("complete", {LONG, LONGEST}, 0)
        for pk in Record.objects.filter(resource_type="AllergyIntolerance").values_list("pk", flat=True):
            assert hers.get(reverse("entry", args=["allergies", pk])).status_code == 200

    @pytest.mark.parametrize("slash", ["/", r"\/"], ids=["plain", "escaped"])
    def test_is_followed_where_rows_refer_to_it(self, linked, provider, hers, slash):
        """Some programs escape each slash."""
        provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Practitioner"))
        refers = {"reference": f"{provider.base_url}/Practitioner/{DOCTOR}/_history/1"}
        page = json.dumps(bundle(allergy(LONG, recorder=refers)))
        provider.answers[ALLERGIES] = http(body=page.replace("/", slash))
        provider.answers[f"GET /fhir/r4/Practitioner/{DOCTOR}"] = http(
            body={"resourceType": "Practitioner", "id": DOCTOR, "name": [{"text": "Dr. Long Name"}]}
        )
        assert (sync(linked).outcome, stored("Practitioner")) == ("complete", {DOCTOR})
        pk = Record.objects.get(logical_id=LONG).pk
        assert "Dr. Long Name" in hers.get(reverse("entry", args=["allergies", pk])).content.decode()

    def test_may_be_the_patients(self, alice, linked, provider):
        other = make_connection(alice, linked.endpoint, fhir_patient_id=LONGEST)
        give_tokens(other, issued_at=AT)
        provider.answers[f"GET /fhir/r4/Patient/{LONGEST}"] = http(body={**R4_PATIENT, "id": LONGEST})
        provider.answers[f"GET /fhir/r4/AllergyIntolerance?patient={LONGEST}"] = http(
            body=bundle(allergy("a9", patient_id=LONGEST))
        )
        assert (sync(other).outcome, stored()) == ("complete", {"a9"})

    def test_beyond_belief_costs_its_row_alone_and_is_told(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), allergy("c" * 257), total=2))
        run = sync(linked)
        assert (stored(), step(run).gap, step(run).rows_unreadable) == ({"a1"}, SyncStep.Gap.UNREADABLE, 1)
        told = next(one for one in ledger.lines(linked, run, provider="Harbor") if str(one.subject).startswith("Aller"))
        assert told.sentence.startswith("1 entry from Harbor could not be read, and is not here.")
