"""Charts over time are true to what was sent, however many values there are and however odd they are."""

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from apps.records.charts import over_time, series, stretches, windows
from apps.records.charts.marks import Shape, drawing_of
from apps.records.charts.readings import Reading
from apps.records.charts.series import Series
from apps.records.charts.stretches import Each
from apps.records.charts.windows import Span
from tests.records.charts.observations import pressure, result, series_of, worded

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
ANY_NUMBER = st.decimals() | st.floats().map(Decimal) | st.decimals(min_value=-1000, max_value=1000, places=2)
BOUND = st.none() | ANY_NUMBER
READINGS = st.builds(
    Reading,
    at=st.datetimes(timezones=st.just(UTC)) | st.just(NOW),
    value=ANY_NUMBER,
    lower=st.none() | ANY_NUMBER,
    comparator=st.sampled_from(["", "", "<", ">="]),
    place=st.sampled_from(["", "within", "above", "far-below", "outside"]),
    low=BOUND,
    high=BOUND,
    provider=st.integers(0, 3),
    is_early=st.booleans(),
)


def draw(observed, span=Span.ALL):
    (found,) = series_of(observed)
    return drawn(found, span)


def drawn(found, span=Span.ALL):
    window = windows.chosen(windows.choices(found.readings, NOW), span)
    chart = over_time.draw(found, window) if window else None
    assert chart is not None
    return chart


def many(count, every=timedelta(days=1)):
    chance = random.Random(7)
    readings = [
        Reading(NOW - every * turn, Decimal(chance.randrange(40, 200)), low=Decimal(70), high=Decimal(140), place=place)
        for turn, place in ((turn, chance.choice(["within", "within", "above", "below"])) for turn in range(count))
    ]
    return Series(readings=tuple(reversed(readings)))


