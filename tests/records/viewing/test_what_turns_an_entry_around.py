"""Whatever negates or qualifies an entry (`isModifier` in FHIR, and the like) is shown on its page and, if it reverses
the meaning, in its row and in the status in search results, in both versions."""

from typing import Any

import pytest
from django.urls import reverse

from apps.records.exporting import choosing, summaries
from apps.records.models import Record
from apps.records.presenters import naming
from apps.records.presenters.entry import Context
from apps.records.presenters.persons import patient
from tests.records.linked import AT
from tests.records.pages import ask, page
from tests.records.people import PATIENT_ID, R4_PATIENT
from tests.records.shelved import keep
from tests.records.told import concept, entry, in_row, named, on_page

ADA = {"display": "Ada Rose"}
DENYING: dict[str, Any] = {"type": "deny"}

# By type and what was sent: what the page and the row say. If it is by a status, the row says that, as a search does.
TURNED: list[tuple[str, dict[str, Any], str, str]] = [
    ("AdverseEvent", {"actuality": "potential", "event": named("Fall")}, "could have", "Did not happen"),
    (
        "AdverseEvent",
        {"event": named("Rash"), "suspectEntity": [{"instance": {"display": "Penicillin"}}]},
        "Suspected cause: Penicillin", "Suspected cause: Penicillin",
    ),
    (
        "AdverseEvent",
        {
            "event": named("Rash"),
            "suspectEntity": [
                {
                    "instance": {"display": "Aspirin"},
                    "causality": [{"assessment": concept("Unlikely"), "productRelatedness": "By its day"}],
                },
                {
                    "instance": {"display": "Penicillin"},
                    "causality": [{"assessment": named("Certain")}, {"assessment": named("Possible")}],
                },
                {"causality": [{"assessment": named("Certain")}]},
            ],
        },
        "Suspected cause: Aspirin (Unlikely, By its day)",
        "Suspected cause: Aspirin (Unlikely, By its day), Penicillin (Certain, Possible)",
    ),
    ("AllergyIntolerance", {"status": "refuted", "substance": named("Nuts")}, "Status: Ruled out", "Ruled out"),
    ("AllergyIntolerance", {"verificationStatus": concept("refuted")}, "Status: Ruled out", "Ruled out"),
    ("AllergyIntolerance", {"status": "inactive"}, "Status: No longer active", "No longer active"),
    ("AllergyIntolerance", {"verificationStatus": concept("unconfirmed")}, "not confirmed", "not confirmed"),
    ("AllergyIntolerance", {"status": "unconfirmed"}, "not confirmed", "not confirmed"),
    ("Appointment", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    ("Appointment", {"status": "noshow"}, "Marked as missed", "Marked as missed"),
    ("AppointmentResponse", {"participantStatus": "declined"}, "Status: Declined", "Declined"),
    ("AppointmentResponse", {"participantStatus": "tentative"}, "not definite", "not definite"),
    ("BodyStructure", {"active": False}, "Status: Past", "Past"),
    ("CarePlan", {"status": "draft"}, "Status: Not final", "Not final"),
    ("CarePlan", {"status": "cancelled"}, "Status: Stopped", "Stopped"),
    ("CarePlan", {"status": "active", "intent": "proposal"}, "Status: Suggested", "Suggested"),
    ("CarePlan", {"status": "on-hold", "intent": "option"}, "Status: Suggested", "Suggested"),
    ("CarePlan", {"status": "active", "intent": "plan"}, "Status: Current", "Current"),
    ("CarePlan", {"status": "revoked", "intent": "proposal"}, "Status: Stopped", "Stopped"),
    ("CarePlan", {"activity": [{"detail": {"description": "Run", "prohibited": True}}]}, "Not to do · Run", "Not to"),
    ("CarePlan", {"activity": [{"detail": {"description": "Run", "doNotPerform": True}}]}, "Not to do · Run", "Not to"),
    ("CareTeam", {"status": "inactive"}, "Status: Past", "Past"),
    ("ClinicalImpression", {"ruledOut": [{"item": named("Flu"), "reason": "Test"}]}, "Ruled out: Flu (Test)", "Ruled"),
    ("Communication", {"status": "not-done", "statusReason": named("Fax broken")}, "Status: Not done", "Not done"),
    ("CommunicationRequest", {"status": "active", "doNotPerform": True}, "not to be done", "Ordered not to be done"),
    ("CommunicationRequest", {"status": "revoked", "doNotPerform": True}, "that order is over", "that order is over"),
    ("Condition", {"verificationStatus": "refuted", "clinicalStatus": "active"}, "Status: Ruled out", "Ruled out"),
    ("Condition", {"verificationStatus": concept("differential")}, "not confirmed", "not confirmed"),
    ("Condition", {"clinicalStatus": "resolved"}, "Status: Resolved", "Resolved"),
    ("Condition", {"clinicalStatus": concept("inactive")}, "Not active now", "Not active now"),
    ("Consent", {"status": "active", "provision": {"type": "deny"}}, "does not allow it", "does not allow it"),
    (
        "Consent",
        {"status": "active", "provision": {"provision": [{"type": "deny", "class": [named("Notes")]}]}},
        "An exception: not allowed: Notes", "with exceptions",
    ),
    (
        "Consent",
        {"status": "active", "provision": DENYING | {"provision": [{"type": "permit", "action": [named("Use")]}]}},
        "An exception: allowed: Use", "does not allow it, with exceptions",
    ),
    (
        "Consent",
        {"status": "active", "category": [named("Form 7")], "scope": concept("research"), "provision": DENYING},
        "What it is about: Research", "What it is about: Research",
    ),
    ("Consent", {"status": "inactive", "provision": {"type": "permit"}}, "Status: Past", "Past"),
    ("Coverage", {"status": "cancelled"}, "Status: Ended", "Ended"),
    (
        "CoverageEligibilityResponse",
        {"insurance": [{"inforce": False, "item": [{"name": "Glasses", "excluded": True}]}]},
        "Not covered: Glasses", "Not in force",
    ),
    ("Device", {"status": "inactive"}, "No longer in use", "No longer in use"),
    ("Device", {"status": "not-available"}, "No longer in use", "No longer in use"),
    ("DeviceUseStatement", {"status": "intended"}, "Status: Planned", "Planned"),
    (
        "DetectedIssue",
        {"code": named("Interaction"), "implicated": [{"display": "Warfarin"}, {"display": "Aspirin"}]},
        "What it is about: Aspirin", "What it is about: Warfarin, Aspirin",
    ),
    ("DeviceRequest", {"status": "active", "intent": "option"}, "Status: Suggested", "Suggested"),
    ("DeviceRequest", {"status": "active", "intent": "order"}, "Status: Current", "Current"),
    ("DiagnosticOrder", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    ("DiagnosticReport", {"status": "preliminary"}, "may change", "may change"),
    ("DiagnosticReport", {"status": "cancelled"}, "no result", "no result"),
    (
        "DiagnosticOrder",
        {"status": "requested", "item": [{"code": named("Iron"), "status": "cancelled"}, {"code": named("Blood")}]},
        "Not done of it: Iron", "Not done of it: Iron",
    ),
    ("DocumentReference", {"status": "superseded"}, "Replaced by a newer version", "Replaced by a newer version"),
    ("DocumentReference", {"status": "current", "docStatus": "preliminary"}, "Draft", "Draft"),
    (
        "DocumentReference",
        {"status": "current", "relatesTo": [{"code": "appends", "target": {"display": "Letter"}}]},
        "An addition to another document · Letter", "An addition to another document · Letter",
    ),
    (
        "DocumentReference", {"relatesTo": [{"code": "transforms", "target": {"reference": "DocumentReference/1"}}]},
        "Another form of another document", "Another form of another document",
    ),
    ("DocumentReference", {"relatesTo": [{"code": "signs"}]}, "A signature under another", "A signature under another"),
    ("DocumentReference", {"relatesTo": [{"code": "replaces"}]}, "A new version of", "A new version of"),
    ("Encounter", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    ("Encounter", {"status": "planned"}, "Status: Planned", "Planned"),
    ("EpisodeOfCare", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    (
        "ExplanationOfBenefit",
        {"benefitBalance": [{"excluded": True, "category": named("Dental")}]},
        "Not covered: Dental", "Not covered: Dental",
    ),
    ("FamilyMemberHistory", {"status": "health-unknown"}, "Not known", "Not known"),
    ("FamilyMemberHistory", {"status": "partial"}, "More may be recorded", "More may be recorded"),
    ("Flag", {"status": "inactive"}, "Status: Past", "Past"),
    ("Goal", {"status": "rejected"}, "Not pursued", "Not pursued"),
    ("Goal", {"lifecycleStatus": "cancelled"}, "Not pursued", "Not pursued"),
    ("Goal", {"lifecycleStatus": "completed", "achievementStatus": concept("not-achieved")}, "Not reached", "Not re"),
    (
        "Group",
        {"characteristic": [{"code": named("Smokes"), "valueBoolean": True, "exclude": True}]},
        "Who does not belong to it: Smokes", "Who does not belong to it: Smokes",
    ),
    (
        "Group",
        {"characteristic": [{"code": named("Smokes"), "valueBoolean": False, "exclude": False}]},
        "Who does not belong to it: Smokes", "Who does not belong to it: Smokes",
    ),
    ("ImagingStudy", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    ("Immunization", {"status": "completed", "wasNotGiven": True}, "Status: Not given", "Not given"),
    ("Immunization", {"status": "not-done", "statusReason": named("Fever")}, "Why not: Fever", "Why not: Fever"),
    (
        "Immunization",
        {"status": "completed", "vaccinationProtocol": [{"doseSequence": 2, "doseStatus": concept("nocount")}]},
        "Dose: 2 · does not count as a dose", "Dose: 2 · does not count as a dose",
    ),
    (
        "Immunization",
        {"vaccinationProtocol": [{"doseSequence": 2, "doseStatus": named("Not counted")}]},
        "Dose: 2 · Not counted", "Dose: 2 · Not counted",
    ),
    (
        "ImmunizationRecommendation",
        {"recommendation": [{"vaccineCode": [named("MMR")], "forecastReason": [named("Pregnant")]}]},
        "Pregnant", "Pregnant",
    ),
    ("Immunization", {"status": "completed", "isSubpotent": True}, "may not protect enough", "may not protect enough"),
    (
        "ImmunizationRecommendation",
        {"recommendation": [{"vaccineCode": [named("MMR")], "forecastStatus": concept("contraindicated")}]},
        "Status: Advised against", "Advised against",
    ),
    ("ImmunizationEvaluation", {"doseStatus": concept("notvalid")}, "Does not count", "The dose: Does not count"),
    ("List", {"status": "current", "emptyReason": concept("nilknown")}, "None are known", "None are known"),
    ("List", {"mode": "changes", "entry": [{"deleted": True, "item": ADA}]}, "from it: Ada Rose", "Removed from it"),
    ("List", {"entry": [{"deleted": True, "item": ADA, "flag": named("Error")}]}, "Ada Rose (Error)", "Rose (Error)"),
    ("List", {"entry": [{"deleted": True, "item": {"reference": "Condition/gone"}}]}, "from it: …", "from it: …"),
    ("Media", {"status": "not-done"}, "Status: Not done", "Not done"),
    ("MedicationAdministration", {"status": "completed", "wasNotGiven": True}, "Status: Not done", "Not done"),
    (
        "MedicationAdministration",
        {"status": "completed", "wasNotGiven": True, "reasonNotGiven": [named("Refused")]},
        "Refused", "Not done",
    ),
    ("MedicationAdministration", {"status": "not-done"}, "Status: Not done", "Not done"),
    ("MedicationDispense", {"status": "declined"}, "Status: Not filled", "Not filled"),
    ("MedicationOrder", {"status": "stopped"}, "Status: Stopped", "Stopped"),
    ("MedicationOrder", {"status": "draft"}, "Not final", "Not final"),
    ("MedicationRequest", {"status": "active", "doNotPerform": True}, "not to be taken", "Ordered not to be taken"),
    (
        "MedicationRequest",
        {"status": "active", "intent": "order", "category": [concept("inpatient")]},
        "For a hospital stay: Yes", "For a hospital stay",
    ),
    ("MedicationRequest", {"status": "active", "intent": "proposal"}, "not prescribed", "not prescribed"),
    ("MedicationStatement", {"status": "active", "wasNotTaken": True}, "not taken", "not taken"),
    ("MedicationStatement", {"status": "active", "taken": "n"}, "not taken", "not taken"),
    ("MedicationStatement", {"status": "not-taken"}, "not taken", "not taken"),
    ("NutritionOrder", {"excludeFoodModifier": [named("Nuts")]}, "Foods to avoid: Nuts", "to avoid: Nuts"),
    ("NutritionOrder", {"excludeFoodModifier": [concept("227493005")]}, "227493005", "Foods to avoid: 227493005"),
    ("NutritionOrder", {"status": "active", "intent": "proposal"}, "Status: Suggested", "Suggested"),
    ("NutritionOrder", {"status": "completed", "intent": "proposal"}, "Status: Done", "Done"),
    ("NutritionOrder", {"status": "on-hold", "intent": "plan"}, "Status: Paused", "Paused"),
    ("Observation", {"status": "cancelled"}, "no result", "no result"),
    ("OrderResponse", {"orderStatus": "rejected"}, "Status: Declined", "Declined"),
    ("OrderResponse", {"orderStatus": "error"}, "Status: Could not be done", "Could not be done"),
    ("OrderResponse", {"orderStatus": "replaced"}, "Status: Canceled", "Canceled"),
    ("OrderResponse", {"orderStatus": "review"}, "Status: Not final", "Not final"),
    ("Procedure", {"status": "completed", "notPerformed": True}, "Status: Not done", "Not done"),
    (
        "Procedure",
        {"status": "completed", "focalDevice": [{"action": concept("explanted"), "manipulated": {"display": "Pacer"}}]},
        "Pacer · Taken out", "Pacer · Taken out",
    ),
    (
        "Procedure",
        {"status": "completed", "focalDevice": [{"action": named("Removal"), "manipulated": {"display": "Pacer"}}]},
        "Pacer · Removal", "Pacer · Removal",
    ),
    ("Procedure", {"status": "not-done"}, "Status: Not done", "Not done"),
    ("ProcedureRequest", {"status": "rejected"}, "Status: Canceled", "Canceled"),
    ("QuestionnaireResponse", {"status": "stopped"}, "Not finished", "Not finished"),
    ("ReferralRequest", {"status": "rejected"}, "Status: Canceled", "Canceled"),
    ("RequestGroup", {"status": "active", "intent": "plan"}, "Status: Planned", "Planned"),
    ("RequestGroup", {"status": "revoked"}, "Status: Stopped", "Stopped"),
    ("ServiceRequest", {"status": "active", "doNotPerform": True}, "not to be done", "not to be done"),
    ("Specimen", {"status": "unsatisfactory"}, "Status: Could not be used", "Could not be used"),
    ("Specimen", {"status": "unavailable"}, "Status: No longer there", "No longer there"),
    ("SupplyRequest", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
    ("SupplyDelivery", {"status": "abandoned"}, "Status: Stopped", "Stopped"),
    ("Task", {"status": "rejected"}, "Status: Declined", "Declined"),
    ("Task", {"status": "in-progress", "intent": "plan"}, "Status: Current", "Current"),
    ("VisionPrescription", {"status": "cancelled"}, "Status: Canceled", "Canceled"),
]  # fmt: skip


class TestWhatTurnsAnEntryAround:
    @pytest.mark.parametrize(("kind", "sent", "told", "row"), TURNED)
    def test_is_told_on_its_page_and_in_its_row(self, kind, sent, told, row):
        found = entry(kind, **sent)
        assert told in on_page(found)
        assert row in in_row(found)

    @pytest.mark.parametrize("kind", sorted({kind for kind, *_others in TURNED}))
    @pytest.mark.parametrize("status", ["status", "verificationStatus"])
    def test_leaves_nothing_where_it_says_that_it_was_a_mistake(self, kind, status):
        found = entry(kind, description="Canary", code=named("Canary"), **{status: "entered-in-error"})
        assert found.is_withdrawn
        assert "Canary" not in repr(found)


class TestAnAssessmentThatRulesSomethingOut:
    def test_is_not_called_by_it(self):
        found = entry("ClinicalImpression", ruledOut=[{"item": named("Flu")}], description="Check of a cough")
        assert found.title == "Check of a cough"
        assert entry("ClinicalImpression", ruledOut=[{"item": named("Flu")}], comment="").title == ""


class TestADoseThatWasNotGiven:
    @pytest.mark.parametrize("not_given", [{"status": "not-done"}, {"status": "completed", "wasNotGiven": True}])
    def test_tells_no_amount_and_no_way_it_was_given(self, not_given):
        dosage = {"dose": {"value": 5, "unit": "mg"}, "route": named("By mouth")}
        found = on_page(entry("MedicationAdministration", dosage=dosage, **not_given))
        assert "Status: Not done" in found
        assert "5 mg" not in found
        assert "By mouth" not in found
        assert "5 mg" in on_page(entry("MedicationAdministration", dosage=dosage, status="completed"))


class TestALongList:
    def test_hides_nothing_that_was_taken_off_behind_what_is_on_it(self):
        items = [{"item": {"display": f"Item {n}"}, "deleted": n > 55} for n in range(1, 61)]
        found = entry("List", entry=items)
        assert "Removed from it: Item 56, Item 57, Item 58, Item 59, Item 60" in in_row(found)
        told = on_page(found)
        assert "Removed from it: Item 60" in told
        assert told.index("Removed from it: Item 56") < told.index("On it: Item 1\n")
        assert "On it: Item 50" in told
        assert "On it: Item 51" not in told
        assert "On it: 5 more were sent. See “What the provider sent”." in told

    def test_says_in_its_row_how_many_more_were_taken_off(self):
        items = [{"item": {"display": f"Item {n}"}, "deleted": True} for n in range(1, 61)]
        assert "Item 49, Item 50, and 10 more" in in_row(entry("List", entry=items))

    def test_hides_nothing_that_a_group_must_not_have_behind_what_it_has(self):
        has = [{"code": named(f"Trait {n}"), "valueBoolean": True} for n in range(60)]
        found = entry("Group", characteristic=[*has, {"code": named("Smokes"), "valueBoolean": False}])
        assert "Who does not belong to it: Smokes" in in_row(found)
        assert "Who belongs to it: 10 more were sent." in on_page(found)


class TestTheWordsOfAProvider:
    def test_are_not_put_into_ours_where_they_happen_to_be_a_code_elsewhere(self):
        assert on_page(entry("NutritionOrder", foodPreferenceModifier=[named("low")])).endswith(": low")
        assert on_page(entry("DetectedIssue", severity="low")).endswith(": Low")


class TestWhoDeclinedAnAppointment:
    def test_is_not_one_whom_it_is_with(self):
        coming = {"status": "accepted", "actor": {"display": "Bo Finch"}}
        found = entry("Appointment", participant=[{"status": "declined", "actor": ADA}, coming])
        assert found.people == ("Bo Finch",)


class TestAPlaceThatWasOnlyMeant:
    @pytest.mark.parametrize(("status", "is_told"), [("planned", False), ("reserved", False), ("completed", True)])
    def test_is_not_told_as_where_somebody_was(self, status, is_told):
        place = [{"location": {"display": "Ward 3"}, "status": status}]
        assert ("Ward 3" in on_page(entry("Encounter", status="finished", location=place))) is is_told
        assert "Ward 3" in on_page(entry("Encounter", status="planned", location=place))


class TestARecommendation:
    def test_is_not_called_by_what_its_provider_advises_against(self):
        each = [{"vaccineCode": [named("MMR")], "forecastStatus": concept("contraindicated")}]
        found = entry("ImmunizationRecommendation", recommendation=[*each, {"vaccineCode": [named("Flu")]}])
        assert (found.title, found.group) == ("Flu", "recommended")
        assert entry("ImmunizationRecommendation", recommendation=each).group == "advised-against"


class TestANameOrNumberThatIsOld:
    def test_is_not_the_one_somebody_is_called_by(self):
        names = [{"text": "Ada Wren", "use": "maiden"}, {"text": "Ada Old", "use": "old"}, {"text": "Ada Rose"}]
        assert patient.present({"name": names}).name == "Ada Rose"
        assert patient.present({"name": names[:1]}).name == "Ada Wren"
        assert naming.own_name({"name": names}, Context()) == "Ada Rose"

    def test_is_not_the_one_on_the_card(self):
        numbers = [{"value": "111", "use": "old"}, {"value": "222"}]
        assert "Member number: 222" in on_page(entry("Coverage", identifier=numbers))
        assert "Member number: 111" in on_page(entry("Coverage", identifier=numbers[:1]))


class TestAMedicationThatWasAMistake:
    def test_names_no_medicine(self):
        wrong = {"resourceType": "Medication", "id": "p", "code": named("Canary"), "status": "entered-in-error"}
        assert "Canary" not in repr(
            entry("MedicationRequest", contained=[wrong], medicationReference={"reference": "#p"})
        )


@pytest.mark.django_db
class TestAPersonWhomTheProviderKeepsElsewhere:
    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ({"link": [{"type": "replaced-by", "other": ADA}]}, "now keeps this person under another entry"),
            ({"link": [{"type": "replace", "other": ADA}]}, "now keeps this person under another entry"),
            ({"active": False}, "The provider no longer uses this entry"),
        ],
    )
    def test_reads_so_beside_their_details(self, client, alice, sam, connection, sent, said):
        keep(connection, {**R4_PATIENT, **sent})
        client.force_login(alice)
        assert said in page(client, "record", connection.pk)
        client.force_login(sam)
        assert client.get(reverse("record", args=[connection.pk])).status_code == 404


CANARY = named("Canary")
SHOWN: list[tuple[str, str, dict[str, Any], str]] = [
    ("other", "AdverseEvent", {"event": CANARY, "actuality": "potential"}, "Did not happen, but could have"),
    ("other", "CommunicationRequest", {"category": [CANARY], "doNotPerform": True}, "Ordered not to be done"),
    ("other", "Consent", {"category": [CANARY], "provision": DENYING}, "In force: does not allow it"),
    ("other", "ClinicalImpression", {"description": "Canary", "ruledOut": [{"item": named("Flu")}]}, ""),
    ("procedures", "ServiceRequest", {"code": CANARY, "doNotPerform": True}, "Ordered not to be done"),
    ("conditions", "Condition", {"code": CANARY, "verificationStatus": "refuted"}, "Ruled out"),
    ("medicines", "MedicationStatement", {"medicationCodeableConcept": CANARY, "wasNotTaken": True}, "as not taken"),
    ("vaccines", "Immunization", {"vaccineCode": CANARY, "wasNotGiven": True}, "Not given"),
]


@pytest.mark.django_db
class TestAnEntryThatSaysNo:
    @pytest.mark.parametrize(("subject", "kind", "sent", "said"), SHOWN)
    def test_says_so_on_every_page_that_has_it(self, client, alice, sam, connection, subject, kind, sent, said):
        about = {"subject": {"reference": f"Patient/{PATIENT_ID}"}, "patient": {"reference": f"Patient/{PATIENT_ID}"}}
        keep(connection, {"resourceType": kind, "id": "x", **about, "status": "active", **sent})
        pk = Record.objects.get(resource_type=kind).pk
        client.force_login(alice)
        for told in (
            page(client, "subject", subject),
            page(client, "everything_by_date"),
            page(client, "entry", subject, pk),
            ask(client, "canary"),
        ):
            assert "Canary" in told
            assert said in told
        on_paper = summaries.summary(choosing.choices(alice, at=AT), at=AT).lists
        (row,) = [row for one in on_paper for group in one.groups for row in group.rows]
        assert said in " ".join((row.status, *row.details))
        client.force_login(sam)
        assert client.get(reverse("entry", args=[subject, pk])).status_code == 404
