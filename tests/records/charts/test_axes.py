"""Axes of charts: round numbers that include every value, and dates that do not overlap."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.charts import axes

NUMBERS = st.decimals(min_value=-axes.LARGEST, max_value=axes.LARGEST, allow_nan=False, allow_infinity=False)
MOMENTS = st.datetimes(timezones=st.just(UTC))


def axis(*values, bounds=(), widest="0"):
    return axes.vertical(
        [Decimal(str(value)) for value in values], [Decimal(str(each)) for each in bounds], Decimal(widest)
    )


class TestTheAxisOfValues:
    @given(st.lists(NUMBERS, min_size=1, max_size=6), st.lists(NUMBERS, max_size=4))
    def test_holds_every_value_between_three_to_five_ticks(self, values, bounds):
        found = axes.vertical(values, bounds, Decimal(0))
        assert 3 <= len(found.ticks) <= 5
        assert all(found.lowest <= value <= found.highest for value in (*values, *bounds))
        assert all(0 <= found.y(value) <= 100 for value in values)

    @given(st.lists(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e20, max_value=1e20), min_size=1))
    def test_never_raises_for_any_floats(self, values):
        axes.vertical([Decimal(value) for value in values], [], Decimal(0))

    @pytest.mark.parametrize(
        ("values", "labels"),
        [
            ((5.2, 6.1), ["5.0", "5.5", "6.0", "6.5"]),
            ((150000, 470000), ["100000", "200000", "300000", "400000", "500000"]),
            ((3, 3), ["2.6", "2.8", "3.0", "3.2", "3.4"]),
        ],
    )
    def test_has_round_numbers(self, values, labels):
        assert [tick.label for tick in axis(*values).ticks] == labels

    def test_makes_no_drama_of_a_wobble(self):
        found = axis("100", "101")
        assert found.highest - found.lowest >= 20

    def test_spans_more_than_the_range(self):
        found = axis("5.0", "5.1", bounds=("4.0", "5.6"), widest="1.6")
        assert found.highest - found.lowest >= Decimal("2.4")

    def test_of_what_is_never_negative_does_not_begin_below_zero(self):
        assert axis("0", "0.1").lowest == 0

    def test_of_equal_numbers_stands_in_the_middle(self):
        assert 0 < axis("-7", "-7", "-7").y(Decimal(-7)) < 100

    @pytest.mark.parametrize(
        ("value", "step", "label"),
        [
            ("2500000000", "1", "2.5*10⁹"),
            ("-12345678901", "1", "-1.23*10¹⁰"),
            ("0.0000000002", "1e-10", "2*10⁻¹⁰"),
            ("0", "1", "0"),
            ("450000", "50000", "450000"),
        ],
    )
    def test_writes_a_long_number_as_a_power_of_ten(self, value, step, label):
        assert axes.label(Decimal(value), Decimal(step)) == label.replace("*", "\N{MULTIPLICATION SIGN}")

    def test_draws_no_number_that_is_none_or_beyond_all_sense(self):
        assert not any(map(axes.is_drawable, (None, Decimal("NaN"), Decimal("Infinity"), Decimal("1e22"))))
        assert axes.is_drawable(Decimal("-1e20"))


class TestTheAxisOfTime:
    @given(MOMENTS, MOMENTS)
    def test_has_at_most_four_dates_that_lie_on_it_in_order(self, one, other):
        starts, ends = sorted((one, other))
        found = axes.horizontal(starts, ends)
        places = [tick.x for tick in found.ticks]
        assert len(places) <= 4
        assert places == sorted(places)
        assert all(0 <= place <= 100 for place in places)

    @pytest.mark.parametrize(
        ("days", "expected"),
        [
            (0, ["2026-03-03", "2026-03-04"]),
            (40, ["2026-03-04", "2026-04-13"]),
            (300, ["2026-04", "2026-11"]),
            (366 * 2, ["2026-06", "2027-10"]),
            (366 * 7, ["2028", "2030", "2032"]),
            (366 * 60, ["2040", "2060", "2080"]),
        ],
    )
    def test_names_days_months_or_years(self, days, expected):
        starts = datetime(2026, 3, 4, tzinfo=UTC)
        dates = [tick.date for tick in axes.horizontal(starts, starts + timedelta(days=days)).ticks]
        assert dates == expected
        assert len(dates) >= 2

    @given(st.integers(min_value=150, max_value=1090), MOMENTS.filter(lambda at: at.year < 9990))
    def test_keeps_the_names_of_months_apart(self, days, starts):
        ticks = axes.horizontal(starts, starts + timedelta(days=days)).ticks
        assert len(ticks) == 2
        assert ticks[1].x - ticks[0].x >= 40

    def test_is_true_to_time(self):
        starts = datetime(2020, 1, 1, tzinfo=UTC)
        found = axes.horizontal(starts, starts + timedelta(days=400))
        quarter = found.x(starts + timedelta(days=100)) - found.x(starts)
        assert quarter == pytest.approx((found.x(starts + timedelta(days=400)) - found.x(starts)) / 4, abs=0.02)
