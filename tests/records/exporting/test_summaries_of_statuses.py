"""Statuses in a patient summary are what the provider said, however spelled, and never more certain."""

import pytest

from apps.records.exporting import choosing, summaries
from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import (
    ALLERGIES,
    DEVICES,
    MEDICINES,
    PLANS,
    PROBLEMS,
    PROCEDURES,
    RESULTS,
    VACCINES,
    Summarized,
    made,
)
from tests.records.linked import AT, make_connection
from tests.records.people import R4_PATIENT

pytestmark = pytest.mark.django_db

CANARY = {"text": "Canary"}
DRUG = {"medicationCodeableConcept": CANARY}


class TestAStatus:
    @pytest.mark.parametrize(
        ("loinc", "sent", "status"),
        [
            (VACCINES, made("Immunization", vaccineCode=CANARY, status="Completed"), "completed"),
            (PROCEDURES, made("Procedure", code=CANARY, status=["Completed"]), "completed"),
            (PROCEDURES, made("Procedure", code=CANARY, status="aborted"), "stopped"),
            (RESULTS, made("Observation", code=CANARY, status="FINAL"), "final"),
            (RESULTS, made("DiagnosticReport", code=CANARY, status={"coding": [{"code": "final"}]}), "final"),
            (PLANS, made("CarePlan", title="Canary", description="Canary", status="Active"), "active"),
            (MEDICINES, made("MedicationStatement", status="Active", **DRUG), "active"),
            (MEDICINES, made("MedicationRequest", status=["on-hold"], intent="Order", **DRUG), "on-hold"),
            (MEDICINES, made("MedicationStatement", status="constant", **DRUG), "unknown"),
        ],
    )
    def test_is_the_one_sent_however_it_is_spelled(self, alice, loinc, sent, status):
        keep(make_connection(alice), sent)
        found = Summarized(alice)
        (only,) = found.told(loinc)
        assert only["status"] == status
        assert "Not listed" not in found.words(loinc)


class TestACondition:
    @pytest.mark.parametrize(("sent", "status"), [({"clinicalStatus": "active"}, "active"), ({}, None)])
    def test_that_is_expected_to_end_stands_until_then(self, alice, sent, status):
        keep(make_connection(alice), made("Condition", code=CANARY, abatementDateTime="2099-03", **sent))
        found = Summarized(alice)
        (only,) = found.told(PROBLEMS)
        assert only["clinicalStatus"].get("coding", [{"code": None}])[0]["code"] == status
        assert "abatementDateTime" not in only
        assert "Expected to end: March 2099" in found.words(PROBLEMS)

    @pytest.mark.parametrize(
        ("sent", "code"),
        [
            ({"category": [{"coding": [{"code": "encounter-diagnosis"}]}]}, "encounter-diagnosis"),
            ({"category": {"coding": [{"code": "diagnosis"}]}}, "encounter-diagnosis"),
            ({"category": [{"coding": [{"code": each}]} for each in ("encounter-diagnosis", "problem-list-item")]},
             "problem-list-item"),
            ({"category": [{"coding": [{"code": "health-concern"}]}]}, "problem-list-item"),
            ({}, "problem-list-item"),
        ],
    )  # fmt: skip
    def test_that_was_noted_at_a_visit_alone_is_on_no_problem_list(self, alice, sent, code):
        keep(make_connection(alice), made("Condition", code=CANARY, **sent))
        (only,) = Summarized(alice).told(PROBLEMS)
        (category,) = only["category"]
        assert [each["code"] for each in category["coding"]] == [code]


