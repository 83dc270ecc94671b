"""The facts of an entry read well: none twice, no codes, no dates that only programs need, and each label fits its
value."""

import json
from typing import Any, ClassVar

import pytest
from django.utils import translation

from apps.records import presenting
from apps.records.presenters.entry import Context, Entry
from apps.records.viewing import facts
from apps.records.viewing.facts import in_rows
from apps.records.viewing.listing import row_details, rows
from apps.records.viewing.wording import dates_in_words, other_kinds

TO_BE_TAKEN_FROM = {"boundsPeriod": {"start": "2015-01-16", "end": "2015-01-20"}}


def entry(resource_type: str, **sent: Any) -> Entry:
    body = json.dumps({"resourceType": resource_type, "id": "x1", **sent}).encode()
    return presenting.present(body, resource_type=resource_type, logical_id="x1", context=Context())[1]


def told(resource_type: str, **sent: Any) -> dict[str, tuple[str, ...]]:
    return {fact.label: fact.lines for fact in facts.of(entry(resource_type, **sent), provider="Harbor")}


def in_spanish(resource_type: str, **sent: Any) -> dict[str, tuple[str, ...]]:
    with translation.override("es"):
        return told(resource_type, **sent)


def concept(text: str, system: str = "", code: str = "") -> dict[str, Any]:
    return {"text": text, "coding": [{"system": system, "code": code}]} if code else {"text": text}


def plan(resource_type: str = "CarePlan", **period: str) -> dict[str, tuple[str, ...]]:
    return told(resource_type, status="completed", title="Fracture care", name="Team", period=period)


class TestWhatLastsUntilAnEnd:
    @pytest.mark.parametrize("resource_type", ["CarePlan", "CareTeam"])
    def test_did_not_start_from_one_day_to_another(self, resource_type):
        said = plan(resource_type, start="2012-04-25", end="2012-05-23")
        assert said["In place"] == ("April 25 to May 23, 2012",)
        assert "Started" not in said

    def test_started_where_no_end_was_sent(self):
        assert plan(start="2012-04-25")["Started"] == ("April 25, 2012",)

    def test_did_not_start_where_only_its_end_was_sent(self):
        assert plan(end="2017-06-01")["In place"] == ("Until June 1, 2017",)

    def test_is_not_under_way_where_it_is_a_procedure_that_was_broken_off(self):
        period = {"start": "2019-03-04", "end": "2019-03-05"}
        assert told("Procedure", status="stopped", performedPeriod=period)["Covers"] == ("March 4 to 5, 2019",)

    @pytest.mark.parametrize(
        "bounds",
        [{"start": "2019-03-04T08:00:00Z", "end": "2019-03-04T20:00:00Z"}, {"start": "2019-03-04T08:00:00Z"}],
    )
    def test_keeps_its_clock_times_where_it_is_a_medicine(self, bounds):
        dosage = [{"timing": {"repeat": {"boundsPeriod": bounds}}}]
        sent = {"status": "active", "medicationCodeableConcept": concept("Aspirin"), "dosageInstruction": dosage}
        assert "8 a.m." in told("MedicationRequest", **sent)["To be taken"][0]

    def test_may_have_begun_on_any_day_of_it_where_it_is_a_condition(self):
        period = {"start": "2019-03", "end": "2019-05"}
        assert told("Condition", code=concept("Asthma"), onsetPeriod=period)["Started"] == ("March to May 2019",)


