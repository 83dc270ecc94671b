"""What reverses the meaning of a resource is read however it was sent: booleans as strings, codes without words,
modifiers."""

from typing import Any

import pytest

from apps.records.presenters import allergies, care_plans, conditions, elements, immunizations, orders, procedures
from apps.records.presenters.entry import Context, Entry
from apps.records.presenters.generic import any_resource
from apps.records.presenters.medicines import medications
from apps.records.viewing.facts import lines
from apps.records.viewing.wording import words
from tests.records import told

MODIFIER = [{"url": "urn:not", "valueBoolean": True}]


def sent(resource_type: str, **parts: Any) -> dict[str, Any]:
    return {"resourceType": resource_type, "id": "x", **parts}


class TestANo:
    @pytest.mark.parametrize("no", [True, "true", " True "])
    def test_is_one_also_as_a_text(self, no):
        context, flu = Context(), {"text": "Flu"}
        vaccine = sent("Immunization", status="completed", vaccineCode=flu, wasNotGiven=no)
        assert immunizations.present(vaccine, context).status is immunizations.Status.WAS_NOT_GIVEN
        procedure = sent("Procedure", status="completed", code=flu, notPerformed=no)
        assert procedures.present(procedure, context).status is procedures.Status.NOT_DONE
        taken = sent("MedicationStatement", status="active", medicationCodeableConcept=flu, wasNotTaken=no)
        assert medications.present_statement(taken, context).status is medications.Status.NOT_TAKEN
        order = sent(
            "MedicationRequest", status="active", intent="order", medicationCodeableConcept=flu, doNotPerform=no
        )
        assert medications.present_order(order, context).status is medications.Status.NOT_TO_BE_TAKEN
        plan = sent("CarePlan", status="active", activity=[{"detail": {"description": "Run", "prohibited": no}}])
        assert care_plans.present(plan, context).activities[0].is_to_avoid
        given = sent("MedicationAdministration", status="completed", medicationCodeableConcept=flu, wasNotGiven=no)
        assert words.of_status(any_resource.present(given, context)) == "Not done"
        test = sent("ServiceRequest", status="active", intent="order", code=flu, doNotPerform=no)
        assert orders.present(test, context).status is procedures.Status.NOT_TO_BE_DONE

    @pytest.mark.parametrize("yes", [False, "false", None, "x", 0])
    def test_is_none_where_anything_else_was_sent(self, yes):
        assert not elements.flag({"wasNotGiven": yes}, "wasNotGiven")


class TestAnOrderNotTo:
    @pytest.mark.parametrize("over", ["completed", "stopped", "cancelled"])
    def test_take_a_medicine_says_so_also_when_it_is_over(self, over):
        order = sent("MedicationRequest", status=over, intent="order", medicationCodeableConcept={"text": "Zinc"})
        entry = medications.present_order({**order, "doNotPerform": True}, Context())
        assert "not to be taken" in words.of_status(entry)
        assert (entry.status, entry.group) == (medications.Status.WAS_NOT_TO_BE_TAKEN, medications.Group.PAST)

    @pytest.mark.parametrize("status", ["completed", "revoked", "draft", "in-progress", "active", "odd", None])
    def test_do_something_says_so_however_it_stands(self, status):
        order = sent("ServiceRequest", status=status, code={"text": "Scan"}, doNotPerform=True)
        entry = orders.present(order, Context())
        assert "not to be done" in words.of_status(entry)
        is_over = status in {"completed", "revoked"}
        assert (entry.status is procedures.Status.WAS_NOT_TO_BE_DONE) is is_over


class TestSomethingNotToDo:
    @pytest.mark.parametrize("no", ["prohibited", "doNotPerform"])
    @pytest.mark.parametrize(
        ("detail", "text"),
        [
            ({"code": {"coding": [{"system": "urn:x", "code": "229065009"}]}}, "229065009"),
            ({"productCodeableConcept": {"text": "Aspirin"}}, "Aspirin"),
            ({"productCodeableConcept": {"coding": [{"code": "1191"}]}}, "1191"),
            ({"productReference": {"display": "Aspirin"}}, "Aspirin"),
            ({"code": {"text": "Run"}, "productCodeableConcept": {"text": "Aspirin"}}, "Run"),
            ({}, ""),
        ],
    )
    def test_stands_in_its_plan_also_without_words(self, no, detail, text):
        plan = sent("CarePlan", status="active", activity=[{"detail": {**detail, no: True}}])
        entry = care_plans.present(plan, Context())
        (activity,) = entry.activities
        assert (activity.text, activity.is_to_avoid) == (text, True)
        (told,) = lines.of(entry.activities)
        assert told.startswith("Not to do")

    def test_says_what_may_turn_it_around(self):
        plan = sent("CarePlan", activity=[{"detail": {"description": "Run", "modifierExtension": MODIFIER}}])
        assert care_plans.present(plan, Context()).activities[0].said == ("Modifier extension urn:not: Value yes",)


class TestARecommendation:
    def test_says_its_status_also_where_that_has_a_code_alone(self):
        advised = {
            "vaccineCode": [{"text": "MMR"}],
            "forecastStatus": {"coding": [{"system": "urn:x", "code": "contraindicated"}]},
            "contraindicatedVaccineCode": [{"text": "Live MMR"}],
        }
        resource = sent("ImmunizationRecommendation", recommendation=[advised])
        entry = immunizations.present_recommendation(resource, Context())
        (only,) = entry.recommendations
        assert "contraindicated" in only.status
        assert only.against == ("Live MMR",)

    @pytest.mark.parametrize(
        ("against", "said"), [({"text": "Live MMR"}, "Live MMR"), ({"coding": [{"code": "03"}]}, "03"), (None, "")]
    )
    def test_says_which_vaccine_is_not_to_be_given(self, against, said):
        one = {"vaccineCode": [{"text": "MMR"}], "contraindicatedVaccineCode": [against]}
        advised = told.entry("ImmunizationRecommendation", recommendation=[one, {"vaccineCode": [{"text": "Flu"}]}])
        for text in (told.on_page(advised), told.in_row(advised)):
            assert ("not to be given: " + said in text) is bool(said)


class TestAModifier:
    @pytest.mark.parametrize(
        ("present", "resource"),
        [
            (conditions.present, sent("Condition", code={"text": "Flu"})),
            (allergies.present, sent("AllergyIntolerance", code={"text": "Nuts"})),
            (procedures.present, sent("Procedure", code={"text": "Surgery"})),
            (immunizations.present, sent("Immunization", vaccineCode={"text": "Flu"})),
            (medications.present_order, sent("MedicationRequest", medicationCodeableConcept={"text": "Zinc"})),
            (care_plans.present, sent("CarePlan", description="Walk")),
        ],
    )
    def test_of_a_whole_resource_is_told_as_it_was_sent(self, present, resource):
        entry: Entry = present({**resource, "modifierExtension": MODIFIER}, Context())
        assert "Modifier extension urn:not: Value yes" in entry.said


class TestAnIngredient:
    @pytest.mark.parametrize("name", ["strength", "amount"])
    def test_is_told_with_its_strength(self, name):
        strength = {"numerator": {"value": 5, "unit": "mg"}, "denominator": {"value": 1, "unit": "tablet"}}
        product = {"id": "p", "ingredient": [{"itemCodeableConcept": {"text": "Zinc"}, name: strength}]}
        order = sent("MedicationRequest", contained=[product], medicationReference={"reference": "#p"})
        assert medications.present_order(order, Context()).ingredients == ("Zinc (5 mg / 1 tablet)",)
