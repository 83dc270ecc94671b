"""Care plans, goals and care teams of either version become one kind of entry each."""

import pytest
from hypothesis import given

from apps.records.presenters import care_plans, care_teams, goals
from apps.records.presenters.care_plans import Progress
from apps.records.presenters.care_teams import Circle
from apps.records.presenters.entry import NOT_GIVEN, Context
from apps.records.presenters.goals import Verdict
from apps.records.viewing import facts
from apps.records.viewing.facts import in_rows, lines
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

PLAN_NAMES = (
    "title", "category", "description", "activity", "detail", "status", "goal", "addresses", "author", "prohibited",
    "doNotPerform", "scheduledTiming", "scheduledString", "progress", "note", "period", "text", "div",
)  # fmt: skip
GOAL_NAMES = (
    "description", "lifecycleStatus", "achievementStatus", "status", "target", "measure", "detailQuantity",
    "detailString", "dueDate", "dueDuration", "targetDate", "targetQuantity", "startDate",
    "addresses", "note", "expressedBy", "category",
)  # fmt: skip
TEAM_NAMES = (
    "name", "participant", "member", "role", "period", "onBehalfOf", "managingOrganization", "status", "category",
    "reasonCode", "telecom", "note",
)  # fmt: skip
NARRATIVE = {"status": "generated", "div": "<div><p>Heart plan</p><ul><li>Walk</li></ul></div>"}
PLAN = {
    "resourceType": "CarePlan",
    "id": "c1",
    "text": NARRATIVE,
    "description": "Keep the heart going",
    "period": {"start": "2026-01-02"},
    "addresses": [{"display": "Heart failure"}],
    "goal": [{"reference": "Goal/g1"}],
    "note": [{"text": "Call us"}],
}
TO_DO = {"status": "in-progress", "description": "Walk"}
FINCH = {"resourceType": "Practitioner", "id": "f", "name": {"text": "Dr. Finch"}, "telecom": [{"value": "555-0100"}]}
CONTEXT = Context(others={"Practitioner/f": FINCH, "Goal/g1": {"id": "g1", "description": {"text": "Walk a mile"}}})


class TestAThingToDo:
    def test_says_how_often_how_much_where_and_why(self):
        detail = {
            "description": "Walk",
            "status": "cancelled",
            "statusReason": {"text": "Knee pain"},
            "scheduledTiming": {"repeat": {"frequency": 3, "period": 1, "periodUnit": "wk"}},
            "dailyAmount": {"value": 30, "unit": "minutes"},
            "location": {"display": "The park"},
            "performer": [{"display": "Dr. Finch"}],
            "reasonCode": [{"text": "Heart failure"}],
        }
        activity = {"outcomeCodeableConcept": [{"text": "Less breath"}], "detail": detail}
        entry = care_plans.present({**PLAN, "activity": [activity]}, Context())
        told = ("Stopped", "Knee pain", "3 times a week", "each day: 30 minutes", "The park", "Dr. Finch")
        ends = ("because of: Heart failure", "what came of it: Less breath")
        assert lines.of(entry.activities) == (" · ".join(("Walk", *told, *ends)),)

    def test_says_so_in_dstu2_as_well(self):
        repeat = {"frequency": 3, "period": 1, "periodUnits": "wk"}
        detail = {"description": "Walk", "scheduledTiming": {"repeat": repeat}, "statusReason": {"text": "Knee pain"}}
        activity = {"actionResulting": [{"display": "Less breath"}], "detail": detail}
        entry = care_plans.present({**PLAN, "activity": [activity]}, Context())
        assert lines.of(entry.activities) == ("Walk · Knee pain · 3 times a week · what came of it: Less breath",)

    @pytest.mark.parametrize(
        ("activity", "told"),
        [
            (
                {"reference": {"reference": "Task/3"}, "outcomeCodeableConcept": [{"text": "Went well"}]},
                "what came of it: Went well",
            ),
            ({"actionResulting": [{"display": "Went well"}]}, "what came of it: Went well"),
            ({"detail": {"status": "cancelled", "statusReason": {"text": "Knee pain"}}}, "Stopped · Knee pain"),
            ({"detail": {"status": "completed", "scheduledPeriod": {"start": "2026"}}}, ""),
        ],
    )
    def test_is_told_where_it_has_no_name_and_says_more_than_how_far_it_is(self, activity, told):
        entry = care_plans.present({**PLAN, "activity": [activity]}, Context())
        assert lines.of(entry.activities) == ((told,) if told else ())


