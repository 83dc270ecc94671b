"""Every type of value that an Observation can have, in either version."""

from decimal import Decimal
from typing import ClassVar

import pytest

from apps.records.charts import points
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.entry import Context
from apps.records.presenters.observations import results, values, vitals
from apps.records.presenters.observations.values import Absence, Kind
from apps.records.viewing.wording import values_in_words

REASON = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
REASON_URL = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"


class TestAValue:
    @pytest.mark.parametrize(
        ("sent", "kind"),
        [
            ({"valueQuantity": {"value": 5}}, Kind.QUANTITY),
            ({"valueCodeableConcept": {"text": "Positive"}}, Kind.CODED),
            ({"valueString": "seen twice"}, Kind.TEXT),
            ({"valueBoolean": False}, Kind.YES_OR_NO),
            ({"valueInteger": 3}, Kind.QUANTITY),
            ({"valueRange": {"low": {"value": 3}}}, Kind.RANGE),
            ({"valueRatio": {"numerator": {"value": 1}, "denominator": {"value": 80}}}, Kind.RATIO),
            ({"valueSampledData": {"origin": {"value": 0}, "data": "1 2 E 4"}}, Kind.SAMPLES),
            ({"valueTime": "08:30:00"}, Kind.TIME),
            ({"valueDateTime": "2019-03"}, Kind.MOMENT),
            ({"valuePeriod": {"start": "2019"}}, Kind.PERIOD),
            ({"valueAttachment": {"url": "Binary/1", "contentType": "image/png"}}, Kind.ATTACHMENT),
        ],
    )
    def test_is_read_whatever_its_type(self, sent, kind):
        value = values.read(sent)
        assert value.kind == kind
        assert value
        assert value.absence == ""

    def test_of_whole_numbers_is_a_quantity_without_a_unit(self):
        assert values.read({"valueInteger": 3}) == values.read({"valueQuantity": {"value": 3}})

    def test_coded_yes_is_what_a_boolean_is(self):
        sent = {"coding": [{"system": "http://hl7.org/fhir/v2/0136", "code": "Y", "display": "Yes"}]}
        assert values.read({"valueCodeableConcept": sent}) == values.read({"valueBoolean": True})

    def test_that_is_coded_says_its_display_and_keeps_its_codes(self):
        sent = {"coding": [{"system": "http://snomed.info/sct", "code": "260373001", "display": "Detected"}]}
        value = values.read({"valueCodeableConcept": sent})
        assert value.text == "Detected"
        assert value.codes[0].code == "260373001"

    def test_that_is_a_ratio_keeps_both_its_sides(self):
        value = values.read({"valueRatio": {"numerator": {"value": 1}, "denominator": {"value": 80}}})
        assert (value.quantity, value.until) == (Quantity("1"), Quantity("80"))

    def test_with_a_number_that_cannot_be_read_is_told_as_text(self):
        assert values.read({"valueQuantity": {"value": "1:80", "unit": "titer"}}).text == "1:80 titer"
        assert values.read({"valueQuantity": {"value": Decimal("5.0"), "comparator": "~"}}).text == "~ 5.0"

    def test_that_is_samples_is_counted_and_not_kept(self):
        assert values.read({"valueSampledData": {"data": "1 2 E 4"}}).samples == 4

    def test_of_samples_is_told_as_a_recording_and_never_by_where_zero_lies(self):
        value = values.read({"valueSampledData": {"origin": {"value": 2048, "unit": "mV"}, "data": "1 2 E 4"}})
        assert values_in_words.of_value(value) == "A recording of 4 values"

    def test_of_text_is_whole_however_long(self):
        said = "benign " * 2_000 + "but for one malignant part"
        assert values.read({"valueString": said}).text == said

    def test_that_is_empty_does_not_hide_another(self):
        assert values.read({"valueQuantity": {}, "valueString": "seen"}).text == "seen"


class TestAnAbsentValue:
    @pytest.mark.parametrize(
        ("code", "absence"),
        [
            ("unknown", Absence.UNKNOWN),
            ("asked", Absence.UNKNOWN),
            ("asked-declined", Absence.DECLINED),
            ("not-performed", Absence.NOT_DONE),
            ("error", Absence.FAILED),
            ("masked", Absence.HIDDEN),
            ("unsupported", Absence.NOT_GIVEN),
            ("made-up", Absence.NOT_GIVEN),
        ],
    )
    def test_says_why(self, code, absence):
        value = values.read({"dataAbsentReason": {"coding": [{"system": REASON, "code": code}]}})
        assert value.absence == absence
        assert not value

    def test_says_why_within_the_value(self):
        sent = {"valueQuantity": {"extension": [{"url": REASON_URL, "valueCode": "masked"}]}}
        assert values.read(sent).absence == Absence.HIDDEN

    def test_says_why_beside_the_value(self):
        sent = {"_valueString": {"extension": [{"url": REASON_URL, "valueCode": "unknown"}]}}
        assert values.read(sent).absence == Absence.UNKNOWN

    def test_without_a_reason_is_not_given(self):
        assert values.read({}).absence == Absence.NOT_GIVEN

    @pytest.mark.parametrize(
        ("reason", "told"),
        [
            ({"text": "Specimen hemolyzed"}, "No value given: “Specimen hemolyzed”"),
            ({"coding": [{"code": "HEM", "display": "Hemolyzed"}]}, "No value given: “Hemolyzed”"),
            ({"coding": [{"code": "HEM"}]}, "No value given"),
            ({"coding": [{"system": REASON, "code": "error"}], "text": "Clotted"},
             "The test could not be completed: “Clotted”"),
            ({"coding": [{"system": REASON, "code": "not-performed"}], "text": "Not Performed"}, "Not done"),
            ({"coding": [{"system": REASON, "code": "unknown", "display": "Unk."}], "text": "unk."}, "Not known"),
            ({"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v3-NullFlavor", "code": "MSK"}]},
             "Hidden by the provider"),
        ],
    )  # fmt: skip
    def test_says_why_in_its_providers_words_where_they_say_more(self, reason, told):
        assert values_in_words.of_value(values.read({"dataAbsentReason": reason})) == told


