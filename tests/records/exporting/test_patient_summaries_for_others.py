"""A shared patient summary has what its owner chose, and nothing in it reveals that there is more."""

import json
from itertools import chain

import pytest
from django.utils import translation

from apps.records import shelving
from apps.records.models import Record, Shelf, SyncRun, SyncStep
from apps.records.subjects import CONDITIONS, HISTORY, PROCEDURES, RESULTS, VACCINES, VITALS
from tests.records.exporting import summarized
from tests.records.exporting.extents import (
    DISCREET,
    OTHERS,
    SUBJECTS,
    Discreet,
    broken,
    coded,
    codes,
    named,
    observed,
    only,
    resources,
    told_by,
    why,
)
from tests.records.exporting.keeping import keep, spoil
from tests.records.exporting.stories import VERSIONS, stories
from tests.records.exporting.summarized import Summarized
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import DSTU2_PATIENT, R4_PATIENT

pytestmark = pytest.mark.django_db

SHELVED = pytest.mark.parametrize("is_shelved", [False, True])
OF_BOTH_VERSIONS = pytest.mark.parametrize("version", VERSIONS)


@pytest.fixture
def kept(alice, version, is_shelved):
    """All of it, in this version."""
    connection = make_connection(alice, make_endpoint(version=version))
    keep(
        connection, R4_PATIENT if version == "r4" else DSTU2_PATIENT, *chain.from_iterable(resources(version).values())
    )
    if is_shelved:
        shelving.rebuild_all(connection, at=AT)
    return connection