class TestACaution:
    """What makes an entry less certain, or says why it stands so, reaches programs and people."""

    @pytest.mark.parametrize(
        "sent",
        [
            made("MedicationStatement", status="on-hold", statusReason=[{"text": "Weak kidneys"}], **DRUG),
            made("MedicationRequest", status="on-hold", intent="order", statusReason={"text": "Weak kidneys"}, **DRUG),
            made("MedicationOrder", status="on-hold", reasonEnded={"text": "Weak kidneys"}, **DRUG),
        ],
    )
    def test_says_why_a_medicine_is_paused(self, alice, sent):
        keep(make_connection(alice), sent)
        found = Summarized(alice)
        (only,) = found.told(MEDICINES)
        why = only["statusReason"]
        assert (why[0] if isinstance(why, list) else why) == {"text": "Weak kidneys"}
        assert found.words(MEDICINES).count("Weak kidneys") == 1

    @pytest.mark.parametrize("said", [{"primarySource": False}, {"reported": True}])
    def test_says_that_a_vaccine_was_only_reported(self, alice, said):
        sent = made(
            "Immunization", vaccineCode=CANARY, status="completed", reportOrigin={"text": "From memory"}, **said
        )
        keep(make_connection(alice), sent)
        found = Summarized(alice)
        (only,) = found.told(VACCINES)
        assert (only["primarySource"], only["reportOrigin"]) == (False, {"text": "From memory"})
        assert "Reported, given elsewhere; Reported by: From memory" in found.words(VACCINES)

    def test_says_nothing_of_who_saw_a_vaccine_given_where_nobody_did(self, alice):
        keep(make_connection(alice), made("Immunization", vaccineCode=CANARY, status="completed"))
        (only,) = Summarized(alice).told(VACCINES)
        assert "primarySource" not in only

    def test_says_that_a_device_was_taken_out(self, alice):
        removed = {"action": {"coding": [{"code": "explanted"}]}, "manipulated": {"display": "Pacer"}}
        keep(make_connection(alice), made("Procedure", code=CANARY, status="completed", focalDevice=[removed]))
        assert "<td>Done; Pacer · Taken out</td>" in Summarized(alice).words(PROCEDURES)

    def test_says_why_a_procedure_was_not_finished(self, alice):
        keep(
            make_connection(alice), made("Procedure", code=CANARY, status="stopped", statusReason={"text": "Bleeding"})
        )
        found = Summarized(alice)
        (only,) = found.told(PROCEDURES)
        assert only["statusReason"] == {"text": "Bleeding"}
        assert "Bleeding" in found.words(PROCEDURES)


class TestAMedicine:
    def test_that_is_of_a_hospital_stay_says_so(self, alice):
        inpatient = [{"coding": [{"code": "inpatient"}]}]
        keep(
            make_connection(alice),
            made("MedicationRequest", status="active", intent="order", category=inpatient, **DRUG),
        )
        assert "For a hospital stay" in Summarized(alice).words(MEDICINES)

    def test_is_no_order_where_nothing_says_so(self, alice):
        keep(
            make_connection(alice), made("MedicationRequest", status="active", **DRUG), made("MedicationOrder", **DRUG)
        )
        orders = Summarized(alice).told(MEDICINES)
        assert sorted(each.get("intent", "none") for each in orders) == ["none", "order"]

    def test_that_was_reported_says_so_beside_its_plan(self, alice):
        sent = made("MedicationRequest", status="active", intent="plan", reportedBoolean=True, **DRUG)
        keep(make_connection(alice), sent)
        (only,) = Summarized(alice).told(MEDICINES)
        assert (only["intent"], only["reportedBoolean"]) == ("plan", True)

    def test_says_until_when_it_was_meant(self, alice):
        keep(make_connection(alice), made("MedicationOrder", status="active", dateEnded="2015-01-02", **DRUG))
        found = Summarized(alice)
        (only,) = found.told(MEDICINES)
        assert only["note"] == [{"text": "Until January 2, 2015"}]
        assert "On the current list of Harbor Family Practice; Until January 2, 2015" in found.words(MEDICINES)

    @pytest.mark.parametrize(
        ("sent", "told"),
        [
            (
                {"allowedBoolean": False, "reason": {"text": "Reacts to the dye"}},
                "Must not be given · Reacts to the dye",
            ),
            ({"type": {"coding": [{"code": "N"}]}}, "Must not be given"),
        ],
    )
    @pytest.mark.parametrize("kind", ["MedicationRequest", "MedicationOrder"])
    def test_says_that_no_other_may_be_given_in_its_place(self, alice, sent, told, kind):
        keep(make_connection(alice), made(kind, status="active", substitution=sent, **DRUG))
        found = Summarized(alice)
        (only,) = found.told(MEDICINES)
        assert only["substitution"] == {"allowedBoolean": False}
        assert f"Another product in its place: {told}" in found.words(MEDICINES)
        lists = summaries.summary(choosing.choices(alice, at=AT), at=AT).lists
        rows = [row for one in lists for group in one.groups for row in group.rows]
        assert f"Another product in its place: {told}" in rows[0].details

    def test_says_nothing_of_others_that_may_be_given(self, alice):
        sent = {"substitution": {"allowedBoolean": True}}
        keep(make_connection(alice), made("MedicationRequest", status="active", **sent, **DRUG))
        found = Summarized(alice)
        (only,) = found.told(MEDICINES)
        assert "substitution" not in only
        assert "in its place" not in found.words(MEDICINES)


class TestADose:
    def test_that_may_not_protect_enough_says_so(self, alice):
        sent = made("Immunization", vaccineCode=CANARY, status="completed", isSubpotent=True)
        keep(make_connection(alice), sent)
        found = Summarized(alice)
        (only,) = found.told(VACCINES)
        assert only["isSubpotent"] is True
        assert "A dose that may not protect enough" in found.words(VACCINES)


