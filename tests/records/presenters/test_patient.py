"""A Patient of either version becomes one dataclass, whatever it contains."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.presenters import elements
from apps.records.presenters.persons import patient
from apps.records.presenters.persons.patient import Address, Contact, PatientSummary
from apps.records.templatetags.record_words import relationships_in_words
from tests.records.people import DSTU2_PATIENT, R4_PATIENT

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(alphabet=st.characters(), max_size=20),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=6), children, max_size=4),
    max_leaves=12,
)
ELEMENTS = (
    "name", "birthDate", "gender", "telecom", "address", "communication", "generalPractitioner", "careProvider",
    "deceasedBoolean", "deceasedDateTime", "family", "given", "prefix", "text", "use", "system", "value", "line",
    "language", "coding", "display", "code",
)  # fmt: skip
ODD_PATIENTS = st.dictionaries(
    st.sampled_from(ELEMENTS),
    st.recursive(
        ANYTHING,
        lambda children: (
            st.lists(children, max_size=3) | st.dictionaries(st.sampled_from(ELEMENTS), children, max_size=5)
        ),
        max_leaves=20,
    ),
)


class TestPatientOfEitherVersion:
    @pytest.mark.parametrize("resource", [R4_PATIENT, DSTU2_PATIENT], ids=["r4", "dstu2"])
    def test_is_presented_alike(self, resource):
        summary = patient.present(resource)
        assert summary.name == "Dr. Wrenna Ilse Quillfeather"
        assert [name.full for name in summary.names] == ["Wren", "Dr. Wrenna Ilse Quillfeather"]
        assert summary.birth_date == "1984-03-09"
        assert summary.sex == "female"
        assert summary.contacts == (
            Contact("555-0142", "phone", "home"),
            Contact("wren@quill.invalid", "email", ""),
        )
        assert summary.addresses == (Address(("7 Heron Way", "Flat 2", "Tarn, OR 97001"), "home"),)
        assert summary.languages == ("Welsh",)
        assert summary.general_practitioners == ("Dr. Orla Vantongeren",)


class TestAContactPerson:
    def test_is_whom_to_tell_with_the_ways_to_reach_them(self):
        sent = {
            "name": {"text": "Ida Quill"},
            "relationship": [{"text": "Mother"}, {"coding": [{"code": "C"}]}],
            "telecom": [{"system": "phone", "value": "555-0199"}],
            "period": {"end": "2019"},
        }
        (person,) = patient.present({"contact": [sent, {"relationship": [{"text": "Father"}]}, 7]}).contact_persons
        assert (person.name, person.relationships, person.until) == ("Ida Quill", ("Mother", "C"), "2019")
        assert person.contacts == (Contact("555-0199", "phone", ""),)

    @pytest.mark.parametrize(
        ("sent", "told"),
        [
            ([{"coding": [{"code": "N"}, {"code": "WIFE"}]}], "Next of kin, Wife"),
            ([{"coding": [{"code": "x9"}, {"code": "EP"}]}], "Emergency contact"),
            ([{"coding": [{"code": "x9"}]}], "x9"),
            ([{"coding": [{"code": "partner"}]}, {"coding": [{"code": "DOMPART"}]}], "Partner"),
            ([{"coding": [{"code": "C", "display": "Emergency Contact"}]}], "Emergency Contact"),
            ({"text": "Aunt"}, "Aunt"),
            ([{"coding": [{"code": 5}, None]}, None, "x"], ""),
        ],
    )
    def test_is_to_the_patient_what_was_sent_if_only_as_a_code(self, sent, told):
        (person,) = patient.present({"contact": [{"name": {"text": "Ida"}, "relationship": sent}]}).contact_persons
        assert relationships_in_words(person.relationships) == told

    def test_may_be_an_organization(self):
        (person,) = patient.present({"contact": [{"organization": {"display": "A shelter"}}]}).contact_persons
        assert person.name == "A shelter"


class TestPresentingAPatient:
    @given(ANYTHING | ODD_PATIENTS)
    def test_never_raises_and_can_always_be_shelved(self, content):
        summary = patient.present(elements.parse(json.dumps(content).encode("utf-8", "surrogatepass")))
        assert msgspec.json.decode(msgspec.json.encode(summary), type=PatientSummary) == summary

    @given(st.binary(max_size=200))
    def test_never_raises_for_bytes_that_are_no_json(self, body):
        assert isinstance(patient.present(elements.parse(body)), PatientSummary)

    @pytest.mark.parametrize("body", [b"[" * 200_000, b'{"a":' * 100_000, b"1" * 6000, b""])
    def test_never_raises_for_bodies_made_to_hurt(self, body):
        assert patient.present(elements.parse(body)) == PatientSummary()

    def test_keeps_the_text_of_a_name_as_sent(self):
        assert patient.present({"name": [{"text": "Wren Q.", "family": "Quillfeather"}]}).name == "Wren Q."

    def test_takes_a_name_sent_alone_for_a_list_of_one(self):
        assert patient.present({"name": {"given": "Wren", "family": "Q"}}).name == "Wren Q"

    def test_drops_characters_that_would_turn_text_around(self):
        assert patient.present({"name": [{"text": "Wren\u202eevil\x00"}]}).name == "Wrenevil"

    def test_shows_the_address_text_where_no_parts_were_sent(self):
        sent = {"address": [{"text": "7 Heron Way\nTarn"}]}
        assert patient.present(sent).addresses == (Address(("7 Heron Way", "Tarn"), ""),)

    def test_shows_no_contact_and_no_address_of_which_nothing_was_sent(self):
        empty = {"telecom": [{"system": "phone", "use": "home"}], "address": [{"use": "home"}]}
        summary = patient.present({**empty, "contact": [empty]})
        assert (summary.contacts, summary.addresses, summary.contact_persons) == ((), (), ())

    @pytest.mark.parametrize(
        ("sent", "shown"),
        [({"deceasedBoolean": True}, "yes"), ({"deceasedBoolean": False}, ""), ({"deceasedDateTime": "2020"}, "2020")],
    )
    def test_says_whether_the_person_died_only_where_it_was_sent(self, sent, shown):
        assert patient.present(sent).deceased == shown


class TestAnEntryOfAPersonThatIsUsedNoMore:
    @pytest.mark.parametrize(
        ("sent", "is_replaced", "is_unused"),
        [
            ({"active": False}, False, True),
            ({"active": True}, False, False),
            ({"link": [{"type": "replace", "other": {"reference": "Patient/2"}}]}, True, False),
            ({"active": False, "link": [{"type": "replaced-by", "other": {"reference": "Patient/2"}}]}, True, False),
            ({"link": [{"type": "replaces"}, {"type": "refer"}, {"type": "seealso"}]}, False, False),
        ],
    )
    def test_says_so(self, sent, is_replaced, is_unused):
        told = patient.present(sent)
        assert (told.is_replaced, told.is_unused) == (is_replaced, is_unused)