class TestADocumentForOthers:
    @SHELVED
    @OF_BOTH_VERSIONS
    def test_has_one_subject_alone_where_that_is_shared(self, alice, kept):
        for subject in SUBJECTS:
            found = Summarized(alice, portion=only(subject))
            assert told_by(found) == {subject.key}
            assert b"Canary condition" not in found.written
            assert broken(found) == []

    @SHELVED
    @OF_BOTH_VERSIONS
    def test_has_all_but_one_subject_where_that_is_not_shared(self, alice, kept):
        for subject in SUBJECTS:
            found = Summarized(alice, portion=only(*(each for each in SUBJECTS if each != subject)))
            assert told_by(found) == {each.key for each in SUBJECTS} - {subject.key}
            assert broken(found) == []

    @SHELVED
    @OF_BOTH_VERSIONS
    def test_has_the_sections_of_what_is_shared_and_those_that_every_document_has(self, alice, kept):
        found = Summarized(alice, portion=only(VACCINES))
        assert set(codes(found)) == {
            summarized.MEDICINES,
            summarized.ALLERGIES,
            summarized.PROBLEMS,
            summarized.VACCINES,
        }
        for loinc in (summarized.MEDICINES, summarized.ALLERGIES, summarized.PROBLEMS):
            assert why(found, loinc) == "withheld"
            assert "The person did not share this. This does not mean there is none." in found.words(loinc)
        assert len(found.told(summarized.VACCINES)) == 1

    @SHELVED
    @OF_BOTH_VERSIONS
    def test_has_of_a_section_of_several_subjects_what_is_of_those_that_are_shared(self, alice, kept):
        keep(kept, observed("o3", "social-history", "", code={**coded("11996-6"), "text": "Canary of history"}))
        Shelf.objects.filter(subject="history").delete()
        assert len(Summarized(alice, portion=only(RESULTS)).told(summarized.PREGNANCY)) == 1
        assert len(Summarized(alice, portion=only(HISTORY)).told(summarized.PREGNANCY)) == 1
        assert len(Summarized(alice, portion=only(RESULTS, HISTORY)).told(summarized.PREGNANCY)) == 2
        assert summarized.PREGNANCY not in codes(Summarized(alice, portion=only(VITALS)))

    @SHELVED
    @OF_BOTH_VERSIONS
    def test_refers_from_a_report_to_what_is_shared_alone_and_counts_none(self, alice, kept):
        found = Summarized(alice, portion=only(RESULTS))
        (report,) = found.of_type("DiagnosticReport")
        assert [each["code"]["text"] for each in found.named(report["result"])] == ["Canary of results"]
        assert "3 results" not in found.words(summarized.RESULTS)
        whole = Summarized(alice, portion=only(RESULTS, VITALS, HISTORY)).of_type("DiagnosticReport")[0]
        assert len(whole["result"]) == 5

    @pytest.mark.parametrize("member", [named("Observation", "s1"), {"reference": "Observation/s1"}])
    def test_counts_no_members_of_a_result(self, alice, member):
        whole = observed("o1", "laboratory", "Whole", hasMember=[member])
        del whole["valueString"]
        keep(make_connection(alice), whole, observed("s1", "social-history", "Hushed"))
        assert "1 result" in Summarized(alice).words(summarized.RESULTS)
        found = Summarized(alice, portion=only(RESULTS))
        assert "1 result" not in found.words(summarized.RESULTS)
        assert "hasMember" not in found.told(summarized.RESULTS)[0]

    @SHELVED
    @OF_BOTH_VERSIONS
    def test_has_nothing_of_before_the_first_day_that_is_shared(self, alice, kept):
        inside = observed("in", "laboratory", "Canary inside")
        del inside["effectiveDateTime"]
        report = {"resourceType": "DiagnosticReport", "status": "final", "code": {"text": "Panel"}}
        old = {**report, "id": "r2", "effectiveDateTime": "2019-01-02", "conclusion": "Hushed", "contained": [inside]}
        new = {**report, "id": "r3", "effectiveDateTime": "2026-01-02", "conclusion": "Seen", "contained": [inside]}
        keep(kept, old, new, observed("o9", "laboratory", "Hushed", effectiveDateTime="2019-01-02"))
        Shelf.objects.filter(subject="results").delete()
        found = Summarized(alice, portion=only(RESULTS, since=AT.date().replace(year=2025)))
        assert b"Hushed" not in found.written
        assert "Seen; Canary inside: v" in found.words(summarized.RESULTS)
        assert "Not listed" not in found.words(summarized.RESULTS)

    @SHELVED
    @OF_BOTH_VERSIONS
    def test_is_for_the_person_themselves_where_the_part_is_theirs(self, alice, kept, version):
        found = Summarized(alice, portion=only(VACCINES, RESULTS, is_for_others=False))
        assert broken(found) == []
        assert {"vaccines", "results"} == told_by(found) & {"vaccines", "results", "allergies", "medicines", "plans"}
        said = found.composition["text"]["div"]
        assert "for the person themselves." in said
        assert "This document has only a part of the record." in said
        assert "This is not in this part of the record." in found.words(summarized.ALLERGIES)
        assert "person chose" not in found.written.decode()
        whole, others = Summarized(alice).of_type("Patient"), Summarized(alice, portion=only(VACCINES))
        assert found.of_type("Patient") == whole != others.of_type("Patient")

    @SHELVED
    @OF_BOTH_VERSIONS
    def test_says_for_whom_it_is_and_that_there_may_be_more(self, alice, kept):
        said = Summarized(alice, portion=only(VACCINES)).composition["text"]["div"]
        assert "by Holdfast, shared by the person themselves." in said
        assert "This document has only what the person chose to share. There may be more." in said
        assert "for the person themselves" not in said
        with translation.override("es"):
            found = Summarized(alice, portion=only(VACCINES))
        assert "y compartido por la propia persona." in found.composition["text"]["div"]
        assert "La persona no compartió esto." in found.words(summarized.ALLERGIES)

    @OF_BOTH_VERSIONS
    def test_of_the_sandbox_keeps_every_rule_and_is_the_same_from_shelves(self, alice, version):
        told = stories()
        connection = make_connection(alice, make_endpoint(version=version))
        keep(connection, *told["george"][version], *told["ines"][version], *told["hannah"][version])
        portions = [DISCREET, *(only(each) for each in SUBJECTS), only(RESULTS, since=AT.date().replace(month=1))]
        from_records = [Summarized(alice, portion=each) for each in portions]
        assert [broken(found) for found in from_records] == [[]] * len(portions)
        shelving.rebuild_all(connection, at=AT)
        assert [Summarized(alice, portion=each).written for each in portions] == [one.written for one in from_records]


