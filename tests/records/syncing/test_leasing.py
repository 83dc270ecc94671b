"""Which run a worker may take, and which one first."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from apps.connections.models import Connection
from apps.directory.models import ClientRegistration
from apps.records import syncing
from apps.records.models import SyncRun
from apps.records.syncing.workers import leasing
from apps.wire.dialects import DIALECTS
from tests.faults.at_once import results, together
from tests.records.linked import AT, make_connection, make_endpoint

pytestmark = pytest.mark.django_db

Cause = SyncRun.Cause
ROOM = DIALECTS["patient-access"].runs_at_once


@pytest.fixture
def endpoint():
    return make_endpoint("https://busy.example/r4")


@pytest.fixture
def elsewhere():
    return make_endpoint("https://idle.example/r4")


@pytest.fixture
def open_run(alice):
    """Opens a run of a connection of its own, for another patient each time."""

    def open_one(endpoint, cause=Cause.SCHEDULE, *, after_seconds=0):
        connection = make_connection(alice, endpoint, fhir_patient_id=uuid4().hex)
        return syncing.start(connection, cause=cause, at=AT + timedelta(seconds=after_seconds))

    return open_one


def taken():
    lease = leasing.claim_next()
    return lease and lease.run_id


class TestNextRun:
    def test_is_a_first_copy_before_a_check_by_the_clock(self, endpoint, open_run):
        open_run(endpoint)
        first_copy = open_run(endpoint, Cause.CONFIRMED, after_seconds=60)
        assert taken() == first_copy.pk

    def test_is_one_a_patient_asked_for_before_a_check_by_the_clock(self, endpoint, open_run):
        open_run(endpoint)
        asked_for = open_run(endpoint, Cause.PATIENT, after_seconds=60)
        assert taken() == asked_for.pk

    def test_is_of_equals_the_one_that_waited_longest(self, endpoint, open_run):
        second = open_run(endpoint, after_seconds=1)
        first = open_run(endpoint)
        assert [taken(), taken(), taken()] == [first.pk, second.pk, None]

    def test_is_not_the_one_just_given_back_where_another_waits(self, endpoint, open_run):
        given_back, other = open_run(endpoint), open_run(endpoint, after_seconds=1)
        lease = leasing.claim_next()
        assert lease is not None
        assert lease.run_id == given_back.pk
        lease.give_back()
        assert [taken(), taken()] == [other.pk, given_back.pk]

    def test_is_none_where_the_only_one_is_held_or_paused(self, endpoint, open_run):
        open_run(endpoint)
        lease = leasing.claim_next()
        assert lease is not None
        assert taken() is None
        lease.pause(seconds=60, pauses=1)
        assert taken() is None


class TestRoomAtAServer:
    def test_is_for_so_many_runs_and_no_more(self, endpoint, open_run):
        runs = [open_run(endpoint, after_seconds=number) for number in range(ROOM + 1)]
        assert [taken() for _run in runs] == [*(run.pk for run in runs[:ROOM]), None]
        assert leasing.claim(runs[-1].pk) is None

    @pytest.mark.parametrize(("standing", "replaced"), [(2, 3), (3, 2)])
    def test_is_what_the_strictest_registration_allows_whose_runs_are_in_hand(
        self, endpoint, open_run, standing, replaced
    ):
        """Connections made under a registration that another one replaced still belong to it."""
        runs = [open_run(endpoint, after_seconds=number) for number in range(3)]
        new = ClientRegistration.objects.get()
        new.runs_at_once = standing
        new.save()
        old = ClientRegistration.objects.get()
        old.pk, old._state.adding, old.status, old.runs_at_once = uuid4(), True, "retired", replaced
        old.redirect_id, old.launch_id = uuid4(), uuid4()
        old.save(force_insert=True)
        Connection.objects.filter(pk=runs[0].connection_id).update(registration=old)
        assert [taken() for _run in runs] == [runs[0].pk, runs[1].pk, None]

    def test_leaves_workers_to_other_servers(self, endpoint, elsewhere, open_run):
        for number in range(ROOM + 1):
            open_run(endpoint, Cause.CONFIRMED, after_seconds=number)
        other = open_run(elsewhere, after_seconds=60)
        assert other.pk in [taken() for _turn in range(ROOM + 1)]

    def test_is_free_again_after_the_lease_of_a_worker_that_died(self, endpoint, open_run):
        runs = [open_run(endpoint, after_seconds=number) for number in range(ROOM + 1)]
        for _turn in range(ROOM):
            taken()
        SyncRun.objects.filter(pk=runs[0].pk).update(lease_until=Now() - timedelta(seconds=1))
        assert taken() == runs[-1].pk

    def test_is_not_taken_by_runs_that_pause(self, endpoint, open_run):
        """A provider that was down lets all of them wait: those that may begin again must not wait for the others."""
        for number in range(ROOM + 1):
            open_run(endpoint, after_seconds=number)
        for _turn in range(ROOM):
            lease = leasing.claim_next()
            assert lease is not None
            lease.pause(seconds=60, pauses=1)
        assert taken() is not None

    def test_is_free_again_when_a_run_is_given_back_or_ended(self, endpoint, open_run):
        for number in range(ROOM + 2):
            open_run(endpoint, after_seconds=number)
        first, second, *_rest = [leasing.claim_next() for _turn in range(ROOM)]
        assert first is not None
        assert second is not None
        first.finish(outcome=SyncRun.Outcome.COMPLETE, at=AT)
        second.give_back()
        assert [taken() is None for _turn in range(3)] == [False, False, True]


class TestALeaseThatWasLost:
    @pytest.fixture
    def lost(self, endpoint, open_run):
        """Held by a worker that was too slow; another has taken the run over."""
        run = open_run(endpoint)
        lease = leasing.claim_next()
        assert lease is not None
        SyncRun.objects.filter(pk=run.pk).update(lease_until=Now() - timedelta(seconds=1))
        assert taken() == run.pk
        return lease

    def test_neither_writes_nor_ends_the_run(self, lost):
        with pytest.raises(leasing.LeaseLost):
            lost.extend()
        with pytest.raises(leasing.LeaseLost):
            lost.finish(outcome=SyncRun.Outcome.COMPLETE, at=AT)
        assert SyncRun.objects.get().finished_at is None

    def test_is_lost_with_its_own_connection_whatever_others_do(self, endpoint, open_run):
        run = open_run(endpoint)
        lease = leasing.claim_next()
        assert lease is not None
        open_run(endpoint)
        lease.extend()
        Connection.objects.filter(pk=run.connection_id).update(status=Connection.Status.DISCONNECTED)
        with pytest.raises(leasing.LeaseLost):
            lease.extend()

    def test_takes_the_run_from_nobody(self, lost):
        held = SyncRun.objects.values("claim_id", "lease_until", "pauses").get()
        lost.give_back()
        lost.pause(seconds=60, pauses=3)
        assert SyncRun.objects.values("claim_id", "lease_until", "pauses").get() == held


@pytest.mark.django_db(transaction=True)
class TestManyWorkersAtOnce:
    def test_take_different_runs_and_fill_the_room_exactly(self, endpoint, open_run):
        for number in range(12):
            open_run(endpoint, after_seconds=number)
        found = [run_id for run_id in results(together(*(taken,) * 12)) if run_id]
        assert len(found) == len(set(found)) == ROOM
