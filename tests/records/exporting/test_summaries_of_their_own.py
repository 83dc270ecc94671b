"""Sections whose entries are picked from other subjects are there only if they have entries."""

from datetime import datetime

import pytest

from apps.records import shelving
from apps.records.exporting.ips.transient_states import TransientState
from apps.records.models import SyncRun, SyncStep
from apps.records.presenters.datatypes.moments import When
from tests.records.exporting.keeping import keep, spoil
from tests.records.exporting.summarized import (
    ALERTS,
    ALLERGIES,
    DIRECTIVES,
    HISTORY,
    PREGNANCY,
    PROBLEMS,
    RESULTS,
    VITALS,
    Summarized,
)
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import allergy

pytestmark = pytest.mark.django_db

LOINC = "http://loinc.org"


def coded(code, text="Canary"):
    return {"coding": [{"system": LOINC, "code": code}], "text": text}


def observed(logical_id, code, category="", **elements):
    categories = {"category": [{"coding": [{"code": category}]}]} if category else {}
    return {
        "resourceType": "Observation", "id": logical_id, "status": "final", "code": coded(code), **categories,
        "effectiveDateTime": "2026-01-02", "valueString": "Yes", **elements,
    }  # fmt: skip


def flag(logical_id="f1", **elements):
    return {
        "resourceType": "Flag", "id": logical_id, "status": "active", "code": {"text": "Canary"},
        "period": {"start": "2024-05-06"}, "category": [{"text": "Safety"}], **elements,
    }  # fmt: skip


def paper(logical_id="d1", **elements):
    return {
        "resourceType": "DocumentReference", "id": logical_id, "status": "current", "type": coded("86533-7"),
        "description": "Her living will", "date": "2020-01-01T10:00:00Z", **elements,
        "content": [{"attachment": {"contentType": "application/pdf", "creation": "2019-03-04", "url": "Binary/1"}}],
    }  # fmt: skip


def gap(connection, resource_type, gap="unavailable"):
    run = SyncRun.objects.create(
        user=connection.user, connection=connection, cause="confirmed", created_at=AT, outcome="partial", finished_at=AT
    )
    columns = {"resource_type": resource_type, "status": "gap", "gap": gap, "finished_at": AT}
    SyncStep.objects.create(run=run, user=connection.user, **columns)


def there(found):
    return [each["code"]["coding"][0]["code"] for each in found.composition["section"]]


class TestASectionOfItsOwn:
    def test_is_not_there_where_it_has_nothing(self, alice):
        over = flag(status="inactive")
        keep(make_connection(alice), over, observed("o1", "2160-0"), paper(type=coded("34133-9")))
        assert not {ALERTS, PREGNANCY, DIRECTIVES} & set(there(Summarized(alice)))

    def test_is_there_where_what_it_has_is_hidden(self, alice):
        masked = {"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "masked"}
        keep(make_connection(alice), {"resourceType": "Flag", "id": "f1", "extension": [masked]})
        assert "1 entry is hidden by the provider." in Summarized(alice).words(ALERTS)

    @pytest.mark.parametrize("is_shelved", [False, True])
    @pytest.mark.parametrize(("loinc", "sent"), [(ALERTS, flag()), (DIRECTIVES, paper())])
    def test_is_there_where_what_may_be_its_own_does_not_open(self, alice, loinc, sent, is_shelved):
        connection = make_connection(alice)
        keep(connection, sent)
        spoil(connection, sent["resourceType"], sent["id"])
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice)
        words = found.words(loinc)
        assert "Entries from Harbor Family Practice that may belong here could not be opened." in words
        assert "Nothing is listed. This does not mean there is none." in words
        assert found.section(loinc)["emptyReason"]["coding"][0]["code"] == "unavailable"
        assert PREGNANCY not in there(found)

    @pytest.mark.parametrize(
        ("loinc", "resource_type", "reason", "said"),
        [
            (ALERTS, "Flag", "unavailable", "We could not get this on November 20, 2026."),
            (ALERTS, "Flag", "not_shared", "did not allow this kind of entry."),
            (DIRECTIVES, "DocumentReference", "unavailable", "We could not get this on November 20, 2026."),
            (DIRECTIVES, "DocumentReference", "not_offered", "does not offer this to apps."),
        ],
    )
    def test_is_there_where_its_own_did_not_come(self, alice, loinc, resource_type, reason, said):
        gap(make_connection(alice), resource_type, reason)
        found = Summarized(alice)
        assert there(found).count(loinc) == 1
        assert said in found.words(loinc).replace("\N{NO-BREAK SPACE}", " ")
        assert found.section(loinc)["emptyReason"]["coding"][0]["code"] == "unavailable"

    def test_says_nothing_of_what_is_not_its_own(self, alice):
        connection = make_connection(alice)
        keep(connection, flag(), {"resourceType": "Appointment", "id": "a1"})
        gap(connection, "Appointment")
        found = Summarized(alice)
        assert "We could not get this" not in found.words(ALERTS)
        assert not {PREGNANCY, DIRECTIVES} & set(there(found))