class TestAFact:
    def test_of_a_vaccine_without_a_status_does_not_say_that_nobody_gave_it(self):
        assert told("Immunization", vaccineCode=concept("Hep B"))["Status"] == ("Status not given",)
        assert in_spanish("Immunization", vaccineCode=concept("Hep B"))["Estado"] == ("Estado no indicado",)

    def test_of_an_order_not_to_take_something_does_not_say_to_take_it(self):
        dosage = [{"timing": {"repeat": {"boundsPeriod": {"start": "2019-03-04"}}}}]
        sent = {"status": "active", "medicationCodeableConcept": concept("Aspirin"), "dosageInstruction": dosage}
        assert "To be taken" in told("MedicationRequest", **sent)
        facts = told("MedicationRequest", **sent, doNotPerform=True)
        assert "To be taken" not in facts
        assert facts["Covers"] == ("Since March 4, 2019",)

    def test_says_which_dose_it_was_without_the_word_again(self):
        sent = {"status": "completed", "vaccineCode": concept("Hep B vaccine")}
        protocol = [{"doseNumberPositiveInt": 1, "series": "Hep B"}]
        assert told("Immunization", **sent, protocolApplied=protocol)["Dose"] == ("1 \N{MIDDLE DOT} Hep B",)
        protocol = [{"seriesDosesString": "3"}]
        assert told("Immunization", **sent, protocolApplied=protocol)["Dose"] == ("one of 3",)

    def test_has_no_date_of_programs(self):
        sent = {"status": "completed", "vaccineCode": concept("Flu"), "expirationDate": "2015-02-15"}
        assert told("Immunization", **sent)["Expires"] == ("February 15, 2015",)
        assert in_spanish("Immunization", **sent)["Vence"] == ("15 de febrero de 2015",)

    def test_is_not_that_it_ended_beside_when(self):
        ended = told("Condition", code=concept("Cough"), abatementDateTime="2019-03-04")
        assert "Has ended" not in ended
        assert told("Condition", code=concept("Cough"), abatementBoolean=True)["Has ended"] == ("Yes",)

    @pytest.mark.parametrize("status", ["in-progress", "achieved", "sustaining"])
    def test_is_not_a_verdict_that_the_status_says(self, status):
        goal = entry("Goal", status=status, description="Walk every day")
        assert "So far" not in told("Goal", status=status, description="Walk every day")
        assert in_rows.of(goal) == ()

    def test_is_a_verdict_that_the_status_does_not_say(self):
        achieved = {"coding": [{"code": "improving"}]}
        sent = {"lifecycleStatus": "active", "achievementStatus": achieved, "description": concept("Walk every day")}
        assert told("Goal", **sent)["So far"] == ("Getting closer",)

    def test_is_planned_where_it_is_the_time_of_what_is_to_be_done(self):
        detail = {"description": "Walk the dog", "status": "not-started", "scheduledPeriod": {"start": "2012-09-10"}}
        (line,) = told("CarePlan", status="active", title="Move", activity=[{"detail": detail}])["What to do"]
        assert line == "Walk the dog \N{MIDDLE DOT} Not started \N{MIDDLE DOT} planned from September 10, 2012 on"

    def test_says_once_that_it_is_planned(self):
        detail = {"description": "Walk", "status": "scheduled", "scheduledPeriod": {"start": "2012-09-10"}}
        (line,) = told("CarePlan", status="active", title="Move", activity=[{"detail": detail}])["What to do"]
        assert line == "Walk \N{MIDDLE DOT} Planned \N{MIDDLE DOT} From September 10, 2012 on"

    def test_says_first_what_is_not_to_be_done(self):
        detail = {"description": "Walk", "status": "in-progress", "doNotPerform": True}
        (line,) = told("CarePlan", status="active", title="Move", activity=[{"detail": detail}])["What to do"]
        assert line == "Not to do \N{MIDDLE DOT} Walk \N{MIDDLE DOT} Under way"

    def test_goes_on_in_small_letters_behind_a_word(self):
        sent = {"relationship": concept("Mother"), "status": "completed"}
        stroke = [{"code": concept("Stroke"), "onsetAge": {"value": 56, "code": "a"}}]
        assert told("FamilyMemberHistory", **sent, condition=stroke)["Conditions"] == (
            "Stroke \N{MIDDLE DOT} began at age 56",
        )

    @pytest.mark.parametrize(
        ("code", "label"),
        [("NEG", "What the lab says"), ("H", "Compared with the usual range"), ("R", "What the lab says")],
    )
    def test_compares_with_a_range_only_what_can_stand_in_one(self, code, label):
        sent = {"status": "final", "code": concept("Germ test"), "valueString": "seen"}
        assert label in told("Observation", **sent, interpretation=[{"coding": [{"code": code}]}])