class TestWhatIsKeptBack:
    def hushed(self, version):
        """Of each kind one more, and what would be counted."""
        told = json.loads(json.dumps(resources(version)).replace("Canary of", "Hushed"))
        return [
            *({**each, "id": f"{each['id']}-h"} for found in told.values() for each in found),
            observed("old-h", "laboratory", "Hushed results", effectiveDateTime="2020-01-02"),
            observed("no-h", "laboratory", "Hushed", status="cancelled"),
            {"resourceType": "Condition", "id": "over-h", "code": {"text": "Hushed"}, "clinicalStatus": "resolved"},
            {"resourceType": "Goal", "id": "goal-h", "description": {"text": "Hushed"}},
        ]

    @SHELVED
    @OF_BOTH_VERSIONS
    def test_is_as_if_it_had_never_been(self, alice, kept, version, is_shelved):
        run = SyncRun.objects.create(
            user=alice, connection=kept, cause="confirmed", created_at=AT, finished_at=AT, outcome="complete"
        )
        for name in ("Observation", "Condition", "Procedure"):
            SyncStep.objects.create(
                run=run, user=alice, resource_type=name, status="gap", gap="stopped_short", rows_kept=7, rows_counted=9,
                finished_at=AT,
            )  # fmt: skip
        without = Summarized(alice, portion=DISCREET)
        keep(kept, *self.hushed(version))
        if is_shelved:
            shelving.rebuild_all(kept, at=AT)
        whole = Summarized(alice, portion=OTHERS)
        assert b"Hushed" in whole.written
        assert Summarized(alice, portion=DISCREET).written == without.written

    @SHELVED
    def test_is_not_turned_into_that_there_is_none(self, alice, is_shelved):
        none = {"coding": [{"system": "http://snomed.info/sct", "code": "160245001"}], "text": "None"}
        hushed = {"resourceType": "Condition", "id": "c1", "code": {"text": "Hushed"}, "clinicalStatus": "active"}
        connection = make_connection(alice)
        keep(connection, {"resourceType": "Condition", "id": "c0", "code": none}, hushed)
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice, portion=DISCREET)
        assert "no-problem-info" in str(found.told(summarized.PROBLEMS))
        assert "no-known-problems" not in str(found.told(summarized.PROBLEMS))
        assert "recorded" not in found.words(summarized.PROBLEMS)
        Record.objects.filter(logical_id="c1").delete()
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        assert "no-known-problems" in str(Summarized(alice, portion=DISCREET).told(summarized.PROBLEMS))

    def test_is_judged_as_it_stands_now(self, alice):
        connection = make_connection(alice)
        keep(connection, observed("o1", "laboratory", "Canary"), observed("o2", "laboratory", "Seen"))
        keep(connection, observed("o3", "laboratory", "Canary", code=coded("82810-3")))
        shelving.rebuild_all(connection, at=AT)
        keep(connection, observed("o1", "laboratory", "Hushed"))
        keep(connection, observed("o3", "social-history", "Hushed", code=coded("82810-3")))
        found = Summarized(alice, portion=Discreet(frozenset({RESULTS.key}), is_for_others=True))
        assert "Seen" in found.words(summarized.RESULTS)
        assert b"Hushed" not in found.written
        assert b"Canary" not in found.written

    @SHELVED
    def test_is_also_what_a_person_answered_where_that_is_not_told(self, alice, is_shelved):
        connection = make_connection(alice)
        keep(connection, observed("o1", "survey", "Canary"), observed("o2", "laboratory", "Seen"))
        keep(connection, observed("s1", "social-history", "Canary"))
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice, portion=OTHERS, tells_answers=False)
        assert b"Canary" not in found.written
        assert b"lives or feels" not in found.written
        assert why(found, summarized.HISTORY) == "unavailable"
        assert "Canary" in Summarized(alice, portion=OTHERS).words(summarized.RESULTS)

    def test_is_also_the_provider_of_whom_nothing_is_told(self, alice):
        keep(make_connection(alice), R4_PATIENT, observed("o1", "laboratory", "Seen"))
        clinic = make_connection(alice, make_endpoint("https://canary.example/r4"), fhir_patient_id="canary-7")
        clinic.provider.name = "Canary Clinic"
        clinic.provider.save()
        keep(clinic, {**R4_PATIENT, "id": "canary-7"}, observed("o2", "laboratory", "Hushed"))
        found = Summarized(alice, portion=DISCREET)
        assert b"anary" not in found.written
        assert "From Harbor Family Practice" in found.composition["text"]["div"]
        assert "Canary Clinic" in Summarized(alice, portion=OTHERS).composition["text"]["div"]


