"""A result has the goal for its test, if the provider who sent it has set one (patient experience 4.1)."""

import pytest
from django.urls import reverse

from apps.records.models import Record
from apps.records.presenters import goals
from apps.records.presenters.observations import values
from tests.records.linked import make_connection, make_endpoint
from tests.records.pages import main_of
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

USUAL = {"referenceRange": [{"low": {"value": 3, "unit": "mmol/L"}, "high": {"value": 5, "unit": "mmol/L"}}]}
SODIUM = {"coding": [{"system": "http://loinc.org", "code": "2951-2"}]}
BELOW_FOUR = {"value": 4, "comparator": "<", "unit": "mmol/L"}


def goal(logical_id="g1", *, measure=SODIUM, status="active", **detail):
    return {
        "resourceType": "Goal",
        "id": logical_id,
        "lifecycleStatus": status,
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "description": {"text": "Less salt"},
        "target": [{"measure": measure, **(detail or {"detailQuantity": BELOW_FOUR})}],
    }


def shown(client, logical_id="o0", ask=""):
    pk = Record.objects.get(logical_id=logical_id).pk
    return main_of(client.get(reverse("entry", args=["results", pk]) + ask))


class TestAGoalForAResult:
    def test_is_drawn_instead_of_the_usual_range(self, hers, sam, connection):
        keep(connection, {**result(0), **USUAL}, goal())
        text = shown(hers)
        assert f"Your goal from {connection.provider.name}: &lt; 4 mmol/L." in text
        assert "Above the usual range (3 to 5 mmol/L)." in text  # what the range says is no less true
        assert reverse("entry", args=["plans", Record.objects.get(logical_id="g1").pk]) in text
        assert "Show the usual range" in text
        hers.force_login(sam)
        pk = Record.objects.get(logical_id="o0").pk
        assert hers.get(reverse("entry", args=["results", pk])).status_code == 404

    def test_makes_room_for_the_range_on_request(self, hers, connection):
        keep(connection, {**result(0), **USUAL}, goal())
        text = shown(hers, ask="?range")
        assert "Your goal" not in text
        assert "Show your goal" in text

    def test_stands_where_no_range_was_sent(self, hers, connection):
        keep(connection, result(0), goal())
        text = shown(hers)
        assert "Your goal from" in text
        assert "Show the usual range" not in text

    @pytest.mark.parametrize(
        "others",
        [
            pytest.param([goal(status="completed")], id="one that is over"),
            pytest.param([goal(status="on-hold")], id="one that is paused"),
            pytest.param([goal(status="proposed")], id="one that is suggested"),
            pytest.param([goal(status="entered-in-error")], id="one recorded by mistake"),
            pytest.param([goal(measure={"text": "Something else"})], id="one for another test"),
            pytest.param([goal(measure={})], id="one for nothing"),
            pytest.param([goal(detailString="less")], id="one in words"),
            pytest.param([goal(detailQuantity={**BELOW_FOUR, "unit": "mg/dL"})], id="one in another unit"),
            pytest.param([goal(), goal("g2", detailQuantity={**BELOW_FOUR, "value": 5})], id="two that differ"),
        ],
    )
    def test_is_not(self, hers, connection, others):
        keep(connection, {**result(0), **USUAL}, *others)
        text = shown(hers)
        assert "Your goal" not in text
        assert "Above the usual range (3 to 5 mmol/L)." in text

    def test_is_not_one_of_another_provider(self, hers, alice, connection):
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        keep(connection, {**result(0), **USUAL})
        keep(other, goal())
        assert "Your goal" not in shown(hers)

    def test_that_the_provider_took_back_is_not(self, hers, connection):
        keep(connection, {**result(0), **USUAL}, goal())
        Record.objects.filter(logical_id="g1").delete()
        keep(connection)
        assert "Your goal" not in shown(hers)


class TestTheBoundsOfAGoal:
    @pytest.mark.parametrize(
        ("detail", "low", "high", "includes"),
        [
            ({"valueQuantity": {"value": 7, "unit": "%"}}, "7", "7", (True, True)),
            ({"valueQuantity": {"value": 7, "comparator": "<", "unit": "%"}}, "", "7", (True, False)),
            ({"valueQuantity": {"value": 7, "comparator": "<=", "unit": "%"}}, "", "7", (True, True)),
            ({"valueQuantity": {"value": 7, "comparator": ">", "unit": "%"}}, "7", "", (False, True)),
            ({"valueRange": {"low": {"value": 4}, "high": {"value": 6}}}, "4", "6", (True, True)),
            ({"valueRange": {"high": {"value": 6}}}, "", "6", (True, True)),
            ({"valueRange": {"low": {"value": 4}}}, "4", "", (True, True)),
        ],
    )
    def test_are_its_numbers(self, detail, low, high, includes):
        found = goals.bounds(values.read(detail))
        assert found is not None
        assert (found.low.value, found.high.value) == (low, high)
        assert (found.includes_low, found.includes_high) == includes
        assert not found.low.comparator
        assert not found.high.comparator

    @pytest.mark.parametrize(
        "detail",
        [
            {},
            {"valueString": "7"},
            {"valueBoolean": True},
            {"valueRange": {"low": {"value": 6}, "high": {"value": 4}}},
            {"valueRatio": {"numerator": {"value": 1}, "denominator": {"value": 2}}},
        ],
    )
    def test_are_none_without(self, detail):
        assert goals.bounds(values.read(detail)) is None
