"""An allergy of either version becomes one entry, and a statement that there is none does not become an allergy."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from msgspec.structs import fields

from apps.records.presenters import allergies
from apps.records.presenters.absences import Absence
from apps.records.presenters.allergies import (
    AllergyEntry,
    AllergyHead,
    Category,
    Criticality,
    Group,
    Kind,
    Severity,
    Status,
)
from apps.records.presenters.entry import Context
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

SNOMED = "http://snomed.info/sct"
IPS = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"
CASHEW = {"text": "Cashew nuts", "coding": [{"system": SNOMED, "code": "227493005", "display": "Cashew nuts"}]}
NKDA = {"coding": [{"system": SNOMED, "code": "409137002", "display": "No known drug allergy"}]}
HIVES = {"coding": [{"system": SNOMED, "code": "247472004", "display": "Hives"}]}
ROSE = {"reference": "Practitioner/9", "display": "Dr. Ada Rose"}

DSTU2: dict[str, Any] = {
    "resourceType": "AllergyIntolerance",
    "id": "a1",
    "patient": {"reference": "Patient/1"},
    "substance": CASHEW,
    "status": "confirmed",
    "criticality": "CRITH",
    "type": "allergy",
    "category": "food",
    "onset": "2004",
    "recordedDate": "2014-10-09",
    "lastOccurence": "2012-06",
    "recorder": ROSE,
    "reporter": {"reference": "Patient/1", "display": "Wren"},
    "note": {"text": "Carries an injector"},
    "reaction": [
        {"manifestation": [HIVES], "severity": "mild", "onset": "2011"},
        {
            "manifestation": [{"text": "Swelling"}, {"text": "Wheeze"}],
            "severity": "severe",
            "description": "After a biscuit",
            "exposureRoute": {"text": "By mouth"},
        },
    ],
}
R4: dict[str, Any] = {
    **{name: DSTU2[name] for name in ("resourceType", "id", "patient", "type", "recordedDate", "recorder", "reaction")},
    "code": CASHEW,
    "clinicalStatus": {"coding": [{"code": "active"}]},
    "verificationStatus": {"coding": [{"code": "confirmed"}]},
    "criticality": "high",
    "category": ["food"],
    "onsetDateTime": "2004",
    "lastOccurrence": "2012-06",
    "asserter": {"reference": "Patient/1", "display": "Wren"},
    "note": [{"text": "Carries an injector"}],
}  # fmt: skip
ELEMENTS = tuple(dict.fromkeys((*DSTU2, *R4, "manifestation", "severity", "certainty", "description")))


def present(**changes: Any) -> AllergyEntry:
    sent = {"resourceType": "AllergyIntolerance", "id": "a1", "code": CASHEW, **changes}
    return allergies.present(sent, Context())


def concept(code):
    return {"coding": [{"code": code}]}


class TestAnAllergyOfEitherVersion:
    def test_is_the_same_entry(self):
        assert allergies.present(DSTU2, Context()) == allergies.present(R4, Context())

    def test_has_the_facts_of_the_page(self):
        entry = allergies.present(R4, Context())
        assert (entry.title, entry.status, entry.group) == ("Cashew nuts", Status.ON_LIST, Group.CURRENT)
        assert (entry.is_confirmed, entry.criticality, entry.kind) == (True, Criticality.COULD_BE_SERIOUS, Kind.ALLERGY)
        assert entry.categories == (Category.FOOD,)
        assert (entry.written_down.starts, entry.noticed.starts) == ("2014-10-09", "2004")
        assert entry.last_reaction.starts == "2012-06"
        assert entry.when == entry.written_down
        assert (entry.recorder, entry.asserter, entry.is_patient_asserted) == ("Dr. Ada Rose", "Wren", True)
        assert entry.people == ("Dr. Ada Rose", "Wren")
        assert entry.said == ("Carries an injector",)

    def test_keeps_each_reaction_with_its_severity_and_date(self):
        first, second = allergies.present(DSTU2, Context()).reactions
        assert (first.manifestations, first.severity, first.when.starts) == (("Hives",), Severity.MILD, "2011")
        assert second.manifestations == ("Swelling", "Wheeze")
        assert (second.severity, second.route, second.said) == (Severity.SEVERE, "By mouth", ("After a biscuit",))

    @pytest.mark.parametrize(
        ("dstu2", "clinical", "verification", "status", "group"),
        [
            ("active", "active", None, Status.ON_LIST, Group.CURRENT),
            ("confirmed", "active", "confirmed", Status.ON_LIST, Group.CURRENT),
            ("unconfirmed", "active", "unconfirmed", Status.NOT_CONFIRMED, Group.CURRENT),
            ("inactive", "inactive", None, Status.INACTIVE, Group.PAST),
            ("resolved", "resolved", None, Status.RESOLVED, Group.PAST),
            ("refuted", "active", "refuted", Status.RULED_OUT, Group.RULED_OUT),
            (None, None, None, Status.NOT_GIVEN, Group.CURRENT),
            ("sleeping", "sleeping", "sleeping", Status.NOT_GIVEN, Group.CURRENT),
        ],
    )
    def test_has_the_status_and_group_of_the_table(self, dstu2, clinical, verification, status, group):
        old = present(status=dstu2)
        new = present(
            clinicalStatus=concept(clinical) if clinical else None,
            verificationStatus=concept(verification) if verification else None,
        )
        assert (old.status, old.group) == (status, group)
        assert old == new

    def test_is_past_whoever_has_confirmed_it(self):
        entry = present(clinicalStatus=concept("inactive"), verificationStatus=concept("unconfirmed"))
        assert (entry.status, entry.group) == (Status.INACTIVE, Group.PAST)

    @pytest.mark.parametrize(
        ("sent", "criticality"),
        [
            (("CRITH", "high"), Criticality.COULD_BE_SERIOUS),
            (("CRITL", "low"), Criticality.LOW_RISK),
            (("CRITU", "unable-to-assess"), Criticality.RISK_NOT_KNOWN),
            ((None, "very"), Criticality.NOT_GIVEN),
        ],
    )
    def test_reads_both_spellings_of_criticality(self, sent, criticality):
        assert [present(criticality=code).criticality for code in sent] == [criticality] * 2

    def test_takes_no_past_severity_for_what_could_happen(self):
        entry = present(reaction=[{"manifestation": [HIVES], "severity": "severe"}])
        assert entry.criticality is Criticality.NOT_GIVEN

    def test_stands_in_the_order_of_the_page(self):
        serious = present(criticality="high", category=["environment"])
        sent = [serious, present(category=["medication"]), present(category=["food"]), present(category=["other"])]
        assert [entry.rank for entry in sent] == [0, 1, 2, 3]


class TestNoKnownAllergies:
    @pytest.mark.parametrize(
        ("code", "absence"),
        [
            ({"coding": [{"system": SNOMED, "code": "716186003"}]}, Absence.ALLERGIES),
            ({"coding": [{"system": SNOMED, "code": "160244002"}]}, Absence.ALLERGIES),
            ({"coding": [{"system": IPS, "code": "no-known-allergies"}]}, Absence.ALLERGIES),
            (NKDA, Absence.MEDICINE_ALLERGIES),
            ({"coding": [{"system": SNOMED, "code": "429625007"}]}, Absence.FOOD_ALLERGIES),
            ({"coding": [{"system": SNOMED, "code": "428607008"}]}, Absence.ENVIRONMENT_ALLERGIES),
            ({"coding": [{"system": IPS, "code": "no-known-food-allergies"}]}, Absence.FOOD_ALLERGIES),
            ({"text": "No Known Allergies"}, Absence.ALLERGIES),
            ({"text": "NKDA."}, Absence.MEDICINE_ALLERGIES),
        ],
    )
    def test_are_no_allergy(self, code, absence):
        for entry in (present(code=code, clinicalStatus=concept("active")), present(code=None, substance=code)):
            assert (entry.is_known_absence, entry.absence, entry.group) == (True, absence, Group.NONE_KNOWN)

    @pytest.mark.parametrize(
        "code",
        [
            {"text": "No known allergies to cashew nuts"},
            {"coding": [{"system": "http://local", "code": "716186003", "display": "Cashew"}]},
            {"coding": [{"system": SNOMED, "code": "227493005"}]},
        ],
    )
    def test_are_said_by_nothing_else(self, code):
        entry = present(code=code)
        assert (entry.is_known_absence, entry.group) == (False, Group.CURRENT)

    @pytest.mark.parametrize("status", ["refuted", "inactive", "resolved"])
    def test_are_said_no_longer_where_that_ended(self, status):
        assert not present(code=NKDA, status=status).is_known_absence

    @pytest.mark.parametrize(
        "code", [{"system": IPS, "code": "no-allergy-info"}, {"system": SNOMED, "code": "1631000175102"}]
    )
    def test_are_not_what_nobody_knows(self, code):
        entry = present(code={"coding": [code]})
        assert (entry.is_known_absence, entry.says_no_information) == (False, True)
        assert entry.group is Group.NO_INFORMATION


class TestAnUglyAllergy:
    @given(odd(*ELEMENTS))
    def test_never_raises_and_can_always_be_shelved(self, content):
        shelved(allergies.present, content)

    def test_is_named_by_its_text_alone(self):
        assert present(code={"text": "Bee stings"}).title == "Bee stings"
        assert present(code=None, substance={"text": "Bee stings"}).title == "Bee stings"

    def test_is_named_by_nothing_where_only_a_code_was_sent(self):
        assert present(code={"coding": [{"system": SNOMED, "code": "1"}]}).title == ""

    @pytest.mark.parametrize(
        "status", [{"status": "entered-in-error"}, {"verificationStatus": concept("entered-in-error")}]
    )
    def test_keeps_nothing_of_what_was_entered_in_error(self, status):
        for sent in ({**R4, **status}, {"resourceType": "AllergyIntolerance", "id": "a1", **status}):
            assert allergies.present(sent, Context()) == AllergyEntry(
                resource_type="AllergyIntolerance", logical_id="a1", is_withdrawn=True
            )

    def test_is_withheld_where_its_name_is_masked(self):
        url = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
        entry = present(code={"extension": [{"url": url, "valueCode": "masked"}]}, criticality="high")
        assert entry == AllergyEntry(resource_type="AllergyIntolerance", logical_id="a1", is_withheld=True)

    def test_leaves_out_reactions_without_content(self):
        assert present(reaction=[{}, None, "rash", {"manifestation": "Rash"}]).reactions[0].manifestations == ("Rash",)

    def test_is_sorted_by_when_it_was_noticed_where_that_is_all(self):
        entry = present(onsetAge={"value": 3, "code": "a"})
        assert entry.when == entry.noticed
        assert entry.when.age_from == 3.0


class TestAllergiesOfOthers:
    def test_have_a_title_and_a_date_where_one_was_sent(self):
        pairs = corpus.presented(allergies.present, "AllergyIntolerance")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "recordedDate", "onset", "onsetDateTime") >= 0.98

    def test_say_that_there_are_none_where_they_do(self):
        entries = {entry.logical_id: entry for _, entry in corpus.presented(allergies.present, "AllergyIntolerance")}
        assert all(entries[nothing].is_known_absence for nothing in ("nkda", "nkla"))


class TestTheHeadOfAnAllergy:
    @pytest.mark.parametrize("code", [CASHEW, NKDA])
    def test_says_of_a_shelved_entry_what_the_entry_says(self, code):
        entry = allergies.present({**DSTU2, "substance": code}, Context())
        head = msgspec.json.decode(msgspec.json.encode(entry), type=AllergyHead)
        told = [field.name for field in fields(AllergyHead)]
        assert [getattr(head, name) for name in told] == [getattr(entry, name) for name in told]
        assert (head.group, head.absence) == (entry.group, entry.absence)


class TestTheWords:
    def test_are_there_for_every_member(self):
        tables: list[tuple[Any, Any]] = [
            (Status, allergies.STATUS_WORDS), (Group, allergies.GROUP_WORDS), (Kind, allergies.KIND_WORDS),
            (Criticality, allergies.CRITICALITY_WORDS), (Category, allergies.CATEGORY_WORDS),
            (Severity, allergies.SEVERITY_WORDS), (allergies.Certainty, allergies.CERTAINTY_WORDS),
        ]  # fmt: skip
        assert all(set(words) == set(members) for members, words in tables)
