"""A visit of either version becomes one entry, with who was seen and where."""

from typing import Any

import pytest
from hypothesis import given

from apps.records.presenters import visits
from apps.records.presenters.entry import Context
from apps.records.presenters.naming import Person
from apps.records.presenters.visits import Diagnosis, Group, Kind, Status, Use, VisitEntry
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

ACT = "http://terminology.hl7.org/CodeSystem/v3-ActCode"
ROSE = {"reference": "Practitioner/9", "display": "Dr. Ada Rose"}
STAY = {
    "admitSource": {"text": "Emergency department"},
    "origin": {"display": "Fen Clinic"},
    "dischargeDisposition": {"text": "Home"},
    "destination": {"display": "Own home"},
    "reAdmission": {"text": "Readmitted"},
}
COMMON: dict[str, Any] = {
    "resourceType": "Encounter",
    "id": "e1",
    "status": "finished",
    "type": [{"text": "Knee surgery"}, {"text": "Follow-up"}],
    "period": {"start": "2013-03-11", "end": "2013-03-20"},
    "participant": [
        {"type": [{"text": "Attending"}], "individual": ROSE},
        {"individual": {"reference": "Patient/1", "display": "Wren"}},
        {"individual": {"reference": "Practitioner/unknown"}},
    ],
    "serviceProvider": {"display": "Tarn Hospital"},
    "location": [{"location": {"display": "Ward 1"}, "period": {"start": "2013-03-12"}}, {"status": "active"}],
    "length": {"value": 9, "unit": "days"},
    "priority": {"text": "Urgent"},
    "partOf": {"reference": "Encounter/e0"},
}
DSTU2: dict[str, Any] = {
    **COMMON,
    "class": "inpatient",
    "patient": {"reference": "Patient/1"},
    "reason": [{"text": "Bad knee"}],
    "indication": [{"reference": "Condition/2", "display": "Torn ligament"}],
    "hospitalization": {
        **STAY,
        "admittingDiagnosis": [{"display": "Injury"}],
        "dischargeDiagnosis": [{"display": "Torn ligament"}],
    },
}
R4: dict[str, Any] = {
    **COMMON,
    "class": {"system": ACT, "code": "IMP", "display": "inpatient encounter"},
    "subject": {"reference": "Patient/1"},
    "reasonCode": [{"text": "Bad knee"}],
    "reasonReference": [{"reference": "Condition/2", "display": "Torn ligament"}],
    "diagnosis": [
        {"condition": {"display": "Injury"}, "use": {"coding": [{"code": "AD", "display": "Admission diagnosis"}]}},
        {"condition": {"display": "Torn ligament"}, "use": {"coding": [{"code": "DD"}]}},
    ],
    "hospitalization": STAY,
}
ELEMENTS = tuple(dict.fromkeys((*DSTU2, *R4, *STAY, "individual", "serviceType", "condition", "use")))


def old(**changes: Any) -> VisitEntry:
    return visits.present({**DSTU2, **changes}, Context())


def new(**changes: Any) -> VisitEntry:
    return visits.present({**R4, **changes}, Context())


