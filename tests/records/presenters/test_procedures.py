"""A procedure of either version becomes one entry; an order for one does not."""

from typing import Any

import pytest
from hypothesis import given

from apps.records.presenters import orders, procedures
from apps.records.presenters.entry import Context
from apps.records.presenters.naming import Person
from apps.records.presenters.procedures import Group, Handled, ProcedureEntry, Status
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

APPENDECTOMY = {"text": "Appendectomy", "coding": [{"system": "http://snomed.info/sct", "code": "80146002"}]}
ROSE = {"reference": "Practitioner/9", "display": "Dr. Ada Rose"}
COMMON: dict[str, Any] = {
    "resourceType": "Procedure",
    "id": "p1",
    "status": "completed",
    "code": APPENDECTOMY,
    "subject": {"reference": "Patient/1"},
    "category": {"text": "Surgery"},
    "performedPeriod": {"start": "2013-04-05T09:00:00Z", "end": "2013-04-05T10:30:00Z"},
    "location": {"display": "Tarn Hospital"},
    "encounter": {"reference": "Encounter/7"},
    "bodySite": [{"text": "Abdomen"}],
    "outcome": {"text": "Good"},
    "report": [{"reference": "DiagnosticReport/5", "display": "Pathology"}],
    "complication": [{"text": "Fever"}],
    "followUp": [{"text": "Stitches out in 5 days"}],
    "focalDevice": [{"manipulated": {"display": "Clip"}}],
}
DSTU2: dict[str, Any] = {
    **COMMON,
    "performer": [{"actor": ROSE, "role": {"text": "Surgeon"}}],
    "reasonCodeableConcept": {"text": "Pain"},
    "notes": [{"text": "Routine"}],
    "notPerformed": False,
    "request": {"reference": "ProcedureRequest/3"},
    "used": [{"display": "Mesh"}],
}
R4: dict[str, Any] = {
    **COMMON,
    "performer": [{"actor": ROSE, "function": {"text": "Surgeon"}}],
    "reasonCode": [{"text": "Pain"}],
    "note": [{"text": "Routine"}],
    "basedOn": [{"reference": "ServiceRequest/3"}],
    "usedReference": [{"display": "Mesh"}],
}
ELEMENTS = tuple(
    dict.fromkeys((*DSTU2, *R4, "performed", "item", "event", "scheduled", "occurrence", "intent", "type"))
)


def old(**changes: Any) -> ProcedureEntry:
    return procedures.present({**DSTU2, **changes}, Context())


def new(**changes: Any) -> ProcedureEntry:
    return procedures.present({**R4, **changes}, Context())


class TestAProcedureOfEitherVersion:
    def test_is_the_same_entry(self):
        assert old() == new()

    def test_names_nobody_of_whom_only_the_function_was_sent(self):
        entry = new(performer=[{"function": {"text": "Nurse"}}, {"actor": ROSE}])
        assert entry.people == ("Dr. Ada Rose",)

    def test_has_the_facts_of_the_page(self):
        entry = new()
        assert (entry.title, entry.status, entry.group) == ("Appendectomy", Status.DONE, Group.PERFORMED)
        assert (entry.when.means, entry.when.starts) == ("done", "2013-04-05T09:00:00Z")
        assert (entry.performers, entry.people) == ((Person("Dr. Ada Rose", "Surgeon"),), ("Dr. Ada Rose",))
        assert (entry.place, entry.category, entry.body_sites) == ("Tarn Hospital", "Surgery", ("Abdomen",))
        assert (entry.reasons, entry.outcome, entry.complications) == (("Pain",), "Good", ("Fever",))
        assert (entry.handled, entry.devices, entry.reports) == ((Handled("Clip"),), ("Mesh",), ("Pathology",))
        assert (entry.follow_ups, entry.said) == (("Stitches out in 5 days",), ("Routine",))

    @pytest.mark.parametrize(
        ("sent", "status", "group"),
        [
            ("completed", Status.DONE, Group.PERFORMED),
            ("in-progress", Status.UNDER_WAY, Group.PERFORMED),
            ("preparation", Status.PLANNED, Group.ORDERED),
            ("aborted", Status.NOT_FINISHED, Group.PERFORMED),
            ("stopped", Status.NOT_FINISHED, Group.PERFORMED),
            ("on-hold", Status.ON_HOLD, Group.PERFORMED),
            ("unknown", Status.NOT_GIVEN, Group.NOT_GIVEN),
            (None, Status.NOT_GIVEN, Group.NOT_GIVEN),
            ("someday", Status.NOT_GIVEN, Group.NOT_GIVEN),
        ],
    )
    def test_has_the_status_and_group_of_the_table(self, sent, status, group):
        assert [(each.status, each.group) for each in (old(status=sent), new(status=sent))] == [(status, group)] * 2

    def test_was_not_done_alike_in_both(self):
        before = old(notPerformed=True, reasonNotPerformed=[{"text": "Declined"}])
        assert before == new(status="not-done", statusReason={"text": "Declined"})
        assert (before.status, before.group, before.reasons_not) == (Status.NOT_DONE, Group.NOT_DONE, ("Declined",))

    @pytest.mark.parametrize(
        "performed",
        [
            {"performedDateTime": "2013-04"},
            {"performedString": "as a child"},
            {"performedAge": {"value": 9, "code": "a"}},
            {"performedRange": {"low": {"value": 8, "code": "a"}, "high": {"value": 9, "code": "a"}}},
        ],
    )
    def test_has_a_date_of_every_type(self, performed):
        assert new(performedPeriod=None, **performed).when

    @pytest.mark.parametrize("code", ["no-known-procedures", "no-procedure-info"])
    def test_is_none_where_it_says_that_there_is_none(self, code):
        system = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"
        entry = new(code={"coding": [{"system": system, "code": code}]})
        assert entry.group is (Group.NONE_KNOWN if code == "no-known-procedures" else Group.NO_INFORMATION)