class TestAChart:
    def test_marks_each_value_by_shape(self):
        chart = draw([result(5, "2020"), result(6, "2021"), result(3, "2022"), result(5, "2023", wanted=None)])
        assert [mark.shape for mark in chart.marks] == [Shape.WITHIN, Shape.ABOVE, Shape.BELOW, Shape.UNPLACED]
        assert [mark.is_last for mark in chart.marks] == [False, False, False, True]
        assert [mark.x for mark in chart.marks] == sorted(mark.x for mark in chart.marks)
        assert chart.marks[1].y < chart.marks[0].y < chart.marks[2].y

    def test_draws_less_than_as_a_box_and_no_line_to_it(self):
        chart = draw([result(5, "2020"), result(6, "2021", comparator="<"), result(5, "2022"), result(5, "2023")])
        assert [mark.shape for mark in chart.marks].count(Shape.LESS) == 1
        assert len(chart.lines) == 1

    def test_dots_the_line_over_a_long_time_without_values(self):
        chart = draw(
            [result(5, "2020-01-01"), result(5, "2020-06-01"), result(5, "2022-06-01"), result(5, "2022-09-01")]
        )
        assert [line.is_dotted for line in chart.lines] == [False, True, False]

    def test_dots_a_line_of_more_than_18_months_though_it_is_the_only_one(self):
        assert [line.is_dotted for line in draw([result(5, "2020-01-01"), result(5, "2022-01-01")]).lines] == [True]

    def test_joins_no_two_providers_by_a_line(self):
        chart = draw([result(5, f"202{turn}", provider=("A", "B")[turn % 2]) for turn in range(4)])
        assert sorted((line.provider, line.x1 < line.x2) for line in chart.lines) == [(0, True), (1, True)]
        assert {mark.provider for mark in chart.marks} == {0, 1}

    def test_shades_one_band_with_both_edges(self):
        (band,) = draw([result(5, "2020"), result(6, "2021"), result(5, "2022")]).bands
        assert (band.x, band.width, band.has_top, band.has_bottom) == (0, 100, True, True)

    def test_shades_to_the_end_of_a_side_without_a_bound(self):
        (band,) = draw([result(5, "2020", wanted="< 5.7"), result(6, "2021", wanted="< 5.7")]).bands
        assert (band.has_top, band.has_bottom, band.bottom) == (True, False, 100)

    def test_steps_in_the_middle_between_values_of_two_ranges(self):
        chart = draw(
            [result(5, "2020"), result(6, "2021"), result(5, "2022", wanted="4-6"), result(5, "2023", wanted="4-6")]
        )
        assert len(chart.bands) == 2
        first, second = chart.bands
        assert first.right == second.x == pytest.approx((chart.marks[1].x + chart.marks[2].x) / 2, abs=0.02)

    def test_shades_none_of_three_ranges_and_says_so(self):
        chart = draw([result(5, f"202{turn}", wanted=f"4-{turn + 6}") for turn in range(3)])
        assert (chart.bands, chart.ranges_differ) == ((), True)

    @pytest.mark.parametrize(("count", "is_shaded"), [(7, True), (8, False)])
    def test_shades_none_that_change_from_one_range_to_the_other_more_than_six_times(self, count, is_shaded):
        values = [result(5, f"20{turn + 10}", wanted=("4-6", "4-8")[turn % 2]) for turn in range(count)]
        chart = draw(values)
        assert (len(chart.bands), chart.ranges_differ) == ((count, False) if is_shaded else (0, True))

    def test_shades_two_ranges_though_some_values_have_none(self):
        values = [result(5, f"202{turn}", wanted=wanted) for turn, wanted in enumerate(("4-6", None, "4-8", "4-8"))]
        chart = draw(values)
        assert (len(chart.bands), chart.ranges_differ) == (2, False)
        assert chart.bands[0].right < chart.bands[1].x

    def test_says_of_values_without_a_range_not_that_their_ranges_differ(self):
        chart = draw([result(5, "2020", wanted=None), result(6, "2021", wanted=None)])
        assert (chart.bands, chart.ranges_differ) == ((), False)

    def test_holds_words_on_the_strip(self):
        assert len(draw([result(5, "2020"), worded("Positive", "2021"), result(6, "2022")]).words) == 1

    def test_draws_a_blood_pressure_from_number_to_number(self):
        chart = drawn(series.of_pressures([pressure(120 + turn, 80, f"2026-0{turn}-01") for turn in range(1, 5)]))
        assert len(chart.strokes) == 4
        assert all(stroke.has_ends and stroke.y1 < stroke.y2 for stroke in chart.strokes)
        assert (chart.marks, chart.lines, chart.bands) == ((), (), ())

    def test_tells_whose_the_marks_are_of_those_who_have_some_in_it(self):
        values = [result(5, f"20{year}-10-01", provider="ABC"[year % 3]) for year in range(10, 27)]
        assert [key.provider for key in draw(values).keys] == ["C", ""]
        lately = [*values[:12], *(result(5, f"20{year}-11-01", provider="BC"[year % 2]) for year in range(22, 27))]
        assert [key.provider for key in draw(lately, Span.FIVE_YEARS).keys] == ["B", "C"]
        assert {mark.provider for mark in draw(lately, Span.FIVE_YEARS).marks} == {0, 1}
        alone = [*values[:12], *(result(5, f"20{year}-11-01", provider="B") for year in range(22, 27))]
        assert [key.provider for key in draw(alone, Span.FIVE_YEARS).keys] == ["B"]

    def test_tells_two_providers_apart_by_more_than_color(self):
        def drawn_of(wanted):
            values = [result(5, f"202{turn}", wanted=wanted, provider="AB"[turn % 2]) for turn in range(4)]
            shapes = {mark.provider: mark.shape for mark in draw(values).marks}
            return [drawing_of(shapes[number], is_second=bool(number)) for number in (0, 1)]

        assert drawn_of("4-6") == ["within", "within-second"]
        assert drawn_of(None) == ["unplaced", "unplaced-second"]

    def test_explains_each_provider_by_a_shape_of_its_own_marks(self):
        values = [result((5, 9)[turn % 2], f"202{turn}", provider="AB"[turn % 2]) for turn in range(4)]
        assert {key.provider: key.shape for key in draw(values).keys} == {"A": Shape.WITHIN, "B": Shape.ABOVE}

    def test_explains_its_marks_where_nobody_is_named(self):
        (key,) = drawn(Series(readings=(Reading(NOW, Decimal(5), place="within"),))).keys
        assert (key.provider, key.shape) == ("", Shape.WITHIN)

    def test_explains_no_mark_where_none_is_compared_with_anything(self):
        def explained(*wanted):
            values = [result(5, f"202{number}", wanted=each) for number, each in enumerate(wanted)]
            return list(draw(values).shapes)

        assert explained(None, None, None) == []
        assert explained(None, "4-6", None) == [Shape.WITHIN, Shape.UNPLACED]

    def test_gives_long_numbers_room(self):
        chart = draw([result(150000, "2020", wanted=None), result(480000, "2021", wanted=None)])
        assert chart.gutter > 20
        assert chart.width + chart.gutter == 97


