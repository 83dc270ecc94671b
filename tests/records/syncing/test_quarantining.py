"""Rows of another patient are kept as evidence: as much as is needed, for as long as it is needed."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from apps.audit.models import AuditEvent
from apps.audit.recording import EventType
from apps.portal import activity
from apps.records import places
from apps.records.models import QuarantinedRow, SyncRun
from apps.records.syncing import pruning
from apps.records.syncing.received_rows import quarantining
from apps.vault import sealing
from apps.vault.sealing import Holder
from tests.records.linked import AT
from tests.records.people import allergy, bundle
from tests.records.provider import ALLERGIES
from tests.records.runs import step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

SECOND = "GET /fhir/r4/AllergyIntolerance?page=2"


def strange(logical_id):
    return allergy(logical_id, patient_id="p-9999")


@pytest.fixture
def aside(linked, provider):
    """One such row."""
    provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), strange("x1")))
    sync(linked)
    return QuarantinedRow.objects.get()


class TestARowInQuarantine:
    @pytest.mark.conformance("C63")
    def test_is_what_came_sealed_for_whose_copy_it_came_with(self, linked, aside):
        place = places.quarantine_place(run_id=aside.run_id, resource_type="AllergyIntolerance")
        body = sealing.open_body(bytes(aside.sealed_body), holder=Holder.user(linked.user_id), place=place)
        assert json.loads(body) == strange("x1")
        assert (aside.user_id, aside.connection_id, aside.received_at.date()) == (linked.user_id, linked.pk, AT.date())

    def test_is_there_once_however_often_it_comes_in_a_run(self, linked, provider):
        provider.answers[ALLERGIES] = http(body=bundle(strange("x1"), next_url=provider.next_url(2)))
        provider.answers[SECOND] = http(body=bundle(strange("x1"), allergy("a1")))
        run = sync(linked)
        assert (QuarantinedRow.objects.count(), step(run).rows_refused, stored()) == (1, 2, {"a1"})

    def test_is_one_of_so_many_of_a_run_and_staff_are_told_of_all(self, linked, provider, monkeypatch):
        monkeypatch.setattr(quarantining, "_MOST_PER_RUN", 3)
        first, rest = [strange(f"x{n}") for n in range(2)], [strange(f"y{n}") for n in range(3)]
        provider.answers[ALLERGIES] = http(body=bundle(*first, next_url=provider.next_url(2)))
        provider.answers[SECOND] = http(body=bundle(*rest, allergy("a1"), next_url=provider.next_url(3)))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=3"] = http(body=bundle(strange("z1"), allergy("a2")))
        runs = [sync(linked), sync(linked, at=AT + timedelta(minutes=20))]
        assert ([run.quarantined.count() for run in runs], stored()) == ([3, 3], {"a1", "a2"})
        told = AuditEvent.objects.filter(event=EventType.RECORD_REFUSED)
        assert [event.facts["rows"] for event in told] == [6, 6]

    def test_goes_after_thirty_days_though_its_run_is_the_last(self, aside):
        until = aside.received_at + timedelta(days=30)
        pruning.prune(at=until)
        assert QuarantinedRow.objects.exists()
        pruning.prune(at=until + timedelta(seconds=1))
        assert not QuarantinedRow.objects.exists()
        assert SyncRun.objects.get() == aside.run


def told(*options):
    printed, said = io.StringIO(), io.StringIO()
    call_command("quarantined_rows", *options, stdout=printed, stderr=said)
    return printed.getvalue() or said.getvalue()


class TestOperators:
    def test_see_of_whom_such_rows_came_when_and_how_many(self, linked, aside):
        assert told() == f"{linked.pk}  2026-11-20 09:40 UTC  Harbor Family Practice: AllergyIntolerance 1\n"
        found = json.loads(told("--json"))
        assert (found["run_id"], found["first_at"]) == (str(aside.run_id), aside.received_at.isoformat())
        assert (found["types"], found["sent"]) == ([["AllergyIntolerance", 1]], 1)

    def test_see_that_more_came_than_are_kept(self, linked, provider, monkeypatch):
        monkeypatch.setattr(quarantining, "_MOST_PER_RUN", 2)
        provider.answers[ALLERGIES] = http(body=bundle(*(strange(f"x{number}") for number in range(5))))
        sync(linked)
        assert told().endswith("AllergyIntolerance 2 (2 of 5 kept)\n")

    def test_see_the_latest_runs_first_and_as_many_as_they_want(self, linked, aside):
        sync(linked, at=AT + timedelta(minutes=20))
        assert [line.split("  ")[1] for line in told().splitlines()] == ["2026-11-20 10:00 UTC", "2026-11-20 09:40 UTC"]
        assert len(told("--limit", "1").splitlines()) == 1

    def test_see_nothing_of_what_they_say_or_whose_copy_it_is(self, linked, aside):
        for said in (told(), told("--json")):
            for canary in ("x1", "p-9999", "Pteridine", "p-7301", linked.user.email, str(linked.user_id)):
                assert canary not in said

    def test_discard_those_of_one_connection(self, linked, aside, other):
        assert told("--discard", "--connection", str(other.pk)) == "0 rows deleted.\n"
        assert told("--discard", "--connection", str(linked.pk), "--dry-run") == "1 row would be deleted.\n"
        assert QuarantinedRow.objects.exists()
        assert told("--discard", "--connection", str(linked.pk)) == "1 row deleted.\n"
        assert not QuarantinedRow.objects.exists()
        assert (stored(), told()) == ({"a1"}, "There are no such rows.\n")

    @pytest.mark.parametrize("further", [(), ("--discard",), ("--discard", "--dry-run")])
    def test_are_told_of_an_id_that_no_connection_has(self, aside, further):
        """A slip would read as if nothing were kept, or as if it had been deleted."""
        with pytest.raises(CommandError, match="There is no connection with this id"):
            told("--connection", str(aside.run_id), *further)

    def test_are_seen_to_have_discarded_them_by_staff_and_by_whose_copy_they_came_with(self, linked, aside):
        told("--discard", "--connection", str(linked.pk), "--dry-run")
        for _again in range(2):
            told("--discard", "--connection", str(linked.pk))
        event = AuditEvent.objects.get(event=EventType.RECORD_DISCARDED)
        assert (event.user_id, event.subject_id, event.facts) == (linked.user_id, str(linked.pk), {"rows": 1})
        assert (event.actor_kind, event.actor_name) == ("system", "quarantined_rows")
        lines = activity.page(linked.user_id, before="").lines
        deleted = next(line for line in lines if line.what == "Entries about someone else deleted")
        assert (deleted.who, deleted.provider) == ("Holdfast staff", "Harbor Family Practice")

    def test_are_seen_to_have_discarded_nothing_where_nothing_was(self, linked, aside, other):
        told("--discard", "--connection", str(other.pk))
        assert not AuditEvent.objects.filter(event=EventType.RECORD_DISCARDED).exists()

    def test_discard_nothing_where_they_say_of_no_connection(self, aside):
        with pytest.raises(CommandError):
            told("--discard")
        assert QuarantinedRow.objects.exists()
