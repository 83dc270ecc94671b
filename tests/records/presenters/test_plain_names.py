"""Plain names by LOINC code."""

import pytest
from django.utils import translation

from apps.records.presenters import plain_names
from apps.records.presenters.entry import Code
from apps.records.presenters.plain_names import NAMES

LOINC = "http://loinc.org"
CODES = [code for name in NAMES for code in name.loinc]


class TestThePlainNames:
    def test_name_every_code_once(self):
        assert len(CODES) == len(set(CODES))
        assert len({name.key for name in NAMES}) == len(NAMES)

    @pytest.mark.parametrize("code", CODES)
    def test_hold_codes_with_a_valid_check_digit(self, code):
        number, digit = code.split("-")
        doubled = [int(each) * (2 if place % 2 == 0 else 1) for place, each in enumerate(reversed(number))]
        assert (10 - sum(each // 10 + each % 10 for each in doubled) % 10) % 10 == int(digit)

    def test_never_judge(self):
        with translation.override("en"):
            said = " ".join(str(name.words) for name in NAMES).lower()
        assert not {"bad", "good", "normal", "abnormal", "high", "low"} & set(said.replace(",", "").split())


class TestANameForCodings:
    def test_is_found_beside_codes_of_others(self):
        named = plain_names.of((Code("urn:local", "77"), Code(LOINC, "4548-4")))
        assert named is not None
        assert str(named.words) == "Average blood sugar, 3 months"

    def test_is_found_for_two_codes_of_the_same_thing(self):
        assert plain_names.of((Code(LOINC, "29463-7"), Code("https://loinc.org/", "3141-9"))) is not None

    def test_is_none_where_two_codes_mean_different_things(self):
        assert plain_names.of((Code(LOINC, "29463-7"), Code(LOINC, "8302-2"))) is None

    def test_is_none_for_the_same_digits_of_another_system(self):
        assert plain_names.of((Code("urn:local", "4548-4"),)) is None

    def test_is_none_for_a_code_that_we_do_not_know(self):
        assert plain_names.of((Code(LOINC, "58941-6"),)) is None


class TestAWordThatAPersonTypes:
    @pytest.mark.parametrize(
        ("words", "key"), [("lipid PANEL", "lipids"), ("hba1c", "a1c"), (" blood  sugar", "glucose")]
    )
    def test_finds_the_name_by_either_side(self, words, key):
        assert key in {name.key for name in plain_names.meant_by(words)}

    def test_finds_nothing_when_it_is_empty(self):
        assert plain_names.meant_by("  ") == plain_names.meant_by(" a ") == ()