class TestTheTimeThatAMedicineIsPrescribedFor:
    def order(self, *dosages: dict[str, Any]) -> dict[str, tuple[str, ...]]:
        sent = {"status": "active", "intent": "order", "medicationCodeableConcept": concept("Prednisone")}
        return told("MedicationRequest", **sent, dosageInstruction=list(dosages), **self.DATED)

    DATED: ClassVar = {"authoredOn": "2015-01-15"}

    def test_is_not_told_again_where_a_dosage_says_it(self):
        several = [{"text": text, "timing": {"repeat": TO_BE_TAKEN_FROM}} for text in ("4 daily", "2 daily")]
        assert not {"Taken", "To be taken"} & set(self.order(*several))
        assert self.order(*several)["How to take it"] == (  # and each dosage has its own
            "4 daily \N{MIDDLE DOT} From January 16 to 20, 2015",
            "2 daily \N{MIDDLE DOT} From January 16 to 20, 2015",
        )

    def test_does_not_say_that_it_was_taken(self):
        since = {"boundsPeriod": {"start": "2020-04-29"}}
        said = self.order({"text": "Every 6 hours", "timing": {"repeat": since}})
        assert said["To be taken"] == ("Since April 29, 2020",)
        assert "Taken" not in said

    def test_does_not_say_so_in_a_list_either(self):
        since = {"timing": {"repeat": {"boundsPeriod": {"start": "2020-04-29", "end": "2020-05-04"}}}}
        sent = {"status": "active", "medicationCodeableConcept": concept("Prednisone")}
        assert dates_in_words.label(entry("MedicationOrder", **sent, dosageInstruction=[since])) == "To be taken"


class TestARecommendedVaccine:
    def recommended(self, **sent: Any) -> Entry:
        due: list[Any] = [{"code": {"coding": [{"code": "due"}]}, "value": "2015-12-01"}]
        return entry("ImmunizationRecommendation", recommendation=[{**sent, "dateCriterion": due}])

    def test_is_not_named_again_behind_its_name(self):
        one = self.recommended(vaccineCode=concept("Hepatitis A vaccine"), doseNumber=1)
        assert rows.names(one)[0] == "Hepatitis A vaccine"
        assert in_rows.of(one) == ("from: December 1, 2015 \N{MIDDLE DOT} dose: 1",)

    def test_is_told_where_only_a_code_says_against_what(self):
        one = self.recommended(targetDisease={"coding": [{"system": "http://snomed.info/sct", "code": "40468003"}]})
        assert rows.names(one)[0] == "Provider's code 40468003"
        (fact,) = (fact for fact in facts.of(one, provider="Harbor") if fact.label == "What is recommended")
        assert fact.lines == ("Provider's code 40468003 \N{MIDDLE DOT} from: December 1, 2015",)


class TestHowLongAVisitWas:
    def test_is_told_in_words(self):
        length = {"value": 90, "unit": "min"}
        assert told("Encounter", status="finished", length=length)["Length"] == ("90 minutes",)
        assert in_spanish("Encounter", status="finished", length=length)["Duración"] == ("90 minutos",)


class TestHowSevereAConditionIs:
    def test_is_told_in_spanish_where_a_usual_word_says_it(self):
        asthma = {"code": concept("Asthma"), "severity": concept("Severe (severity modifier) (qualifier value)")}
        assert told("Condition", **asthma)["Severity"] == ("Severe",)
        with translation.override("es"):
            assert in_rows.of(entry("Condition", **asthma)) == ("Gravedad: Grave",)
        assert in_spanish("Condition", code=concept("Asthma"), severity=concept("High"))["Gravedad"] == ("High",)


