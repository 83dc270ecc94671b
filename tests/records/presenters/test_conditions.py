"""A condition of either version becomes one entry; how certain it is comes before its status."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given

from apps.records.presenters import conditions
from apps.records.presenters.conditions import Category, ConditionEntry, Group, Status
from apps.records.presenters.entry import Context
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

ASTHMA = {"text": "Asthma", "coding": [{"system": "http://snomed.info/sct", "code": "195967001", "display": "Asthma"}]}
ROSE = {"reference": "Practitioner/9", "display": "Dr. Ada Rose"}
IPS = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"
COMMON: dict[str, Any] = {
    "resourceType": "Condition",
    "id": "c1",
    "code": ASTHMA,
    "severity": {"text": "Mild"},
    "bodySite": [{"text": "Lungs"}],
    "onsetDateTime": "2011-05",
    "asserter": ROSE,
    "encounter": {"reference": "Encounter/7"},
}
DSTU2: dict[str, Any] = {
    **COMMON,
    "patient": {"reference": "Patient/1"},
    "category": {"coding": [{"system": "http://hl7.org/fhir/condition-category", "code": "problem"}]},
    "clinicalStatus": "active",
    "verificationStatus": "confirmed",
    "dateRecorded": "2012-01-09",
    "notes": "Worse in spring",
    "stage": {"summary": {"text": "Stage 1"}},
    "evidence": [{"code": {"text": "Wheeze"}, "detail": [{"display": "Spirometry"}]}],
}
R4: dict[str, Any] = {
    **COMMON,
    "subject": {"reference": "Patient/1"},
    "category": [{"coding": [{"code": "problem-list-item"}]}],
    "clinicalStatus": {"coding": [{"code": "active"}]},
    "verificationStatus": {"coding": [{"code": "confirmed"}]},
    "recordedDate": "2012-01-09",
    "note": [{"text": "Worse in spring"}],
    "stage": [{"summary": {"text": "Stage 1"}}],
    "evidence": [{"code": [{"text": "Wheeze"}], "detail": [{"display": "Spirometry"}]}],
}
ELEMENTS = tuple(
    dict.fromkeys((*DSTU2, *R4, "abatementBoolean", "abatement", "onsetAge", "summary", "detail", "contained"))
)


def concept(code):
    return {"coding": [{"code": code}]} if code else None


def both(*, clinical=None, verification=None, **changes: Any) -> ConditionEntry:
    """The entry from either version, which is one and the same."""
    old = {"resourceType": "Condition", "id": "c1", "code": ASTHMA, **changes}
    new = {**old, "clinicalStatus": concept(clinical), "verificationStatus": concept(verification)}
    old |= {"clinicalStatus": clinical, "verificationStatus": verification}
    entry = conditions.present(old, Context())
    assert entry == conditions.present(new, Context())
    return entry


class TestAConditionOfEitherVersion:
    def test_is_the_same_entry(self):
        assert conditions.present(DSTU2, Context()) == conditions.present(R4, Context())

    @pytest.mark.parametrize(
        ("code", "said"), [("255604002", "Mild"), ("6736007", "Moderate"), ("24484000", "Severe"), ("399166001", "")]
    )
    def test_is_as_severe_as_its_code_says_where_no_word_was_sent(self, code, said):
        assert both(severity={"coding": [{"system": "http://snomed.info/sct", "code": code}]}).severity == said
        assert both(severity={"coding": [{"code": code, "display": "As sent"}]}).severity == "As sent"

    def test_has_the_facts_of_the_page(self):
        entry = conditions.present(R4, Context())
        assert (entry.title, entry.status, entry.group) == ("Asthma", Status.CURRENT, Group.CURRENT)
        assert (entry.when.means, entry.when.starts, entry.written_down.starts) == ("started", "2011-05", "2012-01-09")
        assert (entry.severity, entry.stages, entry.body_sites) == ("Mild", ("Stage 1",), ("Lungs",))
        assert (entry.evidence, entry.said) == (("Wheeze", "Spirometry"), ("Worse in spring",))
        assert (entry.people, entry.category) == (("Dr. Ada Rose",), Category.PROBLEM_LIST)
        assert entry.is_confirmed

    @pytest.mark.parametrize(
        ("clinical", "verification", "status", "group"),
        [
            ("active", None, Status.CURRENT, Group.CURRENT),
            ("relapse", "confirmed", Status.CAME_BACK, Group.CURRENT),
            ("recurrence", None, Status.CAME_BACK, Group.CURRENT),
            ("remission", None, Status.IN_REMISSION, Group.CURRENT),
            ("inactive", None, Status.INACTIVE, Group.PAST),
            ("resolved", "confirmed", Status.RESOLVED, Group.PAST),
            (None, None, Status.NOT_GIVEN, Group.NOT_GIVEN),
            ("brewing", None, Status.NOT_GIVEN, Group.NOT_GIVEN),
            ("active", "provisional", Status.POSSIBLE, Group.BEING_LOOKED_INTO),
            ("active", "differential", Status.POSSIBLE, Group.BEING_LOOKED_INTO),
            (None, "unconfirmed", Status.POSSIBLE, Group.BEING_LOOKED_INTO),
            ("active", "refuted", Status.RULED_OUT, Group.RULED_OUT),
            ("resolved", "refuted", Status.RULED_OUT, Group.RULED_OUT),
            ("active", "unknown", Status.CURRENT, Group.CURRENT),
        ],
    )
    def test_has_the_status_and_group_of_the_table(self, clinical, verification, status, group):
        entry = both(clinical=clinical, verification=verification)
        assert (entry.status, entry.group) == (status, group)
        assert entry.is_certainty_unknown == (verification == "unknown")

    def test_stands_after_the_others_in_remission(self):
        assert both(clinical="remission").rank > both(clinical="active").rank


class TestAConditionThatEnded:
    @pytest.mark.parametrize(
        "end", [{"abatementDateTime": "2015"}, {"abatementBoolean": True}, {"abatementString": "in spring"}]
    )
    def test_is_past_without_a_status(self, end):
        entry = both(**end)
        assert (entry.status, entry.group, entry.has_ended) == (Status.NOT_GIVEN, Group.PAST, True)

    @pytest.mark.parametrize("clinical", ["active", "recurrence"])
    def test_is_not_clear_where_it_is_said_to_be_current(self, clinical):
        entry = both(clinical=clinical, abatementDateTime="2015")
        assert (entry.status, entry.group, entry.ended.starts) == (Status.NOT_CLEAR, Group.NOT_CLEAR, "2015")

    @pytest.mark.parametrize(("clinical", "group"), [("resolved", Group.PAST), ("remission", Group.CURRENT)])
    def test_keeps_a_status_that_an_end_belongs_to(self, clinical, group):
        assert both(clinical=clinical, abatementDateTime="2015").group is group

    def test_has_not_where_it_says_so(self):
        assert not both(clinical="active", abatementBoolean=False).has_ended

    @pytest.mark.parametrize("clinical", ["active", "relapse"])
    @pytest.mark.parametrize(
        ("end", "is_ahead"),
        [
            ({"abatementDateTime": "2026-09-01"}, True),
            ({"abatementDateTime": "2027"}, True),
            ({"abatementPeriod": {"start": "2026-08-01", "end": "2026-10-01"}}, True),
            ({"abatementDateTime": "2026-08-31"}, False),
            ({"abatementDateTime": "2026"}, False),  # it may be over
            ({"abatementString": "in spring"}, False),
            ({"abatementBoolean": True}, False),
        ],
    )
    def test_that_is_yet_to_come_leaves_a_current_one_current(self, clinical, end, is_ahead):
        sent = {"resourceType": "Condition", "id": "c1", "code": ASTHMA, "clinicalStatus": clinical, **end}
        entry = conditions.present(sent, Context(today=date(2026, 9, 1)))
        assert (entry.group is Group.CURRENT) is is_ahead
        assert (entry.status is Status.NOT_CLEAR) is not is_ahead
        assert bool(entry.ends) is is_ahead
        assert entry.has_ended is not is_ahead

    def test_that_is_yet_to_come_makes_none_past_that_has_no_status(self):
        sent = {"resourceType": "Condition", "id": "c1", "code": ASTHMA, "abatementDateTime": "2026-09-02"}
        entry = conditions.present(sent, Context(today=date(2026, 9, 1)))
        assert (entry.group, entry.has_ended) == (Group.NOT_GIVEN, False)

    def test_that_was_yet_to_come_is_over_once_it_has_passed(self):
        sent = {"resourceType": "Condition", "id": "c1", "code": ASTHMA, "clinicalStatus": "active"}
        entry = conditions.present({**sent, "abatementDateTime": "2026-09-02"}, Context(today=date(2026, 9, 1)))
        assert entry.on(date(2026, 9, 2)) == entry
        later = entry.on(date(2026, 9, 3))
        assert (later.status, later.ended.starts, bool(later.ends)) == (Status.NOT_CLEAR, "2026-09-02", False)


class TestWhereTheProviderKeepsIt:
    @pytest.mark.parametrize("code", ["diagnosis", "encounter-diagnosis"])
    @pytest.mark.parametrize("clinical", ["active", None])
    def test_is_a_visit(self, code, clinical):
        entry = both(clinical=clinical, category=concept(code))
        assert (entry.category, entry.group) == (Category.VISIT, Group.AT_A_VISIT)

    def test_is_the_problem_list_where_it_is_both(self):
        entry = both(clinical="active", category=[concept("encounter-diagnosis"), concept("problem-list-item")])
        assert (entry.category, entry.group) == (Category.PROBLEM_LIST, Group.CURRENT)

    @pytest.mark.parametrize(
        ("status", "group"),
        [
            ({"clinical": "resolved"}, Group.PAST),
            ({"verification": "refuted"}, Group.RULED_OUT),
            ({"verification": "provisional"}, Group.BEING_LOOKED_INTO),
        ],
    )
    def test_does_not_bring_back_what_is_over(self, status, group):
        assert both(category=concept("encounter-diagnosis"), **status).group is group

    def test_is_not_given_where_it_is_a_code_of_their_own(self):
        entry = both(clinical="active", category=concept("finding"))
        assert (entry.category, entry.group) == (Category.NOT_GIVEN, Group.CURRENT)


class TestSinceWhen:
    @pytest.mark.parametrize(
        ("onset", "means"),
        [
            ({"onsetPeriod": {"start": "2011"}}, "started"),
            ({"onsetAge": {"value": 4, "code": "a"}}, "started"),
            ({"onsetQuantity": {"value": 4, "unit": "years"}}, "started"),
            ({"onsetRange": {"low": {"value": 4, "code": "a"}}}, "started"),
            ({"onsetString": "as a child"}, "started"),
            ({"recordedDate": "2012"}, "written-down"),
            ({"dateRecorded": "2012"}, "written-down"),
            ({"abatementDateTime": "2012"}, "ended"),
        ],
    )
    def test_is_read_of_every_type(self, onset, means):
        entry = both(**onset)
        assert entry.when
        assert entry.when.means == means

    def test_is_unknown_where_the_provider_says_so(self):
        url = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
        assert both(_onsetDateTime={"extension": [{"url": url, "valueCode": "unknown"}]}).when.unknown


class TestNoKnownConditions:
    def test_are_no_condition(self):
        entry = both(code={"coding": [{"system": IPS, "code": "no-known-problems"}]}, clinical="active")
        assert (entry.is_known_absence, entry.group) == (True, Group.NONE_KNOWN)

    def test_are_not_what_nobody_knows(self):
        entry = both(code={"coding": [{"system": IPS, "code": "no-problem-info"}]}, clinical="active")
        assert (entry.is_known_absence, entry.says_no_information, entry.group) == (False, True, Group.NO_INFORMATION)


class TestAnUglyCondition:
    @given(odd(*ELEMENTS))
    def test_never_raises_and_can_always_be_shelved(self, content):
        shelved(conditions.present, content)

    @pytest.mark.parametrize("verification", ["entered-in-error", concept("entered-in-error")])
    def test_keeps_nothing_of_what_was_entered_in_error(self, verification):
        sent = {**R4, "verificationStatus": verification}
        nothing = ConditionEntry(resource_type="Condition", logical_id="c1", is_withdrawn=True)
        assert conditions.present(sent, Context()) == nothing

    def test_is_withheld_where_its_name_is_masked(self):
        url = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
        entry = both(clinical="active", code={"extension": [{"url": url, "valueCode": "masked"}]}, onsetDateTime="2011")
        assert entry == ConditionEntry(resource_type="Condition", logical_id="c1", is_withheld=True)

    def test_is_named_by_its_text_alone(self):
        assert both(code={"text": "A bad knee"}).title == "A bad knee"


class TestConditionsOfOthers:
    def test_have_a_title_and_a_date_where_one_was_sent(self):
        pairs = corpus.presented(conditions.present, "Condition")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "onsetDateTime", "onsetString", "dateRecorded", "recordedDate") >= 0.98


class TestTheWords:
    def test_are_there_for_every_member(self):
        assert set(conditions.STATUS_WORDS) == set(Status)
        assert set(conditions.GROUP_WORDS) == set(Group)
