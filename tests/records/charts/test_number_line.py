"""One value on a line beside its range."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.charts import number_line
from apps.records.charts.marks import Shape
from apps.records.presenters.datatypes import ranges
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.datatypes.ranges import ReferenceRange
from apps.records.presenters.observations.interpretations import Place

NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30)


def wanted(text):
    return ranges.read({"referenceRange": [{"text": text}]})[0]


def draw(value, text, place=Place.WITHIN, comparator="", named=()):
    return number_line.draw(Quantity(value, comparator), wanted(text), place, named)


class TestANumberLine:
    def test_shades_the_range_between_its_two_numbers(self):
        line = draw("5.1", "4.0-5.6")
        assert [tick.label for tick in line.ticks] == ["4.0", "5.6"]
        assert line.ticks[0].x == line.band_x
        assert line.ticks[1].x == pytest.approx(line.band_x + line.band_width, abs=0.02)
        assert line.band_x < line.x < line.band_x + line.band_width
        assert (line.shape, line.label, line.broken_at) == (Shape.WITHIN, "5.1", None)

    @pytest.mark.parametrize(
        ("value", "place", "shape"),
        [("6.1", Place.ABOVE, Shape.ABOVE), ("3.1", Place.FAR_BELOW, Shape.BELOW), ("9", Place.OUTSIDE, Shape.OUTSIDE)],
    )
    def test_says_by_its_shape_where_the_value_stands(self, value, place, shape):
        assert draw(value, "4.0-5.6", place).shape == shape

    def test_shades_to_the_open_end_of_a_range_with_one_side(self):
        line = draw("250", "< 200", Place.ABOVE)
        assert line.band_x == 0
        assert [tick.label for tick in line.ticks] == ["200"]
        line = draw("70", ">= 60")
        assert line.band_x + line.band_width == 100

    @pytest.mark.parametrize(("value", "broken"), [("31", 88.0), ("-30", 12.0), ("10.3", None), ("-0.7", None)])
    def test_breaks_for_a_value_more_than_three_widths_away(self, value, broken):
        line = draw(value, "4.0-5.6", Place.ABOVE)
        assert line.broken_at == broken
        if broken == 88.0:
            assert line.band_x + line.band_width < broken < line.x
        if broken == 12.0:
            assert line.x < broken < line.band_x

    def test_names_no_unit_that_would_run_off_the_page(self):
        for unit, label in (("mmol/L", "< 5.1 mmol/L"), ("millimoles of it in each liter", "< 5.1")):
            line = number_line.draw(Quantity("5.1", "<", unit), wanted("4.0-5.6"), Place.WITHIN, ())
            assert line is not None
            assert line.label == label

    def test_marks_less_than_at_its_bound_with_an_open_box(self):
        assert draw("5", "up to 10", Place.WITHIN, "<").shape == Shape.LESS

    def test_shows_the_labs_other_ranges_only_with_its_words(self):
        goal = ReferenceRange(high=Quantity("5.4"), words="Goal of the clinic", meaning="other")
        line = draw("5.1", "4.0-5.6", named=(goal, ReferenceRange(high=Quantity("5.3"))))
        assert [(tick.label, tick.words) for tick in line.named] == [("5.4", "Goal of the clinic")]

    @pytest.mark.parametrize(
        ("quantity", "text", "place"),
        [
            (Quantity(), "4-6", ""),
            (Quantity("5"), "Negative", ""),
            (Quantity("5", "<"), "3-10", Place.TOO_LOW),
            (Quantity("5", "", "%"), "4-6 mmol/mol", ""),
            (Quantity("5" + "0" * 25), "4-6", Place.ABOVE),
        ],
    )
    def test_is_not_drawn_where_it_would_not_be_true(self, quantity, text, place):
        assert number_line.draw(quantity, wanted(text), place) is None

    def test_is_not_drawn_without_a_range(self):
        assert number_line.draw(Quantity("5"), None, "") is None

    @given(NUMBERS, NUMBERS, NUMBERS, st.sampled_from(["", "<", ">", ">=", "<="]), st.booleans(), st.booleans())
    def test_never_raises_and_stays_on_the_line(self, value, one, other, comparator, has_low, has_high):
        low, high = sorted((one, other))
        sides = Quantity(f"{low:f}" if has_low else ""), Quantity(f"{high:f}" if has_high else "")
        line = number_line.draw(Quantity(f"{value:f}", comparator), ReferenceRange(*sides), "")
        if line is not None:
            assert 0 <= line.x <= 100
            assert 0 <= line.band_x <= line.band_x + line.band_width <= 100.01
            assert all(0 <= tick.x <= 100 for tick in line.ticks)

    def test_never_raises_for_equal_bounds(self):
        for value in ("0", "5", "-5"):
            assert number_line.draw(Quantity(value), ReferenceRange(Quantity("0"), Quantity("0")), "") is not None

    @given(NUMBERS)
    def test_never_places_a_value_within_beside_the_band(self, value):
        within = -1 <= value <= 1
        line = number_line.draw(Quantity(f"{value:f}"), ReferenceRange(Quantity("-1"), Quantity("1")), "")
        if line is not None and abs(abs(value) - 1) > Decimal("0.01"):
            assert (line.band_x <= line.x <= line.band_x + line.band_width) == within
