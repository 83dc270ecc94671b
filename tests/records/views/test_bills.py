"""The page of a bill: a small table for each line."""

import re

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.pages import page
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db


def bill(**also):
    paid = {"category": {"coding": [{"code": "benefit"}]}, "amount": {"value": 76.5, "currency": "USD"}}
    return {
        "resourceType": "ExplanationOfBenefit",
        "id": "b1",
        "status": "active",
        "type": {"text": "Doctor's visit"},
        "patient": {"reference": f"Patient/{PATIENT_ID}"},
        "item": [{"sequence": 1, "productOrService": {"text": "Eye <b>test"}, "adjudication": [paid]}],
        **also,
    }


def told(client):
    return page(client, "entry", "other", Record.objects.get(logical_id="b1").pk)


class TestTheLinesOfABill:
    def test_say_what_the_plan_paid(self, hers, sam, connection):
        keep(connection, bill())
        said = re.sub(r"\s*(<[^>]*>)\s*", r"\1", told(hers))
        assert "<caption>Eye &lt;b&gt;test</caption>" in said
        assert '<th scope="row">Paid by the plan</th><td><span class="unbroken">76.50 USD</span></td>' in said
        hers.force_login(sam)
        assert hers.get(reverse("entry", args=["other", Record.objects.get(logical_id="b1").pk])).status_code == 404

    def test_are_marked_as_in_another_language_where_the_provider_says_so(self, hers, connection):
        keep(connection, bill(language="de"))
        assert '<caption lang="de" dir="auto">' in told(hers)

    def test_of_an_earlier_version_are_kept_with_it(self, hers, connection):
        keep(connection, bill())
        lower = {"category": {"coding": [{"code": "benefit"}]}, "amount": {"value": 50, "currency": "USD"}}
        keep(connection, bill(item=[{"productOrService": {"text": "Eye test"}, "adjudication": [lower]}]))
        now, before = told(hers).split('id="earlier"')
        assert "50 USD" in now
        assert "76.50 USD" in before

    def test_are_missing_from_what_has_none(self, hers, connection):
        keep(connection, bill(item=[]))
        assert "What was billed and paid" not in told(hers)
