"""The page to read as somebody else sees it: no links to pages of its owner, and no names of other people."""

import re
from dataclasses import replace

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from apps.records import shelving
from apps.records.exporting import choosing, relatives, summaries
from apps.records.exporting.gaps import Gaps, Missing
from apps.records.exporting.portions import WHOLE, Portion
from apps.records.models import Record, Shelf, SyncRun, SyncStep
from apps.records.subjects import ALLERGIES, CONDITIONS, HISTORY, MEDICINES, RESULTS, TEAM, VISITS
from tests.records.exporting.keeping import spoil
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import DSTU2_PATIENT, R4_PATIENT
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db

MOTHER = {"coding": [{"system": "http://hl7.org/fhir/v3/RoleCode", "code": "MTH"}]}
CONTACT = {"name": {"text": "Odalys Canary"}, "telecom": [{"system": "phone", "value": "555-0199"}]}
NUTS = {"code": {"text": "Hazelnuts"}, "substance": {"text": "Hazelnuts"}}
VISIT = {"status": "finished", "period": {"start": "2024-05-06", "end": "2024-05-06"}}
NAMED: dict[str, object] = {"r4": [{"text": "Odalys Canary"}], "dstu2": {"text": "Odalys Canary"}}
OTHERS = replace(WHOLE, is_for_others=True)
versions = pytest.mark.parametrize("connection", ["r4", "dstu2"], indirect=True)
shelves = pytest.mark.parametrize("has_shelves", [True, False])


@pytest.fixture
def connection(request, alice):
    version = getattr(request, "param", "r4")
    return make_connection(alice, make_endpoint(f"https://fhir.example/{version}", version=version))


def relative(connection, logical_id, name, relationship, ill="Gout"):
    note = {"text": f"{name} was ill for years"}
    notes = {"r4": [note], "dstu2": note}[connection.endpoint.fhir_version]
    return {
        "resourceType": "FamilyMemberHistory",
        "id": logical_id,
        "status": "completed",
        "name": name,
        "relationship": relationship,
        "note": notes,
        "condition": [{"code": {"text": ill}, "note": notes}],
    }


def person(connection):
    sent = {"r4": R4_PATIENT, "dstu2": DSTU2_PATIENT}[connection.endpoint.fhir_version]
    return {**sent, "contact": [CONTACT]}


def told(user, portion=OTHERS):
    return summaries.summary(choosing.choices(user, at=AT), at=AT, portion=portion)


def drawn(summary):
    """As a page has it that nobody signed in for."""
    return re.sub(r"\s+", " ", render_to_string("records/exporting/summary_body.html", {"summary": summary, "now": AT}))


