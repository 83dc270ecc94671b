"""The head of every entry, alike from both versions: which resource, what it is called, and what it may say."""

import pytest
from hypothesis import given

from apps.records.presenters import heads
from apps.records.presenters.entry import Code, Context, Entry
from tests.records.presenters.oddities import ANYTHING, odd, shelved

ABSENT = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
ABSENT_CODES = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
NULLS = "http://hl7.org/fhir/v3/NullFlavor"
MASKED = {"extension": [{"url": ABSENT, "valueCode": "masked"}]}
SNOMED = "http://snomed.info/sct"


def present(resource, context):
    return Entry(**heads.head(resource, resource.get("code")), said=heads.notes(resource, "note", "notes"))


class TestTheHeadOfAnyResource:
    @given(odd("resourceType", "id", "code", "status", "verificationStatus", "meta", "text", "note", "security"))
    def test_never_raises_and_can_always_be_shelved(self, content):
        shelved(present, content)

    def test_says_which_resource_it_is(self):
        entry = present({"resourceType": "Condition", "id": "c.1", "code": {"text": "Asthma"}}, Context())
        assert (entry.resource_type, entry.logical_id, entry.title) == ("Condition", "c.1", "Asthma")


class TestTheTitle:
    @pytest.mark.parametrize(
        ("concept", "title"),
        [
            ({"text": "Hay fever", "coding": [{"display": "Allergic rhinitis"}]}, "Hay fever"),
            ({"coding": [{"code": "1"}, {"code": "2", "display": "Allergic rhinitis"}]}, "Allergic rhinitis"),
            ({"coding": [{"code": "J30.1"}]}, ""),
            ({"text": "J30.1", "coding": [{"code": "J30.1", "display": "Hay fever"}]}, "Hay fever"),
            ({"text": "CBC", "coding": [{"code": "CBC"}]}, "CBC"),
            ({"text": "ECG_LEAD_II", "coding": [{"code": "9", "display": "Lead II"}]}, "Lead II"),
            ({"coding": [{"display": "ECG_LEAD_II"}, {"display": "Lead II"}]}, "Lead II"),
            ({"coding": [{"display": "ECG_LEAD_II"}, {"display": "9-9"}]}, "ECG_LEAD_II"),
            ({"text": "TSH", "coding": [{"code": "TSH_SERUM", "display": "Thyrotropin"}]}, "TSH"),
            ({"system": SNOMED, "code": "1", "display": "A coding alone"}, "A coding alone"),
            ("A text alone", "A text alone"),
            ({"text": "Unknown"}, ""),
            ({"coding": [{"system": ABSENT_CODES, "code": "unknown", "display": "Unknown"}]}, ""),
            ({"text": "No Information", "coding": [{"system": NULLS, "code": "NI", "display": "No information"}]}, ""),
            ({}, ""),
            (None, ""),
            (["Hay fever"], ""),
        ],
    )
    def test_is_what_the_provider_calls_it(self, concept, title):
        assert heads.title_of(concept) == title

    @pytest.mark.parametrize("said", ["-", "--", ".", "N/A", "n/a", "NA", "null", "Unknown", "None"])
    @pytest.mark.parametrize("sent", ["text", "display"])
    def test_is_not_what_stands_in_place_of_one(self, said, sent):
        first = {"coding": [{"display": "Blood count"}]}
        first = {**first, "text": said} if sent == "text" else {"coding": [{"display": said}, *first["coding"]]}
        assert heads.name_in(first) == "Blood count"
        assert heads.head({"resourceType": "Observation", "code": first}, first)["title"] == "Blood count"
        assert heads.first_name(("", said, "Blood count")) == "Blood count"
        assert said == "None" or heads.title_of(first) == "Blood count"

    @pytest.mark.parametrize("said", ["-", "--", ".", "null"])
    def test_is_none_rather_than_a_sign_that_says_nothing(self, said):
        assert heads.name_in({"text": said}) == heads.name_in(said) == heads.first_name((said,)) == ""
        assert heads.title_of({"text": said}) == said

    @pytest.mark.parametrize("said", ["N/A", "NA", "None"])
    def test_is_what_stands_in_place_of_one_where_nothing_else_does(self, said):
        assert heads.name_in({"text": said}) == heads.first_name(("-", said)) == said

    def test_is_no_abbreviation_of_nothing_where_a_code_tells_more(self):
        assert heads.name_in({"text": "N/A", "coding": [{"code": "1"}]}) == ""
        assert heads.name_in({"text": "NA", "coding": [{"code": "1"}]}) == "NA"

    def test_is_sodium_as_laboratories_write_it(self):
        assert heads.name_in({"text": "Na", "coding": [{"display": "Sodium"}]}) == "Na"

    @pytest.mark.parametrize("kind", ["AllergyIntolerance", "Condition", "MedicationStatement"])
    def test_is_none_where_that_says_that_there_is_nothing_of_the_kind(self, kind):
        concept = {"text": "None", "coding": [{"display": "Allergy to substance"}]}
        assert heads.head({"resourceType": kind, "code": concept}, concept)["title"] == "None"

    def test_is_none_where_that_is_a_value(self):
        assert heads.title_of({"text": "None", "coding": [{"display": "None (qualifier value)"}]}) == "None"

    @pytest.mark.parametrize("said", ["MDC_ECG_ELEC_POTL_II", "bp_systolic", "718-7", "314076", "J30.1", "urn:oid:1.2"])
    def test_can_be_a_code_that_was_sent_as_a_name(self, said):
        assert heads.is_code(said)

    @pytest.mark.parametrize(
        "said",
        ["TSH", "CBC", "HIV 1 RNA", "COVID-19", "CO2", "B12", "SpO2", "17-OHP", "A_1 of two", "_", "", "St. Mary's"],
    )
    def test_is_a_name_though_it_is_short_or_in_capitals(self, said):
        assert not heads.is_code(said)

    @given(ANYTHING)
    def test_is_text_whatever_is_sent(self, concept):
        assert isinstance(heads.title_of(concept), str)
        assert isinstance(heads.codes_of(concept), tuple)


