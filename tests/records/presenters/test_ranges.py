"""Reference ranges of both versions, and whether a value is inside."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.presenters.datatypes import ranges
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.datatypes.ranges import Meaning, ReferenceRange, Side


def read(*sent):
    return ranges.read({"referenceRange": list(sent)})


def quantity(value, unit=None):
    return {"value": Decimal(str(value)), **({"unit": unit} if unit else {})}


class TestARange:
    def test_is_read_alike_from_both_versions(self):
        normal = {"coding": [{"system": "s", "code": "normal"}], "text": "Normal Range"}
        dstu2 = read({"low": quantity(4), "high": quantity(6), "meaning": normal})
        r4 = read({"low": quantity(4), "high": quantity(6), "type": normal})
        assert dstu2 == r4
        assert r4[0].meaning == Meaning.USUAL

    @pytest.mark.parametrize(
        ("text", "low", "high", "includes"),
        [
            ("4.0-5.6", "4.0", "5.6", (True, True)),
            ("4.0 – 5.6 %", "4.0", "5.6", (True, True)),  # noqa: RUF001
            ("(70 to 99) mg/dL", "70", "99", (True, True)),
            ("-2 - 2", "-2", "2", (True, True)),
            ("< 5.7", "", "5.7", (True, False)),
            ("<= 5.7 %", "", "5.7", (True, True)),
            ("up to 10", "", "10", (True, True)),
            ("less than 200 mg/dL", "", "200", (True, False)),
            (">=90", "90", "", (True, True)),
            ("> 60 mL/min/1.73m2", "60", "", (False, True)),
            ("150-400 10*3/uL", "150", "400", (True, True)),
        ],
    )
    def test_of_text_is_read_where_it_can_mean_one_thing(self, text, low, high, includes):
        found = read({"text": text})[0]
        assert (found.low.value, found.high.value) == (low, high)
        assert (found.includes_low, found.includes_high) == includes
        assert found.text == text

    @pytest.mark.parametrize(
        "text",
        [
            "4,0-5,6",
            "1,000-4,800",
            "M: 4-5 F: 3-4",
            "<1:80",
            "Negative",
            "5.6-4.0",
            "4-5 (H)",
            "2019-03-04",
            "1-2-3",
            "<",
        ],
    )
    def test_of_text_that_can_mean_more_stays_text(self, text):
        found = read({"text": text})[0]
        assert not found.is_numeric
        assert found.text == text

    def test_counts_its_numbers_before_its_text(self):
        found = read({"low": quantity(41, "%"), "high": quantity(53, "%"), "text": "40 - 54 %"})[0]
        assert (found.low.value, found.high.value) == ("41", "53")

    @pytest.mark.parametrize(
        ("code", "meaning", "words"),
        [
            ("luteal", Meaning.OTHER, "luteal"),
            ("pre-puberty", Meaning.OTHER, "pre-puberty"),
            ("255246003", Meaning.OTHER, ""),
            ("normal", Meaning.USUAL, ""),
            ("17621005", Meaning.USUAL, ""),
        ],
    )
    def test_named_by_a_code_alone_is_usual_only_where_the_code_says_so(self, code, meaning, words):
        sent = read({"low": quantity(4), "high": quantity(6), "type": {"coding": [{"code": code}]}})
        assert (sent[0].meaning, sent[0].words) == (meaning, words)
        assert ranges.usual(sent) == (sent[0] if meaning is Meaning.USUAL else None)

    def test_keeps_whom_it_is_for(self):
        found = read({"low": quantity(4), "appliesTo": [{"text": "female"}], "age": {"low": quantity(18, "a")}})[0]
        assert found.applies_to == ("female",)
        assert (found.age_from, found.age_to) == (18, None)

    def test_is_left_out_where_it_says_nothing(self):
        assert read({}, {"type": {"text": "Normal"}}, None, "x") == ()

    @pytest.mark.parametrize(
        "sent",
        [
            {"low": quantity(6), "high": quantity(4)},
            {"low": quantity(4, "mg/dL"), "high": quantity(6, "mmol/L")},
            {"low": {**quantity(4), "comparator": ">"}, "text": "above 4, mostly"},
        ],
    )
    def test_that_makes_no_sense_is_not_compared_with(self, sent):
        assert ranges.compare(Quantity("5"), read(sent)[0]) is None


class TestTheUsualRange:
    def test_is_the_only_one(self):
        assert ranges.usual(read({"low": quantity(4)})) == read({"low": quantity(4)})[0]

    def test_is_the_one_called_normal_beside_targets(self):
        target = {"high": quantity(7), "type": {"coding": [{"code": "treatment"}]}}
        own = {"high": quantity(9), "type": {"text": "Your goal"}}
        usual = ranges.usual(read(target, {"high": quantity(5)}, own))
        assert usual is not None
        assert usual.high.value == "5"

    def test_is_none_of_several_that_could_be_meant(self):
        assert ranges.usual(read({"high": quantity(5)}, {"high": quantity(6)})) is None

    def test_is_none_with_limits_that_cannot_be_checked(self):
        assert ranges.usual(read({"high": quantity(5), "appliesTo": [{"text": "male"}]})) is None
        assert ranges.usual(read({"high": quantity(5), "age": {"low": quantity(18, "a")}})) is None

    def test_is_the_one_for_the_age(self):
        child = {"high": quantity(5), "age": {"high": quantity(17, "a")}}
        adult = {"high": quantity(6), "age": {"low": quantity(18, "a")}}
        usual = ranges.usual(read(child, adult), age=40.5)
        assert usual is not None
        assert usual.high.value == "6"


class TestComparing:
    @pytest.mark.parametrize(
        ("value", "side"),
        [("3.9", Side.BELOW), ("4.0", Side.WITHIN), ("5.60", Side.WITHIN), ("5.61", Side.ABOVE), ("-1", Side.BELOW)],
    )
    def test_says_where_a_value_stands(self, value, side):
        assert ranges.compare(Quantity(value), read({"text": "4.0-5.6"})[0]) == side

    def test_minds_whether_the_bound_lies_within(self):
        assert ranges.compare(Quantity("5.7"), read({"text": "< 5.7"})[0]) == Side.ABOVE
        assert ranges.compare(Quantity("5.7"), read({"text": "<= 5.7"})[0]) == Side.WITHIN
        assert ranges.compare(Quantity("60"), read({"text": "> 60"})[0]) == Side.BELOW

    @pytest.mark.parametrize(
        ("text", "side"),
        [("up to 10", Side.WITHIN), ("10-20", Side.BELOW), ("3-10", Side.TOO_LOW), ("5-10", Side.BELOW)],
    )
    def test_is_certain_about_less_than_or_says_that_it_is_not(self, text, side):
        assert ranges.compare(Quantity("5", "<"), read({"text": text})[0]) == side

    @pytest.mark.parametrize(
        ("text", "side"), [(">= 60", Side.WITHIN), ("10-20", Side.ABOVE), ("3-90", Side.TOO_HIGH), ("3-60", Side.ABOVE)]
    )
    def test_is_certain_about_more_than_or_says_that_it_is_not(self, text, side):
        assert ranges.compare(Quantity("60", ">"), read({"text": text})[0]) == side

    @pytest.mark.parametrize(
        ("comparator", "text", "side"),
        [
            ("<", "< 10", Side.WITHIN), ("<", "up to 10", Side.WITHIN), ("<", "10-20", Side.BELOW),
            ("<", "> 10", Side.BELOW), ("<=", "< 10", Side.TOO_LOW), ("<=", "up to 10", Side.WITHIN),
            ("<=", "10-20", Side.TOO_LOW), ("<=", "> 10", Side.BELOW),
            (">", "> 10", Side.WITHIN), (">", ">= 10", Side.WITHIN), (">", "3-10", Side.ABOVE),
            (">", "< 10", Side.ABOVE), (">=", "> 10", Side.TOO_HIGH), (">=", ">= 10", Side.WITHIN),
            (">=", "3-10", Side.TOO_HIGH), (">=", "< 10", Side.ABOVE),
        ],
    )  # fmt: skip
    def test_that_begins_or_ends_where_a_value_does_counts_it_as_both_say(self, comparator, text, side):
        assert ranges.compare(Quantity("10", comparator), read({"text": text})[0]) == side

    def test_needs_the_same_unit(self):
        in_percent = read({"low": quantity(4, "%"), "high": quantity(6, "%")})[0]
        assert ranges.compare(Quantity("5", "", "%"), in_percent) == Side.WITHIN
        assert ranges.compare(Quantity("5", "", "mmol/mol"), in_percent) is None
        assert ranges.compare(Quantity("5"), in_percent) is None
        assert ranges.compare(Quantity("5", "", "%"), read({"text": "4-6"})[0]) == Side.WITHIN

    @given(st.text(max_size=40))
    def test_never_raises_for_any_text(self, text):
        for found in read({"text": text}):
            ranges.compare(Quantity("5"), found)

    @given(*[st.decimals(allow_nan=False, allow_infinity=False, places=3) for _ in range(3)])
    def test_agrees_with_arithmetic(self, value, one, other):
        low, high = sorted((one, other))
        wanted = ReferenceRange(Quantity(f"{low:f}"), Quantity(f"{high:f}"))
        side = Side.BELOW if value < low else Side.ABOVE if value > high else Side.WITHIN
        assert ranges.compare(Quantity(f"{value:f}"), wanted) == side