class TestAnOrderOfEitherVersion:
    NEW = {
        "resourceType": "ServiceRequest",
        "id": "s1",
        "status": "active",
        "intent": "order",
        "code": APPENDECTOMY,
        "authoredOn": "2013-04-01",
        "occurrenceDateTime": "2013-04-05",
        "requester": ROSE,
        "reasonCode": [{"text": "Pain"}],
        "note": [{"text": "Soon"}],
    }
    OLD = {
        "resourceType": "ProcedureRequest",
        "id": "s1",
        "status": "requested",
        "code": APPENDECTOMY,
        "orderedOn": "2013-04-01",
        "scheduledDateTime": "2013-04-05",
        "orderer": ROSE,
        "reasonCodeableConcept": {"text": "Pain"},
        "notes": [{"text": "Soon"}],
    }

    def present(self, **changes: Any) -> ProcedureEntry:
        return orders.present({**self.NEW, **changes}, Context())

    def test_is_the_same_entry(self):
        entry = self.present(resourceType="ProcedureRequest")
        assert orders.present(self.OLD, Context()) == entry
        assert (entry.status, entry.group, entry.people) == (Status.ORDERED, Group.ORDERED, ("Dr. Ada Rose",))
        assert (entry.when.means, entry.when.starts, entry.planned.starts) == ("ordered", "2013-04-01", "2013-04-05")

    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            ({"status": "draft"}, Status.PLANNED),
            ({"intent": "plan"}, Status.PLANNED),
            ({"intent": "proposal", "status": "completed"}, Status.DONE),
            ({"status": "revoked"}, Status.CANCELED),
            ({"status": "rejected"}, Status.CANCELED),
            ({"status": "suspended"}, Status.ON_HOLD),
            ({"status": "in-progress"}, Status.UNDER_WAY),
            ({"doNotPerform": True}, Status.NOT_TO_BE_DONE),
            ({"status": None}, Status.NOT_GIVEN),
        ],
    )
    def test_stays_among_the_orders_whatever_its_status(self, sent, status):
        assert (self.present(**sent).status, self.present(**sent).group) == (status, Group.ORDERED)

    def test_is_named_and_dated_by_the_items_of_a_diagnostic_order(self):
        sent = {
            "resourceType": "DiagnosticOrder",
            "item": [{"code": {"text": "Blood count"}}, {"code": {"text": "Iron"}}],
            "event": [{"status": "requested", "dateTime": "2013-05-02"}],
        }
        entry = orders.present(sent, Context())
        assert (entry.title, entry.details, entry.when.starts) == ("Blood count", ("Iron",), "2013-05-02")

    def test_is_not_named_by_an_item_that_is_not_done(self):
        iron = {"code": {"text": "Iron"}, "status": "cancelled", "bodySite": {"text": "Arm"}}
        blood = {"code": {"text": "Blood"}, "bodySite": {"text": "Leg"}}
        entry = orders.present({"resourceType": "DiagnosticOrder", "item": [iron, blood]}, Context())
        assert (entry.title, entry.details, entry.canceled, entry.body_sites) == ("Blood", (), ("Iron",), ("Leg",))
        assert orders.present({"resourceType": "DiagnosticOrder", "item": [iron]}, Context()).title == "Iron"

    def test_is_named_by_the_service_of_a_referral(self):
        sent = {"type": {"text": "Referral"}, "serviceRequested": [{"text": "Physiotherapy"}], "description": "Knee"}
        entry = orders.present({"resourceType": "ReferralRequest", "dateSent": "2013", **sent}, Context())
        assert (entry.title, entry.details) == ("Physiotherapy", ("Knee",))

    def test_is_named_by_its_description_where_that_is_all(self):
        assert orders.present({"status": "active", "description": "Knee"}, Context()).title == "Knee"

    @given(odd(*ELEMENTS))
    def test_never_raises_and_can_always_be_shelved(self, content):
        shelved(orders.present, content)


class TestAnUglyProcedure:
    @given(odd(*ELEMENTS))
    def test_never_raises_and_can_always_be_shelved(self, content):
        shelved(procedures.present, content)

    def test_keeps_nothing_of_what_was_entered_in_error(self):
        nothing = ProcedureEntry(resource_type="Procedure", logical_id="p1", is_withdrawn=True)
        assert new(status="entered-in-error") == nothing
        assert orders.present({**R4, "status": "entered-in-error"}, Context()).is_withdrawn

    def test_is_withheld_where_it_has_no_content(self):
        sent = {"resourceType": "Procedure", "id": "p1", "status": "completed", "subject": {"reference": "Patient/1"}}
        assert procedures.present(sent, Context()).is_withheld


class TestProceduresOfOthers:
    def test_have_a_title_and_a_date_where_one_was_sent(self):
        pairs = corpus.presented(procedures.present, "Procedure")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "performedDateTime", "performedPeriod", "performedString") >= 0.98

    def test_have_them_when_they_are_ordered_as_well(self):
        pairs = corpus.presented(
            orders.present, "ServiceRequest", "ProcedureRequest", "DiagnosticOrder", "ReferralRequest"
        )
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "authoredOn", "orderedOn", "dateSent", "event", "occurrenceDateTime") >= 0.98


class TestTheWords:
    def test_are_there_for_every_member(self):
        assert set(procedures.STATUS_WORDS) == set(Status)
        assert set(procedures.GROUP_WORDS) == set(Group)