class TestASummaryForOthers:
    @versions
    @shelves
    def test_calls_relatives_by_what_they_are_and_by_no_name(self, alice, connection, has_shelves):
        keep(
            connection,
            relative(connection, "f1", "Ida Canary", MOTHER),
            relative(connection, "f2", "Ida Canary", {"text": "Aunt Ída  CANARY"}, ill="Migraine"),
            relative(connection, "f3", "Ida Canary", {}, ill="Asthma"),
            relative(connection, "f4", "Ida Canary", {"text": "Stepmother"}, ill="Zoster"),
        )
        if not has_shelves:
            Shelf.objects.all().delete()
        portion = Portion(frozenset({HISTORY.key}), is_for_others=True)
        html = drawn(told(alice, portion))
        assert not re.search("ida|canary|ída|ill for years", html, re.IGNORECASE)
        for said in ("Mother", "Relative", "Stepmother", "Gout", "Migraine", "Asthma", "Zoster"):
            assert said in html
        assert "Ida Canary" in drawn(told(alice, Portion(frozenset({HISTORY.key}))))

    def test_names_no_relative_of_a_care_team(self, alice, connection):
        members = [
            {"reference": "RelatedPerson/k1", "display": "Ida Canary"},
            {"reference": "Practitioner/d1", "display": "Dr. Orla Vane"},
        ]
        team = {"resourceType": "CareTeam", "id": "t1", "name": "Team", "status": "active"}
        keep(connection, {**team, "participant": [{"member": each} for each in members]})
        html = drawn(told(alice, Portion(frozenset({TEAM.key}), is_for_others=True)))
        assert "Orla Vane" in html
        assert "Canary" not in html
        assert "Canary" in drawn(told(alice, Portion(frozenset({TEAM.key}))))

    @versions
    @shelves
    def test_names_no_relative_who_reported_or_took_part(self, alice, connection, has_shelves):
        mother = {"reference": "RelatedPerson/k1", "display": "Ida Canary"}
        doctor = {"reference": "Practitioner/d1", "display": "Dr. Orla Vane"}
        inside = {"resourceType": "RelatedPerson", "id": "k2", "name": NAMED[connection.endpoint.fhir_version]}
        took_part = [{"individual": each} for each in ({"reference": "#k2"}, doctor)]
        nuts = {**NUTS, "recorder": doctor, "asserter": mother, "reporter": mother}
        keep(
            connection,
            {"resourceType": "AllergyIntolerance", "id": "a1", **nuts},
            {"resourceType": "Encounter", "id": "e1", **VISIT, "contained": [inside], "participant": took_part},
        )
        if not has_shelves:
            Shelf.objects.all().delete()
        subjects = frozenset({ALLERGIES.key, VISITS.key})
        html = drawn(told(alice, Portion(subjects, is_for_others=True)))
        assert html.count("Orla Vane") == 2
        assert "Canary" not in html
        own = drawn(told(alice, Portion(subjects)))
        assert "Ida Canary" in own
        assert "Odalys Canary" in own

    @pytest.mark.parametrize("is_long", [False, True])
    def test_names_nobody_of_what_does_not_open_or_holds_a_file(self, alice, connection, monkeypatch, is_long):
        mother = {"reference": "RelatedPerson/k1", "display": "Ida Canary"}
        keep(connection, {"resourceType": "AllergyIntolerance", "id": "a1", **NUTS, "asserter": mother})
        if is_long:
            monkeypatch.setattr(relatives, "_LONGEST", 10)
        else:
            spoil(connection, "AllergyIntolerance", "a1")
        html = drawn(told(alice, Portion(frozenset({ALLERGIES.key}), is_for_others=True)))
        assert "Hazelnuts" in html
        assert "Canary" not in html

    @versions
    @shelves
    def test_counts_no_results_of_a_report_of_which_some_may_be_left_out(self, alice, connection, has_shelves):
        named = [{"reference": f"Observation/{number}"} for number in range(7)]
        report = {"resourceType": "DiagnosticReport", "id": "d1", "status": "final", "code": {"text": "Panel"}}
        keep(connection, {**report, "effectiveDateTime": "2024-05-06", "result": named})
        if not has_shelves:
            Shelf.objects.all().delete()
        html = drawn(told(alice, Portion(frozenset({RESULTS.key}), tells_sensitive=False, is_for_others=True)))
        assert "Panel" in html
        assert "7 results" not in html
        assert "7 results" in drawn(told(alice, Portion(frozenset({RESULTS.key}))))

    @versions
    def test_has_no_contact_persons(self, alice, connection):
        keep(connection, person(connection))
        shelving.rebuild_all(connection, at=AT)
        assert "555-0199" in drawn(told(alice, WHOLE))
        html = drawn(told(alice))
        assert "555-0199" not in html
        assert "Odalys" not in html

    @versions
    @shelves
    def test_does_not_count_what_is_withdrawn_or_gone(self, alice, connection, has_shelves):
        mistaken = {**result(1), "status": "entered-in-error"}
        keep(connection, result(0), mistaken, order("m1"))
        Record.objects.filter(resource_type__startswith="Medication").update(removed_at=AT)
        shelving.rebuild_all(connection, at=AT)
        if not has_shelves:
            Shelf.objects.all().delete()
        own = told(alice, WHOLE)
        assert own.withdrawn
        assert own.gone
        summary = told(alice)
        assert (summary.withdrawn, summary.gone) == ((), ())
        html = drawn(summary)
        assert "withdrawn" not in html
        assert "no longer at" not in html

    def test_does_not_say_what_may_be_grave_nor_that_one_could_open_it(self, alice, connection):
        said = {"resourceType": "Observation", "id": "o1", "status": "final", "code": {"text": "Histology of a biopsy"}}
        report = {"resourceType": "DiagnosticReport", "id": "r1", "code": said["code"], "conclusion": "Sorrowful words"}
        keep(connection, {**said, "valueString": "Sorrowful words"}, report)
        html = drawn(told(alice))
        assert html.count("Not shown here, as it may be sensitive news") == 2
        assert "Sorrowful" not in html
        assert "your record" not in html

    def test_says_who_shared_it_and_leads_nowhere(self, alice, connection):
        keep(connection, person(connection), result(0), order("m1"), relative(connection, "f1", "Ida", MOTHER))
        html = drawn(told(alice))
        assert "Shared by the person themselves." in html
        assert "for the person themselves" not in html
        assert not re.search(r'href="[^#]|<form|<button', html)

    def test_leads_to_each_of_its_lists_where_there_are_many(self, alice, connection):
        keep(connection, person(connection), result(0), order("m1"))
        html = drawn(told(alice))
        names = re.findall(r'<a href="#([a-z-]+)">', html)
        assert names == ["allergies", "medicines", "conditions", "results"]
        assert all(f'<section id="{name}">' in html for name in names)
        few = Portion(frozenset({RESULTS.key, MEDICINES.key}), is_for_others=True)
        assert "<nav" not in drawn(told(alice, few))

    def test_does_not_offer_a_long_list_to_be_downloaded(self, alice, connection):
        keep(connection, *(result(number, name=f"Test {number}", code=f"x{number}") for number in range(210)))
        assert "download everything as received" in drawn(told(alice, WHOLE))
        html = drawn(told(alice))
        assert "Here are" in html
        assert "Download" not in html

    def test_says_what_may_be_missing_and_not_why(self, alice, connection):
        keep(connection, result(0))
        summary = told(alice)
        missing = (Missing("Results", "You did not share this."), Missing("Visits", "You did not share this."))
        (choice,) = summary.choices
        choice = replace(choice, gaps=Gaps(missing, is_arriving=True))
        html = drawn(replace(summary, choices=(choice,)))
        provider = choice.source.provider
        assert f"{provider} may have more than is here. It would be under: Results, Visits." in html
        assert "The record is still arriving." in html
        assert "You did not" not in html
        assert not re.search(r"\b[Yy]our\b", html)
        own = drawn(replace(summary, choices=(choice,), portion=WHOLE))
        assert "You did not share this." in own
        assert "Your record is still arriving." in own

    def test_takes_what_a_provider_sent_none_of_for_nothing_that_is_missing(self, alice, connection):
        """Its owner reads that none was sent; to somebody else it would read as a fault."""
        keep(connection, result(0))
        run = SyncRun.objects.create(
            user=alice, connection=connection, cause="confirmed", created_at=AT, outcome="complete", finished_at=AT
        )
        for name in ("AllergyIntolerance", "Condition", "Observation", "DiagnosticReport"):
            SyncStep.objects.create(run=run, user=alice, resource_type=name, status="complete", finished_at=AT)
        few = Portion(frozenset({ALLERGIES.key, CONDITIONS.key, RESULTS.key}))
        assert "sent no entries." in drawn(told(alice, few))
        html = drawn(told(alice, replace(few, is_for_others=True)))
        assert "may have more than is here" not in html
        assert "Nothing is missing from this part, as far as we know." in html
        assert "Nothing is listed. This does not mean there is none." in html

    def test_says_alike_that_sensitive_matters_are_left_out_whether_there_are_any(self, alice, sam, connection):
        keep(connection, {"resourceType": "Condition", "id": "c1", "code": {"text": "Depression"}}, result(0))
        keep(make_connection(sam, make_endpoint("https://other.example/r4")), result(0))
        portion = replace(OTHERS, tells_sensitive=False)
        mine, none = (drawn(told(user, portion)) for user in (alice, sam))
        assert mine == none
        assert "What many people keep to themselves is not here, whether there is any or not" in mine
        assert "keep to themselves" not in drawn(told(alice))

    def test_says_so_in_spanish(self, alice, connection):
        keep(connection, result(0))
        with translation.override("es"):
            html = drawn(told(alice, replace(OTHERS, tells_sensitive=False)))
        assert "Compartido por la propia persona." in html
        assert "Lo que muchas personas se reservan no está aquí" in html

    def test_is_told_to_its_owner_as_before(self, alice, connection):
        keep(connection, person(connection), result(0))
        html = drawn(told(alice, WHOLE))
        assert "for the person themselves." in html
        assert "Shared by" not in html
        assert "only a part" not in html
