"""The values of one test over time: grouped by unit, each judged by its own range, and all of them in the table."""

from decimal import Decimal

import pytest

from apps.records.charts import points, series
from apps.records.presenters.observations.results import Status
from apps.records.presenters.observations.values import Value
from tests.effort import at_most
from tests.records.charts.observations import pressure, result, series_of, worded


class TestASeries:
    def test_is_drawn_oldest_first_and_told_newest_first(self):
        (found,) = series_of([result(6.1, "2026-09-01"), result(5.2, "2019"), result(5.5, "2020-03")])
        assert [float(each.value) for each in found.readings] == [5.2, 5.5, 6.1]
        assert [row.shown for row in found.rows] == ["6.1 %", "5.5 %", "5.2 %"]

    def test_places_a_year_and_a_month_in_their_middle(self):
        (found,) = series_of([result(5, "2019"), result(6, "2020-03")])
        assert [f"{each.at:%Y-%m-%d}" for each in found.readings] == ["2019-07-02", "2020-03-15"]

    def test_judges_each_value_by_its_own_range(self):
        (found,) = series_of([result(5.7, "2020"), result(5.7, "2021", wanted="4.0-6.0")])
        assert [each.place for each in found.readings] == ["above", "within"]
        assert [each.range for each in found.readings] == [
            (Decimal("4.0"), Decimal("5.6")),
            (Decimal("4.0"), Decimal("6.0")),
        ]

    def test_never_mixes_units_that_do_not_convert(self):
        found = series_of([result(5.5, "2020"), result(37, "2021", unit="mmol/mol"), result(5.6, "2022")])
        assert [(each.unit, len(each.readings)) for each in found] == [("%", 2), ("mmol/mol", 1)]

    def test_takes_no_longer_for_each_unit_the_more_there_are(self):
        sent = [result(number, "2020", unit=f"u{number}") for number in range(3000)]
        with at_most(million_steps=100):
            assert len(series_of(sent)) == 3000

    def test_converts_what_is_exact_and_says_so_with_its_range(self):
        older = result(135, "2020", unit="g/L", wanted="120-160 g/L")
        (found,) = series_of([older, result("13.0", "2021", unit="g/dL", wanted=None)])
        assert [each.value for each in found.readings] == [Decimal("13.5"), Decimal("13.0")]
        assert found.readings[0].range == (Decimal(12), Decimal(16))
        assert [(row.shown, row.converted) for row in found.rows] == [("13.0 g/dL", ""), ("135 g/L", "13.5 g/dL")]

    def test_keeps_every_value_in_the_table_that_cannot_be_drawn(self):
        undated = result(5, "sometime")
        (found,) = series_of([worded("Positive", "2020"), undated, result(6, "2021")])
        assert [row.shown for row in found.rows] == ["6 %", "Positive", "5 %"]
        assert [row.year for row in found.rows] == ["2021", "2020", ""]
        assert [each.words for each in found.worded] == ["Positive"]
        assert len(found.readings) == 1

    def test_of_words_alone_is_a_table_alone(self):
        (found,) = series_of([worded("Positive", "2020"), worded("Negative", "2021")])
        assert (len(found.rows), found.readings, found.worded) == (2, (), ())

    def test_leaves_out_what_was_entered_in_error_and_tells_no_value_of_a_canceled_test(self):
        gone = result(9, "2019", status="entered-in-error")
        (found,) = series_of([gone, result(8, "2020", status="cancelled"), result(5, "2021", status="preliminary")])
        assert [row.shown for row in found.rows] == ["5 %", ""]
        assert [each.is_early for each in found.readings] == [True]
        assert found.rows[1].status == Status.CANCELED

    def test_tells_the_very_same_of_two_providers_once(self):
        (found,) = series_of([result(5, "2021-02-03"), result(5, "2021-02-03", provider="Heron Clinic")])
        assert [row.providers for row in found.rows] == [("Tarn Hospital", "Heron Clinic")]
        assert len(found.readings) == 1

    def test_names_a_provider_once_for_what_it_sent_in_two_ways_and_the_way_of_what_came_in_one(self):
        (found,) = series_of(
            [result(5, "2021-02-03", way="R4"), result(5, "2021-02-03", way="DSTU2"), result(6, "2022", way="R4")]
        )
        assert [row.providers for row in found.rows] == [("Tarn Hospital (R4)",), ("Tarn Hospital",)]
        assert found.providers == ("Tarn Hospital",)
        assert {each.provider for each in found.readings} == {0}

    def test_keeps_both_where_two_providers_differ_or_one_repeats_itself(self):
        (found,) = series_of([result(5, "2021"), result(5.1, "2021", provider="Heron Clinic"), result(5, "2021")])
        assert len(found.rows) == 3
        assert found.providers == ("Tarn Hospital", "Heron Clinic")
        assert {each.provider for each in found.readings} == {0, 1}

    def test_is_none_of_nothing(self):
        assert series_of([]) == ()


class TestTheLatestComparedWithTheOneBefore:
    @pytest.mark.parametrize(("latest", "compared"), [(6, "higher"), (5, "same"), ("5.00", "same"), (4, "lower")])
    def test_is_higher_lower_or_the_same(self, latest, compared):
        (found,) = series_of([result(5, "2020"), result(latest, "2021")])
        assert found.compared == compared

    def test_is_compared_in_one_unit(self):
        (found,) = series_of([result(135, "2020", unit="g/L"), result(13, "2021", unit="g/dL")])
        assert found.compared == "lower"

    def test_is_not_compared_where_it_is_not_certain(self):
        (found,) = series_of([result(5, "2020"), result(4, "2021", comparator="<")])
        assert found.compared == ""
        (found,) = series_of([result(5, "2020"), worded("Positive", "2021")])
        assert found.compared == ""
        (found,) = series_of([result(5, "2020")])
        assert found.compared == ""


class TestBloodPressures:
    def test_have_two_numbers_a_reading(self):
        found = series.of_pressures([pressure(128, 82, "2026-01-02"), pressure(118, 76, "2026-02-02")])
        assert [(str(each.value), str(each.lower)) for each in found.readings] == [("128", "82"), ("118", "76")]
        assert [row.shown for row in found.rows] == ["118/76 mmHg", "128/82 mmHg"]
        assert (found.unit, found.compared) == ("mmHg", "")

    def test_of_one_number_are_told_and_not_drawn(self):
        found = series.of_pressures([pressure(128, None, "2026-01-02")])
        assert [row.shown for row in found.rows] == ["128 mmHg"]
        assert found.readings == ()

    def test_that_two_sent_alike_are_one(self):
        twice = [pressure(128, 82, "2026-01-02", way=way) for way in ("R4", "DSTU2")]
        found = series.of_pressures([*twice, pressure(118, 76, "2026-02-02", provider="Heron Clinic")])
        assert [row.providers for row in found.rows] == [("Heron Clinic",), ("Tarn Hospital",)]
        drawn = [(str(each.value), found.providers[each.provider]) for each in found.readings]
        assert drawn == [("128", "Tarn Hospital"), ("118", "Heron Clinic")]


class TestAValueShown:
    def test_is_as_sent(self):
        entry = result(
            0, "2020", valueQuantity=None, valueRatio={"numerator": {"value": 1}, "denominator": {"value": 80}}
        )
        assert points.shown(entry.entry.value) == "1:80"
        entry = result(
            0, "2020", valueQuantity=None, valueRange={"low": {"value": 3}, "high": {"value": 5, "unit": "mm"}}
        )
        assert points.shown(entry.entry.value) == "3 \N{EN DASH} 5 mm"
        assert points.shown(Value()) == ""