class TestAVisitOfEitherVersion:
    def test_is_the_same_entry(self):
        assert old() == new()

    def test_has_the_facts_of_the_page(self):
        entry = new()
        assert (entry.title, entry.kind, entry.group) == ("Knee surgery", Kind.HOSPITAL_STAY, Group.PAST)
        assert (entry.when.means, entry.when.starts, entry.when.ends) == ("seen", "2013-03-11", "2013-03-20")
        assert (entry.participants, entry.people) == ((Person("Dr. Ada Rose", "Attending"),), ("Dr. Ada Rose",))
        assert [(place.name, place.when.starts) for place in entry.places] == [("Ward 1", "2013-03-12")]
        assert (entry.clinic, entry.types) == ("Tarn Hospital", ("Knee surgery", "Follow-up"))
        assert entry.reasons == ("Bad knee", "Torn ligament")
        assert entry.diagnoses == (Diagnosis("Injury", Use.ADMISSION), Diagnosis("Torn ligament", Use.DISCHARGE))
        assert (entry.length.shown, entry.priority) == ("9 days", "Urgent")

    def test_says_how_a_stay_began_and_ended(self):
        stay = old().hospitalization
        assert (stay.came_from, stay.origin, stay.readmission) == ("Emergency department", "Fen Clinic", "Readmitted")
        assert (stay.discharged_to, stay.destination) == ("Home", "Own home")

    @pytest.mark.parametrize(
        ("before", "after", "kind"),
        [
            ("outpatient", "AMB", Kind.VISIT),
            ("ambulatory", "AMB", Kind.VISIT),
            ("inpatient", "IMP", Kind.HOSPITAL_STAY),
            ("inpatient", "ACUTE", Kind.HOSPITAL_STAY),
            ("inpatient", "NONAC", Kind.HOSPITAL_STAY),
            ("emergency", "EMER", Kind.EMERGENCY),
            ("virtual", "VR", Kind.VIRTUAL),
            ("home", "HH", Kind.HOME),
            ("daytime", "SS", Kind.SHORT_STAY),
            ("daytime", "OBSENC", Kind.SHORT_STAY),
            ("field", "FLD", Kind.VISIT),
            ("other", None, Kind.VISIT),
            (None, None, Kind.VISIT),
        ],
    )
    def test_has_the_kind_of_the_table(self, before, after, kind):
        coded = {"coding": [{"code": after}]}
        sent = [old(**{"class": before}), new(**{"class": {"system": ACT, "code": after}}), new(**{"class": coded})]
        assert [entry.kind for entry in sent] == [kind] * 3

    def test_keeps_the_words_of_a_class_that_we_do_not_know(self):
        assert new(**{"class": {"code": "PRENC", "display": "pre-admission"}}).class_said == "pre-admission"
        assert new().class_said == ""

    @pytest.mark.parametrize(
        ("sent", "status", "group"),
        [
            ("planned", Status.PLANNED, Group.PLANNED),
            ("arrived", Status.ARRIVED, Group.NOW),
            ("triaged", Status.ARRIVED, Group.NOW),
            ("in-progress", Status.IN_PROGRESS, Group.NOW),
            ("onleave", Status.ON_LEAVE, Group.NOW),
            ("finished", Status.FINISHED, Group.PAST),
            ("cancelled", Status.CANCELED, Group.CANCELED),
            ("unknown", Status.NOT_GIVEN, Group.NOT_GIVEN),
            (None, Status.NOT_GIVEN, Group.NOT_GIVEN),
        ],
    )
    def test_has_the_status_and_group_of_the_table(self, sent, status, group):
        assert [(each.status, each.group) for each in (old(status=sent), new(status=sent))] == [(status, group)] * 2

    def test_is_open_where_it_goes_on_without_an_end(self):
        assert new(status="in-progress", period={"start": "2013-03-11"}).is_open
        assert not new(status="finished", period={"start": "2013-03-11"}).is_open

    @pytest.mark.parametrize(("status", "goes_on"), [("in-progress", True), ("finished", False), ("cancelled", False)])
    def test_that_is_over_is_not_told_as_since_then(self, status, goes_on):
        for read in (old, new):
            assert read(status=status, period={"start": "2013-03-11"}).when.is_open is goes_on

    def test_is_planned_for_a_date_that_nobody_was_seen_on(self):
        assert new(status="planned").when.means == "planned"


class TestAnUglyVisit:
    @given(odd(*ELEMENTS))
    def test_never_raises_and_can_always_be_shelved(self, content):
        shelved(visits.present, content)

    @pytest.mark.parametrize("said", ["N/A", "None", "unknown", "-"])
    def test_is_named_by_its_first_type_that_is_a_name(self, said):
        assert new(type=[{"text": said}, {"text": "Follow-up"}]).title == "Follow-up"

    def test_is_named_by_its_service_where_no_type_is(self):
        assert new(type=None, serviceType={"text": "Cardiology"}).title == "Cardiology"
        assert new(type=[{"coding": [{"code": "99201"}]}], serviceType={"text": "Cardiology"}).title == "Cardiology"

    def test_is_named_by_nothing_where_only_a_class_was_sent(self):
        entry = visits.present({"resourceType": "Encounter", "class": "emergency", "status": "finished"}, Context())
        assert (entry.title, entry.kind, entry.is_withheld) == ("", Kind.EMERGENCY, False)

    def test_keeps_nothing_of_what_was_entered_in_error(self):
        nothing = VisitEntry(resource_type="Encounter", logical_id="e1", is_withdrawn=True)
        assert new(status="entered-in-error") == nothing


class TestVisitsOfOthers:
    def test_have_a_title_and_a_date_where_one_was_sent(self):
        pairs = corpus.presented(visits.present, "Encounter")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "period") >= 0.98


class TestTheWords:
    def test_are_there_for_every_member(self):
        tables: list[tuple[Any, Any]] = [
            (Kind, visits.KIND_WORDS),
            (Status, visits.STATUS_WORDS),
            (Group, visits.GROUP_WORDS),
            (Use, visits.USE_WORDS),
        ]
        assert all(set(words) == set(members) for members, words in tables)
