"""The head of every entry is the same from both versions: which resource it is, its name, and whether it may be
shown."""

import pytest
from hypothesis import given

from apps.records.presenters import annotations, heads
from apps.records.presenters.entry import Context, Entry
from tests.records.presenters.oddities import odd, shelved

ABSENT = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
ABSENT_CODES = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
NULLS = "http://hl7.org/fhir/v3/NullFlavor"
MASKED = {"extension": [{"url": ABSENT, "valueCode": "masked"}]}


def present(resource, context):
    return Entry(**heads.head(resource, resource.get("code")), said=annotations.notes(resource, "note", "notes"))


class TestTheHeadOfAnyResource:
    @given(odd("resourceType", "id", "code", "status", "verificationStatus", "meta", "text", "note", "security"))
    def test_never_raises_and_can_always_be_shelved(self, content):
        shelved(present, content)

    def test_says_which_resource_it_is(self):
        entry = present({"resourceType": "Condition", "id": "c.1", "code": {"text": "Asthma"}}, Context())
        assert (entry.resource_type, entry.logical_id, entry.title) == ("Condition", "c.1", "Asthma")


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
        assert annotations.notes({"note": sent}, "note", "comments") == ("Take care",)