class TestAValueOfWhichItsProviderSaysThatThereIsNone:
    SENT: ClassVar = {
        "valueQuantity": {"value": 9, "unit": "mmol/L"},
        "dataAbsentReason": {"coding": [{"system": REASON, "code": "error"}]},
        "referenceRange": [{"high": {"value": 5, "unit": "mmol/L"}}],
    }

    def test_is_told_with_that(self):
        said = "9 mmol/L. The provider also sent: The test could not be completed"
        assert values_in_words.of_value(values.read(self.SENT)) == said

    def test_is_not_compared_or_drawn(self):
        entry = results.present({"resourceType": "Observation", "status": "final", **self.SENT}, Context())
        assert (entry.place, entry.value.number, points.shown(entry.value)) == ("", None, "")
        assert points.of(entry)[0].number is None

    def test_is_no_blood_pressure(self):
        code = {"coding": [{"system": "http://loinc.org", "code": "8480-6"}]}
        upper = {**self.SENT, "code": code}
        assert (
            vitals.blood_pressure(results.present({"resourceType": "Observation", "component": [upper]}, Context()))
            is None
        )

    @pytest.mark.parametrize("reason", [{}, {"coding": []}, {"coding": [{"code": "as-text"}]}, "error"])
    def test_is_one_as_any_other_where_nothing_is_said_or_that_it_is_text(self, reason):
        assert values.read({"valueString": "seen", "dataAbsentReason": reason}) == values.read({"valueString": "seen"})


class TestAnAttachment:
    def test_is_described_without_its_content(self):
        sent = {"contentType": "application/pdf", "title": "Scan", "data": "QUJD", "size": 3, "creation": "2019"}
        found = values.attachment(sent)
        assert found == values.Attachment("Scan", "application/pdf", "", "2019", 3, has_content=True)
        assert "QUJD" not in repr(found)

    def test_is_none_without_anything_to_open(self):
        assert not values.attachment({"title": "Scan", "data": 5, "size": "big"})


class TestAPart:
    @pytest.mark.parametrize(
        ("title", "told"), [("Battery", "Battery: Yes"), ("Are you safe?", "Are you safe? Yes"), ("", "Yes")]
    )
    def test_is_told_under_its_name_with_one_mark_between(self, title, told):
        assert values_in_words.of_part(title, values.read({"valueBoolean": True})) == told


class TestATimeOfDay:
    @pytest.mark.parametrize(
        ("sent", "told"),
        [
            ("22:30:00", "10:30 p.m."),
            ("08:30:00.250", "8:30 a.m."),
            ("06:00", "6 a.m."),
            ("24:00:00", "24:00:00"),
            ("22", "22"),
            ("at bedtime", "at bedtime"),
        ],
    )
    def test_is_told_as_a_clock_time_where_it_is_one(self, sent, told):
        assert values_in_words.of_value(values.read({"valueTime": sent})) == told


class TestARange:
    @pytest.mark.parametrize(
        ("value", "told"),
        [
            ({"low": {"value": 3, "unit": "mg"}}, "≥ 3 mg"),
            ({"high": {"value": 3, "unit": "mg"}}, "≤ 3 mg"),
            ({"low": {"value": 3}, "high": {"value": "about 5"}}, "3 - about 5"),
            ({"low": {"value": 3}, "high": {"value": 5}}, "3 to 5"),
        ],
    )
    def test_is_told_with_both_its_ends(self, value, told):
        assert values_in_words.of_value(values.read({"valueRange": value})) == told

    def test_of_a_ratio_that_cannot_be_read_is_told_as_it_was_sent(self):
        ratio = {"numerator": {"value": 1}, "denominator": {"value": "over 80"}}
        assert values_in_words.of_value(values.read({"valueRatio": ratio})) == "1 : over 80"

    def test_of_two_amounts_is_one_over_the_other_and_a_titer_is_none(self):
        rate = {"numerator": {"value": 5, "unit": "mg"}, "denominator": {"value": 2, "unit": "h"}}
        titer = {"numerator": {"value": 1}, "denominator": {"value": 80}}
        told = [values_in_words.of_value(values.read({"valueRatio": ratio})) for ratio in (rate, titer)]
        assert told == ["5 mg / 2 h", "1:80"]

    def test_that_is_a_time_has_its_clock(self):
        night = {"start": "2024-02-01T22:00:00-05:00", "end": "2024-02-02T06:15:00-05:00"}
        told = values_in_words.of_value(values.read({"valuePeriod": night})).replace("\N{NO-BREAK SPACE}", " ")
        assert told == "February 1, 2024, 10 p.m. to February 2, 2024, 6:15 a.m."