class TestADevice:
    def test_says_whether_it_may_come_into_a_scanner(self, alice):
        unsafe = {"coding": [{"system": "urn:oid:2.16.840.1.113883.3.26.1.1", "code": "C106047"}]}
        keep(make_connection(alice), made("Device", type=CANARY, status="active", safety=[unsafe]))
        assert "<td>In use; In an MRI scanner: Not safe</td>" in Summarized(alice).words(DEVICES)

    def test_says_what_else_was_sent_of_a_scanner(self, alice):
        sent = [{"coding": [{"code": "C106045"}], "text": "MR Safe; latex"}, {"coding": [{"code": "C106047"}]}]
        keep(make_connection(alice), made("Device", type=CANARY, status="active", safety=sent))
        told = "In an MRI scanner: Not safe; Also sent about an MRI scanner: Safe; Safety: MR Safe; latex"
        assert f"<td>In use; {told}</td>" in Summarized(alice).words(DEVICES)

    def test_says_that_there_is_latex_in_it(self, alice):
        keep(make_connection(alice), made("Device", type=CANARY, safety=[{"coding": [{"code": "C101673"}]}]))
        assert "Latex: Contains natural rubber latex" in Summarized(alice).words(DEVICES)


class TestAPlan:
    def test_says_what_of_it_is_done_or_stopped_and_nothing_that_never_was_of_it(self, alice):
        statuses = ("in-progress", "completed", "cancelled", "entered-in-error")
        activity = [{"detail": {"description": f"Canary {each}", "status": each}} for each in statuses]
        keep(make_connection(alice), made("CarePlan", status="active", description="Heart", activity=activity))
        found = Summarized(alice)
        (only,) = found.told(PLANS)
        assert [each["detail"]["status"] for each in only["activity"]] == list(statuses[:3])
        said = "Current; Canary in-progress · Under way; Canary completed · Done; Canary cancelled · Stopped"
        assert f"<td>{said}</td>" in found.words(PLANS)

    def test_is_called_by_its_title_and_told_by_its_description(self, alice):
        keep(make_connection(alice), made("CarePlan", status="active", title="Heart", description="Walk each day"))
        assert "<td>Heart</td><td>Current; Walk each day</td>" in Summarized(alice).words(PLANS)

    def test_that_is_only_proposed_stays_proposed(self, alice):
        keep(make_connection(alice), made("CarePlan", status="active", intent="proposal", description="Heart"))
        found = Summarized(alice)
        (only,) = found.told(PLANS)
        assert only["intent"] == "proposal"
        assert "<td>Suggested</td>" in found.words(PLANS)


class TestAnAllergy:
    @pytest.mark.parametrize(
        "sent",
        [
            {"status": "active", "criticality": "CRITH", "category": "food"},
            {"status": ["active"], "criticality": ["CritH"], "category": "Food"},
            {"clinicalStatus": {"coding": [{"code": "active"}]}, "criticality": "High", "category": ["FOOD"]},
        ],
    )
    def test_says_how_grave_it_is_however_that_is_spelled(self, alice, sent):
        keep(make_connection(alice), made("AllergyIntolerance", code=CANARY, **sent))
        found = Summarized(alice)
        (only,) = found.told(ALLERGIES)
        assert (only["criticality"], only["category"]) == ("high", ["food"])
        assert "<td>On the list of Harbor Family Practice; Could be serious</td>" in found.words(ALLERGIES)


class TestAReaction:
    @pytest.mark.parametrize(("certainty", "said"), [("unlikely", "Unlikely"), ("likely", "Likely")])
    def test_says_how_sure_its_cause_is(self, alice, certainty, said):
        reaction = [{"manifestation": [{"text": "Hives"}], "certainty": certainty}]
        keep(make_connection(alice), made("AllergyIntolerance", substance=CANARY, reaction=reaction))
        found = Summarized(alice)
        (only,) = found.told(ALLERGIES)
        (extension,) = only["reaction"][0]["extension"]
        assert extension["valueCodeableConcept"]["coding"][0]["code"] == certainty
        assert f"<td>Status not given; Hives · How sure: {said}</td>" in found.words(ALLERGIES)


class TestAPatient:
    @pytest.mark.parametrize(
        ("sent", "written"),
        [
            ({"deceasedDateTime": "2020-01-02"}, {"deceasedDateTime": "2020-01-02"}),
            ({"deceasedDateTime": "some day"}, {"deceasedBoolean": True}),
            ({"deceasedBoolean": "true"}, {"deceasedBoolean": True}),
            ({"deceasedBoolean": False}, {}),
        ],
    )
    def test_who_died_is_not_told_as_living(self, alice, sent, written):
        keep(make_connection(alice), {**R4_PATIENT, **sent, "gender": "Female"})
        (only,) = Summarized(alice).of_type("Patient")
        assert {name: value for name, value in only.items() if name.startswith("deceased")} == written
        assert only["gender"] == "female"