class TestASupply:
    @pytest.mark.parametrize(
        ("quantity", "said", "spanish"),
        [
            ({"value": 90, "unit": "Tablet"}, "quantity: 90 tablets", "cantidad: 90 tabletas"),
            ({"value": 1, "unit": "CAP"}, "quantity: 1 capsule", "cantidad: 1 cápsula"),
            ({"value": 90, "code": "46992007", "system": "http://snomed.info/sct"}, "quantity: 90", "cantidad: 90"),
            ({"value": 100, "unit": "mL"}, "quantity: 100 mL", "cantidad: 100 mL"),
        ],
    )
    def test_is_counted_in_words(self, quantity, said, spanish):
        request = {"quantity": quantity, "expectedSupplyDuration": {"value": 10, "unit": "Day"}}
        sent = {"status": "active", "medicationCodeableConcept": concept("A"), "dispenseRequest": request}
        assert told("MedicationRequest", **sent)["Supply"] == (f"{said} \N{MIDDLE DOT} lasts: 10 days",)
        assert in_spanish("MedicationRequest", **sent)["Suministro"] == (f"{spanish} \N{MIDDLE DOT} dura: 10 días",)


class TestAMedicine:
    def test_is_taken_as_the_provider_wrote_and_for_what_without_the_kind_of_it(self):
        dosage = {"text": "One a day (qualifier value)", "asNeededCodeableConcept": concept("Rib Pain (finding)")}
        said = told("MedicationRequest", medicationCodeableConcept=concept("A"), dosageInstruction=[dosage])
        assert said["How to take it"] == ("One a day (qualifier value)", "Only when needed: Rib Pain")

    def test_contains_so_much_without_zeros_that_are_misread(self):
        strength = {"numerator": {"value": 1000.0, "unit": "mg"}, "denominator": {"value": 2.50, "unit": "mL"}}
        made: dict[str, Any] = {"resourceType": "Medication", "id": "m", "code": concept("Cefepime mix")}
        made["ingredient"] = [{"itemCodeableConcept": concept("Cefepime"), "strength": strength}]
        said = told("MedicationRequest", contained=[made], medicationReference={"reference": "#m"})
        assert said["Contains"] == ("Cefepime (1000 mg / 2.5 mL)",)

    def test_does_not_contain_itself(self):
        made: dict[str, Any] = {"resourceType": "Medication", "id": "m", "code": concept("Cefepime")}
        made["ingredient"] = [{"itemCodeableConcept": concept("Cefepime")}]
        assert "Contains" not in told("MedicationRequest", contained=[made], medicationReference={"reference": "#m"})

    def test_was_filled_by_somebody_who_is_no_pharmacy_perhaps(self):
        sent = {"status": "completed", "medicationCodeableConcept": concept("A"), "dispenser": {"display": "Ada Rose"}}
        assert told("MedicationDispense", **sent)["Filled by"] == ("Ada Rose",)


class TestAMemberOfATeam:
    def member(self, **sent: Any) -> str:
        found = told("CareTeam", status="active", name="Team", participant=[sent])
        (line,) = next(found[label] for label in ("Members", "Doctors and nurses") if label in found)
        return line

    def test_is_told_by_what_they_are_and_then_by_name(self):
        doctor = {"reference": "Practitioner?identifier=http://hl7.org/fhir/sid/us-npi|1", "display": "Ada Rose, MD"}
        said = self.member(role=[concept("Cardiologist")], member=doctor, period={"start": "2012-03-04"})
        assert said.split(" \N{MIDDLE DOT} ") == ["Cardiologist", "Ada Rose, MD", "since March 4, 2012"]

    def test_has_a_line_without_a_gap_where_there_is_no_name(self):
        assert self.member(role=[concept("Cardiologist")]) == "Cardiologist \N{MIDDLE DOT} Name not given"

    def test_is_not_said_to_be_one_of_the_others(self):
        assert self.member(member={"reference": "Organization/1", "display": "Heron Clinic"}) == "Heron Clinic"