class TestWhatIsMissing:
    def steps(self, user, connection, **gaps):
        run = SyncRun.objects.create(
            user=user, connection=connection, cause="confirmed", created_at=AT, finished_at=AT, outcome="complete"
        )
        for name in ("Observation", "Immunization", "Procedure", "Condition", "Flag", "FamilyMemberHistory"):
            told = {"status": "gap", "gap": gaps[name]} if name in gaps else {"status": "complete"}
            SyncStep.objects.create(run=run, user=user, resource_type=name, finished_at=AT, **told)

    def test_is_told_of_what_is_shared_without_why_or_how_many(self, alice):
        connection = make_connection(alice)
        keep(connection, observed("o1", "laboratory", "Seen"))
        self.steps(alice, connection, Observation="unavailable", Immunization="not_shared", Flag="unavailable")
        found = Summarized(alice, portion=only(RESULTS, PROCEDURES, CONDITIONS))
        said = "Some of this may be missing: not all of it came, or not all of it could be opened."
        assert said in found.words(summarized.RESULTS)
        assert said not in found.words(summarized.PROCEDURES)  # of which none was sent
        assert said not in found.words(summarized.PROBLEMS)
        assert found.written.decode().count(said) == 1
        for word in ("1 entry", "could not get", "Not shared", "sent no entries"):
            assert word not in found.written.decode()
        assert said in Summarized(alice, portion=OTHERS).words(summarized.ALERTS)

    def test_is_told_of_no_subject_that_is_not_shared_where_a_section_has_several(self, alice):
        connection = make_connection(alice)
        keep(connection, *resources("r4")["results"])
        self.steps(alice, connection, FamilyMemberHistory="unavailable")
        for subjects, is_told in (((RESULTS,), False), ((RESULTS, HISTORY), True)):
            found = Summarized(alice, portion=only(*subjects))
            assert ("Some of this may be missing" in found.words(summarized.PREGNANCY)) is is_told

    @SHELVED
    def test_is_not_told_of_what_does_not_open_of_a_subject_that_is_not_shared(self, alice, is_shelved):
        connection = make_connection(alice)
        aunt = {"resourceType": "FamilyMemberHistory", "id": "f1", "name": "Canary Aunt"}
        keep(connection, *resources("r4")["results"], *resources("r4")["history"], aunt)
        self.steps(alice, connection)
        spoil(connection, "FamilyMemberHistory", "f1")
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        for subjects, is_told in (((RESULTS,), False), ((RESULTS, HISTORY), True)):
            found = Summarized(alice, portion=only(*subjects))
            assert ("Some of this may be missing" in found.words(summarized.PREGNANCY)) is is_told

    def test_is_told_of_what_does_not_open(self, alice):
        connection = make_connection(alice)
        keep(connection, observed("o1", "laboratory", "Seen"), resources("r4")["vaccines"][0])
        self.steps(alice, connection)
        spoil(connection, "Immunization", "i1")
        found = Summarized(alice, portion=only(RESULTS, VACCINES))
        assert "Some of this may be missing" in found.words(summarized.VACCINES)
        assert "Some of this may be missing" not in found.words(summarized.RESULTS)
