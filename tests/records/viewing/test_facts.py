"""The facts on an entry's page and in its row: each once, and none run together."""

import json
from typing import Any

import pytest
from msgspec.structs import fields

from apps.records import presenting
from apps.records.presenters.entry import Context, Entry
from apps.records.presenters.visits import Kind, VisitEntry
from apps.records.viewing import facts
from apps.records.viewing.facts import in_rows, labels
from apps.records.viewing.facts.in_rows import Known
from tests.records.people import PATIENT_ID, allergy

ROSE = {"display": "Ada Rose, MD"}


def entry(resource_type: str, **sent: Any) -> Entry:
    resource = {"resourceType": resource_type, "id": "x1", "subject": {"reference": f"Patient/{PATIENT_ID}"}, **sent}
    body = json.dumps(resource).encode()
    return presenting.present(body, resource_type=resource_type, logical_id="x1", context=Context())[1]


def labels_of(told: Entry, person: str) -> list[str]:
    """Under which labels a person is named."""
    return [fact.label for fact in facts.of(told, provider="Harbor") if any(person in line for line in fact.lines)]


def told(of: Entry, label: str) -> tuple[str, ...]:
    """What the facts of an entry say under a label."""
    return next((fact.lines for fact in facts.of(of, provider="Harbor") if fact.label == label), ())


class TestWhoHadToDoWithIt:
    @pytest.mark.parametrize(
        ("resource_type", "sent", "label"),
        [
            ("Procedure", {"status": "completed", "performer": [{"actor": ROSE}]}, "Done by"),
            ("Procedure", {"performer": [{"actor": ROSE, "function": {"text": "Surgeon"}}]}, "Done by"),
            ("Encounter", {"status": "finished", "participant": [{"individual": ROSE}]}, "Seen by"),
            ("Encounter", {"status": "planned", "participant": [{"individual": ROSE}]}, "Who"),
            ("Encounter", {"status": "cancelled", "participant": [{"individual": ROSE}]}, "Who"),
            ("Procedure", {"status": "preparation", "performer": [{"actor": ROSE}]}, "Who"),
            ("Procedure", {"status": "not-done", "performer": [{"actor": ROSE}]}, "Who"),
            ("Immunization", {"status": "completed", "performer": [{"actor": ROSE}]}, "Given by"),
            ("Immunization", {"status": "not-done", "performer": [{"actor": ROSE}]}, "Who"),
            ("Condition", {"code": {"text": "Asthma"}, "asserter": ROSE}, "Said by"),
            ("Observation", {"status": "final", "performer": [ROSE]}, "Who"),
        ],
    )
    def test_is_named_once_and_as_what_they_had(self, resource_type, sent, label):
        assert labels_of(entry(resource_type, **sent), "Ada Rose, MD") == [label]


class TestAThingOfSeveralParts:
    def test_says_once_what_two_of_them_say(self):
        plan = {"type": {"coding": [{"code": "plan"}], "text": "plan"}, "value": "Evergreen", "name": "Evergreen"}
        told = facts.of(entry("Coverage", status="active", **{"class": [plan]}), provider="Harbor")
        assert ("Plan: Evergreen",) in [fact.lines for fact in told]

    @pytest.mark.parametrize(
        "sent",
        [
            {"vaccinationProtocol": [{"doseSequence": 2, "seriesDoses": 3, "series": "Hep B"}]},
            {"protocolApplied": [{"doseNumberPositiveInt": 2, "seriesDosesPositiveInt": 3, "series": "Hep B"}]},
        ],
    )
    def test_says_which_dose_of_how_many_a_vaccine_was(self, sent):
        told = entry("Immunization", status="completed", vaccineCode={"text": "Hep B vaccine"}, **sent)
        assert "Dose: 2 of 3 \N{MIDDLE DOT} Hep B" in in_rows.of(told)
        assert facts.Fact("Dose", ("2 of 3 \N{MIDDLE DOT} Hep B",)) in facts.of(told, provider="Harbor")

    def test_says_that_a_number_is_of_a_recommended_dose(self):
        sent = [{"vaccineCode": {"text": "Hep A vaccine"}, "doseNumber": 1}]
        assert "dose: 1" in in_rows.of(entry("ImmunizationRecommendation", recommendation=sent))


class TestATeam:
    def test_has_its_doctors_and_nurses_first_and_its_family_last(self):
        kinds = ("RelatedPerson", "Practitioner", "Organization", "Practitioner")
        who = [{"member": {"reference": f"{kind}/{n}", "display": f"{kind} {n}"}} for n, kind in enumerate(kinds)]
        told = facts.of(entry("CareTeam", name="Team", participant=who), provider="")
        assert [fact for fact in told if fact.label in {"Doctors and nurses", "Others", "Family", "Members"}] == [
            facts.Fact("Doctors and nurses", ("Practitioner 1", "Practitioner 3")),
            facts.Fact("Others", ("Organization 2",)),
            facts.Fact("Family", ("RelatedPerson 0",)),
        ]