class TestANameOfSnomed:
    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ("Acute bronchitis (disorder)", "Acute bronchitis"),
            ("Dietary regime (regime/therapy)", "Dietary regime"),
            ("Zinc (substance) (5 g / 100 g)", "Zinc (5 g / 100 g)"),
            ("Lipids (calculated)", "Lipids (calculated)"),
            ("TB (pulmonary tuberculosis)", "TB (pulmonary tuberculosis)"),
            ("The finding (finding) of a lump", "The finding (finding) of a lump"),
        ],
    )
    def test_is_told_without_its_kind(self, sent, said):
        assert rows.names(entry("Condition", code=concept(sent)))[0] == said
        assert told("CareTeam", status="active", reasonCode=[concept(sent)])["Why"] == (said,)

    def test_is_none_where_it_says_unknown(self):
        visit = entry("Encounter", status="finished", type=[concept("Unknown (qualifier value)")])
        assert rows.names(visit) == ("Visit", "")


class TestTheName:
    @pytest.mark.parametrize(
        ("resource_type", "sent", "english", "spanish"),
        [
            ("AllergyIntolerance", {"code": concept("NKDA")}, "No known medicine allergies", "NKDA"),
            ("FamilyMemberHistory", {"relationship": concept("mother", "urn:x", "MTH")}, "Mother", "mother"),
        ],
    )
    def test_is_in_words_of_ours_with_the_provider_s_beside_it(self, resource_type, sent, english, spanish):
        assert rows.names(entry(resource_type, **sent))[0] == english
        with translation.override("es"):
            title, theirs = rows.names(entry(resource_type, **sent))
        assert title != english
        assert theirs == spanish

    def test_of_what_nothing_is_known_about_stands_nowhere(self):
        codings = [{"system": "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips", "code": "no-problem-info"}]
        active = {"coding": [{"code": "active"}]}
        said = told("Condition", code={"coding": codings, "text": "No info"}, clinicalStatus=active)
        assert "Status" not in said

    @pytest.mark.parametrize("resource_type", ["CarePlan", "Flag"])
    def test_is_not_what_a_program_puts_before_all_it_writes(self, resource_type):
        text = {"status": "generated", "div": "<div><p>Generated Narrative with Details</p><p>id: 1</p></div>"}
        assert "Generated" not in entry(resource_type, status="active", text=text).title


class TestAValue:
    def value(self, **sent: Any) -> tuple[str, ...]:
        return told("Observation", status="final", code=concept("Cells"), **sent)["Value"]

    def test_is_a_multiple_of_a_unit_that_begins_with_a_number(self):
        sent = {"value": 4.58, "unit": "10*6/uL", "code": "10*6/uL", "system": "http://unitsofmeasure.org"}
        assert self.value(valueQuantity=sent) == ("4.58 \N{MULTIPLICATION SIGN} 10⁶/µL",)

    def test_is_no_multiple_of_a_unit_that_says_so_in_words(self):
        assert self.value(valueQuantity={"value": 4.12, "unit": "10 trillion/L"}) == ("4.12 10 trillion/L",)

    @pytest.mark.parametrize(
        ("low", "high", "said"),
        [("cells", "cells", "1 to 5 cells"), ("mg", "g", "1 mg to 5 g"), ("", "cells", "1 to 5 cells")],
    )
    def test_from_one_to_another_has_its_unit_once(self, low, high, said):
        ends = {"low": {"value": 1, "unit": low}, "high": {"value": 5, "unit": high}}
        assert self.value(valueRange=ends) == (said,)

    def test_is_not_said_again_behind_a_name_that_is_the_answer(self):
        part = {"code": concept("Pulse regular"), "valueCodeableConcept": concept("Pulse regular")}
        sent = {"status": "final", "code": concept("Pulse"), "component": [part]}
        assert told("Observation", **sent)["Parts"] == ("Pulse regular",)


