"""How a medicine is taken, from both versions, in the provider's words or in a sentence made from the elements."""

from typing import Any

import pytest
from django.utils import translation
from hypothesis import given
from msgspec.structs import replace

from apps.records.presenters.datatypes.lengths import Span
from apps.records.presenters.dosing import dosage_words, dosages, timings
from apps.records.presenters.dosing.dosages import Dosage
from apps.records.presenters.dosing.timings import Moment, Timing, Weekday
from apps.records.presenters.entry import Context, Entry
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

ORAL = {"coding": [{"code": "26643006", "display": "Oral route"}]}
THRICE = {"frequency": 3, "period": 1}
DSTU2 = {
    "additionalInstructions": {"text": "With food"},
    "timing": {"repeat": {**THRICE, "periodUnits": "d", "when": "PCM", "boundsQuantity": {"value": 5, "unit": "days"}}},
    "asNeededCodeableConcept": {"text": "pain"},
    "siteCodeableConcept": {"text": "Mouth"},
    "route": ORAL,
    "doseRange": {"low": {"value": 1, "unit": "tablet"}, "high": {"value": 2, "unit": "tablet"}},
    "rateRatio": {"numerator": {"value": 80, "unit": "mg"}, "denominator": {"value": 60, "unit": "min"}},
    "maxDosePerPeriod": {"numerator": {"value": 6, "unit": "tablets"}, "denominator": {"value": 1, "unit": "d"}},
}
R4 = {
    **{name: sent for name, sent in DSTU2.items() if name in {"asNeededCodeableConcept", "route", "maxDosePerPeriod"}},
    "additionalInstruction": [{"text": "With food"}],
    "timing": {
        "repeat": {**THRICE, "periodUnit": "d", "when": ["PCM"], "boundsDuration": {"value": 5, "unit": "days"}}
    },
    "site": {"text": "Mouth"},
    "doseAndRate": [
        {"type": {"coding": [{"code": "calculated"}]}, "doseQuantity": {"value": 9}},
        {
            "type": {"coding": [{"code": "ordered"}]},
            "doseRange": DSTU2["doseRange"],
            "rateRatio": DSTU2["rateRatio"],
        },
    ],
}


def read(**sent: Any) -> Dosage:
    (dosage,) = dosages.read({"dosageInstruction": [sent]})
    return dosage


def dose(value: Any, unit: str = "tablet", **sent: Any) -> dict[str, Any]:
    return {"doseQuantity": {"value": value, "unit": unit}, **sent}


def timing(**repeat: Any) -> dict[str, Any]:
    return {"timing": {"repeat": repeat}}


