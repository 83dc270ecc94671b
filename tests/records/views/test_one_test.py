"""The page of one test: its ranges, and its values over time."""

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.pages import page
from tests.records.people import allergy
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db


def entry_of(logical_id):
    return Record.objects.get(logical_id=logical_id)


class TestAResultWithSeveralRanges:
    def test_shows_each_and_judges_by_none(self, hers, connection):
        named = [
            {"low": {"value": 1}, "high": {"value": 2}, "type": {"coding": [{"code": "follicular"}]}},
            {"low": {"value": 7}, "high": {"value": 9}, "type": {"text": "Luteal phase"}},
        ]
        keep(connection, {**result(0), "referenceRange": named})
        text = page(hers, "entry", "results", entry_of("o0").pk)
        assert "Range from the lab: 1 to 2 (follicular); 7 to 9 (Luteal phase)." in text
        assert "the usual range" not in text

    def test_has_no_such_line_with_one_range(self, hers, connection):
        keep(connection, {**result(0), "referenceRange": [{"low": {"value": 1}, "high": {"value": 2}}]})
        assert "Range from the lab" not in page(hers, "entry", "results", entry_of("o0").pk)


class TestOneTestOverTime:
    def test_draws_and_lists_every_value(self, hers, connection, other):
        keep(connection, *(result(number, value=number + 0.5) for number in range(4)))
        keep(other, result(9, value=9.5), result(8, name="Potassium", code="2823-3"))
        record = Record.objects.filter(logical_id="o0").get()
        text = page(hers, "over_time", "results", record.pk)
        assert 'class="chart"' in text
        assert [value for value in ("0.5 mmol/L", "3.5 mmol/L", "9.5 mmol/L") if value not in text] == []
        assert "Potassium" not in text
        assert reverse("over_time", args=["results", record.pk]) in page(hers, "entry", "results", record.pk)

    @pytest.mark.parametrize(("subject", "code", "times"), [("results", "2823-3", 1), ("vitals", "8867-4", 0)])
    def test_says_of_results_that_a_care_team_may_not_have_seen_them(self, hers, connection, subject, code, times):
        keep(connection, *(result(number, name="Measured", code=code) for number in range(3)))
        text = page(hers, "over_time", subject, entry_of("o0").pk)
        assert text.count("You may be seeing this before your care team has.") == times
        assert text.count("Questions? Contact Harbor Family Practice.") == times

    def test_of_an_entry_that_is_no_measurement_is_not_found(self, hers, connection):
        keep(connection, allergy("a1"))
        for subject in ("results", "allergies"):
            assert hers.get(reverse("over_time", args=[subject, entry_of("a1").pk])).status_code == 404

    def test_draws_the_place_of_one_value_in_its_range(self, hers, connection):
        low, high = ({"value": value, "unit": "mmol/L"} for value in (3.5, 5.0))
        keep(connection, {**result(0), "referenceRange": [{"low": low, "high": high}]})
        text = page(hers, "entry", "results", entry_of("o0").pk)
        assert 'class="number-line"' in text
        assert "Above the usual range" in text