class TestAnotherKind:
    @pytest.mark.parametrize(
        ("resource_type", "sent", "name"),
        [
            ("CarePlan", {"activity": [{"detail": {"description": "Walk"}}]}, "Care plan"),
            ("CarePlan", {"category": [concept("Longitudinal", "urn:x", "38717003")]}, "Care plan over a long time"),
            ("Coverage", {"subscriberId": "1"}, "Insurance"),
            ("Device", {"lotNumber": "1"}, "Device"),
        ],
    )
    def test_of_entry_has_a_plain_name(self, resource_type, sent, name):
        assert rows.names(entry(resource_type, status="active", **sent))[0] == name

    def test_of_entry_without_a_name_is_called_by_what_it_is(self):
        assert rows.names(entry("Consent", status="active", dateTime="2016-06-23")) == ("Consent", "")
        unheard = entry("Unheard", status="active", dateTime="2016-06-23")
        assert rows.names(unheard) == ("Unnamed entry", "")
        assert "Other entry (unheard)" in row_details.of(unheard)

    def test_of_entry_is_named_by_its_parts(self):
        formula = {"baseFormulaProductName": "Acme Formula + Iron"}
        assert rows.names(entry("NutritionOrder", enteralFormula=formula))[0] == "Acme Formula + Iron"

    def test_of_entry_has_spanish_words(self):
        with translation.override("es"):
            said = {name: other_kinds.of(name) for name in ("Composition", "DetectedIssue", "ClaimResponse")}
        assert said["Composition"] == "documento"
        assert "detected" not in said["DetectedIssue"]


class TestANoteThatIsARichText:
    RTF: ClassVar = "{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}Heart \\b fine\\b0\\par caf\\'e9 ñ}"

    @pytest.mark.parametrize("note", [{"note": [{"text": RTF}]}, {"comments": RTF}])
    def test_is_told_as_text(self, note):
        assert entry("Observation", status="final", code=concept("Sodium"), **note).said == ("Heart fine\ncafé ñ",)

    def test_is_told_as_text_where_it_is_a_value_or_a_conclusion(self):
        sent = {"status": "final", "code": concept("Sodium")}
        assert told("Observation", **sent, valueString=self.RTF)["Value"] == ("Heart fine\ncafé ñ",)
        assert told("DiagnosticReport", **sent, conclusion=self.RTF)["Conclusion"] == ("Heart fine\ncafé ñ",)

    @pytest.mark.parametrize(
        ("raised", "told_as"),
        [
            ("10{\\super 9}/L", "10^9/L"),
            ("10\\super 5\\nosupersub  CFU/mL", "10^5 CFU/mL"),
            ("1{\\super }0", "10"),
            ("1\\super\\super0 0", "10"),
        ],
    )
    def test_keeps_a_power_apart_from_its_number(self, raised, told_as):
        sent = {"status": "final", "code": concept("Platelets"), "valueString": f"{{\\rtf1 {raised}}}"}
        assert told("Observation", **sent)["Value"] == (told_as,)

    def test_that_was_cut_says_so(self):
        found = entry(
            "Observation", status="final", code=concept("Sodium"), note=[{"text": f"{{\\rtf1 {'a' * 400_000}}}"}]
        )
        assert found.said[0].endswith("a…")

    def test_is_told_as_it_came_where_nothing_of_it_can_be_read(self):
        sent = {"status": "final", "code": concept("Sodium"), "note": [{"text": "{\\rtf1{\\pict 00}}"}]}
        assert entry("Observation", **sent).said == ("{\\rtf1{\\pict 00}}",)