class TestADosageOfEitherVersion:
    def test_is_the_same(self):
        assert read(**DSTU2) == read(**R4)

    def test_has_its_parts(self):
        dosage = read(**R4)
        assert (dosage.dose.shown, dosage.dose_to.shown) == ("1 tablet", "2 tablet")
        assert (dosage.instructions, dosage.site, dosage.route) == (("With food",), "Mouth", "Oral route")
        assert (dosage.is_as_needed, dosage.as_needed_for) == (True, "pain")
        assert (dosage.rate, dosage.maximum) == ("80 mg / 60 min", "6 tablets / 1 d")
        assert dosage.timing.moments == (Moment.AFTER_BREAKFAST,)
        assert dosage.timing.lasts.shown == "5 days"

    def test_is_read_from_a_statement_as_well(self):
        old = dosages.read({"dosage": [{"text": "5ml", "quantityQuantity": {"value": 5, "unit": "mL"}}]})
        new = dosages.read({"dosage": [{"text": "5ml", "doseAndRate": [{"doseQuantity": {"value": 5, "unit": "mL"}}]}]})
        assert old == new

    def test_may_be_a_text_alone(self):
        told = dosages.read({"dosageInstruction": ["One a day", {"text": "with food"}], "dosage": "or two"})
        assert [dosage.text for dosage in told] == ["One a day", "with food", "or two"]

    @pytest.mark.parametrize(
        ("denominator", "maximum"),
        [
            ({"value": 1, "unit": "d"}, "4 g / 1 d"), ({"unit": "d"}, "4 g / d"), ({"code": "d"}, "4 g / d"),
            (None, "4 g"), ({}, "4 g"), ({"system": "http://unitsofmeasure.org"}, ""),
        ],
    )  # fmt: skip
    def test_names_what_its_most_is_of_also_without_a_number(self, denominator, maximum):
        """4 g a day is not 4 g."""
        most = {"numerator": {"value": 4, "unit": "g"}, "denominator": denominator}
        assert read(text="as needed", maxDosePerPeriod=most).maximum == maximum

    def test_tells_what_it_has_besides(self):
        unread = read(text="One a day", taperedBy="1 tablet", _text={"extension": []}).unread
        assert [said for said in unread if "1 tablet" in said] == list(unread) != []

    def test_stands_in_its_sequence(self):
        sent = [{"sequence": 2, "text": "then one"}, {"sequence": 1, "text": "first two"}, {}, None]
        assert [dosage.text for dosage in dosages.read({"dosageInstruction": sent})] == ["first two", "then one"]

    @pytest.mark.parametrize(("code", "shown"), [("415215001", "2 puff"), ("258684004", "2 mg"), ("1", "2")])
    def test_knows_the_numbers_of_usual_units(self, code, shown):
        assert read(doseQuantity={"value": 2, "code": code, "system": "http://snomed.info/sct"}).dose.shown == shown

    def test_takes_no_unknown_concept_for_a_unit_that_is_missing(self):
        """Five milliliters of a suspension would be five tablets."""
        sent = {"doseQuantity": {"value": 5, "code": "282379002"}, **timing(frequency=1, period=1, periodUnit="d")}
        (told,) = dosages.read({"dosageInstruction": [sent]}, form="Tablet")
        assert not told.dose
        lines = dosage_words.lines(told)
        assert lines[0] == "Once a day"
        assert "282379002" in lines[-1]
        assert not any("tablet" in line for line in lines)

    @given(
        odd(
            "dosageInstruction", "dosage", "text", "timing", "repeat", "doseAndRate", "doseQuantity", "doseRange",
            "rateRatio", "route", "asNeededBoolean", "asNeededCodeableConcept", "sequence", "frequency", "periodUnit",
            "maxDosePerPeriod", "numerator", "denominator", "value", "unit",
        )
    )  # fmt: skip
    def test_never_raises_and_can_always_be_shelved_and_said(self, content):
        def present(resource: Any, context: Context) -> Entry:
            return Entry(said=tuple(line for dosage in dosages.read(resource) for line in dosage_words.lines(dosage)))

        shelved(present, content)