class TestManyValues:
    @pytest.mark.parametrize(
        ("count", "every", "each"),
        [
            (120, timedelta(days=1), None),
            (121, timedelta(days=1), Each.WEEK),
            (900, timedelta(days=2), Each.MONTH),  # of five years
            (1200, timedelta(days=2), Each.QUARTER),
            (20000, timedelta(days=1), Each.YEAR),
        ],
    )
    def test_are_told_by_the_shortest_stretch_that_can_be_read(self, count, every, each):
        chart = drawn(many(count, every))
        assert (chart.each or None) == each
        assert len(chart.marks) <= 500

    def test_hide_neither_the_lowest_nor_the_highest_nor_what_lies_outside(self):
        found = many(900)
        each, parts = stretches.divided(found.readings)
        assert each == Each.MONTH
        values = [reading.value for reading in found.readings]
        assert min(part.lowest.value for part in parts if part.lowest) == min(values)
        assert max(part.highest.value for part in parts if part.highest) == max(values)
        assert parts[0].first == found.readings[0]
        assert parts[-1].last == found.readings[-1]
        assert sum(part.count for part in parts) == 900
        chart = drawn(found)
        assert min(stroke.y1 for stroke in chart.strokes) == min([mark.y for mark in chart.marks] + [100])
        assert {Shape.ABOVE, Shape.BELOW} <= {mark.shape for mark in chart.marks}

    def test_that_only_say_less_are_not_taken_for_numbers(self):
        found = many(200)
        odd = replace(found.readings[5], comparator="<", value=Decimal(1))
        _, parts = stretches.divided((*found.readings[:5], odd, *found.readings[6:]))
        assert min(part.lowest.value for part in parts if part.lowest) >= 40
        assert [part.less.value for part in parts if part.less] == [1]

    def test_of_all_ages_are_never_more_than_500_points(self):
        at = [datetime(1 + turn % 9000, 1 + turn % 12, 1, tzinfo=UTC) for turn in range(3000)]
        readings = tuple(Reading(each, Decimal(turn), place="above") for turn, each in enumerate(sorted(at)))
        chart = drawn(Series(readings=readings))
        assert chart.each == Each.STRETCH
        assert len(chart.marks) <= 500


class TestAWindow:
    def test_is_the_shortest_that_holds_three_values(self):
        (found,) = series_of([result(5, at) for at in ("2015", "2016", "2023", "2025-03", "2026-03-01", "2026-08-01")])
        choices = windows.choices(found.readings, NOW)
        assert [(window.span, window.count) for window in choices] == [(Span.FIVE_YEARS, 4), (Span.ALL, 6)]
        assert windows.chosen(choices, "") == choices[0]
        assert windows.chosen(choices, "all") == choices[1]
        assert windows.chosen(choices, "../etc") == choices[0]

    def test_holds_only_its_values(self):
        (found,) = series_of([result(5, f"{year}-10-01") for year in range(2012, 2027)])
        assert len(drawn(found, Span.FIVE_YEARS).marks) == 5

    def test_is_none_of_nothing(self):
        assert windows.chosen(windows.choices((), NOW), "") is None


class TestAnyReadings:
    @settings(deadline=None)
    @given(st.lists(READINGS, min_size=1, max_size=12))
    def test_never_raise_and_stay_on_the_plot(self, readings):
        found = Series(readings=tuple(sorted(readings, key=lambda each: each.at)))
        for window in windows.choices(found.readings, NOW):
            chart = over_time.draw(found, window)
            if chart is not None:
                assert all(0 <= mark.x <= 100 and 0 <= mark.y <= 100 for mark in chart.marks)
                assert all(0 <= band.x <= band.right <= 100 and band.bottom <= 100.02 for band in chart.bands)

    def test_too_large_to_draw_are_counted(self):
        chart = draw([result(5, "2020"), result("9" * 25, "2021"), result(6, "2022")])
        assert (len(chart.marks), chart.left_out) == (2, 1)
