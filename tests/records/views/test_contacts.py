"""The page of an entry has the practice's telephone number, so that asking there is one tap."""

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.pages import page
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db

CALL = '<dd>Bay Clinic \N{MIDDLE DOT} <a href="tel:6175550100">(617) 555-0100</a></dd>'
CLINIC = {
    "resourceType": "Organization",
    "id": "bay",
    "name": "Bay Clinic",
    "telecom": [{"system": "phone", "value": "(617) 555-0100"}],
}


def sent(resource_type, **also):
    return {"resourceType": resource_type, "id": "x1", "subject": {"reference": f"Patient/{PATIENT_ID}"}, **also}


VISIT = sent("Encounter", status="finished", serviceProvider={"reference": "Organization/bay"})
RESULT = sent(
    "Observation",
    status="final",
    category=[{"coding": [{"code": "laboratory"}]}],
    code={"text": "Sodium"},
    valueString="High",
    performer=[{"reference": "Organization/bay"}],
)


class TestThePageOfAnEntry:
    @pytest.mark.parametrize(("subject", "resource"), [("visits", VISIT), ("results", RESULT)])
    def test_has_the_number_of_who_is_named(self, hers, sam, connection, subject, resource):
        keep(connection, CLINIC, resource)
        pk = Record.objects.get(logical_id="x1").pk
        assert CALL in page(hers, "entry", subject, pk)
        hers.force_login(sam)
        assert hers.get(reverse("entry", args=[subject, pk])).status_code == 404

    def test_says_a_number_once(self, hers, connection):
        coverage = {
            **sent("Coverage", status="active", payor=[{"reference": "Organization/bay"}]),
            "beneficiary": {"reference": f"Patient/{PATIENT_ID}"},
        }
        keep(connection, CLINIC, coverage)
        assert page(hers, "entry", "insurance", Record.objects.get(logical_id="x1").pk).count("tel:6175550100") == 1

    @pytest.mark.parametrize("resource", [{**VISIT, "status": "entered-in-error"}, {**VISIT, "serviceProvider": {}}])
    def test_has_none_where_nobody_is_named(self, hers, connection, resource):
        keep(connection, CLINIC, resource)
        assert "tel:" not in page(hers, "entry", "visits", Record.objects.get(logical_id="x1").pk)