class TestATiming:
    @pytest.mark.parametrize("code", [{"text": "BID"}, {"coding": [{"code": "BID"}], "text": "two daily"}])
    def test_takes_its_code_before_a_structure_that_says_something_else(self, code):
        found = timings.read({"code": code, "repeat": {"frequency": 1, "period": 1, "periodUnit": "d"}})
        assert found == Timing(frequency="2", period="1", span=Span.DAY, bounds=found.bounds)

    @pytest.mark.parametrize(
        ("code", "words"),
        [
            ("QD", "once daily"),
            ("QD", "1 (one) time each day"),
            ("BID", "twice a day"),
            ("BID", "two times a day at institution specified times"),
            ("Q6H", "every 6 hr"),
            ("QOD", "every other day"),
            ("BED", "at bedtime"),
        ],
    )
    def test_says_nothing_twice_where_words_are_the_usual_ones_of_the_code(self, code, words):
        coded = {"coding": [{"system": "urn:x", "code": code}]}
        assert timings.read({"code": {**coded, "text": words}}) == timings.read({"code": coded})

    @pytest.mark.parametrize(
        ("code", "words"),
        [
            ("QD", "once weekly"),
            ("QD", "every other day"),
            ("BID", "2 times a day after meals"),
            ("BID", "every 12 hours"),
            ("PM", "in the evening"),
        ],
    )
    @pytest.mark.parametrize("place", ["text", "display"])
    def test_keeps_both_the_words_and_the_code_where_the_words_say_something_else(self, code, words, place):
        coding = {"system": "urn:x", "code": code} | ({"display": words} if place == "display" else {})
        found = timings.read({"code": {"coding": [coding], **({"text": words} if place == "text" else {})}})
        assert (found.said, found.frequency, found.moments) == (words, "", ())
        assert any(code in part for part in found.unread)

    def test_keeps_both_of_two_codes(self):
        found = timings.read({"code": {"coding": [{"code": "QD"}, {"code": "BID"}]}})
        assert found.said == "BID"
        assert any("QD" in part for part in found.unread)

    def test_keeps_a_structure_that_says_something_else_than_its_code(self):
        found = timings.read({"code": {"text": "BID"}, "repeat": {"frequency": 4, "period": 1, "periodUnit": "d"}})
        assert (found.frequency, found.unread) == ("2", ("Frequency 4", "Period 1", "Period unit d"))

    def test_keeps_what_is_no_time_and_no_event(self):
        found = timings.read({"event": [{"at": "x"}], "repeat": {"timeOfDay": ["noonish"]}, "later": 3})
        assert found.unread == ("Event: At x", "Later 3", "Time of day noonish")

    def test_keeps_the_words_of_a_code_it_does_not_know(self):
        found = timings.read(
            {"code": {"text": "with dialysis"}, "repeat": {"frequency": 1, "period": 1, "periodUnit": "d"}}
        )
        assert (found.said, found.frequency) == ("with dialysis", "")

    @pytest.mark.parametrize("code", ["AM", "BED"])
    def test_knows_the_times_of_day_among_the_codes(self, code):
        found = timings.read({"code": {"coding": [{"code": code}]}})
        assert found.moments == ({"AM": Moment.MORNING, "BED": Moment.BEDTIME}[code],)

    def test_reads_days_and_times(self):
        found = timings.read({"repeat": {"dayOfWeek": ["mon", "fri", "someday"], "timeOfDay": ["09:00:00"]}})
        assert (found.weekdays, found.times_of_day) == ((Weekday.MONDAY, Weekday.FRIDAY), ("09:00",))

    @pytest.mark.parametrize(
        ("repeat", "sent"),
        [
            ({"frequency": "two", "period": 1}, "Frequency two; Period 1; Period unit h"),
            ({"frequency": 0, "period": 1}, "Frequency 0; Period 1; Period unit h"),
            ({"frequency": 1, "frequencyMax": "3-4", "period": 1},
             "Frequency 1; Frequency max 3-4; Period 1; Period unit h"),
            ({"period": 4, "periodMax": "six"}, "Period 4; Period max six; Period unit h"),
        ],
    )  # fmt: skip
    def test_says_no_half_of_how_often(self, repeat, sent):
        dosage = read(**dose(1, **timing(**repeat, periodUnit="h", when=["HS"])))
        assert dosage_words.lines(dosage) == ("Take 1 tablet at bedtime", f"Also sent: {sent}")


