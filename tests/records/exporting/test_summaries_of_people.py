"""Whom a patient summary is about, and whom to contact."""

from typing import Any

import pytest
from django.utils import translation

from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import Summarized
from tests.records.linked import make_connection, make_endpoint
from tests.records.people import DSTU2_PATIENT, R4_PATIENT

pytestmark = pytest.mark.django_db

SENT = [(R4_PATIENT, "generalPractitioner", "r4"), (DSTU2_PATIENT, "careProvider", "dstu2")]
NAME = {"family": "Marsh", "given": ["Ada"], "prefix": ["Dr."]}
PHONE = {"system": "phone", "value": "555-0100", "use": "work"}


def practitioner(logical_id: str, **elements: Any) -> dict[str, Any]:
    return {"resourceType": "Practitioner", "id": logical_id, "name": [NAME], "telecom": [PHONE], **elements}


def patient(user: Any, sent: dict[str, Any], *others: dict[str, Any], **elements: Any) -> Summarized:
    keep(make_connection(user), {**sent, **elements}, *others)
    return Summarized(user)


def doctors(found: Summarized) -> list[dict[str, Any]]:
    """The entries that the Patient refers to as its doctors."""
    (only,) = found.of_type("Patient")
    return found.named(each for each in only.get("generalPractitioner", ()) if "reference" in each)


class TestADoctor:
    @pytest.mark.parametrize(("sent", "name", "version"), SENT)
    @pytest.mark.parametrize("is_a_list", [False, True])
    def test_named_by_reference_alone_is_found(self, alice, sent, name, version, is_a_list):
        held = practitioner("9", name=[NAME] if is_a_list else NAME)
        keep(
            make_connection(alice, make_endpoint(version=version)),
            {**sent, name: [{"reference": "Practitioner/9"}]},
            held,
        )
        found = Summarized(alice)
        (doctor,) = doctors(found)
        assert (doctor["resourceType"], doctor["name"], doctor["telecom"]) == ("Practitioner", [NAME], [PHONE])
        (only,) = found.of_type("Patient")
        assert only["generalPractitioner"][0]["display"] == "Dr. Ada Marsh"
        assert "General practitioner: Dr. Ada Marsh, 555-0100" in only["text"]["div"]

    def test_may_be_a_practice(self, alice):
        practice = {"resourceType": "Organization", "id": "o1", "name": "Tarn Clinic", "telecom": [PHONE]}
        named = {"generalPractitioner": [{"reference": "Organization/o1"}]}
        (doctor,) = doctors(patient(alice, R4_PATIENT, practice, **named))
        assert (doctor["name"], doctor["telecom"]) == ("Tarn Clinic", [PHONE])

    def test_in_a_role_is_reached_there(self, alice):
        phone = {**PHONE, "value": "555-0199"}
        role = {"resourceType": "PractitionerRole", "id": "r1", "practitioner": {"reference": "Practitioner/9"}}
        named = {"generalPractitioner": [{"reference": "PractitionerRole/r1"}]}
        (doctor,) = doctors(patient(alice, R4_PATIENT, practitioner("9"), {**role, "telecom": [phone]}, **named))
        assert (doctor["name"], doctor["telecom"]) == ([NAME], [phone])

    def test_contained_in_the_patient_is_found(self, alice):
        named = {"generalPractitioner": [{"reference": "#d"}], "contained": [practitioner("d")]}
        assert [each["name"] for each in doctors(patient(alice, R4_PATIENT, **named))] == [[NAME]]

    @pytest.mark.parametrize(
        "reference",
        ["Practitioner/none", "https://elsewhere.example/r4/Practitioner/9", "Organization/nameless", "Observation/9"],
    )
    def test_whom_the_record_does_not_hold_is_not_made_up(self, alice, reference):
        nameless = {"resourceType": "Organization", "id": "nameless", "telecom": [PHONE]}
        named = {"generalPractitioner": [{"reference": reference}]}
        found = patient(alice, R4_PATIENT, practitioner("9"), nameless, **named)
        assert "generalPractitioner" not in found.of_type("Patient")[0]
        assert "Marsh" not in str(found.of_type("Patient"))

    def test_of_each_provider_is_named_once(self, alice):
        named = {"generalPractitioner": [{"display": "dr. ada marsh"}, {"display": "Dr. Finch"}]}
        keep(make_connection(alice), {**R4_PATIENT, **named})
        again = {"generalPractitioner": [{"reference": "Practitioner/9"}]}
        keep(
            make_connection(alice, make_endpoint("https://other.example/r4")),
            {**R4_PATIENT, **again},
            practitioner("9"),
        )
        found = Summarized(alice)
        (only,) = found.of_type("Patient")
        assert [each["display"] for each in only["generalPractitioner"]] == ["Dr. Ada Marsh", "Dr. Finch"]
        assert len(doctors(found)) == 1

    def test_named_in_two_ways_are_two_entries_of_the_document(self, alice):
        named = [{"reference": "Practitioner/9", "display": name} for name in ("Dr. Marsh", "Marsh, Ada")]
        (only,) = patient(alice, R4_PATIENT, practitioner("9"), generalPractitioner=named).of_type("Patient")
        assert len({each["reference"] for each in only["generalPractitioner"]}) == 2

    @pytest.mark.parametrize(
        ("end", "is_sought"), [("2019", False), ("2026", True), ("2026-11-20", True), ("2026-11-19", False)]
    )
    def test_is_not_sought_where_they_were_once(self, alice, end, is_sought):
        moved = {**PHONE, "period": {"end": end}}
        named = {"generalPractitioner": [{"reference": "Practitioner/9"}]}
        (doctor,) = doctors(patient(alice, R4_PATIENT, practitioner("9", telecom=[moved]), **named))
        assert ("telecom" in doctor) is is_sought


