"""A shared patient summary says whom it is about, and names nobody else: no contact details, no relatives, and no other
entry by a reference."""

import pytest

from apps.records.subjects import HISTORY, MEDICINES, PLANS, RESULTS
from tests.records.exporting import summarized
from tests.records.exporting.extents import OTHERS, broken, codes, observed, only, resources
from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import Summarized
from tests.records.linked import make_connection, make_endpoint
from tests.records.people import DSTU2_PATIENT, R4_PATIENT

pytestmark = pytest.mark.django_db


class TestAPatientForOthers:
    @pytest.mark.parametrize("portion", [OTHERS, only(MEDICINES)])
    @pytest.mark.parametrize("sent", [R4_PATIENT, DSTU2_PATIENT])
    def test_is_known_and_cannot_be_reached(self, alice, sent, portion):
        relative = {"name": {"text": "Canary Aunt"}, "telecom": [{"system": "phone", "value": "555-0100"}]}
        doctor = {"resourceType": "Practitioner", "id": "9", "name": [{"text": "Canary Doctor"}]}
        names = [*sent["name"], {"use": "maiden", "text": "Canary Before"}]
        told = {**sent, "name": names, "contact": [relative], "deceasedBoolean": True}
        keep(make_connection(alice), told, doctor, *resources("r4")["medicines"])
        found = Summarized(alice, portion=portion)
        (patient,) = found.of_type("Patient")
        assert patient.keys() == {
            "resourceType", "id", "text", "identifier", "name", "gender", "birthDate", "deceasedBoolean",
            "communication",
        }  # fmt: skip
        assert patient["text"]["div"].split("<p>")[1:] == [
            "Name: Dr. Wrenna Ilse Quillfeather</p>",
            "Also known as: Wren</p>",
            "Recorded as deceased: Yes</p>",
            "Date of birth: March 9, 1984</p>",
            "Sex: female</p>",
            "Language: Welsh</p></div>",
        ]
        for canary in ("555-01", "wren@", "Heron", "Vantongeren", "Canary Aunt", "Canary Doctor", "Canary Before"):
            assert canary not in found.written.decode()

    def test_is_told_from_another_by_an_id_where_no_provider_is_named(self, alice, sam):
        made = []
        for user, address in ((alice, "https://one.example/r4"), (sam, "https://two.example/r4")):
            keep(make_connection(user, make_endpoint(address)), R4_PATIENT)
            (patient,) = Summarized(user, portion=OTHERS).of_type("Patient")
            assert "identifier" not in patient
            made.append(patient["id"])
        assert made[0] != made[1]

    def test_keeps_the_one_name_they_have(self, alice):
        keep(make_connection(alice), {**R4_PATIENT, "name": [{"use": "old", "text": "Ada"}]})
        assert Summarized(alice, portion=OTHERS).of_type("Patient")[0]["name"] == [{"use": "old", "text": "Ada"}]


