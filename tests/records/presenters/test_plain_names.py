"""Plain names by LOINC code."""

import re

import pytest
from django.utils import translation

from apps.records.presenters import plain_names
from apps.records.presenters.entry import Code
from apps.records.presenters.plain_names import NAMES
from apps.records.presenters.plain_names.measurements import MEASUREMENTS

LOINC, SNOMED, ICD_10 = "http://loinc.org", "http://snomed.info/sct", "http://hl7.org/fhir/sid/icd-10-cm"
CODES = [code for name in NAMES for code in name.loinc]
OF_SNOMED = [code for name in NAMES for code in name.snomed]
OF_ICD_10 = [code for name in NAMES for code in name.icd10]
# The dihedral group of ten, by which SNOMED CT checks its identifiers (Verhoeff).
TIMES = [[(a + b) % 5 if a < 5 and b < 5 else 5 + (a + b) % 5 if a < 5 else 5 + (a - b) % 5 if b < 5 else (a - b) % 5
          for b in range(10)] for a in range(10)]  # fmt: skip
TURNED = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]


def checked(code: str) -> int:
    """Nought for a SNOMED CT identifier that nobody mistyped."""
    found = 0
    for place, digit in enumerate(reversed(code)):
        turned = int(digit)
        for _time in range(place % 8):
            turned = TURNED[turned]
        found = TIMES[found][turned]
    return found


def check_digit(code: str) -> str:
    """That of a LOINC code, by its number (Luhn)."""
    number = code.partition("-")[0]
    doubled = [int(each) * (2 if place % 2 == 0 else 1) for place, each in enumerate(reversed(number))]
    return str((10 - sum(each // 10 + each % 10 for each in doubled) % 10) % 10)


class TestThePlainNames:
    def test_name_every_code_once(self):
        for codes in (CODES, OF_SNOMED, OF_ICD_10):
            assert len(codes) == len(set(codes))
        assert len({name.key for name in NAMES}) == len(NAMES)

    def test_hold_codes_with_a_valid_check_digit(self):
        assert [code for code in CODES if check_digit(code) != code.partition("-")[2]] == []

    def test_are_told_in_the_language_of_whoever_reads(self):
        for language in ("en", "es", "en"):
            with translation.override(language):
                assert [plain_names.in_words(name) for name in NAMES] == [str(name.words) for name in NAMES]

    def test_hold_identifiers_that_nobody_mistyped(self):
        assert [code for code in OF_SNOMED if checked(code)] == []
        turned = [code for code in OF_SNOMED if code[-1] != code[-2]]
        assert turned
        assert [code for code in turned if not checked(f"{code[:-2]}{code[-1]}{code[-2]}")] == []

    def test_hold_codes_of_the_shape_of_icd_10(self):
        assert [code for code in OF_ICD_10 if not re.fullmatch(r"[A-Z][0-9]{2}(\.[0-9A-Z]{1,4})?", code)] == []

    def test_of_measurements_never_judge(self):
        with translation.override("en"):
            said = " ".join(str(name.words) for name in MEASUREMENTS).lower()
        assert not {"bad", "good", "normal", "abnormal", "high", "low"} & set(said.replace(",", "").split())


class TestANameForCodings:
    def test_is_found_beside_codes_of_others(self):
        named = plain_names.of((Code("urn:local", "77"), Code(LOINC, "4548-4")))
        assert named is not None
        assert str(named.words) == "Average blood sugar, 3 months"

    @pytest.mark.parametrize(
        ("code", "english", "spanish"),
        [
            ("11524-6", "Heart tracing", "Electrocardiograma"),
            ("60567-5", "Tissue exam, biopsy", "Examen de tejido, biopsia"),
            ("6463-4", "Germ test", "Cultivo de gérmenes"),
        ],
    )
    def test_says_what_few_would_look_for_by_its_own_name(self, code, english, spanish):
        named = plain_names.of_resource("DiagnosticReport", (Code(LOINC, code),))
        assert named is not None
        said = []
        for language in ("en", "es"):
            with translation.override(language):
                said.append(str(named.words))
        assert said == [english, spanish]

    def test_is_found_for_two_codes_of_the_same_thing(self):
        assert plain_names.of((Code(LOINC, "29463-7"), Code("https://loinc.org/", "3141-9"))) is not None

    def test_is_found_for_a_condition_by_either_system(self):
        codes = Code(SNOMED, "59621000"), Code(ICD_10, "I10")
        for sent in (codes, codes[:1], codes[1:]):
            named = plain_names.of(sent)
            assert named is not None
            assert str(named.words) == "High blood pressure"

    def test_is_none_for_a_code_that_says_more(self):
        assert plain_names.of((Code(ICD_10, "E11.65"),)) is None
        assert plain_names.of((Code(SNOMED, "44054006"), Code(ICD_10, "E10.9"))) is None

    def test_of_a_condition_is_for_a_condition_alone(self):
        codes = (Code(SNOMED, "44054006"),)
        assert plain_names.of_resource("Condition", codes) is not None
        for other in ("Goal", "Observation", "ServiceRequest", "FamilyMemberHistory", ""):
            assert plain_names.of_resource(other, codes) is None
        assert plain_names.of_resource("Observation", (Code(LOINC, "2823-3"),)) is not None

    def test_of_a_document_is_for_a_document_alone(self):
        codes = (Code(LOINC, "18748-4"),)
        named = plain_names.of_resource("DocumentReference", codes)
        assert named is not None
        assert str(named.words) == "Imaging report: X-ray, CT, MRI or ultrasound"
        for other in ("ServiceRequest", "DiagnosticReport", "Observation", ""):
            assert plain_names.of_resource(other, codes) is None
        assert plain_names.of_resource("DocumentReference", (Code(LOINC, "2823-3"),)) is None

    def test_of_a_visit_is_for_a_visit_alone(self):
        codes = (Code(SNOMED, "185349003"),)
        named = plain_names.of_resource("Encounter", codes)
        assert named is not None
        assert str(named.words) == "Checkup"
        for other in ("ServiceRequest", "Procedure", "Condition", ""):
            assert plain_names.of_resource(other, codes) is None
        assert plain_names.of_resource("Encounter", (Code(SNOMED, "44054006"),)) is None

    @pytest.mark.parametrize(
        ("code", "key"),
        [
            ("I63.9", "ischemic-stroke"),  # ICD-10-CM: cerebral infarction, and no bleeding
            ("I64", "stroke"),  # ICD-10: not said which of both
            ("I25.9", "ischemic-heart"),  # of which narrowed arteries are a cause, and not the only one
            ("J30.1", "hay-fever"),  # ICD-10-CM: due to pollen
            ("J30.2", "seasonal-allergic-nose"),  # other seasonal
        ],
    )
    def test_says_no_more_than_its_code(self, code, key):
        named = plain_names.of((Code(ICD_10, code),))
        assert named is not None
        assert named.key == key

    def test_is_none_where_two_codes_mean_different_things(self):
        assert plain_names.of((Code(LOINC, "29463-7"), Code(LOINC, "8302-2"))) is None

    def test_is_none_for_the_same_digits_of_another_system(self):
        assert plain_names.of((Code("urn:local", "4548-4"),)) is None

    def test_is_none_for_a_code_that_we_do_not_know(self):
        assert plain_names.of((Code(LOINC, "58941-6"),)) is None
