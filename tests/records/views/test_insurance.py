"""Insurance on its pages and on paper: whether it is valid follows from its period (patient experience 3.10)."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.records.exporting import choosing, summaries
from apps.records.models import Record
from tests.records.pages import main
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db


def cover(logical_id, period, **also):
    return {
        "resourceType": "Coverage",
        "id": logical_id,
        "beneficiary": {"reference": f"Patient/{PATIENT_ID}"},
        "class": [{"type": {"coding": [{"code": "plan"}]}, "value": "P-1", "name": "Gold"}],
        "period": period,
        **also,
    }


class TestInsurance:
    @pytest.mark.parametrize(
        ("period", "also", "said"),
        [
            ({"start": "2011-05-23", "end": "2012-05-23"}, {"status": "active"}, "Ended"),
            ({"start": "2011-05-23", "end": "2012-05-23"}, {}, "Ended"),
            ({"start": "2011-05-23"}, {}, "Current"),
            ({"start": "2011-05-23"}, {"status": "cancelled"}, "Ended"),
        ],
    )
    def test_has_ended_where_its_period_is_over_whatever_was_sent(
        self, hers, sam, alice, connection, period, also, said
    ):
        keep(connection, cover("c1", period, **also))
        assert f"<span>{said}</span>" in main(hers, "subject", "insurance")
        pk = Record.objects.get(logical_id="c1").pk
        assert re.search(rf"<dt>Status</dt> <dd>\s*{said}\s*<", main(hers, "entry", "insurance", pk))
        lists = summaries.summary(choosing.choices(alice, at=timezone.now()), at=timezone.now()).lists
        (row,) = [row for each in lists for group in each.groups for row in group.rows if row.title == "Gold"]
        assert row.status == said
        hers.force_login(sam)
        assert "Gold" not in main(hers, "subject", "insurance")

    @pytest.mark.parametrize(
        ("number", "said"), [("ABC123456789", "Member number: ending in 6789"), ("12-34", ""), ("", "")]
    )
    def test_has_the_end_of_its_number_in_lists_and_all_of_it_on_its_page(self, hers, sam, connection, number, said):
        keep(connection, cover("c1", {"start": "2011-05-23"}, **({"subscriberId": number} if number else {})))
        listed = main(hers, "subject", "insurance")
        assert said in listed
        assert ("ending in" in listed) is bool(said)
        assert not number or number not in listed
        assert number in main(hers, "entry", "insurance", Record.objects.get(logical_id="c1").pk)
        hers.force_login(sam)
        assert "ending in" not in main(hers, "subject", "insurance")

    @pytest.mark.parametrize(
        ("relationship", "said"),
        [
            ({"coding": [{"code": "self", "display": "Self"}]}, "The policy is your own"),
            ({"coding": [{"code": "child"}]}, "As a child of the policyholder"),
            ({"text": "Self"}, "The policy is your own"),
            ({"code": "spouse"}, "As the husband or wife of the policyholder"),  # a Coding, as DSTU2 has it
            ({"text": "Grandchild"}, "Grandchild"),
        ],
    )
    def test_says_how_somebody_is_covered_as_a_person_would(self, hers, sam, connection, relationship, said):
        keep(connection, cover("c1", {"start": "2011-05-23"}, relationship=relationship))
        pk = Record.objects.get(logical_id="c1").pk
        text = main(hers, "entry", "insurance", pk)
        assert re.search(rf"<dt>How you are covered</dt> <dd>\s*{said}\s*<", text)
        hers.force_login(sam)
        assert hers.get(reverse("entry", args=["insurance", pk])).status_code == 404
