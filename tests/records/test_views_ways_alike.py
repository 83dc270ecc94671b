"""What one provider sends alike in two ways, and has no code or no date to tell it by: a plan, a device."""

import re

import pytest
from django.urls import reverse

from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db


def plan(description="Walk every day"):
    content = {"status": "active", "intent": "plan", "title": "Walking", "description": description}
    return {"resourceType": "CarePlan", "id": "c1", "period": {"start": "2024-03-05"}, **content}


def device(logical_id="v1", serial="A1"):
    kind = {"text": "Pacemaker", "coding": [{"system": "http://snomed.info/sct", "code": "14106009"}]}
    return {"resourceType": "Device", "id": logical_id, "status": "active", "type": kind, "serialNumber": serial}


def listed(client, name, *args):
    """The rows of a list."""
    text = re.sub(r"\s+", " ", client.get(reverse(name, args=args)).content.decode())
    return text.split("<h1")[1]


class TestWhatOneProviderSendsInTwoWays:
    def test_is_one_row_without_a_code_or_a_date_and_each_clinics_own_another(self, hers, connection, older, other):
        for one, number in ((connection, "1"), (older, "2"), (other, "1")):
            keep(one, {**plan(), "id": f"c{number}"}, device(f"v{number}"))
        for subject in ("plans", "devices"):
            text = listed(hers, "subject", subject)
            assert text.count('class="row-link"') == 2, subject
            assert "(FHIR" not in text.split('class="row-link"')[1], subject

    def test_is_two_rows_where_one_way_tells_otherwise(self, hers, connection, older):
        keep(connection, plan(), device())
        keep(older, plan("Walk twice a day"), device(serial="B2"))
        for subject in ("plans", "devices"):
            assert listed(hers, "subject", subject).count('class="row-link"') == 2, subject

    def test_is_as_many_rows_as_one_way_has_of_it(self, hers, connection, older):
        keep(connection, device("v1"), result(0))
        keep(older, device("v1"), device("v2"), result(0), {**result(0), "id": "again"})
        for subject in ("devices", "results"):
            assert listed(hers, "subject", subject).count('class="row-link"') == 2, subject