class TestAnAlert:
    @pytest.mark.parametrize("is_shelved", [False, True])
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    def test_is_told_first(self, alice, version, is_shelved):
        connection = make_connection(alice, make_endpoint(version=version))
        sent = {"dstu2": flag(category={"text": "Safety"}), "r4": flag()}[version]
        keep(connection, sent, {"resourceType": "Appointment", "id": "a1", "description": "Not an alert"})
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice)
        assert there(found)[0] == ALERTS
        (only,) = found.told(ALERTS)
        told = {name: only[name] for name in ("resourceType", "status", "code", "category", "period")}
        assert told == {
            "resourceType": "Flag", "status": "active", "code": {"text": "Canary"},
            "category": [{"text": "Safety"}], "period": {"start": "2024-05-06"},
        }  # fmt: skip
        assert "<td>Canary</td>" in found.words(ALERTS)
        assert "no place for" not in found.words(ALERTS)

    @pytest.mark.parametrize(("status", "count"), [("inactive", 0), ("entered-in-error", 0), ("", 1), ("odd", 1)])
    def test_that_is_over_is_not_told(self, alice, status, count):
        keep(make_connection(alice), flag(status=status))
        assert len(Summarized(alice).of_type("Flag")) == count


class TestAPregnancy:
    @pytest.mark.parametrize("is_shelved", [False, True])
    @pytest.mark.parametrize("category", ["social-history", "laboratory", "vital-signs", ""])
    def test_is_told_by_itself_wherever_its_provider_put_it(self, alice, category, is_shelved):
        connection = make_connection(alice)
        expected = observed("o2", "11778-8", category, valueString=None, valueDateTime="2026-07-11")
        keep(connection, observed("o1", "82810-3", category), expected)
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice)
        told = {each["code"]["coding"][0]["code"]: each for each in found.told(PREGNANCY)}
        assert told["82810-3"]["valueString"] == "Yes"
        assert told["11778-8"]["valueDateTime"] == "2026-07-11"
        assert not any(found.told(each) for each in (HISTORY, RESULTS, VITALS))

    def test_counts_as_it_was_last_told(self, alice):
        later = observed("o2", "82810-3", effectiveDateTime="2026-09-01", valueString="No")
        keep(make_connection(alice), observed("o1", "82810-3"), later)
        (only,) = Summarized(alice).told(PREGNANCY)
        assert only["valueString"] == "No"

    @pytest.mark.parametrize("code", ["82810-3", "11778-8"])
    @pytest.mark.parametrize(
        ("when", "said"),
        [
            ("2026-02-01", ""),
            ("2026", ""),
            ("2027-01-01", ""),
            ("9999", ""),
            ("2026-01-18", "Recorded more than 10 months ago: it may no longer be true."),
            ("2025", "Recorded more than 10 months ago: it may no longer be true."),
            ("2011-05", "Recorded more than 10 months ago: it may no longer be true."),
            (None, "We do not know when this was recorded: it may no longer be true."),
        ],
    )
    def test_that_may_be_over_says_so(self, alice, code, when, said):
        keep(make_connection(alice), observed("o1", code, effectiveDateTime=when))
        words = Summarized(alice).words(PREGNANCY)
        assert ("may no longer be true" in words) is bool(said)
        assert said in words

    @pytest.mark.parametrize(("due", "has_passed"), [("2026-11-19", True), ("2026-11-20", False), ("2026-11", False)])
    def test_whose_day_has_passed_says_so(self, alice, due, has_passed):
        told = {"effectiveDateTime": "2026-03-01", "valueString": None, "valueDateTime": due}
        keep(make_connection(alice), observed("o1", "11778-8", **told))
        assert ("; This day has passed.</td>" in Summarized(alice).words(PREGNANCY)) is has_passed

    @pytest.mark.parametrize(
        ("due", "day", "has_passed"),
        [
            ("2026-02", "2026-02-28", False),
            ("2026-02", "2026-03-01", True),
            ("2026", "2026-12-31", False),
            ("2026", "2027-01-01", True),
        ],
    )
    def test_whose_month_or_year_is_over_says_so_from_the_next_day_on(self, due, day, has_passed):
        told = TransientState(When(starts="2026-02-01"), due=When(starts=due))
        assert (told.remark(datetime.fromisoformat(f"{day}T12:00:00Z")) == "This day has passed.") is has_passed

    def test_says_once_why_some_of_it_is_missing(self, alice):
        keep(make_connection(alice), observed("o1", "82810-3"))
        assert Summarized(alice).words(PREGNANCY).count("Not fetched yet.") == 1

    def test_that_ended_is_no_older_for_that(self, alice):
        births = observed("o1", "11996-6", effectiveDateTime="2011-01-01", valueString=None, valueInteger=2)
        keep(make_connection(alice), births)
        assert "may no longer be true" not in Summarized(alice).words(PREGNANCY)

    @pytest.mark.parametrize(("category", "where"), [("social-history", HISTORY), ("", RESULTS)])
    def test_is_only_counted_where_the_person_does_not_tell_how_they_live(self, alice, category, where):
        keep(make_connection(alice), observed("o1", "82810-3", category))
        found = Summarized(alice, tells_answers=False)
        assert PREGNANCY not in there(found)
        assert "they tell how the person lives or feels: 1." in found.words(where)
        assert found.of_type("Observation") == []

    def test_of_the_same_number_in_another_code_system_is_none(self, alice):
        other = {"coding": [{"system": "urn:oid:1.2.3", "code": "82810-3"}]}
        keep(make_connection(alice), {**observed("o1", ""), "code": other})
        assert PREGNANCY not in there(Summarized(alice))