class TestTheIdentifierOfADevice:
    @pytest.mark.parametrize(
        ("sent", "lines_of_it"),
        [
            ("(01)00844588003288(17)141120(10)7654321D", ("(01)00844588003288", "(17)141120", "(10)7654321D")),
            ("x(01)00844588003288", ("x(01)00844588003288",)),
            ("+H123PARTNO", ("+H123PARTNO",)),
        ],
    )
    def test_has_a_line_for_each_of_its_groups_and_loses_nothing(self, sent, lines_of_it):
        told = facts.of(entry("Device", type={"text": "Pump"}, udiCarrier=[{"carrierHRF": sent}]), provider="")
        assert [fact.lines for fact in told if fact.label == "Device identifier (UDI)"] == [lines_of_it]


class TestTheTypeOfAVisit:
    def test_is_not_told_again_where_it_is_its_name(self):
        once = facts.of(entry("Encounter", status="finished", type=[{"text": "Checkup"}]), provider="")
        twice = facts.of(entry("Encounter", status="finished", type=[{"text": "Checkup"}, {"text": "X"}]), provider="")
        told = [[fact.lines for fact in each if fact.label == "Type of visit"] for each in (once, twice)]
        assert told == [[], [("Checkup", "X")]]


class TestWhatIsToldInTheSameWords:
    def test_stands_once_and_how_often(self):
        walks = [{"detail": {"description": what}} for what in ("Walk", "Swim", "Walk", "Walk")]
        (fact,) = [one for one in facts.of(entry("CarePlan", activity=walks), provider="") if one.label == "What to do"]
        assert fact.lines == ("Walk (3 times)", "Swim")


class TestABloodPressure:
    UPPER, LOWER = (
        {
            "code": {"coding": [{"system": "http://loinc.org", "code": code}]},
            "valueQuantity": {"value": value, "unit": "mmHg"},
        }
        for code, value in (("8480-6", 131), ("8462-4", 82))
    )

    def test_is_told_as_lists_tell_it_and_then_by_its_parts(self):
        reading = entry("Observation", code={"text": "Blood pressure"}, component=[self.UPPER, self.LOWER])
        told = facts.of(reading, provider="")
        assert facts.Fact("Value", ("131/82 mmHg",)) in told
        (parts,) = [fact for fact in told if fact.label == "Parts"]
        assert parts.lines == ("Blood pressure, upper number: 131 mmHg", "Blood pressure, lower number: 82 mmHg")

    def test_keeps_what_was_said_in_place_of_a_value_beside_its_numbers(self):
        both = {"component": [self.UPPER, self.LOWER], "valueString": "Cuff too small"}
        reading = entry("Observation", code={"text": "Blood pressure"}, **both)
        assert facts.Fact("Value", ("131/82 mmHg", "Cuff too small")) in facts.of(reading, provider="")

    def test_of_one_number_is_said_to_be_half(self):
        reading = entry("Observation", code={"text": "Blood pressure"}, component=[self.UPPER])
        (value,) = [fact for fact in facts.of(reading, provider="") if fact.label == "Value"]
        assert value.lines[0].endswith("Only one of two numbers was sent.")