class TestACarePlan:
    def test_is_the_same_from_both_versions(self):
        dstu2 = care_plans.present(
            {
                **PLAN,
                "status": "cancelled",
                "author": [{"reference": "Practitioner/f"}],
                "category": [{"coding": [{"system": "http://argonaut.hl7.org", "code": "assess-plan"}]}],
                "activity": [{"detail": {**TO_DO, "prohibited": True}}],
            },
            CONTEXT,
        )
        r4 = care_plans.present(
            {
                **PLAN,
                "status": "revoked",
                "title": "Heart plan",
                "author": {"reference": "Practitioner/f"},
                "category": [{"coding": [{"code": "assess-plan", "display": "Assessment and Plan of Treatment"}]}],
                "activity": [{"detail": {**TO_DO, "doNotPerform": True}}],
            },
            CONTEXT,
        )
        assert dstu2 == r4
        assert (r4.title, r4.status, r4.group) == ("Heart plan", "stopped", "past")
        assert r4.people == ("Dr. Finch",)
        assert (r4.reasons, r4.goals, r4.said) == (("Heart failure",), ("Walk a mile",), ("Call us",))
        (activity,) = r4.activities
        assert (activity.text, activity.progress, activity.is_to_avoid) == ("Walk", Progress.UNDER_WAY, True)

    @pytest.mark.parametrize(
        ("code", "status", "group"),
        [
            ("proposed", "not-final", "not-final"),
            ("draft", "not-final", "not-final"),
            ("active", "current", "current"),
            ("on-hold", "paused", "current"),
            ("completed", "finished", "past"),
            ("unknown", NOT_GIVEN, NOT_GIVEN),
            (None, NOT_GIVEN, NOT_GIVEN),
        ],
    )
    def test_has_one_status(self, code, status, group):
        entry = care_plans.present({"title": "x", "status": code}, Context())
        assert (entry.status, entry.group) == (status, group)

    @pytest.mark.parametrize(
        ("intent", "status"),
        [("proposal", "suggested"), ("option", "suggested"), ("plan", "current"), ("order", "current")],
    )
    def test_is_suggested_by_its_intent_unless_that_says_no_more_than_what_it_is(self, intent, status):
        assert care_plans.present({"title": "x", "status": "active", "intent": intent}, Context()).status == status

    def test_is_not_called_by_a_category_that_every_plan_has(self):
        category = [{"coding": [{"code": "assess-plan", "display": "Plan"}]}, {"text": "Diabetes self care"}]
        assert care_plans.present({"category": category}, Context()).title == "Diabetes self care"

    @given(odd(*PLAN_NAMES))
    def test_never_raises_and_can_be_shelved(self, content):
        shelved(care_plans.present, content)

    def test_of_others_has_a_title_and_a_date_where_one_was_sent(self):
        pairs = corpus.presented(care_plans.present, "CarePlan")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "period") >= 0.98

    def test_has_nothing_to_do_that_was_entered_in_error(self):
        sent = [{"detail": {"description": each, "status": each}} for each in ("Entered-In-Error", "cancelled")]
        entry = care_plans.present({"resourceType": "CarePlan", "status": "active", "activity": sent}, Context())
        assert [each.text for each in entry.activities] == ["cancelled"]


class TestAGoal:
    def test_is_the_same_from_both_versions(self):
        shared = {"resourceType": "Goal", "id": "g", "startDate": "2026-02-01", "note": [{"text": "Well done"}]}
        dstu2 = {**shared, "description": "Walk a mile", "status": "achieved", "targetDate": "2026-08-01"}
        r4 = {
            **shared,
            "description": {"text": "Walk a mile"},
            "lifecycleStatus": "completed",
            "achievementStatus": {"coding": [{"code": "achieved"}]},
            "target": [{"dueDate": "2026-08-01"}],
        }
        entry = goals.present(r4, Context())
        assert goals.present(dstu2, Context()) == entry
        assert (entry.title, entry.status, entry.verdict) == ("Walk a mile", "reached", Verdict.REACHED)
        assert (entry.due.means, entry.due.starts) == ("due", "2026-08-01")
        assert entry.group == "past"

    @pytest.mark.parametrize(
        ("lifecycle", "achievement", "status", "verdict"),
        [
            ("proposed", None, "suggested", NOT_GIVEN),
            ("active", "improving", "working-on-it", Verdict.CLOSER),
            ("active", "no-progress", "working-on-it", Verdict.NO_CHANGE),
            ("active", "sustaining", "kept-up", Verdict.KEPT_UP),
            ("on-hold", "not-attainable", "paused", Verdict.NOT_POSSIBLE),
            ("completed", "not-achieved", "finished", Verdict.NOT_REACHED),
            ("rejected", "achieved", "not-pursued", Verdict.REACHED),
            ("strange", "strange", NOT_GIVEN, NOT_GIVEN),
        ],
    )
    def test_tells_the_providers_verdict_beside_its_status(self, lifecycle, achievement, status, verdict):
        sent = {"description": {"text": "x"}, "lifecycleStatus": lifecycle}
        sent["achievementStatus"] = {"coding": [{"code": achievement}]}
        entry = goals.present(sent, Context())
        assert (entry.status, entry.verdict) == (status, verdict)

    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ({"value": 3, "unit": "months", "system": "http://unitsofmeasure.org", "code": "mo"}, "3 months"),
            ({"value": 1.0, "system": "http://unitsofmeasure.org", "code": "wk"}, "1 week"),
            ({"value": 6, "comparator": "<", "unit": "mo"}, "< 6 mo"),
            ({"value": 2, "unit": "cycles"}, "2 cycles"),
            ({"value": "about 3", "unit": "months"}, "about 3 months"),
        ],
    )
    def test_is_to_be_reached_within_the_time_that_was_sent(self, sent, said):
        old = goals.present({"description": "x", "status": "accepted", "targetQuantity": sent}, Context())
        new = goals.present({"description": {"text": "x"}, "target": [{"dueDuration": sent}]}, Context())
        for entry in (old, new):
            shown = {fact.label: fact.lines for fact in facts.of(entry, provider="Tarn")}
            assert shown["To be reached within"] == (said,)
            assert "To be reached by" not in shown
            assert in_rows.of(entry) == (f"To be reached within: {said}",)

    def test_has_the_time_of_each_of_several_targets(self):
        weight = {"measure": {"text": "Weight"}, "detailQuantity": {"value": 70, "unit": "kg"}}
        sent = [{**weight, "dueDuration": {"value": 3, "unit": "mo"}}, {"dueDuration": {"value": 1, "unit": "a"}}]
        entry = goals.present({"description": {"text": "x"}, "target": sent}, Context())
        shown = {fact.label: fact.lines for fact in facts.of(entry, provider="Tarn")}
        assert shown["Targets"] == ("Weight · 70 kg · within: 3 months", "within: 1 year")

    def test_keeps_the_digits_of_what_is_to_be_reached(self):
        target = {"measure": {"text": "Weight"}, "detailQuantity": {"value": 70.0, "unit": "kg"}}
        (found,) = goals.present({"description": "x", "target": [target]}, Context()).targets
        assert (found.measure, found.value.quantity.value, found.value.quantity.unit) == ("Weight", "70.0", "kg")

    @given(odd(*GOAL_NAMES))
    def test_never_raises_and_can_be_shelved(self, content):
        shelved(goals.present, content)

    def test_of_others_has_a_title_and_a_date_where_one_was_sent(self):
        pairs = corpus.presented(goals.present, "Goal")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "startDate", "statusDate") >= 0.98


