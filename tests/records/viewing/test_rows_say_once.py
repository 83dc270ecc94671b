"""A row says nothing twice, and nothing that its heading or its date contradicts."""

import json
from typing import Any

import pytest
from django.utils import translation

from apps.connections.models import Connection
from apps.directory.models import Provider
from apps.records import presenting, subjects
from apps.records.presenters.entry import Context, Entry
from apps.records.shelving.reading import Shelved
from apps.records.viewing import facts
from apps.records.viewing.listing import rows
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Source
from apps.records.viewing.wording import words

HARBOR = "Harbor Family Practice"


def entry(resource_type: str, **sent: Any) -> Entry:
    body = json.dumps({"resourceType": resource_type, "id": "x1", **sent}).encode()
    return presenting.present(body, resource_type=resource_type, logical_id="x1", context=Context())[1]


def listed(*told: Entry, person: str = "") -> tuple[Row, ...]:
    connection = Connection(provider=Provider(name=HARBOR))
    source = Source(connection, None, is_out_of_date=False, person=person)
    shelved = [Shelved(pk, connection.pk, "visits", (0, "", "", pk), each) for pk, each in enumerate(told, start=1)]
    return rows.of(shelved, {connection.pk: source})


def row(told: Entry, *, person: str = "") -> Row:
    (found,) = listed(told, person=person)
    return found


class TestAMember:
    def test_who_gives_a_team_its_name_is_not_named_again(self):
        team = entry(
            "CareTeam", status="active", name="Heron Clinic", participant=[{"member": {"display": "Heron Clinic"}}]
        )
        assert row(team).title == "Heron Clinic"
        assert row(team).details == ()


class TestAPlace:
    @pytest.mark.parametrize(
        ("names", "told"),
        [
            (["Ward 4", "Ward 4"], ["Heron Clinic", "Ward 4"]),
            (["Heron Clinic"], ["Heron Clinic"]),
            (["Heron Clinic", "Room 2"], ["Heron Clinic", "Room 2"]),
            ([HARBOR], ["Heron Clinic"]),  # who tells of it, at the end of the row
            ([], ["Heron Clinic"]),
        ],
    )
    def test_of_a_visit_is_told_beside_its_clinic_where_it_is_another(self, names, told):
        places = [{"location": {"display": name}, "period": {"start": "2024-01-05"}} for name in names]
        sent = {"status": "finished", "class": {"code": "AMB"}, "type": [{"text": "Check-up"}], "location": places}
        visit = entry("Encounter", **sent, serviceProvider={"display": "Heron Clinic"})
        assert list(row(visit).details) == ["Visit", *told]


class TestAnEntryWithoutDetails:
    """What the provider hides, nobody can say was not given."""

    @pytest.mark.parametrize("resource_type", ["CareTeam", "Encounter", "MedicationRequest", "Procedure"])
    def test_lacks_neither_a_status_nor_a_date(self, resource_type):
        told = row(entry(resource_type, status="active"))
        assert (told.title, told.status, told.when) == ("Entry without details", "", "")
        assert told.details == (f"{HARBOR} hides the details of this entry.",)


class TestAStatus:
    """Rows of one page share their words only where all is alike that these hang on."""

    def test_is_that_of_each_row_though_others_of_its_kind_stand_beside_it(self):
        canceled, code = {"status": "cancelled"}, {"code": {"text": "Sodium"}}
        empty = entry("Observation", **code, **canceled)
        valued = entry("Observation", **code, **canceled, valueQuantity={"value": 5, "unit": "mmol/L"})
        order = entry("MedicationRequest", medicationCodeableConcept={"text": "Cetirizine"})
        hidden = entry("MedicationRequest")
        goal = entry("Goal", lifecycleStatus="completed", description={"text": "Walk"})
        judged = entry(
            "Goal",
            lifecycleStatus="completed",
            description={"text": "Swim"},
            achievementStatus={"coding": [{"code": "not-achieved"}]},
        )
        for told in ((empty, valued, order, hidden, goal, judged), (judged, goal, hidden, order, valued, empty)):
            assert [one.status for one in listed(*told)] == [row(each).status for each in told]
        assert row(judged).status == "Finished (see the verdict)"
        assert (row(order).status, row(hidden).status) == ("Status not given", "")
        assert row(empty).status != row(valued).status

    @pytest.mark.parametrize(
        ("resource_type", "sent", "said"),
        [
            ("Encounter", {"status": "planned"}, "Planeada"),
            ("Encounter", {"status": "cancelled"}, "Cancelada"),
            ("AllergyIntolerance", {"status": "refuted", "substance": {"text": "Almonds"}}, "Descartada"),
            ("Condition", {"verificationStatus": "refuted", "code": {"text": "Asthma"}}, "Descartado"),
            ("Goal", {"status": "completed", "description": "Walk"}, "Terminada"),
            ("CarePlan", {"status": "completed", "title": "Walking"}, "Terminado"),
            ("MedicationRequest", {"status": "cancelled", "intent": "order"}, "Cancelado"),
        ],
    )
    def test_agrees_in_spanish_with_what_it_is_of(self, resource_type, sent, said):
        with translation.override("es"):
            assert row(entry(resource_type, **sent, note=[{"text": "x"}])).status == said

    @pytest.mark.parametrize(
        ("subject", "group", "said"),
        [
            (subjects.ALLERGIES, "past", "Anteriores"),
            (subjects.CONDITIONS, "at-a-visit", "Anotados en una visita"),
            (subjects.CONDITIONS, "ruled-out", "Descartados"),
            (subjects.MEDICINES, "current", "Actuales"),
            (subjects.MEDICINES, "suggested", "Sugeridos, no recetados"),
            (subjects.PLANS, "current", "Actuales"),
            (subjects.PLANS, "suggested", "Propuestas"),
            (subjects.PROCEDURES, "performed", "Realizados"),
            (subjects.PROCEDURES, "not-done", "No realizados"),
            (subjects.VACCINES, "given", "Aplicadas"),
            (subjects.VACCINES, "not-completed", "No completadas"),
        ],
    )
    def test_is_of_many_in_spanish_where_it_heads_them(self, subject, group, said):
        with translation.override("es"):
            assert words.of_group(subject.key, group) == said