class TestAResultWithoutAValue:
    def test_says_why_on_its_own_page_as_well(self):
        reason = {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/data-absent-reason", "code": "error"}]}
        told = entry("Observation", status="final", code={"text": "Glucose"}, dataAbsentReason=reason)
        assert facts.Fact("Value", ("The test could not be completed",)) in facts.of(told, provider="Harbor")

    def test_has_none_where_its_parts_have(self):
        part = {"code": {"text": "Battery"}, "valueQuantity": {"value": 2.78, "unit": "V"}}
        told = entry("Observation", status="final", code={"text": "Check"}, component=[part])
        assert "Value" not in [fact.label for fact in facts.of(told, provider="Harbor")]


class TestTheFactsOfAnEntry:
    @pytest.mark.parametrize("kind", presenting.KINDS.values(), ids=presenting.KINDS)
    def test_have_a_label_each(self, kind):
        named = [labels.of_field(kind.__name__, field.name) for field in fields(kind)]
        assert [label for label in named if label and named.count(label) > 1] == []


class TestARow:
    def test_has_a_line_for_each_reaction_so_that_no_severity_belongs_to_another(self):
        severe = {"manifestation": [{"text": "Anaphylaxis"}], "severity": "severe"}
        mild = {"manifestation": [{"text": "Wheal"}], "severity": "mild", "description": "Chest and arms"}
        sent = allergy("a1", reaction=[severe, mild])
        told = in_rows.of(entry("AllergyIntolerance", **sent))
        assert "Sudden reaction of the whole body (Anaphylaxis) \N{MIDDLE DOT} Past reaction: Severe" in told
        assert "Hives (Wheal) \N{MIDDLE DOT} Past reaction: Mild \N{MIDDLE DOT} Chest and arms" in told

    def test_keeps_when_to_take_a_medicine_apart_from_how(self):
        how = [{"text": "Inject at once, then call for help", "asNeededBoolean": True}, {"text": "One more at night"}]
        sent = entry("MedicationRequest", status="active", intent="order", dosageInstruction=how)
        assert in_rows.of(sent) == (
            "Inject at once, then call for help \N{MIDDLE DOT} Only when needed",
            "One more at night",
        )

    def test_puts_several_single_words_on_one_line(self):
        sent = allergy("a1", reaction=[{"manifestation": [{"text": "Hives"}]}, {"manifestation": [{"text": "Cough"}]}])
        assert "Hives, Cough" in in_rows.of(entry("AllergyIntolerance", **sent))

    def test_puts_into_words_once_what_other_rows_of_its_page_say_as_well(self):
        mild, severe = (
            entry("AllergyIntolerance", **allergy("a1", reaction=[{"severity": severity}]))
            for severity in ("mild", "severe")
        )
        known = Known()
        assert in_rows.of(mild, known) == in_rows.of(mild) != in_rows.of(severe, known) == in_rows.of(severe)
        assert list(known.values()) == ["Past reaction: Mild", "Past reaction: Severe"]
        again = Known({thing: f"{said}, as was said" for thing, said in known.items()})
        assert in_rows.of(mild, again) == ("Past reaction: Mild, as was said",)

    def test_tells_a_word_of_ours_from_a_text_that_is_the_same(self):
        sort, text = VisitEntry(title="Checkup", kind=Kind.HOME), VisitEntry(title="Checkup", types=("home",))
        known = Known()
        told = [in_rows.of(each, known) for each in (sort, text, sort)]
        assert told == [("Home visit",), ("Visit", "home"), ("Home visit",)]


class TestAResultThatNeverWas:
    @pytest.mark.parametrize(
        ("status", "alone", "beside"),
        [
            ("cancelled", "Test canceled, no result", "Test canceled, though a result was sent"),
            ("registered", "Ordered, no result yet", "Ordered, though a result was sent"),
        ],
    )
    @pytest.mark.parametrize("value", [{"valueString": "5"}, {"component": [{"valueString": "5"}]}])
    def test_is_not_said_to_have_none_beside_its_value(self, status, alone, beside, value):
        assert told(entry("Observation", code={"text": "Sodium"}, status=status), "Status") == (alone,)
        assert told(entry("Observation", code={"text": "Sodium"}, status=status, **value), "Status") == (beside,)

    @pytest.mark.parametrize("said", [{"conclusion": "Benign"}, {"conclusionCode": [{"text": "Benign"}]}, {}])
    def test_is_not_said_to_have_none_beside_the_conclusion_of_a_report(self, said):
        report = entry("DiagnosticReport", code={"text": "Biopsy"}, status="cancelled", **said)
        words = "Test canceled, though a result was sent" if said else "Test canceled, no result"
        assert told(report, "Status") == (words,)


class TestAnAllergyThatWasRuledOut:
    @pytest.mark.parametrize(("verification", "risk"), [("refuted", False), ("confirmed", True)])
    def test_is_no_risk_in_its_row(self, verification, risk):
        found = entry(
            "AllergyIntolerance",
            code={"text": "Penicillin"},
            criticality="high",
            clinicalStatus={"coding": [{"code": "active"}]},
            verificationStatus={"coding": [{"code": verification}]},
        )
        assert any("Could be serious" in line for line in in_rows.of(found)) is risk


class TestHowBadAnAllergyCouldBecome:
    @pytest.mark.parametrize(
        ("sent", "words", "stands"),
        [
            ("high", "Could be serious", True),
            ("CRITH", "Could be serious", True),
            ("low", "Low risk of serious harm", False),
            ("CRITL", "Low risk of serious harm", False),
            ("unable-to-assess", "Risk not known", False),
            ("CRITU", "Risk not known", False),
        ],
    )
    def test_stands_in_its_row_where_it_could_be_serious(self, sent, words, stands):
        found = entry("AllergyIntolerance", code={"text": "Penicillin"}, criticality=sent)
        assert (words in in_rows.of(found)) is stands
        assert told(found, "How bad it could become") == (words,)


class TestAProcedureThatIsPrepared:
    def test_is_planned_and_not_under_way(self):
        found = entry("Procedure", status="preparation", code={"text": "Surgery"}, performedDateTime="2031-03-04")
        assert (found.group, told(found, "Status")) == ("ordered", ("Planned",))
        assert told(found, "Planned for") == ("March 4, 2031",)


class TestAConsentInForce:
    @pytest.mark.parametrize(
        ("status", "provision", "said"),
        [
            ("active", {"type": "deny"}, "In force: does not allow it"),
            ("active", {"type": "permit"}, "Current"),
            ("active", {}, "Current"),
            ("inactive", {"type": "deny"}, "Past"),
        ],
    )
    def test_says_that_it_refuses_where_it_does(self, status, provision, said):
        found = entry("Consent", status=status, scope={"text": "Research"}, provision=provision)
        assert told(found, "Status") == (said,)