class TestACareTeam:
    def test_is_the_same_from_a_care_plan_of_dstu2_and_a_care_team(self):
        dstu2 = {
            "id": "t",
            "status": "active",
            "text": {"div": "<div><p>Heart team</p></div>"},
            "category": [{"coding": [{"system": "http://argonaut.hl7.org", "code": "careteam"}]}],
            "participant": [{"role": {"text": "Cardiologist"}, "member": {"reference": "Practitioner/f"}}],
        }
        r4 = {
            "id": "t",
            "status": "active",
            "text": {"div": "<div><p>Heart team</p></div>"},
            "name": "Heart team",
            "participant": [{"role": [{"text": "Cardiologist"}], "member": {"reference": "Practitioner/f"}}],
        }
        assert care_plans.is_care_team(dstu2)
        entry = care_teams.present(r4, CONTEXT)
        assert care_teams.present(dstu2, CONTEXT) == entry
        (member,) = entry.members
        assert (member.name, member.roles, member.circle) == ("Dr. Finch", ("Cardiologist",), Circle.CLINICIANS)
        assert member.contacts[0].value == "555-0100"

    def test_has_not_the_patient_as_a_member(self):
        team = {"name": "x", "participant": [{"member": {"reference": "Patient/1", "display": "Wren"}}]}
        assert care_teams.present(team, Context()).members == ()

    def test_tells_family_from_others(self):
        members = [
            {"reference": "RelatedPerson/1", "display": "Sam"},
            {"reference": "https://a.example/fhir/Organization/2", "display": "Meals"},
        ]
        team = {"name": "x", "participant": [{"member": member} for member in members]}
        circles = [member.circle for member in care_teams.present(team, Context()).members]
        assert circles == [Circle.FAMILY, Circle.OTHERS]

    @pytest.mark.parametrize("relationship", [[{"text": "Niece"}], {"coding": [{"code": "NIECE", "display": "Niece"}]}])
    def test_says_what_somebody_of_the_family_is_to_the_patient(self, relationship):
        niece = {"resourceType": "RelatedPerson", "id": "n", "name": [{"text": "Ida"}], "relationship": relationship}
        plain, helper = (
            care_teams.present(
                {"contained": [niece], "participant": [{"member": {"reference": "#n"}, **also}]}, Context()
            ).members[0]
            for also in ({}, {"role": [{"text": "Caregiver"}]})
        )
        assert (plain.name, plain.roles) == ("Ida", ("Niece",))
        assert helper.roles == ("Caregiver",)

    def test_says_since_and_until_when_somebody_belongs_to_it(self):
        participant = {"member": {"display": "Dr. Finch"}, "period": {"start": "2025", "end": "2026-01"}}
        (member,) = care_teams.present({"name": "x", "participant": [participant]}, Context()).members
        assert (member.since, member.until) == ("2025", "2026-01")

    @given(odd(*TEAM_NAMES))
    def test_never_raises_and_can_be_shelved(self, content):
        shelved(care_teams.present, content)

    def test_of_others_has_a_title_and_a_date_where_one_was_sent(self):
        pairs = corpus.presented(care_teams.present, "CareTeam")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "period") >= 0.98
