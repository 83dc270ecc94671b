"""The list of care plans, many of which have no name but that of their kind (patient experience 3.9)."""

import re

import pytest

from tests.records.pages import main
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db

SNOMED = "http://snomed.info/sct"


def plan(logical_id, **elements):
    """One that has no name."""
    return {
        "resourceType": "CarePlan",
        "id": logical_id,
        "status": "active",
        "intent": "plan",
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        **elements,
    }


def category(code, **display):
    return [{"coding": [{"system": SNOMED, "code": code, **display}]}]


def rows(client):
    found = re.findall(r'<a class="row-link".*?</a>', main(client, "subject", "plans"))
    return [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in found]


class TestAPlanWithoutAName:
    @pytest.mark.parametrize(
        ("elements", "said"),
        [
            ({"period": {"start": "2024-03-05"}}, "Since March 5, 2024"),
            ({"author": [{"display": "Dr. Ada Vale"}]}, "Dr. Ada Vale"),
            ({"category": category("736353004")}, "Care plan for a hospital stay"),
            ({"category": category("999999")}, "Provider's code 999999"),
            ({"activity": [{"detail": {"description": "Walk every day"}}]}, "Walk every day"),
            ({"addresses": [{"display": "Asthma"}]}, "Why: Asthma"),
            ({"goal": [{"display": "Breathe freely"}]}, "Goals: Breathe freely"),
        ],
    )
    def test_is_told_from_the_others_by_what_is_known_of_it(self, hers, sam, connection, elements, said):
        keep(connection, plan("c1"), plan("c2", **elements))
        one, other = rows(hers)
        assert one != other
        assert said in f"{one} {other}".replace("&#x27;", "'")
        hers.force_login(sam)
        assert rows(hers) == []

    def test_is_told_from_another_providers_by_whose_it_is(self, hers, connection, other):
        keep(connection, plan("c1"))
        keep(other, plan("c1"))
        assert len(set(rows(hers))) == 2

    def test_says_what_to_do_where_nothing_describes_it_and_no_more_than_three_things(self, hers, connection):
        walks = [{"detail": {"description": f"Walk {miles} miles"}} for miles in range(1, 6)]
        keep(connection, plan("c1", activity=walks), plan("c2", title="Plan", description="Get well", activity=walks))
        told, described = sorted(rows(hers), key=lambda row: "Get well" in row)
        assert "Walk 3 miles, and 2 more" in told
        assert "Walk" not in described
