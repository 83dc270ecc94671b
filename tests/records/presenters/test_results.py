"""An Observation of either version becomes one entry, whatever its value, and both versions of one fact are equal."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings

from apps.records.presenters.entry import NOT_GIVEN, Context
from apps.records.presenters.observations import results
from apps.records.presenters.observations.interpretations import Place
from apps.records.presenters.observations.results import Category, Group, Judge, ResultEntry, Status
from tests.records.presenters import corpus, oddities

LOINC = "http://loinc.org"
UCUM = "http://unitsofmeasure.org"
A1C = {"coding": [{"system": LOINC, "code": "4548-4", "display": "Hemoglobin A1c"}], "text": "HbA1c"}
PERCENT = {"unit": "%", "system": UCUM, "code": "%"}

COMMON = {
    "resourceType": "Observation",
    "id": "a1c-1",
    "code": A1C,
    "subject": {"reference": "Patient/wren"},
    "effectiveDateTime": "2026-09-01T08:15:00-05:00",
    "issued": "2026-09-02T10:00:00-05:00",
    "performer": [{"display": "Tarn Laboratory"}],
    "valueQuantity": {"value": Decimal("6.10"), **PERCENT},
    "method": {"text": "HPLC"},
    "specimen": {"reference": "Specimen/blood"},
    "bodySite": {"text": "Left arm"},
}
DSTU2 = {
    **COMMON,
    "status": "amended",
    "category": {"coding": [{"system": "http://hl7.org/fhir/observation-category", "code": "laboratory"}]},
    "interpretation": {"coding": [{"system": "http://hl7.org/fhir/v2/0078", "code": "H"}]},
    "comments": "Repeat in spring.",
    "referenceRange": [
        {
            "low": {"value": Decimal("4.0"), **PERCENT},
            "high": {"value": Decimal("5.6"), **PERCENT},
            "meaning": {"coding": [{"system": "http://hl7.org/fhir/referencerange-meaning", "code": "normal"}]},
        }
    ],
    "related": [
        {"type": "has-member", "target": {"reference": "Observation/part"}},
        {"type": "derived-from", "target": {"reference": "Observation/source"}},
    ],
}
R4 = {
    **COMMON,
    "status": "corrected",
    "category": [
        {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/observation-category", "code": "laboratory"}]}
    ],
    "interpretation": [
        {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation", "code": "H"}]}
    ],
    "note": [{"text": "Repeat in spring."}],
    "referenceRange": [
        {
            "low": {"value": Decimal("4.0"), **PERCENT},
            "high": {"value": Decimal("5.6"), **PERCENT},
            "type": {
                "coding": [{"system": "http://terminology.hl7.org/CodeSystem/referencerange-meaning", "code": "normal"}]
            },
        }
    ],
    "hasMember": [{"reference": "https://fhir.tarn.example/r4/Observation/part"}],
    "derivedFrom": [{"reference": "Observation/source/_history/2"}],
}
BLOOD = {"resourceType": "Specimen", "id": "blood", "type": {"text": "Venous blood"}}
CONTEXT = Context(others={"Specimen/blood": BLOOD}, root="https://fhir.tarn.example/r4")
NAMES = (
    "code", "status", "category", "valueQuantity", "valueCodeableConcept", "valueRange", "valueRatio", "valueString",
    "valueSampledData", "valueAttachment", "valuePeriod", "referenceRange", "interpretation", "component", "related",
    "hasMember", "target", "type", "note", "comments", "performer", "specimen", "method", "bodySite", "issued",
    "effectiveDateTime", "effectivePeriod", "dataAbsentReason", "age", "appliesTo", "meaning", "numerator",
)  # fmt: skip


class TestAResultOfEitherVersion:
    @pytest.mark.conformance("C58")
    def test_is_presented_alike(self):
        assert results.present(DSTU2, CONTEXT) == results.present(R4, CONTEXT)

    def test_says_what_was_sent(self):
        entry = results.present(R4, CONTEXT)
        assert entry.title == "HbA1c"
        assert entry.value.quantity.shown == "6.10 %"
        assert entry.when.starts == "2026-09-01T08:15:00-05:00"
        assert entry.when.means == "collected"
        assert entry.reported.starts == "2026-09-02T10:00:00-05:00"
        assert (entry.status, entry.group) == (Status.CORRECTED, Group.REPORTED)
        assert (entry.place, entry.place_by) == (Place.ABOVE, Judge.LAB)
        assert (entry.people, entry.said) == (("Tarn Laboratory",), ("Repeat in spring.",))
        assert (entry.method, entry.specimen, entry.body_site) == ("HPLC", "Venous blood", "Left arm")
        assert entry.members == ("Observation/part",)
        assert (entry.category, entry.test) == (Category.LABORATORY, "loinc:4548-4")

    @pytest.mark.parametrize(
        ("code", "status", "group"),
        [
            ("registered", Status.ORDERED, Group.AWAITED),
            ("preliminary", Status.EARLY, Group.REPORTED),
            ("final", Status.FINAL, Group.REPORTED),
            ("cancelled", Status.CANCELED, Group.CANCELED),
            ("unknown", NOT_GIVEN, NOT_GIVEN),
            ("splendid", NOT_GIVEN, NOT_GIVEN),
        ],
    )
    def test_has_a_status_of_ours(self, code, status, group):
        entry = results.present({**R4, "status": code}, CONTEXT)
        assert (entry.status, entry.group) == (status, group)

    @pytest.mark.conformance("C61")
    def test_entered_in_error_says_nothing_else(self):
        entry = results.present({**R4, "status": "entered-in-error"}, CONTEXT)
        assert entry == ResultEntry(resource_type="Observation", logical_id="a1c-1", is_withdrawn=True)

    def test_of_one_date_only_takes_the_date_it_was_reported(self):
        entry = results.present({name: value for name, value in R4.items() if name != "effectiveDateTime"}, CONTEXT)
        assert (entry.when.means, entry.when.starts) == ("reported", R4["issued"])


class TestThePlaceOfAValue:
    def test_is_ours_where_the_lab_says_none(self):
        entry = results.present({**R4, "interpretation": []}, CONTEXT)
        assert (entry.place, entry.place_by) == (Place.ABOVE, Judge.OURS)

    def test_is_the_labs_though_its_range_says_otherwise(self):
        sent = [{"coding": [{"system": "http://hl7.org/fhir/v2/0078", "code": "N"}]}]
        entry = results.present({**R4, "interpretation": sent}, CONTEXT)
        assert (entry.place, entry.place_by) == (Place.WITHIN, Judge.LAB)

    def test_is_not_ours_where_the_lab_uses_words_of_its_own(self):
        entry = results.present({**R4, "interpretation": [{"text": "see comment"}]}, CONTEXT)
        assert (entry.place, entry.place_by, entry.place_words) == ("", "", ("see comment",))

    def test_is_none_in_another_unit_than_the_range(self):
        sent = {**R4, "interpretation": None, "valueQuantity": {"value": 43, "unit": "mmol/mol"}}
        assert results.present(sent, CONTEXT).place == ""

    def test_is_none_without_a_range(self):
        sent = {**R4, "interpretation": None, "referenceRange": []}
        assert results.present(sent, CONTEXT).place == ""

    def test_counts_a_range_for_an_age_where_the_age_is_known(self):
        bounds = {"high": {"value": 5, **PERCENT}, "age": {"low": {"value": 18, "code": "a"}}}
        sent = {**R4, "interpretation": None, "referenceRange": [bounds]}
        assert results.present(sent, Context()).place == ""
        assert results.present(sent, Context(birth_date=date(1984, 3, 9))).place == Place.ABOVE
        assert results.present(sent, Context(birth_date=date(2020, 3, 9))).place == ""

    def test_is_not_made_up_for_what_is_no_number(self):
        sent = {name: value for name, value in R4.items() if name not in {"valueQuantity", "interpretation"}}
        assert results.present({**sent, "valueString": "5.0"}, CONTEXT).place == ""


class TestWhatResultsAreComparedUnder:
    def test_is_the_loinc_code_among_others(self):
        codes = [{"system": "urn:local", "code": "7"}, {"system": "http://loinc.org/", "code": "4548-4"}]
        assert results.present({"code": {"coding": codes}, "valueString": "x"}, Context()).test == "loinc:4548-4"

    def test_is_a_code_that_is_none_of_loinc_only_within_its_own_system(self):
        """Two laboratories number their tests alike, and one may use the numbers of LOINC for others."""
        systems = ["urn:one", "urn:other", LOINC]
        told = [
            results.present({"code": {"coding": [{"system": system, "code": "2951-2"}]}}, Context()).test
            for system in systems
        ]
        assert told == ["urn:one|2951-2", "urn:other|2951-2", "loinc:2951-2"]
        codes = [{"system": "urn:one", "code": "7"}, {"system": LOINC, "code": "99999-9"}]
        assert results.present({"code": {"coding": codes}}, Context()).test == "loinc:99999-9"

    def test_is_the_code_that_we_have_a_name_for_of_several(self):
        codes = [{"system": LOINC, "code": "3137-7"}, {"system": LOINC, "code": "8302-2"}]
        assert results.present({"code": {"coding": codes}, "valueString": "x"}, Context()).test == "loinc:8302-2"

    @pytest.mark.parametrize(("dstu2", "r4"), [("55284-4", "85354-9"), ("3141-9", "29463-7")])
    def test_is_one_for_the_codes_that_the_versions_use_for_the_same(self, dstu2, r4):
        one, other = (
            results.present({"code": {"coding": [{"system": LOINC, "code": code}]}, "valueString": "x"}, Context())
            for code in (dstu2, r4)
        )
        assert one.test == other.test

    def test_is_the_words_where_there_is_no_code(self):
        one = results.present({"code": {"text": "Odd  TEST"}, "valueString": "x"}, Context())
        other = results.present({"code": {"text": "odd test"}, "valueString": "x"}, Context())
        assert one.test == other.test == "odd test"

    def test_tells_two_long_questions_apart_that_begin_alike(self):
        asked = "In the past year, have you or any family members you live with been unable to get what you need? " * 2
        food, care = (results.present({"code": {"text": f"{asked}{of}"}}, Context()).test for of in ("Food", "Care"))
        assert food != care
        assert len(food) == len(care) <= 120


class TestTheParts:
    def test_of_a_result_are_read_with_their_own_ranges(self):
        part = {"code": {"text": "Part"}, "valueQuantity": {"value": 9}, "referenceRange": [{"text": "< 5"}]}
        entry = results.present({"code": {"text": "Whole"}, "component": [part]}, Context())
        assert entry.components[0].place == Place.ABOVE
        assert not entry.says_nothing

    def test_that_are_missing_with_the_value_are_said_to_be(self):
        assert results.present({"code": {"text": "Empty"}}, Context()).says_nothing

    def test_measured_by_the_patient_are_of_home(self):
        entry = results.present({**R4, "performer": [{"reference": "Patient/wren", "display": "Wren"}]}, CONTEXT)
        assert entry.at_home
        assert entry.people == ()

    @pytest.mark.parametrize("kind", ["survey", "social-history", "sdoh"])
    @pytest.mark.parametrize("listed", [list, lambda concept: concept[0]], ids=["r4", "dstu2"])
    def test_are_not_measured_where_the_patient_answered(self, kind, listed):
        category = listed([{"coding": [{"code": kind}]}])
        sent = {**R4, "category": category, "performer": [{"reference": "Patient/wren"}]}
        assert not results.present(sent, CONTEXT).at_home


def concept(text="", system="", code="", display=""):
    return {"text": text, "coding": [{"system": system, "code": code, "display": display}]}


SNOMED = "http://snomed.info/sct"
SETTING = "http://hl7.org/fhir/us/vitals/StructureDefinition/MeasurementSettingExt"
HOME = {"system": SNOMED, "code": "264362003", "display": "Dwelling"}


@pytest.mark.parametrize("sent", [R4, DSTU2], ids=["r4", "dstu2"])
class TestWhatIsMeasuredAtHome:
    @pytest.mark.parametrize(
        "said",
        [
            {"method": concept("Home blood pressure monitoring")},
            {"method": concept(display="Home")},
            {"method": concept("Taken at home by the patient")},
            {"method": concept("Glucómetro en casa")},
            {"method": concept("SMBP", SNOMED, "413153004")},
            {"category": [concept("Home monitoring", "urn:lab", "HM")]},
            {"category": concept(display="Measured at home")},
            {"device": {"display": "Home blood pressure cuff"}},
            {"code": concept("Mean", SNOMED, "413606001")},
            {"component": [{"code": concept("Mean", SNOMED, "413605002")}]},
            {"extension": [{"url": SETTING, "valueCodeableConcept": {"coding": [HOME]}}]},
            {"extension": [{"url": SETTING, "valueCoding": HOME}]},
        ],
    )
    def test_says_so_by_its_method(self, sent, said):
        assert results.present({**sent, **said}, CONTEXT).at_home

    @pytest.mark.parametrize(
        "said",
        [
            {},
            {"method": concept("Measured at nursing home")},
            {"method": concept("Nursing home measurement")},
            {"method": concept("Taken in the clinic, not at home")},
            {"method": concept("Homogeneous assay")},
            {"method": concept("SMBP", "urn:lab", "413153004")},
            {"category": [concept("Home health", "urn:lab", "HH")]},
            {"device": {"display": "Accu-Chek Guide"}},
            {"device": {"reference": "Device/home-monitor"}},
            {"code": concept("Home oxygen use")},
            {"code": concept("Environment", SNOMED, "264362003")},
            {"note": [{"text": "Patient will measure at home."}]},
            {"bodySite": concept("Home")},
            {"extension": [{"url": SETTING, "valueCodeableConcept": concept("", SNOMED, "702927004")}]},
            {"extension": [{"url": "urn:other", "valueCodeableConcept": {"coding": [HOME]}}]},
            {"performer": [{"display": "Home Health Agency"}]},
        ],
    )
    def test_is_not_guessed(self, sent, said):
        assert not results.present({**sent, **said}, CONTEXT).at_home

    @pytest.mark.parametrize("kind", ["survey", "social-history"])
    def test_is_no_answer_about_a_home(self, sent, kind):
        said = {"category": [{"coding": [{"code": kind}]}], "method": concept("Interview at home")}
        assert not results.present({**sent, **said}, CONTEXT).at_home


class TestAnyObservation:
    @settings(deadline=None)
    @given(oddities.odd(*NAMES))
    def test_never_raises_and_can_be_shelved(self, content):
        oddities.shelved(results.present, content)

    def test_of_both_versions_can_be_shelved(self):
        oddities.shelved(
            results.present, {**R4, "valueQuantity": {"value": 6.1}, "referenceRange": [{"text": "4-5.6"}]}
        )


class TestTheObservationsOfOthers:
    def test_have_a_title_and_a_date_and_say_why_they_have_no_value(self):
        told = _told()
        assert corpus.share(sum(bool(entry.title) for _, entry in told), len(told)) >= 0.98
        assert corpus.share(sum(bool(entry.when) for _, entry in told), len(told)) >= 0.98
        assert all(entry.value or entry.components or entry.members or entry.value.absence for _, entry in told)

    def test_lose_no_value_that_was_sent(self):
        assert [
            sent for sent, entry in _told() if not entry.value and any(name.startswith("value") for name in sent)
        ] == []


def _told():
    pairs = [(sent, results.present(sent, Context())) for sent in corpus.of_type("Observation")]
    assert pairs
    return [(sent, entry) for sent, entry in pairs if not entry.is_withdrawn and not entry.is_withheld]


class TestAResultAboutSomebodyElse:
    @pytest.mark.parametrize(
        ("focus", "title"),
        [
            ([{"reference": "Patient/wren"}], "Heart rate"),
            ([{"reference": "https://a.example/r4/Patient/wren"}], "Heart rate"),
            ([{"reference": "RelatedPerson/1", "display": "Unborn child"}], "Heart rate (Unborn child)"),
            ({"reference": "Patient/donor"}, "Heart rate (…)"),
        ],
    )
    def test_says_of_whom_and_is_of_another_test_than_the_patients_own(self, focus, title):
        code = {"text": "Heart rate", "coding": [{"system": "http://loinc.org", "code": "8867-4"}]}
        sent = {"code": code, "subject": {"reference": "Patient/wren"}, "focus": focus, "valueString": "140"}
        entry = results.present({"resourceType": "Observation", **sent}, Context())
        assert entry.title == title
        assert entry.test == title.replace("Heart rate", "loinc:8867-4")

    def test_is_of_another_test_however_long_its_name(self):
        sent = {"resourceType": "Observation", "code": {"text": "Heart rate " * 20}, "valueString": "140"}
        own, others = ({**sent, "focus": focus} for focus in ([], [{"display": "Unborn child"}]))
        assert results.present(own, Context()).test != results.present(others, Context()).test