class TestASentence:
    @pytest.mark.parametrize(
        ("sent", "sentence"),
        [
            (dose(1, **timing(frequency=1, period=1, periodUnit="d")), "Take 1 tablet once a day"),
            (dose(2, **timing(frequency=3, period=1, periodUnit="d")), "Take 2 tablets 3 times a day"),
            (dose("5.0", "mg", route=ORAL, **timing(frequency=1, period=6, periodUnit="h")), "Take 5 mg every 6 hours"),
            (dose(".5", "mL", **timing(frequency=2, period=3, periodUnit="d")), "0.5 mL, 2 times every 3 days"),
            (dose(15, "U", **timing(when=["ACD"])), "15 units, before lunch"),
            (dose(100, "mcg", **timing(frequency=2, period=1, periodUnit="d")), "100 micrograms, 2 times a day"),
            (dose(1, route={"text": "Rectal"}, **timing(when=["HS"])), "1 tablet, at bedtime"),
            (dose(2, "CAP", **timing(when=["C"])), "Take 2 capsules with meals"),
            (dose(1, **timing(period=4, periodMax=6, periodUnit="h")), "Take 1 tablet every 4 to 6 hours"),
            (timing(frequency=1, frequencyMax=2, period=1, periodUnit="wk"), "1 to 2 times a week"),
            (dose(1, **timing(when=["MORN", "HS"])), "Take 1 tablet in the morning and at bedtime"),
            (dose(1, **timing(timeOfDay=["09:00:00"], dayOfWeek=["mon"])), "Take 1 tablet at 9 a.m. on Monday"),
            (dose(1, timing={"code": {"text": "every 12 hr"}}), "Take 1 tablet every 12 hr"),
            (dose(1, ""), "1 at a time"),
            (dose(1), "Take 1 tablet"),
            ({"doseQuantity": {"value": 2, "comparator": "<", "unit": "tablet"}}, "Take < 2 tablet"),
            (timing(frequency=1, period=1, periodUnit="d"), "Once a day"),
            (timing(frequency=1, period=4), ""),
        ],
    )  # fmt: skip
    def test_says_what_was_sent_and_no_more(self, sent, sentence):
        assert dosage_words.sentence(read(**sent)) == sentence

    def test_is_of_every_such_day_in_spanish(self):
        with translation.override("es"):
            said = dosage_words.sentence(read(**dose(1, **timing(dayOfWeek=["mon", "sat"]))))
        assert said == "Tome 1 tableta los días lunes y sábado"

    @pytest.mark.parametrize(
        ("times", "told"),
        [
            (["01:00:00", "09:00:00"], "a la 1:00 a.\N{NO-BREAK SPACE}m. y 9:00 a.\N{NO-BREAK SPACE}m."),
            (["13:00:00"], "a la 1:00 p.\N{NO-BREAK SPACE}m."),
            (["09:00:00"], "a las 9:00 a.\N{NO-BREAK SPACE}m."),
        ],
    )
    def test_tells_one_o_clock_in_spanish_as_people_say_it(self, times, told):
        with translation.override("es"):
            assert dosage_words.sentence(read(**dose(1, **timing(timeOfDay=times)))) == f"Tome 1 tableta {told}"

    def test_takes_a_form_for_the_unit_that_is_missing(self):
        assert dosage_words.sentence(replace(read(**dose(1, "", route=ORAL)), form="Tablet")) == "Take 1 tablet"

    def test_says_a_range(self):
        assert dosage_words.sentence(read(**R4)) == "Take 1 to 2 tablets 3 times a day after breakfast"

    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ({"asNeededCodeableConcept": {"text": "pain"}}, "Only when needed: pain"),
            ({"asNeededBoolean": True}, "Only when needed"),
            ({"asNeededBoolean": False, "text": "Daily"}, ""),
        ],
    )
    def test_says_that_it_is_for_need_alone(self, sent, said):
        assert dosage_words.when_needed(read(**sent)) == said


class TestTextAndParts:
    @pytest.mark.parametrize(
        "sent",
        [
            dose(2, text="Take 1 tablet by mouth"),
            dose(5, "mg", text="Take 10 mg daily"),
            {"doseRange": {"low": {"value": 2, "unit": "tablet"}}, "text": "Take 1 tablet"},
            dose(1, text="1 tab three times a day", **timing(frequency=2, period=1, periodUnit="d")),
        ],
    )
    def test_differ_where_they_plainly_say_different_numbers(self, sent):
        assert read(**sent).differs

    @pytest.mark.parametrize(
        "sent",
        [
            dose(6, "mg", text="Take 3 tablets (6mg) once daily", **timing(frequency=1, period=1, periodUnit="d")),
            dose(1000, "mg", text="Take 2 x 500 mg tablets"),
            dose(1000, "mg", text="1,000 mg every 12 hr"),
            dose(2, text="Take two tablets"),
            dose(1, text="Take 1-2 tablets"),
            dose(500, "mg", text="Take 1 tablet"),
            dose(1, text="1 tab, Oral, BID, 60 tab", timing={"code": {"text": "BID"}, "repeat": {"frequency": 1}}),
            dose(1),
            {"doseRange": {"low": {"value": 1, "unit": "tablet"}}, "text": "Take 2 tablets"},
            {"doseRange": {"high": {"value": 2, "unit": "tablet"}}, "text": "Take 1 tablet"},
            dose(
                1, text="Take 1 tablet twice daily", **timing(frequency=1, frequencyMax="2x", period=1, periodUnit="d")
            ),
            {"text": "As directed"},
        ],
    )
    def test_do_not_differ_where_they_may_mean_the_same(self, sent):
        assert not read(**sent).differs

    def test_hardly_ever_differ_in_the_data_of_others(self):
        types = ("MedicationOrder", "MedicationRequest", "MedicationStatement", "MedicationDispense")
        read_all = [dosage for resource in corpus.of_type(*types) for dosage in dosages.read(resource)]
        assert corpus.share(len([dosage for dosage in read_all if dosage.differs]), len(read_all)) < 0.05