class TestARelative:
    RELATIVE = {"resourceType": "RelatedPerson", "id": "rp", "name": [{"text": "Canary Aunt"}]}

    @pytest.mark.parametrize(
        "who",
        [
            {"reference": "RelatedPerson/rp", "display": "Canary Aunt"},
            {"reference": "https://fhir.example/r4/RelatedPerson/rp/_history/2", "display": "Canary Aunt"},
            {"reference": "#rp"},
            {"reference": "RelatedPerson?identifier=7", "display": "Canary Aunt"},
            {"type": "RelatedPerson", "display": "Canary Aunt"},
            {"reference": "Patient/another", "display": "Canary Aunt"},
            {"reference": "urn:uuid:0b0a3c52-7d0f-4c5e-9a39-6a5d2d6e1c77", "display": "Canary Aunt"},
        ],
    )
    def test_is_nowhere_by_name(self, alice, who):
        inside = observed("in", "laboratory", "Inside", performer=[who], focus=[who])
        keep(
            make_connection(alice),
            self.RELATIVE,
            observed("o1", "laboratory", "Seen", performer=[who], contained=[self.RELATIVE]),
            observed("o2", "laboratory", "Of another", focus=[who], contained=[self.RELATIVE]),
            {"resourceType": "DiagnosticReport", "id": "r1", "code": {"text": "Panel"}, "performer": [who],
             "contained": [inside, self.RELATIVE]},
        )  # fmt: skip
        found = Summarized(alice, portion=OTHERS)
        assert b"Canary" not in found.written
        assert "Of another (…)" in found.words(summarized.RESULTS)
        assert "Inside (…): v" in found.words(summarized.RESULTS)
        assert broken(found) == []
        assert b"Canary" in Summarized(alice).written or who.get("reference") == "#rp"

    @pytest.mark.parametrize(
        "who",
        [
            {"reference": "Practitioner/9", "display": "Dr. Marsh"},
            {"reference": "Practitioner/9"},
            {"reference": "#d"},
            {"display": "Dr. Marsh"},
            {"reference": "Practitioner?identifier=7", "display": "Dr. Marsh"},
            {"reference": "Patient/p-7301", "display": "Dr. Marsh"},
        ],
    )
    def test_is_told_from_a_doctor_and_from_the_patient(self, alice, who):
        doctor = {"resourceType": "Practitioner", "name": [{"text": "Dr. Marsh"}]}
        measured = observed("o1", "laboratory", "Seen", performer=[who], contained=[{**doctor, "id": "d"}])
        keep(make_connection(alice), {**doctor, "id": "9"}, measured)
        (told,) = Summarized(alice, portion=OTHERS).told(summarized.RESULTS)
        assert told["performer"] == [{"display": "Dr. Marsh"}]

    def test_who_is_another_patient_lends_nobody_a_result(self, alice):
        about = {"subject": {"reference": "Patient/donor", "display": "Canary Donor"}}
        inside = observed("in", "laboratory", "Canary", **about)
        report = {"resourceType": "DiagnosticReport", "id": "r1", "code": {"text": "Panel"}, "conclusion": "Well"}
        keep(make_connection(alice), {**report, "subject": {"reference": "Patient/p-7301"}, "contained": [inside]})
        assert b"Canary" not in Summarized(alice, portion=OTHERS).written

    def test_whom_a_report_brings_along_lends_nobody_a_result_either(self, alice):
        inside = observed("in", "laboratory", "Canary", subject={"reference": "#donor"})
        donor = {"resourceType": "Patient", "id": "donor", "name": [{"text": "Canary Donor"}]}
        report = {"resourceType": "DiagnosticReport", "id": "r1", "code": {"text": "Panel"}, "conclusion": "Well"}
        about = {"subject": {"reference": "Patient/p-7301"}}
        keep(make_connection(alice), {**report, **about, "contained": [inside, donor]})
        assert b"Canary" not in Summarized(alice, portion=OTHERS).written

    @pytest.mark.parametrize("who", [{"display": "Canary Rose"}, {"reference": "Specimen/s", "display": "Canary Rose"}])
    def test_is_not_named_by_what_a_result_is_about(self, alice, who):
        keep(make_connection(alice), observed("o1", "laboratory", "Pulse", focus=[who]))
        found = Summarized(alice, portion=OTHERS)
        assert found.told(summarized.RESULTS)[0]["focus"] == [{"display": "…"}]
        assert "Pulse (…)" in found.words(summarized.RESULTS)
        assert b"Canary" not in found.written

    def test_is_in_no_family_history(self, alice):
        aunt = {"resourceType": "FamilyMemberHistory", "id": "f1", "name": "Canary Aunt", "status": "completed"}
        keep(make_connection(alice), {**aunt, "condition": [{"code": {"text": "Canary"}}]})
        found = Summarized(alice, portion=only(HISTORY))
        assert b"Canary" not in found.written
        assert "no place for their kind: 1." in found.words(summarized.HISTORY)


class TestAnEntryForOthers:
    def test_keeps_what_names_its_product_and_its_sample(self, alice):
        keep(
            make_connection(alice),
            {"resourceType": "Medication", "id": "m", "code": {"text": "Aspirin"}},
            {"resourceType": "Specimen", "id": "s", "type": {"text": "Urine"}},
            {"resourceType": "MedicationRequest", "id": "m1", "status": "active", "intent": "order",
             "medicationReference": {"reference": "Medication/m"}},
            observed("o1", "laboratory", "Salt", specimen={"reference": "Specimen/s"}),
        )  # fmt: skip
        found = Summarized(alice, portion=only(MEDICINES, RESULTS))
        assert "Aspirin" in found.words(summarized.MEDICINES)
        assert "Sample: Urine" in found.words(summarized.RESULTS)

    def test_that_is_about_another_takes_no_place_of_one_about_a_third(self, alice):
        one, other = (
            observed(f"o{name}", "laboratory", "Pulse", focus=[{"display": name}], valueString=f"v{name}")
            for name in "AB"
        )
        keep(make_connection(alice), one, other)
        assert len(Summarized(alice, portion=OTHERS).told(summarized.RESULTS)) == 2

    @pytest.mark.parametrize("depth", [10, 400])
    def test_is_told_however_deep_it_goes(self, alice, depth):
        deep: dict[str, object] = {"reference": "RelatedPerson/rp", "display": "Canary"}
        for _level in range(depth):
            deep = {"extension": [deep]}
        keep(make_connection(alice), observed("o1", "laboratory", "Seen", method=deep))
        found = Summarized(alice, portion=OTHERS)
        assert "Seen" in found.words(summarized.RESULTS)
        assert b"Canary" not in found.written

    def test_of_a_plan_names_no_paper_and_no_warning(self, alice):
        told = resources("r4")
        keep(make_connection(alice), *told["plans"], *told["documents"], *told["other"])
        found = Summarized(alice, portion=only(PLANS))
        assert not {summarized.ALERTS, summarized.DIRECTIVES, summarized.VITALS} & set(codes(found))
        assert "Canary of plans" in found.words(summarized.PLANS)
        assert "anary goal" not in found.words(summarized.PLANS)
