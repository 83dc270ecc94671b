"""Whether the text of a dosage and its elements agree: amounts after conversion, and how often."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.dosing import amounts_in_text, disagreeing, dosages
from apps.records.presenters.dosing.timings import Timing

OTHERS: list[tuple[str, Any, str]] = [
    ("Take 10 mg by mouth", 100, "mg"),
    ("Take 10 mg for 10 days", 100, "mg"),
    ("take 1 g", 1, "mg"),
    ("take 1 g", 100, "mg"),
    ("100 mcg", 100, "mg"),
    ("0.5 mg", 5, "mg"),
    ("0,5 mg", 5, "mg"),
    ("1 tablet (500 mg)", 5000, "mg"),
    ("1-2 tablets", 20, "tablet"),
    ("Take 1 tablet", 20, "TAB"),
    ("Take one tablet", 10, "tablet"),
    ("Take 1 capsule", 10, "tablet"),
    ("½ tablet", 5, "tablet"),
    ("1/2 tablet", 2, "tablet"),
    ("Take one hundred mg", 1000, "mg"),
    ("1 tsp", 50, "mL"),
    ("Take 10 units", 100, "[iU]"),
    ("15 mg/kg", 150, "mg/kg"),
    ("Take 10 mg daily. Dispense 10 tablets", 100, "mg"),
    ("10 mg, Oral, Daily, 10 tab, 0 Refill(s)", 100, "mg"),
    ("1 tab, Oral, BID, 60 tab, 0 Refill(s)", 60, "tab"),
    ("Take 1 tablet, max 8 tablets a day", 8, "tablet"),
    ("Not more than 8 tablets a day", 80, "tablet"),
    ("10 mg twice daily, total 20 mg", 200, "mg"),
    ("Hydrocodone 5-325 mg", 50, "mg"),
    ("Augmentin 875/125 mg", 8750, "mg"),
    ("Take 5 mL (250 mg/5 mL)", 2500, "mg"),
    ("250 mg/2 mL, 4 mL", 50, "mg"),
    ("Take 10 tablets (10 mg each)", 10, "mg"),
    ("Take 10 tablets of 10 mg", 10, "mg"),
    ("Methotrexate 2.5 mg tablet: take 4 tablets", 2.5, "mg"),
    ("10 x 10 mg", 10, "mg"),
    ("Take 10 tablets", 1, ""),
    ("Take 1 tablet (10 mg)", 100, ""),
]
SAME: list[tuple[str, Any, str]] = [
    ("1 g", 1000, "mg"),
    ("100 mcg", "0.1", "mg"),
    ("100 \N{MICRO SIGN}g", 100, "ug"),
    ("1,000 mg every 12 hr", 1000, "mg"),
    ("500 mg to 1 g", 1000, "mg"),
    ("1.2 million units", 1200000, "U"),
    ("5,000 international units", 5000, "[IU]"),
    ("1 teaspoon", 5, "mL"),
    ("1 tablet (500 mg)", 500, "mg"),
    ("1 tablet (500 mg)", 1, "tablet"),
    ("Take 2 tablets (1,000 mg total)", 1000, "mg"),
    ("Take 2 tablets (500 mg)", 1000, "mg"),
    ("Take 2 x 500 mg tablets", 1000, "mg"),
    ("Take 2 (two) 500 mg tablets", 1000, "mg"),
    ("Take 2 tablets of metformin 500 mg", 1000, "mg"),
    ("metFORMIN 500 mg: Take two tablets twice daily", 1000, "mg"),
    ("Metformin 500 mg tablet, take 2 tablets", 1000, "mg"),
    ("Take 10 tablets (10 mg each)", 100, "mg"),
    ("20 mg = 1 tab, Oral, Daily, 30 tab, 0 Refill(s)", 20, "mg"),
    ("7.03 mg = 1.76 mL, IV Push", 1.76, "mL"),
    ("10 mL of 250 mg/5 mL", 500, "mg"),
    ("Vitamin B-12 1000 mcg daily", 1000, "mcg"),
    ("1-2 tablets", 1, "tablet"),
    ("1-2 tablets", 2, "tablet"),
    ("one and a half tablets", 1.5, "tablet"),
    ("1-1/2 tablet(s)", 1.5, "tablet"),
    ("½-1 tablet", 1, "tablet"),
    ("1/2 of a tablet", 0.5, "tab"),
    ("10 mg twice daily, total 20 mg", 10, "mg"),
    ("10 mg twice daily, total 20 mg", 20, "mg"),
    ("0.25 mg every 6 hours. Do not exceed more than 4 mg per day", 0.25, "mg"),
    ("from 3 mg/d, and then 10 mg/d, to 30 mg", 30, "mg"),
    ("1000 mg/m^2", 1000, "mg/m2"),
    ("1 puff", 1, "inhalation"),
    ("Take one tablet by mouth", 500, "mg"),
    ("500 mg twice daily", 1, ""),
    ("Dispense 10 tablets", 1, "tablet"),
    ("As directed", 1, "tablet"),
]
FREQUENCIES: list[tuple[str, dict[str, Any], bool]] = [
    ("once weekly", {"frequency": 1, "period": 1, "periodUnit": "d"}, True),
    ("every week", {"frequency": 1, "period": 1, "periodUnit": "d"}, True),
    ("twice daily", {"frequency": 1, "period": 2, "periodUnit": "d"}, True),
    ("every 6 hours", {"frequency": 1, "period": 1, "periodUnit": "d"}, True),
    ("three times a day", {"frequency": 2, "period": 1, "periodUnit": "d"}, True),
    ("every other day", {"frequency": 1, "period": 1, "periodUnit": "d"}, True),
    ("twice daily", {"frequency": 1, "period": 12, "periodUnit": "h"}, False),
    ("four times a day", {"period": 6, "periodUnit": "h"}, False),
    ("once weekly", {"frequency": 1, "period": 7, "periodUnit": "d"}, False),
    ("twice daily, then once daily", {"frequency": 1, "period": 1, "periodUnit": "d"}, False),
    ("every 4-6 hours", {"frequency": 1, "period": 4, "periodMax": 6, "periodUnit": "h"}, False),
    ("daily", {"frequency": 2, "period": 1, "periodUnit": "d"}, False),
]


def differs(text: str, value: Any, unit: str, **repeat: Any) -> bool:
    sent = {"text": text, "doseQuantity": {"value": value, "unit": unit}, "timing": {"repeat": repeat}}
    (dosage,) = dosages.read({"dosageInstruction": [sent]})
    return dosage.differs


class TestATextAndADose:
    @pytest.mark.parametrize(("text", "value", "unit"), OTHERS)
    def test_differ_where_no_number_of_the_text_is_the_dose(self, text, value, unit):
        assert differs(text, value, unit)

    @pytest.mark.parametrize(("text", "value", "unit"), SAME)
    def test_do_not_differ_where_they_may_mean_the_same(self, text, value, unit):
        assert not differs(text, value, unit)

    def test_differ_where_what_is_taken_several_times_is_the_total_of_the_day(self):
        twice = {"frequency": 2, "period": 1, "periodUnit": "d"}
        assert differs("10 mg twice daily, total 20 mg", 20, "mg", **twice)
        assert not differs("20 mg daily in 2 divided doses", 10, "mg", **twice)

    def test_differ_where_one_end_of_a_range_is_not_in_the_text(self):
        def told(low: int, high: int) -> bool:
            ends = {"low": {"value": low, "unit": "tablet"}, "high": {"value": high, "unit": "tablet"}}
            (dosage,) = dosages.read({"dosageInstruction": [{"text": "Take 1-2 tablets", "doseRange": ends}]})
            return dosage.differs

        assert told(1, 20)
        assert not told(1, 2)

    @given(
        st.decimals(min_value="0.01", max_value=900, places=2).filter(bool),
        st.sampled_from(
            [("mg", "mg"), ("g", "mg"), ("mcg", "ug"), ("tablets", "TAB"), ("mL", "ml"), ("units", "[iU]")]
        ),
        st.sampled_from(
            [
                "Take {} by mouth",
                "Take {} for 10 days",
                "{}, Oral, 10 tab, 10 Refill(s)",
                "Take {} every 10 hours. Dispense 100 tablets.",
                "Dispense 10. {} twice daily, total 10 drops",
                "10 days: {} at 10:00",
            ]
        ),
        st.sampled_from([Decimal("0.001"), Decimal("0.1"), Decimal(10), Decimal(100), Decimal(1000)]),
    )
    def test_are_never_silent_of_a_tenfold_dose(self, number, units, around, factor):
        written, sent = units
        scale = 1000 if written == "g" else 1
        text = around.format(f"{number} {written}")
        assert not differs(text, str(number * scale), sent)
        assert differs(text, f"{number * scale * factor:f}", sent)

    @given(st.text(alphabet="0123456789.,/-x( )mgtablektoruh½", max_size=60), st.integers(0, 10**6))
    def test_are_compared_whatever_they_are(self, text, value):
        assert differs(text, value, "mg") in {True, False}


class TestATextAndAFrequency:
    @pytest.mark.parametrize(("text", "repeat", "is_other"), FREQUENCIES)
    def test_differ_where_the_text_says_one_other(self, text, repeat, is_other):
        (dosage,) = dosages.read({"dosageInstruction": [{"text": text, "timing": {"repeat": repeat}}]})
        assert dosage.differs is is_other


class TestAmounts:
    def test_end_in_reasonable_time(self):
        text = "1" * 2000 + " 1-1/2 x" * 250
        assert len(amounts_in_text.found_in(amounts_in_text.plain(text))) <= 80

    def test_of_nothing_say_nothing(self):
        assert not disagreeing.differ("", Quantity("1"), Quantity(), Timing())