class TestTheCodes:
    def test_are_all_that_were_sent_once_each(self):
        coding = {"system": SNOMED, "code": "1", "display": "One"}
        assert heads.codes_of({"coding": [coding, coding, {}, {"code": "2"}]}) == (
            Code(SNOMED, "1", "One"),
            Code("", "2", ""),
        )


class TestWhatWasEnteredInError:
    @pytest.mark.parametrize(
        "status",
        [
            {"status": "entered-in-error"},
            {"verificationStatus": "entered-in-error"},
            {"verificationStatus": {"coding": [{"code": "entered-in-error"}]}},
            {"verificationStatus": [{"coding": [{"code": "Entered-In-Error"}]}]},
            {"lifecycleStatus": "entered-in-error"},
        ],
    )
    def test_keeps_its_type_and_id_alone(self, status):
        sent = {"resourceType": "Condition", "id": "7", "code": {"text": "Asthma"}, "text": {"div": "Asthma"}, **status}
        assert Entry(**heads.head(sent, sent["code"])) == Entry(
            resource_type="Condition", logical_id="7", is_withdrawn=True
        )

    def test_is_withdrawn_where_the_row_was_stripped(self):
        sent = {"resourceType": "Condition", "id": "7", "verificationStatus": "entered-in-error", "code": MASKED}
        head = heads.head(sent, MASKED)
        assert (head["is_withdrawn"], head["is_withheld"]) == (True, False)


class TestWhatIsHidden:
    @pytest.mark.parametrize(
        "sent",
        [
            {"code": MASKED, "onsetDateTime": "2019"},
            {"code": {"coding": [{"system": ABSENT_CODES, "code": "masked"}]}, "onsetDateTime": "2019"},
            {"code": {"coding": [{"system": NULLS, "code": "MSK", "display": "Masked"}]}, "onsetDateTime": "2019"},
            {"code": {"text": "Asthma"}, **MASKED},
            {"code": {"text": "Asthma"}, "meta": {"security": [{"code": "MASKED"}]}},
            {"status": "active", "subject": {"reference": "Patient/1"}, "meta": {"versionId": "1"}},
            {},
        ],
    )
    def test_keeps_its_type_and_id_alone(self, sent):
        sent = {"resourceType": "Condition", "id": "7", **sent}
        head = heads.head(sent, sent.get("code"))
        assert Entry(**head) == Entry(resource_type="Condition", logical_id="7", is_withheld=True)

    def test_is_not_what_has_a_date_and_no_name(self):
        assert not heads.head({"code": {"coding": [{"code": "1"}]}})["is_withheld"]
        assert not heads.head({"onsetDateTime": "2019"})["is_withheld"]


class TestNotes:
    @pytest.mark.parametrize("sent", ["Take care", [{"text": "Take care", "time": "2019"}], {"text": "Take care"}])
    def test_are_read_alike_from_texts_and_annotations(self, sent):
        assert heads.notes({"note": sent}, "note", "comments") == ("Take care",)
