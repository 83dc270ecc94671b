"""Vital signs, and blood pressure as one reading of two numbers."""

import pytest

from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.entry import Context
from apps.records.presenters.observations import results, vitals
from apps.records.presenters.observations.vitals import Vital
from tests.records.presenters import corpus

LOINC = "http://loinc.org"
MMHG = {"unit": "mmHg", "system": "http://unitsofmeasure.org", "code": "mm[Hg]"}
VITAL = {"coding": [{"system": "http://hl7.org/fhir/observation-category", "code": "vital-signs"}]}
MORNING = "2026-09-01T08:15:00-05:00"


def code(loinc):
    return {"coding": [{"system": LOINC, "code": loinc, "display": "A display"}]}


def number(loinc, value, **more):
    quantity = {"value": value, **MMHG}
    return {"resourceType": "Observation", "code": code(loinc), "valueQuantity": quantity, "status": "final", **more}


def pressure(loinc, *parts):
    return {"resourceType": "Observation", "id": "bp", "code": code(loinc), "component": list(parts), "category": VITAL}


def present(*resources):
    return [results.present(resource, Context()) for resource in resources]


class TestAVitalSign:
    @pytest.mark.parametrize("category", [VITAL, [VITAL], None])
    def test_is_known_by_its_category_or_its_code(self, category):
        assert vitals.is_vital({"code": code("8867-4"), "category": category})

    def test_of_another_code_needs_the_category(self):
        assert vitals.is_vital({"code": {"text": "Grip"}, "category": [VITAL]})
        assert not vitals.is_vital({"code": {"text": "Grip"}})
        assert not vitals.is_vital({"code": code("4548-4")})

    @pytest.mark.parametrize(
        ("loinc", "vital"),
        [
            ("85354-9", Vital.BLOOD_PRESSURE),
            ("55284-4", Vital.BLOOD_PRESSURE),
            ("8867-4", Vital.HEART_RATE),
            ("59408-5", Vital.OXYGEN),
            ("8331-1", Vital.TEMPERATURE),
            ("9279-1", Vital.BREATHING_RATE),
            ("3141-9", Vital.WEIGHT),
            ("8306-3", Vital.HEIGHT),
            ("39156-5", Vital.BMI),
            ("72514-3", Vital.PAIN),
            ("59576-9", Vital.GROWTH),
        ],
    )
    def test_has_its_kind(self, loinc, vital):
        assert vitals.vital_of(present(number(loinc, 1))[0]) == vital

    def test_of_another_kind_is_kept_among_the_others(self):
        grip, a1c = present({"code": {"text": "Grip"}, "category": [VITAL]}, number("4548-4", 6))
        assert vitals.vital_of(grip) == Vital.OTHER
        assert vitals.vital_of(a1c) is None


class TestBloodPressure:
    @pytest.mark.parametrize("loinc", ["85354-9", "55284-4"])
    def test_is_read_from_the_parts_of_either_version(self, loinc):
        entry = present(pressure(loinc, number("8462-4", 82), number("8480-6", 128)))[0]
        reading = vitals.blood_pressure(entry)
        assert reading is not None
        assert reading.shown == "128/82 mmHg"

    def test_of_one_number_says_that_one(self):
        reading = vitals.blood_pressure(present(pressure("85354-9", number("8480-6", 128)))[0])
        assert reading is not None
        assert not reading.is_whole
        assert reading.shown == "128 mmHg"

    def test_of_two_units_is_not_written_as_a_pair(self):
        lower = {**number("8462-4", 11), "valueQuantity": {"value": 11, "unit": "kPa"}}
        reading = vitals.blood_pressure(present(pressure("85354-9", number("8480-6", 128), lower))[0])
        assert reading is not None
        assert reading.shown == "128 mmHg / 11 kPa"

    def test_sent_in_halves_is_joined_at_the_same_moment(self):
        halves = present(
            number("8480-6", 128, effectiveDateTime=MORNING), number("8462-4", 82, effectiveDateTime=MORNING)
        )
        (reading,) = vitals.blood_pressures(halves)
        assert reading.shown == "128/82 mmHg"
        assert reading.entries == tuple(halves)

    @pytest.mark.parametrize("lower_at", ["2026-09-01T08:16:00-05:00", "2026-09-01"])
    def test_sent_in_halves_is_not_joined_by_guessing(self, lower_at):
        halves = present(
            number("8480-6", 128, effectiveDateTime=MORNING), number("8462-4", 82, effectiveDateTime=lower_at)
        )
        assert len(vitals.blood_pressures(halves)) == 2

    def test_sent_in_halves_is_not_joined_by_a_day_alone(self):
        day = "2026-09-01"
        halves = present(number("8480-6", 128, effectiveDateTime=day), number("8462-4", 82, effectiveDateTime=day))
        assert len(vitals.blood_pressures(halves)) == 2

    def test_sent_in_three_halves_of_one_moment_stays_apart(self):
        halves = [number(code, 100 + turn, effectiveDateTime=MORNING) for turn, code in enumerate(("8480-6",) * 2)]
        assert len(vitals.blood_pressures(present(*halves, number("8462-4", 82, effectiveDateTime=MORNING)))) == 3

    def test_is_none_where_there_is_no_number(self):
        assert vitals.blood_pressure(present(pressure("85354-9"))[0]) is None


class TestTheSecondUnit:
    @pytest.mark.parametrize(
        ("quantity", "second"),
        [
            (Quantity("70.5", "", "kg"), "155.4 lb"),
            (Quantity("172", "", "cm", "cm"), "5 ft 7.7 in"),
            (Quantity("182.8", "", "cm"), "6 ft 0.0 in"),
            (Quantity("37.0", "", "degC", "Cel"), "98.6 °F"),
            (Quantity("38", ">", "°C"), "> 100.4 °F"),
            (Quantity("150", "", "lb"), ""),
            (Quantity("5", "", "mg/dL"), ""),
            (Quantity("9" * 30, "", "kg"), ""),
            (Quantity(), ""),
        ],
    )
    def test_is_told_where_it_is_exact(self, quantity, second):
        assert vitals.second_unit(quantity) == second


class TestTheVitalSignsOfOthers:
    def test_hold_pairs_for_nearly_every_blood_pressure(self):
        sent = [each for each in corpus.of_type("Observation") if vitals.is_vital(each)]
        entries = [entry for entry in present(*sent) if vitals.vital_of(entry) == Vital.BLOOD_PRESSURE]
        whole = [reading for reading in vitals.blood_pressures(entries) if reading.is_whole]
        assert corpus.share(len(whole), len(entries)) >= 0.98
