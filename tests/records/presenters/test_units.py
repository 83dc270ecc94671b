"""Units are compared by meaning, written as readers know them, and converted only if that is exact."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.presenters.datatypes import quantities, units
from apps.records.presenters.datatypes.quantities import Quantity


class TestAUnit:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (("mmHg", ""), ("mm[Hg]", "mm[Hg]")),
            (("bpm", "{beats}/min"), ("/min", "/min")),
            (("mg/dl", ""), ("mg/dL", "mg/dL")),
            (("k/uL", ""), ("10^3/uL", "10*3/uL")),
            (("10E3/µL", ""), ("x10*3/uL", "")),
            (("°F", ""), ("degF", "[degF]")),
        ],
    )
    def test_is_the_same_however_it_is_spelled(self, one, other):
        assert units.key(*one) == units.key(*other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [("mg/dL", "mmol/L"), ("mmol/L", "meq/L"), ("mL/min", "mL/min/{1.73_m2}"), ("U/L", "[iU]/L"), ("%", "")],
    )
    def test_is_not_another_that_looks_like_it(self, one, other):
        assert units.key("", one) != units.key("", other)

    @pytest.mark.parametrize(
        ("unit", "shown"),
        [
            ("mm[Hg]", "mmHg"),
            ("Cel", "°C"),
            ("[degF]", "°F"),
            ("{score}", ""),
            ("10*3/uL", "10³/µL"),
            ("kg/m2", "kg/m²"),
            ("mL/min/{1.73_m2}", "mL/min/1.73 m²"),
            ("{breaths}/min", "breaths/min"),
            ("mg/dL", "mg/dL"),
            ("furlongs", "furlongs"),
        ],
    )
    def test_is_written_as_a_reader_knows_it(self, unit, shown):
        assert units.shown(unit, "") == shown


class TestConverting:
    @pytest.mark.parametrize(
        ("value", "source", "target", "expected"),
        [
            ("37.0", "Cel", "[degF]", "98.6"),
            ("98.6", "[degF]", "Cel", "37"),
            ("70", "kg", "[lb_av]", "154.323584"),
            ("1", "[in_i]", "cm", "2.54"),
            ("13.5", "g/dL", "g/L", "135"),
            ("250", "10*3/uL", "10*9/L", "250"),
            ("150000", "/uL", "10*3/uL", "150"),
            ("5.10", "mg/dL", "mg/dL", "5.10"),
        ],
    )
    def test_is_exact(self, value, source, target, expected):
        converted = units.convert(Decimal(value), source, target)
        assert converted == Decimal(expected)
        assert source != target or str(converted) == expected

    @pytest.mark.parametrize(
        ("source", "target"), [("mg/dL", "mmol/L"), ("meq/L", "mmol/L"), ("U/L", "[iU]/L"), ("kg", "cm"), ("", "kg")]
    )
    def test_is_refused_where_it_depends_on_what_was_measured(self, source, target):
        assert units.convert(Decimal(1), source, target) is None

    @given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**28), max_value=10**28))
    def test_never_raises(self, value):
        for source in ("[degF]", "mg/dL", "kg", "10*3/uL"):
            for target in ("Cel", "g/L", "[lb_av]", "/uL"):
                units.convert(value, source, target)

    def test_goes_between_all_units_of_one_axis_and_no_others(self):
        known = ["g/L", "mg/dL", "kg", "[lb_av]", "Cel", "[degF]", "%", "", "mass", "temperature"]
        for one in known:
            assert {other for other in known if units.axis(other) == units.axis(one)} == {
                other for other in known if units.convert(Decimal(1), one, other) is not None
            }


class TestAQuantity:
    def test_keeps_the_digits_as_sent(self):
        assert quantities.read({"value": Decimal("5.10"), "unit": "mg/dL"}) == Quantity("5.10", "", "mg/dL", "")

    def test_is_written_without_an_exponent(self):
        assert quantities.read({"value": Decimal("1.2E+3")}).value == "1200"
        assert quantities.read({"value": Decimal("1E-4")}).value == "0.0001"

    def test_keeps_the_code_of_ucum_alone(self):
        sent = {"value": 5, "unit": "mmol/L", "code": "mmol/L", "system": "http://unitsofmeasure.org/"}
        assert quantities.read(sent) == Quantity("5", "", "mmol/L", "mmol/L")
        assert quantities.read({**sent, "code": "258813002", "system": "http://snomed.info/sct"}).code == ""

    def test_shows_its_comparator_and_unit(self):
        sent = {"value": Decimal("0.50"), "comparator": "<", "code": "10*3/uL", "system": "http://unitsofmeasure.org"}
        assert quantities.read(sent).shown == "< 0.50 \N{MULTIPLICATION SIGN} 10³/µL"

    @pytest.mark.parametrize("sent", [{"value": 5, "comparator": "~"}, {"value": "five"}, {"value": True}, {}])
    def test_is_none_where_the_number_is_not_sure(self, sent):
        assert not quantities.read(sent)