class TestAPatient:
    def test_is_called_by_the_name_in_use_before_those_they_had(self, alice):
        names = [{"use": "maiden", "family": "Old"}, {"family": "Plain"}, {"use": "usual", "family": "Now"}]
        (only,) = patient(alice, {**R4_PATIENT, "name": names}).of_type("Patient")
        told = only["text"]["div"].split("<p>")[1:4]
        assert told == ["Name: Now</p>", "Also known as: Plain</p>", "Also known as: Old</p>"]

    @pytest.mark.parametrize(("sent", "_name", "_version"), SENT)
    def test_is_told_in_words_before_all_else(self, alice, sent, _name, _version):
        (only,) = patient(alice, sent).of_type("Patient")
        assert only["text"]["div"].split("<p>")[1:] == [
            "Name: Dr. Wrenna Ilse Quillfeather</p>",
            "Also known as: Wren</p>",
            "Date of birth: March 9, 1984</p>",
            "Sex: female</p>",
            "Language: Welsh</p>",
            "Contact: 555-0142</p>",
            "Contact: wren@quill.invalid</p>",
            "Address: 7 Heron Way, Flat 2, Tarn OR 97001</p>",
            "General practitioner: Dr. Orla Vantongeren</p></div>",
        ]
        assert only["communication"] == [
            {"language": {"coding": [{"code": "cy", "display": "Welsh"}], "text": "Welsh"}, "preferred": True}
        ]

    @pytest.mark.parametrize(
        ("died", "said"), [({"deceasedDateTime": "2020-02-03"}, "February 3, 2020"), ({"deceasedBoolean": True}, "Yes")]
    )
    def test_who_died_is_said_to_have(self, alice, died, said):
        (only,) = patient(alice, R4_PATIENT, **died).of_type("Patient")
        assert f"Recorded as deceased: {said}" in only["text"]["div"]

    def test_is_told_in_the_language_of_whoever_asks(self, alice):
        with translation.override("es"):
            (only,) = patient(alice, R4_PATIENT).of_type("Patient")
        assert "Nombre: Dr. Wrenna Ilse Quillfeather" in only["text"]["div"]
        assert "Sexo: femenino" in only["text"]["div"]


class TestAContactPerson:
    @pytest.mark.parametrize("sent", [R4_PATIENT, DSTU2_PATIENT])
    @pytest.mark.parametrize("is_a_list", [False, True])
    def test_is_told_with_how_to_reach_them(self, alice, sent, is_a_list):
        emergency = {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0131", "code": "C"}]}
        name = {"family": ["Marsh"] if is_a_list else "Marsh", "given": ["Ada"]}
        contact = {"relationship": [{"text": "Mother"}, emergency], "name": name, "telecom": [PHONE]}
        found = patient(alice, sent, contact=[contact] if is_a_list else contact)
        (only,) = found.of_type("Patient")
        assert only["contact"] == [{**contact, "name": {"family": "Marsh", "given": ["Ada"]}}]
        assert "Contact person: Ada Marsh (Mother, Emergency contact), 555-0100" in only["text"]["div"]

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            *(("MTH", "Mother"), ("SPS", "Husband or wife"), ("CHILD", "Child"), ("DAUC", "Daughter"), ("SONC", "Son")),
            *(("emergency", "Emergency contact"), ("EP", "Emergency contact"), ("N", "Next of kin"), ("x9", "")),
        ],
    )
    def test_says_what_they_are_where_only_a_code_came(self, alice, code, said):
        contact = {"relationship": [{"coding": [{"code": code}]}], "name": {"text": "Ada Marsh"}}
        (only,) = patient(alice, R4_PATIENT, contact=[contact]).of_type("Patient")
        assert only["contact"] == [contact]
        assert f"Contact person: Ada Marsh{f' ({said})' if said else ''}</p>" in only["text"]["div"]

    def test_may_be_known_by_what_they_are_alone(self, alice):
        home = {"line": ["7 Heron Way"], "city": "Tarn"}
        school = {"organization": {"display": "Tarn School", "reference": "Organization/9"}}
        found = patient(alice, R4_PATIENT, contact=[{"relationship": [{"text": "Aunt"}], "address": home}, school])
        (only,) = found.of_type("Patient")
        assert only["contact"] == [
            {"relationship": [{"text": "Aunt"}], "address": home},
            {"organization": {"display": "Tarn School"}},
        ]
        assert "Contact person: Aunt, 7 Heron Way, Tarn" in only["text"]["div"]
        assert "Contact person: Tarn School" in only["text"]["div"]

    @pytest.mark.parametrize(
        "contact", [{"relationship": [{"text": "Mother"}]}, {"telecom": [PHONE], "period": {"end": "2019"}}, {}, "x"]
    )
    def test_is_not_told_who_cannot_be_reached_or_is_none_any_more(self, alice, contact):
        (only,) = patient(alice, R4_PATIENT, contact=[contact]).of_type("Patient")
        assert "contact" not in only
        assert "Contact person" not in only["text"]["div"]


class TestAName:
    def test_that_is_sent_for_several_uses_is_told_once(self, alice):
        names = [
            {"use": use, "text": text} for use, text in (("usual", "Ada"), ("official", "Ada"), ("nickname", "Addie"))
        ]
        (only,) = patient(alice, R4_PATIENT, name=names).of_type("Patient")
        assert only["name"] == names
        assert only["text"]["div"].count("Ada</p>") == 1
        assert "Also known as: Addie" in only["text"]["div"]