class TestWhatWasNotDone:
    @pytest.mark.parametrize(
        ("resource_type", "sent"),
        [
            ("Immunization", {"status": "not-done", "statusReason": {"text": "patient declined"}}),
            ("Immunization", {"wasNotGiven": True, "explanation": {"reasonNotGiven": [{"text": "patient declined"}]}}),
            ("Procedure", {"status": "not-done", "statusReason": {"text": "patient declined"}}),
            ("Procedure", {"notPerformed": True, "reasonNotPerformed": [{"text": "patient declined"}]}),
        ],
    )
    def test_says_in_its_row_why_not(self, resource_type, sent):
        assert "Why not: patient declined" in row(entry(resource_type, **sent)).details


class TestTheClinic:
    @pytest.mark.parametrize("person", ["", "Tam Quillfeather"])
    def test_is_not_named_where_the_row_ends_with_it(self, person):
        visit = entry("Encounter", status="finished", serviceProvider={"display": HARBOR})
        assert HARBOR not in row(visit, person=person).details
        assert HARBOR in row(visit, person=person).providers[0]

    def test_is_named_where_another_tells_of_the_same_visit(self):
        visit = entry("Encounter", status="finished", period={"start": "2019-03-04"},
                      type=[{"coding": [{"system": "s", "code": "c", "display": "Check-up"}]}],
                      serviceProvider={"display": HARBOR})  # fmt: skip
        found = [Connection(provider=Provider(name=name)) for name in (HARBOR, "Heron Clinic")]
        sources = {one.pk: Source(one, None, is_out_of_date=False) for one in found}
        shelved = [Shelved(number, one.pk, "visits", (0, "", "", number), visit) for number, one in enumerate(found)]
        (told,) = rows.of(shelved, sources)
        assert told.providers == (HARBOR, "Heron Clinic")
        assert HARBOR in told.details

    def test_is_named_where_it_is_another(self):
        visit = entry("Encounter", status="finished", serviceProvider={"display": "Hill Street"})
        assert "Hill Street" in row(visit).details

    def test_is_told_where_it_is_the_answer_to_a_question(self):
        answer = entry("Observation", status="final", code={"text": "Usual clinic"}, valueString=HARBOR)
        assert HARBOR in row(answer).details


class TestAnOrder:
    @pytest.mark.parametrize(
        ("status", "said"), [("completed", "Order carried out"), ("active", "Ordered"), ("revoked", "Canceled")]
    )
    def test_that_is_done_is_no_procedure_that_is(self, status, said):
        order = entry("ServiceRequest", status=status, intent="order", code={"text": "Colonoscopy"})
        assert row(order).status == said

    def test_leaves_a_procedure_done(self):
        assert row(entry("Procedure", status="completed", code={"text": "Colonoscopy"})).status == "Done"


class TestAGoal:
    def test_that_was_reached_says_so_once(self):
        told = row(entry("Goal", status="achieved", description={"text": "Climb stairs"}))
        assert (told.status, told.details) == ("Reached", ())


class TestInsurance:
    def test_that_ended_was_valid_in_a_time_and_did_not_start_in_one(self):
        told = row(entry("Coverage", status="active", period={"start": "2000-01-01", "end": "2012-06-30"}))
        assert (told.when_label, told.when) == ("Valid", "January 1, 2000 to June 30, 2012")


class TestWhatStarted:
    def test_has_a_page_that_says_so_once(self):
        team = entry("CareTeam", status="active", period={"start": "2019-02-20"})
        told = {fact.label: fact.lines for fact in facts.of(team, provider=HARBOR)}
        assert told["Started"] == ("February 20, 2019",)
        assert row(team).when == "Since February 20, 2019"

    def test_has_such_a_page_where_it_is_not_done_yet(self):
        course = entry("Procedure", status="in-progress", performedPeriod={"start": "2019-02-20"})
        told = {fact.label: fact.lines for fact in facts.of(course, provider=HARBOR)}
        assert told["Started"] == ("February 20, 2019",)


class TestHowLongASupplyIsValid:
    @pytest.mark.parametrize(
        ("period", "said"),
        [
            ({"start": "2024-03-04"}, "valid since March 4, 2024"),
            ({"end": "2024-03-04"}, "valid until March 4, 2024"),
            ({"start": "2024-03-04", "end": "2024-05-06"}, "valid: March 4 to May 6, 2024"),
        ],
    )
    def test_is_one_phrase(self, period, said):
        order = entry("MedicationRequest", status="active", intent="order", dispenseRequest={"validityPeriod": period})
        assert said in [line for fact in facts.of(order, provider=HARBOR) for line in fact.lines]