class TestAnAdvanceDirective:
    @pytest.mark.parametrize("is_shelved", [False, True])
    @pytest.mark.parametrize(
        "sent", [{}, {"type": {"text": "Canary"}, "category": [coded("42348-3")]}, {"class": coded("42348-3")}]
    )
    def test_is_told_to_be_there_and_stays_where_it_is(self, alice, is_shelved, sent):
        connection = make_connection(alice)
        keep(connection, paper(**sent), paper("d2", type=coded("34133-9")))
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice)
        (only,) = found.told(DIRECTIVES)
        assert only["content"] == [{"attachment": {"contentType": "application/pdf", "creation": "2019-03-04"}}]
        assert only["description"] == "Her living will"
        assert "<td>Canary</td>" in found.words(DIRECTIVES)
        assert "Her living will" in found.words(DIRECTIVES)
        assert "March 4, 2019" in found.words(DIRECTIVES)

    def test_that_another_took_the_place_of_is_not_told(self, alice):
        keep(make_connection(alice), paper(status="superseded"))
        assert DIRECTIVES not in there(Summarized(alice))


class TestAnAllergy:
    def test_that_could_be_serious_stands_first_and_one_that_is_over_last(self, alice):
        def of(logical_id, year, **elements):
            return allergy(logical_id, code={"text": logical_id}, onsetDateTime=year, **elements)

        over = {"clinicalStatus": {"coding": [{"code": "resolved"}]}, "criticality": "high"}
        keep(
            make_connection(alice),
            of("pollen", "2024"),
            of("over", "2025", **over),
            of("penicillin", "1998", criticality="high"),
            of("milk", "2001", category=["food"]),
        )
        told = [each["code"]["text"] for each in Summarized(alice).told(ALLERGIES)]
        assert told == ["penicillin", "milk", "pollen", "over"]


class TestTheOrderOfASection:
    def test_has_what_is_not_clear_behind_what_is(self, alice):
        def of(logical_id, year, **elements):
            told = {"code": {"text": logical_id}, "clinicalStatus": "active", "onsetDateTime": year, **elements}
            return {"resourceType": "Condition", "id": logical_id, **told}

        keep(make_connection(alice), of("cold", "2024", abatementDateTime="2024-02-03"), of("diabetes", "1990"))
        told = [each["code"]["text"] for each in Summarized(alice).told(PROBLEMS)]
        assert told == ["diabetes", "cold"]

    def test_has_what_somebody_answered_behind_what_was_measured(self, alice):
        measured = observed("o1", "2160-0", effectiveDateTime="2019-01-02")
        keep(make_connection(alice), observed("o2", "44261-6", "survey"), measured)
        told = [each["code"]["coding"][0]["code"] for each in Summarized(alice).told(RESULTS)]
        assert told == ["2160-0", "44261-6"]
